// SPDX-License-Identifier: Apache-2.0
// Weights for a mesh and a skeleton that come from elsewhere, and nothing else.
//   example_weights_only body.obj bones.json
#include <sinew/binding/bind.h>
#include <sinew/io/asset.h>

#include <cstdio>

namespace {

sinew::Result<void> print_weights(const char* mesh, const char* skeleton) {
  SINEW_TRY(sinew::Asset asset, sinew::read_asset(mesh));
  SINEW_TRY(sinew::Skeleton joints, sinew::read_skeleton(skeleton));
  sinew::set_skeleton(asset.rig, std::move(joints));

  sinew::BindRequest request;
  request.method = "geodesic";  // a name of weight_methods()
  request.settings = {{"power", 3.0}};
  request.influences = 4;
  SINEW_TRY(const sinew::BindReport report, sinew::bind(asset.rig, request));

  for (const std::string& note : report.warnings) std::fprintf(stderr, "%s\n", note.c_str());
  std::printf("%zu vertices bound to %zu bones in %.2f s\n", report.vertices, report.bones, report.seconds);
  for (std::size_t i = 0; i < asset.rig.weights.vertex_count(); i += 1 + report.vertices / 10) {
    std::printf("vertex %zu:", i);
    for (const sinew::Influence& influence : asset.rig.weights.row(i))
      std::printf("  %s %.3f", asset.rig.skeleton[influence.joint].name.c_str(), influence.weight);
    std::printf("\n");
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("give a mesh and a skeleton\n", stderr), 2;
  const sinew::Result<void> done = print_weights(argv[1], argv[2]);
  if (done) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return static_cast<int>(done.error().code);
}
