// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sinew/core/text.h"
#include "sinew/pipeline/inspect.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

Json info_json(const AssetReport& report) {
  Json box = nullptr;
  if (!report.box.isEmpty())
    box = {{report.box.min().x(), report.box.min().y(), report.box.min().z()},
           {report.box.max().x(), report.box.max().y(), report.box.max().z()}};
  return {{"vertices", report.mesh.vertices},
          {"faces", report.mesh.faces},
          {"quads", report.mesh.quads},
          {"components", report.mesh.components},
          {"boundary_edges", report.mesh.boundary_edges},
          {"nonmanifold_edges", report.mesh.nonmanifold_edges},
          {"box", box},
          {"joints", report.joint_names.size()},
          {"joint_names", report.joint_names},
          {"clips", report.clip_names},
          {"keys", report.key_names},
          {"influences", report.influences},
          {"unweighted", report.unweighted},
          {"max_row_error", report.max_row_error}};
}

std::string names(const std::vector<std::string>& list) {
  std::vector<std::string> shown;
  for (const std::string& name : list) shown.push_back(printable(name, 60));
  return list.empty() ? std::string("none") : fmt::format("{}: {}", list.size(), fmt::join(shown, " "));
}

std::string info_text(const std::string& file, const AssetReport& report) {
  const MeshReport& mesh = report.mesh;
  std::string text =
      fmt::format("{}\n  mesh     {} vertices, {} faces ({} quads), {} components", printable(file, 400),
                  mesh.vertices, mesh.faces, mesh.quads, mesh.components);
  text += mesh.boundary_edges + mesh.nonmanifold_edges == 0
              ? ", closed\n"
              : fmt::format(", {} boundary and {} non-manifold edges\n", mesh.boundary_edges,
                            mesh.nonmanifold_edges);
  if (!report.box.isEmpty()) {
    const Vec3 size = report.box.sizes();
    text += fmt::format("  size     {:.4g} x {:.4g} x {:.4g}\n", size.x(), size.y(), size.z());
  }
  text += fmt::format("  joints   {}\n  clips    {}\n  keys     {}\n", names(report.joint_names),
                      names(report.clip_names), names(report.key_names));
  if (!report.joint_names.empty())
    text +=
        fmt::format("  weights  up to {} joints a vertex, {} vertices without, rows sum to 1 within {:.1e}\n",
                    report.influences, report.unweighted, report.max_row_error);
  return text;
}

}  // namespace

void add_info(Program& program) {
  auto in = std::make_shared<std::string>();
  const Verb verb = add_verb(program, "info", "tell what a file holds",
                             "  sinew info character.glb\n"
                             "  sinew info scan.obj --json\n");
  verb.option("IN", *in, "a .glb, .gltf, .obj, .ply, .off, .stl, .bvh, .tgf or skeleton .json").required();
  verb.runs([&program, in]() -> Result<void> {
    SINEW_TRY(const Asset asset, read_asset(*in));
    program.console.notes(*in, asset.notes);
    SINEW_TRY(const AssetReport report, inspect(asset));
    program.console.print(info_json(report), info_text(*in, report));
    return {};
  });
}

}  // namespace sinew::cli
