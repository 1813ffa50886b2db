// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "deform/rig_samples.h"
#include "support/shapes.h"

namespace sinew::test {

// A mesh without a skeleton, as a rig that can have keys.
inline Rig keyed_rig(const PolyMesh& mesh) {
  Rig rig;
  rig.mesh = mesh;
  rig.weights.offsets.assign(mesh.vertex_count() + 1, 0);
  return rig;
}

// A key whose shape is map(p).
template <class Map>
void add_key(Rig& rig, const std::string& name, Map&& map) {
  ShapeKey key;
  key.name = name;
  for (const Vec3& p : rig.mesh.positions) key.deltas.push_back((map(p) - p).template cast<float>());
  rig.keys.push_back(std::move(key));
}

inline std::vector<Vec3f> run_step(const Deformer& step, std::span<const Vec3f> positions,
                                   std::span<const double> weights) {
  const auto workspace = step.make_workspace();
  std::vector<Vec3f> out(positions.size());
  step.deform({positions, {}, {}, {}, {}, weights}, *workspace, out, {});
  return out;
}

inline std::vector<Vec3f> run_step(Result<std::unique_ptr<Deformer>> step, std::span<const Vec3f> positions,
                                   std::span<const double> weights) {
  EXPECT_TRUE(step.ok()) << (step.ok() ? "" : step.error().message);
  return run_step(**step, positions, weights);
}

inline std::vector<Vec3f> as_floats(std::span<const Vec3> points) {
  std::vector<Vec3f> out;
  for (const Vec3& p : points) out.push_back(p.cast<float>());
  return out;
}

template <class Map>
std::vector<Vec3f> mapped(std::span<const Vec3> points, Map&& map) {
  std::vector<Vec3f> out;
  for (const Vec3& p : points) out.push_back(map(p).template cast<float>());
  return out;
}

inline double farthest(std::span<const Vec3f> a, std::span<const Vec3f> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, double((a[i] - b[i]).norm()));
  return most;
}

// The longest change of an edge, over its length in `before`.
inline double edge_change(const PolyMesh& mesh, std::span<const Vec3f> before, std::span<const Vec3f> after) {
  double most = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
      const double length = (before[a] - before[b]).norm();
      if (length > 0) most = std::max(most, std::abs((after[a] - after[b]).norm() / length - 1));
    }
  }
  return most;
}

}  // namespace sinew::test
