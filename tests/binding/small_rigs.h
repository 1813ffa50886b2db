// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sinew/binding/bind.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/player/pose_request.h"
#include "support/deform_choice.h"
#include "support/shapes.h"

namespace sinew::test {

struct SmallJoint {
  int parent;
  Vec3 head;                 // world
  Vec3 tail = Vec3::Zero();  // world; used at leaves
};

// A mesh with joints j0, j1, ... that have the world's axes; not bound.
inline Rig small_rig(const PolyMesh& mesh, const std::vector<SmallJoint>& joints) {
  Rig rig;
  rig.mesh = mesh;
  rig.parts.push_back({"mesh", 0, mesh.vertex_count(), 0, mesh.face_count()});
  std::vector<Joint> made;
  for (const SmallJoint& given : joints) {
    Joint joint;
    joint.name = "j" + std::to_string(made.size());
    joint.parent = given.parent;
    const Vec3 above = given.parent < 0 ? Vec3(0, 0, 0) : joints[static_cast<std::size_t>(given.parent)].head;
    joint.rest_local = Affine3(Eigen::Translation3d(given.head - above));
    joint.tail = given.tail - given.head;
    made.push_back(joint);
  }
  auto skeleton = Skeleton::create(std::move(made));
  EXPECT_TRUE(skeleton.ok());
  if (skeleton.ok()) set_skeleton(rig, *std::move(skeleton));
  return rig;
}

// A closed bar of radius 0.5 along x from 0 to 4, two bones that meet in the middle.
inline Rig small_bar() {
  return small_rig(capped_cylinder(0.5, 4, 16, 17),
                   {{-1, Vec3(0.2, 0, 0)}, {0, Vec3(2, 0, 0), Vec3(3.8, 0, 0)}});
}

inline double largest_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

inline bool all_finite(const std::vector<Vec3>& points) {
  return std::all_of(points.begin(), points.end(), [](const Vec3& p) { return p.allFinite(); });
}

// The mesh with one joint turned; empty where the deformer failed.
inline std::vector<Vec3> turned(const Rig& rig, const std::string& joint, const Vec3& degrees,
                                const DeformChoice& choice) {
  auto pose = make_pose(rig, {.turns = {{joint, degrees}}});
  EXPECT_TRUE(pose.ok());
  if (!pose.ok()) return {};
  auto mesh = posed_mesh(rig, *pose, choice);
  EXPECT_TRUE(mesh.ok()) << deformer_of(choice.stack) << ": " << (mesh.ok() ? "" : mesh.error().message);
  return mesh.ok() ? mesh->positions : std::vector<Vec3>();
}

}  // namespace sinew::test
