// SPDX-License-Identifier: Apache-2.0
// What an engine relies on when it embeds the player.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "sinew/characters/characters.h"
#include "sinew/core/parallel.h"
#include "sinew/player/pose_request.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"
#include "sinew/rig/skinned_mesh.h"
#include "support/deform_choice.h"

namespace sinew {
namespace {

struct Interleaved {
  float position[3], uv[2], normal[3];
};

Rig biped() {
  auto rig = make_character("biped", {.resolution = 1500});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

Pose walking(const Rig& rig, double time) {
  Pose pose = rest_pose(rig.skeleton);
  pose.key_weights = key_weights_of(rig, pose);
  sample_clip(rig.clips[0], rig.skeleton, time, pose);
  return pose;
}

std::vector<Vec3f> evaluated(const RigDeformer& deformer, const Pose& pose) {
  RigWorkspace workspace = deformer.make_workspace();
  std::vector<Vec3f> positions(deformer.vertex_count());
  EXPECT_EQ(deformer.evaluate(pose, workspace, positions), Status::kOk);
  return positions;
}

TEST(Embedding, OwnsAllThatItNeeds) {
  auto rig = std::make_unique<Rig>(biped());
  const Pose pose = walking(*rig, 0.4);
  const std::vector<Vec3> expected = skinned_mesh(*rig, pose).positions;
  for (const char* name : {"lbs", "lbs+mush", "dqs", "curve", "differential", "volume"}) {
    auto ready = ready_deformer(*rig, test::by(*rig, name));
    ASSERT_TRUE(ready.ok()) << name;
    const RigDeformer deformer = std::move(ready->deformer);
    const std::vector<Vec3f> before = evaluated(deformer, pose);
    auto kept = std::make_unique<Rig>(std::move(*rig));
    for (Vec3& p : rig->mesh.positions) p.setZero();
    rig.reset();
    EXPECT_EQ(evaluated(deformer, pose), before) << name;
    for (std::size_t i = 0; std::string(name) == "lbs" && i < before.size(); ++i)
      EXPECT_LT((before[i].cast<double>() - expected[i]).norm(), 1e-5);
    rig = std::move(kept);
  }
}

TEST(Embedding, AStrideLeavesWhatLiesBetweenAlone) {
  const Rig rig = biped();
  const Pose pose = walking(rig, 0.3);
  for (const char* name : {"lbs", "dqs+mush"}) {
    const auto deformer = RigDeformer::build(rig, name);
    ASSERT_TRUE(deformer.ok());
    RigWorkspace workspace = deformer->make_workspace();
    const std::size_t n = deformer->vertex_count();
    std::vector<Vec3f> positions(n), normals(n);
    ASSERT_EQ(deformer->evaluate(pose, workspace, positions, normals), Status::kOk);
    std::vector<Interleaved> vertices(n, {{7, 7, 7}, {3, 4}, {7, 7, 7}});
    ASSERT_EQ(deformer->evaluate(pose, workspace, {vertices[0].position, n, sizeof(Interleaved)},
                                 {vertices[0].normal, n, sizeof(Interleaved)}),
              Status::kOk);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(Vec3f(vertices[i].position), positions[i]) << name;
      EXPECT_EQ(Vec3f(vertices[i].normal), normals[i]) << name;
      EXPECT_EQ(vertices[i].uv[0], 3);
      EXPECT_EQ(vertices[i].uv[1], 4);
    }
    // Without normals the positions are the same.
    std::vector<Vec3f> alone(n);
    ASSERT_EQ(deformer->evaluate(pose, workspace, alone), Status::kOk);
    EXPECT_EQ(alone, positions) << name;
  }
}

TEST(Embedding, MatricesOfTheEngineGiveTheSame) {
  const Rig rig = biped();
  const Pose pose = walking(rig, 0.7);
  const auto deformer = RigDeformer::build(rig, "dqs");
  const std::vector<Vec3f> expected = evaluated(*deformer, pose);
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, pose.local);
  for (const auto space : {PoseView::Space::kParent, PoseView::Space::kModel}) {
    std::vector<float> numbers;
    for (const Affine3& matrix : space == PoseView::Space::kParent ? pose.local : globals)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
          numbers.push_back(static_cast<float>(matrix.matrix()(row, column)));
    RigWorkspace workspace = deformer->make_workspace();
    std::vector<Vec3f> positions(deformer->vertex_count());
    PoseView view{numbers, space};
    ASSERT_EQ(deformer->evaluate(view, workspace, positions), Status::kOk);
    for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_LT((positions[i] - expected[i]).norm(), 1e-5);
    view.joints = view.joints.first(12);
    EXPECT_EQ(deformer->evaluate(view, workspace, positions), Status::kBadPose);
  }
}

TEST(Embedding, WhatDoesNotFitIsRefusedAndNothingIsWritten) {
  Rig rig = biped();
  rig.keys.push_back({"up", std::vector<Vec3f>(rig.mesh.vertex_count(), Vec3f::UnitY()), {}, 0});
  const auto deformer = RigDeformer::build(rig);
  ASSERT_TRUE(deformer.ok());
  RigWorkspace workspace = deformer->make_workspace();
  const std::size_t n = deformer->vertex_count();
  std::vector<Vec3f> out(n, Vec3f::Constant(9));
  const auto refused = [&](const Pose& pose, VertexBuffer positions, VertexBuffer normals = {}) {
    const bool bad = deformer->evaluate(pose, workspace, positions, normals) == Status::kBadPose;
    for (const Vec3f& p : out) EXPECT_EQ(p, Vec3f::Constant(9));
    return bad;
  };
  const Pose rest = rest_pose(rig.skeleton);
  Pose few = rest;
  few.local.pop_back();
  EXPECT_TRUE(refused(few, out));
  Pose keys = rest;
  keys.key_weights = {0, 1, 2};  // one key more would be read beyond the end
  EXPECT_TRUE(refused(keys, out));
  Pose bones = rest;
  bones.bones.resize(1);
  EXPECT_TRUE(refused(bones, out));
  EXPECT_TRUE(refused(rest, {out[0].data(), n - 1}));
  EXPECT_TRUE(refused(rest, {out[0].data(), n, 8}));
  EXPECT_TRUE(refused(rest, {nullptr, n}));
  EXPECT_TRUE(refused(rest, out, {out[0].data(), n - 1}));
  workspace.controls().handles = {{5, Vec3::Zero(), Quat::Identity()}};
  EXPECT_TRUE(refused(rest, out));
  workspace.controls().handles.clear();
  EXPECT_EQ(deformer->evaluate(rest, workspace, out), Status::kOk);
  EXPECT_STRNE(status_text(Status::kBadPose), "");
}

TEST(Embedding, ManyInstancesAtOnceAreTheSameAsOneByOne) {
  const Rig rig = biped();
  const auto deformer = RigDeformer::build(rig, "lbs");
  constexpr std::size_t kCount = 40;
  std::vector<Pose> poses;
  std::vector<RigWorkspace> workspaces;
  std::vector<std::vector<Vec3f>> positions(kCount, std::vector<Vec3f>(deformer->vertex_count()));
  std::vector<RigInstance> instances(kCount);
  for (std::size_t k = 0; k < kCount; ++k) {
    poses.push_back(walking(rig, 0.02 * static_cast<double>(k)));
    workspaces.push_back(deformer->make_workspace());
  }
  for (std::size_t k = 0; k < kCount; ++k) instances[k] = {&poses[k], &workspaces[k], positions[k]};
  ASSERT_EQ(deformer->evaluate(instances), Status::kOk);
  for (std::size_t k = 0; k < kCount; ++k) EXPECT_EQ(positions[k], evaluated(*deformer, poses[k])) << k;
  instances[7].pose = nullptr;
  EXPECT_EQ(deformer->evaluate(instances), Status::kBadPose);
  EXPECT_EQ(instances[7].status, Status::kBadPose);
  EXPECT_EQ(instances[8].status, Status::kOk);
}

class CountingExecutor final : public Executor {
 public:
  void run(std::size_t pieces, void* context, void (*piece)(void*, std::size_t)) const override {
    jobs += pieces > 0;
    for (std::size_t i = 0; i < pieces; ++i) piece(context, i);
  }
  mutable std::atomic<int> jobs{0};
};

TEST(Embedding, RunsOnTheJobSystemOfTheCallerAlone) {
  const Rig rig = *make_character("biped", {.resolution = 20000});
  const CountingExecutor executor;
  auto ready = ready_deformer(rig, test::by(rig, "dqs+mush"));
  ASSERT_TRUE(ready.ok());
  std::vector<Vec3f> positions(ready->deformer.vertex_count()), usual(positions.size());
  const Pose pose = walking(rig, 0.5);
  ASSERT_EQ(ready->deformer.evaluate(pose, ready->workspace, usual), Status::kOk);
  ready->workspace.run_on(&executor);
  ASSERT_EQ(ready->deformer.evaluate(pose, ready->workspace, positions), Status::kOk);
  EXPECT_GT(executor.jobs, 0);
  EXPECT_EQ(positions, usual);
}

TEST(Embedding, ThreadsShareADeformer) {
  const Rig rig = biped();
  auto ready = ready_deformer(rig, test::by(rig, "swing-twist"));
  ASSERT_TRUE(ready.ok());
  const RigDeformer& deformer = ready->deformer;
  const Pose pose = walking(rig, 0.5);
  const std::vector<Vec3f> expected = evaluated(deformer, pose);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      RigWorkspace workspace = deformer.make_workspace();
      workspace.run_on(&serial_executor());
      std::vector<Vec3f> positions(deformer.vertex_count());
      for (int k = 0; k < 50; ++k) {
        const Pose other = walking(rig, 0.01 * (k + t));
        wrong += deformer.evaluate(other, workspace, positions) != Status::kOk;
      }
      wrong += deformer.evaluate(pose, workspace, positions) != Status::kOk;
      wrong += positions != expected;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Embedding, WhatARigLacksIsNeverMadeAside) {
  const Rig rig = *make_character("arm", {.resolution = 400});
  Rig bare = rig;
  bare.joint_weights = {};
  bare.endpoint = {};
  for (const char* name : {"swing-twist", "joint-dqs", "curve", "stretch-lbs", "stretch-dqs", "elastic"}) {
    const auto deformer = RigDeformer::build(bare, name);
    ASSERT_FALSE(deformer.ok()) << name;
    EXPECT_EQ(deformer.error().code, ErrorCode::kImpossible) << name;
  }
}

// Poses a rig by its elastic body, `scarce`: with no memory left to take; the exit code is the status.
[[noreturn]] void solve_elastic(bool scarce) {
  const Rig rig = *make_character("arm", {.resolution = 600});
  auto ready = ready_deformer(rig, test::by(rig, "elastic", {{"voxels", 64.0}}));
  if (!ready) std::_Exit(99);
  std::vector<Vec3f> positions(ready->deformer.vertex_count());
  const Pose pose = walking(rig, 0.5);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit{bytes, bytes};
  if (pages == 0 || (scarce && setrlimit(RLIMIT_AS, &limit) != 0)) std::_Exit(98);
  std::_Exit(40 + static_cast<int>(ready->deformer.evaluate(pose, ready->workspace, positions)));
}

TEST(EmbeddingDeathTest, ASolveThatFindsNoMemorySaysSo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need their own memory";
#endif
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto exit = [](Status status) { return testing::ExitedWithCode(40 + static_cast<int>(status)); };
  EXPECT_EXIT(solve_elastic(false), exit(Status::kOk), "");
  EXPECT_EXIT(solve_elastic(true), exit(Status::kOutOfMemory), "");
}

// Files and users: one table of settings, checked in one place.
TEST(Settings, EveryOptionTakesItsOwnDefaultAndRefusesNonsense) {
  const Rig rig = biped();
  for (const StackOption& option : stack_options()) {
    Stack stack = stack_of(rig);
    stack.push_back({"mush", "", {}});
    const std::string name(option.descriptor.option);
    if (name != "remove") {
      const Setting& usual = option.owners[0].second;
      EXPECT_TRUE(set_option(stack, name, usual).ok()) << name;
      EXPECT_EQ(get_option(stack, option), name == "deformer" ? Setting(std::string("lbs+mush")) : usual);
      const bool alike = std::all_of(option.owners.begin(), option.owners.end(),
                                     [&](const auto& owner) { return owner.second == usual; });
      for (const StackEntry& entry : stack)
        EXPECT_TRUE(!alike || entry.settings.empty()) << name << " stores its default";
    }
    const bool flag = option.descriptor.kind == Descriptor::Kind::kFlag;
    const auto wrong = set_option(stack, name, flag ? Setting(1.0) : Setting(true));
    ASSERT_FALSE(wrong.ok()) << name;
    EXPECT_EQ(wrong.error().code, ErrorCode::kUsage);
    EXPECT_TRUE(wrong.error().message.starts_with(name)) << wrong.error().message;
    EXPECT_EQ(wrong.error().message.find("--"), std::string::npos);
    EXPECT_FALSE(option.descriptor.help.empty()) << name;
  }
  Stack stack = stack_of(rig);
  EXPECT_EQ(set_option(stack, "jelly", 1.0).error().code, ErrorCode::kUsage);
}

// Where handles pull at nothing, arap over a deformer is that deformer.
TEST(Embedding, ArapHoldsTheShapeOfTheDeformerItIsOver) {
  const Rig rig = biped();
  const Pose pose = walking(rig, 0.3);
  const auto lbs = RigDeformer::build(rig), volume = RigDeformer::build(rig, "volume");
  ASSERT_TRUE(lbs.ok() && volume.ok());
  const std::vector<Vec3f> linear = evaluated(*lbs, pose), expected = evaluated(*volume, pose);
  const auto stack = stack_with(rig, "arap", {{"over", std::string("volume")}});
  ASSERT_TRUE(stack.ok()) << stack.error().message;
  DeformerData data;
  data.held = {{0, expected[0].cast<double>()}};
  const auto arap = RigDeformer::build(rig, *stack, data);
  ASSERT_TRUE(arap.ok()) << arap.error().message;
  const std::vector<Vec3f> out = evaluated(*arap, pose);
  float most = 0, apart = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    most = std::max(most, (out[i] - expected[i]).norm());
    apart = std::max(apart, (linear[i] - expected[i]).norm());
  }
  EXPECT_LT(most, 1e-3f);
  EXPECT_GT(apart, 10 * most);
  for (const std::string over : {"arap", "no such"}) {
    const auto refused = stack_with(rig, "arap", {{"over", over}});
    EXPECT_FALSE(refused.ok() && RigDeformer::build(rig, *refused, data).ok()) << over;
  }
}

// arap takes 30 steps where nobody says otherwise, points 6.
TEST(Settings, AValueThatIsUsualForAnotherDeformerIsKept) {
  const Rig rig = biped();
  for (const double steps : {6.0, 30.0}) {
    const auto stack = stack_with(rig, "arap", {{"iterations", steps}});
    ASSERT_TRUE(stack.ok());
    EXPECT_EQ(get_option(*stack, **find_stack_option("iterations")), Setting(steps));
    EXPECT_EQ(steps_of("arap", stack->back().settings), static_cast<int>(steps));
  }
  const auto points = stack_with(rig, "points");
  EXPECT_EQ(get_option(*points, **find_stack_option("iterations")), Setting(6.0));
}

TEST(Settings, OfSingleBonesBendThoseAlone) {
  const Rig snake = *make_character("snake", {.resolution = 1500});
  const std::string first = snake.skeleton[2].name;
  PoseRequest request;
  for (std::size_t j = 1; j < snake.skeleton.size(); ++j)
    request.turns.push_back({snake.skeleton[j].name, Vec3(0, 12, 0)});
  const auto pose = make_pose(snake, request);
  ASSERT_TRUE(pose.ok());
  const auto bent = [&](const Settings& options) {
    auto mesh = posed_mesh(snake, *pose, test::by(snake, "curve", options));
    EXPECT_TRUE(mesh.ok());
    return mesh->positions;
  };
  const auto usual = bent({}), same = bent({{"bone-segments", NamedNumbers{{first, 8}}}}),
             one = bent({{"bone-segments", NamedNumbers{{first, 1}}}}),
             eased = bent({{"bone-ease", NamedNumbers{{first, 0}}}});
  EXPECT_EQ(usual, same);
  for (const auto& other : {one, eased}) {
    double moved = 0;
    for (std::size_t i = 0; i < usual.size(); ++i) {
      double own = 0;
      for (const Influence& influence : snake.weights.row(i))
        own += influence.joint == 2 ? influence.weight : 0;
      const double distance = (usual[i] - other[i]).norm();
      EXPECT_LT(own == 0 ? distance : 0, 1e-9) << i;
      moved = std::max(moved, distance);
    }
    EXPECT_GT(moved, 1e-4);
  }
  const auto wrong = stack_with(snake, "curve", {{"bone-segments", NamedNumbers{{"nobody", 3}}}});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().parameter, "bone-segments");
}

}  // namespace
}  // namespace sinew
