// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/islands.h"

#include <gtest/gtest.h>

#include <set>

#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/rig/skinned_mesh.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// The faces of a body whose middle `wanted` holds, moved out along their normals: a garment.
template <class Wanted>
PolyMesh garment(const PolyMesh& body, double distance, Wanted&& wanted) {
  PolyMesh made;
  std::vector<int> place(body.vertex_count(), -1);
  made.face_offsets.assign(1, 0);
  for (std::size_t f = 0; f < body.face_count(); ++f) {
    Vec3 middle = Vec3::Zero();
    for (const std::uint32_t v : body.face(f)) middle += body.positions[v];
    if (!wanted(Vec3(middle / static_cast<double>(body.face(f).size())))) continue;
    for (const std::uint32_t v : body.face(f)) {
      if (place[v] < 0) {
        place[v] = static_cast<int>(made.positions.size());
        made.positions.push_back(body.positions[v] + distance * body.normals[v].cast<double>().normalized());
      }
      made.face_vertices.push_back(static_cast<std::uint32_t>(place[v]));
    }
    made.face_offsets.push_back(static_cast<std::uint32_t>(made.face_vertices.size()));
  }
  return made;
}

// A cone without caps around the legs, from the hips down.
PolyMesh skirt(double top, double bottom, double narrow, double wide) {
  PolyMesh made = test::cylinder(1, 1, 40, 24);
  for (Vec3& p : made.positions) {
    const double radius = narrow + (wide - narrow) * p.x();
    p = Vec3(radius * p.y(), top + (bottom - top) * p.x(), 0.75 * radius * p.z());
  }
  return made;
}

struct Dressed {
  Rig rig;                         // not bound
  std::vector<std::size_t> begin;  // first vertex of each part, and the end
};

Dressed dress(const std::vector<std::pair<std::string, PolyMesh>>& parts, const Skeleton& skeleton) {
  Dressed dressed;
  std::vector<PolyMesh> meshes;
  std::size_t faces = 0;
  dressed.begin.push_back(0);
  for (const auto& [name, mesh] : parts) {
    dressed.rig.parts.push_back({name, dressed.begin.back(), mesh.vertex_count(), faces, mesh.face_count()});
    dressed.begin.push_back(dressed.begin.back() + mesh.vertex_count());
    faces += mesh.face_count();
    meshes.push_back(mesh);
  }
  dressed.rig.mesh = test::joined(meshes);
  set_skeleton(dressed.rig, skeleton);
  return dressed;
}

class Clothes : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Rig body = *make_character("biped", {.resolution = 4000});
    const auto y = [](const Vec3& p) { return p.y(); };
    const double height = bounding_box(body.mesh.positions).sizes().y();
    const Vec3 chest(0, 0.75 * height, 0.2 * height);
    dressed_ = new Dressed(dress(
        {{"body", body.mesh},
         {"shirt", garment(body.mesh, 0.004 * height,
                           [&](const Vec3& p) {
                             return y(p) > 0.5 * height && y(p) < 0.82 * height &&
                                    std::abs(p.x()) < 0.3 * height;
                           })},
         {"trousers", garment(body.mesh, 0.004 * height,
                              [&](const Vec3& p) { return y(p) > 0.1 * height && y(p) < 0.48 * height; })},
         {"skirt", skirt(0.5 * height, 0.25 * height, 0.11 * height, 0.2 * height)},
         {"button", test::uv_sphere(chest - Vec3(0, 0, 0.1 * height), 0.01 * height, 8, 6)},
         {"sword", sword(body, height)}},
        body.skeleton));
    bound_ = new Rig(dressed_->rig);
    const auto report = bind(*bound_, {.method = "heat"});
    ASSERT_TRUE(report.ok()) << report.error().message;
    report_ = new BindReport(*report);
  }
  static void TearDownTestSuite() {
    delete dressed_;
    delete bound_;
    delete report_;
  }

  // A blade through the left fist, along z.
  static PolyMesh sword(const Rig& body, double height) {
    const Vec3 hand =
        bind_transforms(body)[*body.skeleton.find("LeftHand")].translation() + Vec3(0.04 * height, 0, 0);
    return test::box(hand - Vec3(0.005, 0.01, 0.05) * height, hand + Vec3(0.005, 0.01, 0.5) * height, 24);
  }
  static std::set<std::vector<std::pair<std::uint32_t, double>>> rows_of(const Rig& rig, std::size_t part) {
    std::set<std::vector<std::pair<std::uint32_t, double>>> rows;
    for (std::size_t i = dressed_->begin[part]; i < dressed_->begin[part + 1]; ++i) {
      std::vector<std::pair<std::uint32_t, double>> row;
      for (const Influence& influence : rig.weights.row(i))
        row.emplace_back(influence.joint, influence.weight);
      rows.insert(row);
    }
    return rows;
  }
  static Dressed* dressed_;
  static Rig* bound_;
  static BindReport* report_;
};
Dressed* Clothes::dressed_ = nullptr;
Rig* Clothes::bound_ = nullptr;
BindReport* Clothes::report_ = nullptr;

TEST_F(Clothes, WhatIsWhatIsDecidedAndReported) {
  EXPECT_EQ(report_->layers, 4u) << "the legs of the trousers are two";
  EXPECT_EQ(report_->rigid, 2u);
}

TEST_F(Clothes, ASwordMovesWithTheHandThatHoldsIt) {
  const auto rows = rows_of(*bound_, 5);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows.begin()->size(), 1u);
  EXPECT_EQ(bound_->skeleton[rows.begin()->front().first].name, "LeftHand");
}

TEST_F(Clothes, AButtonMovesAsOne) {
  const auto rows = rows_of(*bound_, 4);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.begin()->size(), 1u);
}

// What a strong pose pushes through a garment: vertices of it that lie inside the posed body, and how deep.
TEST_F(Clothes, GarmentsDoNotSinkIntoTheBodyInStrongPoses) {
  const std::vector<std::vector<std::pair<std::string, Vec3>>> poses = {
      {{"LeftArm", Vec3(0, 0, 70)}, {"RightArm", Vec3(0, 0, -70)}},
      {{"LeftForeArm", Vec3(0, -110, 0)}, {"RightForeArm", Vec3(0, 110, 0)}},
      {{"LeftUpLeg", Vec3(-80, 0, 0)}, {"LeftLeg", Vec3(90, 0, 0)}},
      {{"Spine", Vec3(30, 0, 0)}, {"Spine1", Vec3(0, 40, 0)}},
      {{"LeftForeArm", Vec3(80, 0, 0)}, {"Head", Vec3(0, 60, 0)}}};
  const PolyMesh& rest = dressed_->rig.mesh;
  const double diagonal = bounding_box(rest.positions).diagonal().norm();
  const auto depths = [&](const std::vector<Vec3>& positions) {
    std::vector<Triangle> body;
    for (const Triangle& t : triangulate(rest).triangles)
      if (t[0] < dressed_->begin[1]) body.push_back(t);
    const WindingNumber winding({positions, body});
    const Bvh bvh({positions, body});
    std::vector<double> depth(positions.size(), 0);
    for (std::size_t i = dressed_->begin[1]; i < dressed_->begin[4]; ++i)
      if (winding(positions[i]) > 0.5) depth[i] = std::sqrt(bvh.nearest(positions[i]).squared_distance);
    return depth;
  };
  const std::vector<double> before = depths(rest.positions);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    Pose pose = rest_pose(bound_->skeleton);
    for (const auto& [joint, degrees] : poses[k])
      rotate_joint(bound_->skeleton, *bound_->skeleton.find(joint), degrees, pose);
    const std::vector<double> after = depths(skinned_mesh(*bound_, pose).positions);
    for (std::size_t part = 1; part < 4; ++part) {
      double deepest = 0;
      for (std::size_t i = dressed_->begin[part]; i < dressed_->begin[part + 1]; ++i)
        deepest = std::max(deepest, after[i] - before[i]);
      EXPECT_LT(deepest, 0.005 * diagonal) << "pose " << k << ", part " << part;
    }
  }
}

// Where nothing lies beneath a skirt its rows go on smoothly: no edge tears.
TEST_F(Clothes, ASkirtIsSmoothBelowTheBody) {
  const PolyMesh& mesh = dressed_->rig.mesh;
  double largest = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    for (std::size_t k = 0; k < mesh.face(f).size(); ++k) {
      const std::uint32_t a = mesh.face(f)[k], b = mesh.face(f)[(k + 1) % mesh.face(f).size()];
      if (a < dressed_->begin[3] || a >= dressed_->begin[4]) continue;
      std::vector<double> difference(bound_->skeleton.size(), 0);
      for (const Influence& influence : bound_->weights.row(a))
        difference[influence.joint] += influence.weight;
      for (const Influence& influence : bound_->weights.row(b))
        difference[influence.joint] -= influence.weight;
      double sum = 0;
      for (const double d : difference) sum += std::abs(d);
      largest = std::max(largest, sum);
    }
  EXPECT_LT(largest, 0.67) << "of 2, from one leg to the other";
}

TEST_F(Clothes, WhatIsWhatCanBeSaid) {
  Rig rig = dressed_->rig;
  const auto report =
      bind(rig, {.method = "heat", .islands = {.decide = false, .layers = {"shirt"}, .rigid = {"skirt"}}});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->layers, 1u);
  EXPECT_EQ(report->rigid, 1u);
  EXPECT_EQ(rows_of(rig, 3).size(), 1u);
  EXPECT_EQ(report->islands, 7u);
  const auto unknown = bind(rig, {.method = "heat", .islands = {.rigid = {"shrit"}}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_NE(unknown.error().message.find("shrit"), std::string::npos);
}

// --- binding anew what a file has bound ---

TEST_F(Clothes, WhatOneJointMovesInTheFileStaysSo) {
  Rig rig = *bound_;
  const std::uint32_t head = static_cast<std::uint32_t>(*rig.skeleton.find("Head"));
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    if (i >= dressed_->begin[3] && i < dressed_->begin[4])
      weights.add_row(std::vector<Influence>{{head, 1.0}});
    else
      weights.add_row(rig.weights.row(i));
  rig.weights = weights;
  ASSERT_TRUE(bind(rig, {.method = "heat"}).ok());
  const auto rows = rows_of(rig, 3);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows.begin()->front().first, head);
}

TEST_F(Clothes, JointsThatTheFileLeavesOutGetNoWeightUnlessNamed) {
  Rig rig = *bound_;
  const std::uint32_t foot = static_cast<std::uint32_t>(*rig.skeleton.find("LeftFoot"));
  const std::uint32_t leg = static_cast<std::uint32_t>(*rig.skeleton.find("LeftLeg"));
  for (Influence& influence : rig.weights.entries)
    if (influence.joint == foot) influence.joint = leg;
  const auto holds = [&](const Rig& made) {
    return std::any_of(made.weights.entries.begin(), made.weights.entries.end(),
                       [&](const Influence& influence) { return influence.joint == foot; });
  };
  Rig left = rig, named = rig;
  const auto report = bind(left, {.method = "heat"});
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(holds(left));
  EXPECT_GE(report->idle_joints, 1u);
  ASSERT_TRUE(bind(named, {.method = "heat", .added_joints = {"LeftFoot"}}).ok());
  EXPECT_TRUE(holds(named));
  EXPECT_FALSE(bind(named, {.method = "heat", .added_joints = {"LeftFot"}}).ok());
}

}  // namespace
}  // namespace sinew
