// SPDX-License-Identifier: Apache-2.0
#include "render/camera.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::render_detail {
namespace {

constexpr double kMargin = 0.05;  // of the picture, on each side
constexpr double kPi = 3.14159265358979323846;

// Subject space to a space with y up in which the front looks at +z.
Mat3 upright(char up) {
  Mat3 m = Mat3::Identity();
  if (up == 'z') m << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  if (up == 'x') m << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  return m;
}

Mat3 view_rotation(View view) {
  double azimuth = 0, elevation = 0;  // of the viewer, degrees; azimuth from +z to +x
  switch (view) {
    case View::kFront:
      break;
    case View::kSide:
      azimuth = 90;
      break;
    case View::kThreeQuarter:
      azimuth = 38, elevation = 16;
      break;
    case View::kBack:
      azimuth = 180;
      break;
    case View::kTop:
      elevation = 90;
      break;
  }
  const Mat3 turn = Eigen::AngleAxisd(-azimuth * kPi / 180, Vec3::UnitY()).toRotationMatrix();
  const Mat3 tilt = Eigen::AngleAxisd(elevation * kPi / 180, Vec3::UnitX()).toRotationMatrix();
  return tilt * turn;
}

// All that must be in the picture. Vertices of no triangle do not count: stray ones are common and not drawn.
std::vector<Vec3> points_to_show(const Subject& subject, const RenderOptions& options) {
  std::vector<Vec3> points;
  if (options.frame && !options.frame->isEmpty()) {
    for (int corner = 0; corner < 8; ++corner)
      points.push_back(options.frame->corner(static_cast<Box3::CornerType>(corner)));
  } else {
    std::vector<bool> used(subject.positions.size());
    for (const Triangle& triangle : subject.triangles)
      for (const std::uint32_t i : triangle) used[i] = true;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) points.push_back(subject.positions[i]);
    for (const OverlayBone& bone : subject.bones) {
      points.push_back(bone.head);
      points.push_back(bone.tail);
    }
  }
  std::erase_if(points, [](const Vec3& p) { return !is_drawable(p); });
  return points;
}

}  // namespace

bool is_drawable(const Vec3& p) {
  return p.cwiseAbs().maxCoeff() < 1e140 && p.allFinite();
}

std::vector<Camera> fit_cameras(const Subject& subject, const RenderOptions& options) {
  const std::vector<Vec3> points = points_to_show(subject, options);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Camera> cameras;
  double scale = kInfinity;
  for (const View view : options.views) {
    Camera camera;
    camera.width = options.width;
    camera.height = options.height;
    camera.rotation = view_rotation(view) * upright(options.up);
    Vec3 low = Vec3::Constant(kInfinity), high = -low;
    for (const Vec3& p : points) {
      const Vec3 q = camera.rotation * p;
      low = low.cwiseMin(q);
      high = high.cwiseMax(q);
    }
    if (!points.empty()) {
      camera.centre = camera.rotation.transpose() * (0.5 * low + 0.5 * high);
      const Vec3 size = high - low;
      if (size.x() > 0) scale = std::min(scale, (1 - 2 * kMargin) * options.width / size.x());
      if (size.y() > 0) scale = std::min(scale, (1 - 2 * kMargin) * options.height / size.y());
    }
    cameras.push_back(camera);
  }
  // A single point has no size: any scale shows it. The cap keeps pixels finite for boxes at the end of the
  // number range.
  scale = std::isfinite(scale) ? std::min(scale, 1e200) : 1;
  for (Camera& camera : cameras) camera.scale = scale;
  return cameras;
}

}  // namespace sinew::render_detail
