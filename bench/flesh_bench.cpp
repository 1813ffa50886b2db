// SPDX-License-Identifier: Apache-2.0
// Frames by flesh against frames by lbs, in one run, as engines see them.
#include <fmt/format.h>

#include <memory>

#include "registry.h"
#include "sinew/binding/prepare.h"
#include "sinew/characters/characters.h"
#include "sinew/player/pose_request.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"

namespace sinew {
namespace {

// The biped of 107,266 vertices in a step of its walk.
struct Walker {
  Rig rig = *make_character("biped", {.resolution = 70000});
  Pose pose;

  Walker() {
    DeformerData data;
    (void)prepare(rig, *needs_of(*stack_with(rig, "flesh")), data);
    PoseRequest request;
    request.clip = "0";
    request.time = 0.3;
    pose = *make_pose(rig, request);
  }
};

struct Frames {
  bool normals, cold;
};

// Seconds of a frame on one thread: the shortest, with caches as the frame before left them or full of other
// data.
double frame_seconds(const Walker& walker, const char* deformer, const Frames& frames) {
  const RigDeformer built = *RigDeformer::build(walker.rig, deformer);
  RigWorkspace workspace = built.make_workspace();
  std::vector<Vec3f> positions(built.vertex_count()), normals(frames.normals ? built.vertex_count() : 0);
  std::vector<char> other(frames.cold ? 64 << 20 : 0);
  double best = 1e300;
  const auto begin = Clock::now();
  while (seconds_since(begin) < 1) {
    for (char& byte : other) ++byte;
    const auto start = Clock::now();
    if (frames.normals)
      built.evaluate(walker.pose, workspace, positions, normals);
    else
      built.evaluate(walker.pose, workspace, positions);
    best = std::min(best, seconds_since(start));
  }
  return best;
}

BenchResult over_lbs(const Frames& frames) {
  static const Walker walker;
  const double lbs = frame_seconds(walker, "lbs", frames), flesh = frame_seconds(walker, "flesh", frames);
  return {"", fmt::format("107,266 vertices, 1 thread, {:.2f} and {:.2f} ms", 1e3 * flesh, 1e3 * lbs),
          flesh / lbs, "ratio"};
}

}  // namespace

void add_flesh_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"scaling/flesh over lbs", [] { return over_lbs({false, false}); }});
  cases.push_back({"scaling/flesh over lbs/normals", [] { return over_lbs({true, false}); }});
  cases.push_back({"scaling/flesh over lbs/normals, caches full", [] { return over_lbs({true, true}); }});
}

}  // namespace sinew
