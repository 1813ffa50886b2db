// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/composed_joints.h"
#include "sinew/rig/turn_functions.h"

namespace sinew {

/// The joint that a field also asks for.
struct FleshPartner {
  std::uint32_t joint = 0;
  MotionRange range;
  bool operator==(const FleshPartner&) const = default;
};

/// What one joint's rotation adds to rest positions: a sum of modes, each driven by a mix of turn_functions as
/// the vertex sees them. Modes are whole numbers of a step. Of a field with a partner the functions are those
/// of both rotations (pair_factors), so that it does nothing where one of the two rests.
struct FleshField {
  std::uint32_t joint = 0;
  MotionRange range;                    ///< of the joint; beyond it the field stays as at its border
  std::vector<float> mixes;             ///< per mode: its share of each turn function
  std::vector<float> steps;             ///< per mode
  std::vector<std::uint32_t> vertices;  ///< ascending
  std::vector<float> twist;             ///< per vertex: the share of the joint's twist that it sees
  std::vector<std::int8_t> values;      ///< per vertex, mode and coordinate
  std::optional<FleshPartner> partner = std::nullopt;

  std::size_t modes() const { return steps.size(); }

  bool operator==(const FleshField&) const = default;
};

/// Flesh: composed joints and corrective fields that bring them near to the elastic body.
struct Flesh {
  ComposedWeights weights;  ///< per vertex
  std::vector<FleshField> fields;
  MotionRange range;     ///< of motion that joints without one of their own were made for
  double tolerance = 0;  ///< energy over that of the elastic body that was asked for

  bool empty() const { return weights.empty(); }
  bool operator==(const Flesh&) const = default;
};

/// Modes in whole numbers of a step: of 8 bits, so that a mode's step is at least a 127th of its largest value. A
/// mode that is `fine` has the step that is asked for, and what 8 bits leave of it is a second mode with the same
/// mix and that step. Twists are rounded to 255ths. Vertices that no mode moves by half a step of 8 bits are
/// dropped. mixes: as of FleshField; fine, steps: per mode (empty steps: the least of 8 bits, and for fine modes
/// a 254th of it); values: a row a vertex, three columns a mode.
FleshField quantise_field(std::uint32_t joint, std::span<const std::uint32_t> vertices,
                          std::span<const float> twist, std::span<const float> mixes,
                          std::span<const std::uint8_t> fine, std::span<const float> steps,
                          const Eigen::MatrixXf& values);

/// How the normals of a mesh tilt with a field, to first order: as its values, beside them.
struct FleshTilt {
  std::vector<float> steps;
  std::vector<std::int8_t> values;
};
std::vector<FleshTilt> flesh_tilts(const PolyMesh& mesh, const Flesh& flesh);

/// How a field is driven in a pose: the own rotation within the range, and the functions' parts.
struct FieldDrive {
  Vec3 turn;
  TurnParts parts;
};
/// Nothing where the field does nothing. Never allocates.
std::optional<FieldDrive> field_drive(const FleshField& field, std::span<const JointMove> moves) noexcept;

/// Adds what the fields do in a pose, in double precision. `tilts` and `normals` may be empty.
void add_flesh_fields(const Flesh& flesh, std::span<const FleshTilt> tilts, std::span<const JointMove> moves,
                      std::span<Vec3> positions, std::span<Vec3> normals);

}  // namespace sinew
