// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sinew/core/text.h"
#include "sinew/pipeline/inspect.h"
#include "sinew/report/report_json.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

std::string names(const std::vector<std::string>& list) {
  std::vector<std::string> shown;
  for (const std::string& name : list) shown.push_back(printable(name, 60));
  return list.empty() ? std::string("none") : fmt::format("{}: {}", list.size(), fmt::join(shown, " "));
}

std::string mesh_text(const MeshReport& mesh) {
  return fmt::format("  mesh     {}, {} ({}), {}, {}\n", counted(mesh.vertices, "vertex", "vertices"),
                     counted(mesh.faces, "face"), counted(mesh.quads, "quad"),
                     counted(mesh.components, "component"),
                     mesh.boundary_edges + mesh.nonmanifold_edges == 0
                         ? "closed"
                         : fmt::format("{} and {}", counted(mesh.boundary_edges, "boundary edge"),
                                       counted(mesh.nonmanifold_edges, "non-manifold edge")));
}

std::string clips_text(const AssetReport& report) {
  std::vector<std::string> shown;
  for (std::size_t c = 0; c < report.clip_names.size(); ++c)
    shown.push_back(
        fmt::format("{} ({:.3g} s)", printable(report.clip_names[c], 60), report.clip_seconds[c]));
  return shown.empty() ? "none" : fmt::format("{}: {}", shown.size(), fmt::join(shown, ", "));
}

// A joint and all below it, each indented below its parent, with how many vertices it carries.
void add_tree(const AssetReport& report, const std::vector<std::vector<std::size_t>>& children,
              std::size_t root, std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> open = {{root, 0}};
  while (!open.empty()) {
    const auto [joint, depth] = open.back();
    open.pop_back();
    const std::string name =
        std::string(2 * std::min<std::size_t>(depth, 40), ' ') + printable(report.joint_names[joint], 60);
    text += fmt::format("    {:<32} {}\n", name, counted(report.joint_vertices[joint], "vertex", "vertices"));
    for (auto child = children[joint].rbegin(); child != children[joint].rend(); ++child)
      open.emplace_back(*child, depth + 1);
  }
}

std::string joints_text(const AssetReport& report) {
  std::string text = fmt::format("  joints   {}\n", report.joint_parents.empty()
                                                        ? names(report.joint_names)
                                                        : fmt::format("{}", report.joint_names.size()));
  std::vector<std::vector<std::size_t>> children(report.joint_parents.size());
  for (std::size_t j = 0; j < report.joint_parents.size(); ++j)
    if (report.joint_parents[j] >= 0)
      children[static_cast<std::size_t>(report.joint_parents[j])].push_back(j);
  for (std::size_t j = 0; j < report.joint_parents.size(); ++j)
    if (report.joint_parents[j] < 0) add_tree(report, children, j, text);
  return text;
}

std::string weights_text(const AssetReport& report) {
  std::string text =
      fmt::format("  weights  up to {} per vertex, {} unweighted, rows sum to 1 within {:.1e}\n",
                  counted(report.influences, "joint"), counted(report.unweighted, "vertex", "vertices"),
                  report.max_row_error);
  if (!report.joint_weights.empty())
    text += fmt::format("           joint weights by {}\n", printable(report.joint_weights));
  if (report.flesh)
    text += fmt::format("           flesh, corrective fields of {}\n", counted(report.flesh_fields, "joint"));
  if (!report.endpoint.empty())
    text += fmt::format("           endpoint weights by {}{}\n", printable(report.endpoint),
                        report.endpoint_twist ? ", separate ones for twist" : "");
  return text;
}

std::string info_text(const std::string& file, const AssetReport& report) {
  std::string text = printable(file, 400) + "\n";
  const bool motion = report.motion_frames > 0;
  if (motion)
    text += fmt::format("  motion   {} at {:.4g} fps, {:.3g} s\n", counted(report.motion_frames, "frame"),
                        report.motion_fps, report.clip_seconds[0]);
  else
    text += mesh_text(report.mesh);
  if (!report.box.isEmpty()) {
    const Vec3 size = report.box.sizes();
    text += fmt::format("  size     {:.4g} x {:.4g} x {:.4g}\n", size.x(), size.y(), size.z());
  }
  if (!report.materials.empty()) text += fmt::format("  material {}\n", names(report.materials));
  text += joints_text(report);
  if (motion) return text;
  text += fmt::format("  clips    {}\n  keys     {}\n", clips_text(report), names(report.key_names));
  if (!report.joint_names.empty()) text += weights_text(report);
  return text;
}

}  // namespace

void add_info(Program& program) {
  auto in = std::make_shared<std::string>();
  const Verb verb = add_verb(program, "info", "print a summary of a file",
                             "  sinew info character.glb\n"
                             "  sinew info scan.obj --json\n");
  verb.option("IN", *in, "a .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf or skeleton .json")
      .required();
  verb.runs([&program, in]() -> Result<void> {
    SINEW_TRY(const Asset asset, program.console.read(*in));
    program.console.warnings(*in, asset.warnings);
    if (asset.from_text && !program.console.facing.given() && may_be_z_up(asset.rig.mesh))
      program.console.note(*in + ": seems to stand on the plane z = 0; if z is its up axis, give --up z");
    SINEW_TRY(const AssetReport report, inspect(asset));
    program.console.print(to_json(report), info_text(*in, report));
    return {};
  });
}

}  // namespace sinew::cli
