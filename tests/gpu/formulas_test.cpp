// SPDX-License-Identifier: Apache-2.0
// The formulas that devices run, compiled for the host: they must give what the player gives.
#include <array>
#include <cmath>
#include <random>

#include "gpu/program.h"
#include "gpu/rig_poses.h"
#include "sinew/rig/turn_functions.h"

namespace sinew {
namespace {

using gpu::Program;
using test::RigPoses;

test::Difference on_host(const Rig& rig, const char* deformer, std::size_t count, bool shaped = false) {
  const auto program = gpu::make_program(rig, deformer);
  EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.error().message);
  if (!program.ok()) return {1e30, 1e30};
  const RigPoses poses(rig, program->shape.root, count, shaped);
  std::vector<float> positions(3 * count * rig.mesh.vertex_count(), 1e9f), normals = positions;
  gpu::deform_on_host(
      *program, static_cast<std::int64_t>(count),
      {poses.rotations.data(), poses.translations.data(), poses.keys.empty() ? nullptr : poses.keys.data(),
       shaped ? poses.bones.data() : nullptr},
      positions.data(), normals.data());
  test::Difference most = test::difference_to_player(rig, deformer, poses, positions, normals);
  // Without normals, positions may be computed another way.
  std::fill(positions.begin(), positions.end(), 1e9f);
  gpu::deform_on_host(
      *program, static_cast<std::int64_t>(count),
      {poses.rotations.data(), poses.translations.data(), poses.keys.empty() ? nullptr : poses.keys.data(),
       shaped ? poses.bones.data() : nullptr},
      positions.data(), nullptr);
  most.position =
      std::max(most.position, test::difference_to_player(rig, deformer, poses, positions, {}).position);
  return most;
}

class DeviceFormulas : public testing::TestWithParam<const char*> {};

TEST_P(DeviceFormulas, GiveWhatThePlayerGives) {
  for (const char* kind : {"arm", "quadruped"}) {
    const test::Difference most = on_host(test::sample_rig(kind), GetParam(), 3);
    EXPECT_LT(most.position, 1e-5) << kind;
    EXPECT_LT(most.normal, 0.1) << kind;
    // Without keys, by loops of their own.
    EXPECT_LT(on_host(test::without_keys(test::sample_rig(kind)), GetParam(), 3).position, 1e-5) << kind;
  }
}

TEST(DeviceFormulas, PlayFieldsThatTwoJointsDrive) {
  const Rig rig = test::with_pair_of_joints(test::sample_rig("arm"));
  EXPECT_LT(on_host(rig, "flesh", 3).position, 1e-5);
  EXPECT_LT(on_host(rig, "flesh", 3).normal, 0.1);
}

// Threads repeat vertices where they have fewer than they hold, but one of them writes.
TEST(DeviceFormulas, HoldEveryVertexInOneThread) {
  for (const char* deformer : {"lbs", "dqs"}) {
    const auto program = gpu::make_program(test::without_keys(test::sample_rig("quadruped")), deformer);
    ASSERT_TRUE(program.ok());
    const auto tiles = static_cast<std::size_t>(program->shape.held_tiles);
    ASSERT_GT(tiles, 0u);
    const std::size_t each = program->held_places.size() / tiles;
    for (std::size_t t = 0; t < tiles; ++t) {
      std::vector<int> threads(program->held_first[t + 1] - program->held_first[t]);
      for (std::size_t i = 0; i < each; ++i)
        if (const int place = program->held_places[t * each + i]; place >= 0)
          ++threads.at(static_cast<std::size_t>(place));
      EXPECT_EQ(threads, std::vector<int>(threads.size(), 1)) << deformer << " " << t;
    }
  }
}

TEST_P(DeviceFormulas, GiveItOnFilesOfOtherPrograms) {
  SINEW_REQUIRE_DATA(data);
  for (const char* file : {"CesiumMan.glb", "Fox.glb"}) {
    const auto asset = read_asset(data / "rigged_gltf" / file);
    ASSERT_TRUE(asset.ok());
    Rig rig = asset->rig;
    const auto program = gpu::make_program(rig, "dqs");
    if (!program.ok() && std::string_view(GetParam()) != "lbs") {
      EXPECT_NE(program.error().message.find("has scale"), std::string::npos) << file;
      continue;
    }
    rig = test::prepared(std::move(rig), GetParam());
    const test::Difference most = on_host(rig, GetParam(), 2);
    EXPECT_LT(most.position, 1e-5) << file;
    EXPECT_LT(most.normal, 0.1) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceFormulas, testing::ValuesIn(test::kDeviceDeformers),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(DeviceFormulas, StretchAndTwistBones) {
  for (const char* deformer : {"stretch-lbs", "stretch-dqs"}) {
    const test::Difference most = on_host(test::sample_rig("arm"), deformer, 4, true);
    EXPECT_LT(most.position, 1e-5) << deformer;
    EXPECT_LT(most.normal, 0.1) << deformer;
  }
}

TEST(DeviceFormulas, TakeMoreThanFourInfluences) {
  Rig rig = test::without_keys(test::sample_rig("arm"));
  SkinWeights weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row;
    for (std::uint32_t j = 0; j < 7 && j < rig.skeleton.size(); ++j)
      row.push_back({j, static_cast<double>(1 + (i + j) % 5)});
    double sum = 0;
    for (const Influence& influence : row) sum += influence.weight;
    for (Influence& influence : row) influence.weight /= sum;
    weights.add_row(row);
  }
  rig.weights = weights;
  for (const char* deformer : {"lbs", "dqs"}) {
    const test::Difference most = on_host(rig, deformer, 2);
    EXPECT_LT(most.position, 1e-5) << deformer;
    EXPECT_LT(most.normal, 0.1) << deformer;
  }
}

TEST(DeviceFormulas, KeepVerticesWithoutWeights) {
  Rig rig = test::sample_rig("arm");
  SkinWeights weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    weights.add_row(i % 5 == 0 ? std::span<const Influence>() : rig.weights.row(i));
  rig.weights = weights;
  for (const char* deformer : {"lbs", "dqs"}) EXPECT_LT(on_host(rig, deformer, 2).position, 1e-5) << deformer;
}

// Numbers of a rig far from the origin are counted from a place near it, whether its root hangs on a node or not.
TEST(DeviceFormulas, PlayFarFromTheOrigin) {
  const Vec3 far(3000, -2000, 1000);
  constexpr double kApart = 2.45e-4;  // floats from 2,048 to 4,096
  for (const bool below_a_node : {false, true}) {
    Rig rig = test::sample_rig("arm");
    std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
    if (below_a_node) {
      Joint node;
      node.name = "armature";
      node.deforms = false;
      node.rest_local = Eigen::Translation3d(far) * Affine3::Identity();
      joints.push_back(node);
      rig.inverse_bind.resize(joints.size(), Affine3::Identity());
      for (std::size_t j = 0; j + 1 < joints.size(); ++j)
        if (joints[j].parent < 0) joints[j].parent = static_cast<int>(joints.size()) - 1;
    } else {
      for (Joint& joint : joints)
        if (joint.parent < 0) joint.rest_local.pretranslate(far);
    }
    rig.skeleton = *Skeleton::create(joints);
    for (const char* deformer : {"lbs", "dqs", "flesh"})
      EXPECT_LT(on_host(rig, deformer, 2).position, 2 * kApart / test::size_of(rig))
          << deformer << below_a_node;
  }
}

TEST(DeviceFormulas, SplitFloatsIntoHalves) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> exponent(-8, 15), part(-1, 1);
  for (int k = 0; k < 10000; ++k) {
    const float x = part(random) * std::exp2(exponent(random));
    const gpu::Halves halves = gpu::split_halves(x);
    const float sum = gpu::float_of_half(halves.high) + gpu::float_of_half(halves.low);
    EXPECT_LE(std::abs(sum - x), std::abs(x) * 0x1p-22f + 0x1p-25f) << x;
    EXPECT_LE(std::abs(gpu::float_of_half(halves.high) - x), std::abs(x) * 0x1p-11f + 0x1p-25f) << x;
  }
  EXPECT_EQ(gpu::half_of_float(1.0f), 0x3c00u);
  EXPECT_EQ(gpu::half_of_float(-65504.0f), 0xfbffu);
  EXPECT_EQ(gpu::half_of_float(1.0f + 0x1p-11f), 0x3c00u);  // a tie goes to the even one
  EXPECT_EQ(gpu::half_of_float(0x1p-24f), 1u);
}

// Fields by powers of the direction's cosine and sine, from factors and values of half precision, against the sum of
// all turn functions.
TEST(DeviceFormulas, SumTurnFunctionsInPowers) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int run = 0; run < 200; ++run) {
    const Vec3 turn(number(random), number(random), number(random));
    const double share = 0.5 + 0.5 * number(random);
    const TurnParts parts(turn);
    const TurnValues functions = turn_functions(turn, share);
    std::array<double, kTurnFunctions> values{};
    double expected = 0, size = 0;
    float factors[kTurnFunctions];
    for (std::size_t q = 0; q < kTurnFunctions; ++q) {
      values[q] = number(random);
      expected += values[q] * functions[q];
      size += std::abs(values[q] * parts.factors[q]);
      factors[q] = static_cast<float>(parts.factors[q]);
    }
    const gpu::FieldPowers powers(
        [&](int q) { return q < 0 ? 0.0f : static_cast<float>(values[static_cast<std::size_t>(q)]); });
    std::vector<std::uint32_t> words(gpu::kFactorWords);
    const int pose = run % gpu::kLanes;
    gpu::put_factors(factors, pose, words.data());
    const auto factor = [&](gpu::FactorLot lot, int k) {
      return gpu::half_of(words.data(), gpu::factor_word(pose, lot, k, false), k) +
             gpu::half_of(words.data(), gpu::factor_word(pose, lot, k, true), k);
    };
    float one = 0, c = 0, s = 0, cc = 0, cs = 0;
    for (int k = 0; k < 8; ++k) {
      one += factor(gpu::kEvenFactors, k) * powers.one[k];
      c += factor(gpu::kOddFactors, k) * powers.cosine[k];
      s += factor(gpu::kOddFactors, k) * powers.sine[k];
    }
    for (int k = 0; k < 4; ++k) {
      cc += factor(gpu::kSquareFactors, k) * powers.cosine_cosine[k];
      cs += factor(gpu::kSquareFactors, k) * powers.cosine_sine[k];
    }
    const gpu::FieldView view =
        gpu::field_view(static_cast<float>(std::atan2(parts.sine, parts.cosine)),
                        static_cast<float>(turn.z()), factors[gpu::kCubicFactor], static_cast<float>(share));
    const float sum = gpu::by_harmonics(view, c, s, cc, cs, powers.cubic[0], powers.cubic[1], one);
    EXPECT_NEAR(static_cast<double>(sum), expected, 2e-6 * size + 1e-7) << run;
  }
}

TEST(DeviceFormulas, SayWhatTheyDoNotCover) {
  const Rig& rig = test::sample_rig("arm");
  const auto message = [](const auto& program) {
    return program.ok() ? std::string() : program.error().message;
  };
  EXPECT_NE(message(gpu::make_program(rig, "curve")).find("does not play 'curve'"), std::string::npos);
  EXPECT_NE(message(gpu::make_program(rig, "lbs+mush")).find("mush"), std::string::npos);
  EXPECT_EQ(gpu::make_program(rig, "nonsense").error().code, ErrorCode::kUsage);
  Rig scaled = rig;
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  joints[1].rest_local.linear() *= 2;
  scaled.skeleton = *Skeleton::create(joints);
  EXPECT_NE(message(gpu::make_program(scaled, "dqs")).find("has scale"), std::string::npos);
  EXPECT_TRUE(gpu::make_program(scaled, "lbs").ok());
}

}  // namespace
}  // namespace sinew
