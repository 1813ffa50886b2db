// SPDX-License-Identifier: Apache-2.0
#include "target_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "joint_naming.h"
#include "sinew/core/file.h"
#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/t_pose.h"
#include "sinew/pipeline/vrm_rig.h"
#include "sinew/skeleton/convention_axes.h"
#include "words.h"

namespace sinew::cli {
namespace {

// The library names fields of the metadata; here some of them are options.
std::string with_flags(std::string message) {
  for (const auto& [field, flag] :
       {std::pair("name", "--name"), {"authors", "--author"}, {"licenseUrl", "--licence"}}) {
    const std::size_t place = message.find(std::string(" ") + field);
    if (place != std::string::npos)
      message.insert(place + 1 + std::string_view(field).size(), fmt::format(" ({})", flag));
  }
  return message;
}

}  // namespace

void TargetOptions::add_to(const Verb& verb) {
  verb.option("--for", target, "the program: " + export_target_list()).show_default();
  verb.option(
      "--names", names,
      "naming convention of a humanoid's joints: " + convention_list() + "; keep (default: the program's)");
  verb.option(
      "--axes", axes,
      "joint axes at rest: bone (y along the bone, as in Blender), godot, unreal (x along the bone), as "
      "their humanoids have them; keep (default: the program's)");
  verb.flag("--t-pose", t_pose, "make a T pose the rest pose of a humanoid (always with --for vrm)");
  verb.option("--name", name, "name of the character, for VRM");
  verb.repeatable("--author", authors, "an author, for VRM; repeatable");
  verb.option("--licence", licence,
              "URL of the licence, for VRM; loaders expect https://vrm.dev/licenses/1.0/");
  verb.option("--meta", meta_file, "a .json file with the metadata of a VRM file; the options above win");
}

Result<void> TargetOptions::check() {
  const ExportTarget* found = find_export_target(target);
  if (!found)
    return parameter_error("for", fmt::format("is '{}': give {}", printable(target), export_target_list()));
  if (names.empty()) names = found->convention;
  if (names == "keep") names.clear();
  if (!names.empty()) SINEW_CHECK(check_convention(names));
  vrm_ = found->vrm;
  if (axes.empty()) axes = found->axes;
  if (axes == "keep") axes.clear();
  if (vrm_ && !axes.empty())
    return parameter_error("axes", "does not go with --for vrm, whose constraints need the axes as they are");
  if (!axes.empty()) SINEW_CHECK(convention_axes({}, {}, {}, axes));
  if (!vrm_) return {};
  auto meta = metadata();
  if (!meta) {
    if (meta.error().code == ErrorCode::kIo) return meta.error();
    if (!meta_file.empty())
      return usage_error(fmt::format("{}: {}", meta_file, with_flags(meta.error().message)));
    return usage_error(with_flags(meta.error().message) + "; or give a file with --meta");
  }
  meta_ = *std::move(meta);
  return {};
}

Result<void> TargetOptions::check_output(const std::string& file) const {
  const FileKind kind = kind_of(file);
  const bool named_vrm = equals_ignoring_case(std::filesystem::path(file).extension().string(), ".vrm");
  if (kind != FileKind::kGlb && kind != FileKind::kGltf && kind != FileKind::kUsda)
    return usage_error(fmt::format("{}: exported rigs are written to .glb, .gltf, .vrm or .usda", file));
  if (vrm_ && kind != FileKind::kGlb)
    return usage_error(fmt::format("{}: a VRM file has the extension .vrm or .glb", file));
  if (!vrm_ && named_vrm) return usage_error(fmt::format("{}: give --for vrm to write a VRM file", file));
  return {};
}

Result<std::string> TargetOptions::metadata() const {
  Json meta = Json::object();
  if (!meta_file.empty()) {
    SINEW_TRY(const std::string bytes, read_file(meta_file, 1 << 20));
    meta = Json::parse(bytes, nullptr, false);
    if (!meta.is_object()) return bad_input("VRM metadata must be a JSON object");
  }
  if (!name.empty()) meta["name"] = name;
  if (!authors.empty()) meta["authors"] = authors;
  if (!licence.empty()) meta["licenseUrl"] = licence;
  return checked_vrm_meta(meta.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<void> TargetOptions::orient(const Console& console, const std::string& file, Rig& rig,
                                   Json& report) const {
  if (!rig.pose_spaces.empty()) {
    console.warn(fmt::format("{}: joint axes are unchanged, since pose spaces depend on them", file));
    return {};
  }
  SINEW_TRY(const std::vector<std::string> kept, orient_joints(rig, axes));
  report["axes"] = {{"convention", axes}, {"unchanged", kept}};
  if (!kept.empty())
    console.warn(fmt::format("{}: {} with uneven or mirrored scale keep their axes{}", file,
                             counted(kept.size(), "joint"), first_of(kept)));
  return {};
}

Result<void> TargetOptions::apply(const Console& console, const std::string& file, Rig& rig,
                                  GltfWriteOptions& write, Json& report) const {
  // Before the rest pose changes: drivers of roll joints go with it.
  if (vrm_) {
    SINEW_TRY(write.vrm, vrm_of(rig, meta_));
    const auto& constraints = write.vrm.constraints;
    report["constraints"] = constraints.size();
    report["rolls"] = std::count_if(constraints.begin(), constraints.end(),
                                    [](const VrmConstraint& one) { return one.roll; });
    if (!write.vrm.faces_front)
      console.warn(fmt::format("{}: the body does not face +z, as VRM requires: rotate the mesh", file));
  }
  if (t_pose || vrm_) {
    SINEW_TRY(const TPose made, make_t_pose(rig));
    write.edit.geometry = write.edit.keys = true;
    report["t_pose"] = {{"degrees", made.degrees}, {"rms", made.rms}};
    console.note(
        fmt::format("{}: T pose: arms rotated by up to {:.0f} degrees; clips differ by {:.2f} % of the "
                    "diagonal (rms)",
                    file, made.degrees, 100 * made.rms));
  }
  if (!axes.empty()) SINEW_CHECK(orient(console, file, rig, report));
  write.edit.names = !names.empty();
  return rename_joints(console, file, names, rig, report);
}

}  // namespace sinew::cli
