// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/compare.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>

#include "binding/small_rigs.h"
#include "pipeline/compare_runner.h"
#include "sinew/binding/bind.h"
#include "sinew/binding/elastic_setup.h"
#include "sinew/characters/characters.h"
#include "sinew/report/compare_page.h"
#include "sinew/rig/composed_joints.h"
#include "sinew/weights/held_out_turns.h"

namespace sinew {
namespace {

const MethodFigures& find(const PoseFigures& pose, const std::string& weights, const std::string& deformer) {
  for (const MethodFigures& method : pose.methods)
    if (method.pair == MethodPair{weights, deformer}) return method;
  ADD_FAILURE() << weights << ':' << deformer << " is not there";
  return pose.methods.front();
}

// A clip that turns a joint by so much about an axis, all the time.
Clip held(const std::string& name, int joint, const Vec3& axis, double degrees) {
  const Eigen::Quaterniond q(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
  Channel channel;
  channel.joint = joint;
  channel.path = ChannelPath::kRotation;
  channel.width = 4;
  channel.times = {0, 1};
  for (int k = 0; k < 2; ++k)
    for (const double x : {q.x(), q.y(), q.z(), q.w()}) channel.values.push_back(static_cast<float>(x));
  return {name, {channel}};
}

void expect_sane(const CompareReport& report) {
  for (const PoseFigures& pose : report.poses) {
    EXPECT_GT(pose.energy, 0) << pose.name;
    for (const MethodPair& pair : usual_pairs()) (void)find(pose, pair.weights, pair.deformer);
    for (const MethodFigures& method : pose.methods) {
      const std::string what = pose.name + ' ' + method.pair.weights + ':' + method.pair.deformer;
      EXPECT_GE(method.energy_ratio, 0.999) << what;
      EXPECT_LT(method.energy_ratio, 100) << what;
      EXPECT_GE(method.max, method.rms) << what;
      EXPECT_LT(method.max, 1) << what;
      EXPECT_LT(std::abs(method.volume_change), 1) << what;
      EXPECT_GE(method.ms_per_frame, 0) << what;
      // sqrt(sum d^2 / 3N) is the rms over sqrt 3, in the mesh's units.
      EXPECT_GE(method.elastic_rms_printed, 0) << what;
    }
  }
}

TEST(Compare, NamesItsPosesAndNothingIsBelowTheReference) {
  Rig rig = *make_character("arm", {.resolution = 800});
  auto report = compare(rig, {.pairs = {{"heat", "lbs"}, {"elastic", "swing-twist"}, {"own", "dqs"}},
                              .clip_samples = 2,
                              .voxels = 32});
  ASSERT_TRUE(report.ok()) << report.error().message;
  expect_sane(*report);
  std::set<std::string> names;
  for (const PoseFigures& pose : report->poses) names.insert(pose.name);
  EXPECT_EQ(names.size(), report->poses.size());
  for (const char* name : {"ForeArm bend 90 x", "ForeArm bend 90 y", "ForeArm twist 90",
                           "ForeArm bend+twist 90", "clip bend 0.50"})
    EXPECT_TRUE(names.count(name)) << name;
  EXPECT_FALSE(names.count("UpperArm bend 90 x"));  // moves everything
  const double diagonal = bounding_box(rig.mesh.positions).diagonal().norm();
  for (const PoseFigures& pose : report->poses) {
    EXPECT_EQ(pose.methods.size(), usual_pairs().size() + 2);  // a pair that is there already comes once
    for (const MethodFigures& method : pose.methods) {
      EXPECT_EQ(method.extended, method.pair.weights == "heat" || method.pair.weights == "own");
      EXPECT_NEAR(method.elastic_rms * std::sqrt(3.0), method.rms * diagonal, 1e-9);
    }
  }
}

TEST(Compare, KeepsShapesForAsManyPicturesAsAskedFor) {
  const Rig rig = *make_character("arm", {.resolution = 400});
  for (const std::size_t pictures : {std::size_t{0}, std::size_t{3}, std::size_t{100}}) {
    auto report =
        compare(rig, {.joints = {"ForeArm"}, .clip_samples = 0, .voxels = 24, .pictures = pictures});
    ASSERT_TRUE(report.ok());
    ASSERT_EQ(report->poses.size(), 4u);
    std::size_t kept = 0;
    for (const PoseFigures& pose : report->poses) {
      kept += !pose.reference.empty();
      EXPECT_TRUE(pose.reference.empty() || pose.reference.size() == rig.mesh.vertex_count());
    }
    EXPECT_LE(kept, pictures);
    EXPECT_EQ(kept > 0, pictures > 0);
  }
}

TEST(Compare, NamesThatAreNotThereAreUsageErrors) {
  const Rig rig = *make_character("arm", {.resolution = 400});
  for (const CompareRequest& request : {CompareRequest{.pairs = {{"magic", "lbs"}}, .voxels = 16},
                                        CompareRequest{.pairs = {{"bbw", "jelly"}}, .voxels = 16},
                                        CompareRequest{.pairs = {{"", ""}}, .voxels = 16},
                                        CompareRequest{.joints = {"Nose"}, .voxels = 16}}) {
    auto report = compare(rig, request);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, ErrorCode::kUsage) << report.error().message;
  }
  Rig bare = rig;
  bare.weights = {};
  bare.joint_weights = {};
  auto own = compare(bare, {.pairs = {{"own", "lbs"}}, .voxels = 16});
  ASSERT_FALSE(own.ok());
  EXPECT_EQ(own.error().code, ErrorCode::kImpossible);
}

TEST(Compare, StopsWhenToldTo) {
  const Rig rig = *make_character("arm", {.resolution = 400});
  std::atomic<bool> stop{false};
  Progress progress;
  progress.cancel = &stop;
  int calls = 0;
  progress.report = [&](std::string_view stage, double) {
    if (stage == "comparing" && ++calls == 2) stop = true;
  };
  auto report = compare(rig, {.voxels = 24, .progress = &progress});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(calls, 2);
}

// The experiment that docs/algorithms/compare.md describes: cylinder of radius 1 and length 8, cells of 0.25.
TEST(Compare, OrdersTheMethodsOfTheCylinderAsThePaperDoes) {
  Rig rig = *make_character("cylinder", {.resolution = 1200});
  rig.clips = {held("far", 1, Vec3::UnitY(), 150)};
  auto report = compare(rig, {.clip_samples = 1, .voxels = 32});
  ASSERT_TRUE(report.ok()) << report.error().message;
  expect_sane(*report);
  std::size_t judged = 0;
  for (const PoseFigures& pose : report->poses) {
    const bool twist = pose.name == "Upper twist 90" || pose.name.starts_with("clip far");
    if (!twist && !pose.name.starts_with("Upper bend 90")) continue;
    ++judged;
    const MethodFigures &ours = find(pose, "elastic", "swing-twist"), &linear = find(pose, "elastic", "lbs"),
                        &bbw = find(pose, "bbw", "lbs"), &dual = find(pose, "bbw", "dqs");
    EXPECT_LE(ours.energy_ratio, linear.energy_ratio * (1 + 1e-6)) << pose.name;
    EXPECT_LE(linear.energy_ratio, bbw.energy_ratio) << pose.name;
    EXPECT_LT(bbw.energy_ratio, dual.energy_ratio) << pose.name;
    if (twist)
      for (const MethodFigures& other : pose.methods) {
        EXPECT_LE(ours.rms, other.rms)
            << pose.name << ' ' << other.pair.weights << ':' << other.pair.deformer;
      }
  }
  EXPECT_EQ(judged, 4u);
}

TEST(Compare, SwingTwistLeadsOnEveryBendAndTwistOfTheArm) {
  const Rig rig = *make_character("arm", {.resolution = 1500});
  auto report = compare(rig, {.clip_samples = 0, .voxels = 48});
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::size_t judged = 0;
  EXPECT_EQ(report->poses.back().name, "ForeArm and Hand bend 60 x");
  for (const PoseFigures& pose : report->poses) {
    if (pose.name.find("bend+twist") != std::string::npos || pose.name.find(" and ") != std::string::npos)
      continue;
    ++judged;
    const MethodFigures& ours = find(pose, "elastic", "swing-twist");
    EXPECT_LT(ours.energy_ratio, find(pose, "bbw", "lbs").energy_ratio) << pose.name;
    EXPECT_LT(ours.energy_ratio, find(pose, "bbw", "dqs").energy_ratio) << pose.name;
  }
  EXPECT_EQ(judged, 6u);
}

// Figure 12: the energy over weights settles in fewer steps than that over positions, both to 1e-4.
TEST(Compare, WeightsSettleInFewerStepsThanPositions) {
  for (const char* kind : {"cylinder", "arm"}) {
    auto report = compare(*make_character(kind, {.resolution = 800}), {.clip_samples = 0, .voxels = 32});
    ASSERT_TRUE(report.ok());
    const auto steps = [](const std::vector<double>& errors) {
      return std::count_if(errors.begin(), errors.end(), [](double e) { return e > 1e-4; });
    };
    EXPECT_GT(steps(report->convergence.reduced), 1) << kind;
    EXPECT_LT(steps(report->convergence.reduced), steps(report->convergence.full)) << kind;
  }
}

// The reference of a pose is solved in the band of the joints that it turns: solved on all of the body, with
// nothing but the bones held, it has the same energy.
TEST(Compare, ReferencesInABandHaveTheEnergyOfTheWholeBody) {
  const Rig rig = *make_character("arm", {.resolution = 800});
  auto report = compare(rig, {.joints = {"ForeArm"}, .clip_samples = 0, .voxels = 40});
  ASSERT_TRUE(report.ok()) << report.error().message;
  const Surface surface = *make_surface(rig);
  const BoneBody body = *make_bone_body(surface.input(), 40, nullptr, elastic_cells(surface.input()));
  const ElasticSetup setup = *elastic_setup(rig, surface, body, {}, nullptr);
  std::vector<std::uint8_t> fixed;
  for (const int joint : setup.joint_of_vertex) fixed.push_back(joint >= 0);
  const ElasticBody whole = *ElasticBody::build(setup.grid, fixed);
  const std::size_t joint = *rig.skeleton.find("ForeArm");
  const JointFrame frame = joint_frame(surface.bones, surface.parents, joint);
  const Affine3 motion = Eigen::Translation3d(frame.origin) *
                         Affine3(Eigen::AngleAxisd(std::numbers::pi / 2, frame.axes.col(0))) *
                         Eigen::Translation3d(-frame.origin);
  const auto below = bones_below(surface.parents, joint);
  GridPositions start = whole.model().rest();
  for (Eigen::Index v = 0; v < start.rows(); ++v) {
    const Vec3 p = start.row(v).transpose();
    double share = 0;
    for (const Influence& influence : setup.start.row(static_cast<std::size_t>(v)))
      share += below[influence.joint] ? influence.weight : 0;
    start.row(v) = (p + share * (motion * p - p)).transpose();
  }
  const double least = whole.minimise(start, {.tolerance = 1e-6, .max_iterations = 300}).energy;
  const auto pose = std::find_if(report->poses.begin(), report->poses.end(),
                                 [](const PoseFigures& p) { return p.name == "ForeArm bend 90 x"; });
  ASSERT_NE(pose, report->poses.end());
  EXPECT_NEAR(pose->energy, least, 2e-3 * least);
}

// Once the timed runs of a pose began where the one before had ended, and solving took no time at all.
TEST(Compare, EveryTimedFrameBeginsFromNothing) {
  const Rig rig = *make_character("arm", {.resolution = 400});
  const Surface surface = *make_surface(rig);
  const std::size_t joint = *rig.skeleton.find("ForeArm");
  const auto bent = [&](double angle) {
    const JointTurn turn{joint, Eigen::AngleAxisd(angle, Vec3::UnitX()).toRotationMatrix()};
    return turned_pose(rig, surface, {&turn, 1}, "bent");
  };
  for (const char* deformer : {"elastic", "lbs"}) {
    auto runner = Runner::build(rig, deformer, nullptr);
    ASSERT_TRUE(runner.ok()) << runner.error().message;
    Runner::Memory timed, cold = runner->memory(), warm = runner->memory();
    EXPECT_GT(runner->time_cold(bent(1.02), timed), 0);
    EXPECT_GT(runner->time_cold(bent(1), timed), 0);
    runner->run(bent(1), cold);
    EXPECT_EQ(timed.out, cold.out) << deformer;
    runner->run(bent(1.02), warm);
    runner->run(bent(1), warm);
    EXPECT_EQ(warm.out == cold.out, deformer == std::string("lbs"));  // or this test would show nothing
  }
}

// Fingers of a whole body are shorter than four of its cells: they are judged on the hand alone.
TEST(Compare, FingersAreJudgedOnABodyThatResolvesThem) {
  const Rig rig = *make_character("biped", {.resolution = 1500});
  CompareRequest request{
      .joints = {"LeftHandIndex1", "LeftHandIndex2", "LeftForeArm"}, .clip_samples = 0, .pictures = 100};
  auto report = compare(rig, request);
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->pieces.size(), 1u);
  const Box3 whole = bounding_box(rig.mesh.positions), hand = bounding_box(report->pieces[0].positions);
  EXPECT_LT(hand.diagonal().norm(), 0.25 * whole.diagonal().norm());
  std::size_t fingers = 0, together = 0;
  for (const PoseFigures& pose : report->poses) {
    const bool finger = pose.name.find("Index") != std::string::npos;
    EXPECT_EQ(pose.piece, finger ? 1u : 0u) << pose.name;
    EXPECT_EQ(pose.reference.size(), finger ? report->pieces[0].vertex_count() : rig.mesh.vertex_count());
    fingers += finger;
    together += pose.name == "LeftHandIndex1 and LeftHandIndex2 bend 60 x";
    for (const MethodFigures& method : pose.methods) EXPECT_GE(method.energy_ratio, 0.999) << pose.name;
    // What the reference does to a finger is seen: at a bend its tip leaves the rest by about its length.
    if (!finger) continue;
    double farthest = 0;
    for (std::size_t i = 0; i < pose.reference.size(); ++i)
      farthest = std::max(farthest, (pose.reference[i] - report->pieces[0].positions[i]).norm());
    EXPECT_GT(farthest, 0.002 * whole.diagonal().norm()) << pose.name;
  }
  EXPECT_EQ(fingers, 9u);
  EXPECT_EQ(together, 1u);
}

TEST(Compare, RotationsTellWorstAndMeanOfEveryJointAndOfNeighbours) {
  Rig rig = *make_character("arm", {.resolution = 800});
  auto report = compare(rig, {.clip_samples = 0, .voxels = 44, .pictures = 0, .rotations = 6});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_EQ(report->rotations.size(), 3u);
  EXPECT_EQ(report->rotations[0].joint, "ForeArm");
  EXPECT_EQ(report->rotations[2].joint, "Hand");
  EXPECT_EQ(report->rotations[2].with, "ForeArm");
  for (const JointRotations& joint : report->rotations) {
    EXPECT_GT(joint.free, 100u);
    ASSERT_EQ(joint.methods.size(), 3u);  // the rig has no flesh
    for (const RotationFigures& method : joint.methods) {
      EXPECT_EQ(method.pair.weights, "elastic");
      EXPECT_GE(method.mean, 0.999);
      EXPECT_GE(method.worst, method.mean);
      EXPECT_LT(method.worst, 10);
    }
  }
  // The same as a pose that is asked for by name: one of the rotations, by another way.
  const Surface surface = *make_surface(rig);
  const std::size_t joint = *rig.skeleton.find("ForeArm");
  const JointFrame frame = joint_frame(surface.bones, surface.parents, joint);
  std::vector<CompareRequest::NamedPose> poses;
  for (const Vec3& turn : held_out_turns({}, 6, static_cast<std::uint32_t>(joint + 1))) {
    const Vec3 angles = rotation_of(frame, turn).eulerAngles(2, 1, 0) * 180 / std::numbers::pi;
    PoseRequest request;
    request.turns.push_back({"ForeArm", {angles[2], angles[1], angles[0]}});
    poses.push_back({"p" + std::to_string(poses.size()), request});
  }
  auto named =
      compare(rig, {.joints = {"ForeArm"}, .poses = poses, .clip_samples = 0, .voxels = 44, .pictures = 0});
  ASSERT_TRUE(named.ok()) << named.error().message;
  double worst = 0, mean = 0;
  for (const PoseFigures& pose : named->poses)
    if (pose.name[0] == 'p') {
      const double ratio = find(pose, "elastic", "swing-twist").energy_ratio;
      worst = std::max(worst, ratio);
      mean += ratio / 6;
    }
  EXPECT_NEAR(report->rotations[0].methods[0].worst, worst, 0.01 * worst);
  EXPECT_NEAR(report->rotations[0].methods[0].mean, mean, 0.01 * mean);
}

TEST(Compare, RotationsJudgeFleshAsItIsStored) {
  Rig rig = *make_character("arm", {.resolution = 800});
  BindRequest request;
  request.voxels = 44;
  request.flesh = FleshRequest{};
  ASSERT_TRUE(bind(rig, request).ok());
  ASSERT_FALSE(rig.flesh.fields.empty());
  const CompareRequest wanted{
      .joints = {"ForeArm"}, .clip_samples = 0, .voxels = 44, .pictures = 0, .rotations = 4};
  const auto worst = [](const CompareReport& report, std::string_view weights) {
    for (const RotationFigures& method : report.rotations[0].methods)
      if (method.pair.weights == weights && method.pair.deformer == "flesh") return method.worst;
    return 0.0;
  };
  auto whole = compare(rig, wanted);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_NEAR(worst(*whole, "stored"), worst(*whole, "elastic"), 0.15);
  for (FleshField& field : rig.flesh.fields)
    for (std::int8_t& value : field.values) value = static_cast<std::int8_t>(-value);
  auto damaged = compare(rig, wanted);
  ASSERT_TRUE(damaged.ok()) << damaged.error().message;
  EXPECT_GT(worst(*damaged, "stored"), 1.3 * worst(*whole, "stored"));
  EXPECT_EQ(worst(*damaged, "elastic"), worst(*whole, "elastic"));
}

// Files need not say where the last bone of a chain ends: binding and comparison find the same end in the skin.
TEST(Compare, LastBonesEndWhereBindingHasThem) {
  Rig rig = *make_character("arm", {.resolution = 3000});
  ASSERT_TRUE(bind(rig, {}).ok());
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  ASSERT_TRUE(joints.back().tail);
  joints.back().tail.reset();
  rig.skeleton = *Skeleton::create(std::move(joints));
  BindRequest request;
  request.flesh = FleshRequest{};
  ASSERT_TRUE(bind(rig, request).ok());
  const auto report = compare(rig, {.joints = {"Hand"}, .clip_samples = 0, .pictures = 0, .rotations = 6});
  ASSERT_TRUE(report.ok()) << report.error().message;
  for (const RotationFigures& method : report->rotations[0].methods)
    if (method.pair.weights == "stored") {
      EXPECT_LT(method.worst, 1.2);
      EXPECT_GT(method.worst, 1);
      return;
    }
  FAIL() << "stored flesh was not judged";
}

TEST(ComparePage, HoldsItsPicturesAndEveryPoseAndDoesNotOverwrite) {
  const Rig rig = *make_character("arm", {.resolution = 400});
  auto report = compare(rig, {.joints = {"ForeArm"}, .clip_samples = 1, .voxels = 24, .pictures = 2});
  ASSERT_TRUE(report.ok());
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("sinew_compare_page_" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(save_compare_page(rig, *report, "a <i> & c", folder, Overwrite::kNo).ok());
  std::ifstream in(folder / "index.html");
  const std::string page((std::istreambuf_iterator<char>(in)), {});
  for (const PoseFigures& pose : report->poses) EXPECT_NE(page.find(pose.name), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
  EXPECT_NE(page.find("&lt;i&gt;"), std::string::npos);
  std::size_t pictures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".png") {
      ++pictures;
      EXPECT_NE(page.find(entry.path().filename().string()), std::string::npos);
    }
  EXPECT_GE(pictures, 3u);
  auto again = save_compare_page(rig, *report, "t", folder, Overwrite::kNo);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kIo);
  EXPECT_TRUE(save_compare_page(rig, *report, "t", folder, Overwrite::kYes).ok());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sinew
