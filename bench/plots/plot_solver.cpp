// SPDX-License-Identifier: Apache-2.0
// Draws the figures of docs/algorithms/multigrid.md: how the bounded solver settles, and what a vertex costs.
// usage: plot_solver FOLDER [LARGEST]  (cells a side of the largest ball, default 128)
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "sinew/characters/characters.h"
#include "sinew/render/plot.h"
#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/harmonic_volume.h"

using namespace sinew;

namespace {

Result<void> write_png(const std::filesystem::path& file, const Image& image) {
  SINEW_TRY(const std::string bytes, encode_png(image));
  std::ofstream(file, std::ios::binary) << bytes;
  return {};
}

Result<LineSeries> settle(const std::string& kind, bool points) {
  SINEW_TRY(const Rig rig, make_character(kind));
  const TriangleView triangles = triangulate(rig.mesh);
  VoxelizeOptions options;
  options.target_cells = options.max_cells = 40'000;
  SINEW_TRY(const VoxelBody body, voxelize({rig.mesh.positions, triangles.triangles}, options));
  std::vector<Handle> handles;
  for (const Bone& bone : bones_of(rig.skeleton, bind_transforms(rig)))
    handles.push_back({bone.head, points ? bone.head : bone.tail});
  SINEW_TRY(const GridBbw bbw,
            grid_bbw(body.grid, map_handles(body.grid, handles), {.tolerance = 1e-7, .max_iterations = 100}));
  LineSeries series{fmt::format("{}, {} {}", kind, handles.size(), points ? "joints" : "bones"), {}, {}};
  for (std::size_t k = 0; k < bbw.history.size(); ++k) {
    series.x.push_back(static_cast<double>(k));
    series.y.push_back(bbw.history[k]);
  }
  return series;
}

VoxelGrid make_ball(int n) {
  std::vector<std::uint32_t> offsets(1, 0);
  std::vector<LatticeSet::Interval> intervals;
  const double radius = n / 2.0;
  for (int row = 0; row < n * n; ++row) {
    const double a = row % n + 0.5 - radius, b = row / n + 0.5 - radius,
                 left = radius * radius - a * a - b * b;
    const int half = left > 0 ? static_cast<int>(std::sqrt(left)) : 0;
    if (half > 0) intervals.push_back({n / 2 - half, n / 2 + half});
    offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
  }
  return VoxelGrid(Vec3::Zero(), 1.0 / n, LatticeSet(Vec3i::Constant(n), offsets, intervals));
}

// CPU time of all threads: what else the machine does matters little to it.
template <class Solve>
LineSeries cost(const std::string& name, int largest, Solve&& solve) {
  const std::vector<Handle> bones{{Vec3(0.1, 0.5, 0.5), Vec3(0.4, 0.5, 0.5)},
                                  {Vec3(0.6, 0.5, 0.5), Vec3(0.9, 0.5, 0.5)},
                                  {Vec3(0.5, 0.1, 0.5), Vec3(0.5, 0.4, 0.5)},
                                  {Vec3(0.5, 0.6, 0.55), Vec3(0.5, 0.9, 0.7)}};
  LineSeries series{name, {}, {}};
  for (int n = 32; n <= largest; n *= 2) {
    const VoxelGrid grid = make_ball(n);
    const HandleMap handles = map_handles(grid, bones);
    double best = 1e300;
    for (int run = 0; run < (n > 128 ? 1 : 3); ++run) {
      const std::clock_t start = std::clock();
      if (!solve(grid, handles)) std::exit(1);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    series.x.push_back(static_cast<double>(grid.vertex_count()));
    series.y.push_back(best);
    fmt::print("{} {}^3: {:.2f} s, {:.3f} us a vertex and handle\n", name, n, best,
               best / static_cast<double>(grid.vertex_count() * bones.size()) * 1e6);
  }
  return series;
}

Result<void> draw(const std::filesystem::path& folder, int largest) {
  LinePlot settling{"Bounded biharmonic weights, 40 k cells",
                    {"iterations on the finest grid", false, {}, {}},
                    {"(energy - least) / energy, estimated", true, {}, {}},
                    {}};
  for (const auto& [kind, points] :
       {std::pair("biped", false), {"biped", true}, {"snake", false}, {"snake", true}, {"hand", true}}) {
    SINEW_TRY(LineSeries series, settle(kind, points));
    settling.series.push_back(std::move(series));
  }
  SINEW_TRY(const Image convergence, plot_lines(settling));
  SINEW_CHECK(write_png(folder / "solver_convergence.png", convergence));

  LinePlot costs{"A ball in boxes of 32 to " + std::to_string(largest) + " cells a side, four bones",
                 {"grid vertices", true, {}, {}},
                 {"CPU seconds, build and solution", true, {}, {}},
                 {}};
  costs.series.push_back(cost("harmonic", largest, [](const VoxelGrid& grid, const HandleMap& handles) {
    return grid_harmonic(grid, handles).ok();
  }));
  costs.series.push_back(
      cost("bounded biharmonic", largest,
           [](const VoxelGrid& grid, const HandleMap& handles) { return grid_bbw(grid, handles).ok(); }));
  LineSeries linear{"linear", {}, {}};
  for (const double n : costs.series[0].x) {
    linear.x.push_back(n);
    linear.y.push_back(n * 1e-6);
  }
  costs.series.push_back(std::move(linear));
  SINEW_TRY(const Image curve, plot_lines(costs));
  return write_png(folder / "solver_cost.png", curve);
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) return fmt::print(stderr, "usage: plot_solver FOLDER [LARGEST]\n"), 2;
  const auto drawn = draw(words[1], count > 2 ? std::atoi(words[2]) : 128);
  if (!drawn.ok()) fmt::print(stderr, "plot_solver: {}\n", drawn.error().message);
  return drawn.ok() ? 0 : 1;
}
