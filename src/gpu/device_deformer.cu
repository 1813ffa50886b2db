// SPDX-License-Identifier: Apache-2.0
// A warp deforms some vertices in 32 poses, one a lane: joints that neighbours share stay in registers, any
// others are read as whole cache lines, whatever their indices. Results go through shared memory, so that
// what is written is consecutive too.
#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/device_calls.h"
#include "gpu/device_memory.h"
#include "gpu/flesh_kernel.h"
#include "gpu/held_kernel.h"
#include "gpu/program.h"
#include "gpu/spread_kernel.h"
#include "sinew/gpu/device_deformer.h"

namespace sinew {

using namespace gpu;

namespace {

// Warps of a block: with normals fewer, since shared memory holds both.
template <bool kNormals>
inline constexpr int kWarpsOf = kNormals ? 2 : 4;

Error cuda_error(cudaError_t code, const char* doing) {
  const std::string text = std::string("the GPU failed while ") + doing + ": " + cudaGetErrorString(code);
  cudaGetLastError();  // so that the next call does not report it again
  return code == cudaErrorMemoryAllocation ? limit_error(text) : impossible(text);
}
#define SINEW_CUDA(expression, doing) \
  if (const cudaError_t failed = (expression); failed != cudaSuccess) return cuda_error(failed, doing)

// --- kernels ---

// A block has a chunk of poses; its warps share the joints of a level.
constexpr int kPoseWarps = 16;
__global__ void __launch_bounds__(kPoseWarps* kLanes)
    pose_kernel(const __grid_constant__ RigView rig, PoseArrays from, const __grid_constant__ Chunks chunks) {
  const int warp = static_cast<int>(threadIdx.x) / kLanes, lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t chunk = blockIdx.x, pose = chunk * kLanes + lane;
  const std::int64_t last = chunks.poses - 1;  // lanes behind the last pose repeat it
  const PoseView one = from.at(rig, chunks.first + (pose < last ? pose : last));
  float* matrices = chunks.matrices + chunk * chunks.size.matrices + lane;
  double* transforms = chunks.globals + chunk * chunks.size.globals + lane;
  for (int k = warp; k < rig.joints; k += kPoseWarps) pose_local(rig, rig.rest[k], one, transforms);
  for (std::int32_t level = 1; level < rig.levels; ++level) {
    __syncthreads();
    for (std::uint32_t k = rig.level[level] + warp; k < rig.level[level + 1]; k += kPoseWarps)
      pose_global(rig.rest[k], transforms);
  }
  __syncthreads();
  for (int k = warp; k < rig.joints; k += kPoseWarps) {
    pose_skin(rig.rest[k], transforms, matrices);
    if (!chunks.rows || pose > last) continue;
    const std::int64_t joint = rig.rest[k].joint;
    float* to = chunks.rows + ((chunks.first + pose) * rig.joints + joint) * 12;
    FourFloats row[3];
#pragma unroll
    for (int i = 0; i < 12; ++i) row[i / 4].at[i % 4] = matrices[(12 * joint + i) * kLanes];
    const bool aligned = reinterpret_cast<std::uintptr_t>(to) % sizeof(FourFloats) == 0;
#pragma unroll
    for (int r = 0; r < 3; ++r)
      if (aligned)
        reinterpret_cast<FourFloats*>(to)[r] = row[r];
      else
        for (int c = 0; c < 4; ++c) to[4 * r + c] = row[r].at[c];
  }
  if (warp == 0) pose_nothing(rig, matrices);
  for (std::int32_t k = warp; k < rig.keys; k += kPoseWarps)
    chunks.keys[chunk * chunks.size.keys + std::int64_t{k} * kLanes + lane] =
        one.keys ? one.keys[k] : rig.default_keys[k];
}

__global__ void entry_kernel(const __grid_constant__ RigView rig, Motion motion, PoseArrays from,
                             Chunks chunks) {
  const std::int64_t pose = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int entry = static_cast<int>(blockIdx.y);
  const std::int64_t last = chunks.poses - 1, given = pose < last ? pose : last;  // as in pose_kernel
  if (pose / kLanes > last / kLanes) return;
  const std::int64_t chunk = pose / kLanes, lane = pose % kLanes;
  const float* matrices = chunks.matrices + chunk * chunks.size.matrices + lane;
  if (entry < rig.entries)
    return fill_entry(rig, motion, entry, from.at(rig, chunks.first + given), matrices,
                      chunks.palette + chunk * chunks.size.palette + lane);
  const int field = entry - rig.entries;
  field_entry(rig, field, matrices, static_cast<int>(lane),
              chunks.drives + chunk * chunks.size.drives + std::int64_t{field} * kDriveFloats * kLanes + lane,
              chunks.factors + chunk * chunks.size.factors + std::int64_t{field} * kFactorWords);
}

// What joints do for vertices that threads hold: matrices or dual quaternions, pose by pose.
__global__ void by_pose_kernel(const __grid_constant__ RigView rig, Motion motion,
                               const __grid_constant__ Chunks chunks) {
  const std::int64_t pose = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int joint = static_cast<int>(blockIdx.y);
  if (pose >= chunks.poses) return;
  const float* matrices = chunks.matrices + pose / kLanes * chunks.size.matrices + pose % kLanes;
  FourFloats numbers[3];
  if (motion == Motion::kDual) {
    double m[12];
    load_matrix(matrices, joint, m);
    dual_entry<1>(m, numbers[0].at);
  } else {
#pragma unroll
    for (int i = 0; i < 12; ++i) numbers[i / 4].at[i % 4] = matrices[(12 * joint + i) * kLanes];
  }
  FourFloats* to =
      reinterpret_cast<FourFloats*>(chunks.by_pose + (pose * rig.joints + joint) * rig.entry_floats);
#pragma unroll
  for (int i = 0; i < 3; ++i)
    if (4 * i < rig.entry_floats) to[i] = numbers[i];
}

// The vertices of all warps of a block, next to each other: a row a pose, of odd length, so
// that neither lanes of a column nor those of a row meet in a bank. Rows are written from one cache
// line's beginning to the next, wherever they lie, so that only their ends are parts of a line.
template <int kVertices>
struct WideStage {
  static constexpr int kRow = 3 * kVertices, kStride = kRow + 1 - kRow % 2;
  static_assert(kRow % kLanes == 0);
  float* numbers;   // of kLanes * kStride
  int lane, first;  // first: of the warp's numbers in a row

  __device__ void put(int place, const Point& p) {
    float* to = numbers + lane * kStride + first + 3 * place;
    to[0] = p.x, to[1] = p.y, to[2] = p.z;
  }
  template <bool kPlain, int kWarps, class Number>
  __device__ void write(Number* out, std::int64_t step, int rows, int row, const float* offset,
                        int warp) const {
    constexpr int kLine = 128 / sizeof(Number);
    for (int r = warp; r < rows; r += kWarps) {
      Number* to = out + r * step;
      const float* from = numbers + r * kStride;
      const int before = static_cast<int>((reinterpret_cast<std::uintptr_t>(to) / sizeof(Number)) % kLine);
      const int start = lane - before;
      Number* target = to + start;
      const float* source = from + start;
      const auto number = [&](int k) {
        return kPlain ? source[k] : source[k] + offset[(start + k + 3 * kLine) % 3];
      };
      // Only the first and the last of a whole row may lie beside it.
      constexpr int kSteps = kRow / kLanes;
      if (row == kRow && kLine == kLanes) {
        if (start >= 0) write_number(target, number(0));
#pragma unroll
        for (int k = 1; k < kSteps; ++k) write_number(target + k * kLanes, number(k * kLanes));
        if (start < 0) write_number(target + kRow, number(kRow));
      } else {
        for (int c = start; c < row; c += kLanes)
          if (c >= 0) write_number(to + c, number(c - start));
      }
    }
  }
};

template <bool kNormals>
struct TileSink {
  WideStage<kWarpsOf<kNormals> * kTileVertices> positions, normals;
  __device__ void put(int place, const Point& p) { positions.put(place, p); }
  __device__ void put_normal(int place, const Point& n) { normals.put(place, n); }
};

template <class Kind, bool kNormals, bool kPlain, class Number>
__global__ void __launch_bounds__(kWarpsOf<kNormals>* kLanes)
    tile_kernel(const __grid_constant__ RigView rig, const __grid_constant__ Chunks chunks,
                Target<Number> target) {
  constexpr int kWarps = kWarpsOf<kNormals>;
  constexpr int kVertices = kWarps * kTileVertices;
  using Rows = WideStage<kVertices>;
  __shared__ float stage[kLanes * Rows::kStride * (kNormals ? 2 : 1)];
  const int warp = static_cast<int>(threadIdx.x) / kLanes, lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t tile = std::int64_t{blockIdx.x} * kWarps + warp, chunk = blockIdx.y;
  TileSink<kNormals> sink{{stage, lane, 3 * warp * kTileVertices},
                          {stage + (kNormals ? kLanes * Rows::kStride : 0), lane, 3 * warp * kTileVertices}};
  const float* keys = chunks.keys + chunk * chunks.size.keys + lane;
  const float* palette = chunks.palette + chunk * chunks.size.palette + lane;
  if constexpr (std::is_same_v<Kind, Linear>) palette = chunks.matrices + chunk * chunks.size.matrices + lane;
  if (tile < rig.tiles) {
    if constexpr (std::is_void_v<Kind>)
      deform_joint_tile<kNormals>(rig, static_cast<int>(tile), palette, keys, sink);
    else
      deform_tile<Kind, kNormals, kPlain>(rig, static_cast<int>(tile), palette, keys, sink);
  }
  __syncthreads();
  const std::int64_t first = std::int64_t{blockIdx.x} * kVertices, left = rig.vertices - first;
  const std::int64_t pose = chunks.first + chunk * kLanes, more = chunks.poses - chunk * kLanes;
  const int row = static_cast<int>(3 * (left < kVertices ? left : kVertices));
  const int rows = static_cast<int>(more < kLanes ? more : kLanes);
  constexpr float kNone[3] = {0, 0, 0};
  sink.positions.template write<kPlain, kWarps>(target.positions + pose * target.stride + 3 * first,
                                                target.stride, rows, row, rig.offset, warp);
  if constexpr (kNormals)
    sink.normals.template write<true, kWarps>(target.normals + pose * target.normal_stride + 3 * first,
                                              target.normal_stride, rows, row, kNone, warp);
}

// --- memory ---

// The device that a thread uses, put back at the end.
class DeviceScope {
 public:
  explicit DeviceScope(int device) {
    cudaGetDevice(&before_);
    if (before_ != device) cudaSetDevice(device);
  }
  ~DeviceScope() { cudaSetDevice(before_); }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int before_ = 0;
};

// Memory of one call, in the order of its stream.
class Scratch {
 public:
  explicit Scratch(cudaStream_t stream) : stream_(stream) {}
  ~Scratch() {
    for (void* p : taken_) cudaFreeAsync(p, stream_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  cudaError_t take(std::int64_t count, T*& out) {
    out = nullptr;
    void* p = nullptr;
    const cudaError_t code =
        cudaMallocAsync(&p, static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T), stream_);
    if (code != cudaSuccess) return code;
    taken_.push_back(p);
    out = static_cast<T*>(p);
    return code;
  }

 private:
  cudaStream_t stream_;
  std::vector<void*> taken_;
};

// Poses of one launch: palettes of more would leave the cache, and grids have 65,535 rows.
constexpr std::int64_t kPosesAtOnce = 16384;

std::size_t size_of(DeviceFormat format) {
  return format == DeviceFormat::kFloat16 ? 2 : 4;
}

unsigned blocks_for(std::int64_t count, std::int64_t each) {
  return static_cast<unsigned>((count + each - 1) / each);
}

// The kernel for vertices that threads hold, or for spread ones; null: tiles.
template <class Number>
struct Resident {
  using Kernel = void (*)(RigView, Chunks, Target<Number>, int);
  Kernel kernel = nullptr;
  std::int64_t bytes = 0;
  int places = 0;  // blocks that the device runs at a time
};
template <template <int> class Held, int kFloats, int kBlocks, int kPoses, int kBuffers, class Number>
void hold_with(int joints, int device, int processors, Resident<Number>& out) {
  if (out.kernel) return;
  const auto kernel = held_kernel<Held, kFloats, kBlocks, kPoses, kBuffers, Number>;
  out.bytes = HeldMemory<Number, kFloats, kPoses, kBuffers>::bytes(joints);
  out.places = blocks_that_fit(out.bytes, kernel, kHeldBlock, device);
  if (out.places >= kBlocks * processors) out.kernel = kernel;
}
template <class Number>
Resident<Number> resident_for(const RigView& view, Motion motion, int device) {
  Resident<Number> out;
  int processors = 0;
  if (!view.plain ||
      cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
    return out;
  if constexpr (std::is_same_v<Number, float>) {
    if (view.spread) {
      out.bytes = spread_bytes(view.joints);
      out.places = blocks_that_fit(out.bytes, spread_kernel, kSpreadThreads, device);
      if (out.places > 0) out.kernel = spread_kernel;
      return out;
    }
  }
  if (view.held_tiles == 0) return out;
  if (motion == Motion::kDual) {
    hold_with<HeldDual, 8, 3, 1, 3>(view.joints, device, processors, out);
  } else {
    hold_with<HeldLinear, 12, 2, 2, 4>(view.joints, device, processors, out);
    hold_with<HeldLinear, 12, 2, 1, 4>(view.joints, device, processors, out);
  }
  return out;
}

// Parts of the poses for so many blocks each that the device is full as long as possible, up to six times over.
int splits_for(std::int64_t blocks, std::int64_t poses, std::int64_t places) {
  std::int64_t best = 1;
  double most = 0;
  for (std::int64_t splits = 1; splits == 1 || (splits * blocks <= 6 * places && splits * 8 <= poses);
       ++splits) {
    const std::int64_t all = splits * blocks, waves = (all + places - 1) / places;
    const double full = static_cast<double>(all) / static_cast<double>(waves * places);
    if (full >= most) most = full, best = splits;
  }
  return static_cast<int>(best);
}

}  // namespace

struct DeviceDeformer::Memory {
  Motion motion = Motion::kLinear;
  RigView view;
  std::tuple<Resident<float>, Resident<__half>> residents;
  int device = 0;
  std::vector<void*> arrays;

  ~Memory() {
    const DeviceScope scope(device);
    for (void* p : arrays) cudaFree(p);
  }

  Result<void> upload(const Program& program) {
    view = program.shape;
    motion = program.motion;
    cudaError_t code = cudaSuccess;
    program.each_array(view, [&](const auto& from, auto& to) {
      to = nullptr;
      if (from.empty() || code != cudaSuccess) return;
      void* p = nullptr;
      const std::size_t bytes = from.size() * sizeof(from[0]);
      code = cudaMalloc(&p, bytes);
      if (code != cudaSuccess) return;
      arrays.push_back(p);
      code = cudaMemcpy(p, from.data(), bytes, cudaMemcpyHostToDevice);
      to = static_cast<std::remove_reference_t<decltype(to)>>(p);
    });
    SINEW_CUDA(code, "the rig was uploaded");
    residents = {resident_for<float>(view, motion, device), resident_for<__half>(view, motion, device)};
    return {};
  }

  // What the launch of a kernel reads: matrices alone, what tiles read, or joints pose by pose.
  enum class Reads { kMatrices, kTiles, kByPose };

  // Calls then(chunks) for every part of the poses, with what it reads made.
  template <class Then>
  Result<void> run(const DevicePoses& poses, float* rows, Reads reads, cudaStream_t stream,
                   Then&& then) const {
    const PoseArrays from{poses.rotations, poses.translations, poses.key_weights, poses.bones};
    const auto count = static_cast<std::int64_t>(poses.count);
    for (std::int64_t first = 0; first < count; first += kPosesAtOnce) {
      const std::int64_t some = count - first < kPosesAtOnce ? count - first : kPosesAtOnce;
      const std::int64_t n = (some + kLanes - 1) / kLanes;
      Chunks chunks{nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, ChunkSize(view, motion),
                    some,    first,   nullptr, rows};
      Scratch scratch(stream);
      SINEW_CUDA(scratch.take(n * chunks.size.globals, chunks.globals), "memory for the poses was taken");
      SINEW_CUDA(scratch.take(n * chunks.size.matrices, chunks.matrices), "memory for the poses was taken");
      SINEW_CUDA(scratch.take(n * chunks.size.palette, chunks.palette), "memory for the poses was taken");
      SINEW_CUDA(scratch.take(n * chunks.size.drives, chunks.drives), "memory for the poses was taken");
      SINEW_CUDA(scratch.take(n * chunks.size.factors, chunks.factors), "memory for the poses was taken");
      SINEW_CUDA(scratch.take(n * chunks.size.keys, chunks.keys), "memory for the poses was taken");
      launch_kernel(pose_kernel, blocks_for(some, kLanes), kPoseWarps * kLanes, stream, view, from, chunks);
      if (reads == Reads::kByPose) {
        const std::int64_t lots = blocks_for(some, kSpreadPoses),
                           each = view.spread ? kSpreadFloats : view.entry_floats;
        SINEW_CUDA(
            scratch.take((view.spread ? lots * kSpreadPoses : some) * view.joints * each, chunks.by_pose),
            "memory for the poses was taken");
        const auto joints = static_cast<unsigned>(view.joints);
        if (view.spread)
          launch_kernel(spread_entry_kernel, dim3(joints, static_cast<unsigned>(lots)), kSpreadPoses, stream,
                        view, chunks);
        else
          launch_kernel(by_pose_kernel, dim3(blocks_for(some, 128), joints), 128, stream, view, motion,
                        chunks);
      }
      const std::int32_t all = view.entries + view.field_count;
      if (reads == Reads::kTiles && motion != Motion::kLinear && all > 0)
        launch_kernel(entry_kernel, dim3(blocks_for(some, 128), static_cast<unsigned>(all)), 128, stream,
                      view, motion, from, chunks);
      then(chunks, static_cast<unsigned>(n));
      SINEW_CUDA(cudaGetLastError(), "the kernels were started");
    }
    return {};
  }

  template <bool kNormals, class Number>
  void launch(const Chunks& chunks, unsigned n, const Target<Number>& target, cudaStream_t stream) const {
    constexpr int kWarps = kWarpsOf<kNormals>, kThreads = kWarps * kLanes;
    const dim3 tiles(blocks_for(view.tiles, kWarps), n);
    const auto tiles_of = [&](auto kind, auto plain) {
      using Kind = typename decltype(kind)::type;
      launch_kernel(tile_kernel<Kind, kNormals, decltype(plain)::value, Number>, tiles, kThreads, stream,
                    view, chunks, target);
    };
    const auto start = [&](auto kind) {
      view.plain ? tiles_of(kind, std::true_type()) : tiles_of(kind, std::false_type());
    };
    switch (motion) {
      case Motion::kLinear:
        return start(std::type_identity<Linear>());
      case Motion::kDual:
        return start(std::type_identity<Dual>());
      case Motion::kLinearBones:
        return start(std::type_identity<LinearBones>());
      case Motion::kDualBones:
        return start(std::type_identity<DualBones>());
      case Motion::kJoints:
        return start(std::type_identity<void>());
      case Motion::kFlesh: {
        const unsigned poses = blocks_for(chunks.poses, kFleshPoses);
        return launch_kernel(flesh_kernel<kNormals, Number>, static_cast<unsigned>(view.group_count) * poses,
                             kFleshWarps * kLanes, stream, view, chunks, target, poses);
      }
    }
  }

  template <class Number>
  void launch_resident(const Resident<Number>& resident, const Chunks& chunks, const Target<Number>& target,
                       cudaStream_t stream) const {
    if (view.spread) {
      const std::int64_t lots = blocks_for(chunks.poses, kSpreadPoses);
      const std::int64_t most =
          (view.vertices + kSpreadGroups * kSpreadTile - 1) / (kSpreadGroups * kSpreadTile);
      const std::int64_t wanted = std::max<std::int64_t>(1, 4 * resident.places / lots);
      const int splits = static_cast<int>(std::min(wanted, most));
      return launch_kernel_with(resident.bytes, resident.kernel, static_cast<unsigned>(lots * splits),
                                kSpreadThreads, stream, view, chunks, target, splits);
    }
    const int splits = splits_for(view.held_tiles, chunks.poses, resident.places);
    launch_kernel_with(resident.bytes, resident.kernel, static_cast<unsigned>(view.held_tiles * splits),
                       kHeldBlock, stream, view, chunks, target, splits);
  }

  template <class Number>
  Result<void> deform(const DevicePoses& poses, const DeviceOutput& out, cudaStream_t stream) const {
    const auto stride_of = [&](std::size_t bytes) {
      return bytes == 0 ? 3 * view.vertices : static_cast<std::int64_t>(bytes / sizeof(Number));
    };
    const Target<Number> target{static_cast<Number*>(out.positions), static_cast<Number*>(out.normals),
                                stride_of(out.stride), stride_of(out.normal_stride)};
    const auto& resident = std::get<Resident<Number>>(residents);
    if (resident.kernel && !target.normals)
      return run(poses, nullptr, Reads::kByPose, stream,
                 [&](const Chunks& chunks, unsigned) { launch_resident(resident, chunks, target, stream); });
    return run(poses, nullptr, Reads::kTiles, stream, [&](const Chunks& chunks, unsigned n) {
      if (target.normals)
        launch<true>(chunks, n, target, stream);
      else
        launch<false>(chunks, n, target, stream);
    });
  }
};

DeviceDeformer::DeviceDeformer(std::unique_ptr<Memory> memory) : memory_(std::move(memory)) {}
DeviceDeformer::DeviceDeformer(DeviceDeformer&& other) noexcept = default;
DeviceDeformer& DeviceDeformer::operator=(DeviceDeformer&& other) noexcept = default;
DeviceDeformer::~DeviceDeformer() = default;

Result<DeviceDeformer> DeviceDeformer::upload(const Rig& rig, std::string_view deformer, int device) {
  SINEW_TRY(const Program program, make_program(rig, deformer));
  if (device < 0 || device >= device_count())
    return impossible("there is no GPU number " + std::to_string(device) + ": this machine has " +
                      std::to_string(device_count()));
  const DeviceScope scope(device);
  auto memory = std::make_unique<Memory>();
  memory->device = device;
  // Memory of one call stays with the device for the next.
  cudaMemPool_t pool{};
  SINEW_CUDA(cudaDeviceGetDefaultMemPool(&pool, device), "its memory was set up");
  std::uint64_t keep = ~std::uint64_t{0};
  SINEW_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "its memory was set up");
  SINEW_CHECK(memory->upload(program));
  return DeviceDeformer(std::move(memory));
}

std::size_t DeviceDeformer::vertex_count() const {
  return static_cast<std::size_t>(memory_->view.vertices);
}
std::size_t DeviceDeformer::joint_count() const {
  return static_cast<std::size_t>(memory_->view.joints);
}
std::size_t DeviceDeformer::key_count() const {
  return static_cast<std::size_t>(memory_->view.keys);
}
std::size_t DeviceDeformer::stride_of_lines(DeviceFormat format) const {
  constexpr std::size_t kLine = 128;
  return (vertex_count() * 3 * size_of(format) + kLine - 1) / kLine * kLine;
}
int DeviceDeformer::root_joint() const {
  return memory_->view.root;
}
int DeviceDeformer::device() const {
  return memory_->device;
}

Result<void> DeviceDeformer::deform(const DevicePoses& poses, const DeviceOutput& out, void* stream) const {
  if (poses.count == 0 || memory_->view.vertices == 0) return {};
  if (!out.positions) return usage_error("positions need memory to be written to");
  const std::size_t size = size_of(out.format);
  for (const std::size_t stride : {out.stride, out.normal_stride})
    if (stride != 0 && (stride % size != 0 || stride < vertex_count() * 3 * size))
      return usage_error("a stride of " + std::to_string(stride) +
                         " bytes is shorter than a pose or no multiple of a number");
  const DeviceScope scope(memory_->device);
  return out.format == DeviceFormat::kFloat16
             ? memory_->deform<__half>(poses, out, static_cast<cudaStream_t>(stream))
             : memory_->deform<float>(poses, out, static_cast<cudaStream_t>(stream));
}

Result<void> DeviceDeformer::skinning_matrices(const DevicePoses& poses, float* matrices,
                                               void* stream) const {
  if (poses.count == 0 || memory_->view.joints == 0) return {};
  if (!matrices) return usage_error("matrices need memory to be written to");
  const DeviceScope scope(memory_->device);
  const auto on = static_cast<cudaStream_t>(stream);
  return memory_->run(poses, matrices, Memory::Reads::kMatrices, on, [](const Chunks&, unsigned) {});
}

int device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return count;
}

}  // namespace sinew
