// SPDX-License-Identifier: Apache-2.0
// Binding a sphere of about 4000 vertices to a cage of about 160, and posing by it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include "registry.h"
#include "sinew/binding/point_handles.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/cage.h"
#include "sinew/deform/points.h"
#include "sinew/volume/harmonic_cage.h"

namespace sinew {
namespace {

PolyMesh sphere(int around, int rings, double radius) {
  PolyMesh mesh;
  mesh.positions.emplace_back(0, 0, radius);
  for (int r = 1; r < rings; ++r)
    for (int a = 0; a < around; ++a) {
      const double up = std::numbers::pi * r / rings, turn = 2 * std::numbers::pi * a / around;
      mesh.positions.push_back(
          radius * Vec3(std::sin(up) * std::cos(turn), std::sin(up) * std::sin(turn), std::cos(up)));
    }
  mesh.positions.emplace_back(0, 0, -radius);
  const auto at = [&](int r, int a) { return static_cast<std::uint32_t>(1 + (r - 1) * around + a % around); };
  const auto last = static_cast<std::uint32_t>(mesh.positions.size() - 1);
  for (int a = 0; a < around; ++a) {
    mesh.add_face({0, at(1, a), at(1, a + 1)});
    for (int r = 1; r + 1 < rings; ++r)
      mesh.add_face({at(r, a), at(r + 1, a), at(r + 1, a + 1), at(r, a + 1)});
    mesh.add_face({at(rings - 1, a), last, at(rings - 1, a + 1)});
  }
  return mesh;
}

BenchResult bind(int resolution) {
  set_thread_count(0);
  const PolyMesh mesh = sphere(64, 64, 1), around = sphere(16, 11, 1.25);
  const auto start = std::chrono::steady_clock::now();
  const auto cage = HarmonicCage::build(around, resolution);
  if (!cage.ok() || !cage->bind(mesh.positions, 0.1, CageSolveOptions{}).ok()) return {};
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {"",
          fmt::format("2^{} cells a side, {} control points, {} vertices", resolution, around.vertex_count(),
                      mesh.vertex_count()),
          seconds, "s"};
}

BenchResult pose() {
  set_thread_count(0);
  Rig rig;
  rig.mesh = sphere(64, 64, 1);
  Cage cage;
  cage.mesh = sphere(16, 11, 1.25);
  cage.resolution = 5;
  const auto solver = HarmonicCage::build(cage.mesh, cage.resolution);
  auto binding = solver->bind(rig.mesh.positions, cage.reach, CageSolveOptions{.threshold = 1e-5});
  if (!binding.ok()) return {};
  cage.rows = binding->rows;
  cage.masks = binding->masks;
  const auto deformer = build_cage(rig, cage);
  if (!deformer.ok()) return {};
  const auto workspace = (*deformer)->make_workspace();
  std::vector<Vec3f> rest, out(rig.mesh.vertex_count());
  for (const Vec3& p : rig.mesh.positions) rest.push_back(p.cast<float>());
  const double seconds = best_seconds([&] {
    (*deformer)->deform({rest, {}, {}, {}, {}}, *workspace, out, {});
  });
  return {"", fmt::format("{} vertices, {} entries", rest.size(), cage.rows.entries.size()), 1e3 * seconds,
          "ms"};
}

BenchResult points() {
  set_thread_count(0);
  auto rig = make_character("biped", {.resolution = 20000});
  if (!rig.ok() || !make_point_handles(*rig).ok()) return {};
  const auto deformer = build_points(*rig);
  if (!deformer.ok()) return {};
  const auto workspace = (*deformer)->make_workspace();
  Pose pose = rest_pose(rig->skeleton);
  sample_clip(rig->clips.front(), rig->skeleton, rig->clips.front().duration() / 3, pose);
  const auto globals = global_transforms(rig->skeleton, pose.local);
  std::vector<Affine3> matrices(globals.size());
  skinning_matrices(*rig, globals, matrices);
  std::vector<Vec3f> rest, out(rig->mesh.vertex_count());
  for (const Vec3& p : rig->mesh.positions) rest.push_back(p.cast<float>());
  const double seconds = best_seconds(
      [&] {
        (*deformer)->deform({rest, {}, globals, matrices, {}}, *workspace, out, {});
      },
      1);
  return {"", fmt::format("{} vertices, {} handles", rest.size(), rig->points.points.size()), 1 / seconds,
          "frames/s"};
}

}  // namespace

void add_cage_benches(std::vector<BenchCase>& cases) {
  for (const int resolution : {5, 6})
    cases.push_back({fmt::format("cage/bind 2^{}", resolution), [resolution] { return bind(resolution); }});
  for (const int resolution : {7, 8})
    cases.push_back(
        {fmt::format("scaling/cage 2^{}", resolution), [resolution] { return bind(resolution); }});
  cases.push_back({"cage/pose", pose});
  cases.push_back({"points/frame", points});
}

}  // namespace sinew
