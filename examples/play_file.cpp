// SPDX-License-Identifier: Apache-2.0
// Loads a .glb and deforms it frame by frame into a vertex buffer of one's own.
//   example_play_file biped.glb
#include <sinew/io/asset.h>
#include <sinew/player/rig_deformer.h>
#include <sinew/skeleton/clip.h>

#include <chrono>
#include <cstdio>

namespace {

// What a renderer would upload: positions and normals interleaved with what never moves.
struct Vertex {
  float position[3], normal[3], uv[2];
};

sinew::Result<void> play(const char* file) {
  SINEW_TRY(const sinew::Asset asset, sinew::read_asset(file));
  if (asset.rig.clips.empty()) return sinew::bad_input("the file holds no clip");
  const sinew::Clip& clip = asset.rig.clips[0];

  // Built once; shared by all characters of this kind.
  SINEW_TRY(const sinew::RigDeformer deformer, sinew::RigDeformer::build(asset.rig));
  // One for each character on screen.
  sinew::RigWorkspace workspace = deformer.make_workspace();

  std::vector<Vertex> vertices(deformer.vertex_count());
  const sinew::VertexBuffer positions(vertices[0].position, vertices.size(), sizeof(Vertex));
  const sinew::VertexBuffer normals(vertices[0].normal, vertices.size(), sizeof(Vertex));
  sinew::Pose pose = sinew::rest_pose(asset.rig.skeleton);
  pose.key_weights = sinew::key_weights_of(asset.rig, pose);

  const int frames = static_cast<int>(60 * clip.duration());
  const auto start = std::chrono::steady_clock::now();
  for (int frame = 0; frame < frames; ++frame) {
    sinew::sample_clip(clip, asset.rig.skeleton, frame / 60.0, pose);
    const sinew::Status status = deformer.evaluate(pose, workspace, positions, normals);
    if (status != sinew::Status::kOk) return sinew::impossible(sinew::status_text(status));
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  std::printf("%s: %zu vertices, %d frames of '%s', %.3f ms each\n", file, vertices.size(), frames,
              clip.name.c_str(), took.count() / frames);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("give a .glb with a clip\n", stderr), 2;
  const sinew::Result<void> played = play(argv[1]);
  if (played) return 0;
  std::fprintf(stderr, "%s: %s\n", argv[1], played.error().message.c_str());
  return static_cast<int>(played.error().code);
}
