// SPDX-License-Identifier: Apache-2.0
// Linear blending where neighbours share no joints: a block has the rigid motions of all joints in 64 poses in shared
// memory, a lane two of these poses, and a warp takes one vertex after the other, whatever its joints are.
#pragma once

#include "gpu/device_calls.h"
#include "gpu/device_memory.h"
#include "gpu/formulas.h"

namespace sinew::gpu {

inline constexpr int kSpreadFloats = 7;  // of a joint: a quaternion of length sqrt 2, a translation
inline constexpr int kSpreadPoses = 2 * kLanes;
inline constexpr int kSpreadGroups = 4, kSpreadWarps = 8;  // groups of warps have a tile each
inline constexpr int kSpreadThreads = kSpreadGroups * kSpreadWarps * kLanes;
inline constexpr int kSpreadTile = 32;
inline constexpr int kSpreadRow = 3 * kSpreadTile + 1;

inline std::int64_t spread_bytes(std::int64_t joints) {
  return 4 *
         (joints * kSpreadFloats * kSpreadPoses + std::int64_t{kSpreadGroups * kSpreadPoses * kSpreadRow});
}
struct TwoFloats {
  float at[2];
};

// One number of one joint in one pose: thread `in` of a joint has pose in / 2 of the first or of the second 32.
__global__ void spread_entry_kernel(const __grid_constant__ RigView rig,
                                    const __grid_constant__ Chunks chunks) {
  const int in = static_cast<int>(threadIdx.x);
  const std::int64_t joint = blockIdx.x, lot = blockIdx.y;
  const std::int64_t wanted = lot * kSpreadPoses + in % 2 * kLanes + in / 2;
  const std::int64_t pose = wanted < chunks.poses ? wanted : chunks.poses - 1;
  double m[12];
  load_matrix(chunks.matrices + pose / kLanes * chunks.size.matrices + pose % kLanes, static_cast<int>(joint),
              m);
  const Quaternion<double> q = quaternion_of(m);
  constexpr double kRootOfTwo = 1.4142135623730951;
  const double numbers[kSpreadFloats] = {
      kRootOfTwo * q.x, kRootOfTwo * q.y, kRootOfTwo * q.z, kRootOfTwo * q.w, m[3], m[7], m[11]};
  float* to = chunks.by_pose + (lot * rig.joints + joint) * kSpreadFloats * kSpreadPoses + in;
  for (int k = 0; k < kSpreadFloats; ++k) to[k * kSpreadPoses] = static_cast<float>(numbers[k]);
}

// What one joint adds to a point in one pose: w (a x (a x p + s p) + t).
__device__ inline void add_spread(float w, const Point& a, float s, const Point& t, const Point& p,
                                  Point& sum) {
  const Point c = plus_cross(s * p, a, p), moved = plus_cross(t, a, c);
  sum = sum + w * moved;
}

__global__ void __launch_bounds__(kSpreadThreads, 1)
    spread_kernel(const __grid_constant__ RigView rig, const __grid_constant__ Chunks chunks,
                  const __grid_constant__ Target<float> target, int splits) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ Barrier loaded;
  float* table = shared_floats();
  const int table_floats = rig.joints * kSpreadFloats * kSpreadPoses;
  const int warp = static_cast<int>(threadIdx.x) / kLanes, lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = warp / kSpreadWarps, in_group = warp % kSpreadWarps;
  float* stage = table + table_floats + group * kSpreadPoses * kSpreadRow;
  const std::int64_t lot = blockIdx.x / static_cast<unsigned>(splits),
                     split = blockIdx.x % static_cast<unsigned>(splits);
  if (threadIdx.x == 0) {
    barrier_init(&loaded, 1);
    after_barrier_init();
    barrier_expect(&loaded, static_cast<std::uint32_t>(4 * table_floats));
    bulk_load(table, chunks.by_pose + lot * table_floats, static_cast<std::uint32_t>(4 * table_floats),
              &loaded);
  }
  __syncthreads();
  barrier_wait(&loaded, 0);
  const std::int64_t tiles = (rig.vertices + kSpreadTile - 1) / kSpreadTile,
                     each = (tiles + splits - 1) / splits;
  const std::int64_t behind = (split + 1) * each < tiles ? (split + 1) * each : tiles;
  const TwoFloats* mine = reinterpret_cast<const TwoFloats*>(table) + lane;
  const std::int64_t more = chunks.poses - lot * kSpreadPoses;
  const int rows = static_cast<int>(more < kSpreadPoses ? more : kSpreadPoses);
  float* out = target.positions + (chunks.first + lot * kSpreadPoses) * target.stride;
  for (std::int64_t tile = split * each + group; tile < behind; tile += kSpreadGroups) {
    const std::int64_t left = rig.vertices - tile * kSpreadTile;
    const int used = static_cast<int>(left < kSpreadTile ? left : kSpreadTile);
    const SpreadVertex* vertices = rig.spread + tile * kSpreadTile;
    SpreadVertex next = vertices[in_group < used ? in_group : used - 1];
#pragma unroll 1
    for (int i = in_group; i < used; i += kSpreadWarps) {
      const SpreadVertex v = next;
      next = vertices[i + kSpreadWarps < used ? i + kSpreadWarps : used - 1];
      const Point p{v.x, v.y, v.z};
      const float all = v.weight[0] + v.weight[1] + v.weight[2] + v.weight[3];
      Point sum[2] = {all * p, all * p};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const TwoFloats* m = mine + (v.joints >> 8 * k & 255u) * (kSpreadFloats * kLanes);
        const TwoFloats a = m[0], b = m[kLanes], c = m[2 * kLanes], s = m[3 * kLanes];
        const TwoFloats x = m[4 * kLanes], y = m[5 * kLanes], z = m[6 * kLanes];
#pragma unroll
        for (int h = 0; h < 2; ++h)
          add_spread(v.weight[k], {a.at[h], b.at[h], c.at[h]}, s.at[h], {x.at[h], y.at[h], z.at[h]}, p,
                     sum[h]);
      }
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float* to = stage + (lane + h * kLanes) * kSpreadRow + 3 * i;
        to[0] = sum[h].x, to[1] = sum[h].y, to[2] = sum[h].z;
      }
    }
    sync_group(group, kSpreadWarps * kLanes);
#pragma unroll 2
    for (int r = in_group; r < rows; r += kSpreadWarps) {
      float* to = out + r * target.stride + 3 * tile * kSpreadTile;
      const float* from = stage + r * kSpreadRow;
      if (used == kSpreadTile) {
#pragma unroll
        for (int k = 0; k < 3 * kSpreadTile / kLanes; ++k)
          write_number(to + kLanes * k + lane, from[kLanes * k + lane]);
      } else {
        for (int c = lane; c < 3 * used; c += kLanes) write_number(to + c, from[c]);
      }
    }
    sync_group(group, kSpreadWarps * kLanes);
  }
#endif
}

}  // namespace sinew::gpu
