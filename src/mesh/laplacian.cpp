// SPDX-License-Identifier: Apache-2.0
// Cotangent weights: Pinkall and Polthier 1993 [pinkall1993]. Mixed areas: Meyer et al. 2003 [meyer2003].
// Triangles without area get slightly longer sides, as Sharp and Crane 2020 [sharp2020] do for whole meshes.
#include "sinew/mesh/laplacian.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"

namespace sinew {
namespace {

constexpr std::size_t kLaplacianGrain = 1 << 13;
// Doubled area over the squared longest side below which angles are taken from lengthened sides.
constexpr double kFlat = 1e-8;
// How much two sides together exceed the third after that, relative to the longest.
constexpr double kSlack = 1e-4;

enum class Shape { kSound, kMended, kSkipped };

// Cotangents from three side lengths (side k lies opposite corner k) that obey the triangle inequality with
// room.
std::array<double, 3> cotangents_of_lengths(const Vec3& length) {
  const double a = length[0], b = length[1], c = length[2];
  const double four_areas = std::sqrt((a + b + c) * (-a + b + c) * (a - b + c) * (a + b - c));
  return {(b * b + c * c - a * a) / four_areas, (c * c + a * a - b * b) / four_areas,
          (a * a + b * b - c * c) / four_areas};
}

Shape cotangents_of(const Vec3& a, const Vec3& b, const Vec3& c, std::array<double, 3>& out) {
  out = {0, 0, 0};
  Vec3 u = c - b, v = a - c, w = b - a;
  const double longest =
      std::max({u.cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff(), w.cwiseAbs().maxCoeff()});
  if (!(longest > 0) || !std::isfinite(longest)) return Shape::kSkipped;
  // Angles do not depend on size; at size 1 nothing under- or overflows.
  u /= longest, v /= longest, w /= longest;
  const double doubled_area = u.cross(v).norm();
  if (doubled_area > kFlat) {
    out = {-v.dot(w) / doubled_area, -w.dot(u) / doubled_area, -u.dot(v) / doubled_area};
    return Shape::kSound;
  }
  const Vec3 length(u.norm(), v.norm(), w.norm());
  const double slack = length.sum() - 2 * length.maxCoeff();
  out = cotangents_of_lengths(length.array() + std::max(0.0, kSlack * length.maxCoeff() - slack));
  return Shape::kMended;
}

// Off-diagonal entries of one column: (row, weight) by ascending row, entries of one row summed in triangle
// order, so that both halves of the matrix get the same sum.
class ColumnGatherer {
 public:
  ColumnGatherer(MeshView mesh, const IndexLists& corners) : mesh_(mesh), corners_(corners) {}

  struct Entry {
    std::uint32_t row;
    double value;
  };

  std::span<const Entry> gather(std::size_t column, const std::vector<std::array<double, 3>>* cotangents) {
    entries_.clear();
    for (const std::uint32_t corner : corners_[column]) {
      const std::uint32_t t = corner / 3, k = corner % 3, next = (k + 1) % 3, last = (k + 2) % 3;
      const Triangle& triangle = mesh_.triangles[t];
      if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) continue;
      insert({triangle[next], cotangents ? (*cotangents)[t][last] : 0});
      insert({triangle[last], cotangents ? (*cotangents)[t][next] : 0});
    }
    return entries_;
  }

 private:
  // A vertex has six neighbours or so: insertion from the back beats sorting.
  void insert(Entry entry) {
    auto place = entries_.end();
    while (place != entries_.begin() && (place - 1)->row > entry.row) --place;
    if (place != entries_.begin() && (place - 1)->row == entry.row)
      (place - 1)->value += entry.value;
    else
      entries_.insert(place, entry);
  }

  MeshView mesh_;
  const IndexLists& corners_;
  std::vector<Entry> entries_;
};

// Writes the columns into the arrays of a compressed matrix whose column begins are known.
void fill_columns(MeshView mesh, const IndexLists& corners, const TriangleCotangents& cotangents,
                  Eigen::SparseMatrix<double>& matrix) {
  parallel_for(corners.size(), kLaplacianGrain, [&](std::size_t begin, std::size_t end) {
    ColumnGatherer gatherer(mesh, corners);
    for (std::size_t i = begin; i < end; ++i) {
      const auto entries = gatherer.gather(i, &cotangents.cotangents);
      int at = matrix.outerIndexPtr()[i], diagonal = -1;
      double sum = 0;
      const auto put = [&](std::size_t row, double value) {
        matrix.innerIndexPtr()[at] = static_cast<int>(row);
        matrix.valuePtr()[at] = value;
        return at++;
      };
      for (const auto& entry : entries) {
        if (diagonal < 0 && entry.row > i) diagonal = put(i, 0);
        put(entry.row, -0.5 * entry.value);
        sum += 0.5 * entry.value;
      }
      if (diagonal < 0) diagonal = put(i, 0);
      matrix.valuePtr()[diagonal] = sum;
    }
  });
}

}  // namespace

TriangleCotangents triangle_cotangents(MeshView mesh) {
  TriangleCotangents out;
  out.cotangents.resize(mesh.triangles.size());
  using Counts = std::array<std::size_t, 3>;
  const Counts counts = parallel_reduce(
      mesh.triangles.size(), kLaplacianGrain, Counts{0, 0, 0},
      [&](std::size_t begin, std::size_t end) {
        Counts part{0, 0, 0};
        for (std::size_t t = begin; t < end; ++t) {
          const Triangle& k = mesh.triangles[t];
          const bool repeated = k[0] == k[1] || k[1] == k[2] || k[2] == k[0];
          const Shape shape = repeated ? Shape::kSkipped
                                       : cotangents_of(mesh.positions[k[0]], mesh.positions[k[1]],
                                                       mesh.positions[k[2]], out.cotangents[t]);
          if (repeated) out.cotangents[t] = {0, 0, 0};
          ++part[static_cast<std::size_t>(shape)];
        }
        return part;
      },
      [](const Counts& a, const Counts& b) {
        return Counts{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
      });
  out.mended = counts[1];
  out.skipped = counts[2];
  return out;
}

CotangentStiffness cotangent_stiffness(MeshView mesh) {
  const std::size_t n = mesh.positions.size();
  const TriangleCotangents cotangents = triangle_cotangents(mesh);
  const IndexLists corners = group_by_key(n, FaceList(mesh.triangles).corners());
  CotangentStiffness out;
  out.mended = cotangents.mended;
  out.skipped = cotangents.skipped;
  Eigen::SparseMatrix<double>& matrix = out.matrix;
  matrix.resize(static_cast<int>(n), static_cast<int>(n));
  parallel_for(n, kLaplacianGrain, [&](std::size_t begin, std::size_t end) {
    ColumnGatherer gatherer(mesh, corners);
    for (std::size_t i = begin; i < end; ++i)
      matrix.outerIndexPtr()[i] = static_cast<int>(gatherer.gather(i, nullptr).size()) + 1;
  });
  int nonzeros = 0;
  for (std::size_t i = 0; i < n; ++i) nonzeros += std::exchange(matrix.outerIndexPtr()[i], nonzeros);
  matrix.outerIndexPtr()[n] = nonzeros;
  matrix.resizeNonZeros(nonzeros);
  fill_columns(mesh, corners, cotangents, matrix);
  return out;
}

Eigen::VectorXd mixed_voronoi_areas(MeshView mesh) {
  std::vector<std::array<double, 3>> shares(mesh.triangles.size());
  parallel_for(mesh.triangles.size(), kLaplacianGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const Triangle& k = mesh.triangles[t];
      const std::array<Vec3, 3> side{mesh.positions[k[2]] - mesh.positions[k[1]],
                                     mesh.positions[k[0]] - mesh.positions[k[2]],
                                     mesh.positions[k[1]] - mesh.positions[k[0]]};
      const double doubled = side[0].cross(side[1]).norm();
      shares[t] = {0, 0, 0};
      if (!(doubled > 0) || !std::isfinite(doubled)) continue;
      // Products of the sides that meet at each corner, negative where the corner is obtuse.
      const std::array<double, 3> dot{-side[1].dot(side[2]), -side[2].dot(side[0]), -side[0].dot(side[1])};
      const bool obtuse = dot[0] < 0 || dot[1] < 0 || dot[2] < 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t next = (c + 1) % 3, last = (c + 2) % 3;
        if (obtuse)
          shares[t][c] = dot[c] < 0 ? doubled / 4 : doubled / 8;
        else
          shares[t][c] =
              (side[last].squaredNorm() * dot[last] + side[next].squaredNorm() * dot[next]) / (8 * doubled);
      }
    }
  });
  const IndexLists corners = group_by_key(mesh.positions.size(), FaceList(mesh.triangles).corners());
  Eigen::VectorXd areas(static_cast<Eigen::Index>(mesh.positions.size()));
  parallel_for(corners.size(), kLaplacianGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double sum = 0;
      for (const std::uint32_t corner : corners[i]) sum += shares[corner / 3][corner % 3];
      areas[static_cast<Eigen::Index>(i)] = sum;
    }
  });
  return areas;
}

}  // namespace sinew
