// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/flesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "sinew/binding/elastic_setup.h"
#include "sinew/binding/islands.h"

namespace sinew {
namespace {

constexpr std::size_t kLeastVertices = 1;

// Field values of one joint at the points: a row a point that the field reaches.
struct CarriedField {
  std::vector<std::uint32_t> points;
  std::vector<float> twist;
  Eigen::MatrixXf values;
};

CarriedField carry_field(const GridField& field, const Eigen::VectorXd& twist,
                         const TrilinearWeights& transfer) {
  CarriedField carried;
  std::vector<std::int64_t> row_of(static_cast<std::size_t>(twist.size()), -1);
  for (std::size_t v = 0; v < field.vertices.size(); ++v)
    row_of[field.vertices[v]] = static_cast<std::int64_t>(v);
  const std::size_t count = transfer.vertices.size();
  for (std::size_t i = 0; i < count; ++i)
    if (std::any_of(transfer.vertices[i].begin(), transfer.vertices[i].end(),
                    [&](std::uint32_t v) { return row_of[v] >= 0; }))
      carried.points.push_back(static_cast<std::uint32_t>(i));
  carried.values.setZero(static_cast<Eigen::Index>(carried.points.size()), field.values.cols());
  for (std::size_t r = 0; r < carried.points.size(); ++r) {
    const std::uint32_t i = carried.points[r];
    double share = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      const std::uint32_t v = transfer.vertices[i][k];
      share += transfer.weights[i][k] * twist[v];
      if (row_of[v] >= 0)
        carried.values.row(static_cast<Eigen::Index>(r)) +=
            static_cast<float>(transfer.weights[i][k]) * field.values.row(row_of[v]);
    }
    carried.twist.push_back(static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  return carried;
}

// How the normals of the surface tilt with the fields: a row a point. `step` small beside the mesh.
Eigen::MatrixXf normal_fields(const CarriedField& field, MeshView surface, double step) {
  Eigen::MatrixXf tilts = Eigen::MatrixXf::Zero(field.values.rows(), field.values.cols());
  if (surface.triangles.empty()) return tilts;
  // Triangles that the field moves, by their own numbers.
  std::vector<std::int64_t> local(surface.positions.size(), -1);
  std::vector<Vec3> rest;
  std::vector<std::uint32_t> points;
  std::vector<std::uint8_t> moved(surface.positions.size(), 0);
  for (const std::uint32_t p : field.points) moved[p] = 1;
  std::vector<Triangle> triangles;
  const auto number = [&](std::uint32_t p) {
    if (local[p] < 0) {
      local[p] = static_cast<std::int64_t>(rest.size());
      rest.push_back(surface.positions[p]);
      points.push_back(p);
    }
    return static_cast<std::uint32_t>(local[p]);
  };
  for (const Triangle& t : surface.triangles)
    if (moved[t[0]] || moved[t[1]] || moved[t[2]])
      triangles.push_back({number(t[0]), number(t[1]), number(t[2])});
  const std::vector<Vec3> before = vertex_normals({rest, triangles});
  std::vector<Vec3> shifted(rest.size());
  for (Eigen::Index f = 0; f < field.values.cols(); f += 3) {
    const float most = field.values.middleCols(f, 3).cwiseAbs().maxCoeff();
    if (!(most > 0)) continue;
    const double scale = step / static_cast<double>(most);
    shifted = rest;
    for (std::size_t r = 0; r < field.points.size(); ++r)
      if (const std::int64_t at = local[field.points[r]]; at >= 0)
        shifted[static_cast<std::size_t>(at)] +=
            scale * field.values.row(static_cast<Eigen::Index>(r)).segment<3>(f).transpose().cast<double>();
    const std::vector<Vec3> after = vertex_normals({shifted, triangles});
    for (std::size_t r = 0; r < field.points.size(); ++r)
      if (const std::int64_t at = local[field.points[r]]; at >= 0)
        tilts.row(static_cast<Eigen::Index>(r)).segment<3>(f) =
            ((after[static_cast<std::size_t>(at)] - before[static_cast<std::size_t>(at)]) / scale)
                .transpose()
                .cast<float>();
  }
  return tilts;
}

}  // namespace

Flesh carry_flesh(const GridFlesh& grid, const FleshOptions& options, std::span<const int> parents,
                  const TrilinearWeights& transfer, std::span<const int> fallback, MeshView surface,
                  std::span<const std::uint32_t> to_surface) {
  Flesh flesh;
  flesh.range = options.range;
  flesh.tolerance = options.tolerance;
  const std::size_t points = transfer.vertices.size(), joints = parents.size();
  // Weights at the points, then for every vertex those of its point.
  ComposedWeights of_point;
  std::vector<double> swing(joints), twist(joints);
  for (std::size_t i = 0; i < points; ++i) {
    std::fill(swing.begin(), swing.end(), 0.0);
    std::fill(twist.begin(), twist.end(), 0.0);
    const bool reached = std::all_of(transfer.vertices[i].begin(), transfer.vertices[i].end(),
                                     [&](std::uint32_t v) { return grid.reached[v] != 0; });
    if (reached) {
      for (std::size_t k = 0; k < 8; ++k)
        for (std::size_t j = 0; j < joints; ++j) {
          swing[j] +=
              transfer.weights[i][k] * grid.swing(transfer.vertices[i][k], static_cast<Eigen::Index>(j));
          twist[j] +=
              transfer.weights[i][k] * grid.twist(transfer.vertices[i][k], static_cast<Eigen::Index>(j));
        }
    } else if (!fallback.empty()) {
      for (int a = fallback[i]; a >= 0; a = parents[static_cast<std::size_t>(a)])
        swing[static_cast<std::size_t>(a)] = twist[static_cast<std::size_t>(a)] = 1;
    }
    of_point.add_row(parents, swing, twist);
  }
  const std::size_t vertices = to_surface.empty() ? points : to_surface.size();
  const auto point_of = [&](std::size_t i) { return to_surface.empty() ? i : to_surface[i]; };
  flesh.weights.offsets.push_back(0);
  for (std::size_t i = 0; i < vertices; ++i) {
    flesh.weights.base.push_back(of_point.base[point_of(i)]);
    const auto row = of_point.row(point_of(i));
    flesh.weights.entries.insert(flesh.weights.entries.end(), row.begin(), row.end());
    flesh.weights.offsets.push_back(static_cast<std::uint32_t>(flesh.weights.entries.size()));
  }
  std::vector<std::vector<std::uint32_t>> copies(points);
  for (std::size_t i = 0; i < vertices; ++i) copies[point_of(i)].push_back(static_cast<std::uint32_t>(i));
  const double size = bounding_box(surface.positions).diagonal().norm();
  for (std::size_t j = 0; j < grid.fields.size(); ++j) {
    const GridField& field = grid.fields[j];
    if (field.empty() || field.functions.empty()) continue;
    const CarriedField carried = carry_field(field, grid.twist.col(static_cast<Eigen::Index>(j)), transfer);
    if (carried.points.size() < kLeastVertices) continue;
    const Eigen::MatrixXf tilts = normal_fields(carried, surface, 1e-5 * size);
    FleshField stored = quantise_field(static_cast<std::uint32_t>(j), carried.points, carried.twist,
                                       field.functions, carried.values, tilts);
    if (stored.vertices.empty()) continue;
    if (!to_surface.empty()) {
      FleshField spread = stored;
      spread.vertices.clear();
      spread.twist.clear();
      spread.values.clear();
      spread.normals.clear();
      std::vector<std::array<std::size_t, 2>> places;  // vertex, row
      for (std::size_t r = 0; r < stored.vertices.size(); ++r)
        for (const std::uint32_t i : copies[stored.vertices[r]]) places.push_back({i, r});
      std::sort(places.begin(), places.end());
      const std::size_t width = 3 * stored.functions.size();
      for (const auto& [vertex, r] : places) {
        spread.vertices.push_back(static_cast<std::uint32_t>(vertex));
        spread.twist.push_back(stored.twist[r]);
        const auto at = static_cast<std::ptrdiff_t>(r * width), end = at + static_cast<std::ptrdiff_t>(width);
        spread.values.insert(spread.values.end(), stored.values.begin() + at, stored.values.begin() + end);
        spread.normals.insert(spread.normals.end(), stored.normals.begin() + at,
                              stored.normals.begin() + end);
      }
      stored = std::move(spread);
    }
    flesh.fields.push_back(std::move(stored));
  }
  return flesh;
}

Result<FleshReport> make_flesh(Rig& rig, BindingContext& context, const FleshRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  if (rig.weights.entries.empty() || rig.weights.vertex_count() != rig.mesh.vertex_count())
    return impossible("the mesh is not bound to its skeleton yet: `sinew rig` or `sinew weights` does that");
  const Surface& surface = context.surface();
  SINEW_TRY(const BoneBody* body, context.body());
  FleshReport report;
  report.voxels = body->body.grid.vertex_count();
  FleshOptions options;
  options.range = request.range;
  options.tolerance = request.tolerance;
  options.progress = request.progress;
  std::vector<float> stiffness;
  if (!request.elastic.stiffness.empty() || !request.elastic.stiffness_attribute.empty()) {
    SINEW_TRY(const ElasticSetup setup,
              elastic_setup(rig, surface, *body, request.elastic, request.progress));
    stiffness = setup.stiffness;
    options.stiffness = stiffness;
  }
  SINEW_TRY(const GridFlesh grid,
            grid_flesh(body->body.grid, body->handles, surface.bones, surface.parents, options));
  const MeshView view = surface.welded.view();
  const IslandPlan plan = plan_islands(view, request.follow, request.linked);
  const TrilinearWeights transfer = trilinear_weights(body->body.grid, leading_points(view, plan));
  std::vector<int> fallback(view.positions.size(), -1);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    if (const auto row = rig.weights.row(i); !row.empty() && row[0].joint < surface.bones.size())
      fallback[surface.welded.weld.to_welded[i]] = static_cast<int>(row[0].joint);
  for (std::size_t i = 0; i < transfer.vertices.size(); ++i)
    report.unreached += std::any_of(transfer.vertices[i].begin(), transfer.vertices[i].end(),
                                    [&](std::uint32_t v) { return !grid.reached[v]; });
  rig.flesh =
      carry_flesh(grid, options, surface.parents, transfer, fallback, view, surface.welded.weld.to_welded);
  std::size_t judged = 0;
  report.mean = 0;
  std::map<std::uint32_t, const FleshField*> stored;
  for (const FleshField& field : rig.flesh.fields) stored[field.joint] = &field;
  for (std::size_t j = 0; j < grid.figures.size(); ++j) {
    const FleshFigures& figures = grid.figures[j];
    if (figures.unknowns == 0) continue;
    const auto field = stored.find(static_cast<std::uint32_t>(j));
    report.joints.push_back({surface.names[j], figures.bare, figures.worst, figures.mean,
                             field == stored.end() ? 0 : field->second->functions.size(),
                             field == stored.end() ? 0 : field->second->vertices.size()});
    report.worst = std::max(report.worst, figures.worst);
    report.mean += figures.mean;
    ++judged;
  }
  report.mean = judged > 0 ? report.mean / static_cast<double>(judged) : 1;
  for (const FleshField& field : rig.flesh.fields)
    report.field_bytes += field.values.size() + field.normals.size() + 8 * field.vertices.size();
  if (report.unreached > 0)
    report.notes.push_back(fmt::format(
        "{} vertices lie in parts of the body without a bone: each hangs on one joint", report.unreached));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
