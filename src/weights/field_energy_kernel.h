// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sinew/rig/turn_functions.h"

namespace sinew::weights_detail {

constexpr std::size_t kPack = 8;  // rotations that share every operation
constexpr std::size_t kMostLanes = 128;

// What is kept of every rotation: its parts, then the swing less the identity, row by row.
enum Part : std::size_t { kCosine, kSine, kFactors, kSwing = kFactors + kTurnFunctions, kParts = kSwing + 9 };

// Positions and forces lie pack by pack: x, y, z of all vertices for eight rotations, so that the cells of a
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
  std::size_t vertices, lanes;
  float size;
};

// All give the same bits on every instruction set.
void pose_vertices(const PoseInput& in, float* at) noexcept;
// Energies of the rotations; where `force` is not null, the gradient by the positions is added to it.
void stretch_cells(const CellInput& in, const float* at, float* force, double* energies) noexcept;
// What forces on the posed vertices are to the fields.
void pull_fields(const PoseInput& in, const float* force, const float* scale, float* gradient) noexcept;

void pose_moved(const MovedInput& in, float* at) noexcept;
void pull_moved(const MovedInput& in, const float* force, const float* scale, float* gradient) noexcept;

}  // namespace sinew::weights_detail
