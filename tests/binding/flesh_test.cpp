// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/flesh.h"

#include <gtest/gtest.h>

#include "sinew/binding/bind.h"
#include "sinew/characters/characters.h"

namespace sinew {
namespace {

// A mesh that was not skinned when it was read, as of every .obj, has flesh like one that was.
TEST(BoundFlesh, DoesNotDependOnWhetherTheMeshWasSkinnedBefore) {
  Rig skinned = *make_character("arm");
  Rig fresh = skinned;
  fresh.weights = {};
  for (MeshPart& part : fresh.parts) part.skinned = false;
  BindRequest request;
  request.flesh.emplace();
  for (Rig* rig : {&skinned, &fresh}) {
    const auto report = bind(*rig, request);
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_TRUE(report->flesh.has_value());
    EXPECT_GT(report->flesh->field_bytes, 0u);
    for (const MeshPart& part : rig->parts) EXPECT_TRUE(part.skinned);
  }
  EXPECT_EQ(skinned.flesh, fresh.flesh);
}

// A clip in which a joint swings by 50 and another twists by 30 degrees about its bone.
TEST(BoundFlesh, RangesAreThoseOfTheClips) {
  Rig rig = *make_character("arm");
  rig.clips.clear();
  const auto add = [&](const char* name, const Eigen::AngleAxisd& turn) {
    const auto joint = *rig.skeleton.find(name);
    const Quat rest(rig.skeleton[joint].rest_local.linear()), turned = rest * Quat(turn);
    Channel channel;
    channel.joint = static_cast<int>(joint);
    channel.path = ChannelPath::kRotation;
    channel.width = 4;
    channel.times = {0, 1};
    for (const Quat& q : {rest, turned})
      for (const double part : {q.x(), q.y(), q.z(), q.w()})
        channel.values.push_back(static_cast<float>(part));
    rig.clips.push_back({"turn", {channel}});
  };
  const auto along = [&](const char* name) {
    const auto joint = *rig.skeleton.find(name);
    const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
    const Mat3 axes = bind_transforms(rig)[joint].linear();
    return Vec3((axes.transpose() * (bones[joint].tail - bones[joint].head)).normalized());
  };
  constexpr double kDegree = 0.017453292519943295;
  add("ForeArm", Eigen::AngleAxisd(50 * kDegree, along("ForeArm").unitOrthogonal()));
  add("Hand", Eigen::AngleAxisd(-30 * kDegree, along("Hand")));
  const MotionRanges ranges = ranges_of_clips(rig);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_NEAR(ranges.at("ForeArm").swing, 1.1 * 50 * kDegree, 1e-4);
  EXPECT_NEAR(ranges.at("ForeArm").twist, 10 * kDegree, 1e-4);
  EXPECT_NEAR(ranges.at("Hand").swing, 10 * kDegree, 1e-4);
  EXPECT_NEAR(ranges.at("Hand").twist, 1.1 * 30 * kDegree, 1e-4);
}

// Beyond its own range a field stays as at its border, whatever the range of the others.
TEST(BoundFlesh, FieldsStayAtTheBorderOfTheirJointsRange) {
  Rig rig = *make_character("arm", {.resolution = 1500});
  BindRequest request;
  request.flesh.emplace();
  request.flesh->ranges["ForeArm"] = {0.5, 0.5};
  ASSERT_TRUE(bind(rig, request).ok());
  ASSERT_FALSE(rig.flesh.fields.empty());
  std::size_t narrow = 0;
  for (const FleshField& field : rig.flesh.fields) {
    const bool own = rig.skeleton[field.joint].name == "ForeArm";
    narrow += own;
    EXPECT_EQ(field.range, own ? (MotionRange{0.5, 0.5}) : MotionRange{});
  }
  ASSERT_EQ(narrow, 1u);
  const auto shift_at = [&](double angle) {
    std::vector<JointMove> moves(rig.skeleton.size());
    for (JointMove& move : moves)
      if (const auto j = static_cast<std::size_t>(&move - moves.data()); rig.skeleton[j].name == "ForeArm")
        move.still = false, move.turn = Vec3(angle, 0, 0);
    std::vector<Vec3> points(rig.mesh.vertex_count(), Vec3::Zero());
    add_flesh_fields(rig.flesh, {}, moves, points, {});
    double sum = 0;
    for (const Vec3& p : points) sum += p.norm();
    return sum;
  };
  EXPECT_GT(shift_at(0.5), 0);
  EXPECT_DOUBLE_EQ(shift_at(1.2), shift_at(0.5));
  EXPECT_NE(shift_at(0.4), shift_at(0.5));
  request.flesh->ranges = {{"Nobody", {}}};
  const auto refused = bind(rig, request);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("Nobody"), std::string::npos);
}

TEST(BoundFlesh, StiffFleshBendsElsewhere) {
  Rig soft = *make_character("arm", {.resolution = 1500}), stiff = soft;
  BindRequest request;
  request.flesh.emplace();
  ASSERT_TRUE(bind(soft, request).ok());
  request.flesh->elastic.stiffness = {{"ForeArm", 20.0}};
  ASSERT_TRUE(bind(stiff, request).ok());
  // Of a bend the stiff side takes less: vertices on the way are carried further by the joint.
  double change = 0;
  std::size_t count = 0;
  const auto joint = static_cast<std::uint32_t>(*soft.skeleton.find("ForeArm"));
  const auto swing = [&](const Rig& rig, std::size_t i) {
    for (const ComposedInfluence& entry : rig.flesh.weights.row(i))
      if (entry.joint == joint) return static_cast<double>(entry.swing);
    return -1.0;
  };
  for (std::size_t i = 0; i < soft.mesh.vertex_count(); ++i)
    if (const double a = swing(soft, i), b = swing(stiff, i); a > 0.1 && a < 0.9 && b >= 0)
      change += b - a, ++count;
  ASSERT_GT(count, 50u);
  EXPECT_GT(change / static_cast<double>(count), 0.02);
}

// Rounding to 8 bits, and the second modes where that is too coarse: to a ten-thousandth of the largest shift.
TEST(BoundFlesh, RoundedModesAddUpToTheirValues) {
  Eigen::MatrixXf values(40, 6);
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index k = 0; k < values.cols(); ++k)
      values(i, k) = std::sin(0.7f * static_cast<float>(i + 3 * k)) * (k < 3 ? 1.0f : 0.01f);
  std::vector<std::uint32_t> vertices;
  for (std::uint32_t i = 0; i < 40; ++i) vertices.push_back(i);
  const std::vector<float> twist(40, 0.5f), mixes(2 * kTurnFunctions, 1.0f);
  const std::vector<std::uint8_t> fine{1, 0};
  const FleshField field = quantise_field(3, vertices, twist, mixes, fine, {}, values);
  ASSERT_EQ(field.modes(), 3u);
  ASSERT_EQ(field.vertices.size(), 40u);
  EXPECT_EQ(field.mixes.size(), 3 * kTurnFunctions);
  for (std::size_t v = 0; v < 40; ++v)
    for (std::size_t c = 0; c < 3; ++c) {
      const auto at = [&](std::size_t m) {
        return field.steps[m] * static_cast<float>(field.values[3 * (3 * v + m) + c]);
      };
      const auto row = static_cast<Eigen::Index>(v), column = static_cast<Eigen::Index>(c);
      EXPECT_NEAR(at(0) + at(2), values(row, column), 1e-4f);
      EXPECT_NEAR(at(1), values(row, column + 3), 0.01f / 127);
    }
}

}  // namespace
}  // namespace sinew
