// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/elastic_setup.h"

#include <fmt/format.h>

#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/mesh/bvh.h"
#include "sinew/skeleton/joint_hint.h"
#include "sinew/weights/harmonic_volume.h"

namespace sinew {
namespace {

constexpr double kNegligibleShare = 1e-4;

// A cell is as stiff as the bones around it: their stiffness by the harmonic weights of its corners.
Result<std::vector<float>> cell_stiffness(const Rig& rig, const Surface& surface, const VoxelGrid& grid,
                                          const Eigen::MatrixXd& weights, const ElasticSettings& settings) {
  if (settings.stiffness.empty()) return std::vector<float>();
  Eigen::VectorXd of_bone = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(surface.bones.size()));
  for (const auto& [name, value] : settings.stiffness) {
    const auto joint = rig.skeleton.find(name);
    if (!joint || *joint >= surface.bones.size())
      return parameter_error("stiffness", fmt::format("names '{}': there is no such joint{}", printable(name),
                                                      joint_hint(rig.skeleton, name)));
    if (!(value > 0 && value <= 1e6))
      return parameter_error("stiffness",
                             fmt::format("is {}: give a number above 0 and not above 1e6", value));
    of_bone[static_cast<Eigen::Index>(*joint)] = value;
  }
  const Eigen::VectorXd of_vertex =
      weights * of_bone + (Eigen::VectorXd::Ones(weights.rows()) - weights.rowwise().sum());
  std::vector<float> stiffness;
  stiffness.reserve(grid.cell_count());
  for (const auto& corners : grid.all_cell_vertices()) {
    double sum = 0;
    for (const std::uint32_t corner : corners) sum += of_vertex[static_cast<Eigen::Index>(corner)] / 8;
    stiffness.push_back(static_cast<float>(std::max(sum, 1e-6)));
  }
  return stiffness;
}

// Multiplies each cell by what is painted at the nearest point of the mesh; not painted: 1.
Result<void> paint_stiffness(const Rig& rig, const VoxelGrid& grid, const std::string& name,
                             std::vector<float>& stiffness) {
  if (name.empty()) return {};
  const VertexAttribute* painted = rig.attribute(name);
  if (!painted)
    return parameter_error("stiffness-attribute",
                           fmt::format("names '{}': the mesh has no such attribute", printable(name)));
  std::vector<double> values;
  for (const float value : painted->values) {
    values.push_back(std::isnan(value) ? 1.0 : static_cast<double>(value));
    if (!(values.back() > 0 && values.back() <= 1e6))
      return parameter_error("stiffness-attribute",
                             fmt::format("'{}' holds {}: it must lie above 0 and not above 1e6",
                                         printable(name), values.back()));
  }
  const TriangleView view = triangulate(rig.mesh);
  const Bvh tree({rig.mesh.positions, view.triangles});
  stiffness.resize(grid.cell_count(), 1.0f);
  parallel_for(stiffness.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const NearestPoint nearest = tree.nearest(grid.cell_centre(static_cast<std::uint32_t>(c)));
      if (!nearest.found()) continue;
      double value = 0;
      for (std::size_t k = 0; k < 3; ++k)
        value +=
            nearest.barycentric[static_cast<Eigen::Index>(k)] * values[view.triangles[nearest.triangle][k]];
      stiffness[c] *= static_cast<float>(value);
    }
  });
  return {};
}

}  // namespace

Result<ElasticSetup> elastic_setup(const Rig& rig, const Surface& surface, const BoneBody& body,
                                   const ElasticSettings& settings, const Progress* progress) {
  ElasticSetup setup;
  setup.grid = body.body.grid;
  setup.options.progress = progress;
  SINEW_TRY(const GridHarmonic harmonic,
            grid_harmonic(setup.grid, body.handles, {.tolerance = 1e-4, .progress = progress}));
  SINEW_TRY(setup.stiffness, cell_stiffness(rig, surface, setup.grid, harmonic.values, settings));
  SINEW_CHECK(paint_stiffness(rig, setup.grid, settings.stiffness_attribute, setup.stiffness));
  setup.joint_of_vertex = body.handles.of_vertex;
  std::vector<Influence> row;
  for (Eigen::Index v = 0; v < harmonic.values.rows(); ++v) {
    int& joint = setup.joint_of_vertex[static_cast<std::size_t>(v)];
    if (joint < 0 && !(harmonic.values.row(v).sum() > 0.5))
      joint = static_cast<int>(
          nearest_bone(setup.grid.vertex_position(static_cast<std::uint32_t>(v)), surface.bones));
    row.clear();
    for (Eigen::Index b = 0; b < harmonic.values.cols(); ++b)
      if (const double w = harmonic.values(v, b); w > kNegligibleShare)
        row.push_back({static_cast<std::uint32_t>(b), w});
    double sum = 0;
    for (const Influence& influence : row) sum += influence.weight;
    for (Influence& influence : row) influence.weight /= sum;
    setup.start.add_row(row);
  }
  return setup;
}

Result<ElasticSetup> elastic_setup(const Rig& rig, const ElasticSettings& settings,
                                   const Progress* progress) {
  SINEW_TRY(BindingContext context, BindingContext::make(rig, settings.voxels, progress));
  SINEW_TRY(const BoneBody* body, context.elastic_body());
  return elastic_setup(rig, context.surface(), *body, settings, progress);
}

}  // namespace sinew
