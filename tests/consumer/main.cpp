// SPDX-License-Identifier: Apache-2.0
// An engine: a thousand characters of one kind, on threads of its own, into interleaved buffers.
#include <sinew/core/parallel.h>
#include <sinew/io/asset.h>
#include <sinew/player/rig_deformer.h>
#include <sinew/skeleton/clip.h>

#include <thread>

#include "judge.h"

struct Character {
  sinew::RigWorkspace workspace;
  sinew::Pose pose;
  std::vector<Vertex> vertices;
};

int main(int, char** argv) {
  const auto asset = sinew::read_asset(argv[1]);
  if (!asset) return failed(asset.error().message);
  const auto deformer = sinew::RigDeformer::build(asset->rig, argv[2]);
  if (!deformer) return failed(deformer.error().message);
  const sinew::Pose rest = sinew::rest_pose(asset->rig.skeleton);
  std::vector<Character> crowd;
  for (int k = 0; k < 1000; ++k) {
    crowd.push_back({deformer->make_workspace(), rest, std::vector<Vertex>(deformer->vertex_count())});
    crowd.back().workspace.run_on(&sinew::serial_executor());
  }
  const auto show = [&](Character& one, double seconds) {
    sinew::sample_clip(asset->rig.clips[0], asset->rig.skeleton, seconds, one.pose);
    Vertex& first = one.vertices[0];
    return deformer->evaluate(one.pose, one.workspace, {first.position, one.vertices.size(), sizeof(Vertex)},
                              {first.normal, one.vertices.size(), sizeof(Vertex)}) == sinew::Status::kOk;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      bool good = show(crowd[t], 0);
      const long before = allocations();
      for (int k = t; k < 1000; k += 4) good = good && show(crowd[k], 0.5 * k / 999);
      judge(good && allocations() == before);
    });
  for (std::thread& thread : threads) thread.join();
  return verdict(asset->rig.mesh, crowd.back().vertices, argv[3]);
}
