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

constexpr double kTogether = std::numbers::pi / 3;  // the bend of joints that bend together

Mat3 about(const JointFrame& frame, Eigen::Index axis, double angle) {
  return Eigen::AngleAxisd(angle, frame.axes.col(axis)).toRotationMatrix();
}

void add_turns(const Rig& rig, const Surface& surface, std::size_t bone, std::size_t arena,
               std::vector<ComparePose>& poses) {
  const JointFrame frame = joint_frame(surface.bones, surface.parents, bone);
  const auto quarter = [&](Eigen::Index axis) { return about(frame, axis, std::numbers::pi / 2); };
  const auto add = [&](const Mat3& turn, const char* what) {
    const JointTurn one{bone, turn};
    poses.push_back(turned_pose(rig, surface, {&one, 1}, surface.names[bone] + what));
    poses.back().arena = arena;
  };
  add(quarter(0), " bend 90 x");
  add(quarter(1), " bend 90 y");
  add(quarter(2), " twist 90");
  add(quarter(0) * quarter(2), " bend+twist 90");
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

ComparePose turned_pose(const Rig& rig, const Surface& surface, std::span<const JointTurn> turns,
                        std::string name) {
  std::vector<Affine3> motion(rig.skeleton.size(), Affine3::Identity());
  for (const JointTurn& turn : turns) {
    const Vec3 head = surface.bones[turn.bone].head;
    motion[surface.bones[turn.bone].joint] =
        Eigen::Translation3d(head) * Affine3(turn.turn) * Eigen::Translation3d(-head);
  }
  ComparePose pose;
  pose.name = std::move(name);
  pose.matrices = pose.globals = bind_transforms(rig);
  for (const std::uint32_t j : rig.skeleton.order()) {
    const int parent = rig.skeleton[j].parent;
    pose.matrices[j] = parent < 0 ? motion[j] : pose.matrices[static_cast<std::size_t>(parent)] * motion[j];
    pose.globals[j] = pose.matrices[j] * pose.globals[j];
  }
  return pose;
}

std::vector<Neighbours> neighbours(const Surface& surface, std::span<const std::size_t> arena_of) {
  std::vector<Neighbours> pairs;
  for (std::size_t bone = 0; bone < arena_of.size(); ++bone) {
    if (arena_of[bone] == kNoArena || surface.parents[bone] < 0) continue;
    const auto above = static_cast<std::size_t>(surface.parents[bone]);
    if (arena_of[above] == arena_of[bone]) pairs.push_back({bone, above});
  }
  return pairs;
}

bool resolves(double cell_size, const Bone& bone) {
  return reach_of(bone) >= kCellsOfABone * cell_size;
}

Result<std::vector<std::uint8_t>> wanted_joints(const Rig& rig, const Surface& surface,
                                                const CompareRequest& request) {
  std::vector<std::uint8_t> wanted(surface.bones.size(), request.joints.empty());
  for (const std::string& name : request.joints) {
    const auto joint = rig.skeleton.find(name);
    if (!joint || *joint >= wanted.size())
      return parameter_error("joints", fmt::format("names '{}': there is no such joint{}", printable(name),
                                                   joint_hint(rig.skeleton, name)));
    wanted[*joint] = 1;
  }
  return wanted;
}

Result<std::vector<ComparePose>> compare_poses(const Rig& rig, const Surface& surface,
                                               std::span<const std::size_t> arena_of,
                                               const CompareRequest& request) {
  std::vector<ComparePose> poses;
  for (std::size_t bone = 0; bone < arena_of.size(); ++bone)
    if (arena_of[bone] != kNoArena) add_turns(rig, surface, bone, arena_of[bone], poses);
  for (const auto& [bone, above] : neighbours(surface, arena_of)) {
    const std::array<JointTurn, 2> both{
        {{above, about(joint_frame(surface.bones, surface.parents, above), 0, kTogether)},
         {bone, about(joint_frame(surface.bones, surface.parents, bone), 0, kTogether)}}};
    poses.push_back(turned_pose(
        rig, surface, both, fmt::format("{} and {} bend 60 x", surface.names[above], surface.names[bone])));
    poses.back().arena = arena_of[bone];
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
