// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/reweight.h"

#include <fmt/format.h>

#include "bind_options.h"
#include "sinew/io/write_mesh.h"
#include "verbs.h"
#include "words.h"

namespace sinew::cli {
namespace {

struct ReweightArguments {
  std::string in, out, mirror, from;
  int weight_bits = 0;
  ReweightRequest request;
};

Result<void> run_reweight(const ReweightArguments& options, const Console& console) {
  SINEW_CHECK(writable_kind(options.out));
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  ReweightRequest request = options.request;
  if (!options.mirror.empty()) {
    const bool negative = options.mirror[0] == '-';
    const std::string axis = options.mirror.substr(negative ? 1 : 0);
    if (axis != "x" && axis != "y" && axis != "z")
      return usage_error(
          fmt::format("--mirror '{}': give x, y or z (the + side is copied), or -x, -y, -z", options.mirror));
    request.mirror = axis[0] - 'x';
    request.mirror_from_positive = !negative;
  }
  SINEW_TRY(Asset asset, console.read(options.in));
  console.warnings(options.in, asset.warnings);
  Asset other;
  if (!options.from.empty()) {
    SINEW_TRY(other, console.read(options.from));
    console.warnings(options.from, other.warnings);
    request.from = &other.rig;
  }
  Result<BindReport> report = reweight(asset.rig, request);
  if (!report) return Error{report.error().code, fmt::format("{}: {}", options.in, report.error().message)};
  console.warnings(options.in, report->warnings);
  GltfWriteOptions write;
  write.influences = request.influences;
  write.weight_bits = options.weight_bits;
  write.edit.skin = true;
  SINEW_CHECK(save_asset(asset, options.out, console.overwrite(), write));
  console.print(to_json(*report),
                fmt::format("{}: weights of {}; largest pruning error {:.3f}", options.out,
                            counted(report->vertices, "vertex", "vertices"), report->pruning_error));
  return {};
}

}  // namespace

void add_reweight(Program& program) {
  auto options = std::make_shared<ReweightArguments>();
  const Verb verb =
      add_verb(program, "reweight", "edit weights: prune, smooth, mirror, or transfer from another mesh",
               "  sinew reweight rig.glb --smooth 3 --prune 4 -o softer.glb\n"
               "  sinew reweight rig.glb --mirror x -o symmetric.glb\n"
               "  sinew reweight shirt.obj --from body.glb -o shirt.glb\n");
  verb.option("IN", options->in, "the rig, or with --from any mesh").required();
  verb.option("-o,--output", options->out, "the rig: .glb or .gltf").required();
  verb.option("--from", options->from, "transfer weights from the nearest surface points of this rig");
  verb.option("--mirror", options->mirror,
              "x, y or z: copy weights from the + side to the - side of this axis; -x, -y, -z: from - to +");
  verb.option("--smooth", options->request.smooth, "iterations of smoothing over the mesh").range(0, 1000);
  verb.option("--prune", options->request.influences, "maximum influences per vertex")
      .range(1, 64)
      .show_default();
  add_quantise(verb, options->weight_bits);
  verb.runs([&program, options] { return run_reweight(*options, program.console); });
}

}  // namespace sinew::cli
