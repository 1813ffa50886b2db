// SPDX-License-Identifier: Apache-2.0
#include "autorig/similarity.h"

#include <cmath>

#include "sinew/math/rotation_fit.h"

namespace sinew::autorig {

Similarity fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to) {
  Similarity fit;
  const double n = static_cast<double>(from.size());
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  for (std::size_t k = 0; k < from.size(); ++k) a += from[k], b += to[k];
  a /= n, b /= n;
  Mat3 cross = Mat3::Zero();
  double aa = 0, bb = 0;
  for (std::size_t k = 0; k < from.size(); ++k) {
    cross += (to[k] - b) * (from[k] - a).transpose();
    aa += (from[k] - a).squaredNorm();
    bb += (to[k] - b).squaredNorm();
  }
  if (!(aa > 0) || !(bb > 0)) return fit;
  fit.rotation = fit_rotation(cross).toRotationMatrix();
  const double best = (fit.rotation.transpose() * cross).trace();
  fit.scale = best / aa;
  fit.translation = b - fit.scale * (fit.rotation * a);
  fit.error = std::sqrt(std::max(0.0, 1 - best * best / (aa * bb)));
  return fit;
}

}  // namespace sinew::autorig
