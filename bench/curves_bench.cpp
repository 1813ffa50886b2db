// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cassert>

#include "registry.h"
#include "sinew/autorig/iso_curves.h"
#include "sinew/characters/characters.h"
#include "sinew/dynamics/inbetween.h"
#include "sinew/pipeline/auto_rig.h"

namespace sinew {
namespace {

// Characters no smaller than the meshes of [bian2018]: 7,207, 13,201 and 32,185 vertices.
struct Size {
  const char* kind;
  int resolution;
};
constexpr Size kSizes[] = {{"arm", 8000}, {"bird", 14000}, {"arm", 32000}};

PolyMesh mesh_of(const Size& size) {
  auto rig = make_character(size.kind, {size.resolution});
  assert(rig.ok());
  return std::move(rig->mesh);
}

// Some way for every vertex; what it is does not matter for the time.
std::vector<Vec3> moved(const std::vector<Vec3>& positions) {
  std::vector<Vec3> out = positions;
  for (Vec3& p : out) p += Vec3(0.1 * p.y(), -0.2 * p.x() * p.x(), 0.05);
  return out;
}

double one_inbetween(const PolyMesh& mesh, const IsoCurves& curves, const std::vector<Vec3>& to) {
  std::vector<Vec3f> frame(mesh.vertex_count());
  const std::span<Vec3f> frames[] = {frame};
  return best_seconds([&] {
    auto mover = Inbetween::build(curves, mesh.vertex_count(), 2);
    mover->run(mesh.positions, to, frames);
  });
}

// Curves, skeleton and one in-between, as Table 1 of [bian2018] counts them.
constexpr Size kBodies[] = {{"biped", 8000},      {"arm", 8000},    {"bird", 14000},
                            {"quadruped", 16000}, {"biped", 32000}, {"arm", 32000}};

double one_skeleton(const PolyMesh& mesh) {
  const PolyMesh* one = &mesh;
  return best_seconds([&] { (void)auto_skeleton({&one, 1}, {}); });
}

}  // namespace

void add_skeleton_benches(std::vector<BenchCase>& cases) {
  for (const Size& size : kBodies) {
    const std::string body = fmt::format("{} {}", size.kind, size.resolution);
    const auto described = [](const PolyMesh& mesh, double seconds) {
      return BenchResult{"", fmt::format("{} vertices, 1 thread", mesh.vertex_count()), 1e3 * seconds, "ms"};
    };
    cases.push_back({"skeleton/curves and joints " + body, [=] {
                       const PolyMesh mesh = mesh_of(size);
                       return described(mesh, one_skeleton(mesh));
                     }});
    cases.push_back({"skeleton/with one in-between " + body, [=] {
                       const PolyMesh mesh = mesh_of(size);
                       const auto curves = iso_curves(mesh);
                       return described(
                           mesh, one_skeleton(mesh) + one_inbetween(mesh, *curves, moved(mesh.positions)));
                     }});
  }
  cases.push_back(
      {"skeleton/along the surface biped 32000", [] {
         const PolyMesh mesh = mesh_of({"biped", 32000});
         const PolyMesh* one = &mesh;
         SkeletonRequest request;
         request.rings = false;
         const double s = best_seconds([&] { (void)auto_skeleton({&one, 1}, request); });
         return BenchResult{"", fmt::format("{} vertices, 1 thread", mesh.vertex_count()), 1e3 * s, "ms"};
       }});
}

void add_curves_benches(std::vector<BenchCase>& cases) {
  for (const Size& size : kSizes) {
    const auto name = [&](const char* what) { return fmt::format("curves/{} {}", what, size.resolution); };
    const auto describe = [](const char* kind, const PolyMesh& mesh) {
      return fmt::format("{}, {} vertices, 1 thread", kind, mesh.vertex_count());
    };
    cases.push_back({name("iso-curves"), [=] {
                       const PolyMesh mesh = mesh_of(size);
                       const double s = best_seconds([&] { (void)iso_curves(mesh); });
                       return BenchResult{"", describe(size.kind, mesh), 1e3 * s, "ms"};
                     }});
    cases.push_back({name("one in-between"), [=] {
                       const PolyMesh mesh = mesh_of(size);
                       const auto curves = iso_curves(mesh);
                       const double s = one_inbetween(mesh, *curves, moved(mesh.positions));
                       return BenchResult{"", describe(size.kind, mesh), 1e3 * s, "ms"};
                     }});
    cases.push_back({name("30 frames"), [=] {
                       const PolyMesh mesh = mesh_of(size);
                       auto mover = Inbetween::build(*iso_curves(mesh), mesh.vertex_count(), 29);
                       const std::vector<Vec3> to = moved(mesh.positions);
                       std::vector<std::vector<Vec3f>> frames(28, std::vector<Vec3f>(to.size()));
                       const std::vector<std::span<Vec3f>> views(frames.begin(), frames.end());
                       const double s = best_seconds([&] { mover->run(mesh.positions, to, views); });
                       return BenchResult{"", describe(size.kind, mesh), 1e3 * s, "ms"};
                     }});
  }
}

}  // namespace sinew
