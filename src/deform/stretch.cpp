// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/stretch.h"

#include <algorithm>
#include <cassert>

#include "deform/dqs_kernel.h"
#include "deform/dual_bone_kernel.h"
#include "deform/lbs_kernel.h"
#include "deform/pack_rig.h"
#include "deform/signs.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

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

PosedBone palette_bone(const SkinTable& skin, const RestBones& rest, std::size_t entry,
                       const FrameInput& input) {
  return entry < skin.palette_joints.size() ? posed_bone(rest, skin.palette_joints[entry], input)
                                            : PosedBone{};
}

PosedBone entry_bone(const JointEntry& entry, const RestBones& rest, const FrameInput& input) {
  return entry.joint < 0 ? PosedBone{} : posed_bone(rest, static_cast<std::size_t>(entry.joint), input);
}

struct StretchWorkspace : Workspace {
  StretchWorkspace(const SkinTable& skin, const JointTable& joints)
      : rows(skin.palette_size()), bones(joints.entries.size()) {}
  Palette<MatrixEntry> rows;
  Palette<BoneEntry> bones;
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
    parallel_for(joints_.group_count(), kJointGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      bone_groups(joints_, frame.bones, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  void fill_stretch(const FrameInput& input, Palette<MatrixEntry>& palette) const noexcept {
    for (std::size_t e = 0; e < skin_.palette_size(); ++e) {
      const PosedBone bone = palette_bone(skin_, rest_, e, input);
      const Rows rows = rows_of(bone.rigid);
      std::copy_n(rows.at, 12, palette[e].rows);
      for (Eigen::Index k = 0; k < 3; ++k) palette[e].stretch[k] = static_cast<float>(bone.stretch[k]);
    }
  }

  void fill_twist(const FrameInput& input, Palette<BoneEntry>& palette) const noexcept {
    for (std::size_t e = 0; e < joints_.entries.size(); ++e) {
      const JointEntry& entry = joints_.entries[e];
      const PosedBone bone = entry_bone(entry, rest_, input);
      const Affine3 frame = Eigen::Translation3d(entry.frame.origin) * Affine3(entry.frame.axes);
      palette[e] = bone_entry(frame.inverse(Eigen::Isometry), bone.rigid * frame, 1, bone);
    }
  }

  RestBones rest_;
  SkinTable skin_;
  std::vector<float> shares_;  // as skin_.weights
  JointTable joints_;
};

// The rigid part of a bone's motion: its rotation, and what makes the dual part.
struct DualParts {
  Quat real, turned;  // turned: times the bone's direction
  Quat dual[4];       // as DualBoneEntry says
  LinearSplit split;
};

DualParts dual_parts(const PosedBone& bone, const Vec3& head, const Vec3& axis) {
  DualParts parts;
  parts.split = split_linear(bone.rigid.linear());
  const auto pure = [](const Vec3& v) { return Quat(0, v.x(), v.y(), v.z()); };
  const Quat q = parts.split.rotation, turned = q * pure(axis);
  const Quat to = pure(bone.rigid * head), from = pure(head), more = pure(bone.stretch);
  const auto half = [](const Quat& a, const Quat& b) { return Quat(0.5 * (a.coeffs() - b.coeffs())); };
  const Quat zero(0, 0, 0, 0);
  parts.real = q;
  parts.turned = turned;
  parts.dual[0] = half(to * q, q * from);
  parts.dual[1] = half(to * turned, turned * from);
  parts.dual[2] = half(more * q, zero);
  parts.dual[3] = half(more * turned, zero);
  return parts;
}

struct DualWorkspace : Workspace {
  DualWorkspace(const SkinTable& skin, const JointTable& joints)
      : duals(skin.palette_size()), bones(joints.entries.size()) {}
  Palette<StretchedDualEntry> duals;
  Palette<DualBoneEntry> bones;
};

// Blended as rigid motions. Most frames without twist or scale are those of DQS with one vector a bone more.
class DualStretch : public Deformer {
 public:
  DualStretch(const Rig& rig, SkinTable skin, JointTable joints)
      : rest_(rig),
        skin_(std::move(skin)),
        signs_(find_sign_pairs(skin_)),
        shares_(stretch_shares(skin_, rig)),
        joints_(std::move(joints)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    return std::make_unique<DualWorkspace>(skin_, joints_);
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == joints_.vertices);
    auto& frame = static_cast<DualWorkspace&>(workspace);
    const VertexStreams streams = streams_of(input, out_positions, out_normals);
    if (!any_twist(input.bones) && fill_plain(input, frame.duals)) {
      parallel_for(skin_.group_count(), kGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
        aligned_dqs_groups(skin_, shares_.data(), frame.duals, begin, end, streams);
      });
      return Status::kOk;
    }
    const DualBoneFrame what = fill(input, frame.bones);
    parallel_for(joints_.group_count(), kJointGroupsPerPiece, [&](std::size_t begin, std::size_t end) {
      dual_bone_groups(joints_, frame.bones, what, begin, end, streams);
    });
    return Status::kOk;
  }

 private:
  // False where a joint is scaled or signs do not agree.
  bool fill_plain(const FrameInput& input, Palette<StretchedDualEntry>& palette) const noexcept {
    for (std::size_t e = 0; e < skin_.palette_size(); ++e) {
      const PosedBone bone = palette_bone(skin_, rest_, e, input);
      const std::size_t joint =
          e < skin_.palette_joints.size() ? skin_.palette_joints[e] : rest_.bones.size();
      const Vec3 head = joint < rest_.frames.size() ? rest_.frames[joint].origin : Vec3(Vec3::Zero());
      const DualParts parts = dual_parts(bone, head, Vec3::UnitZ());
      if (parts.split.stretched) return false;
      put_numbers(parts.real, palette[e].real);
      put_numbers(parts.dual[0], palette[e].dual);
      put_numbers(parts.dual[2], palette[e].more);
    }
    return align_signs(signs_, palette);
  }

  DualBoneFrame fill(const FrameInput& input, Palette<DualBoneEntry>& palette) const noexcept {
    DualBoneFrame frame;
    for (std::size_t e = 0; e < joints_.entries.size(); ++e) {
      const JointEntry& entry = joints_.entries[e];
      const PosedBone bone = entry_bone(entry, rest_, input);
      const Vec3& head = entry.frame.origin;
      const DualParts parts = dual_parts(bone, head, entry.frame.axes.col(2));
      DualBoneEntry& out = palette[e];
      put_numbers(parts.real, out.real);
      put_numbers(parts.turned, out.turned);
      for (std::size_t k = 0; k < 4; ++k) put_numbers(parts.dual[k], out.dual[k]);
      out.twist = bone_entry(Affine3::Identity(), Affine3::Identity(), 1, bone).twist;
      out.scale = rows_of(parts.split.stretch, head - parts.split.stretch * head);
      frame.twisted |= out.twist.kind != TurnKind::kNone;
      frame.scaled |= parts.split.stretched;
    }
    return frame;
  }

  RestBones rest_;
  SkinTable skin_;
  SignPairs signs_;
  std::vector<float> shares_;  // as skin_.weights
  JointTable joints_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_stretch(const Rig& rig, StretchForm form) {
  const bool dual = form == StretchForm::kDualQuaternion;
  const RowSums sums = dual ? RowSums::kNormalised : RowSums::kAsGiven;
  SINEW_TRY(JointTable joints, pack_bones(rig, sums));
  SINEW_TRY(SkinTable skin, pack_rig(rig, sums));
  if (dual)
    return std::unique_ptr<Deformer>(std::make_unique<DualStretch>(rig, std::move(skin), std::move(joints)));
  return std::unique_ptr<Deformer>(std::make_unique<LinearStretch>(rig, std::move(skin), std::move(joints)));
}

}  // namespace sinew
