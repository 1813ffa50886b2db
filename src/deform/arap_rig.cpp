// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/arap_rig.h"

#include <algorithm>
#include <map>

#include "sinew/core/parallel.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/poisson.h"
#include "sinew/rig/copies.h"

namespace sinew {
namespace {

constexpr std::size_t kBindingGrain = 2048;
// A vertex with this much of one joint is as good as rigid with it.
constexpr double kRigid = 0.98;

struct ArapWorkspace : Workspace {
  std::unique_ptr<Workspace> skin;
  std::vector<Vec3f> posed, normals;
  std::vector<Vec3> rest, shape, targets;
  ArapState state;
};

class ArapDeformer : public Deformer {
 public:
  ArapDeformer(const Rig& rig, ArapSolver arap, std::unique_ptr<Deformer> skin,
               std::vector<std::uint32_t> held, const ArapRigOptions& options)
      : arap_(std::move(arap)),
        skin_(std::move(skin)),
        held_(std::move(held)),
        iterations_(options.iterations) {
    if (!skin_) {
      rest_.reserve(rig.mesh.vertex_count());
      for (const Vec3& p : rig.mesh.positions) rest_.push_back(p.cast<float>().cast<double>());
      rest_normals_ = normals_of(rig.mesh);
    }
    for (const VertexTarget& target : options.targets) targets_.push_back(target.position);
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<ArapWorkspace>();
    const std::size_t n = arap_.vertex_count();
    if (skin_) workspace->skin = skin_->make_workspace();
    workspace->posed.resize(n);
    workspace->normals.resize(n);
    workspace->rest.resize(n);
    workspace->shape.resize(n);
    workspace->targets = targets_;
    workspace->targets.resize(held_.size());
    workspace->state = arap_.make_state();
    return workspace;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& frame = static_cast<ArapWorkspace&>(workspace);
    const bool with_normals = !out_normals.empty();
    std::span<const Vec3f> posed = input.positions, posed_normals = input.normals;
    if (skin_) {
      const std::span<Vec3f> normals = with_normals ? std::span<Vec3f>(frame.normals) : std::span<Vec3f>();
      const Status status = skin_->deform(input, *frame.skin, frame.posed, normals);
      if (status != Status::kOk) return status;
      posed = frame.posed;
      posed_normals = normals;
    }
    const std::size_t n = posed.size();
    for (std::size_t i = 0; i < n; ++i) frame.shape[i] = posed[i].cast<double>();
    if (targets_.empty()) {
      for (std::size_t i = 0; i < n; ++i)
        frame.rest[i] = skin_ ? Vec3(input.positions[i].cast<double>()) : rest_[i];
      for (std::size_t c = 0; c < held_.size(); ++c) frame.targets[c] = frame.shape[held_[c]];
      arap_.set_rest(frame.rest, frame.state);
      arap_.start_from(frame.shape, frame.state);
    } else {
      arap_.set_rest(frame.shape, frame.state);
      arap_.start(frame.targets, frame.state);
    }
    for (int step = 0; step < iterations_; ++step) arap_.step(frame.targets, frame.state);
    arap_.read(frame.state, frame.shape);
    const std::span<const Vec3f> normals = !targets_.empty() ? posed_normals
                                           : skin_           ? input.normals
                                                             : std::span<const Vec3f>(rest_normals_);
    parallel_for(n, kBindingGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        out_positions[i] = frame.shape[i].cast<float>();
        if (with_normals) out_normals[i] = arap_.rotation(frame.state, i).cast<float>() * normals[i];
      }
    });
    return Status::kOk;
  }

  std::optional<double> energy(const Workspace& workspace) const override {
    return arap_.energy(static_cast<const ArapWorkspace&>(workspace).state);
  }

 private:
  ArapSolver arap_;
  std::unique_ptr<Deformer> skin_;
  std::vector<std::uint32_t> held_;
  std::vector<Vec3> targets_;
  int iterations_;
  std::vector<Vec3> rest_;  // of the rig, and its normals: where the steps before have posed it already
  std::vector<Vec3f> rest_normals_;
};

Result<std::vector<std::uint32_t>> held_by_targets(const Rig& rig, std::span<const VertexTarget> targets) {
  std::map<std::uint32_t, Vec3> seen;
  std::vector<std::uint32_t> held;
  for (const VertexTarget& target : targets) {
    if (target.vertex >= rig.mesh.vertex_count())
      return usage_error("there is no vertex " + std::to_string(target.vertex) + ": the mesh has " +
                         std::to_string(rig.mesh.vertex_count()));
    if (!target.position.allFinite())
      return usage_error("the handle of vertex " + std::to_string(target.vertex) + " is not finite");
    const auto [at, fresh] = seen.emplace(target.vertex, target.position);
    if (!fresh && at->second != target.position)
      return usage_error("vertex " + std::to_string(target.vertex) + " has two targets");
    held.push_back(target.vertex);
  }
  return held;
}

std::vector<std::uint32_t> held_by_joints(const Rig& rig) {
  std::vector<std::uint32_t> held;
  for (std::uint32_t i = 0; i < rig.weights.vertex_count(); ++i)
    if (const auto row = rig.weights.row(i); !row.empty() && row[0].weight >= kRigid) held.push_back(i);
  return held;
}

}  // namespace

Result<std::unique_ptr<Deformer>> build_arap(const Rig& rig, const ArapRigOptions& options,
                                             std::unique_ptr<Deformer> inner) {
  if (options.iterations < 1 || options.iterations > 100'000)
    return parameter_error("iterations", "must lie between 1 and 100000");
  std::vector<std::uint32_t> held;
  if (!options.targets.empty()) {
    SINEW_TRY(held, held_by_targets(rig, options.targets));
  } else {
    held = held_by_joints(rig);
    if (held.empty())
      return impossible(
          "arap needs constrained vertices: give handles, or bind the mesh to a skeleton with `sinew rig`");
  }
  const TriangleView view = triangulate(rig.mesh);
  ArapOptions arap_options = options.arap;
  arap_options.copies = copies_of(rig);
  arap_options.edges.insert(arap_options.edges.end(), rig.loose_edges.begin(), rig.loose_edges.end());
  if (options.springs > 0) {
    arap_options.edge_weight = options.springs;
    const auto inner_springs = inner_edges(rig.mesh);
    arap_options.edges.insert(arap_options.edges.end(), inner_springs.begin(), inner_springs.end());
  }
  SINEW_TRY(ArapSolver arap, ArapSolver::build({rig.mesh.positions, view.triangles}, held, arap_options));
  if (!inner && !options.over_input) {
    SINEW_TRY(inner, build_lbs(rig));
  }
  return std::unique_ptr<Deformer>(
      std::make_unique<ArapDeformer>(rig, std::move(arap), std::move(inner), std::move(held), options));
}

}  // namespace sinew
