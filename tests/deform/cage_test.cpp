// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/cage.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"
#include "sinew/volume/harmonic_cage.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A sphere of radius 1 in a box of quads, bound.
struct Caged {
  test::Sample sample;
  Cage cage;

  explicit Caged(bool dynamic,
                 const PolyMesh& around = test::box(Vec3::Constant(-1.3), Vec3::Constant(1.3), 3)) {
    sample.rig.mesh = test::uv_sphere(Vec3::Zero(), 1, 20, 12);
    const TriangleView view = triangulate(sample.rig.mesh);
    for (const Vec3& p : sample.rig.mesh.positions) {
      sample.positions.push_back(p.cast<float>());
      sample.normals.push_back(p.normalized().cast<float>());
    }
    cage.mesh = around;
    cage.resolution = 4;
    cage.dynamic = dynamic;
    const auto solver = HarmonicCage::build(cage.mesh, cage.resolution);
    EXPECT_TRUE(solver.ok());
    const auto volume = solver->solve({.threshold = 1e-5});
    EXPECT_TRUE(volume.ok());
    const CageBinding binding = solver->bind(sample.rig.mesh.positions, cage.reach, volume->rows);
    cage.rows = binding.rows;
    cage.masks = binding.masks;
    cage.volume = volume->rows;
  }

  std::vector<Vec3> controls(const Affine3& motion) const {
    std::vector<Vec3> out;
    for (const Vec3& c : cage.mesh.positions) out.push_back(motion * c);
    return out;
  }
};

class CageDeformer : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Bindings, CageDeformer, testing::Bool(),
                         [](const auto& dynamic) { return dynamic.param ? "dynamic" : "static"; });

TEST_P(CageDeformer, AnUnmovedCageLeavesTheMeshAlone) {
  const Caged caged(GetParam());
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage), caged.sample);
  EXPECT_EQ(out.positions, caged.sample.positions);
  EXPECT_EQ(out.normals, caged.sample.normals);
}

TEST_P(CageDeformer, AffineMotionsOfTheCageMoveTheMeshAlike) {
  const Caged caged(GetParam());
  Affine3 motion = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(0.9, Vec3(1, 1, 0).normalized());
  motion.linear() *= Vec3(1, 1, 2).asDiagonal();
  const auto moved = caged.controls(motion);
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage, moved), caged.sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i].cast<double>() - motion * caged.sample.rig.mesh.positions[i]).norm(), 1e-4)
        << i;
}

TEST_P(CageDeformer, RigidMotionsTurnNormals) {
  const Caged caged(GetParam());
  const Affine3 motion(Eigen::AngleAxisd(1.3, Vec3(0, 1, 2).normalized()));
  const auto moved = caged.controls(motion);
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage, moved), caged.sample);
  for (std::size_t i = 0; i < out.normals.size(); ++i)
    EXPECT_LT(
        (out.normals[i].cast<double>() - motion.linear() * caged.sample.normals[i].cast<double>()).norm(),
        2e-2);
}

// What came before in the stack survives: a static cage adds the same to a keyed vertex.
TEST(StaticCage, KeepsWhatCameBefore) {
  Caged caged(false);
  const auto moved = caged.controls(Affine3(Eigen::Translation3d(0, 1, 0)));
  for (Vec3f& p : caged.sample.positions) p += Vec3f(0.05f, 0, 0);
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage, moved), caged.sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - caged.sample.positions[i] - Vec3f(0, 1, 0)).norm(), 1e-5f);
}

// A dynamic cage at x = p is the static one; elsewhere it takes the coordinates of where the vertex is.
TEST(DynamicCage, EqualsStaticAtRestAndLooksUpElsewhere) {
  Caged fixed(false), dynamic(true);
  std::vector<Vec3> moved = fixed.cage.mesh.positions;
  for (Vec3& c : moved) c.y() += 0.4 * c.x() * c.x() + 0.2 * c.z();
  const test::Output a = test::run(build_cage(fixed.sample.rig, fixed.cage, moved), fixed.sample);
  const test::Output b = test::run(build_cage(dynamic.sample.rig, dynamic.cage, moved), dynamic.sample);
  for (std::size_t i = 0; i < a.positions.size(); ++i)
    EXPECT_LT((a.positions[i] - b.positions[i]).norm(), 2e-4f) << i;
  for (Vec3f& p : dynamic.sample.positions) p *= 0.2f;  // into the middle, where the bent cage moves less
  const test::Output inner = test::run(build_cage(dynamic.sample.rig, dynamic.cage, moved), dynamic.sample);
  double differs = 0;
  for (std::size_t i = 0; i < a.positions.size(); ++i)
    differs = std::max<double>(differs, ((inner.positions[i] - dynamic.sample.positions[i]) -
                                         (a.positions[i] - fixed.sample.positions[i]))
                                            .norm());
  EXPECT_GT(differs, 0.1);
}

TEST(LocalCage, LeavesTheRestAlone) {
  const Caged caged(false, test::box(Vec3(0.3, -0.8, -0.8), Vec3(1.3, 0.8, 0.8), 3));
  std::vector<Vec3> moved = caged.cage.mesh.positions;
  for (Vec3& c : moved)
    if (c.x() > 1) c.x() += 0.5;  // the far side is pulled out, the side that cuts the sphere stays
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage, moved), caged.sample);
  double most = 0;
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const float by = (out.positions[i] - caged.sample.positions[i]).norm();
    most = std::max<double>(most, by);
    if (caged.sample.positions[i].x() < 0) {
      EXPECT_LT(by, 1e-6f);
    }
  }
  EXPECT_GT(most, 0.1);
}

// A cage moved as a whole: what it holds goes along, what is farther from it than its reach stays, and
// between the two it fades.
TEST_P(CageDeformer, FadesOutsideTheCageWithItsReach) {
  const Vec3 low(0.3, -0.8, -0.8), high(1.3, 0.8, 0.8), by(0, 0.5, 0);
  const Caged caged(GetParam(), test::box(low, high, 3));
  const auto moved = caged.controls(Affine3(Eigen::Translation3d(by)));
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage, moved), caged.sample);
  const double reach = caged.cage.reach * (high - low).norm();
  std::size_t fading = 0;
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    const Vec3 p = caged.sample.rig.mesh.positions[i];
    const double away = (p - p.cwiseMax(low).cwiseMin(high)).norm();
    const Vec3 shift = (out.positions[i] - caged.sample.positions[i]).cast<double>();
    const double share = shift.y() / by.y();
    EXPECT_LT((shift - share * by).norm(), 1e-5) << i;
    if (away == 0) {
      EXPECT_NEAR(share, 1, 1e-4) << i;
    }
    if (away > reach) {
      EXPECT_EQ(share, 0) << i;
    }
    if (away > 0.05 * reach && away < 0.95 * reach) {
      ++fading;
      EXPECT_GT(share, 0) << i;
      EXPECT_LT(share, 1) << i;
    }
  }
  EXPECT_GT(fading, 5u);
}

// Half of each of two joints: the cage, and all in it, goes by the mean of their ways.
TEST(SkinnedCage, BlendsItsJoints) {
  Caged caged(false);
  caged.sample.rig.skeleton = test::chain(2, Vec3::Zero());
  test::bind(caged.sample);
  for (std::size_t j = 0; j < caged.cage.mesh.vertex_count(); ++j) {
    const std::vector<Influence> row{{0, 0.5}, {1, 0.5}};
    caged.cage.weights.add_row(row);
  }
  const std::vector<Affine3> local{Affine3(Eigen::Translation3d(1, 0, 0)),
                                   Affine3(Eigen::Translation3d(0, 0, 4))};
  test::set_pose(caged.sample, local);
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage), caged.sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - caged.sample.positions[i] - Vec3f(1, 0, 2)).norm(), 1e-4f) << i;
}

TEST(SkinnedCage, FollowsTheJoints) {
  Caged caged(false);
  caged.sample.rig.skeleton = test::chain(1, Vec3::Zero());
  test::bind(caged.sample);
  for (std::size_t j = 0; j < caged.cage.mesh.vertex_count(); ++j) {
    const std::vector<Influence> row{{0, 1.0}};
    caged.cage.weights.add_row(row);
  }
  const Affine3 motion = Eigen::Translation3d(2, 0, 1) * Eigen::AngleAxisd(0.7, Vec3::UnitY());
  const std::vector<Affine3> local{motion};
  test::set_pose(caged.sample, local);
  const test::Output out = test::run(build_cage(caged.sample.rig, caged.cage), caged.sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i].cast<double>() - motion * caged.sample.rig.mesh.positions[i]).norm(), 1e-4);
}

TEST(CageDeformers, SayWhatIsWrong) {
  Caged caged(false);
  const std::vector<Vec3> few(3, Vec3::Zero());
  EXPECT_EQ(build_cage(caged.sample.rig, caged.cage, few).error().code, ErrorCode::kUsage);
  caged.cage.rows = {};
  EXPECT_EQ(build_cage(caged.sample.rig, caged.cage).error().code, ErrorCode::kBadInput);
  Caged changed(true);
  changed.cage.resolution = 5;
  EXPECT_EQ(build_cage(changed.sample.rig, changed.cage).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace sinew
