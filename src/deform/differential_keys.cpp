// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/differential_keys.h"

#include <algorithm>
#include <cstring>

#include "deform/key_shifts.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"
#include "sinew/rig/copies.h"

namespace sinew {
namespace {

struct KeysWorkspace : Workspace {
  PoissonSurface::Scratch scratch;
  std::vector<KeyGradients::Sum> sums;
  std::vector<Eigen::Matrix3f> transforms, maps;
  std::vector<Vec3> centres;
  std::vector<Mat3> turns;  // per component
  std::vector<double> sizes;
};

class DifferentialKeys : public Deformer {
 public:
  DifferentialKeys(const Rig& rig, PoissonSurface surface, const KeyMasks& masks)
      : surface_(std::move(surface)),
        gradients_(surface_, rig, masks),
        keys_(rig, surface_, masks),
        rest_(float_positions(rig.mesh)),
        normals_(rest_normals(rig.mesh)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    auto state = std::make_unique<KeysWorkspace>();
    state->scratch = surface_.make_scratch();
    state->sums.resize(surface_.element_count());
    state->transforms.resize(surface_.element_count());
    state->maps.resize(surface_.element_count());
    state->centres.resize(surface_.component_count());
    state->turns.resize(surface_.component_count());
    state->sizes.resize(surface_.component_count());
    return state;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& state = static_cast<KeysWorkspace&>(workspace);
    const std::span<const double> weights = keys_.weights(input);
    std::copy(input.positions.begin(), input.positions.end(), out_positions.begin());
    if (!out_normals.empty()) std::copy(input.normals.begin(), input.normals.end(), out_normals.begin());
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; })) return Status::kOk;
    gradients_.blend(weights, state.sums);
    const bool at_rest = same_points(input.positions, rest_);
    parallel_for(state.sums.size(), 2048, [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end; ++e) state.transforms[e] = state.sums[e].transform();
    });
    if (!at_rest) put_after(input.positions, state);
    surface_.centres(input.positions, state.centres);
    for (std::size_t c = 0; c < state.centres.size(); ++c) {
      const Vec3 shift = keys_.centre_shift(c, weights);
      state.centres[c] += at_rest ? shift : Vec3(state.turns[c] * shift);
    }
    keys_.add_loose(weights, out_positions);
    surface_.reconstruct(state.transforms, state.centres, state.scratch, out_positions);
    if (!out_normals.empty()) surface_.carry_normals(out_positions, normals_, state.maps, out_normals);
    return Status::kOk;
  }

 private:
  // What came in was deformed already: the keys come first, that deformation follows.
  void put_after(std::span<const Vec3f> x, KeysWorkspace& state) const noexcept {
    surface_.full_gradients(x, state.maps);
    std::fill(state.turns.begin(), state.turns.end(), Mat3::Zero());
    std::fill(state.sizes.begin(), state.sizes.end(), 0.0);
    for (std::size_t e = 0; e < state.maps.size(); ++e) {
      state.transforms[e] = (state.maps[e] * state.transforms[e]).eval();
      // Edges count where there is nothing else.
      const std::uint32_t c = surface_.component_of_element(e);
      const double size = surface_.area(e) + 1e-30;
      state.turns[c] += size * state.maps[e].cast<double>();
      state.sizes[c] += size;
    }
    for (std::size_t c = 0; c < state.turns.size(); ++c) state.turns[c] /= state.sizes[c];
  }

  PoissonSurface surface_;
  KeyGradients gradients_;
  KeyShifts keys_;
  std::vector<Vec3f> rest_, normals_;
};

PoissonOptions surface_options(const Rig& rig, Placement placement) {
  PoissonOptions options;
  options.edges = rig.loose_edges;
  options.copies = copies_of(rig);
  options.keys = rig.keys;
  options.placement = placement;
  return options;
}

}  // namespace

Result<std::unique_ptr<Deformer>> build_differential_keys(const Rig& rig, const KeyMasks& masks,
                                                          Placement placement) {
  SINEW_TRY(PoissonSurface surface, PoissonSurface::build(rig.mesh, surface_options(rig, placement)));
  return std::unique_ptr<Deformer>(std::make_unique<DifferentialKeys>(rig, std::move(surface), masks));
}

Result<std::vector<ShapeKey>> shaped_keys(const Rig& rig, const KeyMasks& masks) {
  std::vector<ShapeKey> keys = rig.keys;
  const auto mask_of = [&](std::size_t k) {
    return k < masks.size() ? std::span<const float>(masks[k]) : std::span<const float>();
  };
  const bool any = std::any_of(keys.begin(), keys.end(),
                               [](const ShapeKey& key) { return key.without_rotation || key.without_scale; });
  std::unique_ptr<Deformer> deformer;
  std::unique_ptr<Workspace> workspace;
  std::vector<Vec3f> shape(rig.mesh.vertex_count());
  const std::vector<Vec3f> rest = float_positions(rig.mesh);
  if (any) {
    SINEW_TRY(deformer, build_differential_keys(rig, masks));
    workspace = deformer->make_workspace();
  }
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (keys[k].without_rotation || keys[k].without_scale) {
      std::vector<double> weights(keys.size(), 0.0);
      weights[k] = 1;
      deformer->deform({rest, {}, {}, {}, {}, weights}, *workspace, shape, {});
      for (std::size_t i = 0; i < shape.size(); ++i) keys[k].deltas[i] = shape[i] - rest[i];
      keys[k].normal_deltas.clear();
    } else if (const auto mask = mask_of(k); !mask.empty()) {
      for (std::size_t i = 0; i < shape.size(); ++i) keys[k].deltas[i] *= mask[i];
      for (std::size_t i = 0; i < keys[k].normal_deltas.size(); ++i) keys[k].normal_deltas[i] *= mask[i];
    }
    keys[k].without_rotation = keys[k].without_scale = false;
    keys[k].mask.clear();
  }
  return keys;
}

}  // namespace sinew
