// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/joint_kernel.h"

namespace sinew {

// The dual quaternion of a stretched and twisted bone. With c and s the cosine and sine of half the twist and
// e the endpoint weight it is
//   real = c real + s turned,  dual = c dual[0] + s dual[1] + e (c dual[2] + s dual[3]).
struct alignas(64) DualBoneEntry {
  float real[4];    // the rotation without the twist
  float turned[4];  // that times the bone's direction
  float dual[4][4];
  TurnEntry twist;
  Rows scale;  // of the joint, about its head
};

// What a frame needs of the kernel.
struct DualBoneFrame {
  bool twisted = false;  // some bone twists
  bool scaled = false;   // some joint is scaled
};

// Dual quaternion skinning of the groups [begin, end). Each quaternion is added with the sign that makes it
// agree with that of the largest weight. The lanes' `move` is the endpoint weight for the stretch, `turn`
// that for the twist.
void dual_bone_groups(const JointTable& table, const Palette<DualBoneEntry>& palette,
                      const DualBoneFrame& frame, std::size_t begin, std::size_t end,
                      const VertexStreams& streams);

}  // namespace sinew
