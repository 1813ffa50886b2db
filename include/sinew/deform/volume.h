// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

struct VolumeOptions {
  double amount = 1;  // 0 ... 1: how much of what keeps the volume
};

// Volume-preserving skinning, D12 [angelidis2007]: the points flow from bind space to the pose with a
// velocity that is the curl of a potential, and so has no sources. While the joints turn from rest to the
// pose,
//   v = sum_j curl(Phi_j A_j) = sum_j Phi_j w_j x (x - c_j) + grad Phi_j x A_j,
//   A_j = -1/2 |x - c_j|^2 w_j + 1/2 u_j x (x - c_j)
// for the turn w_j of joint j against its parent about c_j, and its shift u_j; Phi_j is the sum over the
// bones at and below j of a smooth partition of unity by the distances to the bones where they are at that
// time. The motion of the root is applied whole. With amount 0 the second term is left out, and the flow is
// that of blended velocities. Fourth-order Runge-Kutta steps, none above 6 degrees. Scale of joints is left
// out. Normals are those of the deformed faces. Costs milliseconds to seconds a frame, not microseconds.
// kUsage: an amount outside 0 ... 1.
Result<std::unique_ptr<Deformer>> build_volume(const Rig& rig, const VolumeOptions& options = {});

}  // namespace sinew
