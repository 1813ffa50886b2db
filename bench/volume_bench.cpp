// SPDX-License-Identifier: Apache-2.0
// The solid voxel grid: one character as users have them, and a ball that fills half of ever finer boxes.
#include <fmt/format.h>

#include <fstream>

#include "registry.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/harmonic_volume.h"

namespace sinew {
namespace {

// The most memory that the process ever held, in GiB; 0 where the system does not tell.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / (1 << 20);
  return 0;
}

// 27 k vertices (the next finer biped has four times as many), 16 joints as points, about 40 k grid vertices.
struct Character {
  Rig rig;
  TriangleView triangles;
  std::vector<Handle> joints;
};

Character make_biped() {
  Character character;
  if (auto made = make_character("biped", {.resolution = 43'000})) character.rig = *std::move(made);
  character.triangles = triangulate(character.rig.mesh);
  const auto bones = bones_of(character.rig.skeleton, bind_transforms(character.rig));
  // Every third: spread over the body, as the joints of a plainer skeleton are.
  for (std::size_t j = 0; j < bones.size() && character.joints.size() < 16; j += 3)
    character.joints.push_back({bones[j].head, bones[j].head});
  return character;
}

Result<VoxelBody> voxelize_character(const Character& character) {
  VoxelizeOptions options;
  options.target_cells = options.max_cells = 33'000;
  return voxelize({character.rig.mesh.positions, character.triangles.triangles}, options);
}

BenchResult bench_voxelize() {
  const Character character = make_biped();
  std::size_t cells = 0;
  const double seconds = best_seconds([&] {
    if (const auto body = voxelize_character(character)) cells = body->grid.cell_count();
  });
  return {"", fmt::format("{} vertices, {} cells, 1 thread", character.rig.mesh.vertex_count(), cells),
          seconds * 1e3, "ms"};
}

BenchResult bench_bbw() {
  const Character character = make_biped();
  const auto body = voxelize_character(character);
  if (!body) return {"", body.error().message, 0, ""};
  const HandleMap handles = map_handles(body->grid, character.joints);
  set_thread_count(0);
  double best = 1e300;
  int iterations = 0;
  for (int k = 0; k < 3; ++k) {
    const auto start = Clock::now();
    if (const auto bbw = grid_bbw(body->grid, handles)) iterations = bbw->iterations;
    best = std::min(best, seconds_since(start));
  }
  const int threads = thread_count();
  return {"",
          fmt::format("{} grid vertices, {} joints, {} iterations, {} threads", body->grid.vertex_count(),
                      character.joints.size(), iterations, threads),
          best, "s"};
}

// The ball in a box of n^3 cells.
VoxelGrid make_ball(int n) {
  std::vector<std::uint32_t> offsets(1, 0);
  std::vector<LatticeSet::Interval> intervals;
  const double radius = n / 2.0;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y) {
      const double a = y + 0.5 - radius, b = z + 0.5 - radius, left = radius * radius - a * a - b * b;
      const int half = left > 0 ? static_cast<int>(std::sqrt(left)) : 0;
      if (half > 0) intervals.push_back({n / 2 - half, n / 2 + half});
      offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
    }
  return VoxelGrid(Vec3::Zero(), 1.0 / n, LatticeSet(Vec3i::Constant(n), offsets, intervals));
}

// Seconds for a grid vertex and handle, build and solution; a block of four bones, as a caller with little
// memory would take them.
BenchResult bench_ball(int n, bool bounded) {
  const VoxelGrid grid = make_ball(n);
  const std::vector<Handle> bones{{Vec3(0.1, 0.5, 0.5), Vec3(0.4, 0.5, 0.5)},
                                  {Vec3(0.6, 0.5, 0.5), Vec3(0.9, 0.5, 0.5)},
                                  {Vec3(0.5, 0.1, 0.5), Vec3(0.5, 0.4, 0.5)},
                                  {Vec3(0.5, 0.6, 0.55), Vec3(0.5, 0.9, 0.7)}};
  const HandleMap handles = map_handles(grid, bones);
  set_thread_count(0);
  const auto start = Clock::now();
  int iterations = 0;
  if (bounded) {
    if (const auto solved = grid_bbw(grid, handles)) iterations = solved->iterations;
  } else {
    if (const auto solved = grid_harmonic(grid, handles)) iterations = solved->iterations;
  }
  const double seconds = seconds_since(start);
  return {"",
          fmt::format("{:.2f} M vertices, {} handles, {} iterations, {:.2f} s, peak {:.2f} GiB",
                      static_cast<double>(grid.vertex_count()) / 1e6, bones.size(), iterations, seconds,
                      peak_memory()),
          seconds / static_cast<double>(grid.vertex_count() * bones.size()) * 1e6, "us/vertex/handle"};
}

}  // namespace

void add_volume_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"volume/voxelize", bench_voxelize});
  cases.push_back({"volume/bbw", bench_bbw});
  for (const int n : {32, 64, 128, 256}) {
    cases.push_back({fmt::format("scaling/harmonic/{:03}", n), [n] { return bench_ball(n, false); }});
    cases.push_back({fmt::format("scaling/bbw/{:03}", n), [n] { return bench_ball(n, true); }});
  }
}

}  // namespace sinew
