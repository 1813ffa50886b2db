// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/rig.h"

#include <cassert>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

bool is_invertible(const Affine3& transform) {
  const Mat3 linear = transform.linear();
  const double size = linear.norm();
  // Relative, since inverse binds of characters in centimetres or inches have determinants far from 1.
  return std::abs(linear.determinant()) > 1e-14 * size * size * size;
}

}  // namespace

const VertexAttribute* Rig::attribute(std::string_view name) const {
  for (const VertexAttribute& one : attributes)
    if (one.name == name) return &one;
  return nullptr;
}

std::vector<Affine3> bind_transforms(const Rig& rig) {
  assert(rig.inverse_bind.size() == rig.skeleton.size());
  std::vector<Affine3> transforms(rig.inverse_bind.size());
  std::vector<Affine3> rest;
  for (std::size_t j = 0; j < transforms.size(); ++j) {
    if (is_invertible(rig.inverse_bind[j])) {
      transforms[j] = rig.inverse_bind[j].inverse();
      if (transforms[j].matrix().allFinite()) continue;
    }
    if (rest.empty()) rest = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
    transforms[j] = rest[j];
  }
  return transforms;
}

void skinning_matrices(const Rig& rig, std::span<const Affine3> globals,
                       std::span<Affine3> matrices) noexcept {
  assert(globals.size() == rig.inverse_bind.size() && matrices.size() == globals.size());
  for (std::size_t j = 0; j < globals.size(); ++j) matrices[j] = globals[j] * rig.inverse_bind[j];
}

std::vector<double> key_weights_of(const Rig& rig, const Pose& pose) {
  std::vector<double> weights(rig.keys.size());
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = k < pose.key_weights.size() ? pose.key_weights[k] : rig.keys[k].default_weight;
  return weights;
}

std::vector<float> carry_endpoints(const SkinWeights& before, std::span<const float> values,
                                   const SkinWeights& after) {
  assert(before.vertex_count() == after.vertex_count() && values.size() == before.entries.size());
  std::vector<float> carried(after.entries.size(), std::numeric_limits<float>::quiet_NaN());
  parallel_for(after.vertex_count(), 8192, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t to = after.offsets[i]; to < after.offsets[i + 1]; ++to)
        for (std::size_t from = before.offsets[i]; from < before.offsets[i + 1]; ++from)
          if (before.entries[from].joint == after.entries[to].joint) carried[to] = values[from];
  });
  return carried;
}

}  // namespace sinew
