// SPDX-License-Identifier: Apache-2.0
// A frame of differential skinning, with and without keys, and what building it costs.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "registry.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/differential.h"

namespace sinew {
namespace {

struct BenchSurface {
  Rig rig;
  std::vector<Affine3> globals, matrices;
  std::vector<Vec3f> positions;
  std::vector<double> weights;

  FrameInput input() const { return {positions, {}, globals, matrices, {}, weights}; }
};

// A snake of about so many vertices, its first clip half way, and four keys over all of it.
Result<BenchSurface> scene_of(int vertices) {
  BenchSurface scene;
  SINEW_TRY(scene.rig, make_character("snake", {.resolution = vertices}));
  Rig& rig = scene.rig;
  for (int k = 0; k < 4; ++k) {
    ShapeKey key;
    key.name = fmt::format("key{}", k);
    for (const Vec3& p : rig.mesh.positions) {
      const Eigen::AngleAxisd turn(0.3 * p.y(), Vec3::Unit(k % 3));
      key.deltas.push_back((turn * p - p).cast<float>());
    }
    rig.keys.push_back(std::move(key));
    scene.weights.push_back(0.25 * (k + 1));
  }
  Pose pose = rest_pose(rig.skeleton);
  if (!rig.clips.empty()) sample_clip(rig.clips[0], rig.skeleton, 0.5 * rig.clips[0].duration(), pose);
  scene.globals = global_transforms(rig.skeleton, pose.local);
  scene.matrices.resize(scene.globals.size());
  skinning_matrices(rig, scene.globals, scene.matrices);
  for (const Vec3& p : rig.mesh.positions) scene.positions.push_back(p.cast<float>());
  return scene;
}

BenchResult bench_frame(int vertices, int threads, bool keys) {
  const auto scene = scene_of(vertices);
  if (!scene) return {"", scene.error().message, 0, ""};
  const auto deformer = build_differential(scene->rig, {.keys = keys});
  if (!deformer) return {"", deformer.error().message, 0, ""};
  const auto workspace = (*deformer)->make_workspace();
  std::vector<Vec3f> out(scene->positions.size());
  set_thread_count(threads);
  // A frame is longer than a turn of the scheduler: beside other work only CPU time tells what it costs.
  double of_cpu = 1e300;
  const double seconds = best_seconds(
      [&] {
        const std::clock_t before = std::clock();
        (*deformer)->deform(scene->input(), *workspace, out, {});
        of_cpu = std::min(of_cpu, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
      },
      1.0);
  return {"",
          fmt::format("{} vertices, {}{} threads, {:.2f} ms of CPU time", out.size(), keys ? "4 keys, " : "",
                      threads, 1e3 * of_cpu),
          1 / seconds, "frames/s"};
}

BenchResult bench_build(int vertices) {
  const auto scene = scene_of(vertices);
  if (!scene) return {"", scene.error().message, 0, ""};
  std::size_t entries = 0;
  const double seconds = best_seconds(
      [&] {
        const auto surface = PoissonSurface::build(scene->rig.mesh);
        entries = surface ? surface->factor_entries() : 0;
      },
      0.5);
  return {"", fmt::format("{} vertices, {} numbers in the factor", scene->positions.size(), entries),
          1e3 * seconds, "ms"};
}

}  // namespace

void add_differential_benches(std::vector<BenchCase>& cases) {
  for (const int vertices : {10'000, 43'000}) {
    for (const int threads : {1, 2})
      for (const bool keys : {false, true})
        cases.push_back(
            {fmt::format("differential/{} k, {} threads{}", vertices / 1000, threads, keys ? ", keys" : ""),
             [=] { return bench_frame(vertices, threads, keys); }});
    cases.push_back(
        {fmt::format("differential/build {} k", vertices / 1000), [=] { return bench_build(vertices); }});
  }
}

}  // namespace sinew
