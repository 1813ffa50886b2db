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

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // 3 * width * height, rows from the top
};
Result<std::string> encode_png(const Image& image);

// A number per vertex shown as colour, with a legend.
struct HeatMap {
  std::span<const float> values;        // per vertex
  double low = 0, high = 1;             // the ends of the colour map
  std::string title;
};

struct OverlayBone {
  Vec3 head, tail;
};

// One thing to look at: a mesh, and what is drawn over it. Spans are owned elsewhere.
struct Subject {
  std::span<const Vec3> positions;
  std::span<const Triangle> triangles;
  const PolyMesh* edges = nullptr;           // draw the polygons' edges
  std::optional<HeatMap> heat;
  std::vector<OverlayBone> bones;            // drawn over the mesh
  std::string caption;
};

enum class View { kFront, kSide, kThreeQuarter };

struct RenderOptions {
  int width = 640, height = 640;             // of one view
  std::vector<View> views = {View::kFront, View::kSide, View::kThreeQuarter};
  std::optional<Box3> frame;                 // what the camera shows; default: the subject's own box
  char up = 'y';                             // 'x', 'y' or 'z'
};

// The subject's views side by side, caption below, legend at the right. White ground, the same three lights always.
Result<Image> render(const Subject& subject, const RenderOptions& options = {});

// Images in rows of `columns`, on white.
Image tile(std::span<const Image> images, int columns);

}  // namespace sinew
