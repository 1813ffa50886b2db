// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/local_origin.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr double kFar = 16;  // sizes of the mesh

// A round number of sizes near p, so that little is lost where it is subtracted; zero where p is near.
Vec3 far_place(const Vec3& p, double size) {
  if (!p.allFinite() || !(size > 0) || p.norm() <= kFar * size) return Vec3::Zero();
  const double unit = std::exp2(std::ceil(std::log2(size)));
  const Vec3 place = (p / unit).array().round() * unit;
  return place.allFinite() ? place : Vec3(Vec3::Zero());
}

// The joint with the most weight, whose motion says where the mesh is.
std::size_t main_joint(const Rig& rig) {
  std::vector<double> sums(rig.skeleton.size(), 0);
  for (const Influence& influence : rig.weights.entries) sums[influence.joint] += influence.weight;
  return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace

Vec3 place_near(std::span<const Vec3> points) {
  const Box3 box = bounding_box(points);
  return box.isEmpty() ? Vec3(Vec3::Zero()) : far_place(box.center(), box.diagonal().norm());
}

LocalOrigin local_origin(const Rig& rig) {
  const Box3 box = bounding_box(rig.mesh.positions);
  if (box.isEmpty()) return {};
  const double size = box.diagonal().norm();
  LocalOrigin origin;
  origin.bind = far_place(box.center(), size);
  origin.world = origin.bind;
  if (rig.skeleton.empty() || rig.weights.entries.empty() || rig.inverse_bind.size() != rig.skeleton.size())
    return origin;
  const std::size_t joint = main_joint(rig);
  std::vector<Affine3> globals(rig.skeleton.size());
  forward_kinematics(rig.skeleton, rest_pose(rig.skeleton).local, globals);
  const Affine3 matrix = globals[joint] * rig.inverse_bind[joint];
  origin.world = far_place(matrix * box.center(), size * matrix.linear().norm() / std::sqrt(3.0));
  return origin;
}

Rig moved_to(const Rig& rig, const LocalOrigin& origin) {
  Rig near = rig;
  for (Vec3& p : near.mesh.positions) p -= origin.bind;
  for (MeshPart& part : near.parts) part.to_bind.pretranslate(-origin.bind);
  for (Affine3& matrix : near.inverse_bind) matrix.translate(origin.bind);
  for (Cage& cage : near.cages)
    for (Vec3& p : cage.mesh.positions) p -= origin.bind;
  for (PointHandle& handle : near.points.points) handle.position -= origin.bind;
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  for (Joint& joint : joints) {
    if (joint.parent >= 0) continue;
    joint.rest_local.pretranslate(-origin.world);
    if (joint.rest_parts) joint.rest_parts->translation -= origin.world;
  }
  // The same joints can only be refused where subtracting overflows.
  if (auto skeleton = Skeleton::create(std::move(joints))) near.skeleton = *std::move(skeleton);
  return near;
}

}  // namespace sinew
