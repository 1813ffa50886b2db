// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/voxel_cage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "sinew/mesh/bvh.h"
#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/volume/voxelize.h"

namespace sinew {
namespace {

// A box of cells, with a margin of two on every side.
struct Cells {
  Vec3i dims;
  std::vector<std::uint8_t> full;

  std::size_t at(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(dims.x()) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(dims.y()) * static_cast<std::size_t>(z));
  }
  bool operator()(int x, int y, int z) const {
    if (x < 0 || y < 0 || z < 0 || x >= dims.x() || y >= dims.y() || z >= dims.z()) return false;
    return full[at(x, y, z)] != 0;
  }
};

// The cells of the body, and `more` around each.
Cells widened(const VoxelGrid& grid, int more) {
  Cells cells{grid.cells().dims() + Vec3i::Constant(4), {}};
  cells.full.assign(static_cast<std::size_t>(cells.dims.x()) * static_cast<std::size_t>(cells.dims.y()) *
                        static_cast<std::size_t>(cells.dims.z()),
                    0);
  for (const LatticeSet::Run& run : grid.cells().runs()) {
    Vec3i c = grid.cells().run_start(run);
    for (; c.x() < run.end; ++c.x())
      for (int z = -more; z <= more; ++z)
        for (int y = -more; y <= more; ++y)
          for (int x = -more; x <= more; ++x)
            cells.full[cells.at(c.x() + x + 2, c.y() + y + 2, c.z() + z + 2)] = 1;
  }
  return cells;
}

// Two cells that share an edge or a corner alone would pinch the surface: the cells between them are filled
// until none do.
void fill_pinches(Cells& cells) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int z = 0; z + 1 < cells.dims.z(); ++z)
      for (int y = 0; y + 1 < cells.dims.y(); ++y)
        for (int x = 0; x + 1 < cells.dims.x(); ++x) {
          // The eight cells around a grid vertex must be one piece, and so must those that are empty.
          int full = 0;
          std::array<bool, 8> on;
          for (int k = 0; k < 8; ++k) {
            on[static_cast<std::size_t>(k)] = cells(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2));
            full += on[static_cast<std::size_t>(k)];
          }
          if (full == 0 || full == 8) continue;
          const auto pieces = [&](bool value) {
            std::array<bool, 8> seen{};
            int count = 0;
            for (int seed = 0; seed < 8; ++seed) {
              if (seen[static_cast<std::size_t>(seed)] || on[static_cast<std::size_t>(seed)] != value)
                continue;
              ++count;
              std::vector<int> queue{seed};
              seen[static_cast<std::size_t>(seed)] = true;
              while (!queue.empty()) {
                const int k = queue.back();
                queue.pop_back();
                for (const int bit : {1, 2, 4}) {
                  const auto other = static_cast<std::size_t>(k ^ bit);
                  if (seen[other] || on[other] != value) continue;
                  seen[other] = true;
                  queue.push_back(k ^ bit);
                }
              }
            }
            return count;
          };
          if (pieces(true) == 1 && pieces(false) == 1) continue;
          for (int k = 0; k < 8; ++k) {
            std::uint8_t& cell = cells.full[cells.at(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))];
            changed |= cell == 0;
            cell = 1;
          }
        }
  }
}

// The sides between full and empty cells, as quads that face outwards.
PolyMesh sides(const Cells& cells, const VoxelGrid& grid) {
  PolyMesh mesh;
  const Vec3i nodes = cells.dims + Vec3i::Ones();
  std::vector<std::uint32_t> index(static_cast<std::size_t>(nodes.x()) * static_cast<std::size_t>(nodes.y()) *
                                       static_cast<std::size_t>(nodes.z()),
                                   0xffffffffu);
  const auto vertex = [&](const Vec3i& v) {
    std::uint32_t& slot = index[static_cast<std::size_t>(v.x()) +
                                static_cast<std::size_t>(nodes.x()) *
                                    (static_cast<std::size_t>(v.y()) +
                                     static_cast<std::size_t>(nodes.y()) * static_cast<std::size_t>(v.z()))];
    if (slot == 0xffffffffu) {
      slot = static_cast<std::uint32_t>(mesh.positions.size());
      mesh.positions.push_back(grid.origin() + grid.cell_size() * (v - Vec3i::Constant(2)).cast<double>());
    }
    return slot;
  };
  for (int z = 0; z < cells.dims.z(); ++z)
    for (int y = 0; y < cells.dims.y(); ++y)
      for (int x = 0; x < cells.dims.x(); ++x) {
        if (!cells(x, y, z)) continue;
        for (int side = 0; side < 6; ++side) {
          const int axis = side / 2, b = (axis + 1) % 3, c = (axis + 2) % 3;
          Vec3i out = Vec3i::Zero();
          out[axis] = side & 1 ? 1 : -1;
          if (cells(x + out.x(), y + out.y(), z + out.z())) continue;
          Vec3i base(x, y, z);
          base[axis] += side & 1;
          Vec3i along = base, across = base, both = base;
          along[b] += 1, across[c] += 1, both[b] += 1, both[c] += 1;
          if (side & 1)
            mesh.add_face({vertex(base), vertex(along), vertex(both), vertex(across)});
          else
            mesh.add_face({vertex(base), vertex(across), vertex(both), vertex(along)});
        }
      }
  return mesh;
}

// Every vertex along the normals of its faces.
void blow_up(PolyMesh& cage, double distance) {
  const TriangleView view = triangulate(cage);
  const std::vector<Vec3> normals = vertex_normals({cage.positions, view.triangles});
  for (std::size_t v = 0; v < cage.vertex_count(); ++v) cage.positions[v] += distance * normals[v];
}

// Vertices go towards the mean of their neighbours, but stay this far from the mesh.
void smooth(PolyMesh& cage, const Bvh& tree, double distance, int rounds) {
  const IndexLists around =
      vertex_neighbours(cage.vertex_count(), edge_table(cage.vertex_count(), FaceList(cage)));
  std::vector<Vec3> next(cage.vertex_count());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < cage.vertex_count(); ++v) {
      Vec3 mean = Vec3::Zero();
      for (const std::uint32_t other : around[v]) mean += cage.positions[other];
      mean /= static_cast<double>(around[v].size());
      const Vec3 here = cage.positions[v];
      next[v] = here;
      for (double step = 0.5; step > 0.05; step /= 2) {
        const Vec3 there = here + step * (mean - here);
        if (tree.nearest(there, distance).found()) continue;
        next[v] = there;
        break;
      }
    }
    cage.positions = next;
  }
}

bool contains(const PolyMesh& cage, std::span<const Vec3> points) {
  const TriangleView view = triangulate(cage);
  const WindingNumber winding({cage.positions, view.triangles});
  return std::all_of(points.begin(), points.end(),
                     [&](const Vec3& p) { return !p.allFinite() || winding(p) > 0.5; });
}

struct Sized {
  PolyMesh mesh;
  double cell = 0;
};

// The finest body with no more control points than asked for; the coarsest one always counts.
Result<Sized> finest_cage(MeshView mesh, const VoxelCageOptions& options, int more) {
  Sized best;
  for (int resolution = 1; resolution <= 64; ++resolution) {
    VoxelizeOptions voxels;
    voxels.resolution = resolution;
    voxels.progress = options.progress;
    SINEW_TRY(const VoxelBody body, voxelize(mesh, voxels));
    Cells cells = widened(body.grid, more);
    fill_pinches(cells);
    PolyMesh cage = sides(cells, body.grid);
    if (static_cast<int>(cage.vertex_count()) > options.controls && resolution > 1) break;
    best = {std::move(cage), body.grid.cell_size()};
  }
  return best;
}

}  // namespace

Result<PolyMesh> voxel_cage(MeshView mesh, const VoxelCageOptions& options) {
  if (options.controls < 8 || options.controls > 100'000)
    return usage_error("a cage needs 8 control points or more, and 100000 are enough");
  const Bvh tree(mesh);
  const WeldedTriangles welded = weld_triangles(mesh);
  std::vector<Vec3> points;  // corners of triangles with an extent: the others have no place in the body
  for (const Triangle& t : welded.triangles)
    for (const std::uint32_t corner : t) points.push_back(welded.weld.positions[corner]);
  // Tight around the body, so that limbs stay apart; one cell wider where that does not hold all of the mesh.
  Sized cage;
  for (const int more : {0, 1}) {
    SINEW_TRY(cage, finest_cage(mesh, options, more));
    if (more == 0) blow_up(cage.mesh, 0.3 * cage.cell);
    // Faces of a smoothed cage may cut a corner of the mesh: then it is smoothed less.
    for (int rounds = 6; rounds >= 0; --rounds) {
      PolyMesh tried = cage.mesh;
      smooth(tried, tree, (more == 0 ? 0.25 : 0.45) * cage.cell, rounds);
      if (contains(tried, points)) return tried;
    }
  }
  return std::move(cage.mesh);
}

}  // namespace sinew
