// SPDX-License-Identifier: Apache-2.0
// The sums of the energy, rearranged so that both halves of a step are one pass over a vertex and its
// neighbours. With g_tu = sum over the corners v of triangle t of w_uv (p_u - p_v):
//   covariance of i = sum_u (x_u - x_i) spread_iu^T,   spread_iu = sum over triangles t with i and u of g_tu
//   right-hand side at i = R_i own_i + sum_u R_u pull_iu,   pull_iu = 1/3 sum of g_ti over the same triangles
// Spokes alone have the same form with spread_iu = w_iu (p_u - p_i) and pull_iu = w_iu (p_i - p_u) / 2.
// A spring is a spoke of its two ends. Beside rims, which count each edge three times, it counts 3/2 times.
#include "deform/arap_system.h"

#include "sinew/core/parallel.h"

namespace sinew {
namespace {
constexpr std::size_t kCellGrain = 2048;
constexpr double kSpringCount = 1.5;
}  // namespace

void ArapSystem::fill(ArapStencil& out) const noexcept {
  parallel_for(size(), kCellGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 here = out.rest[i];
      Vec3 own = Vec3::Zero();
      if (kind == ArapEnergy::kSpokes) {
        for (std::uint32_t e = offsets[i]; e < offsets[i + 1]; ++e) {
          const Vec3 edge = weights[e] * (here - out.rest[neighbours[e]]);
          out.spreads[e] = (-scale * edge).cast<float>();
          out.pulls[e] = 0.5 * edge;
          own += out.pulls[e];
        }
        out.own[i] = own;
        continue;
      }
      std::fill(out.pulls.begin() + offsets[i], out.pulls.begin() + offsets[i + 1], Vec3::Zero());
      std::fill(out.spreads.begin() + offsets[i], out.spreads.begin() + offsets[i + 1], Vec3f::Zero());
      for (std::uint32_t k = corner_offsets[i]; k < corner_offsets[i + 1]; ++k) {
        const Corner& corner = corners[k];
        const Vec3 first = out.rest[neighbours[corner.first]], second = out.rest[neighbours[corner.second]];
        const Vec3 to_first = corner.to_first * (here - first);
        const Vec3 to_second = corner.to_second * (here - second);
        const Vec3 across = corner.across * (first - second);
        const Vec3 pull = (to_first + to_second) / 3;
        out.spreads[corner.first] += (scale * (across - to_first)).cast<float>();
        out.spreads[corner.second] += (scale * (-across - to_second)).cast<float>();
        out.pulls[corner.first] += pull;
        out.pulls[corner.second] += pull;
        own += pull;
      }
      for (std::uint32_t e = offsets[i]; !springs.empty() && e < offsets[i + 1]; ++e) {
        if (springs[e] == 0) continue;
        const Vec3 edge = springs[e] * (here - out.rest[neighbours[e]]);
        out.spreads[e] -= (kSpringCount * scale * edge).cast<float>();
        out.pulls[e] += 0.5 * edge;
        own += 0.5 * edge;
      }
      out.own[i] = own;
    }
  });
}

Mat3 ArapSystem::covariance(const ArapStencil& shape, std::span<const Vec3> positions,
                            std::size_t i) const noexcept {
  Mat3 sum = Mat3::Zero();
  const Vec3 here = positions[i];
  for (std::uint32_t e = offsets[i]; e < offsets[i + 1]; ++e) {
    const Vec3 edge = positions[neighbours[e]] - here;
    const Vec3 spread = shape.spreads[e].cast<double>();
    sum.col(0) += spread[0] * edge;
    sum.col(1) += spread[1] * edge;
    sum.col(2) += spread[2] * edge;
  }
  return sum;
}

double ArapSystem::energy(const ArapStencil& shape, std::span<const Vec3> positions, std::size_t i,
                          const Mat3& rotation) const noexcept {
  const auto difference = [&](std::uint32_t a, std::uint32_t b) {
    return (positions[a] - positions[b] - rotation * (shape.rest[a] - shape.rest[b])).squaredNorm();
  };
  const auto here = static_cast<std::uint32_t>(i);
  double sum = 0;
  if (kind == ArapEnergy::kSpokes) {
    for (std::uint32_t e = offsets[i]; e < offsets[i + 1]; ++e)
      sum += weights[e] * difference(here, neighbours[e]);
    return sum;
  }
  for (std::uint32_t k = corner_offsets[i]; k < corner_offsets[i + 1]; ++k) {
    const Corner& corner = corners[k];
    const std::uint32_t first = neighbours[corner.first], second = neighbours[corner.second];
    sum += corner.to_first * difference(here, first) + corner.to_second * difference(here, second) +
           corner.across * difference(first, second);
  }
  for (std::uint32_t e = offsets[i]; !springs.empty() && e < offsets[i + 1]; ++e)
    if (springs[e] > 0) sum += kSpringCount * springs[e] * difference(here, neighbours[e]);
  return sum;
}

}  // namespace sinew
