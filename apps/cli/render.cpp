// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "pose_options.h"
#include "sinew/core/text.h"
#include "sinew/io/asset.h"
#include "sinew/report/picture.h"
#include "sinew/rig/skinned_mesh.h"
#include "verbs.h"

namespace sinew::cli {
namespace {

struct RenderArguments {
  std::vector<std::string> in, captions;
  std::string out, heat, views = "front,side,three-quarter", up = "y", range, frame;
  int width = 640, height = 640, columns = 0;
  bool skeleton = false, edges = false, grid = false, clay = false;
  PoseOptions pose;
};

// What all pictures of one call share; `other` keeps the mesh that distances are measured to.
Result<PictureRequest> make_request(const RenderArguments& options, const Console& console, PolyMesh& other) {
  PictureRequest request;
  SINEW_TRY(request.pose, options.pose.request());
  request.skeleton = options.skeleton;
  request.edges = options.edges;
  SINEW_TRY(request.render.views, parse_views(options.views));
  request.render.width = options.width;
  request.render.height = options.height;
  if (options.up != "x" && options.up != "y" && options.up != "z")
    return usage_error(fmt::format("--up '{}': give x, y or z", printable(options.up)));
  request.render.up = options.up[0];
  if (!options.range.empty()) {
    SINEW_TRY(const auto range, parse_assignment("--range", "range=" + options.range, 2));
    request.heat_low = range.second[0];
    request.heat_high = range.second[1];
  }
  if (!options.frame.empty()) {
    const auto box = parse_assignment("--frame", "frame=" + options.frame, 6);
    if (!box.ok())
      return usage_error(
          fmt::format("--frame '{}': give XMIN,YMIN,ZMIN,XMAX,YMAX,ZMAX", printable(options.frame)));
    request.render.frame = Box3(Vec3(box->second.data()), Vec3(box->second.data() + 3));
  }
  if (options.heat.starts_with("distance=")) {
    SINEW_TRY(const Asset asset, console.read(options.heat.substr(9)));
    console.warnings(options.heat.substr(9), asset.warnings);
    other = skinned_mesh(asset.rig, rest_pose(asset.rig.skeleton));
    request.heat = "distance";
    request.other = &other;
  } else if (!options.heat.empty()) {
    request.heat = options.heat;
  }
  return request;
}

Result<void> run_render(const RenderArguments& options, const Console& console) {
  SINEW_CHECK(check_writable(options.out, console.overwrite()));
  if (options.in.size() > 1 && !options.grid)
    return usage_error("several files need --grid, which puts their pictures side by side");
  if (options.captions.size() > options.in.size()) return usage_error("there are more --caption than files");
  PolyMesh other;
  SINEW_TRY(PictureRequest request, make_request(options, console, other));
  std::vector<Image> images;
  for (std::size_t k = 0; k < options.in.size(); ++k) {
    if (is_cancelled(console.progress())) return cancelled();
    report(console.progress(), "rendering", static_cast<double>(k) / static_cast<double>(options.in.size()));
    SINEW_TRY(const Asset asset, console.read(options.in[k]));
    console.warnings(options.in[k], asset.warnings);
    request.caption = k < options.captions.size() ? options.captions[k]
                      : options.grid              ? std::filesystem::path(options.in[k]).stem().string()
                                                  : std::string();
    const SurfaceLooks looks = options.clay ? SurfaceLooks() : read_surface_looks(asset);
    request.looks = &looks;
    SINEW_TRY(request.deform, options.pose.choice(console, asset.rig));
    std::vector<std::string> made;
    auto image = picture_of(asset.rig, request, &made);
    if (!image) return in_file(options.in[k], image.error());
    console.warnings(options.in[k], made);
    images.push_back(*std::move(image));
  }
  const int columns =
      options.columns > 0 ? options.columns : static_cast<int>(std::min<std::size_t>(images.size(), 4));
  const Image picture = images.size() == 1 ? images[0] : tile(images, columns);
  console.warnings(options.out, picture.warnings);
  SINEW_TRY(const std::string bytes, encode_png(picture));
  SINEW_CHECK(write_file(options.out, bytes, console.overwrite()));
  console.print({{"width", picture.width}, {"height", picture.height}},
                fmt::format("{}: {} x {}", options.out, picture.width, picture.height));
  return {};
}

}  // namespace

void add_render(Program& program) {
  auto options = std::make_shared<RenderArguments>();
  const Verb verb =
      add_verb(program, "render", "render a picture, without a GPU or a display",
               "  sinew render biped.glb --skeleton -o biped.png\n"
               "  sinew render biped.glb --heat LeftArm --views front -o arm.png\n"
               "  sinew render a.obj b.obj --grid --caption before --caption after -o both.png\n"
               "  sinew render bent.obj --heat distance=truth.obj -o error.png\n");
  verb.option("IN", options->in, "a mesh or a rig; several with --grid").required();
  verb.option("-o,--output", options->out, "the picture: .png").required();
  verb.option("--views", options->views, "front, side, three-quarter, back, top, separated by commas")
      .show_default();
  verb.option("--width", options->width, "width of one view in pixels").range(16, 8192).show_default();
  verb.option("--height", options->height, "height of one view in pixels").range(16, 8192).show_default();
  verb.option("--up", options->up, "up axis of the picture: x, y or z").show_default();
  verb.option("--frame", options->frame,
              "XMIN,YMIN,ZMIN,XMAX,YMAX,ZMAX: the bounding box to show (default: everything)");
  verb.flag("--skeleton", options->skeleton, "draw the bones over the mesh");
  verb.flag("--clay", options->clay, "plain grey, without the file's colours and textures");
  verb.flag("--edges", options->edges, "draw the edges of the polygons");
  verb.option("--heat", options->heat,
              "colour map: the weights of a joint (its name), swing:JOINT, twist:JOINT, deformer:JOINT "
              "(deformer weight), field:JOINT (largest shift by its corrective fields), endpoint:JOINT, "
              "rings (iso-curves of a quad mesh), or distance=FILE");
  verb.option("--range", options->range, "LOW,HIGH: range of the colour map");
  verb.flag("--grid", options->grid, "arrange several files side by side, with captions");
  verb.option("--columns", options->columns, "pictures in a row of the grid (default: up to 4)");
  verb.repeatable("--caption", options->captions,
                  "text below a picture (default with --grid: the file's name); repeatable");
  options->pose.add_pose_to(verb);
  options->pose.add_deformer_to(verb);
  verb.runs([&program, options] { return run_render(*options, program.console); });
}

}  // namespace sinew::cli
