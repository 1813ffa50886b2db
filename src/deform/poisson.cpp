// SPDX-License-Identifier: Apache-2.0
// [vanlommel2008, Sec. 5.5] with the normal in G, which the thesis leaves out; the equivalence of its two
// forms is [botsch2006]'s. Building lies in poisson_build.cpp.
#include "sinew/deform/poisson.h"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/math/quaternion.h"
#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

constexpr std::size_t kPoissonGrain = 2048;

// Flatter than this, a triangle's normal is rounding.
constexpr double kFlat = 1e-10;

Vec3 row_point(const SparseCholesky::Row& row) {
  return {row[0], row[1], row[2]};
}

}  // namespace

Mat3 PoissonSurface::triangle_map(std::size_t e, const std::array<Vec3, 3>& x) const {
  const auto& k = welded_[e];
  const Vec3 a = rest_[k[0]] - rest_[k[2]], b = rest_[k[1]] - rest_[k[2]];
  const Vec3 a_now = x[0] - x[2], b_now = x[1] - x[2];
  const Vec3 normal = a.cross(b).normalized();
  Vec3 normal_now = a_now.cross(b_now);
  const double longest = std::max({a_now.squaredNorm(), b_now.squaredNorm(), (b_now - a_now).squaredNorm()});
  if (normal_now.norm() > kFlat * longest && longest > 0) {
    normal_now.normalize();
  } else {
    const bool first = a_now.squaredNorm() >= b_now.squaredNorm();
    normal_now = least_rotation(first ? a : b, first ? a_now : b_now) * normal;
  }
  Mat3 before, after;
  before << a, b, normal;
  after << a_now, b_now, normal_now;
  return after * before.inverse();
}

Mat3 PoissonSurface::gradient(std::size_t e, std::span<const Vec3> x) const {
  const auto& k = corners_[e];
  if (is_triangle(e)) return triangle_map(e, {x[k[0]], x[k[1]], x[k[2]]});
  const Vec3 before = rest_[welded_[e][1]] - rest_[welded_[e][0]], after = x[k[1]] - x[k[0]];
  return (after.norm() / before.norm()) * least_rotation(before, after).toRotationMatrix();
}

void PoissonSurface::flat_gradients(std::span<const Vec3f> x, std::span<Eigen::Matrix3f> out) const noexcept {
  assert(out.size() == element_count());
  parallel_for(element_count(), kPoissonGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const auto& k = corners_[e];
      // Differences first: far from the origin they lose nothing that x itself has.
      out[e].noalias() = (x[k[1]] - x[k[0]]) * hats_[e][1].transpose();
      if (is_triangle(e)) out[e].noalias() += (x[k[2]] - x[k[0]]) * hats_[e][2].transpose();
    }
  });
}

void PoissonSurface::full_gradients(std::span<const Vec3f> x, std::span<Eigen::Matrix3f> out) const noexcept {
  assert(out.size() == element_count());
  parallel_for(element_count(), kPoissonGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const auto& k = corners_[e];
      const Vec3f a = x[k[1]] - x[k[0]], b = x[k[2]] - x[k[0]];
      if (!is_triangle(e)) {
        const Vec3 before = rest_[welded_[e][1]] - rest_[welded_[e][0]];
        const Mat3 turn = least_rotation(before, a.cast<double>()).toRotationMatrix();
        out[e] = (static_cast<double>(a.norm()) / before.norm() * turn).cast<float>();
        continue;
      }
      const Vec3f across = a.cross(b), normal = hats_[e][1].cross(hats_[e][2]).normalized();
      const float size = across.norm();
      out[e].noalias() = a * hats_[e][1].transpose() + b * hats_[e][2].transpose();
      if (size > static_cast<float>(kFlat) * std::max(a.squaredNorm(), b.squaredNorm()))
        out[e].noalias() += (across / size) * normal.transpose();
      else
        out[e] = triangle_map(e, {x[k[0]].cast<double>(), x[k[1]].cast<double>(), x[k[2]].cast<double>()})
                     .cast<float>();
    }
  });
}

void PoissonSurface::centres(std::span<const Vec3f> x, std::span<Vec3> out) const noexcept {
  assert(out.size() == component_count());
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t i = 0; i < representative_.size(); ++i)
    if (const std::uint32_t c = component_of_welded_[i]; c != kNoComponent)
      out[c] += x[representative_[i]].cast<double>();
  for (std::size_t c = 0; c < out.size(); ++c) out[c] /= component_sizes_[c];
}

PoissonSurface::Scratch PoissonSurface::make_scratch() const {
  Scratch scratch;
  scratch.rows.resize(rest_.size());
  scratch.buffer.resize(rest_.size());
  scratch.shifts.resize(component_count());
  return scratch;
}

void PoissonSurface::reconstruct(std::span<const Eigen::Matrix3f> transforms, std::span<const Vec3> centres,
                                 Scratch& scratch, std::span<Vec3f> out) const noexcept {
  assert(transforms.size() == element_count() && centres.size() == component_count());
  parallel_for(rest_.size(), kPoissonGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (std::uint32_t s = share_offsets_[i]; s < share_offsets_[i + 1]; ++s)
        sum += transforms[shares_[s].element].cast<double>() * shares_[s].edge;
      scratch.rows[i] = {sum.x(), sum.y(), sum.z(), 0};
    }
  });
  for (const std::uint32_t i : pinned_) scratch.rows[i] = {0, 0, 0, 0};
  factor_.solve_rows(scratch.rows, scratch.buffer);
  place(centres, scratch);
  parallel_for(to_welded_.size(), kPoissonGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      if (component_of_[v] == kNoComponent) continue;
      out[v] = (row_point(scratch.rows[to_welded_[v]]) + scratch.shifts[component_of_[v]]).cast<float>();
    }
  });
}

void PoissonSurface::place(std::span<const Vec3> centres, Scratch& scratch) const noexcept {
  std::vector<Vec3>& shifts = scratch.shifts;
  std::fill(shifts.begin(), shifts.end(), Vec3::Zero());
  for (std::size_t i = 0; i < rest_.size(); ++i)
    if (const std::uint32_t c = component_of_welded_[i]; c != kNoComponent)
      shifts[c] += row_point(scratch.rows[i]);
  for (std::size_t c = 0; c < shifts.size(); ++c)
    shifts[c] = centres[c] - shifts[c] / static_cast<double>(component_sizes_[c]);
  for (const Seat& seat : seats_) {
    const auto& k = welded_[seat.element];
    std::array<Vec3, 3> x;
    for (std::size_t c = 0; c < 3; ++c)
      x[c] = row_point(scratch.rows[k[c]]) + shifts[component_of_welded_[k[c]]];
    const Vec3 seated = seat.barycentric[0] * x[0] + seat.barycentric[1] * x[1] + seat.barycentric[2] * x[2];
    shifts[seat.component] += seated + triangle_map(seat.element, x) * seat.offset - centres[seat.component];
  }
}

void PoissonSurface::carry_normals(std::span<const Vec3f> x, std::span<const Vec3f> rest_normals,
                                   std::span<Eigen::Matrix3f> scratch, std::span<Vec3f> out) const noexcept {
  full_gradients(x, scratch);
  parallel_for(triangles_, kPoissonGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e) {
      const Eigen::Matrix3f map = scratch[e];
      scratch[e] << map.col(1).cross(map.col(2)), map.col(2).cross(map.col(0)), map.col(0).cross(map.col(1));
      scratch[e] *= areas_[e];
    }
  });
  parallel_for(to_welded_.size(), kPoissonGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t vertex = begin; vertex < end; ++vertex) {
      const std::uint32_t i = to_welded_[vertex];
      Eigen::Matrix3f sum = Eigen::Matrix3f::Zero();
      for (std::uint32_t s = share_offsets_[i]; s < share_offsets_[i + 1]; ++s)
        if (is_triangle(shares_[s].element)) sum += scratch[shares_[s].element];
      const Vec3f normal = sum * rest_normals[vertex];
      const float length = normal.norm();
      out[vertex] = length > 0 ? Vec3f(normal / length) : rest_normals[vertex];
    }
  });
}

}  // namespace sinew
