// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_weights.h"

#include <algorithm>

#include "sinew/binding/bind.h"
#include "sinew/binding/flesh.h"
#include "sinew/binding/islands.h"
#include "sinew/binding/joint_weights.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/deformer_weights.h"
#include "sinew/weights/harmonic_volume.h"
#include "sinew/weights/prune.h"

namespace sinew {
namespace {

constexpr double kNegligibleWeight = 1e-5;
constexpr int kInfluences = 4;  // of the mesh, as rigs are used; the grid keeps all

std::vector<double> row_of(const Eigen::MatrixXd& values, std::uint32_t vertex) {
  std::vector<double> row(static_cast<std::size_t>(values.cols()));
  for (std::size_t b = 0; b < row.size(); ++b)
    row[b] = values(static_cast<Eigen::Index>(vertex), static_cast<Eigen::Index>(b));
  return row;
}

std::vector<double> row_of(const Eigen::MatrixXd& values, const TrilinearWeights& transfer,
                           std::size_t point) {
  std::vector<double> row(static_cast<std::size_t>(values.cols()), 0.0);
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t b = 0; b < row.size(); ++b)
      row[b] += transfer.weights[point][k] *
                values(static_cast<Eigen::Index>(transfer.vertices[point][k]), static_cast<Eigen::Index>(b));
  return row;
}

void add_skin_row(std::span<const Bone> bones, const std::vector<double>& row, Rig& rig) {
  double sum = 0;
  for (const double w : row) sum += w > kNegligibleWeight ? w : 0;
  std::vector<Influence> influences;
  for (std::size_t b = 0; b < row.size(); ++b)
    if (row[b] > kNegligibleWeight)
      influences.push_back({static_cast<std::uint32_t>(bones[b].joint), row[b] / sum});
  rig.weights.add_row(influences);
}

void add_joint_row(std::span<const Bone> bones, const std::vector<double>& deformer,
                   const std::vector<double>& swing, const std::vector<double>& twist, std::size_t most,
                   JointWeights& out) {
  std::vector<std::size_t> best;
  for (std::size_t b = 0; b < deformer.size(); ++b)
    if (deformer[b] > kNegligibleWeight) best.push_back(b);
  std::sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) {
    return deformer[a] != deformer[b] ? deformer[a] > deformer[b] : a < b;
  });
  if (best.size() > most) best.resize(most);
  double sum = 0;
  for (const std::size_t b : best) sum += deformer[b];
  const auto whole = [](double value) { return static_cast<float>(std::clamp(value, 0.0, 1.0)); };
  for (const std::size_t b : best)
    out.entries.push_back({static_cast<std::uint32_t>(bones[b].joint), whole(deformer[b] / sum),
                           whole(swing[b]), whole(twist[b])});
  out.offsets.push_back(static_cast<std::uint32_t>(out.entries.size()));
}

std::vector<int> nearest_bones(std::span<const Vec3> points, std::span<const Bone> bones) {
  std::vector<int> nearest;
  for (const Vec3& p : points) nearest.push_back(static_cast<int>(nearest_bone(p, bones)));
  return nearest;
}

}  // namespace

// Weights of bones at the vertices of the grid, and of joints where the method has its own.
struct WeightSets::Rows {
  Eigen::MatrixXd bones;
  Eigen::MatrixXd swing, twist;  // or empty: sums of bone weights
};

Result<WeightSets> WeightSets::build(const Rig& rig, const Surface& surface, const BoneBody& body,
                                     const CompareRequest& request) {
  WeightSets sets(rig, surface, body, request);
  BbwOptions options;
  options.progress = request.progress;
  SINEW_TRY(GridDeformerWeights deformer,
            grid_deformer_weights(body.body.grid, rig.skeleton, surface.bones, options));
  sets.deformer_ = std::move(deformer.values);
  sets.transfer_ = trilinear_weights(body.body.grid, surface.welded.weld.positions);
  SINEW_TRY(const IslandPlan plan, plan_islands(rig, surface, {}));
  sets.led_ = trilinear_weights(body.body.grid, leading_points(surface.welded.view(), plan));
  return sets;
}

WeightSet WeightSets::from_rows(const std::string& name, const Rows& rows) const {
  WeightSet set{name, *rig_, {}, true};
  const std::span<const Bone> bones = surface_->bones;
  const std::vector<std::size_t> order = bone_order(surface_->parents);
  const VoxelGrid& grid = body_->body.grid;
  set.grid.skeleton = rig_->skeleton;
  set.grid.inverse_bind = rig_->inverse_bind;
  set.mesh.weights = {};
  set.mesh.endpoint = {};
  set.mesh.joint_weights = {};
  set.mesh.flesh = {};
  set.grid.joint_weights.method = set.mesh.joint_weights.method = name;
  set.grid.joint_weights.offsets.push_back(0);
  set.mesh.joint_weights.offsets.push_back(0);
  const bool own = rows.swing.size() > 0;
  std::vector<double> sums(bones.size());
  const auto add = [&](const auto& row, std::size_t most, Rig& out) {
    std::vector<double> weights = row(rows.bones);
    if (double sum = 0; true) {
      for (const double w : weights) sum += w;
      if (!(sum > 0.5)) weights[0] = 1;  // a part without bones: counted by the binding, here it stays put
    }
    add_skin_row(bones, weights, out);
    if (!own) joint_row_from_bone_row(surface_->parents, order, weights, sums);
    add_joint_row(bones, row(deformer_), own ? row(rows.swing) : sums, own ? row(rows.twist) : sums, most,
                  out.joint_weights);
  };
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    set.grid.mesh.positions.push_back(grid.vertex_position(v));
    add([&](const Eigen::MatrixXd& values) { return row_of(values, v); }, bones.size(), set.grid);
  }
  for (const std::uint32_t i : surface_->welded.weld.to_welded)
    add([&](const Eigen::MatrixXd& values) { return row_of(values, led_, i); }, kInfluences, set.mesh);
  set.mesh.weights = prune_weights(set.mesh.weights, kInfluences).weights;
  return set;
}

FleshOptions WeightSets::flesh_options() const {
  FleshOptions options;
  options.range = rig_->flesh.range;
  if (rig_->flesh.tolerance > 0) options.tolerance = rig_->flesh.tolerance;
  options.progress = request_.progress;
  return options;
}

Result<void> WeightSets::add_flesh(WeightSet& set) const {
  const VoxelGrid& grid = body_->body.grid;
  const FleshOptions options = flesh_options();
  SINEW_TRY(const GridFlesh solved,
            grid_flesh(grid, body_->handles, surface_->bones, surface_->parents, options));
  set.grid.flesh =
      carry_flesh(solved, options, surface_->parents, trilinear_weights(grid, set.grid.mesh.positions),
                  nearest_bones(set.grid.mesh.positions, surface_->bones), {});
  if (!rig_->flesh.empty()) {
    set.mesh.flesh = rig_->flesh;  // as it is stored
    return {};
  }
  set.mesh.flesh = carry_flesh(solved, options, surface_->parents, led_,
                               nearest_bones(surface_->welded.weld.positions, surface_->bones),
                               surface_->welded.weld.to_welded);
  return {};
}

Result<WeightSet> WeightSets::make(const std::string& name) const {
  if (name == kStored) return WeightSet{name, *rig_, {}, false};
  const VoxelGrid& grid = body_->body.grid;
  Rows rows;
  if (name == "bbw") {
    BbwOptions options;
    options.progress = request_.progress;
    SINEW_TRY(GridBbw solved, grid_bbw(grid, body_->handles, options));
    rows.bones = std::move(solved.values);
    return from_rows(name, rows);
  }
  if (name == "harmonic") {
    SINEW_TRY(GridHarmonic solved, grid_harmonic(grid, body_->handles, {.progress = request_.progress}));
    rows.bones = std::move(solved.values);
    return from_rows(name, rows);
  }
  if (const auto fit = elastic_fit(name); fit.ok()) {
    ElasticWeightOptions options;
    options.fit = *fit;
    options.descent.progress = request_.progress;
    SINEW_TRY(GridJointWeights solved,
              grid_joint_weights(grid, body_->handles, surface_->bones, surface_->parents, options));
    rows.bones.resize(solved.swing.rows(), solved.swing.cols());
    const std::vector<std::size_t> order = bone_order(surface_->parents);
    std::vector<double> bone_row(surface_->bones.size());
    for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
      bone_row_from_joint_row(surface_->parents, order, row_of(solved.swing, v), bone_row);
      for (std::size_t b = 0; b < bone_row.size(); ++b)
        rows.bones(static_cast<Eigen::Index>(v), static_cast<Eigen::Index>(b)) = bone_row[b];
    }
    rows.swing = std::move(solved.swing);
    rows.twist = std::move(solved.twist);
    return from_rows(name, rows);
  }
  WeightSet set{name, *rig_, {}, false};
  set.mesh.joint_weights = {};
  if (name != "own") {
    BindRequest request;
    request.method = name;
    request.progress = request_.progress;
    SINEW_CHECK(bind(set.mesh, request));
  } else if (rig_->weights.entries.empty()) {
    return impossible("the rig has no weights of its own to compare");
  }
  SINEW_CHECK(make_joint_weights(set.mesh, {.method = "skin", .progress = request_.progress}));
  return set;
}

}  // namespace sinew
