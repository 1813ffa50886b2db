// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/rig_mesh.h"

#include <fmt/format.h>

#include "sinew/core/text.h"
#include "sinew/pipeline/joint_weights.h"

namespace sinew {
namespace {

// The deforming joints, each below its nearest ancestor among them.
std::vector<Joint> deforming_joints(const Skeleton& skeleton) {
  const std::size_t count = skeleton.deforming_count();
  std::vector<Joint> joints(skeleton.joints().begin(),
                            skeleton.joints().begin() + static_cast<std::ptrdiff_t>(count));
  for (Joint& joint : joints)
    while (joint.parent >= static_cast<int>(count))
      joint.parent = skeleton[static_cast<std::size_t>(joint.parent)].parent;
  return joints;
}

bool same_joints(std::span<const Joint> joints, std::span<const JointPlace> places) {
  if (joints.size() != places.size()) return false;
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (joints[j].name != places[j].name || joints[j].parent != places[j].parent) return false;
  return true;
}

Result<void> check_places(std::span<const JointPlace> places) {
  if (places.empty()) return bad_input("a skeleton needs at least one joint");
  for (std::size_t j = 0; j < places.size(); ++j) {
    const JointPlace& place = places[j];
    if (!place.head.allFinite() || (place.tail && !place.tail->allFinite()))
      return bad_input(fmt::format("joint {} ('{}') has no place", j, printable(place.name)));
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
  set_skeleton(rig, *std::move(placed));
  done.stretched = done.given = true;
  return done;
}

Result<Skeleton> skeleton_at(const Rig& rig, std::span<const JointPlace> places) {
  SINEW_CHECK(check_places(places));
  std::vector<Joint> joints = deforming_joints(rig.skeleton);
  std::vector<Affine3> globals = bind_transforms(rig);
  if (!same_joints(joints, places)) {
    joints.assign(places.size(), {});
    globals.assign(places.size(), Affine3::Identity());
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].name = places[j].name;
    joints[j].parent = places[j].parent;
    joints[j].deforms = true;
    joints[j].rest_parts.reset();
    joints[j].rest_shape = {};
    globals[j].translation() = places[j].head;
    if (places[j].tail) joints[j].tail = globals[j].inverse() * *places[j].tail;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int above = joints[j].parent;
    joints[j].rest_local =
        above < 0 ? globals[j] : globals[static_cast<std::size_t>(above)].inverse() * globals[j];
  }
  return Skeleton::create(std::move(joints));
}

Result<BindReport> bind_for_deformers(Rig& rig, const BindRequest& request,
                                      const std::string& joint_weights) {
  SINEW_TRY(BindReport report, bind(rig, request));
  std::string method = joint_weights;
  if (method.empty()) {
    const bool elastic = request.method.starts_with("elastic") || request.method.starts_with("lsq");
    method = elastic ? request.method : "none";
  }
  if (method == "none") return report;
  JointWeightsRequest wanted;
  wanted.method = method;
  wanted.voxels = request.voxels;
  wanted.one_weight = request.one_weight;
  wanted.progress = request.progress;
  SINEW_TRY(const JointWeightsReport made, make_joint_weights(rig, wanted));
  report.notes.insert(report.notes.end(), made.notes.begin(), made.notes.end());
  report.seconds += made.seconds;
  return report;
}

}  // namespace sinew
