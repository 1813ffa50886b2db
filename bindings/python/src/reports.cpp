// SPDX-License-Identifier: Apache-2.0
// Functions that measure a rig, or turn it into one for other programs.
#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>

#include "choices.h"
#include "job.h"
#include "nouns.h"
#include "sinew/io/write_mesh.h"
#include "sinew/pipeline/inbetween.h"
#include "sinew/pipeline/retarget.h"
#include "sinew/report/check_page.h"
#include "sinew/report/compare_page.h"
#include "sinew/report/report_json.h"

namespace sinew::python {
namespace {

nb::object info(const RigObject& self) {
  return to_python(to_json(run_job(nb::none(), [&](const Progress*) { return inspect(*self.asset); })));
}

nb::object compare_rig(const RigObject& self, const nb::dict& options, const std::string& page, bool force,
                       const nb::object& progress) {
  CompareRequest request;
  std::vector<std::pair<std::string, std::string>> pairs;
  take(options, "pairs", pairs);
  for (const auto& [weights, deformer] : pairs) request.pairs.push_back({weights, deformer});
  take(options, "joints", request.joints);
  take(options, "clip_samples", request.clip_samples);
  take(options, "voxels", request.voxels);
  take(options, "rotations", request.rotations);
  take(options, "pictures", request.pictures);
  if (options.contains("poses"))
    for (const auto& [name, set] : nb::cast<nb::dict>(options["poses"])) {
      nb::dict one;
      one["set"] = set;
      request.poses.push_back({nb::cast<std::string>(name), pose_request(one)});
    }
  if (page.empty()) request.pictures = 0;
  const Overwrite overwrite = force ? Overwrite::kYes : Overwrite::kNo;
  if (std::error_code failure; !page.empty() && !force && std::filesystem::exists(page, failure))
    raise(exists_already(page));
  const CompareReport report = run_job(progress, [&](const Progress* live) -> Result<CompareReport> {
    request.progress = live;
    SINEW_TRY(CompareReport made, compare(self.rig(), request));
    if (page.empty()) return made;
    SINEW_CHECK(save_compare_page(self.rig(), made, "rig compared", page, overwrite, live));
    SINEW_CHECK(
        write_file(std::filesystem::path(page) / "report.json", to_json(made).dump(1) + "\n", overwrite));
    return made;
  });
  nlohmann::ordered_json document = to_json(report);
  document["warnings"] = report.warnings;
  return to_python(document);
}

nb::object check_rig(const RigObject& self, const RigObject* against, const nb::dict& settings,
                     std::size_t pictures, bool strict, const std::string& page, bool force,
                     const nb::object& progress) {
  CheckRequest request = value_of(
      read_settings<CheckRequest>(check_settings(), settings_of(check_settings(), settings, "check")));
  if (against) request.against = &against->rig();
  request.pictures = page.empty() ? 0 : pictures;
  const Overwrite overwrite = force ? Overwrite::kYes : Overwrite::kNo;
  if (std::error_code failure; !page.empty() && !force && std::filesystem::exists(page, failure))
    raise(exists_already(page));
  const CheckReport report = run_job(progress, [&](const Progress* live) -> Result<CheckReport> {
    request.progress = live;
    // The weights of a file count as they are stored, until they are edited.
    Asset edited;
    if (self.edit.skin) edited.rig = self.rig();
    request.stored = stored_weights(self.edit.skin ? edited : *self.asset);
    SINEW_TRY(CheckReport made, check(self.rig(), request));
    if (page.empty()) return made;
    SINEW_CHECK(save_check_page(self.rig(), made, "rig", page, overwrite, live));
    SINEW_CHECK(
        write_file(std::filesystem::path(page) / "report.json", to_json(made).dump(1) + "\n", overwrite));
    return made;
  });
  if (strict) value_of(strict_check(report, request));
  nlohmann::ordered_json document = to_json(report);
  document["warnings"] = report.warnings;
  return to_python(document);
}

// `files`: of the motions, for messages; empty: it came from none.
RigObject retarget_rig(const RigObject& before, const std::vector<RigObject>& motions,
                       const std::vector<std::string>& files, const nb::dict& options,
                       const nb::object& progress) {
  RetargetRequest request;
  std::vector<std::string> names;
  bool slide = false, replace = false;
  take(options, "fps", request.fps);
  take(options, "clips", names);
  take(options, "slide", slide);
  take(options, "replace", replace);
  request.keep_feet = !slide;
  if (before.rig().skeleton.deforming_count() == 0)
    raise(impossible("the rig has no skeleton: rig() gives it one"));
  Asset asset = *before.asset;
  if (replace) asset.rig.clips.clear();
  nlohmann::ordered_json clips = nlohmann::ordered_json::array();
  run_job(progress, [&](const Progress* live) -> Result<void> {
    request.progress = live;
    for (std::size_t k = 0; k < motions.size(); ++k) {
      auto made = retarget_clips(motions[k].rig(), names, asset.rig, request);
      if (!made) return files[k].empty() ? made.error() : in_file(files[k], made.error());
      for (RetargetedClip& clip : *made) {
        clip.clip.name = asset.rig.clips[add_clip(asset.rig, clip.clip)].name;
        clips.push_back(to_json(clip, files[k]));
      }
    }
    return {};
  });
  RigObject made = changed(before, std::move(asset));
  made.edit.clips = true;
  made.report = {{"clips", std::move(clips)}};
  return made;
}

RigObject export_rig(const RigObject& before, const nb::dict& options, const nb::dict& settings,
                     const nb::object& progress) {
  const Rig& rig = before.rig();
  ExportRequest request;
  take(options, "influences", request.influences);
  take(options, "helpers", request.helpers);
  take(options, "morphs", request.morphs);
  take(options, "tolerance", request.tolerance);
  take(options, "fps", request.fps);
  take(options, "keep", request.keep);
  take(options, "reference", request.reference_poses);
  take(options, "check", request.grade);
  if (request.influences != 4 && request.influences != 8)
    raise(parameter_error("influences", "is " + std::to_string(request.influences) + ": give 4 or 8"));
  std::vector<std::string> clips;
  if (take(options, "clips", clips))
    for (const std::string& name : clips) request.clips.push_back(value_of(find_clip(rig, name)));
  else
    for (std::size_t c = 0; c < rig.clips.size(); ++c) request.clips.push_back(c);
  request.deform.stack = stack_of(rig, settings);
  ExportedRig made = run_job(progress, [&](const Progress* live) {
    request.progress = request.deform.progress = live;
    return export_plain(rig, request);
  });
  // Targets that nobody changed stay as they are stored.
  const bool new_keys =
      !made.rig.drivers.keys.empty() ||
      std::any_of(rig.keys.begin(), rig.keys.end(), [](const ShapeKey& key) { return !key.mask.empty(); });
  Asset asset = *before.asset;
  asset.rig = std::move(made.rig);
  RigObject result = changed(before, std::move(asset));
  const GltfEdit& was = before.edit;
  result.edit = {was.geometry,
                 true,
                 was.keys || new_keys,
                 true,
                 was.pose,
                 was.stack || !request.keep,
                 was.cages || !request.keep,
                 was.names};
  result.influences = static_cast<int>(request.influences);
  result.sparse = true;
  result.report = to_json(made.certificate);
  result.certificate = result.report.dump();
  result.warnings = std::move(made.made);
  result.warnings.insert(result.warnings.end(), made.warnings.begin(), made.warnings.end());
  return result;
}

nb::object frames_between(const std::vector<MeshObject>& meshes, int frames, const std::string& motion,
                          const nb::object& progress) {
  InbetweenRequest request;
  if (motion != "skeleton" && motion != "paper")
    raise(parameter_error("motion", "is '" + motion + "': give skeleton or paper"));
  if (motion == "paper") request.motion = InbetweenMotion::kPaper;
  request.frames = frames;
  std::vector<PolyMesh> shapes;
  for (const MeshObject& mesh : meshes) shapes.push_back(*mesh.mesh);
  const BakedFrames made = run_job(progress, [&](const Progress* live) {
    request.progress = live;
    return inbetween(shapes, request);
  });
  const std::size_t n = made.positions.empty() ? 0 : made.positions[0].size();
  std::vector<float> numbers;
  numbers.reserve(made.positions.size() * n * 3);
  for (const std::vector<Vec3f>& frame : made.positions)
    for (const Vec3f& p : frame) numbers.insert(numbers.end(), {p.x(), p.y(), p.z()});
  return array(std::move(numbers), {made.positions.size(), n, 3});
}

}  // namespace

void add_reports(nb::module_& module) {
  module.def("info", info, nb::arg("rig"));
  module.def("compare", compare_rig, nb::arg("rig"), nb::arg("options"), nb::arg("page"), nb::arg("force"),
             nb::arg("progress").none());
  module.def("check", check_rig, nb::arg("rig"), nb::arg("against").none(), nb::arg("settings"),
             nb::arg("pictures"), nb::arg("strict"), nb::arg("page"), nb::arg("force"),
             nb::arg("progress").none());
  module.def("retarget", retarget_rig, nb::arg("rig"), nb::arg("motions"), nb::arg("files"),
             nb::arg("options"), nb::arg("progress").none());
  module.def("table", [](const std::string& verb) {
    nb::list made;
    if (verb == "check")
      for (const Descriptor& one : check_settings())
        made.append(describe(one, verb, default_of<CheckRequest>(one)));
    if (verb == "cage")
      for (const Descriptor& one : cage_settings())
        made.append(describe(one, verb, default_of<CageRequest>(one)));
    return made;
  });
  module.def("export", export_rig, nb::arg("rig"), nb::arg("options"), nb::arg("settings"),
             nb::arg("progress").none());
  module.def("inbetween", frames_between, nb::arg("shapes"), nb::arg("frames"), nb::arg("motion"),
             nb::arg("progress").none());
}

}  // namespace sinew::python
