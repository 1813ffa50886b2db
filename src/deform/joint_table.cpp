// SPDX-License-Identifier: Apache-2.0
#include "deform/joint_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "deform/posed_bones.h"
#include "sinew/math/polar.h"
#include "sinew/math/svd.h"
#include "sinew/math/swing_twist.h"

namespace sinew {
namespace {

// Joint weights of one vertex turned into entries, which are numbered as they come up.
class Packer {
 public:
  Packer(const Rig& rig, const JointBasedOptions& options)
      : rig_(rig),
        options_(options),
        bones_(bones_of(rig.skeleton, bind_transforms(rig))),
        parents_(bone_parents(rig.skeleton)) {}

  void row(std::size_t vertex, std::vector<JointLane>& lanes) {
    lanes.clear();
    if (joint_weights_fit(rig_, parents_, vertex))
      for (const JointInfluence& influence : rig_.joint_weights.row(vertex))
        if (influence.deformer_weight > 0) add_joint(vertex, influence, lanes);
    if (!lanes.empty()) return;
    for (const Influence& influence : rig_.weights.row(vertex))
      lanes.push_back({entry(static_cast<int>(influence.joint), JointPart::kPlain, PartShare::kAll),
                       static_cast<float>(influence.weight), 0, 0, 0,
                       place_along(rig_, bones_, vertex, influence.joint)});
    if (lanes.empty()) lanes.push_back({entry(-1, JointPart::kPlain, PartShare::kAll), 1, 0, 0});
  }

  std::vector<JointEntry> entries() && { return std::move(entries_); }
  bool too_many() const { return entries_.size() > 65'535; }

 private:
  void add_joint(std::size_t vertex, const JointInfluence& influence, std::vector<JointLane>& lanes) {
    const int parent = parents_[influence.joint];
    const float own_end = place_along(rig_, bones_, vertex, influence.joint),
                above_end = parent < 0 ? own_end
                                       : place_along(rig_, bones_, vertex, static_cast<std::size_t>(parent));
    const auto add = [&](JointPart part, PartShare share, float turn) {
      lanes.push_back({entry(static_cast<int>(influence.joint), part, share), influence.deformer_weight,
                       influence.swing, turn, above_end, own_end});
    };
    switch (options_.blend_of(influence.joint, rig_.joint_weights)) {
      case JointBlend::kSwingTwist:
        return add(JointPart::kSwingTwist, PartShare::kAll, influence.twist);
      case JointBlend::kLinear:
        return add(JointPart::kLinear, PartShare::kAll, 0);
      case JointBlend::kDqs:
        return add(JointPart::kSpherical, PartShare::kAll, influence.swing);
      case JointBlend::kMix:
        add(JointPart::kLinear, PartShare::kMix, 0);
        return add(JointPart::kSpherical, PartShare::kMix, influence.swing);
      case JointBlend::kAngle:
        add(JointPart::kLinear, PartShare::kAngle, 0);
        return add(JointPart::kSpherical, PartShare::kAngle, influence.swing);
    }
  }

  std::uint16_t entry(int joint, JointPart part, PartShare share) {
    JointEntry wanted;
    wanted.joint = joint;
    wanted.part = part;
    wanted.share = share;
    const auto key = std::make_tuple(joint, part, share);
    const auto [at, is_new] = known_.try_emplace(key, static_cast<std::uint16_t>(entries_.size()));
    if (is_new) {
      if (joint >= 0 && static_cast<std::size_t>(joint) < bones_.size()) {
        wanted.parent = parents_[static_cast<std::size_t>(joint)];
        wanted.frame = joint_frame(bones_, parents_, static_cast<std::size_t>(joint));
      }
      entries_.push_back(wanted);
    }
    return at->second;
  }

  const Rig& rig_;
  const JointBasedOptions& options_;
  std::vector<Bone> bones_;
  std::vector<int> parents_;
  std::map<std::tuple<int, JointPart, PartShare>, std::uint16_t> known_;
  std::vector<JointEntry> entries_;
};

using Group = std::array<std::uint32_t, kJointGroupSize>;

// Groups whose first vertices lie within so many vertices stand together, and those of a set in a row among
// them. Where neighbours share no joints, groups of one set after the other would miss the cache with nearly
// every vertex; strictly by first vertex, they would read just behind what the one before them wrote, which
// processors take for the same place where the arrays lie alike within their pages.
constexpr std::size_t kGroupWindow = 2048;

struct GroupMembers {
  std::uint32_t set;
  std::span<const std::uint32_t> members;  // at most kJointGroupSize, ascending
};

GroupOrder order_of(const Group& group, std::size_t vertices) {
  bool consecutive = true;
  for (std::uint32_t lane = 0; lane < kJointGroupSize; ++lane) consecutive &= group[lane] == group[0] + lane;
  if (consecutive) return GroupOrder::kConsecutive;
  return group.back() + 1 == vertices ? GroupOrder::kLast : GroupOrder::kScattered;
}

// `all` has the lanes of every vertex, from row_begin on.
void append_group(const GroupMembers& from, std::span<const std::size_t> row_begin,
                  std::span<const JointLane> all, JointTable& table) {
  Group group;
  for (std::size_t lane = 0; lane < kJointGroupSize; ++lane)
    group[lane] = from.members[std::min(lane, from.members.size() - 1)];
  table.group_set.push_back(from.set);
  table.group_data.push_back(table.weights.size());
  table.group_order.push_back(order_of(group, table.vertices));
  table.group_used.push_back(static_cast<std::uint8_t>(from.members.size()));
  table.vertex.insert(table.vertex.end(), group.begin(), group.end());
  const std::size_t count = table.set_offsets[from.set + 1] - table.set_offsets[from.set];
  for (std::size_t k = 0; k < count; ++k) {
    for (const auto member : {&JointLane::share, &JointLane::move, &JointLane::turn})
      for (const std::uint32_t v : group) table.weights.push_back(all[row_begin[v] + k].*member);
    for (const auto member : {&JointLane::above_end, &JointLane::own_end})
      for (const std::uint32_t v : group) table.ends.push_back(all[row_begin[v] + k].*member);
  }
}

}  // namespace

bool joint_weights_fit(const Rig& rig, std::span<const int> parents, std::size_t vertex) {
  const std::span<const Influence> skin = rig.weights.row(vertex);
  const auto holds = [&](int joint) {
    return std::any_of(skin.begin(), skin.end(), [&](const Influence& influence) {
      return static_cast<int>(influence.joint) == joint && influence.weight > 0;
    });
  };
  const std::span<const JointInfluence> row = rig.joint_weights.row(vertex);
  return skin.empty() || std::any_of(row.begin(), row.end(), [&](const JointInfluence& influence) {
           return influence.deformer_weight > 0 &&
                  (holds(static_cast<int>(influence.joint)) || holds(parents[influence.joint]));
         });
}

Result<JointTable> pack_joints(const Rig& rig, const JointBasedOptions& options) {
  if (rig.joint_weights.empty()) return impossible("the rig has no joint weights: `sinew rig` makes them");
  if (!(options.mix >= 0 && options.mix <= 1)) return usage_error("the mix must lie between 0 and 1");
  if (rig.joint_weights.vertex_count() != rig.mesh.vertex_count() ||
      rig.weights.vertex_count() != rig.mesh.vertex_count())
    return bad_input("the weights do not fit the mesh: their numbers of vertices differ");
  for (const JointInfluence& influence : rig.joint_weights.entries)
    if (influence.joint >= rig.skeleton.deforming_count())
      return bad_input("a joint weight refers to a joint that deforms no vertices");
  Packer packer(rig, options);
  JointTable table = pack_groups(rig.mesh.vertex_count(),
                                 [&](std::size_t i, std::vector<JointLane>& lanes) { packer.row(i, lanes); });
  if (packer.too_many()) return impossible("more than 65,535 joints carry vertices");
  table.entries = std::move(packer).entries();
  return table;
}

Result<JointTable> pack_bones(const Rig& rig, RowSums sums) {
  if (rig.weights.vertex_count() != rig.mesh.vertex_count())
    return bad_input("the weights do not fit the mesh: their numbers of vertices differ");
  if (rig.endpoint.values.size() != rig.weights.entries.size() ||
      (rig.endpoint.empty() && !rig.weights.entries.empty()))
    return impossible("the rig has no endpoint weights: `sinew rig` or `sinew weights` makes them");
  const RestBones rest(rig);
  // One entry a joint, the identity behind them.
  std::vector<JointEntry> entries(rig.skeleton.size() + 1);
  if (entries.size() > 65'535) return impossible("the skeleton has more than 65,534 joints");
  for (std::size_t j = 0; j < rig.skeleton.size(); ++j) {
    entries[j].joint = static_cast<int>(j);
    entries[j].part = JointPart::kBone;
    if (j < rest.frames.size()) entries[j].frame = rest.frames[j];
  }
  for (const Influence& influence : rig.weights.entries)
    if (influence.joint >= rig.skeleton.size())
      return bad_input("a weight refers to a joint that does not exist");
  const auto identity = static_cast<std::uint16_t>(rig.skeleton.size());
  JointTable table = pack_groups(rig.mesh.vertex_count(), [&](std::size_t i, std::vector<JointLane>& lanes) {
    lanes.clear();
    double sum = 0;
    for (const Influence& influence : rig.weights.row(i)) sum += influence.weight;
    const double scale = sums == RowSums::kAsGiven ? 1 : std::abs(sum) > 1e-12 ? 1 / sum : 0;
    for (std::size_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e) {
      const float along = rig.endpoint.values[e];
      lanes.push_back({static_cast<std::uint16_t>(rig.weights.entries[e].joint),
                       static_cast<float>(scale * rig.weights.entries[e].weight), along,
                       rig.endpoint.for_twist(e)});
    }
    if (lanes.empty()) lanes.push_back({identity, 1, 0, 0});
  });
  table.entries = std::move(entries);
  return table;
}

JointTable pack_groups(std::size_t vertices,
                       const std::function<void(std::size_t vertex, std::vector<JointLane>&)>& row,
                       std::span<const std::uint32_t> kinds) {
  JointTable table;
  table.vertices = vertices;
  std::vector<JointLane> lanes, all;
  std::vector<std::size_t> row_begin;
  std::map<std::vector<std::uint16_t>, std::vector<std::uint32_t>> sets;  // entries -> vertices
  std::vector<std::uint16_t> set;
  for (std::size_t i = 0; i < vertices; ++i) {
    row(i, lanes);
    std::sort(lanes.begin(), lanes.end(),
              [](const JointLane& a, const JointLane& b) { return a.entry < b.entry; });
    set.clear();
    for (const JointLane& lane : lanes) set.push_back(lane.entry);
    sets[set].push_back(static_cast<std::uint32_t>(i));
    row_begin.push_back(all.size());
    all.insert(all.end(), lanes.begin(), lanes.end());
  }
  std::vector<GroupMembers> groups;
  table.set_offsets.push_back(0);
  for (auto& [entries, members] : sets) {
    if (!kinds.empty())
      std::stable_sort(members.begin(), members.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return kinds[a] < kinds[b]; });
    const auto number = static_cast<std::uint32_t>(table.set_offsets.size() - 1);
    table.set_entries.insert(table.set_entries.end(), entries.begin(), entries.end());
    table.set_offsets.push_back(static_cast<std::uint32_t>(table.set_entries.size()));
    for (std::size_t first = 0; first < members.size(); first += kJointGroupSize)
      groups.push_back(
          {number, std::span(members).subspan(first, std::min(kJointGroupSize, members.size() - first))});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const GroupMembers& a, const GroupMembers& b) {
    return a.members[0] / kGroupWindow < b.members[0] / kGroupWindow;
  });
  for (const GroupMembers& group : groups) append_group(group, row_begin, all, table);
  return table;
}

JointMotion joint_motion(const JointEntry& entry, std::span<const Affine3> matrices, double mix) {
  if (entry.joint < 0) return {};
  const Affine3& own = matrices[static_cast<std::size_t>(entry.joint)];
  // A root takes all along: nothing lies above it that stays behind.
  return joint_motion(entry, entry.parent < 0 ? own : matrices[static_cast<std::size_t>(entry.parent)], own,
                      mix);
}

JointMotion joint_motion(const JointEntry& entry, const Affine3& above_motion, const Affine3& below_motion,
                         double mix) {
  JointMotion motion;
  motion.above = motion.below = below_motion;
  motion.axes = entry.frame.axes;
  if (entry.part == JointPart::kPlain) return motion;
  motion.above = above_motion;
  // The joint's own turn, seen from what lies above it, in the axes of bind space.
  const Quat above(polar_decomposition(motion.above.linear()).rotation);
  const Quat turn = above.conjugate() * Quat(polar_decomposition(motion.below.linear()).rotation);
  double whole = 2 * std::atan2(turn.vec().norm(), std::abs(turn.w()));
  if (entry.part == JointPart::kSwingTwist) {
    const Vec3 axis = entry.frame.axes.col(2);
    motion.angle = twist_angle(swing_twist(turn, axis).twist, axis);
  } else if (entry.part == JointPart::kSpherical) {
    motion.angle = whole;
    Vec3 axis = turn.w() < 0 ? Vec3(-turn.vec()) : Vec3(turn.vec());
    if (axis.norm() > 1e-12) {
      axis.normalize();
      motion.axes = shortest_arc(Vec3::UnitZ(), axis).toRotationMatrix();
    } else {
      motion.angle = 0;
    }
  }
  const Vec3& head = entry.frame.origin;
  const Affine3 back = Eigen::Translation3d(head) * Eigen::AngleAxisd(-motion.angle, motion.axes.col(2)) *
                       Eigen::Translation3d(-head);
  motion.below = motion.below * back;
  if (entry.share == PartShare::kAll) return motion;
  const double half = std::sin(whole / 2);
  const double spherical = entry.share == PartShare::kMix ? mix : half * half;
  motion.factor = entry.part == JointPart::kSpherical ? spherical : 1 - spherical;
  return motion;
}

}  // namespace sinew
