// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/remove.h"

#include <algorithm>

#include "deform/key_shifts.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/poisson.h"
#include "sinew/math/rotation_fit.h"
#include "sinew/rig/copies.h"

namespace sinew {
namespace {

struct RemoveWorkspace : Workspace {
  std::unique_ptr<Workspace> inner;
  PoissonSurface::Scratch scratch;
  std::vector<Eigen::Matrix3f> maps;
  std::vector<Eigen::Quaternionf> rotations;
  std::vector<Vec3> centres;
};

class Remove : public Deformer {
 public:
  Remove(const Rig& rig, PoissonSurface surface, std::unique_ptr<Deformer> inner, Removed removed)
      : surface_(std::move(surface)),
        inner_(std::move(inner)),
        removed_(removed),
        normals_(rest_normals(rig.mesh)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    auto state = std::make_unique<RemoveWorkspace>();
    if (inner_) state->inner = inner_->make_workspace();
    state->scratch = surface_.make_scratch();
    state->maps.resize(surface_.element_count());
    state->rotations.resize(surface_.element_count());
    state->centres.resize(surface_.component_count());
    return state;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& state = static_cast<RemoveWorkspace&>(workspace);
    if (inner_) {
      const Status status = inner_->deform(input, *state.inner, out_positions, out_normals);
      if (status != Status::kOk) return status;
    } else {
      std::copy(input.positions.begin(), input.positions.end(), out_positions.begin());
      if (!out_normals.empty()) std::copy(input.normals.begin(), input.normals.end(), out_normals.begin());
    }
    surface_.full_gradients(out_positions, state.maps);
    parallel_for(state.maps.size(), 512, [&](std::size_t begin, std::size_t end) {
      fit_rotations(std::span(state.maps).subspan(begin, end - begin),
                    std::span(state.rotations).subspan(begin, end - begin));
      for (std::size_t e = begin; e < end; ++e) {
        const Eigen::Matrix3f rotation = state.rotations[e].toRotationMatrix();
        state.maps[e] =
            removed_ == Removed::kScale ? rotation : Eigen::Matrix3f(rotation.transpose() * state.maps[e]);
      }
    });
    surface_.centres(out_positions, state.centres);
    surface_.reconstruct(state.maps, state.centres, state.scratch, out_positions);
    if (!out_normals.empty()) surface_.carry_normals(out_positions, normals_, state.maps, out_normals);
    return Status::kOk;
  }

  std::optional<double> energy(const Workspace& workspace) const override {
    if (!inner_) return std::nullopt;
    return inner_->energy(*static_cast<const RemoveWorkspace&>(workspace).inner);
  }

 private:
  PoissonSurface surface_;
  std::unique_ptr<Deformer> inner_;
  Removed removed_;
  std::vector<Vec3f> normals_;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_remove(const Rig& rig, std::unique_ptr<Deformer> inner,
                                               Removed removed) {
  PoissonOptions options;
  options.edges = rig.loose_edges;
  options.copies = copies_of(rig);
  SINEW_TRY(PoissonSurface surface, PoissonSurface::build(rig.mesh, options));
  return std::unique_ptr<Deformer>(
      std::make_unique<Remove>(rig, std::move(surface), std::move(inner), removed));
}

}  // namespace sinew
