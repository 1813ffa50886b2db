// SPDX-License-Identifier: Apache-2.0
// [vanlommel2008, Sec. 8.7]; what is minimised is |f(x) - y|.
#include "sinew/deform/unpose.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/math/svd.h"

namespace sinew {
namespace {

// A map that squashes a direction to this share of another has no inverse worth having in float.
constexpr double kSquashed = 1e-4;
// What counts as met, of the mesh's size.
constexpr double kMet = 1e-5;

using Places = std::vector<Vec3f>;

double size_of(std::span<const Vec3f> points) {
  Eigen::AlignedBox3f box;
  for (const Vec3f& p : points) box.extend(p);
  return points.empty() ? 1 : std::max(1e-30, static_cast<double>(box.diagonal().norm()));
}

// The linear part of the map at every vertex, by shifting all of them along each axis.
std::vector<Mat3> jacobians(const PositionMap& deform, const Places& at, float step) {
  Places here(at.size()), shifted(at.size()), there(at.size());
  deform(at, here);
  std::vector<Mat3> result(at.size());
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3f shift = step * Vec3f::Unit(axis);
    for (std::size_t i = 0; i < at.size(); ++i) shifted[i] = at[i] + shift;
    deform(shifted, there);
    for (std::size_t i = 0; i < at.size(); ++i)
      result[i].col(axis) = (there[i] - here[i]).cast<double>() / static_cast<double>(step);
  }
  return result;
}

bool is_squashed(const Mat3& linear) {
  const Vec3 stretches = singular_values(linear);
  return !(stretches[2] > kSquashed * std::max(stretches[0], 1e-12));
}

class Solver {
 public:
  Solver(const PositionMap& deform, std::span<const Vec3f> rest, std::span<const Vec3f> edited,
         const UnposeOptions& options)
      : deform_(deform), edited_(edited), options_(options), size_(size_of(rest)) {
    out_.rest.assign(rest.begin(), rest.end());
    posed_.resize(rest.size());
    deform_(out_.rest, posed_);
    for (std::uint32_t i = 0; i < rest.size(); ++i)
      if ((edited[i] - posed_[i]).norm() > options.untouched * size_) {
        active_.push_back(i);
      }
    out_.changed = active_.size();
  }

  Unposed run() {
    if (active_.empty()) return std::move(out_);
    const bool apart = options_.inverse != Inverse::kIterative;
    const Places rest = out_.rest;
    const PositionMap& guide = options_.guide && !apart ? options_.guide : deform_;
    // An affine map is measured best over the whole size; another one only nearby.
    const auto step = static_cast<float>(size_ * (options_.inverse == Inverse::kPointwise ? 1e-3 : 1.0));
    linear_ = jacobians(guide, out_.rest, step);
    take_out_squashed();
    if (apart)
      step_apart(step);
    else
      step_together();
    finish(rest);
    return std::move(out_);
  }

 private:
  void take_out_squashed() {
    std::vector<std::uint32_t> sound;
    for (const std::uint32_t i : active_) (is_squashed(linear_[i]) ? out_.singular : sound).push_back(i);
    active_ = std::move(sound);
  }

  double residual(std::uint32_t i) const { return (edited_[i] - posed_[i]).norm(); }

  // Every vertex for itself, until all are met or none comes nearer.
  void step_apart(float step) {
    std::vector<double> best(posed_.size(), 1e300);
    Places kept = out_.rest;
    for (int k = 0; k < options_.steps; ++k) {
      deform_(out_.rest, posed_);
      bool going = false;
      for (const std::uint32_t i : active_) {
        const double now = residual(i);
        if (now < best[i]) {
          best[i] = now;
          kept[i] = out_.rest[i];
        }
        going = going || now > options_.precision * size_;
      }
      if (!going || (options_.inverse == Inverse::kExact && k >= 6)) break;
      if (options_.inverse == Inverse::kPointwise && k > 0) linear_ = jacobians(deform_, out_.rest, step);
      for (const std::uint32_t i : active_) {
        const Vec3 way = linear_[i].inverse() * (edited_[i] - posed_[i]).cast<double>();
        if (way.allFinite()) out_.rest[i] += way.cast<float>();
      }
    }
    out_.rest = kept;
  }

  // All at once: as long as the largest residual falls, else a shorter way from the best so far.
  void step_together() {
    std::vector<bool> left(posed_.size());
    for (const std::uint32_t i : out_.singular) left[i] = true;
    Places best = out_.rest;
    double least = 1e300;
    float share = 1;
    for (int k = 0; k < options_.steps; ++k) {
      deform_(out_.rest, posed_);
      double sum = 0, most = 0;
      for (std::uint32_t i = 0; i < posed_.size(); ++i) {
        sum += residual(i) * residual(i);
        if (!left[i]) most = std::max(most, residual(i));
      }
      if (sum < least) {
        least = sum;
        best = out_.rest;
        best_posed_ = posed_;
        share = std::min(1.0f, 1.5f * share);
      } else {
        share *= 0.5f;
        out_.rest = best;
        posed_ = best_posed_;
      }
      if (most <= options_.precision * size_ || share < 1e-3f) break;
      for (std::uint32_t i = 0; i < posed_.size(); ++i) {
        if (left[i] || residual(i) <= 0.1 * options_.precision * size_) continue;
        const Vec3 way = linear_[i].inverse() * (edited_[i] - posed_[i]).cast<double>();
        if (way.allFinite()) out_.rest[i] += share * way.cast<float>();
      }
    }
    out_.rest = best;
  }

  // What is not met is left where it was, and said so.
  void finish(const Places& rest) {
    deform_(out_.rest, posed_);
    for (const std::uint32_t i : active_) {
      const double distance = residual(i) / size_;
      if (options_.inverse != Inverse::kIterative && !(distance <= kMet)) {
        out_.singular.push_back(i);
        out_.rest[i] = rest[i];
        continue;
      }
      out_.residual = std::max(out_.residual, distance);
    }
    std::sort(out_.singular.begin(), out_.singular.end());
  }

  const PositionMap& deform_;
  std::span<const Vec3f> edited_;
  const UnposeOptions& options_;
  double size_;
  Unposed out_;
  Places posed_, best_posed_;
  std::vector<Mat3> linear_;
  std::vector<std::uint32_t> active_;
};

}  // namespace

Unposed unpose(const PositionMap& deform, std::span<const Vec3f> rest, std::span<const Vec3f> edited,
               const UnposeOptions& options) {
  return Solver(deform, rest, edited, options).run();
}

}  // namespace sinew
