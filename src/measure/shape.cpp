// SPDX-License-Identifier: Apache-2.0
#include "sinew/measure/shape.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"

namespace sinew {

double enclosed_volume(MeshView mesh) {
  if (mesh.positions.empty()) return 0;
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : mesh.positions) middle += p;
  middle /= static_cast<double>(mesh.positions.size());
  return parallel_reduce(
      mesh.triangles.size(), 8192, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t t = begin; t < end; ++t) {
          const Triangle& corner = mesh.triangles[t];
          const Vec3 a = mesh.positions[corner[0]] - middle, b = mesh.positions[corner[1]] - middle,
                     c = mesh.positions[corner[2]] - middle;
          sum += a.dot(b.cross(c)) / 6;
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

std::optional<double> volume_change(const PolyMesh& rest, std::span<const Vec3> posed) {
  const MeshReport topology = mesh_report(rest);
  if (topology.boundary_edges + topology.nonmanifold_edges > 0) return std::nullopt;
  const TriangleView view = triangulate(rest);
  const double before = enclosed_volume({rest.positions, view.triangles});
  const double change = (enclosed_volume({posed, view.triangles}) - before) / std::abs(before);
  return std::isfinite(change) ? std::optional(change) : std::nullopt;
}

ShapeError shape_error(std::span<const Vec3> shape, std::span<const Vec3> reference) {
  assert(shape.size() == reference.size());
  ShapeError error;
  if (shape.empty()) return error;
  double squares = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const double square = (shape[i] - reference[i]).squaredNorm();
    squares += square;
    error.max = std::max(error.max, square);
  }
  const double n = static_cast<double>(shape.size());
  error.max = std::sqrt(error.max);
  error.rms = std::sqrt(squares / n);
  error.e_rms = std::sqrt(squares / (3 * n));
  error.e_rms_printed = squares / std::sqrt(3 * n);
  return error;
}

}  // namespace sinew
