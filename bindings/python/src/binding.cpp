// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/map.h>

#include <cmath>
#include <numbers>

#include "job.h"
#include "nouns.h"
#include "sinew/binding/bind.h"
#include "sinew/binding/reweight.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/pipeline/export_target.h"
#include "sinew/pipeline/rig_mesh.h"
#include "sinew/report/report_json.h"
#include "sinew/skeleton/pose.h"

namespace sinew::python {
namespace {

// --- skeletons ---

SkeletonRequest skeleton_request(const nb::dict& options) {
  SkeletonRequest request;
  take(options, "template", request.skeleton_template);
  take(options, "axes", request.axes);
  take(options, "root", request.root);
  take(options, "through_volume", request.volume);
  return request;
}

// Checked before the work; empty: joints keep their names.
std::string naming_of(const nb::dict& options) {
  std::string names;
  if (take(options, "names", names) && !names.empty())
    if (const auto known = check_convention(names); !known.ok()) raise(known.error());
  return names;
}

Error nothing_fits(const FoundSkeleton& found) {
  return impossible(found.problem + "; give the joints with skeleton=, or a template with template=");
}

SkeletonObject find(const std::vector<MeshObject>& meshes, const nb::dict& options,
                    const nb::object& progress) {
  SkeletonRequest request = skeleton_request(options);
  const std::string names = naming_of(options);
  std::vector<const PolyMesh*> poses;
  for (const MeshObject& mesh : meshes) poses.push_back(mesh.mesh.get());
  FoundSkeleton found = run_job(progress, [&](const Progress* live) -> Result<FoundSkeleton> {
    request.progress = live;
    SINEW_TRY(FoundSkeleton made, auto_skeleton(poses, request));
    if (made.skeleton.empty()) return nothing_fits(made);
    if (!names.empty())
      SINEW_CHECK(rename_joints(made.skeleton,
                                global_transforms(made.skeleton, rest_pose(made.skeleton).local), names));
    return made;
  });
  SkeletonObject made;
  made.report = to_json(found);
  made.skeleton = std::make_shared<const Skeleton>(std::move(found.skeleton));
  return made;
}

// --- weights ---

BindRequest bind_request(const nb::dict& options, const nb::dict& settings) {
  BindRequest request;
  take(options, "method", request.method);
  take(options, "influences", request.influences);
  take(options, "voxels", request.voxels);
  take(options, "joint_weights", request.joint_weights);
  take(options, "endpoint", request.endpoint);
  take(options, "endpoint_twist", request.endpoint_twist);
  take(options, "follow", request.islands.layers);
  take(options, "rigid", request.islands.rigid);
  take(options, "add_joint", request.added_joints);
  take(options, "lock", request.locked_joints);
  take(options, "lock_vertices", request.locked_vertices);
  take(options, "strict", request.strict);
  if (bool own = false; take(options, "own_islands", own)) request.islands.decide = !own;
  if (request.voxels != 0 && (request.voxels < 4 || request.voxels > 1024))
    raise(
        parameter_error("voxels", "is " + std::to_string(request.voxels) + ": give a number from 4 to 1024"));
  std::vector<Descriptor> table;
  for (const WeightOption& one : weight_options()) table.push_back(one.descriptor);
  request.settings = settings_of(table, settings, "weights");
  return request;
}

void read_degrees(nb::handle from, MotionRange& range) {
  constexpr const char* kWanted =
      "is not what it must be: give degrees from 0 to 170, {'swing': 90, 'twist': 90}";
  if (!nb::isinstance<nb::dict>(from)) raise(parameter_error("range", kWanted));
  const auto given = nb::borrow<nb::dict>(from);
  for (const auto& [key, degrees] : {std::pair{"swing", &range.swing}, std::pair{"twist", &range.twist}}) {
    double value = 0;
    if (!take(given, key, value)) continue;
    if (!(value >= 0 && value <= 170)) raise(parameter_error("range", kWanted));
    *degrees = value * (std::numbers::pi / 180);
  }
}

// `by_clips`: the ranges are those of the clips.
FleshRequest flesh_request(const nb::dict& options, bool& by_clips) {
  FleshRequest flesh;
  take(options, "tolerance", flesh.tolerance);
  if (!(flesh.tolerance >= 1 && flesh.tolerance <= 10))
    raise(parameter_error("tolerance", "must be from 1 to 10"));
  std::map<std::string, double> stiffness;
  take(options, "stiffness", stiffness);
  for (const auto& [name, value] : stiffness) {
    if (!(value > 0)) raise(parameter_error("stiffness", "of '" + name + "' must be above 0"));
    flesh.elastic.stiffness[name] = value;
  }
  take(options, "stiffness_attribute", flesh.elastic.stiffness_attribute);
  const nb::object range = options.contains("range") ? nb::object(options["range"]) : nb::none();
  if (range.is_none()) return flesh;
  if (nb::isinstance<nb::str>(range) && nb::cast<std::string>(range) == "clips") {
    by_clips = true;
    return flesh;
  }
  read_degrees(range, flesh.range);
  const auto all = nb::borrow<nb::dict>(range);
  if (!all.contains("joints")) return flesh;
  for (const auto& [name, degrees] : nb::cast<nb::dict>(all["joints"])) {
    MotionRange one = flesh.range;
    read_degrees(degrees, one);
    flesh.ranges[nb::cast<std::string>(name)] = one;
  }
  return flesh;
}

// What the rig is to get: joints that are given, else those of a template, else those that fit best.
Result<void> give_skeleton(Rig& rig, const SkeletonObject* skeleton, bool finds,
                           const SkeletonRequest& request, std::vector<std::string>& warnings) {
  if (skeleton) {
    set_skeleton(rig, *skeleton->skeleton);
    return {};
  }
  const bool has_own = rig.skeleton.deforming_count() > 0;
  if (request.skeleton_template.empty() && (has_own || !finds)) {
    if (has_own) return {};
    return impossible("the mesh has no skeleton of its own: give one with skeleton=, or use rig()");
  }
  SINEW_TRY(const SkeletonFor made, find_skeleton_for(rig, request));
  if (!made.given) return nothing_fits(made.found);
  if (made.stretched)
    warnings.push_back("the template does not fit this body and was stretched into its box");
  return {};
}

RigObject bind_rig(const RigObject& before, const SkeletonObject* skeleton, bool finds,
                   const nb::dict& options, const nb::dict& settings, const nb::object& progress) {
  BindRequest request = bind_request(options, settings);
  SkeletonRequest wanted = skeleton_request(options);
  const std::string names = naming_of(options);
  if (skeleton && !wanted.skeleton_template.empty())
    raise(usage_error("give skeleton or template, not both"));
  std::string quality;
  take(options, "quality", quality);
  if (!quality.empty() && quality != "flesh" && quality != "fast")
    raise(parameter_error("quality", "is '" + quality + "': choose fast or flesh"));
  bool by_clips = false;
  if (quality == "flesh") request.flesh = flesh_request(options, by_clips);
  std::vector<std::string> warnings;
  Asset asset = *before.asset;
  const BindReport report = run_job(progress, [&](const Progress* live) -> Result<BindReport> {
    wanted.progress = request.progress = live;
    SINEW_CHECK(give_skeleton(asset.rig, skeleton, finds, wanted, warnings));
    if (!names.empty()) SINEW_CHECK(rename_joints(asset.rig, names));
    if (by_clips) request.flesh->ranges = ranges_of_clips(asset.rig);
    if (by_clips && request.flesh->ranges.empty())
      return parameter_error("range", "is 'clips', and no clip of the rig turns a joint");
    return bind(asset.rig, request);
  });
  RigObject made = changed(before, std::move(asset));
  made.edit.skin = true;
  made.edit.names |= !names.empty();
  made.influences = request.influences;
  made.report = {{"joints", joints_to_json(made.rig())}};
  made.report.update(to_json(report));
  made.warnings = std::move(warnings);
  made.warnings.insert(made.warnings.end(), report.warnings.begin(), report.warnings.end());
  return made;
}

RigObject edit_weights(const RigObject& before, const RigObject* from, const nb::dict& options) {
  ReweightRequest request;
  if (from) request.from = &from->rig();
  std::string mirror;
  if (take(options, "mirror", mirror) && !mirror.empty()) {
    const bool negative = mirror[0] == '-';
    const std::string axis = mirror.substr(negative ? 1 : 0);
    if (axis != "x" && axis != "y" && axis != "z")
      raise(parameter_error("mirror",
                            "is '" + mirror + "': give x, y or z (the + side is copied), or -x, -y, -z"));
    request.mirror = axis[0] - 'x';
    request.mirror_from_positive = !negative;
  }
  take(options, "smooth", request.smooth);
  take(options, "prune", request.influences);
  Asset asset = *before.asset;
  const BindReport report =
      run_job(nb::none(), [&](const Progress*) { return reweight(asset.rig, request); });
  RigObject made = changed(before, std::move(asset));
  made.edit.skin = true;
  made.influences = request.influences;
  made.report = to_json(report);
  made.warnings = report.warnings;
  return made;
}

}  // namespace

void add_binding(nb::module_& module) {
  module.def("find_skeleton", find, nb::arg("meshes"), nb::arg("options"), nb::arg("progress").none());
  module.def("bind", bind_rig, nb::arg("rig"), nb::arg("skeleton").none(), nb::arg("finds"),
             nb::arg("options"), nb::arg("settings"), nb::arg("progress").none());
  module.def("reweight", edit_weights, nb::arg("rig"), nb::arg("source").none(), nb::arg("options"));
  module.def("weight_settings", [] {
    nb::list made;
    for (const WeightOption& option : weight_options())
      for (const auto& [owner, usual] : option.owners)
        made.append(describe(option.descriptor, std::string(owner), usual));
    return made;
  });
  module.def("weight_methods", [] {
    nb::dict made;
    for (const WeightMethod& method : weight_methods())
      made[std::string(method.name).c_str()] = std::string(method.summary);
    return made;
  });
  module.def("with_axes", [](const SkeletonObject& skeleton, const std::string& axes) {
    return SkeletonObject{std::make_shared<const Skeleton>(value_of(with_axes(*skeleton.skeleton, axes)))};
  });
}

}  // namespace sinew::python
