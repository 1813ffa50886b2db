// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/mesh/weld.h"
#include "sinew/weights/bone_weights.h"
#include "support/shapes.h"

namespace sinew::test {

// A mesh welded as the binding does it, with bones: what a weight method reads.
struct BoneProblem {
  WeldedTriangles welded;
  std::vector<Bone> bones;

  BoneProblem(const PolyMesh& mesh, std::vector<Bone> with) : bones(std::move(with)) {
    const TriangleView view = triangulate(mesh);
    welded = weld_triangles({mesh.positions, view.triangles});
  }
  BindInput input() const { return {welded.view(), bones}; }
};

// A closed bar along x with two bones that meet in its middle.
inline BoneProblem two_bone_bar(int rings = 33) {
  return {capped_cylinder(0.5, 4, 16, rings),
          {{0, Vec3(0.2, 0, 0), Vec3(2, 0, 0)}, {1, Vec3(2, 0, 0), Vec3(3.8, 0, 0)}}};
}

inline std::vector<Bone> transformed_bones(std::vector<Bone> bones, const Affine3& transform) {
  for (Bone& bone : bones) bone = {bone.joint, transform * bone.head, transform * bone.tail};
  return bones;
}

// Largest distance of a bound row's sum from 1, and of a value from [0, 1].
inline double partition_error(const BoneWeights& weights) {
  double worst = 0;
  for (Eigen::Index i = 0; i < weights.values.rows(); ++i) {
    if (!weights.bound[static_cast<std::size_t>(i)]) continue;
    worst = std::max({worst, std::abs(weights.values.row(i).sum() - 1), -weights.values.row(i).minCoeff(),
                      weights.values.row(i).maxCoeff() - 1});
  }
  return worst;
}

}  // namespace sinew::test
