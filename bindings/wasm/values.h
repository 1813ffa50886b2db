// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <emscripten/val.h>

#include <span>
#include <string>
#include <vector>

#include "session.h"

// JavaScript's values into ours and back. What has the wrong kind is kUsage.
namespace sinew {

// A typed array of its own, of the element's type.
template <class Number>
emscripten::val copy_of(const Number* numbers, std::size_t count) {
  return emscripten::val(emscripten::typed_memory_view(count, numbers))
      .template call<emscripten::val>("slice");
}
// A view into our memory.
emscripten::val view_of(std::span<const Vec3f> points);
emscripten::val list_of(const std::vector<std::string>& texts);
emscripten::val triple(const Vec3& v);
emscripten::val points_value(std::span<const Vec3> points);

Result<double> number_of(const emscripten::val& value);
Result<std::string> text_of(const emscripten::val& value);
Result<std::string> bytes_of(const emscripten::val& array);
// Bytes of an element of a typed array; 0 for anything else.
int element_size(const emscripten::val& array);
// Any array of numbers.
template <class Number>
Result<std::vector<Number>> numbers_of(const emscripten::val& array) {
  if (!array.isArray() && element_size(array) == 0) return usage_error("give an array of numbers");
  return emscripten::convertJSArrayToNumberVector<Number>(array);
}
Result<Vec3> vector_of(const emscripten::val& array);
Result<Quat> quaternion_of(const emscripten::val& array);  // x, y, z, w
Result<std::vector<Vec3>> points_of(const emscripten::val& array);
Result<Session::Channel> channel_of(const std::string& name);

emscripten::val info_value(const Session& session);
emscripten::val pose_value(const Session& session);
Result<void> read_pose(const emscripten::val& state, const Rig& rig, Pose& pose, LiveControls& controls);
std::string skeleton_text(const Session& session);

}  // namespace sinew
