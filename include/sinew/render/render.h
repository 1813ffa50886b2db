// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// An RGB image, 8 bits per channel.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height, rows from the top
  /// What could not be drawn, one sentence each: no font found, positions that are not finite. Empty when all
  /// went well.
  std::vector<std::string> warnings;
};

/// The file's bytes. Images with at most 256 colours become palette files, the rest true colour; both
/// lossless. kUsage: an image without pixels, or with a buffer that does not fit its size.
Result<std::string> encode_png(const Image& image);

/// The same picture in at most `count` colours (2 ... 256), white kept white, which halves its file: for
/// pictures that are committed. Clay keeps all that the eye sees; a heat map on a large smooth surface may
/// show faint steps.
Image reduce_colours(const Image& image, int count = 256);

/// A number per vertex shown as colour (render/colour_map.h), with a legend.
struct HeatMap {
  std::span<const float> values;  ///< per vertex; NaN is drawn grey
  double low = 0, high = 1;       ///< the ends of the colour map; values beyond take the colour of the end
  std::string title;
};

/// What a triangle is painted with: a colour, times a picture's.
struct Paint {
  Vec3f colour = Vec3f::Ones();    ///< linear
  const Image* picture = nullptr;  ///< laid on by Subject::texcoords
  bool repeat_u = true, repeat_v = true;
};

struct OverlayBone {
  Vec3 head, tail;
};

/// One thing to look at: a mesh, and what is drawn over it. Spans are owned elsewhere. Vertices that are not
/// finite are left out together with their triangles, and counted in Image::warnings.
struct Subject {
  std::span<const Vec3> positions;
  std::span<const Triangle> triangles;
  const PolyMesh* edges =
      nullptr;  ///< draw the polygons' edges; its faces index `positions`, its own are not used
  std::optional<HeatMap> heat;
  /// Base colours; without them, or with a heat map, the mesh is clay.
  std::span<const Paint> paints;
  std::span<const std::uint32_t> paint_of;  ///< per triangle
  std::span<const Vec2f> texcoords;         ///< per vertex, v from the top down; empty: pictures are not used
  std::span<const Vec3f> colours;           ///< per vertex, linear, times the paint; or empty
  std::vector<OverlayBone> bones;           ///< drawn over the mesh, half transparent
  std::string caption;                      ///< UTF-8, below the views
};

/// Front looks at +z, side at +x (the character's left), three-quarter between them and from a little above.
/// With up = 'z' front looks at -y, with up = 'x' at +z.
enum class View { kFront, kSide, kThreeQuarter, kBack, kTop };

/// The largest side of a picture, and the most pixels of one.
inline constexpr int kMaxImageSide = 16384;
inline constexpr std::int64_t kMaxImagePixels = std::int64_t{1} << 26;

/// Options of render().
struct RenderOptions {
  int width = 640, height = 640;  ///< of one view
  std::vector<View> views = {View::kFront, View::kSide, View::kThreeQuarter};
  std::optional<Box3>
      frame;          ///< what the camera shows, in the subject's space; default: the subject itself, tightly
  char up = 'y';      ///< 'x', 'y' or 'z'
  bool flat = false;  ///< one normal per triangle, so that facets show
  bool crop = false;  ///< cut each view's white margin left and right, where the subject is slim
  std::string font;   ///< a font file; empty: DejaVu Sans in the usual folders
};

/// The subject's views side by side at one scale, caption below, legend at the right. White ground, the same
/// three lights always, orthographic. The same bits for any thread count. Back faces are tinted orange.
/// kUsage: sizes outside 1 ... kMaxImageSide or above kMaxImagePixels in all, no view, an unknown `up`, an
/// index without a vertex, heat values or colours that are not one per vertex, a paint
/// that is not there.
Result<Image> render(const Subject& subject, const RenderOptions& options = {});

/// Images in rows of `columns` (at least 1), each centred in its cell, on white. A column is as wide as its
/// widest image, a row as high as its highest. Notes are collected, each once. Nothing in gives an image
/// without pixels.
Image tile(std::span<const Image> images, int columns);

}  // namespace sinew
