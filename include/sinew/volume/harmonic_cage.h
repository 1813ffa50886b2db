// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/mesh/control_rows.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Options of HarmonicCage::bind().
struct CageSolveOptions {
  double tolerance = 1e-6;  ///< of the residual, relative to a node's own value
  double threshold = 1e-6;  ///< coordinates below are dropped, and the rest mended
  int max_cycles = 30;
  const Progress* progress = nullptr;
};

/// What a solve and its lookups found.
struct CageFigures {
  double smallest = 0;            ///< coordinate before any was dropped: the solver's own error
  double max_row_error = 0;       ///< |sum - 1| of a stored row
  double reproduction_error = 0;  ///< |p - sum h C| of a point inside, over the diagonal of the cage
  double dropped = 0;             ///< largest sum of dropped coordinates of a row
  std::size_t outside = 0;        ///< points that are not inside: projected
  int cycles = 0;                 ///< of the slowest block
  double residual = 0;
  std::size_t memory_bytes = 0;  ///< of the largest block
};

/// The result of bind().
struct CageBinding {
  ControlRows rows;          ///< per point; each sums to 1
  std::vector<float> masks;  ///< per point: 1 inside; outside it fades to 0 with the distance to the cage
  CageFigures figures;
};

/// Harmonic coordinates of a cage [joshi2007]: h_j(p) is harmonic inside, and on the cage 1 at control
/// point j, 0 at the others and linear on triangles. Solved on a grid whose edges are cut where they meet the
/// cage; positions are reproduced at every resolution, since both the scheme and the lookup are exact for
/// linear functions. Polygons are cut into triangles. Every closed piece of the cage is a cage of its own with
/// a grid of its own; where several overlap, each counts with the square of the distance to its surface, so
/// that it fades where it ends.
class HarmonicCage {
 public:
  /// 2^resolution cells along the longest side of each piece. kUsage: a resolution outside 1 ... 10.
  /// kBadInput: no faces, an open cage, coordinates that are not finite, a piece that encloses nothing.
  /// `nodes`: how many the grid must have, where that is known; kBadInput before any grid is cut where it
  /// must come out larger by far.
  static Result<HarmonicCage> build(const PolyMesh& cage, int resolution,
                                    std::optional<std::size_t> nodes = std::nullopt);

  std::size_t control_count() const;
  std::size_t cells() const;  ///< 2^resolution a side, of all pieces
  std::size_t nodes() const;  ///< grid nodes inside, of all pieces
  std::size_t pieces() const;
  /// Control points that no grid edge feels, since the cage is thinner than a cell there.
  const std::vector<std::uint32_t>& idle_controls() const;

  /// Solves and looks up, block by block of control points: memory is linear in the nodes, whatever the
  /// number of control points. `reach`: how far outside the cage points still follow, in diagonals of it.
  Result<CageBinding> bind(std::span<const Vec3> points, double reach, const CageSolveOptions& options) const;

  /// The coordinates of all grid nodes, to be kept for other meshes and for lookups at run time.
  struct Volume {
    ControlRows rows;  ///< per node, piece by piece
    CageFigures figures;
  };
  Result<Volume> solve(const CageSolveOptions& options) const;
  /// `volume` has nodes() rows.
  CageBinding bind(std::span<const Vec3> points, double reach, const ControlRows& volume,
                   double threshold = 0) const;

  /// mask * sum_j h_j(point) * offsets_j at any point, inside or outside: what a moved cage adds to it. Where
  /// `mask` is given it gets the mask, and the sum comes back without it.
  /// Never allocates.
  Vec3 displacement(const Vec3& point, double reach, const ControlRows& volume, std::span<const Vec3> offsets,
                    double* mask = nullptr) const noexcept;

 private:
  struct Body;
  explicit HarmonicCage(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
  std::shared_ptr<const Body> body_;
};

}  // namespace sinew
