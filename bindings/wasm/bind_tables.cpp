// SPDX-License-Identifier: Apache-2.0
// What a graphics card deforms by: the tables of a rig, as sinew.d.ts names them.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "guarded.h"
#include "session.h"
#include "sinew/io/stack_json.h"
#include "sinew/skeleton/bone_tree.h"
#include "values.h"

namespace sinew {

using emscripten::val;

namespace {

template <class Number>
val array_of(const std::vector<Number>& numbers) {
  return copy_of(numbers.data(), numbers.size());
}

// One number of every entry.
template <class Number, class Entry, class Pick>
val column_of(const std::vector<Entry>& entries, Pick pick) {
  std::vector<Number> numbers;
  numbers.reserve(entries.size());
  for (const Entry& entry : entries) numbers.push_back(static_cast<Number>(pick(entry)));
  return array_of(numbers);
}

val points_of_floats(std::span<const Vec3f> points) {
  return copy_of(points.empty() ? nullptr : points[0].data(), 3 * points.size());
}

val skeleton_value(const Rig& rig) {
  const Skeleton& skeleton = rig.skeleton;
  val value = val::object();
  std::vector<std::string> names;
  std::vector<double> inverse_bind, tails;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    names.push_back(skeleton[j].name);
    for (int k = 0; k < 12; ++k) inverse_bind.push_back(rig.inverse_bind[j].matrix()(k / 4, k % 4));
  }
  for (std::size_t j = 0; j < skeleton.deforming_count(); ++j) {
    const Vec3 none = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    const Vec3 tail = skeleton[j].tail.value_or(none);
    tails.insert(tails.end(), tail.data(), tail.data() + 3);
  }
  value.set("names", list_of(names));
  value.set("inverseBind", array_of(inverse_bind));
  value.set("parents", array_of(bone_parents(skeleton)));
  value.set("tails", array_of(tails));
  return value;
}

val skin_value(const Rig& rig) {
  val value = val::object();
  value.set("offsets", array_of(rig.weights.offsets));
  value.set("joints", column_of<std::uint32_t>(rig.weights.entries, [](const auto& e) { return e.joint; }));
  value.set("weights", column_of<float>(rig.weights.entries, [](const auto& e) { return e.weight; }));
  return value;
}

val endpoint_value(const Rig& rig) {
  if (rig.endpoint.empty()) return val::null();
  val value = val::object();
  value.set("stretch", array_of(rig.endpoint.values));
  value.set("twist", array_of(rig.endpoint.twist.empty() ? rig.endpoint.values : rig.endpoint.twist));
  return value;
}

val joint_rows_value(const Rig& rig) {
  const JointWeights& weights = rig.joint_weights;
  if (weights.empty()) return val::null();
  val value = val::object();
  value.set("offsets", array_of(weights.offsets));
  value.set("joints", column_of<std::uint32_t>(weights.entries, [](const auto& e) { return e.joint; }));
  value.set("share", column_of<float>(weights.entries, [](const auto& e) { return e.deformer_weight; }));
  value.set("swing", column_of<float>(weights.entries, [](const auto& e) { return e.swing; }));
  value.set("twist", column_of<float>(weights.entries, [](const auto& e) { return e.twist; }));
  std::vector<std::string> blends;
  for (const JointBlend blend : weights.blends) blends.emplace_back(blend_name(blend));
  value.set("blends", list_of(blends));
  return value;
}

val flesh_value(const Flesh& flesh) {
  if (flesh.empty()) return val::null();
  const auto& entries = flesh.weights.entries;
  val value = val::object(), fields = val::array();
  value.set("base", array_of(flesh.weights.base));
  value.set("offsets", array_of(flesh.weights.offsets));
  value.set("joints", column_of<std::uint32_t>(entries, [](const auto& e) { return e.joint; }));
  value.set("swing", column_of<std::uint16_t>(entries, [](const auto& e) { return 65535 * e.swing + 0.5f; }));
  value.set("twist", column_of<std::uint16_t>(entries, [](const auto& e) { return 65535 * e.twist + 0.5f; }));
  for (const FleshField& field : flesh.fields) {
    val one = val::object();
    one.set("joint", field.joint);
    one.set("swing", field.range.swing);
    one.set("twist", field.range.twist);
    val partner = val::null();
    if (field.partner) {
      partner = val::object();
      partner.set("joint", field.partner->joint);
      partner.set("swing", field.partner->range.swing);
      partner.set("twist", field.partner->range.twist);
    }
    one.set("partner", partner);
    one.set("modes", static_cast<double>(field.modes()));
    one.set("steps", array_of(field.steps));
    one.set("mixes", array_of(field.mixes));
    one.set("vertices", array_of(field.vertices));
    one.set("shares", array_of(field.twist));
    one.set("values", array_of(field.values));
    fields.call<void>("push", one);
  }
  value.set("fields", fields);
  return value;
}

val tables(const Session& session, int slot) {
  return guarded([&]() -> Result<val> {
    const Rig& rig = session.rig();
    SINEW_TRY(const Stack stack, session.stack(slot));
    val value = val::object();
    value.set("stack", to_json(stack).dump());
    value.set("keys", static_cast<double>(rig.keys.size()));
    value.set("driven", !rig.pose_spaces.empty() || !rig.drivers.empty());
    value.set("skeleton", skeleton_value(rig));
    value.set("normals", points_of_floats(normals_of(rig.mesh)));
    value.set("skin", skin_value(rig));
    value.set("endpoint", endpoint_value(rig));
    value.set("jointRows", joint_rows_value(rig));
    value.set("flesh", flesh_value(rig.flesh));
    return value;
  });
}

}  // namespace

EMSCRIPTEN_BINDINGS(sinew_tables) {
  emscripten::function("tables", &tables);
}

}  // namespace sinew
