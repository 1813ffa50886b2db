// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sinew/rig/turn_functions.h"

namespace sinew::weights_detail {

constexpr std::size_t kPack =
    16;  // rotations that lie together; as many, or half of them, share every operation
constexpr std::size_t kHalf = kPack / 2;
constexpr std::size_t kMostLanes = 192;

// What is kept of every rotation: its parts, then the swing less the identity, row by row.
enum Part : std::size_t { kCosine, kSine, kFactors, kSwing = kFactors + kTurnFunctions, kParts = kSwing + 9 };

// Positions and forces lie pack by pack: x, y, z of all vertices for one pack's rotations, so that the cells of a
// pack find them close together.
[[gnu::always_inline]] inline std::size_t place(std::size_t lane, std::size_t vertices, std::size_t vertex,
                                                std::size_t coordinate) {
  return 3 * (lane * vertices + vertex * kPack) + coordinate * kPack;
}

struct PoseInput {
  std::size_t vertices, lanes;
  const float *rest, *swing, *parts, *cosine, *sine;
  const std::uint8_t* fixed;
  const float* fields;  // or null
};

// The same where other joints move the vertices too: posed they lie at `base`, as at(), and what is added to
// them at rest goes through `maps`, nine rows a vertex likewise, column by column.
struct MovedInput {
  std::size_t vertices, lanes;
  const float *base, *maps, *parts, *cosine, *sine;
  const std::uint8_t* fixed;
  const float* fields;  // or null
};

struct CellInput {
  std::span<const std::array<std::uint32_t, 8>> corners;
  std::span<const float> stiffness;
  std::size_t vertices, used;  // rotations, filled up to halves of packs
  float size;
  // The rotation of every cell at every rotation of the joint that was found, four numbers each, pack by pack. Where those
  // of a pose before are known, the search starts there.
  float* spins;
  bool spins_known;
};
// Joints one after the other, the first one's part of the motion first, and the fields that each has alone. From an
// origin of its own.
struct MovingJoint {
  std::array<float, 9> axes;  // column by column
  std::array<float, 3> centre;
  const float *swing, *twist;  // of the vertices
  const float* parts;          // of the rotations
  const float* turned;         // by what angle they twist
  const float* fields;         // in world axes; or null
};
struct MovingInput {
  std::size_t vertices, lanes;
  const float* rest;
  std::array<MovingJoint, 2> joints;
};

// All give the same bits on every instruction set.
// Cosines and sines of `angles` times what each vertex sees of them.
void twist_vertices(std::size_t vertices, std::size_t lanes, const float* twist, const float* angles,
                    float* cosine, float* sine) noexcept;
void pose_vertices(const PoseInput& in, float* at) noexcept;
// Energies of the rotations; where `force` is not null, the gradient by the positions is added to it.
void stretch_cells(const CellInput& in, const float* at, float* force, double* energies) noexcept;
// What forces on the posed vertices are to the fields.
void pull_fields(const PoseInput& in, const float* force, const float* scale, float* gradient) noexcept;

// Every row, 3 numbers a function, becomes `by` times it: square, symmetric, a row a function of kMixWidth numbers.
constexpr std::size_t kMixWidth = (kTurnFunctions + kPack - 1) / kPack * kPack;
void mix_functions(std::size_t vertices, const float* by, float* rows) noexcept;
// Base and maps of MovedInput.
void move_vertices(const MovingInput& in, float* base, float* maps) noexcept;
void pose_moved(const MovedInput& in, float* at) noexcept;
void pull_moved(const MovedInput& in, const float* force, const float* scale, float* gradient) noexcept;

}  // namespace sinew::weights_detail
