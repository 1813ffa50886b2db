// SPDX-License-Identifier: Apache-2.0
// Harmonic weights on the surface [vanlommel2008, Sec. 4.2 and 7.2]. The thesis leaves open which vertices
// are held; ours lie beside the middle of the bones, so that the blend spans the joint.
#include "sinew/weights/harmonic.h"

#include <algorithm>
#include <limits>

#include "sinew/core/parallel.h"
#include "sinew/mesh/laplacian.h"
#include "sinew/mesh/topology.h"
#include "sinew/solve/sparse_cholesky.h"
#include "weights/visibility.h"

namespace sinew {
namespace {

constexpr double kMeetingPlace = 1e-6;  // of the bones' own box: ends that meet there are one joint

// The part of each segment of a bone whose surroundings are held: all of it up to free ends, less the margin
// at joints.
struct Held {
  double from = 0;
  std::vector<double> to;  // per end
};

std::vector<Held> held_parts(std::span<const Bone> bones, double margin) {
  Box3 box;
  for (const Bone& bone : bones) {
    box.extend(bone.head);
    for (const Vec3& end : segment_ends(bone)) box.extend(end);
  }
  const double near = kMeetingPlace * box.diagonal().norm();
  const auto joined = [&](std::size_t j, const Vec3& end) {
    const auto here = [&](const Vec3& other) { return (other - end).norm() <= near; };
    for (std::size_t k = 0; k < bones.size(); ++k) {
      const std::span<const Vec3> ends = segment_ends(bones[k]);
      if (k != j && (here(bones[k].head) || std::any_of(ends.begin(), ends.end(), here))) return true;
    }
    return false;
  };
  std::vector<Held> held(bones.size());
  for (std::size_t j = 0; j < bones.size(); ++j) {
    if (joined(j, bones[j].head)) held[j].from = margin;
    for (const Vec3& end : segment_ends(bones[j])) held[j].to.push_back(joined(j, end) ? 1 - margin : 1);
  }
  return held;
}

// Dirichlet problem: unknown vertices of islands that hold an anchor are numbered, all others are -1.
std::vector<Eigen::Index> number_free(const BindInput& input, const std::vector<int>& anchors,
                                      Eigen::Index& count) {
  const std::size_t n = anchors.size();
  const Components components = connected_components(n, FaceList(input.surface.triangles));
  std::vector<std::uint8_t> held(components.count, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (anchors[i] >= 0 && components.of_vertex[i] != kNoComponent) held[components.of_vertex[i]] = 1;
  std::vector<Eigen::Index> number(n, -1);
  count = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (const std::uint32_t island = components.of_vertex[i];
        anchors[i] < 0 && island != kNoComponent && held[island])
      number[i] = count++;
  return number;
}

}  // namespace

std::vector<int> harmonic_anchors(const BindInput& input, const HarmonicOptions& options) {
  const BoneVisibility visibility(input);
  const std::vector<Held> held = held_parts(input.bones, options.margin);
  const std::size_t n = input.surface.positions.size();
  std::vector<int> anchors(n, -1), nearest(n, -1);
  std::vector<double> distances(n);
  parallel_for(n, 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3& p = input.surface.positions[i];
      const std::size_t best = nearest_bone(p, input.bones);
      if (!visibility.sees(i, best)) continue;
      nearest[i] = static_cast<int>(best);
      const PointOnBone there = nearest_on_bone(input.bones[best], p);
      distances[i] = (there.point - p).norm();
      if (there.t >= held[best].from && there.t <= held[best].to[there.end]) anchors[i] = nearest[i];
    }
  });
  std::vector<std::uint8_t> has(input.bones.size(), 0);
  for (const int bone : anchors)
    if (bone >= 0) has[static_cast<std::size_t>(bone)] = 1;
  for (std::size_t j = 0; j < has.size(); ++j) {
    if (has[j]) continue;
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i)
      if (nearest[i] == static_cast<int>(j) && (best == n || distances[i] < distances[best])) best = i;
    if (best < n) anchors[best] = static_cast<int>(j);
  }
  return anchors;
}

Result<BoneWeights> harmonic_weights(const BindInput& input, const HarmonicOptions& options) {
  const auto n = static_cast<Eigen::Index>(input.surface.positions.size());
  const std::vector<int> anchors = harmonic_anchors(input, options);
  if (is_cancelled(options.progress)) return cancelled();
  BoneWeights weights;
  weights.values.setZero(n, static_cast<Eigen::Index>(input.bones.size()));
  for (Eigen::Index i = 0; i < n; ++i)
    if (anchors[static_cast<std::size_t>(i)] >= 0)
      weights.values(i, anchors[static_cast<std::size_t>(i)]) = 1;

  Eigen::Index count = 0;
  const std::vector<Eigen::Index> number = number_free(input, anchors, count);
  if (count > 0) {
    const Eigen::SparseMatrix<double> stiffness = cotangent_stiffness(input.surface).matrix;
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(count, weights.values.cols());
    for (Eigen::Index column = 0; column < n; ++column)
      for (Eigen::SparseMatrix<double>::InnerIterator it(stiffness, column); it; ++it) {
        const Eigen::Index r = number[static_cast<std::size_t>(it.row())],
                           c = number[static_cast<std::size_t>(column)];
        if (r >= 0 && c >= 0) entries.emplace_back(static_cast<int>(r), static_cast<int>(c), it.value());
        if (r >= 0 && anchors[static_cast<std::size_t>(column)] >= 0)
          right(r, anchors[static_cast<std::size_t>(column)]) -= it.value();
      }
    Eigen::SparseMatrix<double> system(count, count);
    system.setFromTriplets(entries.begin(), entries.end());
    SINEW_TRY(const SparseCholesky factor, SparseCholesky::factor(system));
    if (is_cancelled(options.progress)) return cancelled();
    Eigen::MatrixXd solved = factor.solve(right);
    weights.clamped = clamp_to_unit(solved);
    for (Eigen::Index i = 0; i < n; ++i)
      if (number[static_cast<std::size_t>(i)] >= 0)
        weights.values.row(i) = solved.row(number[static_cast<std::size_t>(i)]);
  }
  normalise_rows(weights);
  return weights;
}

}  // namespace sinew
