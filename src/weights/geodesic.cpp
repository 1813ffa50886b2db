// SPDX-License-Identifier: Apache-2.0
// Geodesic voxel weights [dionne2013].
#include "sinew/weights/geodesic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/volume/geodesic.h"
#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "weights/visibility.h"

namespace sinew {
namespace {

// A way this much longer than the straight line may be the straight line, drawn in steps; above `kDetour` it
// certainly is not.
constexpr double kStraight = 1.1, kDetour = 1.3;

constexpr double kMostWork = 3e6;  // cells times bones, where nobody asked for a size: some 2 s on one core

// The cells around each vertex and how far it is to their centres.
struct Around {
  std::array<std::uint32_t, 27> cells;
  std::array<float, 27> distances;
  int count = 0;
};

Around cells_around(const VoxelGrid& grid, const Vec3& p) {
  Around around;
  const Vec3i at = grid.cells()[grid.nearest_cell(p)];
  for (int k = 0; k < 27; ++k) {
    const Vec3i cell = at + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
    const std::uint32_t found = grid.cells().find(cell);
    if (found == kNoIndex) continue;
    const auto slot = static_cast<std::size_t>(around.count++);
    around.cells[slot] = found;
    around.distances[slot] = static_cast<float>((grid.cell_centre(cell) - p).norm());
  }
  return around;
}

std::vector<GeodesicSeed> seeds_of(const VoxelGrid& grid, const Bone& bone,
                                   std::span<const std::uint32_t> cells) {
  std::vector<GeodesicSeed> seeds;
  for (const std::uint32_t cell : cells) {
    const Vec3 centre = grid.cell_centre(cell);
    seeds.push_back({cell, distance_to_bone(bone, centre)});
  }
  return seeds;
}

// Steps make ways longer than they are: where the straight line explains them, it is taken.
double straighten(double way, double line) {
  if (!(way < std::numeric_limits<double>::infinity()) || line <= 0) return way;
  const double t = std::clamp((way / line - kStraight) / (kDetour - kStraight), 0.0, 1.0);
  return line + t * (way - line);
}

// w ~ d^-power, small shares dropped. Rows whose distances are all infinite stay 0.
void to_weights(const GeodesicOptions& options, Eigen::MatrixXd::RowXpr row) {
  const double nearest = row.minCoeff();
  if (!(nearest < std::numeric_limits<double>::infinity())) {
    row.setZero();
    return;
  }
  for (double& d : row)
    d = d == nearest ? 1
        : nearest == 0 || !(d < std::numeric_limits<double>::infinity())
            ? 0
            : std::pow(nearest / d, options.power);
  row /= row.sum();
  for (double& w : row)
    if (w < options.negligible) w = 0;
}

float way_to(const Around& around, std::span<const float> distances) {
  float way = std::numeric_limits<float>::infinity();
  for (std::size_t k = 0; k < static_cast<std::size_t>(around.count); ++k)
    way = std::min(way, distances[around.cells[k]] + around.distances[k]);
  return way;
}

// How far a bone may be from a vertex and still keep a share of it: one that is r times as far as the nearest
// gets at most r^-power, and straightening takes at most the factor kDetour off a way. Bones need not march
// further than that, which saves most of a body with many bones. What lies beyond is missing from the sums
// that shares are taken of: that can lift a share over the limit, by less than a thousandth.
double farthest_that_counts(const GeodesicSolver& solver, const BindInput& input, const VoxelGrid& grid,
                            const HandleMap& handles, std::span<const Around> around,
                            const GeodesicOptions& options) {
  const double all = std::numeric_limits<double>::infinity();
  if (!(options.negligible > 0) || !(options.power > 0)) return all;
  std::vector<GeodesicSeed> seeds;
  for (std::size_t j = 0; j < input.bones.size(); ++j)
    for (const GeodesicSeed& seed : seeds_of(grid, input.bones[j], handles.cells[j])) seeds.push_back(seed);
  std::vector<float> distances(grid.cell_count());
  solver.solve(seeds, distances);
  float nearest = 0;
  for (const Around& cells : around)
    if (const float way = way_to(cells, distances); std::isfinite(way)) nearest = std::max(nearest, way);
  // Fronts of several bones that meet may arrive up to a cell too early.
  const double farthest = static_cast<double>(nearest) + grid.cell_size();
  return 1.01 * kDetour * std::pow(options.negligible, -1 / options.power) * farthest + 2 * grid.cell_size();
}

}  // namespace

Result<GeodesicWeights> geodesic_weights(const BindInput& input, const GeodesicOptions& options) {
  VoxelizeOptions voxels;
  voxels.resolution = options.voxels;
  voxels.bones = input.bones;
  voxels.progress = options.progress;
  SINEW_TRY(VoxelBody body, voxelize(input.surface, voxels));
  // A size chosen for the bones of a template in a block can mean millions of cells, and minutes.
  if (const double work =
          static_cast<double>(body.grid.cell_count()) * static_cast<double>(input.bones.size());
      options.voxels == 0 && work > kMostWork) {
    voxels.cell_size = body.grid.cell_size() * std::cbrt(work / kMostWork);
    SINEW_TRY(body, voxelize(input.surface, voxels));
  }
  const HandleMap handles = map_handles(body.grid, handles_of(input.bones));

  GeodesicWeights result;
  result.voxels = body.grid.cell_count();
  result.bones_outside = handles.outside;
  const auto positions = input.surface.positions;
  std::vector<Around> around(positions.size());
  parallel_for(positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) around[i] = cells_around(body.grid, positions[i]);
  });
  Eigen::MatrixXd& values = result.weights.values;
  values.resize(static_cast<Eigen::Index>(positions.size()), static_cast<Eigen::Index>(input.bones.size()));
  const GeodesicSolver solver(body.grid);
  const double limit = farthest_that_counts(solver, input, body.grid, handles, around, options);
  parallel_for(input.bones.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end && !is_cancelled(options.progress); ++j) {
      std::vector<float> distances(body.grid.cell_count());
      solver.solve(seeds_of(body.grid, input.bones[j], handles.cells[j]), distances, limit);
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const float way = way_to(around[i], distances);
        const double line = distance_to_bone(input.bones[j], positions[i]);
        values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = straighten(way, line);
      }
    }
  });
  if (is_cancelled(options.progress)) return cancelled();
  parallel_for(positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to_weights(options, values.row(static_cast<Eigen::Index>(i)));
  });
  normalise_rows(result.weights);
  return result;
}

}  // namespace sinew
