// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

/// From rest positions to posed ones, all vertices at once.
using PositionMap = std::function<void(std::span<const Vec3f> rest, std::span<Vec3f> posed)>;

/// How a deformer can be turned round.
enum class Inverse {
  kExact,      ///< a blend of transforms: each vertex by one affine map, whatever the others do
  kPointwise,  ///< each vertex separately, but not affine: Newton's method
  kIterative,  ///< vertices know of each other: steps with the transforms of a simpler deformer
  kNone,       ///< not invertible
};

/// Options of unpose().
struct UnposeOptions {
  Inverse inverse = Inverse::kExact;
  double untouched = 1e-6;  ///< of the mesh's size: a vertex moved by less is not edited
  double precision = 1e-6;  ///< of the mesh's size: where steps end
  int steps = 60;
  /// kIterative: a deformer like it whose transforms show the way.
  PositionMap guide = {};
};

/// The result of unpose().
struct Unposed {
  std::vector<Vec3f> rest;
  std::size_t changed = 0;              ///< vertices that were edited
  std::vector<std::uint32_t> singular;  ///< of those: no rest position leads there; left where they were
  double residual = 0;  ///< largest distance of deform(rest) to the edit over the others, of the mesh's size
};

/// The rest positions whose deformation is `edited` [vanlommel2008, Sec. 8.7]. Vertices that were not edited
/// keep their rest position (with kIterative those that the edit drags along move too). A vertex whose
/// transform squashes space (linear blending twisted by 180 degrees) cannot be turned round; nor can one whose
/// edit is not met to 1e-5 of the size. Sizes: as many positions as `rest`.
Unposed unpose(const PositionMap& deform, std::span<const Vec3f> rest, std::span<const Vec3f> edited,
               const UnposeOptions& options = {});

}  // namespace sinew
