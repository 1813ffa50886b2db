// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "sinew/core/disjoint_sets.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/poisson.h"
#include "sinew/mesh/bvh.h"
#include "sinew/mesh/laplacian.h"
#include "sinew/mesh/topology.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

// A triangle whose doubled area is below this share of its longest side squared has no plane to speak of; its
// sides become edges.
constexpr double kFlatTriangle = 1e-7;
constexpr double kFlatWeight = 0.5;

// How deep the middle of an inner edge lies, of its length; of a diameter it is half.
constexpr double kDeep = 0.35;

// A component is surrounded where so many of these directions from its centre meet the body: over half of
// them, since a button on a chest has half, and fewer than all, since an eye looks out.
constexpr int kDirections = 128;
constexpr double kSurrounded = 0.6;

bool is_surrounded(const Bvh& body, const Vec3& centre) {
  int met = 0;
  for (int k = 0; k < kDirections; ++k) {  // evenly over the sphere
    const double z = 1 - (2 * k + 1.0) / kDirections, turn = k * std::numbers::pi * (3 - std::sqrt(5.0));
    const double radius = std::sqrt(1 - z * z);
    met += body.any_hit(centre, Vec3(radius * std::cos(turn), radius * std::sin(turn), z));
  }
  return met >= kSurrounded * kDirections;
}

// Deltas of one key that differ by less than this share of the mesh's size are the same: a texture seam, not
// a mouth.
constexpr double kSameDelta = 1e-4;

// Vertices at one place that every key moves alike are one.
Weld weld_with_keys(const PolyMesh& mesh, const PoissonOptions& options) {
  const std::span<const ShapeKey> keys = options.keys;
  Weld weld = weld_vertices(mesh.positions, 0, options.copies);
  if (keys.empty() || weld.positions.size() == mesh.positions.size()) return weld;
  const auto limit = static_cast<float>(kSameDelta * bounding_box(mesh.positions).diagonal().norm());
  const IndexLists groups = group_by_key(weld.positions.size(), weld.to_welded);
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const ShapeKey& key) { return (key.deltas[a] - key.deltas[b]).norm() <= limit; });
  };
  std::vector<std::uint32_t> leaders;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    leaders.clear();
    for (const std::uint32_t v : groups[g]) {
      const auto same =
          std::find_if(leaders.begin(), leaders.end(), [&](std::uint32_t l) { return alike(l, v); });
      if (same != leaders.end()) {
        weld.to_welded[v] = weld.to_welded[*same];
        continue;
      }
      if (!leaders.empty()) {
        weld.to_welded[v] = static_cast<std::uint32_t>(weld.positions.size());
        weld.positions.push_back(mesh.positions[v]);
        weld.representative.push_back(v);
      }
      leaders.push_back(v);
    }
  }
  return weld;
}

}  // namespace

struct PoissonSurface::Maker {
  using Corners = std::array<std::uint32_t, 3>;

  const PolyMesh& mesh;
  const PoissonOptions& options;
  Weld weld;
  std::vector<Corners> triangles, edges;  // stored vertices; of an edge the third repeats the second
  std::vector<double> edge_weights;

  std::uint32_t welded(std::uint32_t vertex) const { return weld.to_welded[vertex]; }
  Corners welded(const Corners& k) const { return {welded(k[0]), welded(k[1]), welded(k[2])}; }

  void add_edge(std::uint32_t a, std::uint32_t b, double weight) {
    if (welded(a) == welded(b) || weld.positions[welded(a)] == weld.positions[welded(b)]) return;
    edges.push_back({a, b, b});
    edge_weights.push_back(weight);
  }

  void collect() {
    for (const Triangle& k : triangulate(mesh).triangles) {
      const Corners w = welded(k);
      if (w[0] == w[1] || w[1] == w[2] || w[2] == w[0]) continue;
      const Vec3 a = weld.positions[w[1]] - weld.positions[w[0]],
                 b = weld.positions[w[2]] - weld.positions[w[0]];
      const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
      if (a.cross(b).norm() > kFlatTriangle * longest) {
        triangles.push_back(k);
        continue;
      }
      for (std::size_t c = 0; c < 3; ++c) add_edge(k[c], k[(c + 1) % 3], kFlatWeight);
    }
    for (const auto& edge : options.edges) add_edge(edge[0], edge[1], options.edge_weight);
  }

  // What the sides of every element weigh: side c lies opposite corner c, so an edge has side 2 alone.
  std::vector<std::array<double, 3>> side_weights() const {
    std::vector<Triangle> flat;
    for (const Corners& k : triangles) flat.push_back(welded(k));
    std::vector<std::array<double, 3>> weights = triangle_cotangents({weld.positions, flat}).cotangents;
    for (auto& three : weights)
      for (double& weight : three) weight /= 2;
    for (const double weight : edge_weights) weights.push_back({0, 0, weight});
    return weights;
  }

  void number_components(PoissonSurface& surface) const {
    const std::size_t n = weld.positions.size();
    DisjointSets sets(n);
    std::vector<bool> used(n);
    for (const Corners& k : surface.welded_)
      for (std::size_t c = 0; c < 3; ++c) {
        sets.join(k[0], k[c]);
        used[k[c]] = true;
      }
    surface.component_of_welded_.assign(n, kNoComponent);
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!used[i]) continue;
      const std::uint32_t root = sets.find(i);
      if (root == i) {
        surface.component_of_welded_[i] = static_cast<std::uint32_t>(surface.component_sizes_.size());
        surface.component_sizes_.push_back(0);
        surface.pinned_.push_back(i);
      } else {
        surface.component_of_welded_[i] = surface.component_of_welded_[root];
      }
      ++surface.component_sizes_[surface.component_of_welded_[i]];
    }
    for (const std::uint32_t i : weld.to_welded)
      surface.component_of_.push_back(surface.component_of_welded_[i]);
  }

  // Rows of pinned and of unused vertices are those of the identity.
  Eigen::SparseMatrix<double> matrix(const PoissonSurface& surface,
                                     std::span<const std::array<double, 3>> weights) const {
    const std::size_t n = weld.positions.size();
    std::vector<bool> fixed(n);
    for (std::size_t i = 0; i < n; ++i) fixed[i] = surface.component_of_welded_[i] == kNoComponent;
    for (const std::uint32_t i : surface.pinned_) fixed[i] = true;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(9 * surface.welded_.size() + n);
    for (std::size_t i = 0; i < n; ++i)
      if (fixed[i]) entries.emplace_back(i, i, 1);
    for (std::size_t e = 0; e < surface.welded_.size(); ++e)
      for (std::size_t side = 0; side < 3; ++side) {
        const std::uint32_t a = surface.welded_[e][(side + 1) % 3], b = surface.welded_[e][(side + 2) % 3];
        const double weight = weights[e][side];
        if (weight == 0) continue;
        if (!fixed[a]) entries.emplace_back(a, a, weight);
        if (!fixed[b]) entries.emplace_back(b, b, weight);
        if (!fixed[a] && !fixed[b]) entries.emplace_back(std::max(a, b), std::min(a, b), -weight);
      }
    Eigen::SparseMatrix<double> matrix(static_cast<int>(n), static_cast<int>(n));
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

  void share_out(PoissonSurface& surface, std::span<const std::array<double, 3>> weights) const {
    std::vector<std::uint32_t> vertices;
    for (const Corners& k : surface.welded_) vertices.insert(vertices.end(), k.begin(), k.end());
    const IndexLists lists = group_by_key(weld.positions.size(), vertices);
    surface.share_offsets_.assign(1, 0);
    for (std::size_t i = 0; i < lists.size(); ++i) {
      for (const std::uint32_t corner : lists[i]) {
        const std::uint32_t e = corner / 3, c = corner % 3;
        if (c == 2 && !surface.is_triangle(e)) continue;
        const Corners& k = surface.welded_[e];
        Vec3 edge = Vec3::Zero();
        for (std::size_t side = 0; side < 3; ++side)
          if (side != c && weights[e][side] != 0)
            edge += weights[e][side] * (weld.positions[k[c]] - weld.positions[k[3 - c - side]]);
        surface.shares_.push_back({e, edge});
      }
      surface.share_offsets_.push_back(static_cast<std::uint32_t>(surface.shares_.size()));
    }
  }

  void find_hats(PoissonSurface& surface) const {
    for (std::size_t e = 0; e < surface.welded_.size(); ++e) {
      const Corners& k = surface.welded_[e];
      const Vec3 a = weld.positions[k[1]] - weld.positions[k[0]];
      if (!surface.is_triangle(e)) {
        const Vec3f hat = (a / a.squaredNorm()).cast<float>();
        surface.hats_.push_back({-hat, hat, Vec3f::Zero()});
        continue;
      }
      const Vec3 b = weld.positions[k[2]] - weld.positions[k[0]], normal = a.cross(b);
      const Vec3 first = b.cross(normal) / normal.squaredNorm(),
                 second = normal.cross(a) / normal.squaredNorm();
      surface.hats_.push_back(
          {Vec3(-first - second).cast<float>(), first.cast<float>(), second.cast<float>()});
      surface.areas_.push_back(static_cast<float>(normal.norm() / 2));
    }
  }

  // Small components near the largest get a seat on it.
  void find_seats(PoissonSurface& surface) const {
    if (options.placement == Placement::kOwn || surface.component_count() < 2) return;
    const auto largest = std::max_element(surface.component_sizes_.begin(), surface.component_sizes_.end());
    const auto body = static_cast<std::uint32_t>(largest - surface.component_sizes_.begin());
    std::vector<Triangle> triangles_of_body;
    std::vector<std::uint32_t> elements;
    for (std::uint32_t e = 0; e < surface.triangles_; ++e)
      if (surface.component_of_welded_[surface.welded_[e][0]] == body) {
        triangles_of_body.push_back(surface.welded_[e]);
        elements.push_back(e);
      }
    std::vector<Box3> boxes(surface.component_count());
    std::vector<Vec3> centres(surface.component_count(), Vec3::Zero());
    for (std::size_t i = 0; i < weld.positions.size(); ++i)
      if (const std::uint32_t c = surface.component_of_welded_[i]; c != kNoComponent) {
        boxes[c].extend(weld.positions[i]);
        centres[c] += weld.positions[i] / surface.component_sizes_[c];
      }
    const Bvh bvh({weld.positions, triangles_of_body});
    for (std::uint32_t c = 0; c < surface.component_count(); ++c) {
      const double size = boxes[c].diagonal().norm();
      if (c == body || size > boxes[body].diagonal().norm() / 2) continue;
      const NearestPoint seat = bvh.nearest(centres[c], 1.5 * size);
      if (!seat.found() || (options.placement == Placement::kAuto && !is_surrounded(bvh, centres[c])))
        continue;
      surface.seats_.push_back({c, elements[seat.triangle], seat.barycentric, centres[c] - seat.point});
    }
  }
};

namespace {

Result<void> check_options(const PolyMesh& mesh, const PoissonOptions& options) {
  if (!(options.edge_weight > 0 && options.edge_weight < 1e6))
    return usage_error("the weight of the springs must lie above 0 and below 1e6");
  for (const auto& edge : options.edges)
    if (edge[0] >= mesh.vertex_count() || edge[1] >= mesh.vertex_count())
      return bad_input("an edge names vertex " + std::to_string(std::max(edge[0], edge[1])) +
                       ", but the mesh has only " + std::to_string(mesh.vertex_count()));
  return {};
}

}  // namespace

// All but the factor.
Result<PoissonSurface> PoissonSurface::start(Maker& maker) {
  maker.collect();
  SINEW_TRY(SparseCholesky nothing, SparseCholesky::factor(Eigen::SparseMatrix<double>()));
  PoissonSurface surface(std::move(nothing));
  surface.triangles_ = maker.triangles.size();
  surface.corners_ = std::move(maker.triangles);
  surface.corners_.insert(surface.corners_.end(), maker.edges.begin(), maker.edges.end());
  for (const auto& k : surface.corners_) surface.welded_.push_back(maker.welded(k));
  maker.triangles.assign(surface.corners_.begin(),
                         surface.corners_.begin() + static_cast<std::ptrdiff_t>(surface.triangles_));
  maker.number_components(surface);
  maker.find_seats(surface);
  return surface;
}

Result<PoissonSurface> PoissonSurface::build(const PolyMesh& mesh, const PoissonOptions& options) {
  SINEW_CHECK(check_options(mesh, options));
  Maker maker{mesh, options, weld_with_keys(mesh, options), {}, {}, {}};
  SINEW_TRY(PoissonSurface surface, start(maker));
  const auto weights = maker.side_weights();
  maker.share_out(surface, weights);
  maker.find_hats(surface);
  SINEW_TRY(surface.factor_, SparseCholesky::factor(maker.matrix(surface, weights), SolveCount::kMany));
  surface.rest_ = std::move(maker.weld.positions);
  surface.to_welded_ = std::move(maker.weld.to_welded);
  surface.representative_ = std::move(maker.weld.representative);
  return surface;
}

Result<std::size_t> PoissonSurface::count_seats(const PolyMesh& mesh, const PoissonOptions& options) {
  SINEW_CHECK(check_options(mesh, options));
  Maker maker{mesh, options, weld_with_keys(mesh, options), {}, {}, {}};
  SINEW_TRY(const PoissonSurface surface, start(maker));
  return surface.seat_count();
}

IndexLists PoissonSurface::triangle_neighbours() const {
  const std::vector<Triangle> flat(welded_.begin(),
                                   welded_.begin() + static_cast<std::ptrdiff_t>(triangles_));
  const EdgeTable edges = edge_table(rest_.size(), flat);
  std::vector<std::uint32_t> from, to;
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (const std::uint32_t a : edges.faces[e])
      for (const std::uint32_t b : edges.faces[e])
        if (a != b) {
          from.push_back(a);
          to.push_back(b);
        }
  IndexLists lists = group_by_key(triangles_, from);
  for (std::uint32_t& item : lists.items) item = to[item];
  return lists;
}

std::vector<std::array<std::uint32_t, 2>> inner_edges(const PolyMesh& mesh, std::size_t stride) {
  const TriangleView view = triangulate(mesh);
  const WeldedTriangles welded = weld_triangles({mesh.positions, view.triangles});
  const std::vector<Vec3> normals = vertex_normals(welded.view());
  const Bvh bvh(welded.view());
  const double size = bounding_box(mesh.positions).diagonal().norm();
  std::vector<std::array<std::uint32_t, 2>> edges;
  for (std::size_t i = 0; i < normals.size(); i += std::max<std::size_t>(stride, 1)) {
    if (normals[i].isZero()) continue;
    const RayHit hit = bvh.first_hit(welded.weld.positions[i], -normals[i], 1e-5 * size, size);
    if (!hit.found()) continue;
    Eigen::Index nearest = 0;
    hit.barycentric.maxCoeff(&nearest);
    const std::uint32_t other = welded.triangles[hit.triangle][static_cast<std::size_t>(nearest)];
    // The far side must look away, or the ray left through a hole and met the outside of something else.
    if (other == i || normals[other].dot(normals[i]) >= 0) continue;
    // Across the body, not along it: the middle lies as deep as the edge is long.
    const Vec3 way = welded.weld.positions[other] - welded.weld.positions[i];
    if (bvh.nearest(welded.weld.positions[i] + way / 2).squared_distance < kDeep * kDeep * way.squaredNorm())
      continue;
    edges.push_back({welded.weld.representative[i], welded.weld.representative[other]});
  }
  return edges;
}

}  // namespace sinew
