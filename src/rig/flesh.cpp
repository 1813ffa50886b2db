// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/flesh.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

constexpr float kSteps = 127;

// Steps of each kept function and its whole numbers.
void to_steps(std::span<const std::uint8_t> functions, const Eigen::MatrixXf& values,
              std::vector<float>& steps, Eigen::MatrixXf& whole) {
  whole.resize(values.rows(), static_cast<Eigen::Index>(3 * functions.size()));
  steps.clear();
  for (std::size_t f = 0; f < functions.size(); ++f) {
    const auto block = values.middleCols(3 * functions[f], 3);
    const float most = block.size() > 0 ? block.cwiseAbs().maxCoeff() : 0.0f;
    steps.push_back(most / kSteps);
    auto out = whole.middleCols(static_cast<Eigen::Index>(3 * f), 3);
    if (most > 0)
      out = (block * (kSteps / most)).array().round().matrix();
    else
      out.setZero();
  }
}

}  // namespace

FleshField quantise_field(std::uint32_t joint, std::span<const std::uint32_t> vertices,
                          std::span<const float> twist, std::span<const std::uint8_t> keep,
                          const Eigen::MatrixXf& values, const Eigen::MatrixXf& normals) {
  FleshField field;
  field.joint = joint;
  field.functions.assign(keep.begin(), keep.end());
  Eigen::MatrixXf whole, whole_normals;
  to_steps(keep, values, field.steps, whole);
  to_steps(keep, normals, field.normal_steps, whole_normals);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const auto row = static_cast<Eigen::Index>(v);
    if (whole.row(row).isZero()) continue;
    field.vertices.push_back(vertices[v]);
    field.twist.push_back(twist[v]);
    for (Eigen::Index k = 0; k < whole.cols(); ++k) {
      field.values.push_back(static_cast<std::int8_t>(whole(row, k)));
      field.normals.push_back(static_cast<std::int8_t>(whole_normals(row, k)));
    }
  }
  return field;
}

void add_flesh_fields(const Flesh& flesh, std::span<const JointMove> moves, std::span<Vec3> positions,
                      std::span<Vec3> normals) {
  for (const FleshField& field : flesh.fields) {
    const JointMove& move = moves[field.joint];
    if (move.still) continue;
    const Vec3 turn = flesh.range.clamp(move.turn);
    const std::size_t count = field.functions.size();
    for (std::size_t v = 0; v < field.vertices.size(); ++v) {
      const TurnValues amounts = turn_functions(turn, static_cast<double>(field.twist[v]));
      Vec3 shift = Vec3::Zero(), tilt = Vec3::Zero();
      for (std::size_t f = 0; f < count; ++f) {
        const double amount = amounts[field.functions[f]];
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t at = 3 * (v * count + f) + c;
          const auto k = static_cast<Eigen::Index>(c);
          shift[k] += amount * static_cast<double>(field.steps[f]) * field.values[at];
          tilt[k] += amount * static_cast<double>(field.normal_steps[f]) * field.normals[at];
        }
      }
      positions[field.vertices[v]] += shift;
      if (!normals.empty()) normals[field.vertices[v]] += tilt;
    }
  }
}

}  // namespace sinew
