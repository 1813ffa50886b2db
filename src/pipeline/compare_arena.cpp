// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_arena.h"

#include <algorithm>
#include <map>

#include "sinew/binding/elastic_setup.h"
#include "sinew/measure/self_intersection.h"
#include "sinew/measure/shape.h"
#include "sinew/volume/grid_laplacian.h"

namespace sinew {
namespace {

constexpr double kReferenceTolerance = 1e-5;
constexpr int kReferenceIterations = 300;

// The elastic deformer solves in a body of its own; differential skinning and delta mush work on faces, which
// grids have none.
bool on_the_mesh_alone(std::string_view deformer) {
  return deformer.starts_with("elastic") || deformer.starts_with("differential") ||
         deformer.ends_with("+mush");
}

}  // namespace

Result<std::unique_ptr<Arena>> Arena::open(Rig rig, const MakeBody& make_body, const Progress* progress,
                                           std::vector<double> decided) {
  auto arena = std::make_unique<Arena>();
  arena->rig_ = std::move(rig);
  arena->decided_ = std::move(decided);
  SINEW_TRY(arena->surface_, make_surface(arena->rig_));
  SINEW_TRY(arena->body_, make_body(arena->surface_.input()));
  SINEW_TRY(arena->setup_, elastic_setup(arena->rig_, arena->surface_, arena->body_, {}, progress));
  arena->reference_ = std::make_unique<CompareReference>(arena->setup_, arena->surface_.parents);
  arena->view_ = triangulate(arena->rig_.mesh);
  arena->diagonal_ = bounding_box(arena->rig_.mesh.positions).diagonal().norm();
  arena->volume_ = enclosed_volume({arena->rig_.mesh.positions, arena->view_.triangles});
  return arena;
}

bool Arena::hangs_together() const {
  constexpr double kLoose = 0.005;  // of the grid's vertices
  std::size_t loose = 0;
  for (std::size_t v = 0; v < setup_.joint_of_vertex.size(); ++v)
    loose += setup_.joint_of_vertex[v] >= 0 && body_.handles.of_vertex[v] < 0;
  return body_.handles.outside == 0 && body_.handles.merged.empty() &&
         static_cast<double>(loose) <= kLoose * static_cast<double>(setup_.joint_of_vertex.size());
}

Result<void> Arena::enlist(std::span<const MethodPair> pairs, const CompareRequest& request) {
  SINEW_TRY(sets_, WeightSets::build(rig_, surface_, body_, request));
  std::map<std::string, WeightSet> made;
  for (const MethodPair& pair : pairs) {
    auto found = made.find(pair.weights);
    if (found == made.end()) {
      sinew::report(request.progress, "weights by " + pair.weights, 0);
      SINEW_TRY(WeightSet set, sets_->make(pair.weights));
      found = made.emplace(pair.weights, std::move(set)).first;
    }
    WeightSet& set = found->second;
    if (pair.deformer.starts_with("flesh") && set.volume && set.grid.flesh.empty())
      SINEW_CHECK(sets_->add_flesh(set));
    SINEW_TRY(Runner mesh, Runner::build(set.mesh, pair.deformer, request.progress));
    contestants_.push_back({pair, std::move(mesh), std::nullopt});
    posed_ += pair.weights != WeightSets::kStored;
    if (!set.volume || on_the_mesh_alone(pair.deformer)) continue;
    SINEW_TRY(contestants_.back().grid, Runner::build(set.grid, pair.deformer, request.progress));
  }
  return {};
}

// The mesh's displacement carried into the body: grid vertices beside the surface have the mean of the mesh
// vertices around them, those within are harmonic.
GridPositions Arena::extend(const ComparePose& pose, const std::vector<Vec3>& mesh) {
  const GridPositions& rest = reference_->model().rest();
  const std::span<const int> joint_of_vertex = reference_->joint_of_vertex();
  const TrilinearWeights& transfer = sets_->transfer();
  const Eigen::Index n = rest.rows();
  Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(n, 3);
  Eigen::VectorXd weight = Eigen::VectorXd::Zero(n);
  const auto& to_welded = surface_.welded.weld.to_welded;
  for (std::size_t i = 0; i < to_welded.size(); ++i)
    for (std::size_t k = 0; k < 8; ++k) {
      const auto v = static_cast<Eigen::Index>(transfer.vertices[to_welded[i]][k]);
      const double w = transfer.weights[to_welded[i]][k];
      moved.row(v) += w * (mesh[i] - rig_.mesh.positions[i]).transpose();
      weight[v] += w;
    }
  if (!extension_) {
    std::vector<std::uint8_t> fixed(static_cast<std::size_t>(n));
    for (Eigen::Index v = 0; v < n; ++v)
      fixed[static_cast<std::size_t>(v)] =
          weight[v] > 1e-3 || joint_of_vertex[static_cast<std::size_t>(v)] >= 0;
    auto built = Multigrid::build(grid(), grid_stiffness(grid()), fixed);
    if (built.ok()) extension_ = std::make_unique<Multigrid>(*std::move(built));
  }
  GridPositions bones = rest;
  reference_->hold_bones(pose, bones);
  for (Eigen::Index v = 0; v < n; ++v) {
    if (joint_of_vertex[static_cast<std::size_t>(v)] >= 0)
      moved.row(v) = bones.row(v) - rest.row(v);
    else if (weight[v] > 1e-3)
      moved.row(v) /= weight[v];
    else
      moved.row(v).setZero();
  }
  if (extension_) moved = extension_->solve(Eigen::MatrixXd(), moved, 1e-6, 100).x;
  return rest + GridPositions(moved);
}

std::vector<Vec3> Arena::to_mesh(const GridPositions& v) const {
  const TrilinearWeights& transfer = sets_->transfer();
  std::vector<Vec3> mesh;
  mesh.reserve(rig_.mesh.vertex_count());
  for (const std::uint32_t i : surface_.welded.weld.to_welded) {
    Vec3 p = Vec3::Zero();
    for (std::size_t k = 0; k < 8; ++k)
      p += transfer.weights[i][k] * v.row(static_cast<Eigen::Index>(transfer.vertices[i][k])).transpose();
    mesh.push_back(p);
  }
  return mesh;
}

GridPositions Arena::posed_grid(const Contestant& one, const ComparePose& pose,
                                Runner::Memory& memory) const {
  one.grid->run(pose, memory);
  GridPositions v(static_cast<Eigen::Index>(memory.out.size()), 3);
  for (std::size_t i = 0; i < memory.out.size(); ++i)
    v.row(static_cast<Eigen::Index>(i)) = memory.out[i].cast<double>().transpose();
  reference_->hold_bones(pose, v);
  return v;
}

Result<PoseFigures> Arena::judge(const ComparePose& pose, bool keep, const Arena& clock,
                                 const ComparePose& clock_pose, const Progress* progress) {
  PoseFigures figures;
  figures.name = pose.name;
  figures.piece = pose.arena;
  std::vector<double> energies;
  std::vector<std::vector<Vec3>> shapes;
  GridPositions start;
  double least = 0;
  for (std::size_t k = 0; k < posed_; ++k) {
    const Contestant& one = contestants_[k];
    MethodFigures method;
    method.pair = one.pair;
    Runner::Memory memory;
    method.ms_per_frame = clock.contestants_[k].mesh.time_cold(clock_pose, memory);
    if (&clock != this) {
      memory = one.mesh.memory();
      one.mesh.run(pose, memory);
    }
    shapes.push_back(positions_of(memory));
    method.extended = !one.grid;
    if (one.grid) memory = one.grid->memory();
    GridPositions v = one.grid ? posed_grid(one, pose, memory) : extend(pose, shapes.back());
    energies.push_back(reference_->model().energy(v));
    // The reference starts from the best of all, so that none is ever below it.
    if (energies.size() == 1 || energies.back() < least) {
      least = energies.back();
      start = std::move(v);
    }
    figures.methods.push_back(std::move(method));
  }
  std::vector<std::size_t> turned = reference_->turned(pose);
  if (!band_ || band_->joints != turned) {
    SINEW_TRY(band_, reference_->band(std::move(turned)));
  }
  const auto solved = reference_->solve(
      *band_, pose, start,
      {.tolerance = kReferenceTolerance, .max_iterations = kReferenceIterations, .progress = progress});
  figures.energy = solved.energy;
  figures.iterations = solved.iterations;
  std::vector<Vec3> reference = to_mesh(solved.positions);
  figures.self_intersections = self_intersecting_triangles({reference, view_.triangles});
  for (std::size_t k = 0; k < posed_; ++k) {
    MethodFigures& method = figures.methods[k];
    method.energy_ratio = solved.energy > 0 ? energies[k] / solved.energy : 1;
    const ShapeError error = shape_error(shapes[k], reference);
    method.rms = error.rms / diagonal_;
    method.max = error.max / diagonal_;
    method.elastic_rms = error.e_rms;
    method.elastic_rms_printed = error.e_rms_printed;
    const double volume = enclosed_volume({shapes[k], view_.triangles});
    method.volume_change = volume_ != 0 ? (volume - volume_) / std::abs(volume_) : 0;
    method.self_intersections = self_intersecting_triangles({shapes[k], view_.triangles});
    if (keep) method.positions = std::move(shapes[k]);
  }
  if (keep) figures.reference = std::move(reference);
  return figures;
}

}  // namespace sinew
