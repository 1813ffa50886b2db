// SPDX-License-Identifier: Apache-2.0
// [vanlommel2008, Sec. 6.4].
#include "sinew/deform/differential.h"

#include <algorithm>

#include "deform/key_shifts.h"
#include "deform/palette.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/lbs.h"
#include "sinew/rig/copies.h"

namespace sinew {
namespace {

constexpr std::size_t kDifferentialGrain = 1024;

// What a joint does in a frame.
struct JointTurn {
  Eigen::Vector4f rotation;  // quaternion x y z w
  Eigen::Matrix3f stretch, whole;
  bool stretched = false;
};

// The joints of every element: the mean of its corners' rows, largest weight first.
struct ElementRows {
  struct Entry {
    std::uint32_t joint;  // the number of joints: one that never moves
    float weight;
  };
  std::vector<std::uint32_t> offsets{0};
  std::vector<Entry> entries;

  ElementRows(const Rig& rig, const PoissonSurface& surface) {
    std::vector<Influence> row;
    SkinWeights means;
    for (std::size_t e = 0; e < surface.element_count(); ++e) {
      row.clear();
      for (const std::uint32_t v : surface.corners(e)) add_row(rig, v, row);
      means.add_row(row);
    }
    for (std::size_t e = 0; e < surface.element_count(); ++e) {
      double sum = 0;
      for (const Influence& one : means.row(e)) sum += one.weight;
      for (const Influence& one : means.row(e))
        if (one.weight > 1e-6 * sum) entries.push_back({one.joint, static_cast<float>(one.weight / sum)});
      offsets.push_back(static_cast<std::uint32_t>(entries.size()));
    }
  }

 private:
  // Divided by their sum; a vertex that nothing carries hangs on the joint that never moves.
  static void add_row(const Rig& rig, std::uint32_t vertex, std::vector<Influence>& row) {
    const auto given = rig.weights.row(vertex);
    double sum = 0;
    for (const Influence& one : given) sum += std::max(one.weight, 0.0);
    if (!(sum > 0)) return row.push_back({static_cast<std::uint32_t>(rig.skeleton.size()), 1});
    for (const Influence& one : given)
      if (one.weight > 0) row.push_back({one.joint, one.weight / sum});
  }
};

struct DifferentialWorkspace : Workspace {
  std::unique_ptr<Workspace> linear;
  PoissonSurface::Scratch scratch;
  std::vector<JointTurn> joints;
  std::vector<Eigen::Matrix3f> transforms, maps;
  std::vector<KeyGradients::Sum> sums;
  std::vector<Vec3f> keyed;
  std::vector<Vec3> centres;
};

class Differential : public Deformer {
 public:
  Differential(const Rig& rig, PoissonSurface surface, std::unique_ptr<Deformer> linear,
               const DifferentialOptions& options)
      : surface_(std::move(surface)),
        linear_(std::move(linear)),
        rows_(rig, surface_),
        rest_(float_positions(rig.mesh)),
        normals_(rest_normals(rig.mesh)),
        joints_(rig.skeleton.size()),
        with_keys_(options.keys && !rig.keys.empty()) {
    if (!with_keys_) return;
    gradients_ = KeyGradients(surface_, rig, options.masks);
    shifts_ = KeyShifts(rig, surface_, options.masks);
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto state = std::make_unique<DifferentialWorkspace>();
    state->linear = linear_->make_workspace();
    state->scratch = surface_.make_scratch();
    state->joints.resize(joints_ + 1);
    state->transforms.resize(surface_.element_count());
    state->maps.resize(surface_.element_count());
    state->sums.resize(with_keys_ ? surface_.element_count() : 0);
    state->keyed.resize(rest_.size());
    state->centres.resize(surface_.component_count());
    return state;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& state = static_cast<DifferentialWorkspace&>(workspace);
    std::copy(input.positions.begin(), input.positions.end(), state.keyed.begin());
    std::span<const double> weights;
    if (with_keys_) {
      weights = shifts_.weights(input);
      shifts_.add_all(weights, state.keyed);
    }
    FrameInput keyed = input;
    keyed.positions = state.keyed;
    keyed.normals = {};
    linear_->deform(keyed, *state.linear, out_positions, {});
    surface_.centres(out_positions, state.centres);
    turn_joints(input.matrices, state);
    turn_elements(input.positions, weights, state);
    surface_.reconstruct(state.transforms, state.centres, state.scratch, out_positions);
    if (!out_normals.empty())
      surface_.carry_normals(out_positions, same_points(input.positions, rest_) ? input.normals : normals_,
                             state.maps, out_normals);
    return Status::kOk;
  }

 private:
  void turn_joints(std::span<const Affine3> matrices, DifferentialWorkspace& state) const noexcept {
    for (std::size_t j = 0; j <= joints_; ++j) {
      const LinearSplit split = j < joints_ ? split_linear(matrices[j].linear()) : LinearSplit{};
      JointTurn& turn = state.joints[j];
      turn.rotation = split.rotation.coeffs().cast<float>();
      turn.stretch = split.stretch.cast<float>();
      turn.stretched = split.stretched;
      turn.whole = (split.rotation.toRotationMatrix() * split.stretch).cast<float>();
    }
  }

  Eigen::Matrix3f blend(std::size_t e, std::span<const JointTurn> joints) const noexcept {
    const auto* row = rows_.entries.data() + rows_.offsets[e];
    const std::size_t count = rows_.offsets[e + 1] - rows_.offsets[e];
    if (count == 1) return joints[row[0].joint].whole;
    const Eigen::Vector4f& first = joints[row[0].joint].rotation;
    Eigen::Vector4f sum = row[0].weight * first;
    bool stretched = joints[row[0].joint].stretched;
    for (std::size_t k = 1; k < count; ++k) {
      const JointTurn& joint = joints[row[k].joint];
      sum += (first.dot(joint.rotation) < 0 ? -row[k].weight : row[k].weight) * joint.rotation;
      stretched = stretched || joint.stretched;
    }
    const Eigen::Matrix3f rotation = Eigen::Quaternionf(sum.normalized()).toRotationMatrix();
    if (!stretched) return rotation;
    Eigen::Matrix3f stretch = Eigen::Matrix3f::Zero();
    for (std::size_t k = 0; k < count; ++k) stretch += row[k].weight * joints[row[k].joint].stretch;
    return rotation * stretch;
  }

  void turn_elements(std::span<const Vec3f> positions, std::span<const double> weights,
                     DifferentialWorkspace& state) const noexcept {
    if (with_keys_) gradients_.blend(weights, state.sums);
    const bool at_rest = same_points(positions, rest_);
    if (!at_rest) surface_.full_gradients(positions, state.maps);
    parallel_for(surface_.element_count(), kDifferentialGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) {
        Eigen::Matrix3f& transform = state.transforms[e];
        transform = blend(e, state.joints);
        if (!at_rest) transform = (transform * state.maps[e]).eval();
        if (with_keys_ && state.sums[e].moves()) transform = (transform * state.sums[e].transform()).eval();
      }
    });
  }

  PoissonSurface surface_;
  std::unique_ptr<Deformer> linear_;
  ElementRows rows_;
  std::vector<Vec3f> rest_, normals_;
  std::size_t joints_;
  bool with_keys_;
  KeyGradients gradients_;
  KeyShifts shifts_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_differential(const Rig& rig, const DifferentialOptions& options) {
  if (!(options.springs >= 0)) return usage_error("the weight of springs must not lie below 0");
  SINEW_TRY(std::unique_ptr<Deformer> linear, build_lbs(rig));
  PoissonOptions surface_options;
  surface_options.edges = rig.loose_edges;
  surface_options.copies = copies_of(rig);
  surface_options.placement = options.placement;
  if (options.keys) surface_options.keys = rig.keys;
  if (options.springs > 0) {
    surface_options.edge_weight = options.springs;
    const auto inner = inner_edges(rig.mesh);
    surface_options.edges.insert(surface_options.edges.end(), inner.begin(), inner.end());
  }
  SINEW_TRY(PoissonSurface surface, PoissonSurface::build(rig.mesh, surface_options));
  return std::unique_ptr<Deformer>(
      std::make_unique<Differential>(rig, std::move(surface), std::move(linear), options));
}

}  // namespace sinew
