// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inbetween_lead.h"

#include <algorithm>
#include <cmath>

#include "sinew/binding/bind.h"
#include "sinew/measure/shape.h"
#include "sinew/mesh/topology.h"
#include "sinew/pipeline/auto_rig.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

constexpr double kOwnVertex = 0.8;     // a vertex with this much of a bone's weight shows its length
constexpr std::size_t kLeastOwn = 12;  // such vertices, for a bone to be measured
constexpr double kLongLimb = 0.3;      // of a bone's length: least distance of its measured ends
constexpr double kKeptLength = 0.05;   // what a limb's length may differ by from shape to shape

ShapeSkeleton one_piece(const PolyMesh& mesh, std::string problem) {
  ShapeSkeleton whole;
  std::vector<Joint> joints(1);
  joints[0].name = "all";
  whole.skeleton = *Skeleton::create(std::move(joints));
  const auto box = bounding_box(mesh.positions);
  whole.heads = {0.5 * box.min() + 0.5 * box.max()};  // the sum of huge corners would not be finite
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    whole.weights.add_row(std::vector<Influence>{{0, 1.0}});
  whole.problem = std::move(problem);
  return whole;
}

Result<ShapeSkeleton> skeleton_in(std::span<const PolyMesh> shapes, std::size_t reference,
                                  const Progress* progress) {
  std::vector<const PolyMesh*> poses = {&shapes[reference]};
  for (std::size_t s = 0; s < shapes.size(); ++s)
    if (s != reference) poses.push_back(&shapes[s]);
  SkeletonRequest request;
  request.progress = progress;
  SINEW_TRY(const FoundSkeleton found, auto_skeleton(poses, request));
  if (found.skeleton.empty()) return impossible(found.problem);
  Rig rig;
  rig.mesh = shapes[reference];
  set_skeleton(rig, found.skeleton);
  BindRequest bind_request;
  bind_request.method = "heat";
  bind_request.progress = progress;
  SINEW_CHECK(bind(rig, bind_request));
  ShapeSkeleton result;
  for (const Affine3& joint : bind_transforms(rig)) result.heads.push_back(joint.translation());
  result.skeleton = std::move(rig.skeleton);
  result.weights = std::move(rig.weights);
  result.reference = reference;
  result.name = found.name;
  return result;
}

}  // namespace

Result<ShapeSkeleton> skeleton_of_shapes(std::span<const PolyMesh> shapes, const Progress* progress) {
  std::string problem;
  for (const std::size_t s : {std::size_t{0}, shapes.size() - 1}) {
    auto found = skeleton_in(shapes, s, progress);
    if (found.ok()) return found;
    if (is_cancelled(progress)) return cancelled();
    if (found.error().code == ErrorCode::kLimit) return found.error();
    if (problem.empty()) problem = found.error().message;
    if (shapes.front().positions == shapes.back().positions) break;
  }
  return one_piece(shapes[0], problem);
}

SkinWeights ring_weights(const SkinWeights& weights, const IsoCurves& curves) {
  std::vector<std::uint32_t> ring_of(weights.vertex_count(), kNoRing);
  std::vector<std::vector<Influence>> mean(curves.ring_count());
  for (std::uint32_t r = 0; r < curves.ring_count(); ++r) {
    if (!curves.is_closed(r)) continue;
    const auto ring = curves.ring(r);
    for (const std::uint32_t v : ring) {
      ring_of[v] = r;
      for (const Influence& one : weights.row(v))
        mean[r].push_back({one.joint, one.weight / static_cast<double>(ring.size())});
    }
  }
  SkinWeights result;
  for (std::size_t i = 0; i < weights.vertex_count(); ++i)
    result.add_row(ring_of[i] == kNoRing ? weights.row(i) : std::span<const Influence>(mean[ring_of[i]]));
  return result;
}

WayMeasure::WayMeasure(const ShapeSkeleton& found, std::span<const PolyMesh> shapes) : shapes_(shapes) {
  const MeshReport topology = mesh_report(shapes[0]);
  if (topology.boundary_edges + topology.nonmanifold_edges == 0)
    triangles_ = triangulate(shapes[0]).triangles;
  if (found.name.empty()) return;
  const std::vector<Vec3>& positions = shapes[found.reference].positions;
  std::vector<std::vector<std::uint32_t>> own(found.skeleton.size());
  for (std::uint32_t i = 0; i < found.weights.vertex_count(); ++i)
    if (const auto row = found.weights.row(i); !row.empty() && row[0].weight > kOwnVertex)
      own[row[0].joint].push_back(i);
  std::vector<Affine3> globals;
  for (const Vec3& head : found.heads) globals.emplace_back(Eigen::Translation3d(head));
  for (const Bone& bone : bones_of(found.skeleton, globals)) {
    std::vector<std::uint32_t>& vertices = own[bone.joint];
    const Vec3 axis = bone.tail - bone.head;
    if (vertices.size() < kLeastOwn || axis.norm() == 0) continue;
    std::stable_sort(vertices.begin(), vertices.end(), [&](std::uint32_t a, std::uint32_t b) {
      return positions[a].dot(axis) < positions[b].dot(axis);
    });
    Limb limb;
    const auto third = static_cast<std::ptrdiff_t>(vertices.size() / 3);
    limb.ends[0].assign(vertices.begin(), vertices.begin() + third);
    limb.ends[1].assign(vertices.end() - third, vertices.end());
    // Skin that the shapes themselves stretch, as over a collar bone, says nothing about lengths on the way.
    const double own_length = length(limb, positions);
    const bool is_kept = std::all_of(shapes.begin(), shapes.end(), [&](const PolyMesh& shape) {
      return std::abs(length(limb, shape.positions) - own_length) <= kKeptLength * own_length;
    });
    if (is_kept && own_length > kLongLimb * axis.norm()) limbs_.push_back(std::move(limb));
  }
}

double WayMeasure::length(const Limb& limb, std::span<const Vec3> positions) {
  Vec3 middle[2];
  for (int k = 0; k < 2; ++k) {
    middle[k] = Vec3::Zero();
    for (const std::uint32_t v : limb.ends[k]) middle[k] += positions[v];
    middle[k] /= static_cast<double>(limb.ends[k].size());
  }
  return (middle[1] - middle[0]).norm();
}

void WayMeasure::add(std::size_t first, double share, std::span<const Vec3> frame,
                     WayChanges& changes) const {
  const std::vector<Vec3>&a = shapes_[first].positions, &b = shapes_[first + 1].positions;
  const auto take = [&](double from, double to, double now, std::optional<double>& worst) {
    const double between = from + share * (to - from);
    if (!(std::abs(between) > 0)) return;
    const double change = now / between - 1;
    if (std::isfinite(change) && (!worst || std::abs(change) > std::abs(*worst))) worst = change;
  };
  for (const Limb& limb : limbs_) take(length(limb, a), length(limb, b), length(limb, frame), changes.limbs);
  if (!triangles_.empty())
    take(enclosed_volume({a, triangles_}), enclosed_volume({b, triangles_}),
         enclosed_volume({frame, triangles_}), changes.volume);
}

}  // namespace sinew
