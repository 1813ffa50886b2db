// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "sinew/volume/harmonic_cage.h"
#include "volume/cut_lookup.h"

namespace sinew {

// A closed piece of a cage, its grid, and what finds points in it.
struct CagePiece {
  std::vector<Vec3> positions;  // welded; kept in place: views and trees refer to them
  std::vector<Triangle> triangles;
  std::vector<std::array<std::uint32_t, 3>> controls;  // per triangle: places in `used`
  std::vector<std::uint32_t> used;                     // control points of the cage
  bool oriented = true;
  double diagonal = 0;
  Bvh tree;
  WindingNumber winding;
  CutGrid grid;
  std::optional<CutLookup> lookup;
  std::size_t first_node = 0;

  MeshView surface() const { return {positions, triangles}; }
};

struct HarmonicCage::Body {
  std::size_t controls = 0;
  std::vector<Vec3> rest;  // of the control points
  std::vector<std::unique_ptr<CagePiece>> pieces;
  std::vector<std::uint32_t> idle;
  std::size_t nodes = 0, cells = 0;
};

// The closed pieces of a cage with their surfaces; grids are not made yet.
Result<std::vector<std::unique_ptr<CagePiece>>> cage_pieces(const PolyMesh& cage);

// Where a point is in a cage: at most four overlapping pieces count.
struct CagePlace {
  struct Part {
    const CagePiece* piece;
    double share;  // sum to 1
    CutStencil stencil;
  };
  std::array<Part, 4> parts;
  int count = 0;
  float mask = 1;  // below 1: outside
  bool inside = false;
};
void find_in_cage(std::span<const std::unique_ptr<CagePiece>> pieces, const Vec3& point, double reach,
                  CagePlace& out) noexcept;

// A row on its way: entries above 0 of a point, dropped, mended and counted by finish().
struct RowEntry {
  std::uint32_t control;
  double weight;
};
// Drops what is below the threshold, then changes what is left as little as possible so that the weights sum
// to 1 and, where `point` is given, reproduce it. Adds to the figures.
void finish_row(std::vector<RowEntry>& row, std::span<const Vec3> rest, const Vec3* point, double diagonal,
                double threshold, CageFigures& figures);

// Rows one after the other, with their figures.
ControlRows finish_rows(std::vector<std::vector<RowEntry>>& rows, std::span<const Vec3> rest,
                        std::span<const Vec3> points, std::span<const std::uint8_t> exact, double diagonal,
                        double threshold, CageFigures& figures);

}  // namespace sinew
