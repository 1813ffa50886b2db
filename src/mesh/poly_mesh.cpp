// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/poly_mesh.h"

#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"

namespace sinew {

void PolyMesh::add_face(std::span<const std::uint32_t> corners) {
  assert(corners.size() >= 3);
  if (face_offsets.empty()) face_offsets.push_back(0);
  face_vertices.insert(face_vertices.end(), corners.begin(), corners.end());
  face_offsets.push_back(static_cast<std::uint32_t>(face_vertices.size()));
}

Box3 bounding_box(std::span<const Vec3> positions) {
  return parallel_reduce(
      positions.size(), 1 << 15, Box3(),
      [&](std::size_t begin, std::size_t end) {
        Box3 box;
        for (std::size_t i = begin; i < end; ++i)
          if (positions[i].allFinite()) box.extend(positions[i]);
        return box;
      },
      [](const Box3& a, const Box3& b) { return Box3(a).extend(b); });
}

namespace {

struct AngledNormal {
  Vec3 unit;
  std::array<double, 3> angles;
};

AngledNormal angled_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, bc = c - b, ca = a - c, normal = ab.cross(-ca);
  const double largest = normal.cwiseAbs().maxCoeff();
  if (!(largest > 0) || !std::isfinite(largest)) return {Vec3::Zero(), {0, 0, 0}};
  // The doubled area is the sine of every corner times its two sides. Scaled before it is squared, or it
  // might underflow.
  const double length = (normal / largest).norm();
  const double doubled_area = length * largest;
  return {normal / largest / length,
          {std::atan2(doubled_area, -ab.dot(ca)), std::atan2(doubled_area, -bc.dot(ab)),
           std::atan2(doubled_area, -ca.dot(bc))}};
}

}  // namespace

void vertex_normals(MeshView mesh, std::span<Vec3> normals) {
  assert(normals.size() == mesh.positions.size());
  std::vector<AngledNormal> weighted(mesh.triangles.size());
  parallel_for(mesh.triangles.size(), 1 << 13, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& corner = mesh.triangles[t];
      weighted[t] =
          angled_normal(mesh.positions[corner[0]], mesh.positions[corner[1]], mesh.positions[corner[2]]);
    }
  });
  // Each vertex sums its own corners in the order of the triangles: the same bits for any thread count.
  const IndexLists corners = group_by_key(mesh.positions.size(), FaceList(mesh.triangles).corners());
  parallel_for(normals.size(), 1 << 13, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (const std::uint32_t corner : corners[i])
        sum += weighted[corner / 3].angles[corner % 3] * weighted[corner / 3].unit;
      const double length = sum.norm();
      normals[i] = length > 1e-12 ? Vec3(sum / length) : Vec3(Vec3::Zero());
    }
  });
}

std::vector<Vec3> vertex_normals(MeshView mesh) {
  std::vector<Vec3> normals(mesh.positions.size());
  vertex_normals(mesh, normals);
  return normals;
}

std::vector<Vec3f> normals_of(const PolyMesh& mesh) {
  if (mesh.normals.size() == mesh.vertex_count()) return mesh.normals;
  const TriangleView view = triangulate(mesh);
  std::vector<Vec3f> normals;
  normals.reserve(mesh.vertex_count());
  for (const Vec3& normal : vertex_normals({mesh.positions, view.triangles}))
    normals.push_back(normal.cast<float>());
  return normals;
}

}  // namespace sinew
