// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_reference.h"

#include <algorithm>

#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

constexpr double kBandCut = 1e-3;     // harmonic weights this near to 0 or 1 count as that
constexpr double kSameMatrix = 1e-9;  // of the size of its entries

Vec3 moved_by(const ComparePose& pose, int joint, const Vec3& p) {
  return joint < 0 ? p : pose.matrices[static_cast<std::size_t>(joint)] * p;
}

}  // namespace

CompareReference::CompareReference(const ElasticSetup& setup, std::span<const int> parents)
    : setup_(&setup), parents_(parents), model_(setup.grid, setup.stiffness) {
  for (std::size_t b = 0; b < parents.size(); ++b) below_.push_back(bones_below(parents, b));
}

std::vector<std::size_t> CompareReference::turned(const ComparePose& pose) const {
  std::vector<std::size_t> joints;
  for (std::size_t b = 0; b < parents_.size(); ++b) {
    const Affine3& own = pose.matrices[b];
    const Affine3 above =
        parents_[b] < 0 ? Affine3::Identity() : pose.matrices[static_cast<std::size_t>(parents_[b])];
    const double size = 1 + own.matrix().cwiseAbs().maxCoeff();
    if ((own.matrix() - above.matrix()).cwiseAbs().maxCoeff() > kSameMatrix * size) joints.push_back(b);
  }
  return joints;
}

Result<CompareReference::Band> CompareReference::band(std::vector<std::size_t> joints) const {
  // The deepest of the joints at or above each bone: what carries flesh that goes with the bone whole.
  std::vector<int> carrier_of(parents_.size(), kUnmoved);
  for (const std::size_t b : bone_order(parents_)) {
    if (parents_[b] >= 0) carrier_of[b] = carrier_of[static_cast<std::size_t>(parents_[b])];
    if (std::binary_search(joints.begin(), joints.end(), b)) carrier_of[b] = static_cast<int>(b);
  }
  const VoxelGrid& grid = setup_->grid;
  std::vector<int> carrier(grid.vertex_count(), kUnmoved);
  for (std::size_t v = 0; v < carrier.size(); ++v) {
    if (const int owner = setup_->joint_of_vertex[v]; owner >= 0) {
      carrier[v] = carrier_of[static_cast<std::size_t>(owner)];
      continue;
    }
    const auto row = setup_->start.row(v);
    if (row.empty()) continue;
    bool free = false;
    for (const std::size_t j : joints) {
      double sum = 0;
      for (const Influence& influence : row)
        if (below_[j][influence.joint]) sum += influence.weight;
      free = free || std::min(sum, 1 - sum) >= kBandCut;
    }
    carrier[v] = free ? kFree : carrier_of[row[0].joint];
  }
  return band(std::move(joints), std::move(carrier));
}

Result<CompareReference::Band> CompareReference::band(std::vector<std::size_t> joints,
                                                      std::vector<int> carrier) const {
  Band band;
  band.joints = std::move(joints);
  band.carrier = std::move(carrier);
  const VoxelGrid& grid = setup_->grid;
  std::vector<std::uint8_t> keep(grid.cell_count(), 0);
  const auto corners = grid.all_cell_vertices();
  for (std::size_t c = 0; c < keep.size(); ++c)
    keep[c] = std::any_of(corners[c].begin(), corners[c].end(), [&](std::uint32_t v) {
      return band.carrier[v] == kFree || band.carrier[v] != band.carrier[corners[c][0]];
    });
  band.part = std::make_unique<const SubGrid>(select_cells(grid, keep));
  for (const std::uint32_t v : band.part->vertices) band.fixed.push_back(band.carrier[v] != kFree);
  if (std::all_of(band.fixed.begin(), band.fixed.end(), [](std::uint8_t fixed) { return fixed != 0; }))
    return band;
  SINEW_TRY(ElasticBody body, ElasticBody::build(band.part->grid, band.fixed, stiffness_of(*band.part)));
  band.body = std::make_unique<ElasticBody>(std::move(body));
  return band;
}

Result<ElasticBody> CompareReference::sprung_body(const Band& band, ElasticSprings springs) const {
  return ElasticBody::build(band.part->grid, band.fixed, stiffness_of(*band.part), std::move(springs));
}

std::vector<float> CompareReference::stiffness_of(const SubGrid& part) const {
  std::vector<float> stiffness;
  if (!setup_->stiffness.empty())
    for (const std::uint32_t c : part.cells) stiffness.push_back(setup_->stiffness[c]);
  return stiffness;
}

void CompareReference::hold_bones(const ComparePose& pose, GridPositions& v) const {
  for (std::size_t i = 0; i < setup_->joint_of_vertex.size(); ++i)
    if (const int joint = setup_->joint_of_vertex[i]; joint >= 0) {
      const auto row = static_cast<Eigen::Index>(i);
      v.row(row) = moved_by(pose, joint, model_.rest().row(row).transpose()).transpose();
    }
}

ElasticBody::Solution CompareReference::solve(const Band& band, const ComparePose& pose,
                                              const GridPositions& start, const ElasticOptions& options,
                                              const ElasticBody* body) const {
  ElasticBody::Solution whole;
  whole.positions = start;
  for (std::size_t i = 0; i < band.carrier.size(); ++i)
    if (const int carrier = band.carrier[i]; carrier != kFree) {
      const auto row = static_cast<Eigen::Index>(i);
      whole.positions.row(row) = moved_by(pose, carrier, model_.rest().row(row).transpose()).transpose();
    }
  if (!band.body) {
    whole.energy = model_.energy(whole.positions);
    return whole;
  }
  const std::vector<std::uint32_t>& vertices = band.part->vertices;
  GridPositions part(static_cast<Eigen::Index>(vertices.size()), 3);
  for (std::size_t v = 0; v < vertices.size(); ++v)
    part.row(static_cast<Eigen::Index>(v)) = whole.positions.row(vertices[v]);
  ElasticBody::Solution solved = (body ? *body : *band.body).minimise(part, options);
  for (std::size_t v = 0; v < vertices.size(); ++v)
    whole.positions.row(vertices[v]) = solved.positions.row(static_cast<Eigen::Index>(v));
  whole.energy = solved.energy;
  whole.iterations = solved.iterations;
  whole.history = std::move(solved.history);
  return whole;
}

}  // namespace sinew
