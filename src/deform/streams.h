// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "deform/skin_table.h"
#include "sinew/deform/deformer.h"

namespace sinew {

// Where a kernel reads and writes: three floats a vertex. Both normal pointers are null where none are
// wanted.
struct VertexStreams {
  const float* positions = nullptr;
  const float* normals = nullptr;
  float* out_positions = nullptr;
  float* out_normals = nullptr;

  VertexStreams from_vertex(std::size_t i) const {
    return {positions + 3 * i, normals ? normals + 3 * i : nullptr, out_positions + 3 * i,
            out_normals ? out_normals + 3 * i : nullptr};
  }
};

VertexStreams streams_of(const FrameInput& input, std::span<Vec3f> out_positions,
                         std::span<Vec3f> out_normals);

// Whole groups of one run: what a kernel is called with.
struct SkinSlice {
  const float* weights = nullptr;
  const std::uint16_t* joints = nullptr;
  std::size_t influences = 0;    // per vertex: 1, 2 or a multiple of 4
  std::size_t first_vertex = 0;  // for data of one entry a vertex
  std::size_t first_entry = 0;   // for data beside the table's weights
  std::size_t vertices = 0;      // a multiple of kGroupSize
};

inline SkinSlice slice_of(const SkinTable& table, const SkinRun& run, std::size_t group_begin,
                          std::size_t group_end) {
  const std::size_t entry = run.entry + (group_begin - run.group_begin) * kGroupSize * run.influences;
  return {table.weights.data() + entry,
          table.joints.data() + entry,
          run.influences,
          group_begin * kGroupSize,
          entry,
          (group_end - group_begin) * kGroupSize};
}

// Calls kernel(slice, streams at the slice's first vertex) over the groups [begin, end). The vertices behind
// the last whole group go through a padded copy, so that kernels never read or write outside the caller's
// arrays.
template <class Kernel>
void run_groups(const SkinTable& table, std::size_t begin, std::size_t end, const VertexStreams& all,
                Kernel&& kernel) {
  const std::size_t whole = table.vertices / kGroupSize;
  for_each_run(table, begin, std::min(end, whole),
               [&](const SkinRun& run, std::size_t first, std::size_t last) {
                 kernel(slice_of(table, run, first, last), all.from_vertex(first * kGroupSize));
               });
  if (end <= whole) return;
  const VertexStreams tail = all.from_vertex(whole * kGroupSize);
  const std::size_t numbers = 3 * (table.vertices - whole * kGroupSize);
  std::array<float, 3 * kGroupSize> positions{}, normals{}, out_positions{}, out_normals{};
  std::copy_n(tail.positions, numbers, positions.begin());
  if (tail.normals) std::copy_n(tail.normals, numbers, normals.begin());
  const VertexStreams padded{positions.data(), tail.normals ? normals.data() : nullptr, out_positions.data(),
                             tail.out_normals ? out_normals.data() : nullptr};
  kernel(slice_of(table, table.runs.back(), whole, whole + 1), padded);
  std::copy_n(out_positions.begin(), numbers, tail.out_positions);
  if (tail.out_normals) std::copy_n(out_normals.begin(), numbers, tail.out_normals);
}

}  // namespace sinew
