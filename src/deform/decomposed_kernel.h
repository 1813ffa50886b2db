// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// The rotation from one joint to another.
struct alignas(16) RotationVectorEntry {
  float vector[3];
  float beyond;  // 1 where it is beyond the limit of kExpLog, and 0 else
};

// What the kernel reads of one frame. Palettes as palette.h says.
struct DecomposedFrame {
  const MatrixEntry* rows = nullptr;
  const DualEntry* quaternions = nullptr;
  bool aligned = false;                       // the quaternions' signs agree (see signs.h)
  const SymmetricEntry* stretches = nullptr;  // null: no joint is stretched
  const RotationVectorEntry* logs = nullptr;  // per pair of joints; null: kPolar
  const std::uint32_t* pairs = nullptr;       // per entry of the table, into logs
  const float* centres = nullptr;             // 3 per vertex, padded to whole groups
  const std::uint32_t* has_centre = nullptr;  // per vertex, padded: all bits, or none
};

void decomposed_groups(const SkinTable& table, const DecomposedFrame& frame, std::size_t begin,
                       std::size_t end, const VertexStreams& streams);

}  // namespace sinew
