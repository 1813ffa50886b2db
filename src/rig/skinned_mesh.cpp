// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/skinned_mesh.h"

#include "sinew/core/parallel.h"

namespace sinew {

PolyMesh skinned_mesh(const Rig& rig, const Pose& pose) {
  PolyMesh mesh = rig.mesh;
  if (rig.skeleton.empty() && rig.keys.empty()) return mesh;
  const std::vector<double> keys = key_weights_of(rig, pose);
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, pose.local);
  std::vector<Affine3> matrices(globals.size());
  skinning_matrices(rig, globals, matrices);
  std::vector<Vec3f> normals = normals_of(rig.mesh);
  parallel_for(mesh.vertex_count(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Vec3 p = mesh.positions[i], n = normals[i].cast<double>();
      for (std::size_t k = 0; k < keys.size(); ++k) {
        if (keys[k] == 0) continue;
        p += keys[k] * rig.keys[k].deltas[i].cast<double>();
        if (!rig.keys[k].normal_deltas.empty()) n += keys[k] * rig.keys[k].normal_deltas[i].cast<double>();
      }
      Affine3 blended;
      blended.matrix().setZero();
      bool carried = false;
      if (i < rig.weights.vertex_count())
        for (const Influence& influence : rig.weights.row(i)) {
          blended.matrix() += influence.weight * matrices[influence.joint].matrix();
          carried = true;
        }
      if (carried) {
        const Mat3 linear = blended.linear();
        Mat3 cofactors;
        for (Eigen::Index r = 0; r < 3; ++r)
          cofactors.row(r) = linear.row((r + 1) % 3).cross(linear.row((r + 2) % 3));
        p = linear * p + blended.translation();
        n = (linear.determinant() < 0 ? -1.0 : 1.0) * (cofactors * n);
      }
      mesh.positions[i] = p;
      const double length = n.norm();
      if (length > 0) normals[i] = (n / length).cast<float>();
    }
  });
  mesh.normals = std::move(normals);
  return mesh;
}

}  // namespace sinew
