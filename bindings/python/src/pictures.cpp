// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>

#include "choices.h"
#include "job.h"
#include "nouns.h"
#include "sinew/report/picture.h"
#include "sinew/rig/skinned_mesh.h"

namespace sinew::python {
namespace {

struct PictureOptions {
  PictureRequest request;
  PolyMesh other;
  std::vector<std::string> captions;
  int columns = 0;
  bool clay = false;
};

void read_options(const nb::dict& options, PictureOptions& made) {
  PictureRequest& request = made.request;
  std::string text;
  if (take(options, "views", text)) request.render.views = value_of(parse_views(text));
  take(options, "width", request.render.width);
  take(options, "height", request.render.height);
  if (take(options, "up", text)) {
    if (text.size() != 1) raise(parameter_error("up", "is '" + text + "': give x, y or z"));
    request.render.up = text[0];
  }
  std::vector<double> numbers;
  if (take(options, "frame", numbers)) {
    if (numbers.size() != 6) raise(parameter_error("frame", "must be (2, 3): least and largest corner"));
    request.render.frame = Box3(Vec3(numbers.data()), Vec3(numbers.data() + 3));
  }
  if (take(options, "range", numbers)) {
    if (numbers.size() != 2) raise(parameter_error("range", "must be (low, high)"));
    request.heat_low = numbers[0];
    request.heat_high = numbers[1];
  }
  take(options, "skeleton", request.skeleton);
  take(options, "edges", request.edges);
  take(options, "clay", made.clay);
  if (take(options, "heat", text)) request.heat = text;
  take(options, "captions", made.captions);
  take(options, "columns", made.columns);
}

// Pictures of several rigs stand side by side. `poses`: one for each, see pose_of. `path`: also written; empty:
// not. Gives the picture and its warnings.
nb::tuple render_rigs(const std::vector<RigObject>& rigs, const nb::list& poses, const RigObject* distance,
                      const nb::dict& options, const nb::dict& settings, const std::filesystem::path& path,
                      bool force, const nb::object& progress) {
  PictureOptions shared;
  read_options(options, shared);
  if (distance) {
    shared.other = skinned_mesh(distance->rig(), rest_pose(distance->rig().skeleton));
    shared.request.heat = "distance";
    shared.request.other = &shared.other;
  }
  const Overwrite overwrite = force ? Overwrite::kYes : Overwrite::kNo;
  if (!path.empty()) value_of(check_writable(path, overwrite));
  std::vector<PictureRequest> requests;
  for (std::size_t k = 0; k < rigs.size(); ++k) {
    PictureRequest& request = requests.emplace_back(shared.request);
    request.at = pose_of(rigs[k].rig(), nb::cast<nb::tuple>(poses[k]));
    request.deform.stack = stack_of(rigs[k].rig(), settings);
    if (k < shared.captions.size()) request.caption = shared.captions[k];
  }
  std::vector<std::string> warnings;
  Image picture = run_job(progress, [&](const Progress* live) -> Result<Image> {
    std::vector<Image> images;
    for (std::size_t k = 0; k < rigs.size(); ++k) {
      if (is_cancelled(live)) return cancelled();
      report(live, "rendering", static_cast<double>(k) / static_cast<double>(rigs.size()));
      const SurfaceLooks looks = shared.clay ? SurfaceLooks() : read_surface_looks(*rigs[k].asset);
      requests[k].looks = &looks;
      requests[k].deform.progress = live;
      SINEW_TRY(Image image, picture_of(rigs[k].rig(), requests[k], &warnings));
      images.push_back(std::move(image));
    }
    const int columns = shared.columns > 0 ? shared.columns : std::min(static_cast<int>(images.size()), 4);
    Image whole = images.size() == 1 ? std::move(images[0]) : tile(images, columns);
    if (path.empty()) return whole;
    SINEW_TRY(const std::string bytes, encode_png(whole));
    SINEW_CHECK(write_file(path, bytes, overwrite));
    return whole;
  });
  warnings.insert(warnings.end(), picture.warnings.begin(), picture.warnings.end());
  const auto height = static_cast<std::size_t>(picture.height),
             width = static_cast<std::size_t>(picture.width);
  return nb::make_tuple(array(std::move(picture.rgb), {height, width, 3}), warnings);
}

}  // namespace

void add_pictures(nb::module_& module) {
  module.def("render", render_rigs, nb::arg("rigs"), nb::arg("poses"), nb::arg("distance").none(),
             nb::arg("options"), nb::arg("settings"), nb::arg("path"), nb::arg("force"),
             nb::arg("progress").none());
}

}  // namespace sinew::python
