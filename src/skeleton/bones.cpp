// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <limits>

#include "sinew/math/segment.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

// Where a bone without children ends. `parent` is the bone above, already complete, or null.
Vec3 free_end(const Joint& joint, const Affine3& global, const Bone* parent) {
  const Vec3 head = global.translation();
  if (joint.tail) return global * *joint.tail;
  if (!parent) return head;
  const Vec3 along = parent->tail - parent->head;
  // The mean of several heads may fall on the parent's own: then the way from there to here says more.
  return head + (along.squaredNorm() > 0 ? along : head - parent->head);
}

}  // namespace

std::vector<Bone> bones_of(const Skeleton& skeleton, std::span<const Affine3> globals) {
  assert(globals.size() == skeleton.size());
  const std::size_t count = skeleton.deforming_count();
  const std::vector<int> above = bone_parents(skeleton);

  std::vector<Bone> bones(count);
  std::vector<std::size_t> children(count, 0);
  for (std::size_t j = 0; j < count; ++j) {
    bones[j].joint = j;
    bones[j].head = globals[j].translation();
    if (above[j] < 0) continue;
    const auto parent = static_cast<std::size_t>(above[j]);
    bones[parent].tail += globals[j].translation();
    ++children[parent];
  }
  for (const std::uint32_t j : skeleton.order()) {
    if (!skeleton[j].deforms) continue;
    const Bone* parent = above[j] < 0 ? nullptr : &bones[static_cast<std::size_t>(above[j])];
    if (children[j] > 0)
      bones[j].tail /= static_cast<double>(children[j]);
    else
      bones[j].tail = free_end(skeleton[j], globals[j], parent);
  }
  return bones;
}

std::size_t nearest_bone(const Vec3& p, std::span<const Bone> bones) {
  constexpr double kTie = 1e-9;  // of bones that meet the first, whatever rounding says
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < bones.size(); ++j)
    if (const double d = distance_to_segment(p, bones[j].head, bones[j].tail); d < least * (1 - kTie))
      best = j, least = d;
  return best;
}

}  // namespace sinew
