// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/t_pose.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pipeline/retarget_match.h"
#include "sinew/math/quaternion.h"
#include "sinew/math/svd.h"
#include "sinew/rig/skinned_mesh.h"
#include "sinew/skeleton/carry_clip.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

using H = HumanJoint;

// Local transforms in which both arms point away from the body; degrees: of the largest turn.
std::vector<Affine3> t_pose_of(const RestBody& body, double& degrees) {
  const Skeleton& skeleton = *body.skeleton;
  const Humanoid& human = *body.human;
  std::vector<std::optional<Quat>> turns(skeleton.size());
  for (const int side : {0, 1}) {
    const Vec3 out = (side == 0 ? 1 : -1) * human.axes.col(0);
    Quat turn = Quat::Identity();
    const std::array<int, 4> arm = {human[on_side(H::kLeftUpperArm, side)],
                                    human[on_side(H::kLeftLowerArm, side)],
                                    human[on_side(H::kLeftHand, side)], human[finger_joint(side, 2, 0)]};
    for (std::size_t k = 0; k < 3; ++k) {
      if (arm[k] < 0) break;
      // A hand without fingers goes on as the forearm does.
      if (arm[k + 1] >= 0) {
        const Vec3 bone = body.head(arm[k + 1]) - body.head(arm[k]);
        if (bone.norm() > 1e-3 * body.height) turn = least_rotation(bone, out);
      }
      turns[static_cast<std::size_t>(arm[k])] = turn;
      degrees = std::max(degrees, log_rotation(turn).norm() * 57.29577951308232);
    }
  }
  std::vector<Affine3> local = body.local, global(skeleton.size());
  for (const std::uint32_t j : skeleton.order()) {
    const int parent = skeleton[j].parent;
    const Affine3 above = parent < 0 ? Affine3::Identity() : global[static_cast<std::size_t>(parent)];
    if (turns[j]) {
      const Mat3 scale = rotation_part(local[j]).transpose() * local[j].linear();
      const Quat up = Quat(rotation_part(above)).normalized();
      local[j].linear() = (up.conjugate() * *turns[j] * body.turns[j]).toRotationMatrix() * scale;
    }
    global[j] = above * local[j];
  }
  return local;
}

// Clips go on from where joints were: what they do not key was the old rest pose.
void keep_old_rest(Rig& rig, const Skeleton& before) {
  for (Clip& clip : rig.clips)
    for (std::size_t j = 0; j < before.size(); ++j) {
      const Affine3& old = before[j].rest_local;
      if ((old.matrix() - rig.skeleton[j].rest_local.matrix()).norm() < 1e-9) continue;
      for (const ChannelPath path : {ChannelPath::kRotation, ChannelPath::kTranslation}) {
        const bool keyed =
            std::any_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& channel) {
              return channel.joint == static_cast<int>(j) && channel.path == path;
            });
        if (keyed) continue;
        Channel channel;
        channel.joint = static_cast<int>(j);
        channel.path = path;
        channel.times = {0};
        if (path == ChannelPath::kRotation) {
          channel.width = 4;
          const Eigen::Vector4f turn = Quat(rotation_part(old)).normalized().coeffs().cast<float>();
          channel.values.assign(turn.data(), turn.data() + 4);
        } else {
          const Vec3f place = old.translation().cast<float>();
          channel.values.assign(place.data(), place.data() + 3);
        }
        clip.channels.push_back(std::move(channel));
      }
    }
}

double clip_difference(const Rig& before, const Rig& after) {
  const double diagonal =
      bounding_box(skinned_mesh(before, rest_pose(before.skeleton)).positions).diagonal().norm();
  double sum = 0, count = 0;
  for (std::size_t c = 0; c < before.clips.size(); ++c)
    for (int k = 0; k < 8; ++k) {
      const auto shown = [&](const Rig& rig) {
        Pose pose = rest_pose(rig.skeleton);
        sample_clip(rig.clips[c], rig.skeleton, rig.clips[c].duration() * k / 7, pose);
        return skinned_mesh(rig, pose).positions;
      };
      const std::vector<Vec3> first = shown(before), second = shown(after);
      for (std::size_t i = 0; i < first.size(); ++i) sum += (first[i] - second[i]).squaredNorm();
      count += static_cast<double>(first.size());
    }
  return count > 0 && diagonal > 0 ? std::sqrt(sum / count) / diagonal : 0;
}

// The blend of a vertex's matrices, into bind space.
void move_vertices(Rig& rig, std::span<const Affine3> matrices, const Affine3& to_bind) {
  for (std::size_t i = 0; i < rig.mesh.positions.size(); ++i) {
    const auto row = rig.weights.row(i);
    if (row.empty()) continue;
    Affine3 move;
    move.matrix().setZero();
    for (const Influence& entry : row) move.matrix() += entry.weight * matrices[entry.joint].matrix();
    move = to_bind * move;
    rig.mesh.positions[i] = move * rig.mesh.positions[i];
    const Mat3 linear = move.linear();
    if (i < rig.mesh.normals.size()) {
      const Vec3 normal = linear * rig.mesh.normals[i].cast<double>();
      if (normal.norm() > 0) rig.mesh.normals[i] = normal.normalized().cast<float>();
    }
    for (ShapeKey& key : rig.keys) {
      if (i < key.deltas.size()) key.deltas[i] = (linear * key.deltas[i].cast<double>()).cast<float>();
      if (i < key.normal_deltas.size())
        key.normal_deltas[i] = (linear * key.normal_deltas[i].cast<double>()).cast<float>();
    }
  }
  // Rigid pieces are stored in the space of the node that carries them, and stay there.
  for (MeshPart& part : rig.parts) {
    if (part.skinned || part.vertex_count == 0) continue;
    const auto row = rig.weights.row(part.vertex_begin);
    if (row.size() == 1) part.to_bind = to_bind * matrices[row[0].joint] * part.to_bind;
  }
}

}  // namespace

Result<TPose> make_t_pose(Rig& rig) {
  const RestBody body = rest_body(rig);
  if (!body.human) return impossible("the skeleton is not a humanoid: there is no T pose of it");
  TPose result;
  Pose pose = rest_pose(rig.skeleton);
  pose.local = t_pose_of(body, result.degrees);
  run_drivers(rig, pose);
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, pose.local);
  std::vector<Affine3> matrices(rig.skeleton.size());
  skinning_matrices(rig, globals, matrices);
  const Affine3 to_world = common_similarity(bind_transforms(rig), body.global);
  if (!(std::abs(to_world.linear().determinant()) > 0)) return impossible("the bind pose has no size");
  const Rig before = rig;
  move_vertices(rig, matrices, to_world.inverse());
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].rest_local = pose.local[j];
    joints[j].rest_parts.reset();
    const Affine3 inverse = globals[j].inverse() * to_world;
    if (inverse.matrix().allFinite()) rig.inverse_bind[j] = inverse;
  }
  SINEW_TRY(rig.skeleton, Skeleton::create(std::move(joints)));
  rig.drivers = {};
  keep_old_rest(rig, before.skeleton);
  result.rms = clip_difference(before, rig);
  return result;
}

}  // namespace sinew
