// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_poses.h"

#include <fmt/format.h>

#include <numbers>

#include "sinew/core/text.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/skeleton/joint_hint.h"

namespace sinew {
namespace {

constexpr int kCellsOfABone = 4;  // a bone shorter than this bends inside a single clump of rigid cells

// The joint and all below it turned about the joint's head, the rest in bind space.
ComparePose turned(const Rig& rig, const Surface& surface, std::size_t bone, const Mat3& turn,
                   std::string name) {
  const std::size_t joint = surface.bones[bone].joint;
  std::vector<std::uint8_t> below(rig.skeleton.size(), 0);
  below[joint] = 1;
  for (const std::uint32_t j : rig.skeleton.order())
    if (const int parent = rig.skeleton[j].parent; parent >= 0 && below[static_cast<std::size_t>(parent)])
      below[j] = 1;
  const Vec3 head = surface.bones[bone].head;
  const Affine3 motion = Eigen::Translation3d(head) * Affine3(turn) * Eigen::Translation3d(-head);
  ComparePose pose;
  pose.name = std::move(name);
  const std::vector<Affine3> bind = bind_transforms(rig);
  for (std::size_t j = 0; j < rig.skeleton.size(); ++j) {
    pose.matrices.push_back(below[j] ? motion : Affine3::Identity());
    pose.globals.push_back(pose.matrices.back() * bind[j]);
  }
  return pose;
}

void add_turns(const Rig& rig, const Surface& surface, std::size_t bone, std::vector<ComparePose>& poses) {
  const JointFrame frame = joint_frame(surface.bones, surface.parents, bone);
  const std::string& name = rig.skeleton[surface.bones[bone].joint].name;
  const auto quarter = [&](Eigen::Index axis) {
    return Eigen::AngleAxisd(std::numbers::pi / 2, frame.axes.col(axis)).toRotationMatrix();
  };
  poses.push_back(turned(rig, surface, bone, quarter(0), name + " bend 90 x"));
  poses.push_back(turned(rig, surface, bone, quarter(1), name + " bend 90 y"));
  poses.push_back(turned(rig, surface, bone, quarter(2), name + " twist 90"));
  poses.push_back(turned(rig, surface, bone, quarter(0) * quarter(2), name + " bend+twist 90"));
}

ComparePose posed(const Rig& rig, const Pose& pose, std::string name) {
  ComparePose made;
  made.name = std::move(name);
  made.globals = global_transforms(rig.skeleton, pose.local);
  made.matrices.resize(made.globals.size());
  skinning_matrices(rig, made.globals, made.matrices);
  return made;
}

void add_clip(const Rig& rig, int samples, std::vector<ComparePose>& poses) {
  if (rig.clips.empty()) return;
  const Clip& clip = rig.clips.front();
  for (int k = 0; k < samples; ++k) {
    const double time = clip.duration() * (k + 0.5) / samples;
    Pose pose = rest_pose(rig.skeleton);
    sample_clip(clip, rig.skeleton, time, pose);
    poses.push_back(posed(rig, pose, fmt::format("clip {} {:.2f}", clip.name, time)));
  }
}

}  // namespace

Result<std::vector<ComparePose>> compare_poses(const Rig& rig, const Surface& surface, double cell_size,
                                               const CompareRequest& request,
                                               std::vector<std::string>& warnings) {
  std::vector<std::uint8_t> wanted(surface.bones.size(), 0);
  if (request.joints.empty()) {
    std::size_t left_out = 0;
    for (std::size_t bone = 0; bone < wanted.size(); ++bone) {
      wanted[bone] = reach_of(surface.bones[bone]) >= kCellsOfABone * cell_size;
      left_out += !wanted[bone];
    }
    if (left_out > 0)
      warnings.push_back(fmt::format(
          "{} joints were left out, whose bones are shorter than {} cells: the reference does not resolve "
          "them; name them, or make the grid finer with more voxels",
          left_out, kCellsOfABone));
  }
  for (const std::string& name : request.joints) {
    const auto joint = rig.skeleton.find(name);
    if (!joint || *joint >= wanted.size())
      return parameter_error("joints", fmt::format("names '{}': there is no such joint{}", printable(name),
                                                   joint_hint(rig.skeleton, name)));
    wanted[*joint] = 1;
  }
  std::vector<ComparePose> poses;
  for (std::size_t bone = 0; bone < wanted.size(); ++bone) {
    if (!wanted[bone]) continue;
    const auto below = bones_below(surface.parents, bone);
    // A joint that moves everything deforms nothing.
    if (std::all_of(below.begin(), below.end(), [](std::uint8_t b) { return b != 0; })) continue;
    add_turns(rig, surface, bone, poses);
  }
  add_clip(rig, request.clip_samples, poses);
  for (const auto& [name, wanted_pose] : request.poses) {
    SINEW_TRY(const Pose pose, make_pose(rig, wanted_pose));
    poses.push_back(posed(rig, pose, name));
  }
  if (poses.empty())
    return impossible("there is no pose to compare in: no joint moves one part of the mesh against another");
  return poses;
}

}  // namespace sinew
