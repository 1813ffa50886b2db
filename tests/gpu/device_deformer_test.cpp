// SPDX-License-Identifier: Apache-2.0
#include "sinew/gpu/device_deformer.h"

#include "gpu/rig_poses.h"

#ifdef SINEW_HAS_CUDA
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <thread>
#endif

namespace sinew {
namespace {

TEST(DeviceDeformer, SaysWhereThereIsNoDevice) {
  const auto other = DeviceDeformer::upload(test::sample_rig("arm"), "lbs", 1000);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kImpossible);
}

#ifdef SINEW_HAS_CUDA

template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) : count_(count) {
    EXPECT_EQ(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, 0x7f, count * sizeof(T)),
              cudaSuccess);  // floats near 3e38: all must be written
  }
  explicit OnDevice(const std::vector<T>& from) : OnDevice(from.size()) {
    EXPECT_EQ(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* get() const { return count_ == 0 ? nullptr : static_cast<T*>(data_); }
  std::vector<T> read() const {
    std::vector<T> numbers(count_);
    EXPECT_EQ(cudaMemcpy(numbers.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return numbers;
  }

 private:
  void* data_ = nullptr;
  std::size_t count_ = 0;
};

std::vector<float> as_floats(const std::vector<__half>& halves) {
  std::vector<float> out;
  for (const __half h : halves) out.push_back(__half2float(h));
  return out;
}

test::Difference on_device(const Rig& rig, const char* deformer, const DeviceDeformer& uploaded,
                           const test::RigPoses& poses, bool with_normals, bool half) {
  const std::size_t count = poses.poses.size();
  const OnDevice<float> rotations(poses.rotations), translations(poses.translations), keys(poses.keys),
      bones(poses.bones);
  const DevicePoses given{count, rotations.get(), translations.get(), keys.get(), bones.get()};
  const std::size_t numbers = 3 * count * rig.mesh.vertex_count();
  if (half) {
    const OnDevice<__half> positions(numbers), normals(with_normals ? numbers : 0);
    EXPECT_TRUE(uploaded.deform(given, {positions.get(), normals.get(), DeviceFormat::kFloat16}).ok());
    return test::difference_to_player(rig, deformer, poses, as_floats(positions.read()),
                                      as_floats(normals.read()));
  }
  const OnDevice<float> positions(numbers), normals(with_normals ? numbers : 0);
  EXPECT_TRUE(uploaded.deform(given, {positions.get(), normals.get()}).ok());
  return test::difference_to_player(rig, deformer, poses, positions.read(), normals.read());
}
test::Difference on_device(const Rig& rig, const char* deformer, std::size_t count, bool with_normals,
                           bool shaped, bool half = false) {
  const auto uploaded = DeviceDeformer::upload(rig, deformer);
  EXPECT_TRUE(uploaded.ok()) << (uploaded.ok() ? "" : uploaded.error().message);
  if (!uploaded.ok()) return {1e30, 1e30};
  return on_device(rig, deformer, *uploaded, test::RigPoses(rig, uploaded->root_joint(), count, shaped),
                   with_normals, half);
}

class EveryDeviceDeformer : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_P(EveryDeviceDeformer, GivesWhatThePlayerGives) {
  for (const std::size_t count : {1u, 31u, 33u, 100u})
    for (const bool normals : {false, true}) {
      const test::Difference most = on_device(test::sample_rig("arm"), GetParam(), count, normals, false);
      EXPECT_LT(most.position, 1e-5) << count;
      EXPECT_LT(most.normal, 0.1) << count;
    }
  const test::Difference most = on_device(test::sample_rig("quadruped"), GetParam(), 40, true, false);
  EXPECT_LT(most.position, 1e-5);
  EXPECT_LT(most.normal, 0.1);
  // Without keys and normals, by loops of their own.
  for (const char* kind : {"arm", "quadruped", "biped"})
    for (const std::size_t count : {1u, 15u, 17u, 33u, 100u})
      EXPECT_LT(
          on_device(test::without_keys(test::sample_rig(kind)), GetParam(), count, false, false).position,
          1e-5)
          << kind << count;
}

TEST_P(EveryDeviceDeformer, WritesHalves) {
  const test::Difference most = on_device(test::sample_rig("arm"), GetParam(), 37, true, false, true);
  EXPECT_LT(most.position, 2e-3);
  EXPECT_LT(most.normal, 0.2);
  EXPECT_LT(
      on_device(test::without_keys(test::sample_rig("arm")), GetParam(), 37, false, false, true).position,
      2e-3);
}

TEST_P(EveryDeviceDeformer, TakesTenThousandPoses) {
  const Rig rig = test::without_keys(test::sample_rig("arm"));
  const auto uploaded = DeviceDeformer::upload(rig, GetParam());
  ASSERT_TRUE(uploaded.ok());
  constexpr std::size_t kMany = 20000;  // more than one launch
  const test::RigPoses few(rig, uploaded->root_joint(), 50, false);
  std::vector<float> rotations, translations, keys;
  for (std::size_t p = 0; p < kMany; p += 50) {
    rotations.insert(rotations.end(), few.rotations.begin(), few.rotations.end());
    translations.insert(translations.end(), few.translations.begin(), few.translations.end());
    keys.insert(keys.end(), few.keys.begin(), few.keys.end());
  }
  const OnDevice<float> q(rotations), t(translations), k(keys);
  const std::size_t frame = 3 * rig.mesh.vertex_count();
  const OnDevice<float> positions(kMany * frame);
  ASSERT_TRUE(uploaded->deform({kMany, q.get(), t.get(), k.get(), nullptr}, {positions.get(), nullptr}).ok());
  const std::vector<float> all = positions.read();
  const std::span<const float> numbers = all;
  EXPECT_LT(test::difference_to_player(rig, GetParam(), few, numbers.first(50 * frame), {}).position, 1e-5);
  for (std::size_t p = 50; p < kMany; p += 50)
    ASSERT_TRUE(std::equal(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(50 * frame),
                           all.begin() + static_cast<std::ptrdiff_t>(p * frame)))
        << p;
}

TEST_P(EveryDeviceDeformer, IsSharedByThreadsAndStreams) {
  const Rig rig = test::without_keys(test::sample_rig("arm"));
  const auto uploaded = DeviceDeformer::upload(rig, GetParam());
  ASSERT_TRUE(uploaded.ok());
  const test::RigPoses poses(rig, uploaded->root_joint(), 64, false);
  const OnDevice<float> q(poses.rotations), t(poses.translations), k(poses.keys);
  const std::size_t numbers = 3 * 64 * rig.mesh.vertex_count();
  std::vector<std::vector<float>> results(4);
  std::vector<std::thread> threads;
  for (std::vector<float>& result : results)
    threads.emplace_back([&] {
      cudaStream_t stream;
      EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
      const OnDevice<float> positions(numbers);
      for (int run = 0; run < 5; ++run)
        EXPECT_TRUE(
            uploaded->deform({64, q.get(), t.get(), k.get(), nullptr}, {positions.get(), nullptr}, stream)
                .ok());
      EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
      result = positions.read();
      cudaStreamDestroy(stream);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& result : results) EXPECT_EQ(result, results[0]);
  EXPECT_LT(test::difference_to_player(rig, GetParam(), poses, results[0], {}).position, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Every, EveryDeviceDeformer, testing::ValuesIn(test::kDeviceDeformers),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

class OnADevice : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << "no CUDA device";
  }
};

TEST_F(OnADevice, BonesStretchAndTwist) {
  for (const char* deformer : {"stretch-lbs", "stretch-dqs"}) {
    const test::Difference most = on_device(test::sample_rig("arm"), deformer, 45, true, true);
    EXPECT_LT(most.position, 1e-5) << deformer;
    EXPECT_LT(most.normal, 0.1) << deformer;
  }
}

TEST_F(OnADevice, PlaysFieldsThatTwoJointsDrive) {
  for (const char* kind : {"arm", "biped"}) {
    const Rig rig = test::with_pair_of_joints(test::without_keys(test::sample_rig(kind)));
    const FleshField& both = rig.flesh.fields.back();
    const auto uploaded = DeviceDeformer::upload(rig, "flesh");
    ASSERT_TRUE(uploaded.ok());
    for (const bool normals : {false, true}) {
      test::RigPoses poses(rig, uploaded->root_joint(), 37, false);
      poses.put_to_rest(rig, 1, both.partner->joint);
      poses.put_to_rest(rig, 2, both.joint);
      poses.put_to_rest(rig, 33, both.joint);
      poses.put_to_rest(rig, 33, both.partner->joint);
      const test::Difference most = on_device(rig, "flesh", *uploaded, poses, normals, false);
      EXPECT_LT(most.position, 1e-5) << kind << normals;
      EXPECT_LT(most.normal, 0.1) << kind;
    }
  }
}

TEST_F(OnADevice, LeavesGapsBetweenPosesAlone) {
  const Rig rig = test::without_keys(test::sample_rig("quadruped"));
  for (const char* deformer : {"lbs", "dqs", "flesh"}) {
    const auto uploaded = DeviceDeformer::upload(rig, deformer);
    ASSERT_TRUE(uploaded.ok());
    constexpr std::size_t kCount = 70;
    const test::RigPoses poses(rig, uploaded->root_joint(), kCount, false);
    const OnDevice<float> q(poses.rotations);
    const DevicePoses given{kCount, q.get(), nullptr, nullptr, nullptr};
    const std::size_t frame = 3 * rig.mesh.vertex_count();
    const OnDevice<float> packed(kCount * frame);
    ASSERT_TRUE(uploaded->deform(given, {packed.get(), nullptr}).ok());
    const std::vector<float> expected = packed.read();
    for (const std::size_t stride : {uploaded->stride_of_lines() / sizeof(float), frame + 7}) {
      const OnDevice<float> gaps(std::vector<float>(kCount * stride, 7.0f));
      ASSERT_TRUE(uploaded->deform(given, {gaps.get(), nullptr, DeviceFormat::kFloat32, 4 * stride}).ok());
      const std::vector<float> all = gaps.read();
      for (std::size_t p = 0; p < kCount; ++p)
        for (std::size_t k = 0; k < stride; ++k)
          ASSERT_EQ(all[p * stride + k], k < frame ? expected[p * frame + k] : 7.0f)
              << deformer << p << " " << k;
    }
  }
}

TEST_F(OnADevice, PlaysJointsThatNeighboursDoNotShare) {
  const Rig rig = test::with_random_joints(test::without_keys(test::sample_rig("biped")));
  for (const char* deformer : {"lbs", "dqs"})
    for (const std::size_t count : {1u, 63u, 130u})
      EXPECT_LT(on_device(rig, deformer, count, false, false).position, 1e-5) << deformer << count;
}

TEST_F(OnADevice, NothingIsNothing) {
  const auto uploaded = DeviceDeformer::upload(test::sample_rig("arm"), "lbs");
  ASSERT_TRUE(uploaded.ok());
  EXPECT_TRUE(uploaded->deform({}, {}).ok());
  EXPECT_EQ(uploaded->deform({3, nullptr, nullptr, nullptr, nullptr}, {}).error().code, ErrorCode::kUsage);
}

// 1,500 joints: far more than shared memory would hold.
TEST_F(OnADevice, ManyJoints) {
  const Rig& arm = test::sample_rig("arm");
  Rig rig;
  rig.mesh = arm.mesh;
  std::vector<Joint> joints(1500);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].name = "joint" + std::to_string(j);
    joints[j].parent = j == 0 ? -1 : static_cast<int>(j / 8);
    joints[j].rest_local = Eigen::Translation3d(0.01, 0, 0) * Affine3::Identity();
  }
  joints[0].parent = -1;
  for (std::size_t j = 1; j < 8; ++j) joints[j].parent = 0;
  rig.skeleton = *Skeleton::create(joints);
  const auto globals = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  for (const Affine3& global : globals) rig.inverse_bind.push_back(global.inverse());
  rig.weights.offsets.push_back(0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row;
    for (std::size_t k = 0; k < 4; ++k)
      row.push_back({static_cast<std::uint32_t>((i * 37 + k * 401) % 1500), 0.25});
    rig.weights.add_row(row);
  }
  for (const char* deformer : {"lbs", "dqs"})
    for (const bool normals : {true, false})
      EXPECT_LT(on_device(rig, deformer, 70, normals, false).position, 1e-5) << deformer << normals;
}

TEST_F(OnADevice, OutOfMemoryIsAnAnswer) {
  const auto uploaded = DeviceDeformer::upload(test::sample_rig("arm"), "lbs");
  ASSERT_TRUE(uploaded.ok());
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  std::vector<void*> taken;
  for (std::size_t piece = free; piece > 1 << 16;) {
    void* p = nullptr;
    if (cudaMalloc(&p, piece) == cudaSuccess) {
      taken.push_back(p);
    } else {
      cudaGetLastError();
      piece /= 2;
    }
  }
  const auto other = DeviceDeformer::upload(test::sample_rig("quadruped"), "flesh");
  for (void* p : taken) cudaFree(p);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kLimit);
  EXPECT_TRUE(DeviceDeformer::upload(test::sample_rig("quadruped"), "flesh").ok());
}

#endif

}  // namespace
}  // namespace sinew
