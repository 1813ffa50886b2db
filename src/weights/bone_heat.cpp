// SPDX-License-Identifier: Apache-2.0
// Bone heat [baran2007; vanlommel2008, Sec. 6.7]. Areas enter the source term so that the
// weights do not depend on scale or on how densely the surface is sampled.
#include "sinew/weights/bone_heat.h"

#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/mesh/laplacian.h"
#include "sinew/mesh/topology.h"
#include "sinew/solve/sparse_cholesky.h"
#include "weights/visibility.h"

namespace sinew {
namespace {

constexpr double kTie = 1e-4;            // distances this close, relative, are equal
constexpr double kLeastDistance = 1e-4;  // of the diagonal; nearer vertices are as warm as these
constexpr Eigen::Index kBlock = 8;       // bones solved together
// What Blender 3.4 does besides, found by comparing: heat four times as strong, and weights below a limit
// dropped, those a little above it lowered.
constexpr double kBlenderStrength = 4, kBlenderLeast = 0.025, kBlenderWhole = 0.05;

// The heat that reaches one vertex: `share[k]` from `bone[k]`, adding up to `total`.
struct Sources {
  std::vector<std::uint32_t> offsets, bones;
  std::vector<double> shares;
  Eigen::VectorXd total;
};

// Blender's bones are single segments.
std::vector<Bone> to_tails(std::span<const Bone> bones) {
  std::vector<Bone> single(bones.begin(), bones.end());
  for (Bone& bone : single) bone.ends.clear();
  return single;
}

class HeatBuilder {
 public:
  HeatBuilder(const BindInput& input, const BoneHeatOptions& options)
      : bones_(options.source == HeatSource::kBlender ? to_tails(input.bones)
                                                      : std::vector(input.bones.begin(), input.bones.end())),
        input_{input.surface, bones_, input.parents},
        options_(options),
        visibility_(input_),
        least_(kLeastDistance * bounding_box(input.surface.positions).diagonal().norm()),
        areas_(mixed_voronoi_areas(input.surface)),
        strength_(options.strength) {
    if (options.source != HeatSource::kBlender) return;
    normals_ = vertex_normals(input.surface);
    strength_ *= kBlenderStrength;
  }

  // Appends (bone, share) of vertex i.
  void sources_of(std::size_t i, std::vector<std::pair<std::uint32_t, double>>& out) const {
    const std::vector<double> distances = distances_from(i);
    // Vertices without area (isolated ones) are warmed all the same: nothing flows to or from them.
    const double area = areas_[static_cast<Eigen::Index>(i)] > 0 ? areas_[static_cast<Eigen::Index>(i)] : 1;
    const double nearest = *std::min_element(distances.begin(), distances.end());
    for (std::size_t j = 0; j < distances.size(); ++j) {
      if (options_.source != HeatSource::kVisible && distances[j] > nearest * (1 + kTie)) continue;
      if (!is_seen(i, j)) continue;
      const double d = std::max(distances[j], least_);
      out.emplace_back(static_cast<std::uint32_t>(j), strength_ * area / (d * d));
    }
  }

 private:
  bool is_seen(std::size_t i, std::size_t j) const {
    return options_.source == HeatSource::kBlender ? visibility_.enters_nothing(i, j)
                                                   : visibility_.sees(i, j);
  }

  std::vector<double> distances_from(std::size_t i) const {
    std::vector<double> distances(input_.bones.size());
    for (std::size_t j = 0; j < distances.size(); ++j) {
      const Vec3 away =
          input_.surface.positions[i] - nearest_on_bone(input_.bones[j], input_.surface.positions[i]).point;
      distances[j] = away.norm();
      if (options_.source != HeatSource::kBlender || distances[j] == 0) continue;
      // A normal that points away from the bone keeps the distance, one that points at it makes it huge.
      distances[j] /= 0.5 * (away.dot(normals_[i]) / distances[j] + 1.001);
    }
    return distances;
  }

  std::vector<Bone> bones_;
  BindInput input_;
  const BoneHeatOptions& options_;
  BoneVisibility visibility_;
  double least_;
  Eigen::VectorXd areas_;
  double strength_;
  std::vector<Vec3> normals_;
};

Result<Sources> find_sources(const BindInput& input, const BoneHeatOptions& options) {
  const HeatBuilder builder(input, options);
  const std::size_t n = input.surface.positions.size();
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows(n);
  parallel_for(n, 256, [&](std::size_t begin, std::size_t end) {
    if (is_cancelled(options.progress)) return;
    for (std::size_t i = begin; i < end; ++i) builder.sources_of(i, rows[i]);
  });
  if (is_cancelled(options.progress)) return cancelled();
  Sources sources;
  sources.offsets.assign(1, 0);
  sources.total = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (const auto& [bone, share] : rows[i]) {
      sources.bones.push_back(bone);
      sources.shares.push_back(share);
      sources.total[static_cast<Eigen::Index>(i)] += share;
    }
    sources.offsets.push_back(static_cast<std::uint32_t>(sources.bones.size()));
  }
  return sources;
}

// Vertices of islands that some bone warms, numbered; -1 elsewhere. A cold island has a singular system.
std::vector<Eigen::Index> number_warm(const BindInput& input, const Sources& sources, Eigen::Index& count) {
  const std::size_t n = input.surface.positions.size();
  const Components components = connected_components(n, FaceList(input.surface.triangles));
  std::vector<std::uint8_t> warm(components.count, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (components.of_vertex[i] != kNoComponent && sources.total[static_cast<Eigen::Index>(i)] > 0)
      warm[components.of_vertex[i]] = 1;
  std::vector<Eigen::Index> number(n, -1);
  count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t island = components.of_vertex[i];
    if (island == kNoComponent ? sources.total[static_cast<Eigen::Index>(i)] > 0 : warm[island] != 0)
      number[i] = count++;
  }
  return number;
}

// L + H on the warm vertices.
Eigen::SparseMatrix<double> make_system(const BindInput& input, const Sources& sources,
                                        const std::vector<Eigen::Index>& number, Eigen::Index count) {
  const Eigen::SparseMatrix<double> stiffness = cotangent_stiffness(input.surface).matrix;
  Eigen::SparseMatrix<double> system(count, count);
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(stiffness.nonZeros() + count));
  for (Eigen::Index column = 0; column < stiffness.outerSize(); ++column) {
    const Eigen::Index c = number[static_cast<std::size_t>(column)];
    if (c < 0) continue;
    for (Eigen::SparseMatrix<double>::InnerIterator it(stiffness, column); it; ++it)
      if (const Eigen::Index r = number[static_cast<std::size_t>(it.row())]; r >= 0)
        entries.emplace_back(static_cast<int>(r), static_cast<int>(c), it.value());
    entries.emplace_back(static_cast<int>(c), static_cast<int>(c), sources.total[column]);
  }
  system.setFromTriplets(entries.begin(), entries.end());
  return system;
}

void limit_as_blender(Eigen::MatrixXd& values) {
  for (double& w : values.reshaped())
    if (w < kBlenderWhole)
      w = std::max(0.0, (w - kBlenderLeast) / (kBlenderWhole - kBlenderLeast)) * kBlenderWhole;
}

}  // namespace

Result<BoneWeights> bone_heat_weights(const BindInput& input, const BoneHeatOptions& options) {
  const auto n = static_cast<Eigen::Index>(input.surface.positions.size());
  const auto m = static_cast<Eigen::Index>(input.bones.size());
  SINEW_TRY(const Sources sources, find_sources(input, options));
  BoneWeights weights;
  weights.values.setZero(n, m);
  weights.bound.assign(static_cast<std::size_t>(n), 0);
  Eigen::Index count = 0;
  const std::vector<Eigen::Index> number = number_warm(input, sources, count);
  if (count == 0) return weights;
  report(options.progress, "bone heat", 0.2);
  SINEW_TRY(const SparseCholesky factor, SparseCholesky::factor(make_system(input, sources, number, count)));

  for (Eigen::Index first = 0; first < m; first += kBlock) {
    if (is_cancelled(options.progress)) return cancelled();
    report(options.progress, "bone heat", 0.5 + 0.5 * static_cast<double>(first) / static_cast<double>(m));
    const Eigen::Index width = std::min(kBlock, m - first);
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(count, width);
    for (Eigen::Index i = 0; i < n; ++i) {
      if (number[static_cast<std::size_t>(i)] < 0) continue;
      for (std::uint32_t k = sources.offsets[static_cast<std::size_t>(i)];
           k < sources.offsets[static_cast<std::size_t>(i) + 1]; ++k)
        if (const Eigen::Index j = static_cast<Eigen::Index>(sources.bones[k]) - first; j >= 0 && j < width)
          right(number[static_cast<std::size_t>(i)], j) = sources.shares[k];
    }
    Eigen::MatrixXd solved = factor.solve(right);
    weights.clamped += clamp_to_unit(solved);
    for (Eigen::Index i = 0; i < n; ++i)
      if (number[static_cast<std::size_t>(i)] >= 0)
        weights.values.row(i).segment(first, width) = solved.row(number[static_cast<std::size_t>(i)]);
  }
  if (options.source == HeatSource::kBlender) limit_as_blender(weights.values);
  normalise_rows(weights);
  return weights;
}

}  // namespace sinew
