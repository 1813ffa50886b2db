// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "sinew/binding/point_handles.h"
#include "sinew/io/write_mesh.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

struct HandlesArguments {
  std::string in, out;
  PointHandlesRequest request;
  bool no_tips = false;
};

Result<void> run_handles(const HandlesArguments& options, const Console& console) {
  SINEW_TRY(const FileKind kind, writable_kind(options.out));
  if (kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(fmt::format("{}: point handles are kept in .glb and .gltf files", options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  PointHandlesRequest request = options.request;
  request.tips = !options.no_tips;
  request.progress = console.progress();
  const auto report = make_point_handles(asset.rig, request);
  if (!report) return Error{report.error().code, fmt::format("{}: {}", options.in, report.error().message)};
  console.warnings(options.in, report->warnings);
  GltfWriteOptions write;
  write.edit.cages = true;
  SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  Json list = Json::array();
  for (const PointHandle& point : asset.rig.points.points)
    list.push_back({{"name", point.name},
                    {"position", {point.position.x(), point.position.y(), point.position.z()}},
                    {"joint", point.joint}});
  console.print({{"handles", list}, {"seconds", report->seconds}, {"voxels", report->voxels}},
                fmt::format("{}: {} point handles", options.out, asset.rig.points.points.size()));
  return {};
}

}  // namespace

void add_handles(Program& program) {
  auto options = std::make_shared<HandlesArguments>();
  const Verb verb =
      add_verb(program, "handles", "add point handles at the joints of a rig",
               "  sinew handles biped.glb -o points.glb\n"
               "  sinew pose points.glb --deformer points --clip walk --time 0.5 -o step.obj\n");
  verb.option("IN", options->in, "the rig: .glb or .gltf").required();
  verb.option("-o,--output", options->out, "the rig with its handles: .glb or .gltf").required();
  verb.option("--voxels", options->request.voxels,
              "cells along the longest side of the solid voxel grid (default: chosen from the mesh)")
      .range(0, 1024);
  verb.flag("--no-tips", options->no_tips, "add no handles at the free ends of bones");
  verb.runs([&program, options] { return run_handles(*options, program.console); });
}

}  // namespace sinew::cli
