// SPDX-License-Identifier: Apache-2.0
#include "pipeline/export_poses.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "pipeline/clip_frames.h"
#include "sinew/player/pose_request.h"
#include "sinew/skeleton/joint_turns.h"

namespace sinew {
namespace {

// Random numbers that are the same on every machine: distributions of the standard library are not.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / 4294967296.0;
  }

 private:
  std::mt19937 engine_;
};

constexpr std::size_t kTurnsOfJoint = 16;
constexpr double kAllTurn = 0.35;  // of the range, where all joints turn

// The k-th turn of a joint: the borders of the range first, then what lies inside.
Vec3 sampled_turn(const MotionRange& range, std::size_t k) {
  constexpr double kEighth = std::numbers::pi / 4;
  const auto swing = [&](double share, double direction, double twist) {
    return Vec3(share * range.swing * std::cos(direction * kEighth),
                share * range.swing * std::sin(direction * kEighth), twist * range.twist);
  };
  switch (k) {
    case 0:
      return swing(1, 0, 0);
    case 1:
      return swing(1, 4, 0);
    case 2:
      return swing(0, 0, 1);
    case 3:
      return swing(0, 0, -1);
    case 4:
      return swing(1, 2, 0);
    case 5:
      return swing(1, 6, 0);
    case 6:
      return swing(0.5, 0, 0);
    case 7:
      return swing(0.5, 4, 0);
    case 8:
      return swing(0, 0, 0.5);
    case 9:
      return swing(0, 0, -0.5);
    case 10:
      return swing(0.7, 1, 0.6);
    case 11:
      return swing(0.7, 5, -0.6);
    case 12:
      return swing(0.7, 3, -0.6);
    case 13:
      return swing(0.7, 7, 0.6);
    case 14:
      return swing(0.5, 2, 0);
    default:
      return swing(0.5, 6, 0);
  }
}

Vec3 random_turn(const MotionRange& range, Dice& dice, double most) {
  const double direction = dice.between(0, 2 * std::numbers::pi),
               swing = most * range.swing * std::sqrt(dice.between(0, 1));
  return {swing * std::cos(direction), swing * std::sin(direction), most * range.twist * dice.between(-1, 1)};
}

}  // namespace

std::vector<double> ExportSource::key_weights(const Pose& pose) const {
  std::vector<double> weights = key_weights_of(rig, pose);
  if (spaces.empty()) return weights;
  PoseSpaces::Scratch scratch = spaces.make_scratch();
  spaces.add_weights(rig.skeleton, pose.local, weights, scratch);
  return weights;
}

std::vector<Affine3> ExportSource::matrices(const Pose& pose) const {
  std::vector<Affine3> result(rig.skeleton.size());
  skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), result);
  for (Affine3& matrix : result) matrix.pretranslate(-origin);
  return result;
}

std::vector<JointMove> ExportSource::moves(std::span<const Affine3> matrices) const {
  return joint_moves(frames, bone_parents, matrices);
}

Result<ExportSource> export_source(const Rig& rig, const ExportRequest& request) {
  DeformChoice choice = request.deform;
  choice.stack = without_subdivision(choice.stack.empty() ? stack_of(rig) : choice.stack);
  choice.progress = request.progress;
  SINEW_TRY(ReadyDeformer ready, ready_deformer(rig, choice));
  SINEW_TRY(PoseSpaces spaces, PoseSpaces::build(rig));
  ExportSource source{rig, std::move(ready), std::move(spaces), bind_transforms(rig), {}, {}, {}, {}, 0, {}};
  const std::vector<Bone> bones = bones_of(rig.skeleton, source.bind);
  source.bone_parents = bone_parents(rig.skeleton);
  source.frames = joint_frames(bones, source.bone_parents);
  if (!rig.flesh.empty()) source.range = rig.flesh.range;
  const auto origin = source.ready.deformer.origin();
  source.origin = Vec3(origin[0], origin[1], origin[2]);
  source.fixed.assign(rig.mesh.vertex_count(), 1);
  bool any = false;
  for (const MeshPart& part : rig.parts)
    for (std::size_t i = part.vertex_begin; part.skinned && i < part.vertex_begin + part.vertex_count; ++i) {
      source.fixed[i] = rig.weights.row(i).empty() ? 1 : 0;
      any = any || !source.fixed[i];
    }
  if (!any || bones.empty())
    return impossible("nothing hangs on a skeleton here: rig the mesh first (sinew rig)");
  std::vector<Vec3f> positions(rig.mesh.vertex_count());
  const Status status =
      source.ready.deformer.evaluate_near(rest_pose(rig.skeleton), source.ready.workspace, positions);
  if (status != Status::kOk) return frame_error(status);
  SINEW_CHECK(check_frame(rig, positions, source.ready));
  Box3 box;
  for (const Vec3f& p : positions) box.extend(p.cast<double>());
  source.diagonal = box.diagonal().norm();
  if (!(source.diagonal > 0)) return impossible("the mesh has no size: errors cannot be told");
  return source;
}

std::vector<Pose> range_poses(const ExportSource& source, unsigned seed, std::size_t most) {
  const Skeleton& skeleton = source.rig.skeleton;
  const Pose rest = rest_pose(skeleton);
  const std::vector<Affine3> globals = global_transforms(skeleton, rest.local);
  const std::vector<JointFrame> frames = joint_frames(bones_of(skeleton, globals), source.bone_parents);
  std::vector<std::size_t> joints;  // turning a root would tell nothing
  for (std::size_t j = 0; j < source.bone_parents.size(); ++j)
    if (source.bone_parents[j] >= 0) joints.push_back(j);
  const auto turned = [&](Pose& pose, std::size_t joint, const Vec3& turn) {
    return rotate_joint(skeleton, joint, Quat(rotation_of(frames[joint], turn)), pose).ok();
  };
  std::vector<Pose> poses;
  Dice dice(1000 + seed);
  const std::size_t together = joints.empty() ? 0 : std::max<std::size_t>(8, most / 12);
  const std::size_t each =
      joints.empty() ? 0 : std::clamp<std::size_t>((most - together) / joints.size(), 1, kTurnsOfJoint);
  for (std::size_t k = 0; k < each; ++k)
    for (const std::size_t j : joints) {
      if (poses.size() + together >= most && k > 0) break;
      Pose pose = rest;
      if (turned(pose, j, seed == 0 ? sampled_turn(source.range, k) : random_turn(source.range, dice, 1)))
        poses.push_back(std::move(pose));
    }
  for (std::size_t k = 0; k < together; ++k) {
    Pose pose = rest;
    for (const std::size_t j : joints) turned(pose, j, random_turn(source.range, dice, kAllTurn));
    poses.push_back(std::move(pose));
  }
  poses.push_back(rest);
  return poses;
}

std::vector<double> clip_times(const Clip& clip, double fps, bool between) {
  double begin = clip.duration();
  const double end = begin;
  for (const Channel& channel : clip.channels)
    if (!channel.times.empty()) begin = std::min(begin, static_cast<double>(channel.times.front()));
  std::vector<double> times = frame_times(begin, end, fps);
  if (end - times.back() > 1e-6) times.push_back(end);
  if (!between) return times;
  std::vector<double> middles;
  for (std::size_t k = 0; k + 1 < times.size(); ++k) middles.push_back(0.5 * (times[k] + times[k + 1]));
  return middles.empty() ? times : middles;
}

Result<std::vector<Pose>> clip_poses(const Rig& rig, std::span<const std::size_t> clips, double fps,
                                     bool between, std::size_t most) {
  std::vector<std::pair<std::size_t, double>> moments;
  for (const std::size_t c : clips)
    for (const double time : clip_times(rig.clips[c], fps, between)) moments.emplace_back(c, time);
  const std::size_t count = std::min(most, moments.size());
  std::vector<Pose> poses;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [c, time] = moments[k * moments.size() / count];
    SINEW_TRY(Pose pose, make_pose(rig, {}, rig.clips[c], time));
    poses.push_back(std::move(pose));
  }
  return poses;
}

Result<SkinSequence> sampled(ExportSource& source, std::span<const Pose> poses, const Progress* progress) {
  const Rig& rig = source.rig;
  SkinSequence sequence;
  sequence.rest = rig.mesh.positions;
  sequence.joints = rig.skeleton.size();
  sequence.frames = poses.size();
  sequence.moves.resize(sequence.joints * sequence.frames);
  sequence.shapes.resize(sequence.vertices() * sequence.frames);
  sequence.parents.assign(sequence.joints, -1);
  std::copy(source.bone_parents.begin(), source.bone_parents.end(), sequence.parents.begin());
  std::vector<SkinMorph> morphs(rig.keys.size());
  std::vector<Vec3f> positions(sequence.vertices());
  for (std::size_t k = 0; k < poses.size(); ++k) {
    if (is_cancelled(progress)) return cancelled();
    report(progress, "sampling poses", static_cast<double>(k) / static_cast<double>(poses.size()));
    const Status status = source.ready.deformer.evaluate_near(poses[k], source.ready.workspace, positions);
    if (status != Status::kOk) return frame_error(status);
    SINEW_CHECK(check_frame(rig, positions, source.ready));
    for (std::size_t i = 0; i < positions.size(); ++i) sequence.shapes[i * poses.size() + k] = positions[i];
    const std::vector<Affine3> matrices = source.matrices(poses[k]);
    for (std::size_t j = 0; j < matrices.size(); ++j) sequence.moves[j * poses.size() + k] = matrices[j];
    const std::vector<double> keys = source.key_weights(poses[k]);
    for (std::size_t m = 0; m < keys.size(); ++m) morphs[m].weights.push_back(keys[m]);
  }
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    if (std::all_of(morphs[m].weights.begin(), morphs[m].weights.end(), [](double w) { return w == 0; }))
      continue;
    morphs[m].deltas = rig.keys[m].deltas;
    sequence.morphs.push_back(std::move(morphs[m]));
  }
  return sequence;
}

}  // namespace sinew
