// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/core/progress.h"
#include "sinew/deform/deformer.h"

namespace sinew {

/// Options of build_volume().
struct VolumeOptions {
  double amount = 1;  ///< 0 ... 1: how much of what keeps the volume
  const Progress* progress = nullptr;
};

/// Volume-preserving skinning [angelidis2007]: the points flow from bind space to the pose with a
/// velocity that is the curl of a potential, and so has no sources. While the joints turn from rest to the
/// pose,
///   v = sum_j curl(Phi_j A_j) = sum_j Phi_j w_j x (x - c_j) + grad Phi_j x A_j,
///   A_j = -1/2 |x - c_j|^2 w_j + 1/2 u_j x (x - c_j)
/// for the turn w_j of joint j against its parent, and the shift u_j of c_j; Phi_j is the sum of the skin
/// weights at and below j, made no steeper than a limb is thick, and its slope that of the body as it is at
/// that time. The motion of the lowest joint above all others is applied whole. With amount 0 the second term
/// is left out, and the flow is that of blended velocities. Steps of at most 15 degrees, midpoint rule; what
/// hangs on one joint alone is carried exactly, its scale included. Rest is the identity. Normals turn with
/// the surface. About 30 times the time of linear blending. Building is O(joints * vertices).
/// kUsage: an amount outside 0 ... 1. kCancelled: the progress said so.
Result<std::unique_ptr<Deformer>> build_volume(const Rig& rig, const VolumeOptions& options = {});

}  // namespace sinew
