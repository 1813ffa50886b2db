// SPDX-License-Identifier: Apache-2.0
// Deformers on a CUDA device: many poses of one character a call, timed by the device's own events.
#include "registry.h"

#ifdef SINEW_HAS_CUDA
#include <cuda_runtime.h>

#include <memory>
#include <random>

#include "sinew/binding/prepare.h"
#include "sinew/characters/characters.h"
#include "sinew/gpu/device_deformer.h"
#include "sinew/player/stack.h"

namespace sinew {
namespace {

constexpr std::size_t kPoses = 2000;

// Device memory that ends with its scope.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(std::size_t count) { cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(T)); }
  explicit OnDevice(const std::vector<T>& from) : OnDevice(from.size()) {
    cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  T* get() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

// The shortest of some runs on the device, in seconds, after one that counts for nothing.
template <class Body>
double device_seconds(Body&& body) {
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float best = 1e30f;
  for (int run = 0; run < 12; ++run) {
    cudaEventRecord(start);
    body();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, start, end);
    if (run > 0) best = std::min(best, ms);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(end);
  return cudaGetLastError() == cudaSuccess ? static_cast<double>(best) / 1e3 : 0;
}

// The biped of 107,266 vertices and 52 joints with all that a deformer needs.
const Rig& bench_biped(const char* deformer) {
  static Rig rig = *make_character("biped", {.resolution = 70000});
  DeformerData data;
  (void)prepare(rig, *needs_of(*stack_with(rig, deformer)), data);
  return rig;
}

// The same with four joints picked at random for every vertex.
Rig random_joints(Rig rig) {
  std::mt19937 random(3);
  SkinWeights weights;
  weights.offsets.push_back(0);
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row;
    while (row.size() < 4) {
      const auto joint = static_cast<std::uint32_t>(random() % rig.skeleton.size());
      if (std::none_of(row.begin(), row.end(), [&](const Influence& one) { return one.joint == joint; }))
        row.push_back({joint, 0.25});
    }
    weights.add_row(row);
  }
  rig.weights = weights;
  return rig;
}

std::vector<float> random_rotations(std::size_t joints) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> number(-0.3f, 0.3f);
  std::vector<float> rotations;
  for (std::size_t k = 0; k < kPoses * joints; ++k)
    for (const float part : {number(random), number(random), number(random), 1.0f}) rotations.push_back(part);
  return rotations;
}

struct Setup {
  const char* name;
  const char* deformer;
  bool random, normals, half, lines = false;  // lines: poses begin at cache lines
};

BenchResult time_deformer(const Setup& setup) {
  const Rig& rig = bench_biped(setup.deformer);
  const auto deformer = DeviceDeformer::upload(setup.random ? random_joints(rig) : rig, setup.deformer);
  if (!deformer.ok()) return {"", deformer.error().message, 0, "G vertices/s"};
  const OnDevice<float> rotations(random_rotations(deformer->joint_count()));
  const std::size_t stride = setup.lines ? deformer->stride_of_lines() : deformer->vertex_count() * 12;
  const std::size_t numbers = kPoses * stride / sizeof(float);
  const OnDevice<float> positions(numbers), normals(setup.normals ? numbers : 1);
  DevicePoses poses;
  poses.count = kPoses;
  poses.rotations = rotations.get();
  const DeviceOutput out{positions.get(), setup.normals ? normals.get() : nullptr,
                         setup.half ? DeviceFormat::kFloat16 : DeviceFormat::kFloat32,
                         setup.lines ? stride : 0, setup.lines ? stride : 0};
  bool fine = true;
  const double seconds = device_seconds([&] { fine = fine && deformer->deform(poses, out).ok(); });
  const double rate = static_cast<double>(kPoses * deformer->vertex_count()) / seconds / 1e9;
  return {"", "2,000 poses of 107,266 vertices, 52 joints", fine && seconds > 0 ? rate : 0, "G vertices/s"};
}

BenchResult time_kinematics() {
  const Rig& rig = bench_biped("lbs");
  const auto deformer = DeviceDeformer::upload(rig, "lbs");
  if (!deformer.ok()) return {"", deformer.error().message, 0, "us"};
  const OnDevice<float> rotations(random_rotations(deformer->joint_count()));
  const OnDevice<float> matrices(kPoses * deformer->joint_count() * 12);
  DevicePoses poses;
  poses.count = kPoses;
  poses.rotations = rotations.get();
  const double seconds = device_seconds([&] { (void)deformer->skinning_matrices(poses, matrices.get()); });
  return {"", "2,000 poses of 52 joints", seconds * 1e6, "us"};
}

BenchResult time_writing() {
  const std::size_t bytes = kPoses * bench_biped("lbs").mesh.vertex_count() * 12;
  const OnDevice<char> memory(bytes);
  const double seconds = device_seconds([&] { cudaMemsetAsync(memory.get(), 1, bytes); });
  return {"", "12 bytes a vertex, written alone", static_cast<double>(bytes) / 12 / seconds / 1e9,
          "G vertices/s"};
}

}  // namespace

void add_gpu_benches(std::vector<BenchCase>& cases) {
  if (device_count() == 0) return;
  cases.push_back({"gpu/0 writing", time_writing});
  cases.push_back({"gpu/kinematics", time_kinematics});
  for (const Setup& setup :
       {Setup{"lbs", "lbs", false, false, false}, Setup{"lbs half", "lbs", false, false, true},
        Setup{"lbs normals", "lbs", false, true, false}, Setup{"lbs random", "lbs", true, false, false},
        Setup{"dqs", "dqs", false, false, false}, Setup{"dqs normals", "dqs", false, true, false},
        Setup{"dqs random", "dqs", true, false, false},
        Setup{"swing-twist", "swing-twist", false, false, false},
        Setup{"stretch-lbs", "stretch-lbs", false, false, false},
        Setup{"stretch-dqs", "stretch-dqs", false, false, false},
        Setup{"lbs lines", "lbs", false, false, false, true},
        Setup{"lbs lines random", "lbs", true, false, false, true},
        Setup{"dqs lines", "dqs", false, false, false, true},
        Setup{"dqs lines random", "dqs", true, false, false, true},
        Setup{"flesh lines", "flesh", false, false, false, true},
        Setup{"flesh", "flesh", false, false, false}, Setup{"flesh normals", "flesh", false, true, false}})
    cases.push_back({std::string("gpu/") + setup.name, [setup] { return time_deformer(setup); }});
}

}  // namespace sinew

#else
namespace sinew {
void add_gpu_benches(std::vector<BenchCase>&) {}
}  // namespace sinew
#endif
