// SPDX-License-Identifier: Apache-2.0
#include "sinew/measure/skeleton_distance.h"

#include <cmath>
#include <span>

#include "sinew/mesh/bvh.h"

namespace sinew {
namespace {

constexpr double kBoneStep = 0.005;  // between samples, in sizes

// Points and segments as triangles without area, whose nearest points a Bvh finds.
class NearestSegment {
 public:
  NearestSegment(std::span<const Vec3> points, std::span<const std::array<std::uint32_t, 2>> segments) {
    std::vector<Triangle> triangles;
    for (const auto& [a, b] : segments) triangles.push_back({a, b, b});
    bvh_ = Bvh({points, triangles});
  }
  explicit NearestSegment(std::span<const Vec3> points) {
    std::vector<Triangle> triangles;
    for (std::uint32_t i = 0; i < points.size(); ++i) triangles.push_back({i, i, i});
    bvh_ = Bvh({points, triangles});
  }
  double mean_distance(std::span<const Vec3> from) const {
    double sum = 0;
    for (const Vec3& p : from) sum += std::sqrt(bvh_.nearest(p).squared_distance);
    return sum / static_cast<double>(from.size());
  }

 private:
  Bvh bvh_;
};

std::vector<Vec3> bone_samples(const SkeletonShape& shape, double size) {
  std::vector<Vec3> samples;
  for (const auto& [a, b] : shape.bones) {
    const Vec3 head = shape.joints[a], along = shape.joints[b] - head;
    const int steps = static_cast<int>(std::ceil(along.norm() / (kBoneStep * size) - 1e-9));
    for (int k = 0; k <= steps; ++k)
      samples.push_back(head + along * (steps > 0 ? static_cast<double>(k) / steps : 0));
  }
  return samples;
}

}  // namespace

SkeletonDistances skeleton_distances(const SkeletonShape& a, const SkeletonShape& b, double size) {
  const double scale = 50 / size;
  SkeletonDistances distances;
  distances.j2j = scale * (NearestSegment(b.joints).mean_distance(a.joints) +
                           NearestSegment(a.joints).mean_distance(b.joints));
  distances.j2b = scale * (NearestSegment(b.joints, b.bones).mean_distance(a.joints) +
                           NearestSegment(a.joints, a.bones).mean_distance(b.joints));
  const std::vector<Vec3> on_a = bone_samples(a, size), on_b = bone_samples(b, size);
  distances.b2b =
      scale * (NearestSegment(on_b).mean_distance(on_a) + NearestSegment(on_a).mean_distance(on_b));
  return distances;
}

}  // namespace sinew
