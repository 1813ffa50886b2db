// SPDX-License-Identifier: Apache-2.0
// The kernels themselves, run on the host: what they put where, for any number of poses, without a device.
#include <cuda_fp16.h>

#include "gpu/rig_poses.h"
#include "sinew/gpu/device_deformer.h"

namespace sinew {
namespace {

template <class Number>
test::Difference by_kernels(const Rig& rig, const char* deformer, std::size_t count, bool with_normals) {
  const auto uploaded = DeviceDeformer::upload(rig, deformer);
  EXPECT_TRUE(uploaded.ok()) << (uploaded.ok() ? "" : uploaded.error().message);
  if (!uploaded.ok()) return {1e30, 1e30};
  const test::RigPoses poses(rig, uploaded->root_joint(), count, false);
  const std::size_t numbers = 3 * count * rig.mesh.vertex_count();
  const auto unwritten = static_cast<Number>(6e4f);
  std::vector<Number> positions(numbers, unwritten), normals(with_normals ? numbers : 0, unwritten);
  const DevicePoses given{count, poses.rotations.data(), poses.translations.data(),
                          poses.keys.empty() ? nullptr : poses.keys.data(), nullptr};
  const DeviceOutput out{positions.data(), with_normals ? normals.data() : nullptr,
                         sizeof(Number) == 2 ? DeviceFormat::kFloat16 : DeviceFormat::kFloat32};
  EXPECT_TRUE(uploaded->deform(given, out).ok());
  return test::difference_to_player(rig, deformer, poses,
                                    std::vector<float>(positions.begin(), positions.end()),
                                    std::vector<float>(normals.begin(), normals.end()));
}

// Fields ten times as strong as they are: what low parts of factors and values bring is beyond the bound.
TEST(KernelsOnTheHost, AddFieldsUpInMoreThanHalfPrecision) {
  Rig rig = test::without_keys(test::sample_rig("arm"));
  for (FleshField& field : rig.flesh.fields)
    for (float& step : field.steps) step *= 10;
  EXPECT_LT(by_kernels<float>(rig, "flesh", 19, false).position, 1e-5);
}

// Poses with gaps between them: the gaps stay as they were, the rest is what it is without.
TEST(KernelsOnTheHost, LeaveGapsAlone) {
  const Rig rig = test::without_keys(test::sample_rig("arm"));
  for (const char* deformer : {"lbs", "flesh"}) {
    const auto uploaded = DeviceDeformer::upload(rig, deformer);
    ASSERT_TRUE(uploaded.ok());
    constexpr std::size_t kCount = 35;
    const test::RigPoses poses(rig, uploaded->root_joint(), kCount, false);
    const DevicePoses given{kCount, poses.rotations.data(), poses.translations.data(), nullptr, nullptr};
    const std::size_t frame = 3 * rig.mesh.vertex_count();
    std::vector<float> packed(kCount * frame), packed_normals = packed;
    ASSERT_TRUE(uploaded->deform(given, {packed.data(), packed_normals.data()}).ok());
    const std::size_t lines = uploaded->stride_of_lines() / sizeof(float);
    EXPECT_EQ(lines % 32, 0u);
    EXPECT_GE(lines, frame);
    EXPECT_LT(lines, frame + 32);
    for (const std::size_t stride : {lines, frame + 1}) {
      std::vector<float> positions(kCount * stride, 7.0f), normals((kCount + 1) * (stride + 5), 7.0f);
      ASSERT_TRUE(uploaded
                      ->deform(given, {positions.data(), normals.data(), DeviceFormat::kFloat32,
                                       stride * sizeof(float), (stride + 5) * sizeof(float)})
                      .ok());
      for (std::size_t p = 0; p < kCount; ++p)
        for (std::size_t k = 0; k < stride; ++k) {
          ASSERT_EQ(positions[p * stride + k], k < frame ? packed[p * frame + k] : 7.0f) << p << " " << k;
          ASSERT_EQ(normals[p * (stride + 5) + k], k < frame ? packed_normals[p * frame + k] : 7.0f)
              << p << " " << k;
        }
    }
    EXPECT_EQ(
        uploaded->deform(given, {packed.data(), nullptr, DeviceFormat::kFloat32, 4 * frame - 4}).error().code,
        ErrorCode::kUsage);
    EXPECT_EQ(
        uploaded->deform(given, {packed.data(), nullptr, DeviceFormat::kFloat32, 4 * frame + 2}).error().code,
        ErrorCode::kUsage);
  }
}

// Matrices of every pose and joint, wherever they begin.
TEST(KernelsOnTheHost, GiveMatrices) {
  const Rig& rig = test::sample_rig("arm");
  const auto uploaded = DeviceDeformer::upload(rig, "lbs");
  ASSERT_TRUE(uploaded.ok());
  constexpr std::size_t kCount = 37;
  const test::RigPoses poses(rig, uploaded->root_joint(), kCount, false);
  const DevicePoses given{kCount, poses.rotations.data(), poses.translations.data(), nullptr, nullptr};
  const std::size_t joints = rig.skeleton.size();
  for (const std::size_t before : {0u, 1u}) {
    std::vector<float> out(before + 12 * kCount * joints + 1, 7.0f);
    ASSERT_TRUE(uploaded->skinning_matrices(given, out.data() + before).ok());
    EXPECT_EQ(out.back(), 7.0f);
    std::vector<Affine3> expected(joints);
    for (std::size_t p = 0; p < kCount; ++p) {
      skinning_matrices(rig, global_transforms(rig.skeleton, poses.poses[p].local), expected);
      for (std::size_t j = 0; j < joints; ++j)
        for (Eigen::Index k = 0; k < 12; ++k)
          ASSERT_NEAR(static_cast<double>(out[before + 12 * (p * joints + j) + static_cast<std::size_t>(k)]),
                      expected[j].matrix()(k / 4, k % 4), 1e-5);
    }
  }
}

// Positions alone, as threads that hold vertices write them: at any place of a cache line, for any number of poses.
TEST(KernelsOnTheHost, WriteWherePosesBegin) {
  const Rig arm = test::without_keys(test::sample_rig("arm")),
            biped = test::without_keys(test::sample_rig("biped")),
            random = test::with_random_joints(test::without_keys(test::sample_rig("quadruped")));
  const struct {
    const Rig* rig;
    const char* deformer;
  } cases[] = {{&arm, "lbs"}, {&biped, "lbs"}, {&biped, "dqs"}, {&random, "lbs"}, {&random, "dqs"}};
  for (const auto& [rig, deformer] : cases) {
    const auto uploaded = DeviceDeformer::upload(*rig, deformer);
    ASSERT_TRUE(uploaded.ok());
    const std::size_t frame = 3 * rig->mesh.vertex_count();
    for (const std::size_t count : {1u, 5u, 67u}) {
      const test::RigPoses poses(*rig, uploaded->root_joint(), count, false);
      const DevicePoses given{count, poses.rotations.data(), poses.translations.data(), nullptr, nullptr};
      const std::size_t before = count % 7, stride = count == 5 ? frame : frame + count % 3;
      std::vector<float> out(before + count * stride + 9, 7.0f), packed;
      ASSERT_TRUE(
          uploaded->deform(given, {out.data() + before, nullptr, DeviceFormat::kFloat32, 4 * stride}).ok());
      for (std::size_t k = 0; k < out.size(); ++k) {
        const std::size_t in = k - before, pose = in / stride;
        if (k >= before && pose < count && in % stride < frame)
          packed.push_back(out[k]);
        else
          ASSERT_EQ(out[k], 7.0f) << deformer << count << " " << k;
      }
      EXPECT_LT(test::difference_to_player(*rig, deformer, poses, packed, {}).position, 1e-5)
          << deformer << count;
    }
  }
}

class EveryKernelOnTheHost : public testing::TestWithParam<const char*> {};

TEST_P(EveryKernelOnTheHost, GiveWhatThePlayerGives) {
  const Rig& keys = test::sample_rig("arm");
  const Rig plain = test::without_keys(keys);
  EXPECT_LT(by_kernels<float>(plain, GetParam(), 1, false).position, 1e-5);
  EXPECT_LT(by_kernels<float>(plain, GetParam(), 35, false).position, 1e-5);
  const test::Difference most = by_kernels<float>(keys, GetParam(), 19, true);
  EXPECT_LT(most.position, 1e-5);
  EXPECT_LT(most.normal, 0.1);
  for (const bool normals : {false, true})
    EXPECT_LT(by_kernels<__half>(plain, GetParam(), 5, normals).position, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Every, EveryKernelOnTheHost, testing::ValuesIn(test::kDeviceDeformers),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sinew
