// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/cage.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "setting_options.h"
#include "sinew/core/text.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "sinew/player/shape_key.h"
#include "sinew/report/report_json.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

struct CageBindArguments {
  std::string in, out, cage, from, cage_out;
  bool automatic = false;
  SettingOptions settings;
};

struct CagePoseArguments {
  std::string in, out;
  std::vector<std::string> moved;
  bool apply = false;
};

// The most memory that the process has had so far.
double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Result<CageReport> bind_one(const CageBindArguments& options, const CageRequest& request,
                            const Console& console, Asset& asset) {
  if (!options.from.empty()) {
    SINEW_TRY(const Asset solved, console.read(options.from));
    console.warnings(options.from, solved.warnings);
    if (solved.rig.cages.empty())
      return impossible(fmt::format("{}: it has no cage; `sinew cage bind` makes one", options.from));
    auto report = bind_solved_cage(asset.rig, solved.rig.cages.front(), request);
    if (!report) return in_file(options.from, report.error());
    return report;
  }
  if (options.automatic) {
    auto report = bind_auto_cage(asset.rig, request);
    if (!report) return in_file(options.in, report.error());
    return report;
  }
  SINEW_TRY(Asset cage, console.read(options.cage));
  console.warnings(options.cage, cage.warnings);
  auto report = bind_cage(asset.rig, std::move(cage.rig.mesh), request);
  if (!report) return in_file(options.cage, report.error());
  return report;
}

Result<void> run_cage_bind(const CageBindArguments& options, const Console& console) {
  const int ways = !options.cage.empty() + !options.from.empty() + options.automatic;
  if (ways != 1) return usage_error("give one of --cage FILE, --auto and --from SOLVED.glb");
  SINEW_TRY(const Settings given, options.settings.given());
  SINEW_TRY(CageRequest request, read_settings<CageRequest>(cage_settings(), given));
  request.progress = console.progress();
  SINEW_TRY(const FileKind kind, writable_kind(options.out));
  if (kind != FileKind::kGlb && kind != FileKind::kGltf)
    return usage_error(fmt::format("{}: a bound cage is kept in a .glb or .gltf file", options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  if (!options.cage_out.empty()) {
    SINEW_CHECK(writable_kind(options.cage_out));
    SINEW_CHECK(check_writable(options.cage_out, console.overwrite()));
  }
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  SINEW_TRY(const CageReport report, bind_one(options, request, console, asset));
  console.warnings(options.cage.empty() ? options.in : options.cage, report.warnings);
  GltfWriteOptions write;
  write.edit.cages = true;
  SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  if (!options.cage_out.empty())
    for (const Cage& cage : asset.rig.cages)
      if (cage.name == request.name) SINEW_CHECK(save_mesh(cage.mesh, options.cage_out, console.overwrite()));
  Json document = to_json(report);
  document["memory_mb"] = peak_megabytes();
  console.print(
      document,
      fmt::format("{}: {} control points on {} cells in {:.2f} s, reproduction error {:.1e} of its size",
                  options.out, report.controls, report.cells, report.seconds, report.reproduction_error));
  return {};
}

// "FILE" moves the only cage, "NAME=FILE" the one of that name: its number and the file.
Result<std::pair<std::size_t, std::string>> split_moved(const Rig& rig, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos)
    for (std::size_t c = 0; c < rig.cages.size(); ++c)
      if (rig.cages[c].name == text.substr(0, equals)) return std::pair(c, text.substr(equals + 1));
  if (rig.cages.size() == 1) return std::pair(std::size_t{0}, text);
  std::string names;
  for (const Cage& cage : rig.cages) names += (names.empty() ? "" : ", ") + printable(cage.name);
  return usage_error(fmt::format("--moved '{}': give NAME=FILE, the cages are {}", printable(text), names));
}

Result<void> run_cage_pose(const CagePoseArguments& options, const Console& console) {
  SINEW_TRY(const FileKind kind, writable_kind(options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  if (asset.rig.cages.empty())
    return impossible(fmt::format("{}: it has no cage; `sinew cage bind` makes one", options.in));
  DeformChoice choice;
  SINEW_TRY(choice.stack, stack_with(asset.rig, "cage"));
  if (kind == FileKind::kGlb || kind == FileKind::kGltf) choice.stack = without_subdivision(choice.stack);
  choice.controls.cages.resize(asset.rig.cages.size());
  for (const std::string& text : options.moved) {
    SINEW_TRY(const auto one, split_moved(asset.rig, text));
    SINEW_TRY(Asset moved, console.read(one.second));
    choice.controls.cages[one.first] = std::move(moved.rig.mesh.positions);
  }
  SINEW_TRY(Pose pose, make_pose(asset.rig, {}));
  auto posed = timed_frame(asset.rig, pose, choice);
  if (!posed) return in_file(options.in, posed.error());
  TimedFrame frame = *std::move(posed);
  GltfWriteOptions write;
  if (kind != FileKind::kGlb && kind != FileKind::kGltf) {
    SINEW_CHECK(save_posed(asset, frame.mesh, options.out, console.overwrite()));
  } else if (options.apply) {
    write.without_skin = true;
    asset.rig.mesh = std::move(frame.mesh);
    SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  } else {
    add_shape_as_key(asset.rig, pose, frame.mesh.positions, asset.rig.cages.front().name);
    write.edit.keys = true;
    SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  }
  console.print({{"deformer", "cage"}, {"milliseconds", frame.milliseconds}},
                fmt::format("{}: {} deformed by its cage, {:.3f} ms per frame", options.out, options.in,
                            frame.milliseconds));
  return {};
}

void add_cage_bind(Program& program, const Verb& verb) {
  auto options = std::make_shared<CageBindArguments>();
  const Verb bind = verb.action("bind", "compute a cage's coordinates and bind a mesh to its control points");
  bind.option("MESH", options->in, "the mesh or rig").required();
  bind.option("--cage", options->cage, "a closed mesh around it, or around a part of it");
  bind.flag("--auto", options->automatic, "generate the cage from a solid voxel grid of the mesh");
  bind.option("--cage-out", options->cage_out,
              "also write the cage as a mesh, to move its control points elsewhere");
  bind.option("--from", options->from, "reuse the solved cage of this .glb (bound with --keep or --dynamic)");
  options->settings.add_table<CageRequest>(bind, cage_settings());
  bind.option("-o,--output", options->out, "the rig with its cage: .glb or .gltf").required();
  bind.runs([&program, options] { return run_cage_bind(*options, program.console); });
}

void add_cage_pose(Program& program, const Verb& verb) {
  auto options = std::make_shared<CagePoseArguments>();
  const Verb pose = verb.action("pose", "move the control points and write the deformed mesh");
  pose.option("IN", options->in, "a rig with a cage: .glb or .gltf").required();
  pose.repeatable("--moved", options->moved,
                  "FILE, or NAME=FILE: the cage with its control points moved, in the same order; repeatable")
      .required();
  pose.option("-o,--output", options->out,
              "the file to write: .obj, .ply, .off, .stl: the mesh; .glb: the rig with the shape as a key")
      .required();
  pose.flag("--apply", options->apply, "write the deformed mesh, without a skin, to a .glb");
  pose.runs([&program, options] { return run_cage_pose(*options, program.console); });
}

}  // namespace

void add_cage(Program& program) {
  const Verb verb = add_verb(program, "cage", "bind a mesh to a cage, and deform it by the cage",
                             "  sinew cage bind cow.obj --cage box.obj --resolution 6 -o cow.glb\n"
                             "  sinew cage pose cow.glb --moved box2.obj -o moved.obj\n"
                             "  sinew cage bind biped.glb --auto --cage-out cage.obj -o caged.glb\n"
                             "  sinew cage bind biped.glb --auto --skin -o soft.glb\n");
  add_cage_bind(program, verb);
  add_cage_pose(program, verb);
}

}  // namespace sinew::cli
