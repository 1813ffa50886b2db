// SPDX-License-Identifier: Apache-2.0
#include "deform/streams.h"

#include <cassert>

namespace sinew {

static_assert(sizeof(Vec3f) == 3 * sizeof(float));

VertexStreams streams_of(const FrameInput& input, std::span<Vec3f> out_positions,
                         std::span<Vec3f> out_normals) {
  assert(out_positions.size() == input.positions.size());
  assert(out_normals.empty() ||
         (out_normals.size() == out_positions.size() && input.normals.size() == out_normals.size()));
  VertexStreams streams;
  if (out_positions.empty()) return streams;
  streams.positions = input.positions.data()->data();
  streams.out_positions = out_positions.data()->data();
  if (!out_normals.empty()) {
    streams.normals = input.normals.data()->data();
    streams.out_normals = out_normals.data()->data();
  }
  return streams;
}

}  // namespace sinew
