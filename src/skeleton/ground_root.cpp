// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/ground_root.h"

#include <algorithm>

#include "sinew/math/svd.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

constexpr double kUpright = 0.77;   // cosine of 40 degrees, between the body's up and a coordinate axis
constexpr double kOnGround = 0.03;  // of the body's height: a root so low stands on it
constexpr double kRigid = 1e-9;     // a transform so near to a rotation has no scale

// A body leans, bows its head or rears; what it stands on is level.
Mat3 level(const Mat3& body) {
  Eigen::Index axis = 0;
  const double cosine = body.col(1).cwiseAbs().maxCoeff(&axis);
  if (cosine < kUpright) return body;
  const Vec3 up = body(axis, 1) < 0 ? Vec3(-Vec3::Unit(axis)) : Vec3(Vec3::Unit(axis));
  return shortest_arc(body.col(1), up) * body;
}

// Of a rotation and a translation, so that files get a scale of exactly 1.
Trs rigid_parts(const Affine3& transform) {
  return {transform.translation(), Quat(transform.linear()).normalized(), Vec3::Ones()};
}

// A name that no joint has in any case, as joints are also found ignoring it.
std::string free_name(const Skeleton& skeleton) {
  for (const char* name : {"Root", "Ground"})
    if (!skeleton.find(name)) return name;
  return "GroundRoot";
}

}  // namespace

Result<Skeleton> with_ground_root(const Skeleton& skeleton, std::span<const Vec3> positions,
                                  const Mat3& own) {
  if (skeleton.empty() || positions.empty()) return skeleton;
  const Mat3 body = level(own);
  Box3 box;  // along the axes of the body
  for (const Vec3& p : positions) box.extend(Vec3(body.transpose() * p));
  const auto globals = global_transforms(skeleton, rest_pose(skeleton).local);
  const Vec3 top = body.transpose() * globals[skeleton.order()[0]].translation();
  if (top.y() < box.min().y() + kOnGround * box.sizes().y()) return skeleton;
  const auto holds_origin = [&](int axis) { return box.min()[axis] <= 0 && box.max()[axis] >= 0; };
  Vec3 place = holds_origin(0) && holds_origin(2) ? Vec3::Zero() : top;
  place.y() = box.min().y();

  Joint root;
  root.name = free_name(skeleton);
  root.deforms = false;
  root.rest_local.linear() = body;
  root.rest_local.translation() = body * place;
  root.rest_parts = rigid_parts(root.rest_local);
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  const Affine3 to_root = root.rest_local.inverse(Eigen::Isometry);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent >= 0) continue;
    joints[j].parent = static_cast<int>(skeleton.size());
    joints[j].rest_local = to_root * globals[j];
    joints[j].rest_parts.reset();
    if (joints[j].rest_local.linear().isUnitary(kRigid))
      joints[j].rest_parts = rigid_parts(joints[j].rest_local);
  }
  joints.push_back(std::move(root));
  return Skeleton::create(std::move(joints));
}

}  // namespace sinew
