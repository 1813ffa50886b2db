// SPDX-License-Identifier: Apache-2.0
#include "deform/shaped_flesh.h"

#include <algorithm>

namespace sinew {

ShapedFlesh::ShapedFlesh(const Rig& rig) : bones_(bones_of(rig.skeleton, bind_transforms(rig))) {
  constexpr float kLeast = 1e-4f;
  const std::vector<int> parents = bone_parents(rig.skeleton);
  std::vector<float> amount(bones_.size());
  const ComposedWeights& weights = rig.flesh.weights;
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    std::fill(amount.begin(), amount.end(), 0.0f);
    for (int j = weights.base[i]; j >= 0; j = parents[static_cast<std::size_t>(j)])
      amount[static_cast<std::size_t>(j)] = 1;
    for (const ComposedInfluence& influence : weights.row(i)) amount[influence.joint] = influence.swing;
    std::vector<float> own = amount;
    for (std::size_t j = 0; j < own.size(); ++j)
      if (parents[j] >= 0) own[static_cast<std::size_t>(parents[j])] -= amount[j];
    for (std::size_t j = 0; j < own.size(); ++j)
      if (own[j] > kLeast)
        holds_.push_back({static_cast<std::uint32_t>(j), own[j], place_along(rig, bones_, i, j)});
    offsets_.push_back(static_cast<std::uint32_t>(holds_.size()));
  }
}

Vec3 ShapedFlesh::move(std::size_t i, const Vec3& x, std::span<const BoneShape> shapes,
                       Mat3* turn) const noexcept {
  Vec3 moved = x;
  if (turn) turn->setIdentity();
  for (std::uint32_t k = offsets_[i]; k < offsets_[i + 1]; ++k) {
    const Hold& hold = holds_[k];
    if (hold.bone >= shapes.size() || shapes[hold.bone] == BoneShape{}) continue;
    const BoneShape& shape = shapes[hold.bone];
    const Bone& bone = bones_[hold.bone];
    const Vec3 span = bone.tail - bone.head;
    const double length = span.norm(), e = static_cast<double>(hold.along),
                 amount = static_cast<double>(hold.amount);
    if (!(length > 0)) continue;
    const double angle = amount * ((1 - e) * shape.twist_head + e * shape.twist_tail);
    const Mat3 twist = Eigen::AngleAxisd(angle, Vec3(span / length)).toRotationMatrix();
    moved += twist * (x - bone.head) - (x - bone.head) + amount * e * (shape.stretch - 1) * span;
    if (turn) *turn = (*turn * twist).eval();
  }
  return moved;
}

}  // namespace sinew
