// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/deform/deformer.h"

namespace sinew {

struct SyntheticOptions {
  std::size_t vertices = 100000;
  std::size_t joints = 64;
  std::size_t influences = 4;
  bool stretched = false;  // the pose scales joints, too
};

// A rig without a shape, and one frame of it: random points in a box, a chain of joints through it, rows with
// random weights over `influences` neighbouring joints. What a kernel costs depends on the counts, not on the
// shape.
struct SyntheticFrame {
  Rig rig;
  std::vector<Affine3> globals, matrices;
  std::vector<Vec3f> positions, normals;

  FrameInput input(bool with_normals) const {
    return {positions,
            with_normals ? std::span<const Vec3f>(normals) : std::span<const Vec3f>(),
            globals,
            matrices,
            {}};
  }
};

SyntheticFrame make_synthetic_frame(const SyntheticOptions& options = {});

}  // namespace sinew
