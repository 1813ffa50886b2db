// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/prepare.h"

#include <fmt/format.h>

#include <chrono>

#include "binding/endpoints.h"
#include "sinew/binding/elastic_setup.h"
#include "sinew/binding/flesh.h"
#include "sinew/binding/joint_weights.h"

namespace sinew {

bool is_ready(const Rig& rig, const DeformerNeeds& needs) {
  return !needs.elastic && (!needs.endpoints || !rig.endpoint.empty()) &&
         (!needs.joint_weights || !rig.joint_weights.empty()) && (!needs.flesh || !rig.flesh.empty());
}

Result<PrepareReport> prepare(Rig& rig, const DeformerNeeds& needs, DeformerData& data,
                              const Progress* progress) {
  const auto start = std::chrono::steady_clock::now();
  PrepareReport report;
  if (needs.elastic && !data.elastic) {
    SINEW_TRY(ElasticSetup setup, elastic_setup(rig, *needs.elastic, progress));
    report.made.push_back(fmt::format("a solid voxel grid of {} vertices was made for the elastic solve",
                                      setup.grid.vertex_count()));
    data.elastic = std::make_shared<const ElasticSetup>(std::move(setup));
  }
  if (needs.joint_weights && rig.joint_weights.empty()) {
    SINEW_TRY(const JointWeightsReport made,
              make_joint_weights(rig, {.method = "skin", .voxels = needs.voxels, .progress = progress}));
    report.made.push_back(fmt::format(
        "the file has no joint weights: computed from the skin weights in {:.1f} s; `sinew rig` stores "
        "better ones",
        made.seconds));
    report.made.insert(report.made.end(), made.warnings.begin(), made.warnings.end());
  }
  if (needs.flesh && rig.flesh.empty()) {
    SINEW_TRY(BindingContext context, BindingContext::make(rig, needs.voxels, progress));
    FleshRequest request;
    request.progress = progress;
    SINEW_TRY(const FleshReport made, make_flesh(rig, context, request));
    report.made.push_back(
        fmt::format("the file has no flesh data: computed in {:.1f} s; `sinew rig` stores it", made.seconds));
    report.made.insert(report.made.end(), made.warnings.begin(), made.warnings.end());
  }
  if (needs.endpoints && rig.endpoint.empty()) {
    rig.endpoint = projected_endpoints(rig);
    report.made.push_back(
        "the file has no endpoint weights: computed by projection; `sinew rig` stores them");
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
