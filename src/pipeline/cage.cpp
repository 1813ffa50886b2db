// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/cage.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/measure/self_intersection.h"
#include "sinew/volume/harmonic_cage.h"
#include "sinew/volume/limb_cage.h"
#include "sinew/volume/voxel_cage.h"
#include "sinew/weights/transfer.h"

namespace sinew {
namespace {

using Clock = std::chrono::steady_clock;

void note_cage(const PolyMesh& mesh, const HarmonicCage& cage, CageReport& report) {
  const TriangleView view = triangulate(mesh);
  if (const std::size_t crossing = self_intersecting_triangles({mesh.positions, view.triangles}))
    report.warnings.push_back(
        fmt::format("{} others: inside is where its winding number is not 0, "
                    "overlaps count once",
                    counted(crossing, "triangle of the cage intersects", "triangles of the cage intersect")));
  if (const auto& idle = cage.idle_controls(); !idle.empty())
    report.warnings.push_back(
        fmt::format("{} in parts of the cage without a grid edge (the first is {}): only "
                    "vertices right beside follow; a larger resolution reaches more",
                    counted(idle.size(), "control point lies", "control points lie"), idle.front()));
  if (cage.pieces() > 1)
    report.warnings.push_back(
        fmt::format("the cage has {} closed pieces, each solved separately", cage.pieces()));
}

void note_mesh(const CageReport& report, std::size_t vertices, std::vector<std::string>& warnings) {
  if (report.outside > 0)
    warnings.push_back(fmt::format(
        "{} of {} vertices {} its nearest point, less with distance", report.outside, vertices,
        agreeing(report.outside, "lies outside the cage: it follows", "lie outside the cage: they follow")));
}

void fill(const CageFigures& figures, CageReport& report) {
  report.min = std::min(report.min, figures.smallest);
  report.max_row_error = std::max(report.max_row_error, figures.max_row_error);
  report.reproduction_error = std::max(report.reproduction_error, figures.reproduction_error);
  report.dropped = std::max(report.dropped, figures.dropped);
  report.cycles = std::max(report.cycles, figures.cycles);
}

Error no_weights() {
  return impossible("the skeleton cannot move the cage: the mesh has no weights; `sinew rig` makes them");
}

// Weights of the control points: those of the mesh at its nearest point.
Result<SkinWeights> skin_cage(const Rig& rig, const PolyMesh& cage) {
  if (rig.weights.entries.empty()) return no_weights();
  const TriangleView view = triangulate(rig.mesh);
  std::vector<int> joints(rig.skeleton.size());
  for (std::size_t j = 0; j < joints.size(); ++j) joints[j] = static_cast<int>(j);
  SINEW_TRY(Transferred transferred,
            transfer_weights({rig.mesh.positions, view.triangles}, rig.weights, cage.positions, joints));
  return std::move(transferred.weights);
}

// The weights of chosen vertices, in their order.
SkinWeights weights_of(const SkinWeights& weights, std::span<const std::uint32_t> vertices) {
  SkinWeights chosen;
  for (const std::uint32_t i : vertices) chosen.add_row(weights.row(i));
  return chosen;
}

// `guides`: of a skinned cage, the vertex whose weights each control point takes; empty: what is nearest.
Result<CageReport> finish(Rig& rig, Cage cage, CageBinding binding, const CageRequest& request,
                          CageReport report, Clock::time_point start,
                          std::span<const std::uint32_t> guides = {}) {
  fill(binding.figures, report);
  report.outside = binding.figures.outside;
  report.entries = binding.rows.entries.size();
  cage.rows = std::move(binding.rows);
  cage.masks = std::move(binding.masks);
  cage.name = request.name;
  cage.dynamic = request.dynamic;
  cage.reach = request.reach;
  cage.weights = {};
  if (request.skin && guides.empty()) {
    SINEW_TRY(cage.weights, skin_cage(rig, cage.mesh));
  } else if (request.skin) {
    cage.weights = weights_of(rig.weights, guides);
  }
  note_mesh(report, rig.mesh.vertex_count(), report.warnings);
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const auto same = std::find_if(rig.cages.begin(), rig.cages.end(),
                                 [&](const Cage& other) { return other.name == request.name; });
  if (same != rig.cages.end())
    *same = std::move(cage);
  else
    rig.cages.push_back(std::move(cage));
  return report;
}

CageReport report_of(const PolyMesh& mesh, const HarmonicCage& cage) {
  CageReport report;
  report.controls = cage.control_count();
  report.cells = cage.cells();
  report.nodes = cage.nodes();
  report.pieces = cage.pieces();
  note_cage(mesh, cage, report);
  return report;
}

// A few triangles do not show what a fine grid knows, and wait for it as long as a million would.
int chosen_resolution(const Rig& rig, int asked) {
  constexpr std::size_t kFewTriangles = 1000;
  if (asked != 0) return asked;
  return triangulate(rig.mesh).triangles.size() < kFewTriangles ? 5 : 6;
}

}  // namespace

Result<CageReport> bind_cage(Rig& rig, PolyMesh mesh, const CageRequest& request) {
  const auto start = Clock::now();
  if (!(request.reach >= 0 && request.reach <= 1000))
    return parameter_error("reach", "must lie between 0 and 1000 diagonals of the cage");
  if (!(request.threshold >= 0 && request.threshold <= 0.1))
    return parameter_error("threshold", "must lie between 0 and 0.1");
  // By way of memory: GCC 12 leaves the last two of a list unrounded where it may keep them in registers.
  std::vector<Vec3f> rounded;
  for (const Vec3& p : mesh.positions) rounded.push_back(p.cast<float>());
  for (std::size_t j = 0; j < rounded.size(); ++j) mesh.positions[j] = rounded[j].cast<double>();
  mesh.normals.clear();
  mesh.texcoords.clear();
  const int resolution = chosen_resolution(rig, request.resolution);
  SINEW_TRY(const HarmonicCage solver, HarmonicCage::build(mesh, resolution));
  CageReport report = report_of(mesh, solver);
  CageSolveOptions options;
  options.threshold = request.threshold;
  options.progress = request.progress;
  Cage cage;
  cage.mesh = std::move(mesh);
  cage.resolution = resolution;
  CageBinding binding;
  if (request.dynamic || request.keep) {
    options.threshold = 10 * request.threshold;
    SINEW_TRY(HarmonicCage::Volume volume, solver.solve(options));
    fill(volume.figures, report);
    binding = solver.bind(rig.mesh.positions, request.reach, volume.rows);
    cage.volume = std::move(volume.rows);
  } else {
    SINEW_TRY(binding, solver.bind(rig.mesh.positions, request.reach, options));
  }
  return finish(rig, std::move(cage), std::move(binding), request, std::move(report), start);
}

Result<CageReport> bind_solved_cage(Rig& rig, const Cage& solved, const CageRequest& request) {
  const auto start = Clock::now();
  if (solved.volume.size() == 0)
    return impossible(
        fmt::format("the cage '{}' was saved without its solution: keep it when it is bound, or make it "
                    "dynamic, to use it again",
                    printable(solved.name)));
  SINEW_TRY(const HarmonicCage solver, HarmonicCage::build(solved.mesh, solved.resolution));
  if (solver.nodes() != solved.volume.size())
    return bad_input(
        fmt::format("the cage '{}' does not fit its stored solution: bind it again", printable(solved.name)));
  CageReport report = report_of(solved.mesh, solver);
  CageBinding binding = solver.bind(rig.mesh.positions, request.reach, solved.volume);
  Cage cage = solved;
  if (!request.dynamic && !request.keep) cage.volume = {};
  return finish(rig, std::move(cage), std::move(binding), request, std::move(report), start);
}

std::span<const Descriptor> cage_settings() {
  static constexpr Descriptor kTable[] = {
      setting<&CageRequest::controls>("controls",
                                      "approximate number of control points of a generated cage (default: "
                                      "200, with skin 400)",
                                      8, 1e5),
      setting<&CageRequest::resolution>(
          "resolution", "a grid of 2^N cells a side (default: 6; 5 for a mesh of fewer than 1,000 triangles)",
          1, 10),
      setting<&CageRequest::dynamic>(
          "dynamic",
          "evaluate coordinates in every frame, at the positions that earlier steps of the stack produce"),
      setting<&CageRequest::keep>("keep", "keep the solution in the file, for other meshes"),
      setting<&CageRequest::skin>("skin", "the skeleton deforms the cage, and the cage deforms the mesh"),
      setting<&CageRequest::name>("name", "name of the cage; an existing one of that name is replaced"),
      setting<&CageRequest::reach>(
          "reach", "distance up to which vertices outside the cage follow it, in diagonals of the cage", 0),
      setting<&CageRequest::threshold>("threshold", "smaller coordinates are dropped", 0, 1),
  };
  return kTable;
}

Result<CageReport> bind_auto_cage(Rig& rig, const CageRequest& request) {
  const int controls = request.controls != 0 ? request.controls : request.skin ? 400 : 200;
  const auto start = Clock::now();
  if (!request.skin || request.dynamic || request.keep) {
    SINEW_TRY(PolyMesh mesh, auto_cage(rig, controls, request.progress));
    SINEW_TRY(CageReport report, bind_cage(rig, std::move(mesh), request));
    if (request.skin)
      report.warnings.push_back(
          "limbs in one cell of the cage move together: a cage that is kept or dynamic does not separate "
          "them");
    return report;
  }
  if (rig.weights.entries.empty()) return no_weights();
  const TriangleView view = triangulate(rig.mesh);
  const int resolution = chosen_resolution(rig, request.resolution);
  SINEW_TRY(LimbCage made, limb_cage({rig.mesh.positions, view.triangles}, {.controls = controls,
                                                                            .resolution = resolution,
                                                                            .threshold = request.threshold,
                                                                            .progress = request.progress}));
  CageReport report;
  report.controls = made.mesh.vertex_count();
  report.cells = made.cells;
  report.nodes = made.nodes;
  report.pieces = 1;
  Cage cage;
  cage.mesh = std::move(made.mesh);
  cage.resolution = resolution;
  return finish(rig, std::move(cage), std::move(made.binding), request, std::move(report), start,
                made.guides);
}

Result<PolyMesh> auto_cage(const Rig& rig, int controls, const Progress* progress) {
  const TriangleView view = triangulate(rig.mesh);
  return voxel_cage({rig.mesh.positions, view.triangles}, {.controls = controls, .progress = progress});
}

}  // namespace sinew
