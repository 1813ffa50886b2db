// SPDX-License-Identifier: Apache-2.0
#include "bind_options.h"
#include "verbs.h"

namespace sinew::cli {

void add_rig(Program& program) {
  auto options = std::make_shared<BindOptions>();
  options->request.endpoint = kRigEndpoint;
  options->request.joint_weights = "none";
  options->quality = "flesh";
  options->finds = true;
  const Verb verb = add_verb(program, "rig", "rig a mesh: fit a skeleton, compute weights and deformer data",
                             "  sinew rig body.obj -o body.glb\n"
                             "  sinew rig body.obj --template biped -o body.glb\n"
                             "  sinew rig scan.ply --skeleton bones.bvh -o scan.glb\n"
                             "  sinew rig crowd.obj --quality fast -o crowd.glb\n"
                             "  sinew rig hero.obj --tolerance 1.08 --range motion.json -o hero.glb\n"
                             "  sinew rig hero.glb --range clips --stiffness Head=20 -o hero.glb --force\n");
  options->add_to(verb);
  options->add_flesh_to(verb);
  verb.runs([&program, options]() -> Result<void> {
    Asset asset;
    Json document = Json::object();
    SINEW_TRY(const BindReport report, options->run(program.console, asset, document));
    document["joints"] = joints_to_json(asset.rig);
    document.update(to_json(report));
    program.console.print(document, to_text(options->out, report));
    return {};
  });
}

}  // namespace sinew::cli
