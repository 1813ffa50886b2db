// SPDX-License-Identifier: Apache-2.0
// Bones that stretch, twist and bend, and delta mush, beside linear blending in the same run: on a fine biped
// whose neighbours share their joints, and on the synthetic rig, where every vertex has four and its
// neighbours others.
#include <fmt/format.h>

#include <memory>
#include <random>

#include "registry.h"
#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/curve.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mush.h"
#include "sinew/deform/stretch.h"
#include "synthetic_rig.h"

namespace sinew {
namespace {

using Built = Result<std::unique_ptr<Deformer>>;

struct PosedScene {
  SyntheticFrame frame;
  std::vector<BoneShape> shapes;  // of a frame with twists

  FrameInput input(bool twisted) const {
    FrameInput input = frame.input(false);
    if (twisted) input.bones = shapes;
    return input;
  }
};

void shape_bones(PosedScene& scene) {
  for (std::size_t j = 0; j < scene.frame.globals.size(); ++j) {
    BoneShape shape;
    shape.twist_head = 0.2;
    shape.twist_tail = 1 + 0.1 * static_cast<double>(j % 7);
    scene.shapes.push_back(shape);
  }
}

// In its clip, with all joints drawn 20 % away from those above them.
Result<PosedScene> character(const std::string& kind, int resolution) {
  PosedScene scene;
  Rig& rig = scene.frame.rig;
  SINEW_TRY(rig, make_character(kind, {.resolution = resolution}));
  set_thread_count(0);
  SINEW_CHECK(bind(rig, {.method = "heat", .influences = 4, .endpoint = "projection"}));
  Pose pose = rest_pose(rig.skeleton);
  sample_clip(rig.clips.front(), rig.skeleton, rig.clips.front().duration() / 3, pose);
  for (std::size_t j = 1; j < pose.local.size(); ++j) pose.local[j].translation() *= 1.2;
  scene.frame.globals = global_transforms(rig.skeleton, pose.local);
  scene.frame.matrices.resize(scene.frame.globals.size());
  skinning_matrices(rig, scene.frame.globals, scene.frame.matrices);
  for (const Vec3& p : rig.mesh.positions) scene.frame.positions.push_back(p.cast<float>());
  shape_bones(scene);
  return scene;
}

Result<PosedScene> synthetic() {
  PosedScene scene{make_synthetic_frame(), {}};
  Rig& rig = scene.frame.rig;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(0, 1);
  rig.endpoint.method = "painted";
  for (std::size_t e = 0; e < rig.weights.entries.size(); ++e) rig.endpoint.values.push_back(unit(random));
  shape_bones(scene);
  return scene;
}

// Positions alone; lbs and the other in turns, so that both meet the same neighbours.
BenchResult bench_beside_lbs(const Result<PosedScene>& scene, const std::function<Built(const Rig&)>& build,
                             bool twisted) {
  if (!scene) return {"", scene.error().message, 0, ""};
  const Rig& rig = scene->frame.rig;
  const auto linear = build_lbs(rig), other = build(rig);
  if (!linear || !other) return {"", "not built", 0, ""};
  const auto first = (*linear)->make_workspace(), second = (*other)->make_workspace();
  std::vector<Vec3f> out(scene->frame.positions.size());
  const FrameInput input = scene->input(twisted);
  set_thread_count(1);
  double of_lbs = 0, of_other = 0;
  const double n = static_cast<double>(out.size());
  for (int turn = 0; turn < 6; ++turn) {
    of_lbs = std::max(of_lbs, n / best_seconds([&] { (*linear)->deform(input, *first, out, {}); }, 0.05));
    of_other = std::max(of_other, n / best_seconds([&] { (*other)->deform(input, *second, out, {}); }, 0.05));
  }
  return {
      "",
      fmt::format("{} vertices, {:.2f} influences a vertex, {:.2f} of lbs ({:.0f} M/s), 1 thread", out.size(),
                  static_cast<double>(rig.weights.entries.size()) / n, of_other / of_lbs, of_lbs / 1e6),
      of_other / 1e6, "M vertices/s"};
}

// What mush adds to a frame.
BenchResult bench_mush(int threads) {
  const auto scene = character("snake", 43'000);
  if (!scene) return {"", scene.error().message, 0, ""};
  const Rig& rig = scene->frame.rig;
  auto inner = build_lbs(rig);
  if (!inner) return {"", inner.error().message, 0, ""};
  const auto mush = build_mush(rig, *std::move(inner));
  if (!mush) return {"", mush.error().message, 0, ""};
  const auto workspace = (*mush)->make_workspace();
  std::vector<Vec3f> out(scene->frame.positions.size());
  set_thread_count(threads);
  const double seconds =
      best_seconds([&] { (*mush)->deform(scene->input(false), *workspace, out, {}); }, 0.5);
  return {"", fmt::format("{} vertices, lbs and 10 passes, {} threads", out.size(), threads), 1e3 * seconds,
          "ms/frame"};
}

}  // namespace

void add_stretch_benches(std::vector<BenchCase>& cases) {
  struct Method {
    std::string name;
    std::function<Built(const Rig&)> build;
    bool twisted;
  };
  const auto linear = [](const Rig& rig) { return build_stretch(rig, StretchForm::kLinear); };
  const auto dual = [](const Rig& rig) { return build_stretch(rig, StretchForm::kDualQuaternion); };
  const auto curve = [](const Rig& rig) { return build_curve(rig); };
  for (const Method& method : std::vector<Method>{{"stretch-lbs", linear, false},
                                                  {"stretch-lbs/twist", linear, true},
                                                  {"stretch-dqs", dual, false},
                                                  {"stretch-dqs/twist", dual, true},
                                                  {"curve", curve, false}}) {
    cases.push_back({"coherent/" + method.name, [method] {
                       return bench_beside_lbs(character("biped", 100'000), method.build, method.twisted);
                     }});
    cases.push_back({"deform/" + method.name,
                     [method] { return bench_beside_lbs(synthetic(), method.build, method.twisted); }});
  }
  for (const int threads : {1, 2})
    cases.push_back({fmt::format("mush/{} threads", threads), [threads] { return bench_mush(threads); }});
}

}  // namespace sinew
