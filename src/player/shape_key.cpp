// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/shape_key.h"

#include <Eigen/LU>
#include <cmath>

namespace sinew {

std::size_t add_shape_as_key(Rig& rig, Pose& pose, std::span<const Vec3> shape, const std::string& name) {
  std::vector<Affine3> globals(rig.skeleton.size()), matrices(rig.skeleton.size());
  forward_kinematics(rig.skeleton, pose.local, globals);
  skinning_matrices(rig, globals, matrices);
  std::vector<double> weights = key_weights_of(rig, pose);
  ShapeKey key;
  key.name = name;
  key.default_weight = 1;
  std::size_t singular = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Vec3 rest = rig.mesh.positions[i];
    for (std::size_t k = 0; k < rig.keys.size(); ++k)
      rest += weights[k] * rig.keys[k].deltas[i].cast<double>();
    Mat3 linear = Mat3::Zero();
    Vec3 shift = Vec3::Zero();
    const bool bound = i < rig.weights.vertex_count() && !rig.weights.row(i).empty();
    if (bound)
      for (const Influence& influence : rig.weights.row(i)) {
        linear += influence.weight * matrices[influence.joint].linear();
        shift += influence.weight * matrices[influence.joint].translation();
      }
    else
      linear.setIdentity();
    const bool usable = std::abs(linear.determinant()) > 1e-6 * std::pow(linear.norm(), 3);
    singular += !usable;
    const Vec3 delta = usable ? Vec3(linear.inverse() * (shape[i] - shift) - rest) : Vec3(Vec3::Zero());
    key.deltas.push_back(delta.cast<float>());
  }
  rig.keys.push_back(std::move(key));
  weights.push_back(1);
  pose.key_weights = std::move(weights);
  return singular;
}

}  // namespace sinew
