// SPDX-License-Identifier: Apache-2.0
// Vertices stay with threads while poses pass: a thread holds vertices that share their joints, a block a tile of
// vertices that follow one another, and what joints do comes into shared memory, a few poses at a time. A warp of its
// own copies these, and stores what the others put down in shared memory, a tile's row of one pose at once.
#pragma once

#include <type_traits>

#include "gpu/device_calls.h"
#include "gpu/device_memory.h"
#include "gpu/formulas.h"

namespace sinew::gpu {

inline constexpr int kHeldWarps = kHeldThreads / kLanes;
inline constexpr int kHeldBlock = kHeldThreads + kLanes;
inline constexpr int kHeldStage = 4;  // poses whose joints come at once; there are two lots
template <class Number>
inline constexpr int kLineOf = 128 / sizeof(Number);  // of a cache line
// A row begins as far behind a line's beginning as in the output.
template <class Number>
inline constexpr int kHeldRow = 3 * kHeldTile + kLineOf<Number>;

// What the kinds of threads tell each other. Of rows: full of one pose or more, or stored and free again.
struct HeldBarriers {
  Barrier full[4], empty[4], joints_full[2], joints_empty[2];
};

// Points times their weights: a joint's matrix times these are its share.
template <int kSlots>
struct HeldLinear {
  float point[kSlots][kHeldVertices][4];
  int joint[kSlots];

  __device__ void load(const RigView& rig, int tile, int thread) {
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const int slot = tile * kHeldSlots + k;
      joint[k] = static_cast<int>(rig.held_joints[slot * kHeldThreads + thread]) * 12;
#pragma unroll
      for (int v = 0; v < kHeldVertices; ++v) {
        const float w = rig.held_weights[(slot * kHeldVertices + v) * kHeldThreads + thread];
#pragma unroll
        for (int c = 0; c < 3; ++c)
          point[k][v][c] = w * rig.held_points[((tile * kHeldVertices + v) * 3 + c) * kHeldThreads + thread];
        point[k][v][3] = w;
      }
    }
  }
  __device__ void deform(const float* joints, float (&out)[kHeldVertices][3]) const {
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const FourFloats* rows = reinterpret_cast<const FourFloats*>(joints + joint[k]);
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        const FourFloats row = rows[c];
#pragma unroll
        for (int v = 0; v < kHeldVertices; ++v) {
          const float* p = point[k][v];
          const float moved = k == 0 ? row.at[3] * p[3] : out[v][c] + row.at[3] * p[3];
          out[v][c] = moved + row.at[0] * p[0] + row.at[1] * p[1] + row.at[2] * p[2];
        }
      }
    }
  }
};

// Dual quaternions, which agree in sign with the first.
template <int kSlots>
struct HeldDual {
  float weight[kSlots][kHeldVertices];
  Point point[kHeldVertices];
  int joint[kSlots];

  __device__ void load(const RigView& rig, int tile, int thread) {
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const int slot = tile * kHeldSlots + k;
      joint[k] = static_cast<int>(rig.held_joints[slot * kHeldThreads + thread]) * 8;
#pragma unroll
      for (int v = 0; v < kHeldVertices; ++v)
        weight[k][v] = rig.held_weights[(slot * kHeldVertices + v) * kHeldThreads + thread];
    }
#pragma unroll
    for (int v = 0; v < kHeldVertices; ++v) {
      const float* at = rig.held_points + (tile * kHeldVertices + v) * 3 * kHeldThreads + thread;
      point[v] = {at[0], at[kHeldThreads], at[2 * kHeldThreads]};
    }
  }
  __device__ void deform(const float* joints, float (&out)[kHeldVertices][3]) const {
    float q[kSlots][8];
#pragma unroll
    for (int k = 0; k < kSlots; ++k) {
      const FourFloats* parts = reinterpret_cast<const FourFloats*>(joints + joint[k]);
      const FourFloats r = parts[0], d = parts[1];
      const float sign = k == 0 ? 1.0f : agree(q[0], r.at, 1.0f);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        q[k][i] = sign * r.at[i];
        q[k][4 + i] = sign * d.at[i];
      }
    }
#pragma unroll
    for (int v = 0; v < kHeldVertices; ++v) {
      float s[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        s[i] = weight[0][v] * q[0][i];
#pragma unroll
        for (int k = 1; k < kSlots; ++k) s[i] += weight[k][v] * q[k][i];
      }
      // p + 2 / r r (a x (a x p + w p + b) + w b - e a), where r = (a, w) and d = (b, e)
      const Point a{s[0], s[1], s[2]}, b{s[4], s[5], s[6]}, p = point[v];
      const Point c = plus_cross(b + s[3] * p, a, p);
      const Point moved = plus_cross(s[3] * b - s[7] * a, a, c);
      const float scale = two_over_square(s);
      out[v][0] = p.x + scale * moved.x;
      out[v][1] = p.y + scale * moved.y;
      out[v][2] = p.z + scale * moved.z;
    }
  }
};

// kPoses: that a thread deforms from one barrier to the next. kBuffers: rows of so many poses in shared memory.
template <class Number, int kFloats, int kPoses, int kBuffers>
struct HeldMemory {
  static_assert(kHeldStage % kPoses == 0 && kBuffers >= 3);
  static constexpr int kStageSteps = kHeldStage / kPoses;
  static constexpr int kOpen = kBuffers - 2;  // stores whose rows may still be read
  static constexpr int kRow = kHeldRow<Number>;
  static constexpr std::int64_t kRowBytes = std::int64_t{kBuffers * kPoses * kRow} * sizeof(Number);
  Number* rows;
  float* joints;
  HeldBarriers* at;
  int pose_floats;  // of the joints

  static std::int64_t bytes(std::int64_t joints) { return kRowBytes + 4 * 2 * kHeldStage * kFloats * joints; }
  __device__ Number* row(int buffer, int pose) const { return rows + (buffer * kPoses + pose) * kRow; }
  __device__ float* lot(int stage) const { return joints + (stage & 1) * kHeldStage * pose_floats; }
};

__device__ inline void put_number(float* to, float number) {
  *to = number;
}
__device__ inline void put_number(__half* to, float number) {
  *to = __float2half(number);
}

// How far behind a cache line's beginning a number lies, in numbers.
template <class Number>
__device__ inline int in_line(const Number* at) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) / sizeof(Number) % kLineOf<Number>);
}

struct HeldPoses {
  int begin, end;  // of the launch
};

template <class Held, int kPoses, int kBuffers, class Memory, class Number>
__device__ void deform_held(const RigView& rig, const Number* out, std::int64_t stride, int tile,
                            const HeldPoses& poses, const Memory& memory) {
  const int thread = static_cast<int>(threadIdx.x);
  Held held;
  held.load(rig, tile, thread);
  int place[kHeldVertices];
#pragma unroll
  for (int v = 0; v < kHeldVertices; ++v)
    place[v] = 3 * rig.held_places[(tile * kHeldVertices + v) * kHeldThreads + thread];
  HeldBarriers& at = *memory.at;
  const int steps = (poses.end - poses.begin + kPoses - 1) / kPoses;
  int shift = in_line(out + poses.begin * stride);
  const int more = static_cast<int>(stride % kLineOf<Number>);
  for (int step = 0, buffer = 0, round = 0; step < steps; ++step) {
    const int stage = step / Memory::kStageSteps, in_stage = step % Memory::kStageSteps;
    if (in_stage == 0) barrier_wait(&at.joints_full[stage & 1], stage / 2 & 1);
    barrier_wait(&at.empty[buffer], (round & 1) ^ 1);
#pragma unroll
    for (int u = 0; u < kPoses; ++u) {
      float points[kHeldVertices][3];
      held.deform(memory.lot(stage) + (in_stage * kPoses + u) * memory.pose_floats, points);
      Number* row = memory.row(buffer, u) + ((shift + u * more) & (kLineOf<Number> - 1));
#pragma unroll
      for (int v = 0; v < kHeldVertices; ++v) {
        if (place[v] < 0) continue;  // another thread's
#pragma unroll
        for (int c = 0; c < 3; ++c) put_number(row + place[v] + c, points[v][c]);
      }
    }
    shift = (shift + kPoses * more) & (kLineOf<Number> - 1);
    before_copies();
    __syncwarp();
    barrier_arrive(&at.full[buffer]);
    if (in_stage == Memory::kStageSteps - 1) barrier_arrive(&at.joints_empty[stage & 1]);
    if (++buffer == kBuffers) buffer = 0, ++round;
  }
}

template <int kPoses, int kBuffers, class Memory, class Number>
__device__ void copy_held(const float* joints, Number* out, std::int64_t stride, int length,
                          const HeldPoses& poses, const Memory& memory) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes, count = poses.end - poses.begin;
  const int stages = (count + kHeldStage - 1) / kHeldStage, steps = (count + kPoses - 1) / kPoses;
  HeldBarriers& at = *memory.at;
  const auto load = [&](int stage) {
    const int first = stage * kHeldStage, left = count - first;
    const auto bytes =
        static_cast<std::uint32_t>((left < kHeldStage ? left : kHeldStage) * memory.pose_floats * 4);
    barrier_expect(&at.joints_full[stage & 1], bytes);
    bulk_load(memory.lot(stage), joints + std::int64_t{poses.begin + first} * memory.pose_floats, bytes,
              &at.joints_full[stage & 1]);
  };
  if (lane == 0)
    for (int stage = 0; stage < 2 && stage < stages; ++stage) load(stage);
  for (int step = 0, buffer = 0, round = 0; step < steps; ++step) {
    barrier_wait(&at.full[buffer], round & 1);
    for (int u = 0; u < kPoses && step * kPoses + u < count; ++u) {
      // Whole lines in one copy, what is before and behind them number by number.
      Number* to = out + std::int64_t{poses.begin + step * kPoses + u} * stride;
      const int shift = in_line(to), before = (kLineOf<Number> - shift) & (kLineOf<Number> - 1),
                head = before < length ? before : length;
      const int tail = (length - head) & (kLineOf<Number> - 1), body = length - head - tail;
      const Number* from = memory.row(buffer, u) + shift;
      const auto bytes = static_cast<std::uint32_t>(body * sizeof(Number));
      if (lane == 0 && body > 0) {
        // Lines that two poses share wait for each other in the cache.
        if (stride % kLineOf<Number> == 0)
          bulk_store_once(to + head, from + head, bytes);
        else
          bulk_store(to + head, from + head, bytes);
      }
      for (int k = lane; k < head; k += kLanes) to[k] = from[k];
      for (int k = length - tail + lane; k < length; k += kLanes) to[k] = from[k];
    }
    __syncwarp();
    if (lane == 0) {
      bulk_commit();
      bulk_wait_read<Memory::kOpen>();
    }
    __syncwarp();
    if (step >= Memory::kOpen) barrier_arrive(&at.empty[(step - Memory::kOpen) % kBuffers]);
    if (lane == 0) {
      const int stage = step / Memory::kStageSteps;
      if (step % Memory::kStageSteps == Memory::kStageSteps - 1 && stage + 2 < stages) {
        barrier_wait(&at.joints_empty[stage & 1], stage / 2 & 1);
        load(stage + 2);
      }
    }
    if (++buffer == kBuffers) buffer = 0, ++round;
  }
  if (lane == 0) bulk_wait();
}

// A block has a tile in a part of the poses. Held: HeldLinear or HeldDual. Where copies are not known (before 9.0)
// the kernel is empty, and blocks_that_fit() says so.
template <template <int> class Held, int kFloats, int kBlocks, int kPoses, int kBuffers, class Number>
__global__ void __launch_bounds__(kHeldBlock, kBlocks)
    held_kernel(const __grid_constant__ RigView rig, const __grid_constant__ Chunks chunks,
                const __grid_constant__ Target<Number> target, int splits) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using Memory = HeldMemory<Number, kFloats, kPoses, kBuffers>;
  __shared__ HeldBarriers at;
  float* shared = shared_floats();
  const Memory memory{reinterpret_cast<Number*>(shared), shared + Memory::kRowBytes / 4, &at,
                      rig.joints * kFloats};
  const int tile = static_cast<int>(blockIdx.x) % rig.held_tiles,
            split = static_cast<int>(blockIdx.x) / rig.held_tiles;
  const int count = static_cast<int>(chunks.poses);
  const int each = ((count + splits - 1) / splits + kHeldStage - 1) / kHeldStage * kHeldStage;
  const int begin = split * each, end = begin + each < count ? begin + each : count;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kBuffers; ++i)
      barrier_init(&at.full[i], kHeldThreads), barrier_init(&at.empty[i], kLanes);
    for (int i = 0; i < 2; ++i)
      barrier_init(&at.joints_full[i], 1), barrier_init(&at.joints_empty[i], kHeldThreads);
    after_barrier_init();
  }
  __syncthreads();
  if (begin >= end) return;
  const HeldPoses poses{begin, end};
  const std::int64_t first = rig.held_first[tile];
  Number* out = target.positions + chunks.first * target.stride + 3 * first;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  if (warp == kHeldWarps)
    return copy_held<kPoses, kBuffers>(chunks.by_pose, out, target.stride,
                                       3 * static_cast<int>(rig.held_first[tile + 1] - first), poses, memory);
  const auto deform = [&](auto slots) {
    deform_held<Held<decltype(slots)::value>, kPoses, kBuffers>(rig, out, target.stride, tile, poses, memory);
  };
  switch (rig.held_slots[tile * kHeldWarps + warp]) {
    case 1:
      return deform(std::integral_constant<int, 1>());
    case 2:
      return deform(std::integral_constant<int, 2>());
    case 3:
      return deform(std::integral_constant<int, 3>());
    default:
      return deform(std::integral_constant<int, 4>());
  }
#endif
}

}  // namespace sinew::gpu
