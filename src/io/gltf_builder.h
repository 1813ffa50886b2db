// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "io/gltf_document.h"

namespace sinew::gltf {

inline constexpr int kVertexTarget = 34962, kIndexTarget = 34963, kNoTarget = 0;

// A document in the making: its JSON, and one buffer that all views point into.
class Builder {
 public:
  // A new document with one empty scene.
  Builder();
  // A copy of what was read; its buffers are put behind each other, views that nobody edits keep their bytes.
  explicit Builder(const GltfDocument& document);

  Json json;

  // New accessors; the index is returned. `type` as in glTF, "VEC3" and so on; values.size() is a multiple of
  // its width.
  int add_floats(std::span<const float> values, const char* type, int target, bool with_bounds);
  int add_vectors(std::span<const Vec3f> values, int target, bool with_bounds);
  // The same with only those stored that are not zero, where that takes less room. All stand on one view of
  // zeros: glTF does not ask for it, but Godot 3 takes the first view of the file for one that is missing.
  int add_sparse_vectors(std::span<const Vec3f> values, bool with_bounds);
  // Whole numbers as the given component type; VEC4 elements of bytes or shorts keep the alignment of four.
  int add_integers(std::span<const std::uint32_t> values, const char* type, Component component, int target);
  // Bytes of an image.
  int add_view(std::string_view bytes, int target);

  std::string& binary() { return binary_; }
  // The finished file. Buffers without data are kept behind the first.
  Result<std::string> finish(bool as_glb);

 private:
  int add_accessor(int view, Component component, std::size_t count, const char* type);
  // A view of at least so many vectors, all zero.
  int zeros(std::size_t count);
  std::string binary_;
  int zero_view_ = -1;
  std::size_t zero_count_ = 0;
  Json empty_buffers_ = Json::array();  // of the document, without data
  Json first_buffer_ = Json::object();  // name and extras of its first buffer
};

std::size_t type_width(const char* type);

// The smallest unsigned type that holds `largest`.
Component unsigned_component(std::uint32_t largest);

}  // namespace sinew::gltf
