// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "deform/posed_bones.h"

namespace sinew {

// Bones that are twisted or stretched along themselves, for flesh: a vertex goes along by how far the bone
// carries it and no bone below it does, in rest space, before any joint moves it.
class ShapedFlesh {
 public:
  explicit ShapedFlesh(const Rig& rig);

  // Vertex i at x as the shapes leave it; `turn`, where it is given, is how they turn its normal.
  Vec3 move(std::size_t i, const Vec3& x, std::span<const BoneShape> shapes, Mat3* turn) const noexcept;

 private:
  struct Hold {
    std::uint32_t bone = 0;
    float amount = 0, along = 0;  // of the bone's own motion; the endpoint weight
  };
  std::vector<Bone> bones_;
  std::vector<std::uint32_t> offsets_{0};
  std::vector<Hold> holds_;
};

}  // namespace sinew
