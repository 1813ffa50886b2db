// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/islands.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "sinew/core/parallel.h"
#include "sinew/mesh/bvh.h"

namespace sinew {
namespace {

constexpr double kSmall = 0.25;  // of the body's diagonal: may follow
constexpr double kRigid = 0.20;  // of the body's diagonal: follows as one piece

struct Measures {
  std::vector<double> area;  // per component
  std::vector<Box3> box;
};

Measures measure(MeshView surface, const Components& components) {
  Measures measures{std::vector<double>(components.count, 0.0), std::vector<Box3>(components.count)};
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto [a, b, c] = surface.triangles[t];
    const std::uint32_t island = components.of_face[t];
    const Vec3 &p = surface.positions[a], &q = surface.positions[b], &r = surface.positions[c];
    measures.area[island] += 0.5 * (q - p).cross(r - p).norm();
    for (const Vec3* corner : {&p, &q, &r}) measures.box[island].extend(*corner);
  }
  return measures;
}

// The triangles of the components that do not follow: what the others hold on to.
std::vector<Triangle> ground(MeshView surface, const IslandPlan& plan) {
  std::vector<Triangle> triangles;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    if (!plan.follows[plan.components.of_face[t]]) triangles.push_back(surface.triangles[t]);
  return triangles;
}

Eigen::RowVectorXd row_at(const Bvh& bvh, std::span<const Triangle> triangles, const Vec3& p,
                          const Eigen::MatrixXd& values) {
  const auto hit = bvh.nearest(p);
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(values.cols());
  for (int k = 0; k < 3; ++k)
    row += hit.barycentric[k] *
           values.row(static_cast<Eigen::Index>(triangles[hit.triangle][static_cast<std::size_t>(k)]));
  return row;
}

// From where a vertex looks for the body that it follows; nullopt where it follows none.
std::optional<Vec3> follower_origin(MeshView surface, const IslandPlan& plan, const Measures& measures,
                                    std::size_t vertex) {
  const std::uint32_t island = plan.components.of_vertex[vertex];
  if (island == kNoComponent || !plan.follows[island]) return std::nullopt;
  const bool rigid =
      measures.box[island].diagonal().norm() < kRigid * measures.box[plan.by_size[0]].diagonal().norm();
  return rigid ? Vec3(measures.box[island].center()) : surface.positions[vertex];
}

}  // namespace

IslandPlan plan_islands(MeshView surface, bool follow_small, std::span<const std::size_t> linked) {
  IslandPlan plan;
  plan.components = connected_components(surface.positions.size(), FaceList(surface.triangles));
  const std::size_t count = plan.components.count;
  const Measures measures = measure(surface, plan.components);
  plan.by_size.resize(count);
  std::iota(plan.by_size.begin(), plan.by_size.end(), 0u);
  std::stable_sort(plan.by_size.begin(), plan.by_size.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return measures.area[a] > measures.area[b]; });
  plan.follows.assign(count, 0);
  if (count < 2) return plan;

  for (const std::size_t place : linked)
    if (place > 0 && place < count) plan.follows[plan.by_size[place]] = 1;
  const double total = std::accumulate(measures.area.begin(), measures.area.end(), 0.0);
  const std::uint32_t body = plan.by_size[0];
  if (follow_small && measures.area[body] > 0.5 * total) {
    std::vector<Triangle> body_triangles;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
      if (plan.components.of_face[t] == body) body_triangles.push_back(surface.triangles[t]);
    const Bvh bvh({surface.positions, body_triangles});
    const double diagonal = measures.box[body].diagonal().norm();
    for (std::uint32_t island = 0; island < count; ++island) {
      const double size = measures.box[island].diagonal().norm();
      if (island == body || size > kSmall * diagonal) continue;
      const Vec3 centre = measures.box[island].center();
      if ((bvh.nearest(centre).point - centre).norm() <= size) plan.follows[island] = 1;
    }
  }
  plan.following = static_cast<std::size_t>(std::count(plan.follows.begin(), plan.follows.end(), 1));
  return plan;
}

void follow_body(MeshView surface, const IslandPlan& plan, BoneWeights& weights) {
  if (plan.following == 0) return;
  const std::vector<Triangle> triangles = ground(surface, plan);
  const Bvh bvh({surface.positions, triangles});
  const Measures measures = measure(surface, plan.components);
  const std::size_t n = surface.positions.size();
  Eigen::MatrixXd values = weights.values;
  parallel_for(n, 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = follower_origin(surface, plan, measures, i);
      if (!from) continue;
      values.row(static_cast<Eigen::Index>(i)) = row_at(bvh, triangles, *from, weights.values);
      weights.bound[i] = 1;
    }
  });
  weights.values = std::move(values);
  normalise_rows(weights);
}

std::vector<Vec3> leading_points(MeshView surface, const IslandPlan& plan) {
  std::vector<Vec3> points(surface.positions.begin(), surface.positions.end());
  if (plan.following == 0) return points;
  const std::vector<Triangle> triangles = ground(surface, plan);
  const Bvh bvh({surface.positions, triangles});
  const Measures measures = measure(surface, plan.components);
  parallel_for(points.size(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (const auto from = follower_origin(surface, plan, measures, i))
        if (const NearestPoint nearest = bvh.nearest(*from); nearest.found()) points[i] = nearest.point;
  });
  return points;
}

}  // namespace sinew
