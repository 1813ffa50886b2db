// SPDX-License-Identifier: Apache-2.0
// One step of as-rigid-as-possible, on one core and on all, beside its factorisation.
#include <fmt/format.h>

#include <chrono>

#include "registry.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/arap.h"

namespace sinew {
namespace {

// A fine biped that stands on its feet and is drawn up by its head.
struct Pulled {
  PolyMesh mesh;
  TriangleView view;
  std::vector<std::uint32_t> held;
  std::vector<Vec3> targets;
};

Result<Pulled> pulled_biped(int resolution) {
  SINEW_TRY(Rig rig, make_character("biped", {.resolution = resolution}));
  Pulled pulled;
  pulled.mesh = std::move(rig.mesh);
  pulled.view = triangulate(pulled.mesh);
  const Box3 box = bounding_box(pulled.mesh.positions);
  for (std::uint32_t i = 0; i < pulled.mesh.vertex_count(); ++i) {
    const double height = (pulled.mesh.positions[i].y() - box.min().y()) / box.sizes().y();
    if (height > 0.1 && height < 0.9) continue;
    pulled.held.push_back(i);
    pulled.targets.push_back(pulled.mesh.positions[i] +
                             (height > 0.5 ? Vec3(0.2 * box.sizes().y(), 0, 0) : Vec3(Vec3::Zero())));
  }
  return pulled;
}

BenchResult one_step(int threads) {
  const auto pulled = pulled_biped(43000);
  if (!pulled.ok()) return {};
  set_thread_count(threads);
  const auto arap = ArapSolver::build({pulled->mesh.positions, pulled->view.triangles}, pulled->held);
  if (!arap.ok()) return {};
  ArapState state = arap->make_state();
  arap->start(pulled->targets, state);
  const double seconds = best_seconds([&] { arap->step(pulled->targets, state); }, 1.0);
  return {
      "",
      fmt::format("{} vertices, {}", pulled->mesh.vertex_count(), threads == 1 ? "one core" : "all cores"),
      1e3 * seconds, "ms"};
}

BenchResult factorisation() {
  const auto pulled = pulled_biped(43000);
  if (!pulled.ok()) return {};
  set_thread_count(0);
  const auto start = std::chrono::steady_clock::now();
  const auto arap = ArapSolver::build({pulled->mesh.positions, pulled->view.triangles}, pulled->held);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {"", fmt::format("{} vertices", pulled->mesh.vertex_count()), arap.ok() ? 1e3 * seconds : 0, "ms"};
}

}  // namespace

void add_arap_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"arap/step", [] { return one_step(0); }});
  cases.push_back({"arap/step one core", [] { return one_step(1); }});
  cases.push_back({"arap/build", factorisation});
}

}  // namespace sinew
