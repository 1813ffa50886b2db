// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/rig_mesh.h"

#include <fmt/format.h>

#include "sinew/characters/characters.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

// The places may leave out the joints that do not deform, which come last.
bool are_own(const Skeleton& skeleton, std::span<const JointPlace> places) {
  if (places.size() != skeleton.size() && places.size() != skeleton.deforming_count()) return false;
  for (std::size_t j = 0; j < places.size(); ++j) {
    // A parent that does not deform cannot be named where such joints are left out.
    const int parent = skeleton[j].parent < static_cast<int>(places.size()) ? skeleton[j].parent : -1;
    if (skeleton[j].name != places[j].name || parent != places[j].parent) return false;
  }
  return !skeleton.empty();
}

// By how much each was moved in its own frame of the rig's pose, it moves in bind space.
Result<void> move_joints(Rig& rig, std::span<const JointPlace> places) {
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  std::vector<Affine3> rest = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  std::vector<Affine3> bind = bind_transforms(rig);
  for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j) {
    const Affine3 to_own = rest[j].inverse();
    bind[j].translation() = bind[j] * (to_own * places[j].head);
    rest[j].translation() = places[j].head;
    if (places[j].tail) joints[j].tail = rest[j].inverse() * *places[j].tail;
    rig.inverse_bind[j] = bind[j].inverse();
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int above = joints[j].parent;
    const Affine3 local = above < 0 ? rest[j] : rest[static_cast<std::size_t>(above)].inverse() * rest[j];
    if (local.isApprox(joints[j].rest_local, 1e-12)) continue;
    joints[j].rest_local = local;
    joints[j].rest_parts.reset();
  }
  SINEW_TRY(rig.skeleton, Skeleton::create(std::move(joints)));
  rig.weights = {};
  rig.weights.offsets.assign(rig.mesh.vertex_count() + 1, 0);
  rig.endpoint = {};
  rig.joint_weights = {};
  rig.flesh = {};
  return {};
}

Result<void> check_places(std::span<const JointPlace> places) {
  if (places.empty()) return bad_input("a skeleton needs at least one joint");
  for (std::size_t j = 0; j < places.size(); ++j) {
    const JointPlace& place = places[j];
    if (!place.head.allFinite() || (place.tail && !place.tail->allFinite()))
      return bad_input(fmt::format("joint {} ('{}') has no position", j, printable(place.name)));
    if (place.parent < -1 || place.parent >= static_cast<int>(places.size()))
      return bad_input(fmt::format("joint {} ('{}') has the parent {}, which does not exist", j,
                                   printable(place.name), place.parent));
  }
  return {};
}

}  // namespace

Result<SkeletonFor> find_skeleton_for(Rig& rig, const SkeletonRequest& request) {
  if (rig.mesh.face_count() == 0) return bad_input("holds no mesh");
  const PolyMesh* mesh = &rig.mesh;
  Result<FoundSkeleton> found = auto_skeleton({&mesh, 1}, request);
  const bool nothing_fits =
      found.ok() ? found->skeleton.empty() : found.error().code == ErrorCode::kImpossible;
  SkeletonFor done;
  if (!nothing_fits) {
    if (!found.ok()) return found.error();
    done.found = *std::move(found);
    set_skeleton(rig, done.found.skeleton);
    done.given = true;
    return done;
  }
  if (found.ok())
    done.found = *std::move(found);
  else
    done.found.problem = found.error().message;
  if (request.skeleton_template.empty()) return done;
  // A template that was named and does not fit is placed into the mesh's box: binding never fails for it.
  Result<Skeleton> placed = fit_template(request.skeleton_template, bounding_box(mesh->positions));
  if (!placed.ok()) return done;
  SINEW_TRY(Skeleton turned, with_axes(*placed, request.axes));
  set_skeleton(rig, std::move(turned));
  done.stretched = done.given = true;
  return done;
}

Result<void> place_joints(Rig& rig, std::span<const JointPlace> places) {
  SINEW_CHECK(check_places(places));
  if (are_own(rig.skeleton, places)) return move_joints(rig, places);
  std::vector<Joint> joints(places.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int above = places[j].parent;
    const Vec3 origin = above < 0 ? Vec3(Vec3::Zero()) : places[static_cast<std::size_t>(above)].head;
    joints[j].name = places[j].name;
    joints[j].parent = above;
    joints[j].rest_local = Affine3(Eigen::Translation3d(places[j].head - origin));
    if (places[j].tail) joints[j].tail = *places[j].tail - places[j].head;
  }
  SINEW_TRY(Skeleton skeleton, Skeleton::create(std::move(joints)));
  set_skeleton(rig, std::move(skeleton));
  return {};
}

Result<Skeleton> fit_template(const std::string& name, const Box3& box) {
  SINEW_TRY(const Rig character, make_character(name, {.resolution = 1000}));
  const Box3 own = bounding_box(character.mesh.positions);
  const Vec3 scale = box.sizes().cwiseQuotient(own.sizes().cwiseMax(1e-12));
  const auto fitted = [&](const Vec3& p) -> Vec3 { return box.min() + scale.cwiseProduct(p - own.min()); };
  const auto globals = global_transforms(character.skeleton, rest_pose(character.skeleton).local);
  std::vector<Joint> joints(character.skeleton.joints().begin(), character.skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Vec3 head = fitted(globals[j].translation());
    const Vec3 above = joints[j].parent < 0
                           ? Vec3::Zero()
                           : fitted(globals[static_cast<std::size_t>(joints[j].parent)].translation());
    joints[j].rest_local = Affine3(Eigen::Translation3d(head - above));
    if (joints[j].tail) joints[j].tail = fitted(globals[j] * *joints[j].tail) - head;
  }
  return Skeleton::create(std::move(joints));
}

}  // namespace sinew
