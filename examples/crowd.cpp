// SPDX-License-Identifier: Apache-2.0
// Deforms many poses of one rig on a CUDA device, into memory of one's own there.
//   example_crowd biped.glb dqs
#include <cuda_runtime.h>
#include <sinew/gpu/device_deformer.h>
#include <sinew/io/asset.h>

#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kPoses = 2000;

sinew::Result<void> pose_crowd(const char* file, const char* deformer) {
  SINEW_TRY(const sinew::Asset asset, sinew::read_asset(file));
  // Uploaded once; shared by all threads and streams.
  SINEW_TRY(const sinew::DeviceDeformer crowd, sinew::DeviceDeformer::upload(asset.rig, deformer));

  // What travels: a rotation for every joint of every pose. Here the first joint turns more with every pose.
  std::vector<float> rotations;
  for (std::size_t pose = 0; pose < kPoses; ++pose)
    for (std::size_t joint = 0; joint < crowd.joint_count(); ++joint) {
      const float turn = joint == 0 ? static_cast<float>(pose) / kPoses : 0.0f;
      for (const float part : {0.0f, turn, 0.0f, 1.0f}) rotations.push_back(part);
    }
  float *given = nullptr, *positions = nullptr;
  const std::size_t bytes = rotations.size() * sizeof(float);
  if (cudaMalloc(&given, bytes) != cudaSuccess ||
      cudaMalloc(&positions, kPoses * crowd.vertex_count() * 3 * sizeof(float)) != cudaSuccess)
    return sinew::limit_error("the GPU has too little memory for the crowd");
  cudaMemcpy(given, rotations.data(), bytes, cudaMemcpyHostToDevice);

  sinew::DevicePoses poses;
  poses.count = kPoses;
  poses.rotations = given;
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  for (int run = 0; run < 2; ++run) {  // the first one warms up
    cudaEventRecord(start);
    SINEW_CHECK(crowd.deform(poses, {positions}));
    cudaEventRecord(end);
  }
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, start, end);
  std::printf("%s: %zu poses of %zu vertices by %s in %.3f ms\n", file, kPoses, crowd.vertex_count(),
              deformer, static_cast<double>(milliseconds));
  cudaFree(given);
  cudaFree(positions);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fputs("give a rig and a deformer: biped.glb lbs\n", stderr), 2;
  const sinew::Result<void> done = pose_crowd(argv[1], argv[2]);
  if (done) return 0;
  std::fprintf(stderr, "%s: %s\n", argv[1], done.error().message.c_str());
  return static_cast<int>(done.error().code);
}
