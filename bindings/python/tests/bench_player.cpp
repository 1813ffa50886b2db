// SPDX-License-Identifier: Apache-2.0
// The other side of bench_player.py: microseconds of CPU time that a frame takes in C++, 100 frames at a time on one
// thread.
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "sinew/core/parallel.h"
#include "sinew/io/asset.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"

int main(int argc, char** argv) {
  using namespace sinew;
  if (argc != 3) return 2;
  set_thread_count(1);
  const auto asset = read_asset(argv[1]);
  if (!asset) return 3;
  const Rig& rig = asset->rig;
  DeformChoice choice;
  const auto stack = stack_with(rig, argv[2]);
  if (!stack || rig.clips.empty()) return 4;
  choice.stack = *stack;
  auto ready = ready_deformer(rig, choice);
  if (!ready) return 5;
  constexpr std::size_t kFrames = 100;
  std::vector<Pose> poses;
  for (std::size_t k = 0; k < kFrames; ++k) {
    auto pose = make_pose(rig, {}, rig.clips[0], rig.clips[0].duration() * static_cast<double>(k) / kFrames);
    if (!pose) return 6;
    poses.push_back(*std::move(pose));
  }
  const std::size_t n = ready->deformer.output_count();
  std::vector<float> frames(3 * n * kFrames);
  double best = 1e9;
  for (int round = 0; round < 30; ++round) {
    const std::clock_t start = std::clock();
    for (std::size_t k = 0; k < kFrames; ++k)
      if (ready->deformer.evaluate(poses[k], ready->workspace, VertexBuffer(&frames[3 * n * k], n)) !=
          Status::kOk)
        return 7;
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::printf("%.3f\n", 1e6 * best / kFrames);
  return 0;
}
