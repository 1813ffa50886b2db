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
            static_cast<float>(transfer.weights[i][k]) *
            field.values.row(static_cast<Eigen::Index>(row_of[v]));
    }
    carried.twist.push_back(static_cast<float>(std::clamp(share, 0.0, 1.0)));
  }
  return carried;
}

// Whether a vertex's skin weights tell of other joints than its flesh: pieces that are carried by a node as a
// whole, and bodies bound several times in one place, which a voxel body cannot tell apart.
std::vector<std::uint8_t> other_than_skin(const Rig& rig, std::span<const int> parents) {
  std::vector<std::uint8_t> other(rig.mesh.vertex_count(), 0);
  for (const MeshPart& part : rig.parts)
    if (!part.skinned)
      std::fill_n(other.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin), part.vertex_count, 1);
  for (std::size_t i = 0; i < other.size(); ++i) {
    const auto skin = rig.weights.row(i);
    const auto holds = [&](int joint) {
      return std::any_of(skin.begin(), skin.end(), [&](const Influence& influence) {
        return static_cast<int>(influence.joint) == joint && influence.weight > 0;
      });
    };
    const int base = rig.flesh.weights.base[i];
    bool fits = skin.empty() || (base >= 0 && holds(base));
    for (const ComposedInfluence& entry : rig.flesh.weights.row(i))
      fits = fits || holds(static_cast<int>(entry.joint)) || holds(parents[entry.joint]);
    if (!fits) other[i] = 1;
  }
  return other;
}

// Gives these vertices composed weights that sum up their skin weights, and no fields.
void follow_skin(Rig& rig, std::span<const int> parents, std::span<const std::uint8_t> wanted) {
  const std::vector<std::size_t> order = bone_order(parents);
  std::vector<double> own(parents.size()), sums(parents.size());
  ComposedWeights weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) {
      const auto row = rig.flesh.weights.row(i);
      weights.base.push_back(rig.flesh.weights.base[i]);
      weights.entries.insert(weights.entries.end(), row.begin(), row.end());
      weights.offsets.push_back(static_cast<std::uint32_t>(weights.entries.size()));
      continue;
    }
    std::fill(own.begin(), own.end(), 0.0);
    for (const Influence& influence : rig.weights.row(i))
      if (influence.joint < own.size()) own[influence.joint] += influence.weight;
    joint_row_from_bone_row(parents, order, own, sums);
    weights.add_row(parents, sums, sums);
  }
  rig.flesh.weights = std::move(weights);
  for (FleshField& field : rig.flesh.fields) {
    const std::size_t width = 3 * field.modes();
    FleshField kept = field;
    kept.vertices.clear();
    kept.twist.clear();
    kept.values.clear();
    for (std::size_t v = 0; v < field.vertices.size(); ++v) {
      if (wanted[field.vertices[v]]) continue;
      kept.vertices.push_back(field.vertices[v]);
      kept.twist.push_back(field.twist[v]);
      const auto at = field.values.begin() + static_cast<std::ptrdiff_t>(v * width);
      kept.values.insert(kept.values.end(), at, at + static_cast<std::ptrdiff_t>(width));
    }
    field = std::move(kept);
  }
  std::erase_if(rig.flesh.fields, [](const FleshField& field) { return field.vertices.empty(); });
}

// The body of the context, or a coarser one where the mesh is too small for the time that it takes.
Result<const BoneBody*> affordable_body(BindingContext& context, BoneBody& coarse) {
  constexpr std::size_t kFewestCells = 500;
  SINEW_TRY(const BoneBody* body, context.elastic_body());
  if (context.voxels() > 0) return body;
  const double most = flesh_unknowns(context.input());
  for (int tries = 0; tries < 4; ++tries) {
    const VoxelGrid& grid = body->body.grid;
    SINEW_TRY(const std::size_t unknowns,
              fitted_unknowns(grid, body->handles, context.surface().parents, context.progress()));
    const auto cells = static_cast<std::size_t>(static_cast<double>(grid.cell_count()) * most /
                                                static_cast<double>(std::max<std::size_t>(unknowns, 1)));
    if (cells >= grid.cell_count() || grid.cell_count() <= kFewestCells) break;
    SINEW_TRY(coarse, make_bone_body(context.input(), 0, context.progress(), std::max(cells, kFewestCells)));
    body = &coarse;
  }
  return body;
}

}  // namespace

Flesh carry_flesh(const GridFlesh& grid, const FleshOptions& options, std::span<const int> parents,
                  const TrilinearWeights& transfer, std::span<const int> fallback,
                  std::span<const std::uint32_t> to_points) {
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
  const std::size_t vertices = to_points.empty() ? points : to_points.size();
  const auto point_of = [&](std::size_t i) { return to_points.empty() ? i : to_points[i]; };
  flesh.weights.offsets.push_back(0);
  for (std::size_t i = 0; i < vertices; ++i) {
    flesh.weights.base.push_back(of_point.base[point_of(i)]);
    const auto row = of_point.row(point_of(i));
    flesh.weights.entries.insert(flesh.weights.entries.end(), row.begin(), row.end());
    flesh.weights.offsets.push_back(static_cast<std::uint32_t>(flesh.weights.entries.size()));
  }
  std::vector<std::vector<std::uint32_t>> copies(points);
  for (std::size_t i = 0; i < vertices; ++i) copies[point_of(i)].push_back(static_cast<std::uint32_t>(i));
  for (std::size_t j = 0; j < grid.fields.size(); ++j) {
    const GridField& field = grid.fields[j];
    if (field.empty() || field.mixes.size() == 0) continue;
    const CarriedField carried = carry_field(field, grid.twist.col(static_cast<Eigen::Index>(j)), transfer);
    if (carried.points.empty()) continue;
    FleshField stored = quantise_field(static_cast<std::uint32_t>(j), carried.points, carried.twist,
                                       {field.mixes.data(), static_cast<std::size_t>(field.mixes.size())},
                                       field.fine, carried.values);
    if (stored.vertices.empty()) continue;
    if (!to_points.empty()) {
      FleshField spread = stored;
      spread.vertices.clear();
      spread.twist.clear();
      spread.values.clear();
      std::vector<std::array<std::size_t, 2>> places;  // vertex, row
      for (std::size_t r = 0; r < stored.vertices.size(); ++r)
        for (const std::uint32_t i : copies[stored.vertices[r]]) places.push_back({i, r});
      std::sort(places.begin(), places.end());
      const std::size_t width = 3 * stored.modes();
      for (const auto& [vertex, r] : places) {
        spread.vertices.push_back(static_cast<std::uint32_t>(vertex));
        spread.twist.push_back(stored.twist[r]);
        const auto at = static_cast<std::ptrdiff_t>(r * width), end = at + static_cast<std::ptrdiff_t>(width);
        spread.values.insert(spread.values.end(), stored.values.begin() + at, stored.values.begin() + end);
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
  BoneBody coarse;
  SINEW_TRY(const BoneBody* body, affordable_body(context, coarse));
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
  rig.flesh = carry_flesh(grid, options, surface.parents, transfer, fallback, surface.welded.weld.to_welded);
  const std::vector<std::uint8_t> by_skin = other_than_skin(rig, surface.parents);
  if (const auto count = std::count(by_skin.begin(), by_skin.end(), 1); count > 0) {
    follow_skin(rig, surface.parents, by_skin);
    report.warnings.push_back(fmt::format(
        "{} vertices hang on other joints than the body around them: their flesh is as their skin weights",
        count));
  }
  std::size_t judged = 0;
  report.mean = 0;
  std::map<std::uint32_t, const FleshField*> stored;
  for (const FleshField& field : rig.flesh.fields) stored[field.joint] = &field;
  for (std::size_t j = 0; j < grid.figures.size(); ++j) {
    const FleshFigures& figures = grid.figures[j];
    if (figures.unknowns == 0) continue;
    const auto field = stored.find(static_cast<std::uint32_t>(j));
    report.joints.push_back({surface.names[j], figures.bare, figures.worst, figures.mean,
                             field == stored.end() ? 0 : field->second->modes(),
                             field == stored.end() ? 0 : field->second->vertices.size()});
    report.worst = std::max(report.worst, figures.worst);
    report.mean += figures.mean;
    ++judged;
  }
  report.mean = judged > 0 ? report.mean / static_cast<double>(judged) : 1;
  for (const FleshField& field : rig.flesh.fields)
    report.field_bytes += 2 * field.values.size() + 6 * field.vertices.size();
  if (report.unreached > 0)
    report.warnings.push_back(fmt::format(
        "{} vertices lie in parts of the body without a bone: each hangs on one joint", report.unreached));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace sinew
