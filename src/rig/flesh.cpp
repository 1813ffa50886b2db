// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/flesh.h"

#include <algorithm>
#include <cmath>

#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

constexpr float kSteps = 127;

// Steps of each mode and its whole numbers.
void to_steps(const Eigen::MatrixXf& values, std::vector<float>& steps, Eigen::MatrixXf& whole) {
  whole.resize(values.rows(), values.cols());
  steps.clear();
  for (Eigen::Index m = 0; m < values.cols(); m += 3) {
    const auto block = values.middleCols(m, 3);
    const float most = block.size() > 0 ? block.cwiseAbs().maxCoeff() : 0.0f;
    steps.push_back(most / kSteps);
    auto out = whole.middleCols(m, 3);
    if (most > 0)
      out = (block * (kSteps / most)).array().round().matrix();
    else
      out.setZero();
  }
}

}  // namespace

FleshField quantise_field(std::uint32_t joint, std::span<const std::uint32_t> vertices,
                          std::span<const float> twist, std::span<const float> mixes,
                          std::span<const std::uint8_t> fine, std::span<const float> steps,
                          const Eigen::MatrixXf& values) {
  constexpr float kMostFine = 254, kTwistSteps = 255;
  FleshField field;
  field.joint = joint;
  field.mixes.assign(mixes.begin(), mixes.end());
  const Eigen::Index modes = values.cols() / 3;
  Eigen::MatrixXi coarse(values.rows(), values.cols()), rest(values.rows(), 0);
  std::vector<float> rest_steps;
  for (Eigen::Index m = 0; m < modes; ++m) {
    const auto at = static_cast<std::size_t>(m);
    const auto block = values.middleCols(3 * m, 3);
    const float least = (block.size() > 0 ? block.cwiseAbs().maxCoeff() : 0.0f) / kSteps;
    const bool is_fine = at < fine.size() && fine[at];
    float step = at < steps.size() ? steps[at] : is_fine ? least / kMostFine : least;
    step = std::max(step, is_fine ? least / kMostFine : least);
    const float ratio = step > 0 ? std::ceil(least / step) : 1;  // of 8 bits' steps to the fine ones
    field.steps.push_back(ratio > 1 ? ratio * step : step);
    const Eigen::MatrixXi whole = step > 0
                                      ? Eigen::MatrixXi((block / step).array().round().matrix().cast<int>())
                                      : Eigen::MatrixXi(Eigen::MatrixXi::Zero(block.rows(), 3));
    if (ratio <= 1) {
      coarse.middleCols(3 * m, 3) = whole;
      continue;
    }
    const auto by = static_cast<int>(ratio);
    coarse.middleCols(3 * m, 3) =
        whole.unaryExpr([&](int number) { return static_cast<int>(std::floor((number + 0.5 * by) / by)); });
    rest.conservativeResize(Eigen::NoChange, rest.cols() + 3);
    rest.rightCols(3) = whole - by * coarse.middleCols(3 * m, 3);
    rest_steps.push_back(step);
    const auto mix = field.mixes.begin() + static_cast<std::ptrdiff_t>(m) * kTurnFunctions;
    const std::vector<float> same(mix, mix + kTurnFunctions);
    field.mixes.insert(field.mixes.end(), same.begin(), same.end());
  }
  field.steps.insert(field.steps.end(), rest_steps.begin(), rest_steps.end());
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const auto row = static_cast<Eigen::Index>(v);
    if (coarse.row(row).isZero()) continue;
    field.vertices.push_back(vertices[v]);
    field.twist.push_back(std::round(twist[v] * kTwistSteps) / kTwistSteps);
    for (const Eigen::MatrixXi* numbers : {&coarse, &rest})
      for (Eigen::Index k = 0; k < numbers->cols(); ++k)
        field.values.push_back(static_cast<std::int8_t>((*numbers)(row, k)));
  }
  return field;
}

std::vector<FleshTilt> flesh_tilts(const PolyMesh& mesh, const Flesh& flesh) {
  constexpr double kSmall = 1e-5;  // of the mesh: how far fields move it to see its normals tilt
  std::vector<FleshTilt> tilts(flesh.fields.size());
  const TriangleView view = triangulate(mesh);
  const WeldedTriangles welded = weld_triangles({mesh.positions, view.triangles});
  const std::vector<std::uint32_t>& to_welded = welded.weld.to_welded;
  const std::vector<Vec3>& rest = welded.weld.positions;
  const double step = kSmall * bounding_box(rest).diagonal().norm();
  std::vector<std::int64_t> local(rest.size(), -1);
  for (std::size_t k = 0; k < flesh.fields.size(); ++k) {
    const FleshField& field = flesh.fields[k];
    const std::size_t modes = field.modes();
    FleshTilt& tilt = tilts[k];
    tilt.steps.assign(modes, 0.0f);
    tilt.values.assign(field.values.size(), 0);
    // The triangles that the field moves, by numbers of their own.
    std::fill(local.begin(), local.end(), -1);
    std::vector<std::uint8_t> moved(rest.size(), 0);
    for (const std::uint32_t v : field.vertices) moved[to_welded[v]] = 1;
    std::vector<Vec3> points;
    std::vector<Triangle> triangles;
    const auto number = [&](std::uint32_t p) {
      if (local[p] < 0) {
        local[p] = static_cast<std::int64_t>(points.size());
        points.push_back(rest[p]);
      }
      return static_cast<std::uint32_t>(local[p]);
    };
    for (const Triangle& t : welded.triangles)
      if (moved[t[0]] || moved[t[1]] || moved[t[2]])
        triangles.push_back({number(t[0]), number(t[1]), number(t[2])});
    const std::vector<Vec3> before = vertex_normals({points, triangles});
    Eigen::MatrixXf all = Eigen::MatrixXf::Zero(static_cast<Eigen::Index>(field.vertices.size()),
                                                static_cast<Eigen::Index>(3 * modes));
    for (std::size_t f = 0; f < modes; ++f) {
      const double scale = step / kSteps;  // of one of the field's steps
      std::vector<Vec3> shifted = points;
      for (std::size_t v = 0; v < field.vertices.size(); ++v)
        if (const std::int64_t at = local[to_welded[field.vertices[v]]]; at >= 0) {
          const std::int8_t* value = &field.values[3 * (v * modes + f)];
          shifted[static_cast<std::size_t>(at)] =
              points[static_cast<std::size_t>(at)] + scale * Vec3(value[0], value[1], value[2]);
        }
      const std::vector<Vec3> after = vertex_normals({shifted, triangles});
      for (std::size_t v = 0; v < field.vertices.size(); ++v)
        if (const std::int64_t at = local[to_welded[field.vertices[v]]]; at >= 0)
          all.row(static_cast<Eigen::Index>(v)).segment<3>(static_cast<Eigen::Index>(3 * f)) =
              (static_cast<double>(field.steps[f]) / scale *
               (after[static_cast<std::size_t>(at)] - before[static_cast<std::size_t>(at)]))
                  .transpose()
                  .cast<float>();
    }
    Eigen::MatrixXf whole;
    to_steps(all, tilt.steps, whole);
    for (Eigen::Index v = 0; v < whole.rows(); ++v)
      for (Eigen::Index c = 0; c < whole.cols(); ++c)
        tilt.values[static_cast<std::size_t>(v * whole.cols() + c)] = static_cast<std::int8_t>(whole(v, c));
  }
  return tilts;
}

std::optional<FieldDrive> field_drive(const FleshField& field, std::span<const JointMove> moves) noexcept {
  const JointMove& move = moves[field.joint];
  if (move.still || (field.partner && moves[field.partner->joint].still)) return std::nullopt;
  const Vec3 turn = field.range.clamp(move.turn);
  FieldDrive drive{turn, TurnParts(turn)};
  if (field.partner)
    drive.parts.factors = pair_factors(turn, field.partner->range.clamp(moves[field.partner->joint].turn));
  return drive;
}

void add_flesh_fields(const Flesh& flesh, std::span<const FleshTilt> tilts, std::span<const JointMove> moves,
                      std::span<Vec3> positions, std::span<Vec3> normals) {
  for (std::size_t k = 0; k < flesh.fields.size(); ++k) {
    const FleshField& field = flesh.fields[k];
    const std::optional<FieldDrive> drive = field_drive(field, moves);
    if (!drive) continue;
    const std::size_t count = field.modes();
    std::vector<double> amounts(count);
    const auto sum = [&](const std::vector<float>& steps, const std::vector<std::int8_t>& values,
                         std::size_t v) {
      Vec3 shift = Vec3::Zero();
      for (std::size_t m = 0; m < count; ++m) {
        const std::int8_t* value = &values[3 * (v * count + m)];
        shift += amounts[m] * static_cast<double>(steps[m]) * Vec3(value[0], value[1], value[2]);
      }
      return shift;
    };
    for (std::size_t v = 0; v < field.vertices.size(); ++v) {
      const double angle = static_cast<double>(field.twist[v]) * drive->turn.z();
      const auto harmonics = drive->parts.harmonics(std::cos(angle), std::sin(angle));
      for (std::size_t m = 0; m < count; ++m) {
        amounts[m] = 0;
        for (std::size_t f = 0; f < kTurnFunctions; ++f)
          amounts[m] += static_cast<double>(field.mixes[m * kTurnFunctions + f]) * drive->parts.factors[f] *
                        harmonics[kHarmonicOf[f]];
      }
      positions[field.vertices[v]] += sum(field.steps, field.values, v);
      if (!normals.empty()) normals[field.vertices[v]] += sum(tilts[k].steps, tilts[k].values, v);
    }
  }
}

}  // namespace sinew
