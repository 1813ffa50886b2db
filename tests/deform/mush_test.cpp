// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/mush.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"
#include "sinew/deform/lbs.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A tube along x with a joint in the middle and no falloff between its halves.
test::Sample soft_tube() {
  test::Sample sample;
  const PolyMesh mesh = test::capped_cylinder(0.4, 4, 24, 41);
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  sample.rig.mesh = mesh;
  sample.rig.mesh.positions.clear();
  for (const Vec3& p : mesh.positions)
    test::add_vertex(sample, p, Vec3(0, p.y(), p.z()) + Vec3(1e-9, 0, 0), {{p.x() < 2 ? 0u : 1u, 1.0}});
  sample.rig.mesh.normals.clear();
  test::bind(sample);
  return sample;
}

Result<std::unique_ptr<Deformer>> mush(const Rig& rig, const MushOptions& options = {}) {
  auto inner = build_lbs(rig);
  EXPECT_TRUE(inner.ok());
  return build_mush(rig, *std::move(inner), options);
}

void turn_whole(test::Sample& sample, double angle, const Affine3& whole = Affine3::Identity()) {
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0] = whole * local[0];
  local[1].rotate(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  test::set_pose(sample, local);
}

TEST(Mush, RestIsTheIdentity) {
  const test::Sample sample = soft_tube();
  const test::Output out = test::run(mush(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 2e-6f);
}

TEST(Mush, MovesRigidlyWithTheWhole) {
  test::Sample still = soft_tube(), moved = soft_tube();
  const Affine3 whole = Eigen::Translation3d(3, -2, 5) * Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized());
  turn_whole(still, 0.9);
  turn_whole(moved, 0.9, whole);
  const test::Output a = test::run(mush(still.rig), still), b = test::run(mush(moved.rig), moved);
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    EXPECT_LT((b.positions[i].cast<double>() - whole * a.positions[i].cast<double>()).norm(), 1e-5);
    EXPECT_LT((b.normals[i].cast<double>() - whole.linear() * a.normals[i].cast<double>()).norm(), 1e-4);
  }
}

// Files whose binds are in centimetres and whose nodes are in metres, or that mirror one half of a body.
TEST(Mush, DetailScalesAndMirrorsWithTheWhole) {
  test::Sample still = soft_tube();
  turn_whole(still, 0.9);
  const test::Output a = test::run(mush(still.rig), still);
  for (const Vec3& scale : {Vec3(100, 100, 100), Vec3(0.01, 0.01, 0.01), Vec3(-2, 2, 2)}) {
    test::Sample moved = soft_tube();
    Affine3 whole = Affine3::Identity();
    whole.scale(scale);
    turn_whole(moved, 0.9, whole);
    const test::Output b = test::run(mush(moved.rig), moved);
    // A normal goes by the cofactors: that of a mirrored face by its corners.
    const Mat3 normals = scale.prod() * whole.linear().inverse().transpose();
    for (std::size_t i = 0; i < a.positions.size(); ++i) {
      const Vec3 expected = whole * a.positions[i].cast<double>();
      ASSERT_LT((b.positions[i].cast<double>() - expected).norm(), 1e-5 * scale.norm()) << scale.x();
      const Vec3 normal = (normals * a.normals[i].cast<double>()).normalized();
      ASSERT_LT((b.normals[i].cast<double>() - normal).norm(), 1e-4) << scale.x();
    }
  }
}

// The longest edge over its rest length: hard weights tear the outside of a bend, mush spreads it.
TEST(Mush, SpreadsWhatHardWeightsTear) {
  test::Sample sample = soft_tube();
  turn_whole(sample, 1.2);
  const auto worst = [&](const test::Output& out) {
    double most = 0;
    for (std::size_t f = 0; f < sample.rig.mesh.face_count(); ++f) {
      const auto face = sample.rig.mesh.face(f);
      for (std::size_t k = 0; k < face.size(); ++k) {
        const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
        most = std::max(most, static_cast<double>((out.positions[a] - out.positions[b]).norm() /
                                                  (sample.positions[a] - sample.positions[b]).norm()));
      }
    }
    return most;
  };
  const double torn = worst(test::run(build_lbs(sample.rig), sample)),
               spread = worst(test::run(mush(sample.rig), sample));
  EXPECT_GT(torn, 4);
  EXPECT_LT(spread, torn / 2);
}

TEST(Mush, WithoutPassesIsTheInnerDeformer) {
  test::Sample sample = soft_tube();
  turn_whole(sample, 0.7);
  const test::Output plain = test::run(build_lbs(sample.rig), sample);
  const test::Output out = test::run(mush(sample.rig, {.passes = 0}), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - plain.positions[i]).norm(), 2e-6f);
}

TEST(Mush, GivesTheSameBitsForAnyThreadCount) {
  test::Sample sample = soft_tube();
  turn_whole(sample, 0.7);
  set_thread_count(1);
  const test::Output one = test::run(mush(sample.rig), sample);
  set_thread_count(2);
  const test::Output two = test::run(mush(sample.rig), sample);
  set_thread_count(0);
  EXPECT_TRUE(test::same_bits(one, two));
}

double volume_of(const PolyMesh& mesh, std::span<const Vec3f> positions) {
  double sum = 0;
  for (const Triangle& t : triangulate(mesh).triangles)
    sum += positions[t[0]].cast<double>().dot(
        positions[t[1]].cast<double>().cross(positions[t[2]].cast<double>()));
  return sum / 6;
}

// Ten passes over edges as long as the limb is thick made a knee half as thick.
TEST(Mush, ACoarseLimbKeepsItsThickness) {
  test::Sample sample = test::tube(test::capped_cylinder(0.4, 4, 6, 9));
  turn_whole(sample, 1.4);
  const double lbs = volume_of(sample.rig.mesh, test::run(build_lbs(sample.rig), sample).positions);
  const double mushed = volume_of(sample.rig.mesh, test::run(mush(sample.rig), sample).positions);
  EXPECT_NEAR(mushed / lbs, 1, 0.02);
}

// The vertices of a coarse tube are among those of a finer one.
TEST(Mush, SmoothsAlikeAtAnyResolution) {
  test::Sample coarse = test::tube(test::capped_cylinder(0.4, 4, 24, 41));
  test::Sample fine = test::tube(test::capped_cylinder(0.4, 4, 48, 81));
  for (test::Sample* sample : {&coarse, &fine}) {
    sample->rig.weights = {};
    for (const Vec3f& p : sample->positions)
      sample->rig.weights.add_row(std::vector<Influence>{{p.x() < 1.99f ? 0u : 1u, 1.0}});
    turn_whole(*sample, 1.2);
  }
  const test::Output a = test::run(mush(coarse.rig), coarse), b = test::run(mush(fine.rig), fine);
  double most = 0;
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    float nearest = 1e9f;
    std::size_t same = 0;
    for (std::size_t k = 0; k < b.positions.size(); ++k)
      if (const float d = (coarse.positions[i] - fine.positions[k]).norm(); d < nearest) {
        nearest = d;
        same = k;
      }
    ASSERT_LT(nearest, 1e-5f);
    most = std::max<double>(most, (a.positions[i] - b.positions[same]).norm());
  }
  EXPECT_LT(most, 0.08);
}

// A button far from the origin, and beside it an open ring: smoothed to nothing, no frame was left of them,
// and rounding turned it any way.
TEST(Mush, SmallAndOpenPartsStayAtRest) {
  test::Sample sample = soft_tube();
  const std::size_t first = sample.positions.size();
  const auto add = [&](const PolyMesh& part) {
    const auto begin = static_cast<std::uint32_t>(sample.positions.size());
    for (const Vec3& p : part.positions) test::add_vertex(sample, p, Vec3::UnitY(), {{0, 1.0}});
    for (std::size_t f = 0; f < part.face_count(); ++f) {
      std::vector<std::uint32_t> face(part.face(f).begin(), part.face(f).end());
      for (std::uint32_t& corner : face) corner += begin;
      sample.rig.mesh.add_face(face);
    }
  };
  add(test::uv_sphere(Vec3(1, 0.5, 0), 0.004, 8, 6));
  PolyMesh flap;
  flap.positions = {Vec3(1, 0.6, 0), Vec3(1.01, 0.6, 0), Vec3(1.01, 0.61, 0), Vec3(1, 0.61, 0)};
  flap.add_face(std::vector<std::uint32_t>{0, 1, 2, 3});
  add(flap);
  test::bind(sample);
  test::Sample rough = sample;
  std::mt19937 random(5);
  for (Vec3f& p : rough.positions) p += 1e-5f * test::random_vector(random).cast<float>();
  const test::Output out = test::run(mush(sample.rig), rough);
  for (std::size_t i = first; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 2e-4f) << i;
}

TEST(Mush, ABorderKeepsItsLength) {
  // The tube without its far cap: a cuff.
  test::Sample sample = test::tube();
  PolyMesh open;
  open.positions = sample.rig.mesh.positions;
  for (std::size_t f = 0; f < sample.rig.mesh.face_count(); ++f) {
    const auto face = sample.rig.mesh.face(f);
    if (std::all_of(face.begin(), face.end(), [&](std::uint32_t v) { return open.positions[v].x() > 3.99; }))
      continue;
    open.add_face(std::vector<std::uint32_t>(face.begin(), face.end()));
  }
  sample.rig.mesh = open;
  // Something crumples its cuff: what lies there is squeezed to a third.
  test::Sample squeezed = sample;
  for (Vec3f& p : squeezed.positions)
    if (p.x() > 3.5f) p.x() = 3.5f + (p.x() - 3.5f) / 3;
  const test::Output out = test::run(build_mush(sample.rig, nullptr), squeezed);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    if (sample.positions[i].x() < 3.99f ||
        Vec3f(0, sample.positions[i].y(), sample.positions[i].z()).norm() < 0.39f)
      continue;
    EXPECT_NEAR((Vec3f(0, out.positions[i].y(), out.positions[i].z()).norm()), 0.4, 0.01) << i;
  }
}

TEST(Mush, RefusesSenselessOptions) {
  const test::Sample sample = soft_tube();
  EXPECT_EQ(mush(sample.rig, {.passes = -1}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(mush(sample.rig, {.step = 1.5}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
