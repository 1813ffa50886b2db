// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/render.h"

#include <algorithm>
#include <cmath>

#include "render/camera.h"
#include "render/canvas.h"
#include "render/colour.h"
#include "render/legend.h"
#include "render/normals.h"
#include "render/occlusion.h"
#include "render/raster.h"
#include "render/skeleton_overlay.h"
#include "render/text.h"
#include "render/texture.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

using namespace render_detail;

constexpr double kFarOutside = 1e15;  // pixels

Result<void> check_options(const RenderOptions& options) {
  if (options.width < 1 || options.height < 1 || options.width > kMaxImageSide ||
      options.height > kMaxImageSide)
    return usage_error("a view must have 1 to " + std::to_string(kMaxImageSide) + " pixels a side");
  if (options.views.empty()) return usage_error("a picture needs at least one view");
  if (options.up != 'x' && options.up != 'y' && options.up != 'z')
    return usage_error("the up axis must be x, y or z");
  return {};
}

Result<void> check_subject(const Subject& subject) {
  const std::size_t count = subject.positions.size();
  for (std::size_t t = 0; t < subject.triangles.size(); ++t)
    for (const std::uint32_t i : subject.triangles[t])
      if (i >= count)
        return usage_error("triangle " + std::to_string(t) + " names vertex " + std::to_string(i) + " of " +
                           std::to_string(count));
  if (subject.edges)
    for (const std::uint32_t i : subject.edges->face_vertices)
      if (i >= count)
        return usage_error("a polygon's edge names vertex " + std::to_string(i) + " of " +
                           std::to_string(count));
  if (subject.heat && subject.heat->values.size() != count)
    return usage_error("the heat map has " + std::to_string(subject.heat->values.size()) + " values for " +
                       std::to_string(count) + " vertices");
  if (!subject.paints.empty()) {
    if (subject.paint_of.size() != subject.triangles.size())
      return usage_error("a painted mesh needs a paint for each triangle");
    for (const std::uint32_t paint : subject.paint_of)
      if (paint >= subject.paints.size()) return usage_error("a triangle names a paint that does not exist");
    if ((!subject.texcoords.empty() && subject.texcoords.size() != count) ||
        (!subject.colours.empty() && subject.colours.size() != count))
      return usage_error("texture coordinates and colours must be one for each vertex");
  }
  return {};
}

Result<void> check_size(std::int64_t width, std::int64_t height) {
  if (width <= kMaxImageSide && height <= kMaxImageSide && width * height <= kMaxImagePixels) return {};
  return usage_error("a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                     " pixels is too large: at most " + std::to_string(kMaxImageSide) + " a side and " +
                     std::to_string(kMaxImagePixels >> 20) + " million in all");
}

// What all views of a subject share.
struct Stage {
  std::vector<char> drawable;  // per vertex
  std::vector<Triangle> triangles;
  std::vector<Segment> segments;
  std::vector<float> heat;     // 0 ... 1 or NaN
  std::vector<Vec3f> normals;  // subject space
  std::vector<Texture> textures;
  std::vector<RasterPaint> paints;
  std::vector<std::uint32_t> paint_of;  // per triangle; empty: clay
  std::size_t skipped = 0;              // vertices used by a triangle that cannot be drawn
};

// Every edge of a polygon once.
std::vector<Segment> polygon_edges(const PolyMesh& mesh, std::span<const char> drawable) {
  std::vector<Segment> segments;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
      if (a != b && drawable[a] && drawable[b]) segments.push_back({std::min(a, b), std::max(a, b)});
    }
  }
  std::sort(segments.begin(), segments.end());
  segments.erase(std::unique(segments.begin(), segments.end()), segments.end());
  return segments;
}

std::vector<float> scaled_heat(const HeatMap& heat) {
  std::vector<float> scaled(heat.values.size());
  const double range = heat.high - heat.low;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const double t = range != 0 ? (heat.values[i] - heat.low) / range : 0.5;
    scaled[i] = std::isnan(heat.values[i])
                    ? heat.values[i]
                    : static_cast<float>(std::isnan(t) ? 0.5 : std::clamp(t, 0.0, 1.0));
  }
  return scaled;
}

// Many paints may share a picture.
void add_paints(std::span<const Paint> paints, Stage& stage) {
  std::vector<const Paint*> first;
  stage.textures.reserve(paints.size());  // paints point into it
  for (const Paint& paint : paints) {
    stage.paints.push_back({paint.colour, nullptr});
    if (!paint.picture || paint.picture->width < 1 || paint.picture->height < 1) continue;
    const auto same = std::find_if(first.begin(), first.end(), [&](const Paint* other) {
      return other->picture == paint.picture && other->repeat_u == paint.repeat_u &&
             other->repeat_v == paint.repeat_v;
    });
    if (same == first.end()) {
      stage.textures.emplace_back(*paint.picture, paint.repeat_u, paint.repeat_v);
      stage.paints.back().texture = &stage.textures.back();
      first.push_back(&paint);
    } else {
      stage.paints.back().texture = &stage.textures[static_cast<std::size_t>(same - first.begin())];
    }
  }
}

Stage make_stage(const Subject& subject, const RenderOptions& options, const Camera& camera) {
  Stage stage;
  stage.drawable.resize(subject.positions.size());
  for (std::size_t i = 0; i < stage.drawable.size(); ++i)
    stage.drawable[i] = is_drawable(subject.positions[i]);
  std::vector<char> counted = stage.drawable;
  const bool painted = !subject.paints.empty() && !subject.heat;
  for (std::size_t k = 0; k < subject.triangles.size(); ++k) {
    const Triangle& t = subject.triangles[k];
    bool good = true;
    for (const std::uint32_t i : t) {
      good = good && stage.drawable[i];
      if (!counted[i]) ++stage.skipped, counted[i] = 1;
    }
    if (!good) continue;
    stage.triangles.push_back(t);
    if (painted) stage.paint_of.push_back(subject.paint_of[k]);
  }
  if (painted) add_paints(subject.paints, stage);
  if (subject.edges) stage.segments = polygon_edges(*subject.edges, stage.drawable);
  if (subject.heat) stage.heat = scaled_heat(*subject.heat);
  if (!options.flat) {
    // At picture scale areas neither overflow nor vanish, whatever the subject's units.
    std::vector<Vec3> scaled(subject.positions.size());
    for (std::size_t i = 0; i < scaled.size(); ++i)
      scaled[i] =
          stage.drawable[i] ? Vec3((subject.positions[i] - camera.centre) * camera.scale) : Vec3::Zero();
    stage.normals = smooth_normals(scaled, stage.triangles);
  }
  return stage;
}

double mean_length(std::span<const Segment> segments, std::span<const Vec3f> screen) {
  double sum = 0;
  for (const Segment& s : segments) sum += static_cast<double>((screen[s[0]] - screen[s[1]]).norm());
  return segments.empty() ? 0 : sum / static_cast<double>(segments.size());
}

Image to_image(const Frame& frame) {
  Image image = white_image(frame.width, frame.height);
  parallel_for(frame.colour.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (frame.coverage[i] == 0) continue;
      const Rgb8 pixel = to_srgb(frame.colour[i] + Vec3f::Constant(1 - frame.coverage[i]));
      std::copy(pixel.begin(), pixel.end(), &image.rgb[3 * i]);
    }
  });
  return image;
}

Image draw_view(const Subject& subject, const Stage& stage, const Camera& camera) {
  std::vector<Vec3f> screen(subject.positions.size()), normals(stage.normals.size());
  parallel_for(screen.size(), 1 << 14, [&](std::size_t begin, std::size_t end) {
    const Eigen::Matrix3f turn = camera.rotation.cast<float>();
    for (std::size_t i = begin; i < end; ++i) {
      // Far outside a small frame pixels may not fit a float, or their squares may not.
      if (stage.drawable[i])
        screen[i] =
            camera.to_screen(subject.positions[i]).cwiseMax(-kFarOutside).cwiseMin(kFarOutside).cast<float>();
      else
        screen[i].setZero();
      if (!normals.empty()) normals[i] = turn * stage.normals[i];
    }
  });
  RasterScene scene{screen, normals, stage.triangles, stage.heat, stage.segments};
  scene.paints = stage.paints;
  scene.paint_of = stage.paint_of;
  scene.texcoords = subject.texcoords;
  scene.colours = subject.colours;
  const double size = std::min(camera.width, camera.height);
  scene.line_width = std::max(0.9, size / 900);
  // Edges closer than a few pixels would only blacken the surface: they fade.
  scene.line_opacity = 0.62 * std::clamp((mean_length(stage.segments, screen) - 1) / 8, 0.12, 1.0);
  Frame frame = rasterise(scene, camera.width, camera.height);
  darken_creases(frame, std::max(2.0, 0.05 * size), stage.heat.empty() ? 2.4 : 1.4);
  Image image = to_image(frame);
  Canvas canvas(image);
  draw_skeleton(subject.bones, camera, canvas);
  return image;
}

// The view without its white columns, but for the margin that the camera leaves anyway.
Image cropped(const Image& image) {
  const std::size_t width = static_cast<std::size_t>(image.width);
  std::size_t first = width, last = 0;
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    if (image.rgb[i] != 255) {
      first = std::min(first, i / 3 % width);
      last = std::max(last, i / 3 % width);
    }
  if (first > last) return image;
  const int margin = std::max(2, std::min(image.width, image.height) / 25);
  const int x0 = std::max(0, static_cast<int>(first) - margin),
            x1 = std::min(image.width, static_cast<int>(last) + 1 + margin);
  Image out = white_image(x1 - x0, image.height);
  Canvas(out).paste(image, -x0, 0);
  return out;
}

}  // namespace

Result<Image> render(const Subject& subject, const RenderOptions& options) {
  SINEW_CHECK(check_options(options));
  SINEW_CHECK(check_subject(subject));
  const Font font(options.font);
  const double text_size = std::clamp(std::min(options.width, options.height) / 32.0, 9.0, 96.0);
  const int caption_height = subject.caption.empty() ? 0 : static_cast<int>(std::lround(2.2 * text_size));
  std::optional<Legend> legend;
  if (subject.heat) legend.emplace(*subject.heat, font, 0.85 * text_size, options.height);
  const int legend_width = legend ? legend->width() : 0;
  SINEW_CHECK(
      check_size(std::int64_t{options.width} * static_cast<std::int64_t>(options.views.size()) + legend_width,
                 std::int64_t{options.height} + caption_height));

  const std::vector<Camera> cameras = fit_cameras(subject, options);
  const Stage stage = make_stage(subject, options, cameras[0]);
  std::vector<Image> views;
  int width = legend_width;
  for (const Camera& camera : cameras) {
    views.push_back(draw_view(subject, stage, camera));
    if (options.crop) views.back() = cropped(views.back());
    width += views.back().width;
  }
  Image image = white_image(width, options.height + caption_height);
  Canvas canvas(image);
  int x = 0;
  for (const Image& view : views) {
    canvas.paste(view, x, 0);
    x += view.width;
  }
  if (legend) legend->draw(canvas, x, 0);
  font.draw(canvas, font.fit(subject.caption, text_size, width - text_size), 0.5 * (width - legend_width),
            options.height + 1.1 * text_size, text_size, 0.5, {40, 40, 44});
  if (stage.skipped > 0)
    image.warnings.push_back(std::to_string(stage.skipped) + " vertices are not finite and were left out");
  if (!font.loaded() && (legend || !subject.caption.empty())) image.warnings.push_back(font.missing());
  return image;
}

}  // namespace sinew
