// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/math/types.h"

namespace sinew {

/// M = rotation * stretch.
struct Polar {
  Mat3 rotation = Mat3::Identity();  ///< always proper: determinant +1
  Mat3 stretch =
      Mat3::Identity();  ///< symmetric; has a negative eigenvalue where det M < 0, never more than one
};

/// The polar decomposition with the proper rotation nearest to M. For singular M the rotation is one of those
/// equally near; for reflected M the smallest stretch is negative. M must be finite.
Polar polar_decomposition(const Mat3& M);

/// A transform in the parts that files and clips store: p' = translation + rotation * (scale .* p).
struct Trs {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
};

/// The transform that the parts make.
Affine3 compose(const Trs& parts);

/// The parts nearest to a transform: compose(decompose(A)) is A where A has no shear. A mirrored transform has
/// its x scale negative (another axis would do as well: what a file stored cannot be told from the matrix). A
/// must be finite.
Trs decompose(const Affine3& transform);

}  // namespace sinew
