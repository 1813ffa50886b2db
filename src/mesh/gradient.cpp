// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/gradient.h"

#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

constexpr std::size_t kGradientGrain = 1 << 13;

}  // namespace

GradientOperator::GradientOperator(MeshView mesh)
    : triangles_(mesh.triangles.begin(), mesh.triangles.end()),
      hats_(mesh.triangles.size()),
      areas_(mesh.triangles.size()),
      corners_(group_by_key(mesh.positions.size(), FaceList(mesh.triangles).corners())) {
  parallel_for(triangles_.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      std::array<Vec3, 3> p;
      for (std::size_t k = 0; k < 3; ++k) p[k] = mesh.positions[triangles_[t][k]];
      const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]);
      const double doubled = normal.norm(), squared = doubled * doubled;
      const bool sound = squared > 0 && std::isfinite(1 / squared);
      areas_[t] = sound ? doubled / 2 : 0;
      // The hat of a corner falls to 0 towards the opposite side: along normal x side.
      for (std::size_t k = 0; k < 3; ++k)
        hats_[t][k] =
            sound ? Vec3(normal.cross(p[(k + 2) % 3] - p[(k + 1) % 3]) / squared) : Vec3(Vec3::Zero());
    }
  });
}

void GradientOperator::gradient(std::span<const double> values, std::span<Vec3> gradients) const {
  assert(values.size() == vertex_count() && gradients.size() == triangle_count());
  parallel_for(triangles_.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& k = triangles_[t];
      gradients[t] = values[k[0]] * hats_[t][0] + values[k[1]] * hats_[t][1] + values[k[2]] * hats_[t][2];
    }
  });
}

void GradientOperator::gradient(std::span<const Vec3> values, std::span<Mat3> gradients) const {
  assert(values.size() == vertex_count() && gradients.size() == triangle_count());
  parallel_for(triangles_.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& k = triangles_[t];
      gradients[t].noalias() = values[k[0]] * hats_[t][0].transpose();
      gradients[t].noalias() += values[k[1]] * hats_[t][1].transpose();
      gradients[t].noalias() += values[k[2]] * hats_[t][2].transpose();
    }
  });
}

void GradientOperator::divergence(std::span<const Vec3> field, std::span<double> out) const {
  assert(field.size() == triangle_count() && out.size() == vertex_count());
  parallel_for(out.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = 0;
      for (const std::uint32_t corner : corners_[i]) {
        const std::uint32_t t = corner / 3;
        out[i] += areas_[t] * hats_[t][corner % 3].dot(field[t]);
      }
    }
  });
}

void GradientOperator::divergence(std::span<const Mat3> field, std::span<Vec3> out) const {
  assert(field.size() == triangle_count() && out.size() == vertex_count());
  parallel_for(out.size(), kGradientGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (const std::uint32_t corner : corners_[i]) {
        const std::uint32_t t = corner / 3;
        sum += areas_[t] * (field[t] * hats_[t][corner % 3]);
      }
      out[i] = sum;
    }
  });
}

}  // namespace sinew
