// SPDX-License-Identifier: Apache-2.0
#include "deform/key_shifts.h"

#include <cstring>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"

namespace sinew {

KeyShifts::KeyShifts(const Rig& rig, const PoissonSurface& surface, const KeyMasks& masks) {
  for (std::size_t k = 0; k < rig.keys.size(); ++k) {
    defaults_.push_back(rig.keys[k].default_weight);
    deltas_.push_back(rig.keys[k].deltas);
    if (k < masks.size() && !masks[k].empty())
      for (std::size_t i = 0; i < deltas_[k].size(); ++i) deltas_[k][i] *= masks[k][i];
    centres_.emplace_back(surface.component_count());
    surface.centres(deltas_[k], centres_[k]);
  }
  for (std::uint32_t i = 0; i < rig.mesh.vertex_count(); ++i)
    if (surface.component_of()[i] == kNoComponent) loose_.push_back(i);
}

Vec3 KeyShifts::centre_shift(std::size_t component, std::span<const double> weights) const noexcept {
  Vec3 shift = Vec3::Zero();
  for (std::size_t k = 0; k < centres_.size(); ++k) shift += weights[k] * centres_[k][component];
  return shift;
}

void KeyShifts::add_loose(std::span<const double> weights, std::span<Vec3f> positions) const noexcept {
  for (std::size_t k = 0; k < deltas_.size(); ++k)
    if (weights[k] != 0)
      for (const std::uint32_t i : loose_) positions[i] += static_cast<float>(weights[k]) * deltas_[k][i];
}

void KeyShifts::add_all(std::span<const double> weights, std::span<Vec3f> positions) const noexcept {
  parallel_for(positions.size(), 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = 0; k < deltas_.size(); ++k)
      if (weights[k] != 0)
        for (std::size_t i = begin; i < end; ++i)
          positions[i] += static_cast<float>(weights[k]) * deltas_[k][i];
  });
}

std::vector<Vec3f> float_positions(const PolyMesh& mesh) {
  std::vector<Vec3f> positions;
  positions.reserve(mesh.vertex_count());
  for (const Vec3& p : mesh.positions) positions.push_back(p.cast<float>());
  return positions;
}

std::vector<Vec3f> rest_normals(const PolyMesh& mesh) {
  if (mesh.normals.size() == mesh.vertex_count()) return mesh.normals;
  const TriangleView view = triangulate(mesh);
  std::vector<Vec3f> normals;
  for (const Vec3& normal : vertex_normals({mesh.positions, view.triangles}))
    normals.push_back(normal.cast<float>());
  return normals;
}

bool same_points(std::span<const Vec3f> a, std::span<const Vec3f> b) noexcept {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace sinew
