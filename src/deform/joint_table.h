// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "deform/skin_table.h"
#include "sinew/deform/joint_based.h"
#include "sinew/rig/rig.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {

// What a joint does, in the parts that the kernel knows. kMix and kAngle are a linear and a spherical part.
enum class JointPart : std::uint8_t { kSwingTwist, kLinear, kSpherical, kPlain, kBone };

// How much of the joint's share a part has.
enum class PartShare : std::uint8_t { kAll, kMix, kAngle };

// One entry of the palette that is filled every frame.
struct JointEntry {
  int joint = -1, parent = -1;  // of the skeleton; joint -1: the identity, for vertices that nothing carries
  JointPart part = JointPart::kPlain;
  PartShare share = PartShare::kAll;
  JointFrame frame;

  bool operator==(const JointEntry& other) const {
    return joint == other.joint && part == other.part && share == other.share;
  }
};

// Vertices of a group: all lanes that the kernels use of the widest target.
inline constexpr std::size_t kJointGroupSize = 16;
// As kGroupsPerPiece, in these larger groups.
inline constexpr std::size_t kJointGroupsPerPiece = kGroupsPerPiece * kGroupSize / kJointGroupSize;

// How the vertices of a group lie in the mesh: all in a row; anyhow; or anyhow with the mesh's last one,
// behind which nothing may be read.
enum class GroupOrder : std::uint8_t { kConsecutive, kScattered, kLast };

// Joint weights as the kernel reads them. Vertices with the same entries are put together in groups of
// kJointGroupSize, so that what the palette holds is loaded once for the group and used by all its lanes.
// Groups are roughly in the order of their first vertices: what they read and write of a mesh whose
// neighbours share no joints is then still in the cache when another group needs it.
struct JointTable {
  std::size_t vertices = 0;
  std::vector<JointEntry> entries;
  std::vector<std::uint32_t> set_offsets;  // into set_entries; the sets of entries that groups share
  std::vector<std::uint16_t> set_entries;
  std::vector<std::uint32_t> group_set;  // per group
  std::vector<std::size_t> group_data;   // per group: its first number in `weights`
  std::vector<GroupOrder> group_order;   // per group
  std::vector<std::uint8_t> group_used;  // per group: lanes that have a vertex of their own
  std::vector<std::uint32_t> vertex;     // per lane; lanes behind the last vertex of a group repeat it
  std::vector<float> ends;               // as weights, but two numbers a lane: above_end and own_end
  std::vector<float> weights;            // per group and entry of its set: d, then s, then t of all lanes

  std::size_t group_count() const { return group_set.size(); }
};

// One influence of one vertex in the kernel's terms. `turn` is the weight of the entry's rotation.
struct JointLane {
  std::uint16_t entry = 0;
  float share = 0, move = 0, turn = 0;
  float above_end = 0, own_end = 0;  // endpoint weights for the bone above the joint and for its own
};
// Fills everything but `entries` from the lanes of each vertex.
JointTable pack_groups(std::size_t vertices,
                       const std::function<void(std::size_t vertex, std::vector<JointLane>&)>& row,
                       std::span<const std::uint32_t> kinds = {});

Result<JointTable> pack_joints(const Rig& rig, const JointBasedOptions& options);

// The same for bones that stretch and twist: weights of the skin, endpoint weights as move and turn.
Result<JointTable> pack_bones(const Rig& rig, RowSums sums);

// The frame's motion of one entry, in double precision: factor (above + s (below - above)) turn(t) p, where
// turn rotates about the z of `axes` through the joint.
struct JointMotion {
  Affine3 above = Affine3::Identity(), below = Affine3::Identity();
  Mat3 axes = Mat3::Identity();  // z is the axis of `angle`
  double angle = 0;              // radians, within +-pi
  double factor = 1;
};
JointMotion joint_motion(const JointEntry& entry, const Affine3& above, const Affine3& below, double mix);
JointMotion joint_motion(const JointEntry& entry, std::span<const Affine3> matrices, double mix);

}  // namespace sinew
