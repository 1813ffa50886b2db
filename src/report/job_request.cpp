// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/job_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sinew/binding/weight_methods.h"
#include "sinew/core/text.h"
#include "sinew/pipeline/auto_rig.h"
#include "sinew/pipeline/export_target.h"
#include "sinew/skeleton/conventions.h"

namespace sinew {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostJoints = 4096;

// A text member, or what it is where it is missing or null.
Result<std::string> text_of(const Json& object, const char* key, const std::string& otherwise) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return otherwise;
  if (!found->is_string()) return usage_error(fmt::format("'{}' must be text", key));
  return found->get<std::string>();
}

// Only what is in the list: a template could otherwise be a path.
template <class Names>
Result<void> one_of(const char* key, const std::string& value, const Names& names) {
  if (std::any_of(std::begin(names), std::end(names), [&](const auto& name) { return value == name; }))
    return {};
  std::string list;
  for (const auto& name : names) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
  return usage_error(fmt::format("'{}' is '{}'; there are {}", key, printable(value), list));
}

Result<Vec3> point_of(const Json& value, std::size_t joint) {
  const Error problem = usage_error(fmt::format("joint {}: a position has three numbers", joint));
  if (!value.is_array() || value.size() != 3) return problem;
  Vec3 point;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!value[k].is_number()) return problem;
    point[static_cast<Eigen::Index>(k)] = value[k].get<double>();
  }
  if (!point.allFinite()) return problem;
  return point;
}

Result<std::vector<JointPlace>> joints_of(const Json& document) {
  std::vector<JointPlace> places;
  const auto list = document.find("joints");
  if (list == document.end() || list->is_null()) return places;
  if (!list->is_array() || list->size() > kMostJoints)
    return usage_error(fmt::format("'joints' must be a list of at most {}", kMostJoints));
  for (const Json& joint : *list) {
    const std::size_t j = places.size();
    if (!joint.is_object()) return usage_error(fmt::format("joint {} is not an object", j));
    JointPlace place;
    SINEW_TRY(place.name, text_of(joint, "name", fmt::format("joint{}", j)));
    const auto parent = joint.find("parent");
    if (parent == joint.end() || !parent->is_number_integer() ||
        std::abs(parent->get<double>()) > kMostJoints)
      return usage_error(fmt::format("joint {}: 'parent' must be the index of a joint, or -1", j));
    place.parent = parent->get<int>();
    const auto position = joint.find("position"), tail = joint.find("tail");
    if (position == joint.end()) return usage_error(fmt::format("joint {} has no 'position'", j));
    SINEW_TRY(place.head, point_of(*position, j));
    if (tail != joint.end() && !tail->is_null()) {
      SINEW_TRY(place.tail, point_of(*tail, j));
    }
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<std::string_view> weight_list() {
  std::vector<std::string_view> names;
  for (const WeightMethod& method : weight_methods()) names.push_back(method.name);
  return names;
}

std::vector<std::string_view> target_list() {
  std::vector<std::string_view> names;
  for (const ExportTarget& target : export_targets())
    if (!target.vrm) names.push_back(target.name);  // asks for an author and a licence
  return names;
}

Result<std::size_t> count_of(const Json& object, const char* key, std::size_t otherwise, std::size_t most) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return otherwise;
  if (!found->is_number() ||
      !(found->get<double>() >= 0 && found->get<double>() <= static_cast<double>(most)))
    return usage_error(fmt::format("'{}' must be a number from 0 to {}", key, most));
  return static_cast<std::size_t>(found->get<double>());
}

Result<bool> flag_of(const Json& object, const char* key, bool otherwise) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return otherwise;
  if (!found->is_boolean()) return usage_error(fmt::format("'{}' must be true or false", key));
  return found->get<bool>();
}

constexpr std::initializer_list<const char*> kQualities{"fast", "flesh"};

Result<SolveJob> solve_job_of(const Json& document, JobFile file) {
  SolveJob job;
  job.file = std::move(file);
  SINEW_TRY(job.stiffness, text_of(document, "stiffness", ""));
  SINEW_TRY(job.quality, text_of(document, "quality", job.quality));
  SINEW_CHECK(one_of("quality", job.quality, kQualities));
  return job;
}

Result<ExportJob> export_job_of(const Json& document, JobFile file) {
  ExportJob job;
  job.file = std::move(file);
  SINEW_TRY(job.target, text_of(document, "target", job.target));
  SINEW_CHECK(one_of("target", job.target, target_list()));
  SINEW_TRY(const std::size_t influences, count_of(document, "influences", 4, 8));
  if (influences != 4 && influences != 8) return usage_error("'influences' must be 4 or 8");
  job.influences = static_cast<int>(influences);
  SINEW_TRY(job.helpers, count_of(document, "helpers", job.helpers, 256));
  SINEW_TRY(job.morphs, count_of(document, "morphs", job.morphs, 256));
  SINEW_TRY(job.keep, flag_of(document, "keep", job.keep));
  return job;
}

Result<RigJob> rig_job_of(const Json& document, JobFile file) {
  RigJob job;
  job.file = std::move(file);
  SINEW_TRY(job.skeleton_template, text_of(document, "template", ""));
  SINEW_TRY(job.weights, text_of(document, "weights", job.weights));
  SINEW_TRY(job.names, text_of(document, "names", job.names));
  SINEW_TRY(job.quality, text_of(document, "quality", job.quality));
  SINEW_TRY(job.joints, joints_of(document));
  if (!job.skeleton_template.empty()) SINEW_CHECK(one_of("template", job.skeleton_template, template_list()));
  SINEW_CHECK(one_of("weights", job.weights, weight_list()));
  SINEW_CHECK(one_of("names", job.names, convention_names()));
  SINEW_CHECK(one_of("quality", job.quality, kQualities));
  return job;
}

}  // namespace

Result<JobRequest> parse_job(const std::string& body, const FindFile& find) {
  const Json document = Json::parse(body, nullptr, false);
  if (!document.is_object()) return usage_error("the body must be a JSON object");
  JobRequest request;
  SINEW_TRY(request.kind, text_of(document, "kind", ""));
  SINEW_CHECK(
      one_of("kind", request.kind,
             std::initializer_list<const char*>{"rig", "solve", "export", "retarget", "reference", "check"}));
  SINEW_TRY(const std::string id, text_of(document, "file", ""));
  SINEW_TRY(JobFile file, find(id));
  if (request.kind == "rig") {
    SINEW_TRY(RigJob job, rig_job_of(document, std::move(file)));
    request.work = [job = std::move(job)](const Progress& progress) { return run_rig_job(job, progress); };
  } else if (request.kind == "solve") {
    SINEW_TRY(SolveJob job, solve_job_of(document, std::move(file)));
    request.work = [job = std::move(job)](const Progress& progress) { return run_solve_job(job, progress); };
  } else if (request.kind == "export") {
    SINEW_TRY(ExportJob job, export_job_of(document, std::move(file)));
    request.work = [job = std::move(job)](const Progress& progress) { return run_export_job(job, progress); };
  } else if (request.kind == "retarget") {
    RetargetJob job;
    job.file = std::move(file);
    SINEW_TRY(const std::string motion, text_of(document, "motion", ""));
    SINEW_TRY(job.motion, find(motion));
    SINEW_TRY(job.keep_feet, flag_of(document, "keepFeet", job.keep_feet));
    request.work = [job = std::move(job)](const Progress& progress) {
      return run_retarget_job(job, progress);
    };
  } else {
    const auto run = request.kind == "check" ? run_check_job : run_reference_job;
    request.work = [run, file = std::move(file)](const Progress& progress) { return run(file, progress); };
  }
  return request;
}

nlohmann::ordered_json job_choices() {
  Json weights = Json::array();
  for (const WeightMethod& method : weight_methods())
    weights.push_back({{"name", method.name}, {"summary", method.summary}});
  return {{"weights", weights},
          {"templates", template_list()},
          {"names", convention_names()},
          {"targets", target_list()}};
}

}  // namespace sinew
