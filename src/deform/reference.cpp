// SPDX-License-Identifier: Apache-2.0
// Written from the formulas with the math module alone, so that a fault in the kernels or their tables shows.
#include "sinew/deform/reference.h"

#include <cassert>
#include <numbers>

#include "deform/joint_centres.h"
#include "sinew/math/dual_quaternion.h"
#include "sinew/math/polar.h"
#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

// Unit vector along L^-T n; n where that vanishes.
Vec3 transform_normal(const Mat3& linear, const Vec3& n) {
  Mat3 cofactors;
  for (int row = 0; row < 3; ++row)
    cofactors.row(row) = linear.row((row + 1) % 3).cross(linear.row((row + 2) % 3));
  const Vec3 normal = (linear.determinant() < 0 ? -1.0 : 1.0) * (cofactors * n);
  return normal.norm() > 1e-18 ? normal.normalized() : n;
}

std::vector<Influence> normalised_row(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& influence : row) sum += influence.weight;
  if (std::abs(sum) <= 1e-12) return {};
  std::vector<Influence> result(row.begin(), row.end());
  for (Influence& influence : result) influence.weight /= sum;
  return result;
}

// One vertex: what goes in and what comes out.
struct Vertex {
  Vec3 position = Vec3::Zero(), normal = Vec3::Zero();
};

Mat3 blended_linear(std::span<const Influence> row, std::span<const Affine3> matrices) {
  Mat3 linear = Mat3::Zero();
  for (const Influence& influence : row) linear += influence.weight * matrices[influence.joint].linear();
  return linear;
}

Vec3 blended_point(std::span<const Influence> row, std::span<const Affine3> matrices, const Vec3& point) {
  Vec3 sum = Vec3::Zero();
  for (const Influence& influence : row) sum += influence.weight * (matrices[influence.joint] * point);
  return sum;
}

Vertex lbs_vertex(std::span<const Influence> row, std::span<const Affine3> matrices, const Vertex& rest) {
  if (row.empty()) return rest;
  return {blended_point(row, matrices, rest.position),
          transform_normal(blended_linear(row, matrices), rest.normal)};
}

Vertex dqs_vertex(std::span<const Influence> given, std::span<const Affine3> matrices,
                  std::span<const Affine3> bind, const Vertex& rest) {
  const std::vector<Influence> row = normalised_row(given);
  if (row.empty()) return rest;
  std::vector<DualQuat> rigid;
  std::vector<double> weights;
  Mat3 stretch = Mat3::Zero();
  Vec3 stretched = Vec3::Zero();
  for (const Influence& influence : row) {
    const Affine3& matrix = matrices[influence.joint];
    const Vec3 head = bind[influence.joint].translation();
    const Polar polar = polar_decomposition(matrix.linear());
    rigid.push_back(dual_quaternion(Quat(polar.rotation), matrix * head - polar.rotation * head));
    weights.push_back(influence.weight);
    stretch += influence.weight * polar.stretch;
    stretched += influence.weight * (head + polar.stretch * (rest.position - head));
  }
  const DualQuat blended = blend_rigid(rigid, weights);
  return {transform_point(blended, stretched),
          transform_vector(blended, transform_normal(stretch, rest.normal))};
}

Quat blend_logs(std::span<const Quat> rotations, std::span<const double> weights) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < rotations.size(); ++k) {
    const Vec3 log = log_rotation(rotations[0].conjugate() * rotations[k]);
    if (log.norm() > 170 * std::numbers::pi / 180) return blend_rotations(rotations, weights);
    sum += weights[k] * log;
  }
  return rotations[0] * exp_rotation(sum);
}

Vertex decomposed_vertex(std::span<const Influence> given, const std::optional<Vec3>& centre,
                         std::span<const Affine3> matrices, RotationBlend blend, const Vertex& rest) {
  const std::vector<Influence> row = normalised_row(given);
  if (!centre || row.empty()) return lbs_vertex(row, matrices, rest);
  std::vector<Quat> rotations;
  std::vector<double> weights;
  Mat3 stretch = Mat3::Zero();
  for (const Influence& influence : row) {
    const Polar polar = polar_decomposition(matrices[influence.joint].linear());
    rotations.emplace_back(polar.rotation);
    weights.push_back(influence.weight);
    stretch += influence.weight * polar.stretch;
  }
  const Quat rotation =
      blend == RotationBlend::kPolar ? blend_rotations(rotations, weights) : blend_logs(rotations, weights);
  return {rotation * (stretch * (rest.position - *centre)) + blended_point(row, matrices, *centre),
          rotation * transform_normal(stretch, rest.normal)};
}

// Calls vertex(i, rest) for every vertex and writes what it returns.
template <class PerVertex>
void for_each_vertex(const FrameInput& input, const ReferenceOutput& out, PerVertex&& vertex) {
  assert(out.positions.size() == input.positions.size());
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    Vertex rest;
    rest.position = input.positions[i].cast<double>();
    if (!out.normals.empty()) rest.normal = input.normals[i].cast<double>();
    const Vertex moved = vertex(i, rest);
    out.positions[i] = moved.position;
    if (!out.normals.empty()) out.normals[i] = moved.normal;
  }
}

}  // namespace

void reference_lbs(const Rig& rig, const FrameInput& input, const ReferenceOutput& out) {
  for_each_vertex(input, out, [&](std::size_t i, const Vertex& rest) {
    return lbs_vertex(rig.weights.row(i), input.matrices, rest);
  });
}

void reference_dqs(const Rig& rig, const FrameInput& input, const ReferenceOutput& out) {
  const std::vector<Affine3> bind = bind_transforms(rig);
  for_each_vertex(input, out, [&](std::size_t i, const Vertex& rest) {
    return dqs_vertex(rig.weights.row(i), input.matrices, bind, rest);
  });
}

void reference_mix(const Rig& rig, const FrameInput& input, std::span<const double> mix,
                   const ReferenceOutput& out) {
  const std::vector<Affine3> bind = bind_transforms(rig);
  for_each_vertex(input, out, [&](std::size_t i, const Vertex& rest) {
    const Vertex lbs = lbs_vertex(rig.weights.row(i), input.matrices, rest);
    const Vertex dqs = dqs_vertex(rig.weights.row(i), input.matrices, bind, rest);
    const Vec3 normal = (1 - mix[i]) * lbs.normal + mix[i] * dqs.normal;
    return Vertex{(1 - mix[i]) * lbs.position + mix[i] * dqs.position,
                  normal.norm() > 1e-18 ? normal.normalized() : lbs.normal};
  });
}

void reference_decomposed(const Rig& rig, const FrameInput& input, RotationBlend blend,
                          const ReferenceOutput& out) {
  std::vector<Vec3> heads;
  for (const Affine3& bind : bind_transforms(rig)) heads.push_back(bind.translation());
  for_each_vertex(input, out, [&](std::size_t i, const Vertex& rest) {
    const auto row = rig.weights.row(i);
    return decomposed_vertex(row, centre_of_row(rig.skeleton, heads, row), input.matrices, blend, rest);
  });
}

}  // namespace sinew
