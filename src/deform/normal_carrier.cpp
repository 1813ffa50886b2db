// SPDX-License-Identifier: Apache-2.0
#include "deform/normal_carrier.h"

#include "sinew/core/parallel.h"
#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {
constexpr std::size_t kNormalGrain = 2048;
}

NormalCarrier::NormalCarrier(const PolyMesh& mesh) {
  TriangleView view = triangulate(mesh);
  triangles_ = std::move(view.triangles);
  Weld weld = weld_vertices(mesh.positions);
  to_welded_ = std::move(weld.to_welded);
  std::vector<std::uint32_t> keys;
  for (const Triangle& t : triangles_)
    for (const std::uint32_t corner : t) keys.push_back(to_welded_[corner]);
  IndexLists lists = group_by_key(weld.positions.size(), keys);
  corner_offsets_ = std::move(lists.offsets);
  corner_offsets_.resize(weld.positions.size() + 1, corner_offsets_.empty() ? 0 : corner_offsets_.back());
  corners_ = std::move(lists.items);
}

NormalCarrier::Scratch NormalCarrier::make_scratch() const {
  const std::size_t n = corner_offsets_.size() - 1;
  const std::vector<Eigen::Matrix3f> zero(n, Eigen::Matrix3f::Zero());
  return {zero, zero};
}

// The normal of the faces around, and the first edge made square to it; zero where the surface has neither.
void NormalCarrier::frames(std::span<const Vec3f> positions, std::span<Eigen::Matrix3f> out) const noexcept {
  parallel_for(out.size(), kNormalGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3f sum = Vec3f::Zero(), edge = Vec3f::Zero();
      for (std::uint32_t k = corner_offsets_[i]; k < corner_offsets_[i + 1]; ++k) {
        const Triangle& t = triangles_[corners_[k] / 3];
        const std::uint32_t c = corners_[k] % 3;
        const Vec3f here = positions[t[c]], next = positions[t[(c + 1) % 3]] - here;
        sum += next.cross(positions[t[(c + 2) % 3]] - here);
        if (edge.isZero()) edge = next;
      }
      const float length = sum.norm();
      const Vec3f normal = length > 0 ? Vec3f(sum / length) : Vec3f(Vec3f::Zero());
      edge -= edge.dot(normal) * normal;
      const float size = edge.norm();
      out[i].setZero();
      if (!(length > 0) || !(size > 0)) continue;
      out[i].col(0) = normal;
      out[i].col(1) = edge / size;
      out[i].col(2) = normal.cross(edge / size);
    }
  });
}

void NormalCarrier::carry(std::span<const Vec3f> before, std::span<const Vec3f> after,
                          std::span<const Vec3f> normals, Scratch& scratch,
                          std::span<Vec3f> out) const noexcept {
  frames(before, scratch.before);
  frames(after, scratch.after);
  parallel_for(out.size(), kNormalGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Eigen::Matrix3f &from = scratch.before[to_welded_[v]], &to = scratch.after[to_welded_[v]];
      const bool known = !from.isZero() && !to.isZero() && from != to;
      out[v] = known ? Vec3f(to * (from.transpose() * normals[v])) : normals[v];
    }
  });
}

}  // namespace sinew
