// SPDX-License-Identifier: Apache-2.0
// An engine: a thousand characters of one kind, on threads of its own, into interleaved buffers.
#include <sinew/core/parallel.h>
#include <sinew/io/asset.h>
#include <sinew/io/write_mesh.h>
#include <sinew/player/rig_deformer.h>
#include <sinew/skeleton/clip.h>

#include <cstdio>
#include <thread>

extern long allocations();

struct Vertex {
  float position[3], normal[3], uv[2];
};

int main(int, char** argv) {
  const auto asset = sinew::read_asset(argv[1]);
  if (!asset) return std::fprintf(stderr, "%s\n", asset.error().message.c_str()), 1;
  const auto deformer = sinew::RigDeformer::build(asset->rig, argv[2]);
  if (!deformer) return std::fprintf(stderr, "%s\n", deformer.error().message.c_str()), 1;
  constexpr int kThreads = 4, kCharacters = 1000;
  std::vector<Vertex> shown(deformer->vertex_count() * kThreads);
  long made[kThreads] = {};
  bool failed[kThreads] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      sinew::RigWorkspace workspace = deformer->make_workspace();
      workspace.run_on(&sinew::serial_executor());
      sinew::Pose pose = sinew::rest_pose(asset->rig.skeleton);
      pose.key_weights = sinew::key_weights_of(asset->rig, pose);
      Vertex* out = &shown[deformer->vertex_count() * t];
      const auto frame = [&](int k) {
        sinew::sample_clip(asset->rig.clips[0], asset->rig.skeleton, 0.5 * k / kCharacters, pose);
        failed[t] |=
            deformer->evaluate(pose, workspace, {out->position, deformer->vertex_count(), sizeof(Vertex)},
                               {out->normal, deformer->vertex_count(), sizeof(Vertex)}) != sinew::Status::kOk;
      };
      frame(0);
      const long before = allocations();
      for (int k = t; k <= kCharacters; k += kThreads) frame(k);
      made[t] = allocations() - before;
      frame(kCharacters);  // all end in the same pose
    });
  for (std::thread& thread : threads) thread.join();

  for (int t = 0; t < kThreads; ++t)
    if (made[t] != 0 || failed[t])
      return std::fprintf(stderr, "%ld allocations, failed: %d\n", made[t], failed[t]), 1;
  sinew::PolyMesh mesh = asset->rig.mesh;
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    mesh.positions[i] = Eigen::Map<sinew::Vec3f>(shown[i].position).cast<double>();
    mesh.normals.resize(mesh.vertex_count());
    mesh.normals[i] = Eigen::Map<sinew::Vec3f>(shown[i].normal);
    for (int t = 1; t < kThreads; ++t)
      for (int c = 0; c < 3; ++c)
        if (shown[i].position[c] != shown[i + t * mesh.vertex_count()].position[c]) return 1;
  }
  return sinew::save_mesh(mesh, argv[3], sinew::Overwrite::kYes) ? 0 : 1;
}
