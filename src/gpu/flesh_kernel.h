// SPDX-License-Identifier: Apache-2.0
// Flesh on a device: a warp has a group of 8 vertices in 16 poses. Lane 4 g + q has the vertices 2 q and 2 q + 1 in
// the poses 2 g and 2 g + 1, as products of matrices leave them there (field_layout.h).
#pragma once

#include "gpu/device_calls.h"
#include "gpu/device_memory.h"
#include "gpu/formulas.h"

namespace sinew::gpu {

inline constexpr int kFleshWarps = 4;   // of a block: the same group in poses that follow one another
inline constexpr int kFleshRounds = 8;  // poses of a warp one after the other, in lots of 16
inline constexpr int kFleshPoses = kFleshRounds * kFleshWarps * kFactorPoses;  // of a block
inline constexpr int kLanePoses = 2, kLaneVertices = 2;
inline constexpr int kFleshRow = 3 * kGroupVertices;
using LanePoints = FleshPoints<kLanePoses, kLaneVertices>;

struct alignas(16) FourWords {
  std::uint32_t at[4];
};

// What drives one field in the poses of a lane.
struct alignas(8) TwoWords {
  std::uint32_t at[2];
};
struct LaneDrive {
  FourWords even, odd, square;
  TwoWords even_low, odd_low;
  OfPoses<kLanePoses> direction, twist, cubic;
};
template <class Words>
__device__ inline Words read_words_once(const Words* from) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(Words) == 16) {
    const uint4 four = __ldcg(reinterpret_cast<const uint4*>(from));
    return {four.x, four.y, four.z, four.w};
  } else {
    const uint2 two = __ldcg(reinterpret_cast<const uint2*>(from));
    return {two.x, two.y};
  }
#else
  return *from;
#endif
}
__device__ inline LaneDrive load_drive(const std::uint32_t* factors, const float* drives, std::int64_t field,
                                       int lane) {
  const std::uint32_t* first = factors + field * kFactorWords;
  const FourWords* words = reinterpret_cast<const FourWords*>(first) + lane;
  const TwoWords* low = reinterpret_cast<const TwoWords*>(first + 12 * kLanes) + lane;
  const auto numbers = [&](int k) {
    return read_once<kLanePoses>(drives + (field * kDriveFloats + k) * kLanes);
  };
  return {read_words_once(words),
          read_words_once(words + kLanes),
          read_words_once(words + 2 * kLanes),
          read_words_once(low),
          read_words_once(low + kLanes),
          numbers(0),
          numbers(1),
          numbers(2)};
}

// Sums of one field for eight vertices in 16 poses: high times high and low, then low times high.
__device__ inline void sum_products(float* sum, const float* from, const FourWords& factor,
                                    const TwoWords& low_factor, std::uint32_t high, std::uint32_t low) {
  float part[4];
  multiply_16(part, from, factor.at, high, low);
  multiply_8(sum, part, low_factor.at, high);
}
// The same of squares: high and low parts of a value are one word.
__device__ inline void sum_squares(float* sum, const FourWords& factor, std::uint32_t value) {
  constexpr float kZero[4] = {0, 0, 0, 0};
  float part[4];
  multiply_8(part, kZero, factor.at, value);
  multiply_8(sum, part, factor.at + 2, value);
}

struct FieldArrays {
  const std::uint32_t *factors, *values;
  const float *drives, *cubic, *twist;
};
// What fields add to the vertices of a lane, in steps of their values: a row a coordinate.
__device__ inline void add_field(const FieldArrays& from, const LaneDrive& drive, std::uint32_t block,
                                 int lane, float (*sum)[4]) {
  constexpr float kZero[4] = {0, 0, 0, 0};
  const int q = lane % 4;
  const FourWords* words =
      reinterpret_cast<const FourWords*>(from.values + std::int64_t{block} * kValueWords) + lane;
  const FourFloats* cubic =
      reinterpret_cast<const FourFloats*>(from.cubic + std::int64_t{block} * kCubicValues) + q;
  const auto share = *reinterpret_cast<const OfPoses<2>*>(from.twist + std::int64_t{block} * kGroupVertices +
                                                          kLaneVertices * q);
  FieldView view[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    view[k] =
        field_view(drive.direction.at[k / 2], drive.twist.at[k / 2], drive.cubic.at[k / 2], share.at[k % 2]);
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    const FourWords first = words[2 * c * kLanes], second = words[(2 * c + 1) * kLanes];
    const FourFloats cube = cubic[c * kGroupVertices / 2];
    float cosine[4], sine[4], cosine_cosine[4], cosine_sine[4];
    sum_products(sum[c], sum[c], drive.even, drive.even_low, first.at[0], first.at[1]);
    sum_products(cosine, kZero, drive.odd, drive.odd_low, first.at[2], first.at[3]);
    sum_products(sine, kZero, drive.odd, drive.odd_low, second.at[0], second.at[1]);
    sum_squares(cosine_cosine, drive.square, second.at[2]);
    sum_squares(cosine_sine, drive.square, second.at[3]);
#pragma unroll
    for (int k = 0; k < 4; ++k)
      sum[c][k] = by_harmonics(view[k], cosine[k], sine[k], cosine_cosine[k], cosine_sine[k], cube.at[k % 2],
                               cube.at[2 + k % 2], sum[c][k]);
  }
}
__device__ inline void add_fields(const RigView& rig, const FleshGroup& group, const FieldArrays& from,
                                  int lane, float (*sum)[4]) {
  for (std::uint32_t b = group.first_block; b < group.first_block + group.blocks; ++b)
    add_field(from, load_drive(from.factors, from.drives, rig.blocks[b].field, lane), b, lane, sum);
}
__device__ inline void add_sums(const float (*sum)[4], float step, LanePoints& to) {
  LanePoints::each([&](int r, int i) {
    const int k = 2 * r + i;
    to.at[r][i] = to.at[r][i] + step * Point{sum[0][k], sum[1][k], sum[2][k]};
  });
}

// Rows of a group: put down by lanes two vertices at a time, written one after the other. The rows of poses 2 g come
// first, those of 2 g + 1 behind them, so that lanes never meet in a bank.
template <class Number>
__device__ inline void write_group(float* stage, const LanePoints& x, const FleshGroup& group, Number* out,
                                   std::int64_t step, int rows, int lane) {
  const int g = lane / 4, q = lane % 4;
#pragma unroll
  for (int r = 0; r < kLanePoses; ++r) {
    OfPoses<2>* to = reinterpret_cast<OfPoses<2>*>(stage + (g + 8 * r) * kFleshRow + 3 * kLaneVertices * q);
    const Point* p = x.at[r];
    to[0] = {p[0].x, p[0].y};
    to[1] = {p[0].z, p[1].x};
    to[2] = {p[1].y, p[1].z};
  }
  __syncwarp();
  const int row = 3 * static_cast<int>(group.used);
  const float* from[3];
  Number* to[3];
  bool is_used[3];
  int pose[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {  // the first four poses; from each to the next of a lane it is four
    const int i = lane + k * kLanes, c = i % kFleshRow;
    pose[k] = i / kFleshRow;
    is_used[k] = c < row;
    from[k] = stage + (pose[k] / 2 + 8 * (pose[k] % 2)) * kFleshRow + c;
    to[k] = out + pose[k] * step + 3 * std::int64_t{group.vertex[c / 3]} + c % 3;
  }
  if (row == kFleshRow && rows == kFactorPoses) {
#pragma unroll
    for (int r = 0; r < kFactorPoses / 4; ++r) {
#pragma unroll
      for (int k = 0; k < 3; ++k) {
        write_number(to[k], from[k][2 * r * kFleshRow]);
        to[k] += 4 * step;
      }
    }
  } else {
    for (int r = 0; r < kFactorPoses / 4; ++r)
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (is_used[k] && 4 * r + pose[k] < rows)
          write_number(to[k] + 4 * r * step, from[k][2 * r * kFleshRow]);
  }
  __syncwarp();
}

// A group in 16 poses of a chunk.
template <bool kNormals, class Number>
__device__ void deform_group(const RigView& rig, const Chunks& chunks, const Target<Number>& target,
                             const FleshGroup& group, std::int64_t index, std::int64_t pose, float* stage,
                             int lane) {
  const std::int64_t chunk = pose / kLanes, left = chunks.poses - pose;
  const int half = static_cast<int>(pose % kLanes) / kFactorPoses,
            in_chunk = half * kFactorPoses + 2 * (lane / 4);
  const int rows = static_cast<int>(left < kFactorPoses ? left : kFactorPoses);
  const int first = kLaneVertices * (lane % 4);
  const float* palette = chunks.palette + chunk * chunks.size.palette + in_chunk;
  const float* drives = chunks.drives + chunk * chunks.size.drives + in_chunk;
  const std::uint32_t* factors = chunks.factors + chunk * chunks.size.factors + half * kHalfFactorWords;
  float sum[3][4] = {}, tilt[3][4] = {};
  add_fields(rig, group, {factors, rig.field_values, drives, rig.field_cubic, rig.field_twist}, lane, sum);
  if constexpr (kNormals)
    add_fields(rig, group, {factors, rig.field_tilts, drives, rig.field_tilts_cubic, rig.field_twist}, lane,
               tilt);
  LanePoints x, n;
  rest_of_group<kNormals>(rig, group, index, first, chunks.keys + chunk * chunks.size.keys + in_chunk, x, n);
  add_sums(sum, rig.value_step, x);
  if constexpr (kNormals) add_sums(tilt, rig.tilt_step, n);
  pass_joints<kNormals>(rig, group, first, palette, x, n);
  if (!rig.plain) {
    const Point offset{rig.offset[0], rig.offset[1], rig.offset[2]};
    LanePoints::each([&](int r, int i) { x.at[r][i] = x.at[r][i] + offset; });
  }
  const std::int64_t at = chunks.first + pose;
  write_group(stage, x, group, target.positions + at * target.stride, target.stride, rows, lane);
  if constexpr (kNormals)
    write_group(stage, n, group, target.normals + at * target.normal_stride, target.normal_stride, rows,
                lane);
}

// Blocks have one group each: what it reads stays in the first-level cache for all poses of the block.
template <bool kNormals, class Number>
__global__ void __launch_bounds__(kFleshWarps* kLanes, kNormals ? 1 : 5)
    flesh_kernel(const __grid_constant__ RigView rig, const __grid_constant__ Chunks chunks,
                 const __grid_constant__ Target<Number> target, unsigned pose_blocks) {
  __shared__ FourFloats stages[kFleshWarps * kFactorPoses * kFleshRow / 4];
  const int warp = static_cast<int>(threadIdx.x) / kLanes, lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t index = blockIdx.x / pose_blocks;
  std::int64_t pose = std::int64_t{blockIdx.x % pose_blocks} * kFleshPoses + warp * kFactorPoses;
  float* stage = stages[warp * (kFactorPoses * kFleshRow / 4)].at;
  for (int k = 0; k < kFleshRounds && pose < chunks.poses; ++k, pose += kFleshWarps * kFactorPoses)
    deform_group<kNormals>(rig, chunks, target, rig.groups[index], index, pose, stage, lane);
}

}  // namespace sinew::gpu
