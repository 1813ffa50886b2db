// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// Options of build_curve().
struct CurveOptions {
  int segments = 8;                   ///< of every bone; 1: plain bones
  double ease = 1;                    ///< length of the handles, in thirds of the bone
  std::vector<int> segments_of = {};  ///< per joint, in place of `segments`; or empty
  std::vector<double> ease_of = {};   ///< per joint, in place of `ease`; or empty
};

/// Curve bones [vanlommel2008, Sec. 6.3]: every bone is a Bezier curve from its head to its tail whose handles
/// lean towards the bones before and behind it, cut into segments that move rigidly. A vertex is spread over
/// the two segments nearest to its endpoint weight. Frames are carried along the curve with the least turn and
/// rolled: half of what a bone is rolled against the one before it at their joint, and by the twists of
/// BoneShape. A joint's scale goes along. Segments go from the curve of the rest pose to that of the frame, so
/// that rest is the identity. For spines, tails and snakes. kImpossible: the rig has no endpoint weights.
/// kUsage: segments outside 1 ... 64, an ease outside 0 ... 3.
Result<std::unique_ptr<Deformer>> build_curve(const Rig& rig, const CurveOptions& options = {});

}  // namespace sinew
