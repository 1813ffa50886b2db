// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/deform/poisson.h"

namespace sinew {

/// How much of a key each vertex takes, 0 to 1; for each key one list, or an empty one: 1 everywhere. Shorter
/// than the keys: the rest have none.
using KeyMasks = std::vector<std::vector<float>>;

/// What keys do to the elements of a surface [vanlommel2008, Sec. 5.5]: of each the rotation, as a vector that
/// runs on from triangle to triangle beyond 180 degrees (a tail twisted by 300 degrees is half unwound at
/// weight 1/2; at whole turns it has no direction, and blends there are rough), and the stretch. Both add up
/// over keys with their weights: no sign of a quaternion has to be chosen, and keys more than 180 degrees
/// apart meet at the rest shape between them.
class KeyGradients {
 public:
  KeyGradients() = default;
  /// `surface` must be built with the rig's keys. A key's removed rotation or scale is left out, its mask
  /// (mean of the corners) is in the numbers.
  KeyGradients(const PoissonSurface& surface, const Rig& rig, const KeyMasks& masks = {});

  /// Of one element, weights and keys summed.
  struct Sum {
    Vec3f rotation = Vec3f::Zero();
    Eigen::Matrix<float, 6, 1> stretch = Eigen::Matrix<float, 6, 1>::Zero();  ///< less 1: xx yy zz xy xz yz
    bool moves() const { return !rotation.isZero(0) || !stretch.isZero(0); }
    Eigen::Matrix3f transform() const;
  };

  /// sums: per element. Never allocates.
  void blend(std::span<const double> weights, std::span<Sum> sums) const noexcept;

 private:
  struct Entry {
    std::uint32_t element;
    Sum sum;
  };
  std::vector<std::vector<Entry>> keys_;  ///< elements that the key does more to than shift
};

/// Keys in differential space, as a step: the gradients of what comes in, each after those of the keys at
/// FrameInput::key_weights (none given: the keys' defaults), and one Poisson solve. Weight 1 of one key is the
/// key; rotations are exact for any weight. A component's centre is the weighted blend of those of base and
/// keys. Vertices without a face get object-space keys. Fails as PoissonSurface::build does.
Result<std::unique_ptr<Deformer>> build_differential_keys(const Rig& rig, const KeyMasks& masks = {},
                                                          Placement placement = Placement::kOwn);

/// The keys as shapes, removed rotation or scale and masks worked in: rest + deltas is what weight 1 gives.
/// What spaces without gradients use. Keys without flags and masks come back as they are.
Result<std::vector<ShapeKey>> shaped_keys(const Rig& rig, const KeyMasks& masks = {});

}  // namespace sinew
