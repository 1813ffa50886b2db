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

class KernelsOnTheHost : public testing::TestWithParam<const char*> {};

TEST_P(KernelsOnTheHost, GiveWhatThePlayerGives) {
  const Rig& keys = test::sample_rig("arm");
  const Rig plain = test::without_keys(keys);
  EXPECT_LT(by_kernels<float>(plain, GetParam(), 1, false).position, 1e-5);
  EXPECT_LT(by_kernels<float>(plain, GetParam(), 35, false).position, 1e-5);
  const test::Difference most = by_kernels<float>(keys, GetParam(), 19, true);
  EXPECT_LT(most.position, 1e-5);
  EXPECT_LT(most.normal, 0.1);
  EXPECT_LT(by_kernels<__half>(plain, GetParam(), 5, true).position, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Every, KernelsOnTheHost, testing::ValuesIn(test::kDeviceDeformers),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace sinew
