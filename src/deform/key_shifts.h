// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/deform/differential_keys.h"

namespace sinew {

// What keys do in object space to what gradients do not know: the centres of components, and vertices that no
// element has.
class KeyShifts {
 public:
  KeyShifts() = default;
  KeyShifts(const Rig& rig, const PoissonSurface& surface, const KeyMasks& masks);

  // Those of the frame, or the keys' defaults.
  std::span<const double> weights(const FrameInput& input) const {
    return input.key_weights.empty() ? std::span<const double>(defaults_) : input.key_weights;
  }
  Vec3 centre_shift(std::size_t component, std::span<const double> weights) const noexcept;
  void add_loose(std::span<const double> weights, std::span<Vec3f> positions) const noexcept;
  // All vertices: out += sum of weight * mask * delta.
  void add_all(std::span<const double> weights, std::span<Vec3f> positions) const noexcept;

 private:
  std::vector<double> defaults_;
  std::vector<std::vector<Vec3f>> deltas_;  // per key, masked
  std::vector<std::vector<Vec3>> centres_;  // per key and component
  std::vector<std::uint32_t> loose_;        // vertices that no element has
};

std::vector<Vec3f> float_positions(const PolyMesh& mesh);
// The mesh's own, or those of its faces.
std::vector<Vec3f> rest_normals(const PolyMesh& mesh);
bool same_points(std::span<const Vec3f> a, std::span<const Vec3f> b) noexcept;

}  // namespace sinew
