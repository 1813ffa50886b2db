// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/bind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <set>

#include "sinew/binding/reweight.h"
#include "sinew/binding/weight_methods.h"
#include "sinew/characters/characters.h"
#include "sinew/mesh/topology.h"
#include "sinew/pipeline/rig_mesh.h"
#include "support/sanitized.h"
#include "support/shapes.h"

namespace sinew {
namespace {

Rig rig_of(const PolyMesh& mesh, const std::vector<std::pair<Vec3, Vec3>>& bones) {
  Rig rig;
  rig.mesh = mesh;
  rig.parts.push_back({"mesh", 0, mesh.vertex_count(), 0, mesh.face_count()});
  std::vector<Joint> joints;
  for (const auto& [head, tail] : bones) {
    Joint joint;
    joint.name = "bone" + std::to_string(joints.size());
    joint.rest_local = Affine3(Eigen::Translation3d(head));
    joint.tail = tail - head;
    joints.push_back(joint);
  }
  auto skeleton = Skeleton::create(std::move(joints));
  EXPECT_TRUE(skeleton.ok());
  set_skeleton(rig, *std::move(skeleton));
  return rig;
}

double weight_of(const Rig& rig, std::size_t vertex, std::uint32_t joint) {
  for (const Influence& influence : rig.weights.row(vertex))
    if (influence.joint == joint) return influence.weight;
  return 0;
}

TEST(Bind, EveryMethodBindsEveryShapeWholly) {
  std::size_t turn = 0;
  for (const auto& shape : test::all_shapes()) {
    const Box3 box = bounding_box(shape.mesh.positions);
    for (const WeightMethod& method : weight_methods()) {
      if (test::kSanitized && ++turn % 7 != 0) continue;
      Rig rig = rig_of(shape.mesh,
                       {{box.min(), box.center()}, {box.center(), box.max()}, {box.center(), box.center()}});
      const auto report = bind(rig, {.method = std::string(method.name), .voxels = 16});
      ASSERT_TRUE(report.ok()) << shape.name << ' ' << method.name << ": " << report.error().message;
      EXPECT_EQ(report->unweighted, 0u) << shape.name << ' ' << method.name;
      EXPECT_LT(report->max_row_error, 1e-6) << shape.name << ' ' << method.name;
      EXPECT_GE(report->min, 0) << shape.name << ' ' << method.name;
      EXPECT_LE(report->max, 1 + 1e-9) << shape.name << ' ' << method.name;
      EXPECT_EQ(rig.weights.vertex_count(), shape.mesh.vertex_count());
    }
  }
}

bool has_warning(const BindReport& report, const std::string& words) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

// Each with an answer that is told: a sheet is thickened, a bone outside holds the nearest cell, bones in one
// cell share it.
TEST(Bind, VolumeMethodsTellWhatTheyMended) {
  const PolyMesh bar = test::capped_cylinder(0.5, 4, 16, 9);
  const Vec3 a(0.3, 0, 0), b(2, 0, 0), c(3.7, 0, 0);
  struct Case {
    PolyMesh mesh;
    std::vector<std::pair<Vec3, Vec3>> bones;
    std::string thickened, outside, merged;
  };
  const std::string thickened = "thickened to the cells", outside = "1 of 2 bones lies outside",
                    merged = "share all their cells";
  const std::vector<Case> cases{
      {test::grid(8, 8),
       {{Vec3(0.1, 0.1, 0), Vec3(0.4, 0.4, 0)}, {Vec3(0.5, 0.5, 0), Vec3(0.9, 0.9, 0)}},
       thickened,
       "",
       ""},
      {test::one_triangle(),
       {{Vec3(0, 0, 0), Vec3(0.3, 0, 0)}, {Vec3(0.6, 0, 0), Vec3(1, 0, 0)}},
       thickened,
       "",
       ""},
      {bar, {{a, b}, {Vec3(2, 3, 0), Vec3(3, 3, 0)}}, "", outside, ""},
      {bar, {{a, b}, {c, c}, {c, c + Vec3(0.01, 0, 0)}}, "", "", merged},
      {bar, {{a, b}, {b, c}}, "", "", ""},
  };
  for (std::size_t k = 0; k < cases.size(); ++k)
    for (const bool harmonic : {false, true}) {
      Rig rig = rig_of(cases[k].mesh, cases[k].bones);
      BindRequest request;
      request.method = harmonic ? "harmonic" : "bbw";
      if (harmonic) request.settings["volume"] = true;
      request.voxels = 24;
      const auto report = bind(rig, request);
      ASSERT_TRUE(report.ok()) << k;
      EXPECT_EQ(report->unweighted, 0u) << k;
      EXPECT_LT(report->max_row_error, 1e-6) << k;
      EXPECT_EQ(has_warning(*report, thickened), !cases[k].thickened.empty()) << k;
      EXPECT_EQ(has_warning(*report, "outside the body"), !cases[k].outside.empty()) << k;
      EXPECT_TRUE(cases[k].outside.empty() || has_warning(*report, outside)) << k;
      EXPECT_EQ(has_warning(*report, merged), !cases[k].merged.empty()) << k;
      // No bone comes out empty: what is nearest to it feels it.
      for (std::uint32_t j = 0; j < cases[k].bones.size(); ++j) {
        double most = 0;
        for (std::size_t v = 0; v < rig.mesh.vertex_count(); ++v) most = std::max(most, weight_of(rig, v, j));
        EXPECT_GT(most, 0.05) << k << ' ' << j;
      }
    }
}

TEST(Bind, VolumeIsForHarmonicWeightsAlone) {
  Rig rig = rig_of(test::capped_cylinder(0.5, 4, 16, 9), {{Vec3(1, 0, 0), Vec3(3, 0, 0)}});
  BindRequest request;
  request.settings["volume"] = true;
  const auto report = bind(rig, request);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kUsage);
}

TEST(Bind, EyeballsMoveWithTheHeadAsRigidPieces) {
  const PolyMesh mesh = test::body_with_eyeballs();
  const Box3 box = bounding_box(mesh.positions);
  Rig rig = rig_of(
      mesh, {{box.center() - Vec3(0.4, 0, 0), box.center()}, {box.center(), box.center() + Vec3(0.4, 0, 0)}});
  const auto report = bind(rig, {.method = "heat"});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->islands, 3u);
  EXPECT_EQ(report->rigid, 2u);
  // All vertices of an eye have one row; the head has many.
  const Components pieces = connected_components(mesh.vertex_count(), FaceList(mesh));
  std::vector<std::set<double>> values(pieces.count);
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    values[pieces.of_vertex[i]].insert(weight_of(rig, i, 0));
  std::vector<std::size_t> counts;
  for (const auto& set : values) counts.push_back(set.size());
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts[0], 1u);
  EXPECT_EQ(counts[1], 1u);
  EXPECT_GT(counts[2], 50u);
}

TEST(Bind, AHandBesideAThighGetsNothingFromIt) {
  const PolyMesh mesh = test::hand_near_thigh(0.15);
  const Components pieces = connected_components(mesh.vertex_count(), FaceList(mesh));
  ASSERT_EQ(pieces.count, 2u);
  Box3 boxes[2];
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) boxes[pieces.of_vertex[i]].extend(mesh.positions[i]);
  const auto inside = [](const Box3& box) {
    Vec3 step = Vec3::Zero();
    Eigen::Index axis = 0;
    const double length = box.sizes().maxCoeff(&axis);
    step[axis] = 0.3 * length;
    return std::pair<Vec3, Vec3>(box.center() - step, box.center() + step);
  };
  for (const char* method : {"geodesic", "heat", "bbw"}) {
    Rig rig = rig_of(mesh, {inside(boxes[0]), inside(boxes[1])});
    const auto report = bind(rig, {.method = method, .islands = {.decide = false}});
    ASSERT_TRUE(report.ok());
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
      EXPECT_EQ(weight_of(rig, i, 1 - pieces.of_vertex[i]), 0) << method;
  }
}

TEST(Bind, NothingIsHeldAcrossAGapThatTheVoxelsClose) {
  // A tube bent to a ring, whose ends are nearer to each other than a voxel is wide.
  constexpr int kBones = 8;
  constexpr double kOpen = 0.02;  // of the ring
  const auto bent = [](double x, double y, double z) {
    const double angle = 2 * std::numbers::pi * (1 - kOpen) * x / 4;
    return Vec3((1 + y) * std::cos(angle), (1 + y) * std::sin(angle), z);
  };
  PolyMesh mesh = test::capped_cylinder(0.25, 4, 16, 61);
  std::vector<double> along;
  for (Vec3& p : mesh.positions) {
    along.push_back(p.x());
    p = bent(p.x(), p.y(), p.z());
  }
  std::vector<std::pair<Vec3, Vec3>> bones;
  for (int b = 0; b < kBones; ++b)
    bones.emplace_back(bent(4.0 * b / kBones + 0.05, 0, 0), bent(4.0 * (b + 1) / kBones - 0.05, 0, 0));
  for (const char* method : {"bbw", "geodesic"}) {
    Rig rig = rig_of(mesh, bones);
    const auto report = bind(rig, {.method = method, .influences = kBones, .voxels = 16});
    ASSERT_TRUE(report.ok());
    for (std::size_t i = 0; i < along.size(); ++i) {
      if (along[i] < 0.5) {
        EXPECT_LT(weight_of(rig, i, kBones - 1), 0.01) << method << " at " << along[i];
      }
      if (along[i] > 3.5) {
        EXPECT_LT(weight_of(rig, i, 0), 0.01) << method << " at " << along[i];
      }
      if (std::abs(along[i] - 2) < 0.1) {
        EXPECT_GT(weight_of(rig, i, kBones / 2) + weight_of(rig, i, kBones / 2 - 1), 0.8) << method;
      }
    }
  }
}

TEST(Bind, AnIslandThatSeesNoBoneIsFilledAndToldAndRefusedWhenStrict) {
  const PolyMesh mesh = test::joined({test::uv_sphere(Vec3::Zero(), 1), test::uv_sphere(Vec3(3, 0, 0), 0.9)});
  const Rig rig = rig_of(mesh, {{Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}});
  Rig bound = rig;
  const auto report = bind(bound, {.method = "heat", .islands = {.decide = false}});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->filled, test::uv_sphere(Vec3::Zero(), 1).vertex_count());
  EXPECT_FALSE(report->warnings.empty());
  Rig strict = rig;
  const auto refused = bind(strict, {.method = "heat", .islands = {.decide = false}, .strict = true});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kImpossible);
  EXPECT_TRUE(strict.weights.entries.empty());
}

TEST(Bind, TheOrderOfVerticesDoesNotMatter) {
  const PolyMesh mesh = test::random_blob(7);
  std::vector<std::uint32_t> shuffled(mesh.vertex_count());
  std::iota(shuffled.begin(), shuffled.end(), 0u);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  PolyMesh other = mesh;
  for (std::size_t i = 0; i < shuffled.size(); ++i) other.positions[shuffled[i]] = mesh.positions[i];
  for (std::uint32_t& corner : other.face_vertices) corner = shuffled[corner];
  const std::vector<std::pair<Vec3, Vec3>> bones = {{Vec3(-0.5, 0, 0), Vec3(0, 0.1, 0)},
                                                    {Vec3(0, 0.1, 0), Vec3(0.5, 0, 0.2)}};
  for (const char* method : {"heat", "geodesic", "harmonic", "inverse-distance", "envelope"}) {
    Rig a = rig_of(mesh, bones), b = rig_of(other, bones);
    ASSERT_TRUE(bind(a, {.method = method}).ok());
    ASSERT_TRUE(bind(b, {.method = method}).ok());
    for (std::size_t i = 0; i < shuffled.size(); ++i)
      EXPECT_NEAR(weight_of(a, i, 0), weight_of(b, shuffled[i], 0), 1e-9) << method;
  }
}

TEST(Bind, WhatCannotBeBoundIsRefusedWithAReason) {
  PolyMesh line = test::one_triangle();
  for (Vec3& p : line.positions) p = Vec3(p.x() + p.y(), 0, 0);
  Rig flat = rig_of(line, {{Vec3::Zero(), Vec3::UnitX()}});
  EXPECT_EQ(bind(flat, {}).error().code, ErrorCode::kBadInput);
  Rig bare = rig_of(test::box(Vec3::Zero(), Vec3::Ones()), {});
  EXPECT_EQ(bind(bare, {}).error().code, ErrorCode::kImpossible);
  Rig rig = rig_of(test::box(Vec3::Zero(), Vec3::Ones()), {{Vec3::Zero(), Vec3::Ones()}});
  EXPECT_EQ(bind(rig, {.method = "magic"}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(bind(rig, {.method = "heat", .settings = {{"heat", std::string("lukewarm")}}}).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(bind(rig, {.influences = 0}).error().code, ErrorCode::kUsage);
}

TEST(Bind, LockedWeightsStayAndTheRestIsShared) {
  auto made = make_character("arm", {.resolution = 1000});
  ASSERT_TRUE(made.ok());
  Rig rig = *made;
  const auto report =
      bind(rig, {.method = "heat", .locked_joints = {made->skeleton[1].name}, .locked_vertices = {5}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_LT(report->max_row_error, 1e-6);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    EXPECT_EQ(weight_of(rig, i, 1), weight_of(*made, i, 1));
  for (std::uint32_t j = 0; j < 3; ++j) EXPECT_EQ(weight_of(rig, 5, j), weight_of(*made, 5, j));
}

TEST(Bind, ANewSkeletonTakesClipsOverWhereJointsHaveTheSameName) {
  auto rig = make_character("arm", {.resolution = 300});
  ASSERT_TRUE(rig.ok());
  rig->clips.resize(1);
  Channel key;
  key.path = ChannelPath::kKeyWeights;
  key.joint = 0;
  rig->clips[0].channels.push_back(key);
  const auto moved = [](const Clip& clip) {
    return std::count_if(clip.channels.begin(), clip.channels.end(),
                         [](const Channel& c) { return c.path != ChannelPath::kKeyWeights; });
  };
  const Skeleton old = rig->skeleton;
  std::vector<Joint> joints(old.joints().begin(), old.joints().end());
  joints[1].rest_local.translation() *= 1.1;
  joints[2].name = "other";
  set_skeleton(*rig, *Skeleton::create(joints));
  ASSERT_EQ(rig->clips.size(), 1u);
  EXPECT_GT(moved(rig->clips[0]), 0);
  for (const Channel& channel : rig->clips[0].channels) EXPECT_NE(channel.joint, 2);
  for (std::size_t j = 0; j < joints.size(); ++j) joints[j].name = "other" + std::to_string(j);
  set_skeleton(*rig, *Skeleton::create(joints));
  EXPECT_EQ(moved(rig->clips[0]), 0);
  ASSERT_EQ(rig->clips[0].channels.size(), 1u);  // the key's
  EXPECT_EQ(rig->clips[0].channels[0].path, ChannelPath::kKeyWeights);
}

TEST(Bind, ATemplateFillsTheMeshsBox) {
  const Box3 box(Vec3(-10, 5, 2), Vec3(30, 90, 12));
  const auto skeleton = fit_template("biped", box);
  ASSERT_TRUE(skeleton.ok());
  for (const Affine3& global : global_transforms(*skeleton, rest_pose(*skeleton).local))
    EXPECT_TRUE(box.contains(Vec3(global.translation())));
  EXPECT_EQ(fit_template("dragon", box).error().code, ErrorCode::kUsage);
}

TEST(Reweight, MirroringASymmetricCharacterMakesItsWeightsSymmetric) {
  auto made = make_character("biped", {.resolution = 1500});
  ASSERT_TRUE(made.ok());
  Rig rig = *made;
  ASSERT_TRUE(bind(rig, {.method = "heat"}).ok());
  const auto report = reweight(rig, {.mirror = 0});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_LT(report->max_row_error, 1e-6);
  const auto left = *rig.skeleton.find("LeftArm"), right = *rig.skeleton.find("RightArm");
  double worst = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    for (std::size_t k = 0; k < rig.mesh.vertex_count(); ++k) {
      Vec3 image = rig.mesh.positions[i];
      image.x() = -image.x();
      if ((image - rig.mesh.positions[k]).norm() > 1e-9) continue;
      ++pairs;
      worst = std::max(worst, std::abs(weight_of(rig, i, static_cast<std::uint32_t>(left)) -
                                       weight_of(rig, k, static_cast<std::uint32_t>(right))));
    }
  EXPECT_GT(pairs, rig.mesh.vertex_count() / 2);
  EXPECT_LT(worst, 1e-6);
}

TEST(Reweight, AFinerMeshTakesTheWeightsOfACoarserOne) {
  auto coarse = make_character("arm", {.resolution = 1000}),
       fine = make_character("arm", {.resolution = 20000});
  ASSERT_TRUE(coarse.ok() && fine.ok());
  Rig bare;
  bare.mesh = fine->mesh;
  bare.parts = fine->parts;
  bare.weights.offsets.assign(bare.mesh.vertex_count() + 1, 0);
  ASSERT_TRUE(reweight(bare, {.from = &*coarse}).ok());
  EXPECT_EQ(bare.skeleton.size(), coarse->skeleton.size());
  double worst = 0;
  for (std::size_t i = 0; i < bare.mesh.vertex_count(); ++i)
    worst = std::max(worst, std::abs(weight_of(bare, i, 1) - weight_of(*fine, i, 1)));
  EXPECT_LT(worst, 0.1);
}

TEST(Reweight, SmoothingKeepsRowsWholeAndSoftensThem) {
  auto made = make_character("cylinder", {.resolution = 1000});
  ASSERT_TRUE(made.ok());
  Rig hard = *made;
  hard.weights.entries.clear();
  hard.weights.offsets.assign(1, 0);
  for (const Vec3& p : hard.mesh.positions)
    hard.weights.add_row(std::vector<Influence>{{p.dot(Vec3::Ones()) > 4 ? 1u : 0u, 1.0}});
  const auto report = reweight(hard, {.smooth = 5});
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report->max_row_error, 1e-9);
  std::size_t blended = 0;
  for (std::size_t i = 0; i < hard.mesh.vertex_count(); ++i) blended += hard.weights.row(i).size() > 1;
  EXPECT_GT(blended, 20u);
}

TEST(Reweight, AFileWithoutWeightsIsRefused) {
  Rig rig = rig_of(test::box(Vec3::Zero(), Vec3::Ones()), {{Vec3::Zero(), Vec3::Ones()}});
  EXPECT_EQ(reweight(rig, {}).error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
