// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/solve/sparse_cholesky.h"

namespace sinew {

/// Which edges a vertex holds together. kSpokesAndRims: all edges of the triangles around it, which never
/// gives a negative energy [chao2010]. kSpokes: its own edges alone [sorkine2007], with cotangents
/// below 0 taken as 0, since with them rest is no minimum.
enum class ArapEnergy { kSpokesAndRims, kSpokes };

/// Options of ArapSolver::build().
struct ArapOptions {
  ArapEnergy energy = ArapEnergy::kSpokesAndRims;
  /// Springs: edges that no face has, as vertex pairs, and what each weighs, where a cotangent is about 1.
  std::vector<std::array<std::uint32_t, 2>> edges = {};
  double edge_weight = 1;
  std::vector<std::uint32_t> copies = {};  ///< of rig/copies.h; vertices of different ones are not welded
};

struct ArapSystem;  ///< what a solver keeps: neighbours, weights, the factor

/// Edges of a rest shape as a step needs them; filled by an ArapSolver.
struct ArapStencil {
  std::vector<Vec3> rest, own;  ///< per welded vertex
  std::vector<Vec3> pulls;      ///< per neighbour of each
  std::vector<Vec3f> spreads;
};

/// A shape on its way to the least energy: what lasts from one step to the next. One for each drag.
struct ArapState {
  std::vector<Vec3> positions;  ///< per welded vertex
  std::vector<Mat3> rotations;  ///< the same, of the last step
  std::vector<SparseCholesky::Row4> rows;
  ArapStencil stencil;  ///< of another rest shape than the solver's
  bool own_rest = false;
};

/// As rigid as possible [sorkine2007, chao2010]: the shape whose vertices keep their surroundings as rigid as
/// they can while some vertices are held at given places [sorkine2007]. E = sum over vertices i and their
/// edges e of w_e |e' - R_i e|^2, w_e half the cotangent opposite e, R_i the best rotation. A step fits all
/// R_i and solves one linear system, whose factor is made once; the energy never rises. Runs on vertices
/// welded by position; any triangles will do. A part of the mesh that holds no constrained vertex rides as a
/// rigid piece on the vertex nearest to it of the parts that do. The same bits for any thread count.
class ArapSolver {
 public:
  /// constrained: any vertices of the mesh, also some twice; of those at one place the last counts. kUsage:
  /// none, or out of range; an edge of the options likewise, or a weight below 0. kImpossible: the system
  /// cannot be factored.
  static Result<ArapSolver> build(MeshView mesh, std::span<const std::uint32_t> constrained,
                                  const ArapOptions& options = {});

  std::size_t vertex_count() const;
  std::size_t constraint_count() const;
  std::size_t riders() const;  ///< vertices (welded) of parts without a constrained one

  /// At rest.
  ArapState make_state() const;

  /// None of the following allocates. `targets` are the places of the constrained vertices, in their order;
  /// `positions` has one element for each vertex of the mesh.

  /// Another rest shape of the same vertices, for keys and poses: edges come from it, cotangents stay.
  void set_rest(std::span<const Vec3> positions, ArapState& state) const noexcept;
  /// Begins from the rest shape, moved by the best rigid motion of the constrained vertices.
  void start(std::span<const Vec3> targets, ArapState& state) const noexcept;
  /// Begins from any shape.
  void start_from(std::span<const Vec3> positions, ArapState& state) const noexcept;
  /// One step, from wherever the state is; the targets may have moved since the last one.
  void step(std::span<const Vec3> targets, ArapState& state) const noexcept;
  void read(const ArapState& state, std::span<Vec3> positions) const noexcept;
  /// How the last step turned the surroundings of a vertex of the mesh.
  const Mat3& rotation(const ArapState& state, std::size_t vertex) const noexcept;

  /// The least energy over all rotations; a closed form of the positions alone.
  double energy(const ArapState& state) const;

 private:
  explicit ArapSolver(std::shared_ptr<const ArapSystem> system) : system_(std::move(system)) {}
  std::shared_ptr<const ArapSystem> system_;
};

}  // namespace sinew
