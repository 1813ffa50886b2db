// SPDX-License-Identifier: Apache-2.0
// Functions that give a rig with something added: keys, cages, a stack, point handles.
#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "choices.h"
#include "job.h"
#include "nouns.h"
#include "sinew/binding/point_handles.h"
#include "sinew/pipeline/cage.h"
#include "sinew/pipeline/keys.h"
#include "sinew/pipeline/unpose.h"
#include "sinew/report/report_json.h"
#include "sinew/rig/key_names.h"

namespace sinew::python {
namespace {

// --- shape keys ---

ExampleRequest example_of(const std::string& key, const nb::dict& options) {
  ExampleRequest example;
  example.key = key;
  take(options, "space", example.space);
  take(options, "radius", example.radius);
  std::map<std::string, double> drive, channels;
  take(options, "drive", drive);
  take(options, "channels", channels);
  example.joints.assign(drive.begin(), drive.end());
  for (const auto& [name, value] : channels) example.channels.push_back({name, value, 1});
  return example;
}

std::vector<std::string> unpose_warnings(const UnposeReport& report) {
  std::vector<std::string> warnings = report.warnings;
  if (!report.singular.empty())
    warnings.push_back(fmt::format("{} of {} edited vertices have no way back out of the pose and stay",
                                   report.singular.size(), report.changed));
  return warnings;
}

void set_key_mask(Rig& rig, const std::string& key, const std::string& mask) {
  value_of(find_key(rig, key));
  const std::string wanted = mask == "none" ? "" : mask;
  value_of(mask_weights(rig, wanted));
  for (const std::size_t k : keys_named(rig, key)) rig.keys[k].mask = wanted;
}

// `shape`: bind space; with `pose`: sculpted in that pose, world space. None: the key is there already.
RigObject add_shape(const RigObject& before, const std::string& name, nb::handle shape,
                    const nb::object& pose, const nb::object& example, const nb::dict& options,
                    const nb::dict& settings, const nb::object& progress) {
  Asset asset = *before.asset;
  Rig& rig = asset.rig;
  std::vector<std::string> warnings;
  std::optional<ExampleRequest> wanted;
  if (!example.is_none()) wanted = example_of(name, nb::cast<nb::dict>(example));
  if (wanted && pose.is_none()) raise(parameter_error("example", "needs the pose that switches the key on"));
  std::vector<Vec3> points;
  if (!shape.is_none()) points = to_points(points_of(shape, "shape", rig.mesh.vertex_count()));
  if (!shape.is_none() && !pose.is_none()) {
    DeformChoice choice;
    choice.stack = stack_of(rig, settings);
    const Pose at = pose_of(rig, nb::cast<nb::tuple>(pose));
    UnposeReport report;
    warnings = run_job(progress, [&](const Progress* live) {
      choice.progress = live;
      return add_sculpted_key(rig, name, at, choice, points, wanted, report);
    });
    for (std::string& text : unpose_warnings(report)) warnings.push_back(std::move(text));
  } else {
    if (!shape.is_none()) value_of(add_key(rig, name, points));
    if (wanted) warnings = value_of(add_example(rig, pose_of(rig, nb::cast<nb::tuple>(pose)), *wanted));
  }
  if (std::string mask; take(options, "mask", mask)) set_key_mask(rig, name, mask);
  if (std::string what; take(options, "remove", what)) value_of(remove_from_key(rig, what, name));
  RigObject made = changed(before, std::move(asset));
  made.edit.keys = true;
  made.warnings = std::move(warnings);
  return made;
}

nb::tuple unpose(const RigObject& self, nb::handle edited, const nb::tuple& pose, const nb::dict& settings,
                 const nb::object& progress) {
  const Rig& rig = self.rig();
  const std::vector<Vec3> points = to_points(points_of(edited, "edited", rig.mesh.vertex_count()));
  const Pose at = pose_of(rig, pose);
  DeformChoice choice;
  choice.stack = stack_of(rig, settings);
  UnposeReport report;
  auto rest = std::make_shared<const std::vector<Vec3>>(run_job(progress, [&](const Progress* live) {
    choice.progress = live;
    return unposed(rig, at, choice, points, report);
  }));
  nb::dict figures;
  figures["changed"] = report.changed;
  figures["singular_vertices"] = report.singular;
  figures["residual"] = report.residual;
  figures["warnings"] = unpose_warnings(report);
  return nb::make_tuple(view(rest, rest->empty() ? nullptr : (*rest)[0].data(), {rest->size(), 3}), figures);
}

// --- cages ---

RigObject bind_to_cage(const RigObject& before, const MeshObject* cage, const RigObject* solved,
                       const nb::dict& settings, const nb::object& progress) {
  CageRequest request =
      value_of(read_settings<CageRequest>(cage_settings(), settings_of(cage_settings(), settings, "cage")));
  if (solved && solved->rig().cages.empty()) raise(impossible("source has no cage that could be taken over"));
  Asset asset = *before.asset;
  const CageReport report = run_job(progress, [&](const Progress* live) -> Result<CageReport> {
    request.progress = live;
    if (solved) return bind_solved_cage(asset.rig, solved->rig().cages.front(), request);
    if (cage) return bind_cage(asset.rig, *cage->mesh, request);
    return bind_auto_cage(asset.rig, request);
  });
  RigObject made = changed(before, std::move(asset));
  made.edit.cages = true;
  made.report = to_json(report);
  made.warnings = report.warnings;
  return made;
}

// --- stack and handles ---

RigObject set_stack(const RigObject& before, const std::string& order, const nb::dict& masks,
                    const nb::dict& settings, const nb::object& progress) {
  Asset asset = *before.asset;
  if (!order.empty()) asset.rig.stack = value_of(reorder(sinew::stack_of(asset.rig), order));
  DeformChoice choice;
  choice.stack = stack_of(asset.rig, settings);
  for (const auto& [step, mask] : masks) {
    const std::size_t k = value_of(find_stack_entry(choice.stack, nb::cast<std::string>(step)));
    const std::string where = mask.is_none() ? "" : nb::cast<std::string>(mask);
    value_of(mask_weights(asset.rig, where));
    if (choice.stack[k].step == "subdivide" && !where.empty())
      raise(parameter_error("masks", "name subdivide: subdivision takes no mask"));
    choice.stack[k].mask = where;
  }
  // What cannot run is not kept.
  const std::vector<std::string> made_for =
      run_job(progress, [&](const Progress* live) -> Result<std::vector<std::string>> {
        choice.progress = live;
        SINEW_TRY(ReadyDeformer ready, ready_deformer(asset.rig, choice));
        return std::move(ready.made);
      });
  asset.rig.stack = choice.stack;
  RigObject made = changed(before, std::move(asset));
  made.edit.stack = true;
  made.warnings = made_for;
  return made;
}

RigObject add_points(const RigObject& before, nb::handle points, const nb::dict& options,
                     const nb::object& progress) {
  PointHandlesRequest request;
  take(options, "voxels", request.voxels);
  take(options, "tips", request.tips);
  take(options, "threshold", request.threshold);
  if (!points.is_none()) request.points = to_points(points_of(points, "points"));
  Asset asset = *before.asset;
  const PointHandlesReport report = run_job(progress, [&](const Progress* live) {
    request.progress = live;
    return make_point_handles(asset.rig, request);
  });
  RigObject made = changed(before, std::move(asset));
  made.edit.cages = true;
  made.warnings = report.warnings;
  return made;
}

// One frame in full precision, with what hands have moved.
MeshObject posed(const RigObject& self, const nb::tuple& pose, const nb::dict& cages, const nb::dict& held,
                 const nb::dict& settings, const nb::object& progress) {
  const Rig& rig = self.rig();
  DeformChoice choice;
  choice.stack = stack_of(rig, settings);
  choice.controls.cages.resize(rig.cages.size());
  for (const auto& [name, points] : cages) {
    const std::string wanted = nb::cast<std::string>(name);
    const auto found = std::find_if(rig.cages.begin(), rig.cages.end(),
                                    [&](const Cage& cage) { return cage.name == wanted; });
    if (found == rig.cages.end())
      raise(parameter_error("cages", "name '" + wanted + "', which the rig has not"));
    choice.controls.cages[static_cast<std::size_t>(found - rig.cages.begin())] =
        to_points(points_of(points, "cages", found->mesh.vertex_count()));
  }
  for (const auto& [vertex, place] : held) {
    const auto i = nb::cast<std::size_t>(vertex);
    const auto p = nb::cast<std::vector<double>>(place);
    if (i >= rig.mesh.vertex_count() || p.size() != 3)
      raise(parameter_error("handles", "must be places (x, y, z) by the numbers of vertices"));
    choice.held.push_back({static_cast<std::uint32_t>(i), Vec3(p[0], p[1], p[2])});
  }
  const Pose at = pose_of(rig, pose);
  PolyMesh mesh = run_job(progress, [&](const Progress* live) {
    choice.progress = live;
    return posed_mesh(rig, at, choice);
  });
  return {std::make_shared<const PolyMesh>(std::move(mesh))};
}

}  // namespace

void add_edits(nb::module_& module) {
  module.def("add_key", add_shape, nb::arg("rig"), nb::arg("name"), nb::arg("shape").none(),
             nb::arg("pose").none(), nb::arg("example").none(), nb::arg("options"), nb::arg("settings"),
             nb::arg("progress").none());
  module.def("unpose", unpose, nb::arg("rig"), nb::arg("edited").none(), nb::arg("pose"), nb::arg("settings"),
             nb::arg("progress").none());
  module.def("cage", bind_to_cage, nb::arg("rig"), nb::arg("cage").none(), nb::arg("source").none(),
             nb::arg("settings"), nb::arg("progress").none());
  module.def("stack", set_stack, nb::arg("rig"), nb::arg("order"), nb::arg("masks"), nb::arg("settings"),
             nb::arg("progress").none());
  module.def("handles", add_points, nb::arg("rig"), nb::arg("points").none(), nb::arg("options"),
             nb::arg("progress").none());
  module.def("posed_mesh", posed, nb::arg("rig"), nb::arg("pose"), nb::arg("cages"), nb::arg("handles"),
             nb::arg("settings"), nb::arg("progress").none());
}

}  // namespace sinew::python
