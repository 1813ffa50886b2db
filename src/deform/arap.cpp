// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/arap.h"

#include <algorithm>
#include <string>

#include "deform/arap_system.h"
#include "sinew/core/parallel.h"
#include "sinew/math/rotation_fit.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

constexpr std::size_t kArapGrain = 1024;
constexpr std::size_t kBatch = 64;

// The rotation of every vertex.
void fit_all(const ArapSystem& system, const ArapStencil& shape, ArapState& state) noexcept {
  parallel_for(system.size(), kArapGrain, [&](std::size_t begin, std::size_t end) {
    std::array<Eigen::Matrix3f, kBatch> matrices;
    std::array<Eigen::Quaternionf, kBatch> fitted;
    for (std::size_t first = begin; first < end; first += kBatch) {
      const std::size_t count = std::min(kBatch, end - first);
      for (std::size_t k = 0; k < count; ++k)
        matrices[k] = system.covariance(shape, state.positions, first + k).cast<float>();
      fit_rotations(std::span(matrices).first(count), std::span(fitted).first(count));
      for (std::size_t k = 0; k < count; ++k)
        state.rotations[first + k] = fitted[k].cast<double>().normalized().toRotationMatrix();
    }
  });
}

// The right-hand side, in the order of the factor.
void gather_rows(const ArapSystem& system, const ArapStencil& shape, ArapState& state) noexcept {
  parallel_for(system.free.size(), kArapGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t i = system.free[k];
      Vec3 sum = state.rotations[i] * shape.own[i];
      for (std::uint32_t e = system.offsets[i]; e < system.offsets[i + 1]; ++e)
        sum.noalias() += state.rotations[system.neighbours[e]] * shape.pulls[e];
      for (std::uint32_t h = system.held_offsets[k]; h < system.held_offsets[k + 1]; ++h)
        sum += system.held[h].weight * state.positions[system.held[h].fixed];
      state.rows[k] = {sum.x(), sum.y(), sum.z(), 0};
    }
  });
}

void place_constrained(const ArapSystem& system, std::span<const Vec3> targets, ArapState& state) noexcept {
  for (std::size_t c = 0; c < targets.size(); ++c) state.positions[system.constrained[c]] = targets[c];
}

}  // namespace

Result<ArapSolver> ArapSolver::build(MeshView mesh, std::span<const std::uint32_t> constrained,
                                     const ArapOptions& options) {
  if (constrained.empty())
    return usage_error("as-rigid-as-possible deformation needs at least one constrained vertex");
  for (const std::uint32_t vertex : constrained)
    if (vertex >= mesh.positions.size())
      return usage_error("there is no vertex " + std::to_string(vertex) + ": the mesh has " +
                         std::to_string(mesh.positions.size()));
  for (const auto& edge : options.edges)
    if (std::max(edge[0], edge[1]) >= mesh.positions.size())
      return usage_error("an edge names vertex " + std::to_string(std::max(edge[0], edge[1])) +
                         ", but the mesh has only " + std::to_string(mesh.positions.size()));
  if (!(options.edge_weight >= 0 && options.edge_weight <= 1e6))
    return parameter_error("springs", "must lie between 0 and 1e6");
  const WeldedTriangles welded = weld_triangles(mesh, 0, options.copies);
  auto system = std::make_shared<ArapSystem>();
  system->kind = options.energy;
  system->to_welded = welded.weld.to_welded;
  system->is_fixed.assign(welded.weld.positions.size(), 0);
  for (const std::uint32_t vertex : constrained) {
    system->constrained.push_back(system->to_welded[vertex]);
    system->is_fixed[system->to_welded[vertex]] = 1;
  }
  std::vector<std::array<std::uint32_t, 2>> springs;
  for (const auto& edge : options.edges) {
    const std::uint32_t a = system->to_welded[edge[0]], b = system->to_welded[edge[1]];
    if (a != b && welded.weld.positions[a].allFinite() && welded.weld.positions[b].allFinite())
      springs.push_back({a, b});
  }
  if (options.edge_weight == 0) springs.clear();
  SINEW_CHECK(build_arap_system(welded.view(), springs, options.edge_weight, *system));
  return ArapSolver(std::move(system));
}

std::size_t ArapSolver::vertex_count() const {
  return system_->to_welded.size();
}
std::size_t ArapSolver::constraint_count() const {
  return system_->constrained.size();
}
std::size_t ArapSolver::riders() const {
  return system_->riders.size();
}

ArapState ArapSolver::make_state() const {
  ArapState state;
  state.positions = system_->stencil.rest;
  state.rotations.assign(system_->size(), Mat3::Identity());
  state.rows.resize(system_->free.size());
  state.stencil = system_->stencil;
  return state;
}

void ArapSolver::set_rest(std::span<const Vec3> positions, ArapState& state) const noexcept {
  for (std::size_t v = positions.size(); v-- > 0;)
    state.stencil.rest[system_->to_welded[v]] = positions[v];  // the first of those at one place counts
  system_->fill(state.stencil);
  state.own_rest = true;
}

void ArapSolver::start(std::span<const Vec3> targets, ArapState& state) const noexcept {
  const ArapStencil& shape = system_->stencil_of(state);
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  for (std::size_t c = 0; c < targets.size(); ++c) {
    from += shape.rest[system_->constrained[c]] / static_cast<double>(targets.size());
    to += targets[c] / static_cast<double>(targets.size());
  }
  Mat3 sum = Mat3::Zero();
  for (std::size_t c = 0; c < targets.size(); ++c)
    sum += (targets[c] - to) * (shape.rest[system_->constrained[c]] - from).transpose();
  const Mat3 turn = fit_rotation(sum).toRotationMatrix();
  for (std::size_t i = 0; i < system_->size(); ++i) state.positions[i] = to + turn * (shape.rest[i] - from);
}

void ArapSolver::start_from(std::span<const Vec3> positions, ArapState& state) const noexcept {
  for (std::size_t v = positions.size(); v-- > 0;) state.positions[system_->to_welded[v]] = positions[v];
}

void ArapSolver::step(std::span<const Vec3> targets, ArapState& state) const noexcept {
  const ArapSystem& system = *system_;
  const ArapStencil& shape = system.stencil_of(state);
  fit_all(system, shape, state);
  place_constrained(system, targets, state);
  gather_rows(system, shape, state);
  if (!system.free.empty()) system.factor->solve_ordered(state.rows);
  for (std::size_t k = 0; k < system.free.size(); ++k)
    state.positions[system.free[k]] = Vec3(state.rows[k][0], state.rows[k][1], state.rows[k][2]);
  for (const ArapSystem::Rider& rider : system.riders) {
    state.rotations[rider.vertex] = state.rotations[rider.anchor];
    state.positions[rider.vertex] =
        state.positions[rider.anchor] +
        state.rotations[rider.anchor] * (shape.rest[rider.vertex] - shape.rest[rider.anchor]);
  }
}

void ArapSolver::read(const ArapState& state, std::span<Vec3> positions) const noexcept {
  for (std::size_t v = 0; v < positions.size(); ++v) positions[v] = state.positions[system_->to_welded[v]];
}

const Mat3& ArapSolver::rotation(const ArapState& state, std::size_t vertex) const noexcept {
  return state.rotations[system_->to_welded[vertex]];
}

double ArapSolver::energy(const ArapState& state) const {
  const ArapSystem& system = *system_;
  const ArapStencil& shape = system.stencil_of(state);
  return parallel_reduce(
      system.size(), kArapGrain, 0.0,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const Mat3 rotation = fit_rotation(system.covariance(shape, state.positions, i)).toRotationMatrix();
          sum += system.energy(shape, state.positions, i, rotation);
        }
        return sum;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace sinew
