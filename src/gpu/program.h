// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/formulas.h"
#include "sinew/core/result.h"

namespace sinew {
struct Rig;
}

namespace sinew::gpu {

enum class Motion : std::uint8_t { kLinear, kDual, kLinearBones, kDualBones, kJoints, kFlesh };

// A rig and one deformer, laid out for the formulas.
struct Program {
  Motion motion = Motion::kLinear;
  RigView shape;  // its numbers; pointers are null: view() sets them
  std::vector<JointRest> rest;
  std::vector<EntryRest> entry, field_joints;
  std::vector<double> end_heads;
  std::vector<std::int32_t> end_joints;
  std::vector<std::uint32_t> level, tile, row, key_row;
  std::vector<SkinRun> runs;
  std::vector<SkinVertex> skin;
  std::vector<SkinNormal> skin_normals;
  std::vector<SkinEnds> ends;
  std::vector<std::uint32_t> held_first, held_slots, held_joints;
  std::vector<std::int32_t> held_places;
  std::vector<float> held_weights, held_points;
  std::vector<SpreadVertex> spread;
  std::vector<JointWeights> weights;
  std::vector<Twelve> entry_local, entry_place;
  std::vector<float> positions, normals, default_keys;
  std::vector<KeyDelta> key_deltas;
  std::vector<FleshGroup> groups;
  std::vector<FleshStep> steps;
  std::vector<float> step_weights, field_twist, group_positions, group_normals;
  std::vector<AxisLine> step_axis;
  std::vector<FleshBlock> blocks;
  std::vector<std::uint32_t> field_values, field_tilts;
  std::vector<float> field_cubic, field_tilts_cubic;
  std::vector<FieldRest> fields;

  // Calls visit(vector, pointer of the view) for every array: who holds them elsewhere copies them so.
  template <class Visit>
  void each_array(RigView& view, Visit&& visit) const {
    visit(rest, view.rest), visit(level, view.level), visit(entry, view.entry),
        visit(field_joints, view.field_joints);
    visit(end_heads, view.end_heads), visit(end_joints, view.end_joints), visit(tile, view.tile);
    visit(row, view.row), visit(key_row, view.key_row), visit(runs, view.runs), visit(skin, view.skin);
    visit(skin_normals, view.skin_normals), visit(ends, view.ends);
    visit(held_first, view.held_first), visit(held_slots, view.held_slots);
    visit(held_joints, view.held_joints), visit(held_weights, view.held_weights);
    visit(held_points, view.held_points), visit(held_places, view.held_places), visit(spread, view.spread);
    visit(weights, view.weights), visit(entry_local, view.entry_local), visit(entry_place, view.entry_place);
    visit(positions, view.positions), visit(normals, view.normals), visit(default_keys, view.default_keys);
    visit(key_deltas, view.key_deltas), visit(groups, view.groups), visit(steps, view.steps);
    visit(step_weights, view.step_weights), visit(field_twist, view.field_twist);
    visit(group_positions, view.group_positions), visit(group_normals, view.group_normals);
    visit(step_axis, view.step_axis), visit(blocks, view.blocks), visit(fields, view.fields);
    visit(field_values, view.field_values), visit(field_cubic, view.field_cubic);
    visit(field_tilts, view.field_tilts), visit(field_tilts_cubic, view.field_tilts_cubic);
  }
  RigView view() const;
};

// kUsage: no such deformer. kImpossible, naming what stands in the way: a deformer, step or rig that these
// formulas do not cover.
Result<Program> make_program(const Rig& rig, std::string_view deformer);

// What lies in memory for a chunk of kLanes poses, in floats but for globals and factors.
struct ChunkSize {
  std::int64_t globals = 0;  // doubles
  std::int64_t matrices = 0, palette = 0, drives = 0, keys = 0;
  std::int64_t factors = 0;  // words

  explicit ChunkSize(const RigView& view, Motion motion);
};

// The poses of a chunk; where null they are as at rest. first and count: of all poses.
struct PoseArrays {
  const float* rotations = nullptr;
  const float* translations = nullptr;
  const float* keys = nullptr;
  const float* bones = nullptr;

  SINEW_HD PoseView at(const RigView& rig, std::int64_t pose) const {
    return {rotations ? rotations + 4 * pose * rig.joints : nullptr,
            translations ? translations + 3 * pose : nullptr, keys ? keys + pose * rig.keys : nullptr,
            bones ? bones + 3 * pose * rig.joints : nullptr};
  }
};

// One entry of the palette that the deformer reads: the work of one lane.
SINEW_HD void fill_entry(const RigView& rig, Motion motion, int entry, const PoseView& pose,
                         const float* matrices, float* palette) {
  const EntryRest& rest = rig.entry[entry];
  float* out = palette + std::int64_t{entry} * rig.entry_floats * kLanes;
  const float* shape = pose.bones && rest.joint >= 0 ? pose.bones + 3 * std::int64_t{rest.joint} : nullptr;
  if (motion == Motion::kDual) {
    double m[12];
    load_matrix(matrices, rest.joint < 0 ? rig.joints : rest.joint, m);
    dual_entry(m, out);
  } else if (motion == Motion::kLinearBones) {
    linear_bone_entry(rig, rest, matrices, shape, out);
  } else if (motion == Motion::kDualBones) {
    dual_bone_entry(rig, rest, matrices, shape, out);
  } else if (motion == Motion::kJoints) {
    joint_entry(rest, matrices, out);
  } else if (motion == Motion::kFlesh) {
    flesh_entry(rest, matrices, out);
  }
}

// Deforms poses with the same formulas on the host: the reference of what devices do, and for tests.
void deform_on_host(const Program& program, std::int64_t poses, const PoseArrays& from, float* positions,
                    float* normals);

}  // namespace sinew::gpu
