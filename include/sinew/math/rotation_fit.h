// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/math/types.h"

namespace sinew {

/// The proper rotation R that maximises tr(R^T M): the one nearest to M, and the rotation of its polar
/// decomposition. With M = U diag(s1, s2, s3) V^T it is U diag(1, 1, det U V^T) V^T, and the maximum is s1 +
/// s2 +- s3. Right for every finite M, mirrored, singular or zero. Where several rotations are best (s2 +- s3
/// = 0) it takes the one nearest to `start`, so that flat input gives calm output. M that is not finite gives
/// `start`. A start near the answer, say that of the frame before, saves about half of the time. [horn1987]
Quat fit_rotation(const Mat3& M, const Quat& start = Quat::Identity());

/// Fits `matrices` into `rotations` (as many; unit length, w >= 0), in float and many at once; those that
/// float cannot settle (s2 +- s3 below about 1 % of s1) are done in double. Maximum within 1e-6 of its size.
/// One thread; call it on the ranges of parallel_for.
void fit_rotations(std::span<const Eigen::Matrix3f> matrices,
                   std::span<Eigen::Quaternionf> rotations) noexcept;

}  // namespace sinew
