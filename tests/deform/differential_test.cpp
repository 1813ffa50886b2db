// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/differential.h"

#include <gtest/gtest.h>

#include <atomic>

#include "deform/key_samples.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"
#include "sinew/math/rotation_fit.h"

namespace sinew {
namespace {

using test::farthest;

using test::tube;

void turn(test::Sample& sample, double degrees, const Vec3& axis = Vec3::UnitZ(),
          const Affine3& whole = Affine3::Identity()) {
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0] = whole * local[0];
  local[1].rotate(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
  test::set_pose(sample, local);
}

double volume(const test::Sample& sample, std::span<const Vec3f> positions) {
  PolyMesh mesh = sample.rig.mesh;
  for (std::size_t i = 0; i < positions.size(); ++i) mesh.positions[i] = positions[i].cast<double>();
  return test::enclosed_volume(mesh);
}

TEST(Differential, RestIsTheIdentityOnEveryShape) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    const test::Sample sample = tube(shape.mesh);
    const test::Output out = test::run(build_differential(sample.rig), sample);
    EXPECT_LT(farthest(out.positions, sample.positions),
              1e-5 * bounding_box(shape.mesh.positions).diagonal().norm())
        << shape.name;
  }
}

TEST(Differential, RigidMotionsAreExact) {
  test::Sample sample = tube();
  const Affine3 whole = Eigen::Translation3d(3, -2, 5) * Eigen::AngleAxisd(2.1, Vec3(1, 2, 3).normalized());
  turn(sample, 0, Vec3::UnitZ(), whole);
  const test::Output out = test::run(build_differential(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    EXPECT_LT((out.positions[i].cast<double>() - whole * sample.rig.mesh.positions[i]).norm(), 5e-6);
    EXPECT_LT((out.normals[i].cast<double>() - whole.linear() * sample.normals[i].cast<double>()).norm(),
              1e-4);
  }
}

TEST(Differential, ComponentsKeepTheCentresOfLinearBlending) {
  test::Sample sample =
      tube(test::joined({test::capped_cylinder(0.4, 4, 24, 41),
                         test::transformed(test::random_blob(2), Affine3(Eigen::Translation3d(2, 3, 0)))}));
  turn(sample, 80);
  const auto surface = PoissonSurface::build(sample.rig.mesh);
  ASSERT_TRUE(surface.ok());
  ASSERT_EQ(surface->component_count(), 2u);
  std::vector<Vec3> of_lbs(2), of_differential(2);
  surface->centres(test::run(build_lbs(sample.rig), sample).positions, of_lbs);
  surface->centres(test::run(build_differential(sample.rig), sample).positions, of_differential);
  for (std::size_t c = 0; c < 2; ++c) EXPECT_LT((of_lbs[c] - of_differential[c]).norm(), 1e-5);
}

// How far a small part inside a tube is, after the tube has bent, from where the skin around it has carried
// its centre (the rigid motion nearest to that of the skin), in radii of the part.
double off_its_seat(const test::Sample& sample, std::size_t body, const Vec3& centre, double radius,
                    std::span<const Vec3f> posed) {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero(), part = Vec3::Zero();
  std::vector<std::size_t> around;
  const std::vector<Vec3>& rest = sample.rig.mesh.positions;
  for (std::size_t i = 0; i < body; ++i)
    if (std::abs(rest[i].x() - centre.x()) < 2 * radius) around.push_back(i);
  for (const std::size_t i : around) {
    from += rest[i] / static_cast<double>(around.size());
    to += posed[i].cast<double>() / static_cast<double>(around.size());
  }
  Mat3 product = Mat3::Zero();
  for (const std::size_t i : around) product += (posed[i].cast<double>() - to) * (rest[i] - from).transpose();
  for (std::size_t i = body; i < rest.size(); ++i)
    part += posed[i].cast<double>() / static_cast<double>(rest.size() - body);
  return (to + fit_rotation(product) * Vec3(centre - from) - part).norm() / radius;
}

TEST(Differential, AnEyeStaysInItsSocket) {
  const double radius = 0.15;
  const Vec3 centre(3.6, 0.1, 0);  // near the end of a tube that bends from 1.4 to 2.6
  const PolyMesh body = test::capped_cylinder(0.4, 4, 24, 41);
  test::Sample sample = tube(test::joined({body, test::uv_sphere(centre, radius, 12, 8)}));
  turn(sample, 110);
  const auto off = [&](Placement placement) {
    DifferentialOptions options;
    options.placement = placement;
    const test::Output out = test::run(build_differential(sample.rig, options), sample);
    return off_its_seat(sample, body.vertex_count(), centre, radius, out.positions);
  };
  EXPECT_LT(off(DifferentialOptions().placement), 0.2);  // 0.08
  EXPECT_GT(off(Placement::kOwn), 0.5);                  // 1.1: it leaves the tube
}

// The candy wrapper: half a turn leaves nothing of the middle by linear blending. Rotations without the shear
// of a twist do not fit together, so some of the radius goes here, too.
TEST(Differential, ATwistLosesLessThanByLinearBlending) {
  test::Sample sample = tube();
  turn(sample, 150, Vec3::UnitX());
  const auto thinnest = [&](const test::Output& out) {
    double least = 1;
    for (const Vec3f& p : out.positions)
      if (const double r = std::hypot(p.y(), p.z()); p.x() > 0.2 && p.x() < 3.8) least = std::min(least, r);
    return least;
  };
  EXPECT_LT(thinnest(test::run(build_lbs(sample.rig), sample)), 0.15);
  EXPECT_GT(thinnest(test::run(build_differential(sample.rig), sample)), 0.25);
  turn(sample, 40, Vec3::UnitX());
  EXPECT_GT(thinnest(test::run(build_differential(sample.rig), sample)), 0.38);
}

TEST(Differential, FarFromTheJointBonesAreNearlyRigid) {
  test::Sample sample = tube();
  turn(sample, 90);
  const test::Output out = test::run(build_differential(sample.rig), sample);
  double change = 0;
  for (std::size_t f = 0; f < sample.rig.mesh.face_count(); ++f) {
    const auto face = sample.rig.mesh.face(f);
    if (sample.rig.mesh.positions[face[0]].x() > 0.8) continue;
    for (std::size_t k = 0; k < face.size(); ++k) {
      const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
      const double before = (sample.positions[a] - sample.positions[b]).norm();
      change = std::max(change, std::abs((out.positions[a] - out.positions[b]).norm() / before - 1));
    }
  }
  EXPECT_LT(change, 0.06);
}

TEST(Differential, KeysAndBonesInOneSolve) {
  test::Sample sample = tube();
  turn(sample, 60);
  Rig& rig = sample.rig;
  test::add_key(rig, "fat", [](const Vec3& p) { return Vec3(p.x(), 1.5 * p.y(), 1.5 * p.z()); });
  const std::vector<double> full{1}, none{0};
  auto input = sample.input();
  const auto run = [&](Result<std::unique_ptr<Deformer>> deformer, const FrameInput& frame) {
    EXPECT_TRUE(deformer.ok());
    const auto workspace = (*deformer)->make_workspace();
    std::vector<Vec3f> out(frame.positions.size());
    (*deformer)->deform(frame, *workspace, out, {});
    return out;
  };
  input.key_weights = none;
  EXPECT_LT(farthest(run(build_differential(rig, {.keys = true}), input),
                     run(build_differential(rig), sample.input())),
            1e-6);
  input.key_weights = full;
  // At weight 1 the key is the same shape in every space, so the bones find the same gradients.
  std::vector<Vec3f> keyed = sample.positions;
  for (std::size_t i = 0; i < keyed.size(); ++i) keyed[i] += rig.keys[0].deltas[i];
  FrameInput object = sample.input();
  object.positions = keyed;
  EXPECT_LT(
      farthest(run(build_differential(rig, {.keys = true}), input), run(build_differential(rig), object)),
      2e-5);
  // Bones at rest: the keys alone.
  test::Sample still = sample;
  turn(still, 0);
  auto rest = still.input();
  rest.key_weights = full;
  EXPECT_LT(farthest(run(build_differential(rig, {.keys = true}), rest), keyed), 1e-5);
}

TEST(Differential, InnerFacesAndSpringsHoldTheVolume) {
  test::Sample plain = tube();
  turn(plain, 120);
  // A wall across the tube at every ring near the joint: non-manifold edges, welded by position.
  PolyMesh walls = plain.rig.mesh;
  for (int ring = 16; ring <= 24; ++ring) {
    std::vector<std::uint32_t> corners;
    for (std::uint32_t i = 0; i < plain.rig.mesh.vertex_count(); ++i)
      if (std::abs(plain.rig.mesh.positions[i].x() - 0.1 * ring) < 1e-6) corners.push_back(i);
    if (corners.size() < 3) continue;
    walls.add_face(corners);
  }
  ASSERT_GT(walls.face_count(), plain.rig.mesh.face_count());
  test::Sample held = tube(walls);
  turn(held, 120);
  const double rest = volume(plain, plain.positions);
  const double without = volume(plain, test::run(build_differential(plain.rig), plain).positions) / rest - 1;
  const double springs =
      volume(plain, test::run(build_differential(plain.rig, {.springs = 1}), plain).positions) / rest - 1;
  const double faces = volume(plain, test::run(build_differential(held.rig), held).positions) / rest - 1;
  RecordProperty("change_without", std::to_string(without));
  RecordProperty("change_with_springs", std::to_string(springs));
  RecordProperty("change_with_faces", std::to_string(faces));
  EXPECT_LT(std::abs(springs), std::abs(without));
  EXPECT_LT(std::abs(faces), std::abs(without));
}

TEST(Differential, LooseEdgesOfTheRigTakePart) {
  test::Sample sample = tube();
  turn(sample, 120);
  const test::Output without = test::run(build_differential(sample.rig), sample);
  sample.rig.loose_edges = inner_edges(sample.rig.mesh);
  ASSERT_FALSE(sample.rig.loose_edges.empty());
  EXPECT_GT(farthest(test::run(build_differential(sample.rig), sample).positions, without.positions), 1e-3);
}

TEST(Differential, TheFactorIsThatOfTheMeshItWasBuiltFrom) {
  // Made once: what happens to the rig afterwards is not seen by a frame.
  test::Sample sample = tube();
  turn(sample, 60);
  const auto deformer = build_differential(sample.rig);
  ASSERT_TRUE(deformer.ok());
  const test::Output before = test::run(**deformer, sample);
  for (Vec3& p : sample.rig.mesh.positions) p = Vec3(3 * p.z(), p.x() * p.y(), 7);
  sample.rig.mesh.face_vertices.clear();
  EXPECT_TRUE(test::same_bits(before, test::run(**deformer, sample)));
}

TEST(Differential, GivesTheSameBitsForAnyThreadCount) {
  test::Sample sample = tube();
  turn(sample, 70);
  set_thread_count(1);
  const test::Output one = test::run(build_differential(sample.rig), sample);
  set_thread_count(2);
  const test::Output two = test::run(build_differential(sample.rig), sample);
  set_thread_count(0);
  EXPECT_TRUE(test::same_bits(one, two));
}

TEST(Differential, StretchedBonesStretchTheirTriangles) {
  test::Sample sample = tube();
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0].linear() *= 1.5;
  test::set_pose(sample, local);
  const test::Output out = test::run(build_differential(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - 1.5f * sample.positions[i]).norm(), 1e-5f);
}

}  // namespace
}  // namespace sinew
