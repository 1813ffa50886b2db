// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/stretch.h"

#include <algorithm>
#include <cassert>

#include "deform/joint_kernel.h"
#include "deform/pack_rig.h"
#include "deform/posed_bones.h"
#include "deform/stretch_kernel.h"
#include "sinew/core/parallel.h"
#include "sinew/math/polar.h"

namespace sinew {
namespace {

void put_rows(const Mat3& linear, const Vec3& translation, float* out) {
  for (Eigen::Index row = 0; row < 3; ++row) {
    for (Eigen::Index column = 0; column < 3; ++column) *out++ = static_cast<float>(linear(row, column));
    *out++ = static_cast<float>(translation[row]);
  }
}

void put_quaternion(const Quat& q, float* out) {
  for (Eigen::Index k = 0; k < 4; ++k) out[k] = static_cast<float>(q.coeffs()[k]);
}

bool any_twist(std::span<const BoneShape> bones) {
  return std::any_of(bones.begin(), bones.end(),
                     [](const BoneShape& shape) { return shape.twist_head != 0 || shape.twist_tail != 0; });
}

// Weight times endpoint weight for every place of the table.
std::vector<float> stretch_shares(const SkinTable& table, const Rig& rig) {
  std::vector<float> shares(table.weights.size(), 0.0f);
  for (const SkinRun& run : table.runs)
    for (std::size_t i = run.group_begin * kGroupSize;
         i < std::min(run.group_end * kGroupSize, table.vertices); ++i) {
      const std::size_t place = run.entry + (i - run.group_begin * kGroupSize) * run.influences;
      const std::size_t first = rig.weights.offsets[i];
      for (std::size_t k = 0; k < rig.weights.row(i).size(); ++k)
        shares[place + k] = table.weights[place + k] * rig.endpoint.values[first + k];
    }
  return shares;
}

struct StretchWorkspace : Workspace {
  StretchWorkspace(const SkinTable& skin, const JointTable& joints)
      : rows(skin.palette_size(), kRowsStride),
        bones(std::max<std::size_t>(joints.entries.size(), 1), kJointStride) {}
  Palette rows, bones;
};

// Blended as positions. Frames without twist need one vector a bone more than LBS; the others turn every
// influence by its own angle.
class LinearStretch : public Deformer {
 public:
  LinearStretch(const Rig& rig, SkinTable skin, JointTable joints)
      : rest_(rig), skin_(std::move(skin)), shares_(stretch_shares(skin_, rig)), joints_(std::move(joints)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<StretchWorkspace>(skin_, joints_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == skin_.vertices);
    auto& frame = static_cast<StretchWorkspace&>(workspace);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    if (!any_twist(input.bones)) {
      fill_stretch(input, frame.rows);
      parallel_for(skin_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
        stretch_groups(skin_, shares_.data(), frame.rows, begin, end, streams);
      });
      return Status::kOk;
    }
    fill_twist(input, frame.bones);
    parallel_for(joints_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      joint_groups(joints_, frame.bones, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  void fill_stretch(const FrameInput& input, Palette& rows) const noexcept {
    for (std::size_t e = 0; e < skin_.palette_size(); ++e) {
      const PosedBone bone =
          e < skin_.palette_joints.size() ? posed_bone(rest_, skin_.palette_joints[e], input) : PosedBone{};
      float* out = rows.entry(e);
      put_rows(bone.rigid.linear(), bone.rigid.translation(), out);
      for (Eigen::Index k = 0; k < 3; ++k)
        out[kStretchAt + static_cast<std::size_t>(k)] = static_cast<float>(bone.stretch[k]);
      out[kStretchAt + 3] = 0;
    }
  }

  void fill_twist(const FrameInput& input, Palette& palette) const noexcept {
    for (std::size_t e = 0; e < joints_.entries.size(); ++e) {
      const JointEntry& entry = joints_.entries[e];
      const PosedBone bone =
          entry.joint < 0 ? PosedBone{} : posed_bone(rest_, static_cast<std::size_t>(entry.joint), input);
      const Affine3 frame = Eigen::Translation3d(entry.frame.origin) * Affine3(entry.frame.axes);
      const Affine3 local = frame.inverse(Eigen::Isometry), above = bone.rigid * frame;
      float* out = palette.entry(e);
      put_rows(local.linear(), local.translation(), out + kJointLocal);
      put_rows(above.linear(), above.translation(), out + kJointAbove);
      put_rows(Mat3::Zero(), bone.stretch, out + kJointMove);
      out[kJointTurn] = bone.twist_head != 0 || bone.twist_tail != 0 ? 3.0f : 0.0f;
      out[kJointHalf] = static_cast<float>((bone.twist_tail - bone.twist_head) / 2);
      out[kJointHalfStart] = static_cast<float>(bone.twist_head / 2);
    }
  }

  RestBones rest_;
  SkinTable skin_;
  std::vector<float> shares_;  // as skin_.weights
  JointTable joints_;
};

struct DualWorkspace : Workspace {
  explicit DualWorkspace(const JointTable& joints)
      : bones(std::max<std::size_t>(joints.entries.size(), 1), kDualBoneStride) {}
  Palette bones;
};

class DualStretch : public Deformer {
 public:
  DualStretch(const Rig& rig, JointTable joints) : rest_(rig), joints_(std::move(joints)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<DualWorkspace>(joints_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == joints_.vertices);
    auto& frame = static_cast<DualWorkspace&>(workspace);
    const bool scaled = fill(input, frame.bones);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    parallel_for(joints_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      dual_bone_groups(joints_, frame.bones, scaled, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  // Whether a joint is scaled.
  bool fill(const FrameInput& input, Palette& palette) const noexcept {
    bool scaled = false;
    for (std::size_t e = 0; e < joints_.entries.size(); ++e) {
      const JointEntry& entry = joints_.entries[e];
      const PosedBone bone =
          entry.joint < 0 ? PosedBone{} : posed_bone(rest_, static_cast<std::size_t>(entry.joint), input);
      const LinearSplit split = split_linear(bone.rigid.linear());
      scaled |= split.stretched;
      const Vec3& head = entry.frame.origin;
      const Vec3 axis = entry.frame.axes.col(2), place = bone.rigid * head;
      const Quat q = split.rotation, along(0, axis.x(), axis.y(), axis.z());
      const Quat turned = q * along;
      const Quat to(0, place.x(), place.y(), place.z()), from(0, head.x(), head.y(), head.z());
      const Quat more(0, bone.stretch.x(), bone.stretch.y(), bone.stretch.z());
      const auto half = [](const Quat& a, const Quat& b) { return Quat(0.5 * (a.coeffs() - b.coeffs())); };
      const Quat zero(0, 0, 0, 0);
      float* out = palette.entry(e);
      put_quaternion(q, out);
      put_quaternion(turned, out + 4);
      float* parts = out + kDualBoneParts;
      put_quaternion(half(to * q, q * from), parts);
      put_quaternion(half(to * turned, turned * from), parts + 4);
      put_quaternion(half(more * q, zero), parts + 8);
      put_quaternion(half(more * turned, zero), parts + 12);
      float* twist = out + kDualBoneTwist;
      twist[0] = static_cast<float>(bone.twist_head / 2);
      twist[1] = static_cast<float>((bone.twist_tail - bone.twist_head) / 2);
      twist[2] = bone.twist_head != 0 || bone.twist_tail != 0 ? 1.0f : 0.0f;
      twist[3] = 0;
      put_rows(split.stretch, head - split.stretch * head, out + kDualBoneScale);
    }
    return scaled;
  }

  RestBones rest_;
  JointTable joints_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_stretch(const Rig& rig, StretchForm form) {
  SINEW_TRY(JointTable joints,
            pack_bones(rig, form == StretchForm::kDualQuaternion ? RowSums::kNormalised : RowSums::kAsGiven));
  if (form == StretchForm::kDualQuaternion)
    return std::unique_ptr<Deformer>(std::make_unique<DualStretch>(rig, std::move(joints)));
  SINEW_TRY(SkinTable skin, pack_rig(rig, RowSums::kAsGiven));
  return std::unique_ptr<Deformer>(std::make_unique<LinearStretch>(rig, std::move(skin), std::move(joints)));
}

}  // namespace sinew
