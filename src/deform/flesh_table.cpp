// SPDX-License-Identifier: Apache-2.0
#include "deform/flesh_table.h"

#include <cmath>
#include <map>
#include <utility>

namespace sinew {
namespace {

// For every set of steps: in which order, and where each goes.
void order_sets(FleshTable& table) {
  const JointTable& joints = table.joints;
  std::vector<ComposedStep> steps;
  for (std::size_t set = 0; set + 1 < joints.set_offsets.size(); ++set) {
    steps.clear();
    for (std::uint32_t k = joints.set_offsets[set]; k < joints.set_offsets[set + 1]; ++k)
      steps.push_back(table.steps[joints.set_entries[k]]);
    const StepOrder found = order_steps(table.parents, steps);
    table.set_order.insert(table.set_order.end(), found.order.begin(), found.order.end());
    table.set_parent.insert(table.set_parent.end(), found.to.begin(), found.to.end());
    table.set_leaf.insert(table.set_leaf.end(), found.leaf.begin(), found.leaf.end());
  }
}

// The fields' numbers group by group.
void pack_fields(const Flesh& flesh, FleshTable& table) {
  const JointTable& joints = table.joints;
  struct Place {
    std::uint32_t field, vertex;
  };
  std::vector<std::vector<Place>> of_vertex(joints.vertices);
  for (std::uint32_t f = 0; f < flesh.fields.size(); ++f)
    for (std::uint32_t v = 0; v < flesh.fields[f].vertices.size(); ++v)
      of_vertex[flesh.fields[f].vertices[v]].push_back({f, v});
  table.block_offsets.push_back(0);
  for (std::size_t group = 0; group < joints.group_count(); ++group) {
    std::map<std::uint32_t, std::array<std::int64_t, kJointGroupSize>> found;
    for (std::size_t lane = 0; lane < kJointGroupSize; ++lane)
      for (const Place& place : of_vertex[joints.vertex[group * kJointGroupSize + lane]]) {
        auto [at, is_new] = found.try_emplace(place.field);
        if (is_new) at->second.fill(-1);
        at->second[lane] = place.vertex;
      }
    for (const auto& [f, lanes] : found) {
      const FleshField& field = flesh.fields[f];
      const std::size_t count = field.modes();
      table.blocks.push_back({f, table.data.size(), table.twist.size()});
      for (const std::int64_t v : lanes)
        table.twist.push_back(v < 0 ? 0.0f : field.twist[static_cast<std::size_t>(v)]);
      for (std::size_t q = 0; q < count; ++q)
        for (const std::vector<std::int8_t>* numbers : {&field.values, &std::as_const(table).tilts[f].values})
          for (std::size_t c = 0; c < 3; ++c)
            for (const std::int64_t v : lanes)
              table.data.push_back(v < 0 ? std::int8_t{0}
                                         : (*numbers)[3 * (static_cast<std::size_t>(v) * count + q) + c]);
    }
    table.block_offsets.push_back(static_cast<std::uint32_t>(table.blocks.size()));
  }
}

// Per vertex the number of the set of its fields.
std::vector<std::uint32_t> field_sets(const Flesh& flesh, std::size_t vertices) {
  std::vector<std::vector<std::uint32_t>> of_vertex(vertices);
  for (std::uint32_t f = 0; f < flesh.fields.size(); ++f)
    for (const std::uint32_t v : flesh.fields[f].vertices) of_vertex[v].push_back(f);
  std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
  for (const auto& set : of_vertex) numbers[set] = 0;
  std::uint32_t next = 0;
  for (auto& [set, number] : numbers) number = next++;
  std::vector<std::uint32_t> sets;
  for (const auto& set : of_vertex) sets.push_back(numbers[set]);
  return sets;
}

void set_turn(double angle, TurnEntry& turn) {
  turn = {};
  if (angle == 0) return;
  turn.kind = TurnKind::kSmallAngle;
  turn.half_growth = static_cast<float>(angle / 2);
}

}  // namespace

Result<FleshTable> pack_flesh(const Rig& rig) {
  const Flesh& flesh = rig.flesh;
  if (flesh.empty()) return impossible("the rig has no flesh: `sinew rig` makes it");
  FleshTable table;
  table.parents = bone_parents(rig.skeleton);
  table.frames = joint_frames(bones_of(rig.skeleton, bind_transforms(rig)), table.parents);
  if (flesh.weights.vertex_count() != rig.mesh.vertex_count())
    return bad_input("the flesh does not fit the mesh: it has another number of vertices");
  std::map<ComposedStep, std::uint16_t> known;
  ComposedSteps maker(table.parents);
  std::vector<ComposedSteps::Weighted> steps;
  bool too_many = false;
  const auto row = [&](std::size_t i, std::vector<JointLane>& lanes) {
    lanes.clear();
    maker.of_vertex(flesh.weights, i, steps);
    for (const auto& [step, swing, twist] : steps) {
      const auto [at, is_new] = known.try_emplace(step, static_cast<std::uint16_t>(table.steps.size()));
      if (is_new) table.steps.push_back(step);
      too_many = too_many || table.steps.size() > 65'000;
      lanes.push_back({at->second, 1, swing, twist});
    }
  };
  const std::size_t vertices = rig.mesh.vertex_count();
  table.joints = pack_groups(vertices, row, field_sets(flesh, vertices));
  if (too_many) return impossible("more than 65,000 runs of joints carry vertices");
  order_sets(table);
  table.tilts = flesh_tilts(rig.mesh, flesh);
  pack_fields(flesh, table);
  table.fields = flesh.fields;
  std::size_t modes = 0;
  for (FleshField& field : table.fields) {
    table.first_mode.push_back(modes);
    modes += field.modes();
    field.values.clear();
    field.vertices.clear();
    field.twist.clear();
  }
  for (FleshTilt& tilt : table.tilts) tilt.values.clear();
  return table;
}

void fill_flesh(const FleshTable& table, std::span<const Affine3> matrices, FleshPalette& palette) noexcept {
  joint_moves(table.frames, table.parents, matrices, palette.moves);
  for (std::size_t k = 0; k < table.steps.size(); ++k) {
    const ComposedStep& step = table.steps[k];
    FleshEntry& entry = palette.steps[k];
    entry.run = step.run;
    entry.still = false;
    if (step.run) {
      const Affine3& own = matrices[static_cast<std::size_t>(step.joint)];
      entry.local = rows_of(
          step.above < 0 ? own : Affine3(matrices[static_cast<std::size_t>(step.above)].inverse() * own));
      continue;
    }
    const JointMove& move = palette.moves[static_cast<std::size_t>(step.joint)];
    entry.still = move.still;
    const JointFrame& frame = table.frames[static_cast<std::size_t>(step.joint)];
    const Affine3 place = Eigen::Translation3d(frame.origin) * Affine3(frame.axes);
    entry.local = rows_of(place.inverse(Eigen::Isometry));
    entry.above = rows_of(place);
    entry.move = rows_of((move.swing - Mat3::Identity()) * frame.axes, move.shift);
    set_turn(move.twist, entry.turn);
  }
  for (std::size_t f = 0; f < table.fields.size(); ++f) {
    FleshDrive& drive = palette.drives[f];
    const std::optional<FieldDrive> found = field_drive(table.fields[f], palette.moves);
    drive.still = !found;
    if (!found) continue;
    const TurnParts& parts = found->parts;
    drive.cosine = static_cast<float>(parts.cosine);
    drive.sine = static_cast<float>(parts.sine);
    const FleshField& field = table.fields[f];
    for (std::size_t m = 0; m < field.modes(); ++m) {
      FleshAmount& amount = palette.amounts[table.first_mode[f] + m];
      std::array<double, kTurnHarmonics> sums{};
      for (std::size_t q = 0; q < kTurnFunctions; ++q)
        sums[kHarmonicOf[q]] += static_cast<double>(field.mixes[m * kTurnFunctions + q]) * parts.factors[q];
      for (std::size_t h = 0; h < kTurnHarmonics; ++h)
        amount.of_harmonic[h] = static_cast<float>(static_cast<double>(field.steps[m]) * sums[h]);
      amount.tilt = field.steps[m] > 0 ? table.tilts[f].steps[m] / field.steps[m] : 0.0f;
    }
    set_turn(found->turn.z(), drive.turn);
  }
}

}  // namespace sinew
