// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "sinew/math/segment.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

// Where a bone without children ends. `parent` is the bone above, already complete, or null.
Vec3 free_end(const Joint& joint, const Affine3& global, const Bone* parent) {
  const Vec3 head = global.translation();
  if (joint.tail) return global * *joint.tail;
  if (!parent) return head;
  // Where the parent's tail is one of several heads, the way from the parent to here says more.
  const bool led = parent->ends.size() > 1 &&
                   std::find(parent->ends.begin(), parent->ends.end(), parent->tail) != parent->ends.end();
  return head + (led ? head - parent->head : parent->tail - parent->head);
}

constexpr double kNoDirection =
    0.1;  // of the mean segment: a mean of heads this near to the head says nothing

// The end of a bone whose children lie all round it.
Vec3 leading_end(const Bone& bone, const Bone* parent, std::span<const std::size_t> below) {
  if (!parent) {
    const auto most = std::max_element(below.begin(), below.end());
    return bone.ends[static_cast<std::size_t>(most - below.begin())];
  }
  const Vec3 along = parent->tail - parent->head;
  const auto in_line = [&](const Vec3& end) { return along.dot((end - bone.head).stableNormalized()); };
  return *std::max_element(bone.ends.begin(), bone.ends.end(),
                           [&](const Vec3& a, const Vec3& b) { return in_line(a) < in_line(b); });
}

// The mean of the ends, or, where that tells no direction, one of them.
Vec3 tail_of(const Bone& bone, const Bone* parent, std::span<const std::size_t> below) {
  Vec3 mean = Vec3::Zero();
  double length = 0;
  for (const Vec3& end : bone.ends) {
    mean += end;
    length += (end - bone.head).norm();
  }
  const auto count = static_cast<double>(bone.ends.size());
  mean /= count;
  const bool clear = (mean - bone.head).norm() >= kNoDirection * length / count;
  return clear ? mean : leading_end(bone, parent, below);
}

}  // namespace

std::vector<Bone> bones_of(const Skeleton& skeleton, std::span<const Affine3> globals) {
  assert(globals.size() == skeleton.size());
  const std::size_t count = skeleton.deforming_count();
  const std::vector<int> above = bone_parents(skeleton);

  std::vector<std::size_t> size(count, 1);  // bones of the part of the tree below each, itself included
  const std::vector<std::size_t> order = bone_order(above);
  for (auto j = order.rbegin(); j != order.rend(); ++j)
    if (above[*j] >= 0) size[static_cast<std::size_t>(above[*j])] += size[*j];

  std::vector<Bone> bones(count);
  std::vector<std::vector<std::size_t>> below(count);  // per end: the size of what it carries
  for (std::size_t j = 0; j < count; ++j) {
    bones[j].joint = j;
    bones[j].head = globals[j].translation();
    if (above[j] < 0) continue;
    const auto parent = static_cast<std::size_t>(above[j]);
    bones[parent].ends.push_back(globals[j].translation());
    below[parent].push_back(size[j]);
  }
  for (const std::uint32_t j : skeleton.order()) {
    if (!skeleton[j].deforms) continue;
    const Bone* parent = above[j] < 0 ? nullptr : &bones[static_cast<std::size_t>(above[j])];
    Bone& bone = bones[j];
    if (bone.ends.empty()) bone.ends.push_back(free_end(skeleton[j], globals[j], parent));
    bone.tail = tail_of(bone, parent, below[j]);
  }
  return bones;
}

void keep_bones(std::span<const std::uint8_t> kept, std::vector<Bone>& bones, std::vector<int>& parents) {
  const auto stays = [&](std::size_t b) { return kept[bones[b].joint] != 0; };
  std::vector<int> place(bones.size(), -1);  // among those that are kept
  int count = 0;
  for (std::size_t b = 0; b < bones.size(); ++b)
    if (stays(b)) place[b] = count++;
  std::vector<Bone> left;
  std::vector<int> above;
  std::vector<std::vector<Vec3>> ends(static_cast<std::size_t>(count));
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (!stays(b)) continue;
    int parent = parents[b];
    while (parent >= 0 && place[static_cast<std::size_t>(parent)] < 0)
      parent = parents[static_cast<std::size_t>(parent)];
    above.push_back(parent < 0 ? -1 : place[static_cast<std::size_t>(parent)]);
    if (parent >= 0) ends[static_cast<std::size_t>(above.back())].push_back(bones[b].head);
    left.push_back(bones[b]);
  }
  for (std::size_t b = 0; b < left.size(); ++b) {
    if (ends[b].empty() || ends[b] == left[b].ends) continue;
    left[b].ends = std::move(ends[b]);
    left[b].tail = std::accumulate(left[b].ends.begin(), left[b].ends.end(), Vec3(Vec3::Zero())) /
                   static_cast<double>(left[b].ends.size());
  }
  bones = std::move(left);
  parents = std::move(above);
}

std::span<const Vec3> segment_ends(const Bone& bone) {
  return bone.ends.empty() ? std::span(&bone.tail, 1) : std::span<const Vec3>(bone.ends);
}

std::vector<std::vector<std::size_t>> tail_bones(std::span<const Bone> bones, std::span<const int> parents) {
  std::vector<std::vector<std::size_t>> ends(bones.size());
  for (std::size_t b = 0; b < bones.size(); ++b)
    if (parents[b] >= 0) ends[static_cast<std::size_t>(parents[b])].push_back(b);
  for (std::size_t b = 0; b < bones.size(); ++b)
    for (const std::size_t child : ends[b])
      if (bones[child].head == bones[b].tail) {
        ends[b] = {child};
        break;
      }
  return ends;
}

PointOnBone nearest_on_bone(const Bone& bone, const Vec3& p) {
  PointOnBone best;
  double least = std::numeric_limits<double>::infinity();
  const std::span<const Vec3> ends = segment_ends(bone);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const double t = nearest_on_segment(p, bone.head, ends[k]);
    const Vec3 point = bone.head + t * (ends[k] - bone.head);
    if (const double d = (point - p).squaredNorm(); d < least) {
      least = d;
      best = {k, t, point};
    }
  }
  return best;
}

double distance_to_bone(const Bone& bone, const Vec3& p) {
  return (nearest_on_bone(bone, p).point - p).norm();
}

double reach_of(const Bone& bone) {
  double reach = 0;
  for (const Vec3& end : segment_ends(bone)) reach = std::max(reach, (end - bone.head).norm());
  return reach;
}

std::size_t nearest_bone(const Vec3& p, std::span<const Bone> bones) {
  constexpr double kTie = 1e-9;  // of bones that meet the first, whatever rounding says
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < bones.size(); ++j)
    if (const double d = distance_to_bone(bones[j], p); d < least * (1 - kTie)) best = j, least = d;
  return best;
}

}  // namespace sinew
