// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/report_json.h"

#include <nlohmann/json.hpp>

namespace sinew {

using Json = nlohmann::ordered_json;

Json to_json(const BindReport& report) {
  Json pruned = Json::array();
  for (const BindReport::PrunedJoint& loss : report.pruned)
    pruned.push_back({{"joint", loss.joint}, {"largest", loss.largest}, {"vertices", loss.vertices}});
  Json flesh;
  if (report.flesh) {
    Json joints = Json::array();
    for (const FleshJointReport& joint : report.flesh->joints)
      joints.push_back({{"joint", joint.joint},
                        {"without_fields", joint.bare},
                        {"worst", joint.worst},
                        {"mean", joint.mean},
                        {"modes", joint.modes},
                        {"vertices", joint.vertices}});
    flesh = {{"seconds", report.flesh->seconds},     {"worst", report.flesh->worst},
             {"mean", report.flesh->mean},           {"field_bytes", report.flesh->field_bytes},
             {"unreached", report.flesh->unreached}, {"joints", std::move(joints)}};
  }
  return {{"method", report.method},
          {"seconds", report.seconds},
          {"vertices", report.vertices},
          {"bones", report.bones},
          {"unweighted", report.unweighted},
          {"max_row_error", report.max_row_error},
          {"min", report.min},
          {"max", report.max},
          {"islands", report.islands},
          {"following", report.following},
          {"filled", report.filled},
          {"clamped", report.clamped},
          {"pruning_error", report.pruning_error},
          {"pruned", pruned},
          {"voxels", report.voxels},
          {"iterations", report.iterations},
          {"flesh", std::move(flesh)}};
}

Json to_json(const BatchReport& report) {
  Json jobs = Json::array();
  for (const JobReport& job : report.jobs) {
    const JobOutcome& outcome = job.outcome;
    const auto known = [&](auto value) { return job.ended ? Json(value) : Json(); };
    jobs.push_back({{"line", job.job.line},
                    {"verb", job.job.verb},
                    {"out", job.job.out},
                    {"exit", known(outcome.exit)},
                    {"seconds", known(outcome.seconds)},
                    {"cpu_seconds", known(outcome.cpu_seconds)},
                    {"peak_mb", known(outcome.peak_mb)},
                    {"attempts", known(outcome.attempts)},
                    {"skipped", job.skipped},
                    {"message", known(outcome.message)}});
  }
  return {{"done", report.done},       {"failed", report.failed},   {"skipped", report.skipped},
          {"waiting", report.waiting}, {"seconds", report.seconds}, {"busy", report.busy},
          {"jobs", std::move(jobs)}};
}

Json joints_to_json(const Rig& rig) {
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

}  // namespace sinew
