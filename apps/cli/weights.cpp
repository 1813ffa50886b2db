// SPDX-License-Identifier: Apache-2.0
#include "bind_options.h"
#include "verbs.h"

namespace sinew::cli {

void add_weights(Program& program) {
  auto options = std::make_shared<BindOptions>();
  options->request.joint_weights.clear();
  const Verb verb =
      add_verb(program, "weights", "bind a mesh to a skeleton: compute skinning weights",
               "  sinew weights body.obj --skeleton bones.json -o body.glb\n"
               "  sinew weights rig.glb --method geodesic -o rebound.glb\n"
               "  sinew weights rig.glb --method envelope --radii LeftArm=0.08 --smoothing 2 -o soft.glb\n");
  options->add_to(verb);
  verb.runs([&program, options]() -> Result<void> {
    Asset asset;
    Json document = Json::object();
    SINEW_TRY(const BindReport report, options->run(program.console, asset, document));
    document.update(to_json(report));
    program.console.print(document, to_text(options->out, report));
    return {};
  });
}

}  // namespace sinew::cli
