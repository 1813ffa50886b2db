// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "sinew/deform/arap.h"

namespace sinew {

// Entries of a vertex i are [offsets[i], offsets[i + 1]): its neighbours, ascending.
struct ArapSystem {
  ArapEnergy kind = ArapEnergy::kSpokesAndRims;
  std::vector<std::uint32_t> to_welded;    // per vertex of the mesh
  std::vector<std::uint32_t> constrained;  // welded, in the caller's order
  std::vector<std::uint8_t> is_fixed;      // per welded vertex

  std::vector<std::uint32_t> offsets, neighbours;
  std::vector<double> weights;  // per entry, those of the linear system
  std::vector<double> springs;  // per entry, what springs have of them; or empty. Spokes and rims only

  // Spokes and rims only: triangle corners at each vertex.
  struct Corner {
    std::uint32_t first, second;         // entries of the other two corners
    double to_first, to_second, across;  // half cotangents: of the edges to them and between them
  };
  std::vector<std::uint32_t> corner_offsets;
  std::vector<Corner> corners;

  ArapStencil stencil;
  double scale = 1;  // of covariances, so that floats hold them

  std::vector<std::uint32_t> free;  // welded vertices that are solved for, in the order of the factor
  struct HeldEdge {
    std::uint32_t fixed;
    double weight;
  };
  std::vector<std::uint32_t> held_offsets;  // per free vertex
  std::vector<HeldEdge> held;
  struct Rider {
    std::uint32_t vertex, anchor;
  };
  std::vector<Rider> riders;
  std::optional<SparseCholesky> factor;

  std::size_t size() const { return is_fixed.size(); }
  const ArapStencil& stencil_of(const ArapState& state) const {
    return state.own_rest ? state.stencil : stencil;
  }

  // `rest` of the stencil is set; the other arrays have their sizes.
  void fill(ArapStencil& out) const noexcept;
  // sum over the edges of vertex i of w e' e^T: the best rotation is the nearest to it.
  Mat3 covariance(const ArapStencil& shape, std::span<const Vec3> positions, std::size_t i) const noexcept;
  // The energy of vertex i under a rotation.
  double energy(const ArapStencil& shape, std::span<const Vec3> positions, std::size_t i,
                const Mat3& rotation) const noexcept;
};

// Fills a system whose kind, to_welded, constrained and is_fixed are set; `mesh` is welded.
// springs: pairs of different welded vertices.
Result<void> build_arap_system(MeshView mesh, std::span<const std::array<std::uint32_t, 2>> springs,
                               double spring_weight, ArapSystem& system);

}  // namespace sinew
