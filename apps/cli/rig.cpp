// SPDX-License-Identifier: Apache-2.0
#include "bind_options.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

Json joints_of(const Rig& rig) {
  Json joints = Json::array();
  const auto globals = bind_transforms(rig);
  for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j) {
    const Vec3 head = globals[j].translation();
    joints.push_back({{"name", rig.skeleton[j].name},
                      {"parent", rig.skeleton[j].parent},
                      {"position", {head.x(), head.y(), head.z()}}});
  }
  return joints;
}

}  // namespace

void add_rig(Program& program) {
  auto options = std::make_shared<BindOptions>();
  // So that every deformer finds what it needs.
  options->request.endpoint = "projection";
  options->joint_weights = "elastic";
  options->finds = true;
  CLI::App* verb = add_verb(program, "rig", "turn a mesh into a rig: skeleton and weights",
                            "  sinew rig body.obj -o body.glb\n"
                            "  sinew rig body.obj --template biped -o body.glb\n"
                            "  sinew rig scan.ply --skeleton bones.bvh -o scan.glb\n");
  options->add_to(verb);
  verb->callback([&program, options] {
    program.run = [&program, options]() -> Result<void> {
      Asset asset;
      SINEW_TRY(const BindReport report, options->run(program.console, asset));
      Json document = {{"joints", joints_of(asset.rig)}};
      document.update(to_json(report));
      program.console.print(document, to_text(options->out, report));
      return {};
    };
  });
}

}  // namespace sinew::cli
