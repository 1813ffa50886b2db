// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/dynamics/inbetween.h"
#include "sinew/io/gltf.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// What moves. kSkeleton: every ring's rigid frame is led along the skeleton that is found in the shapes, and
/// the curves' equation, damped, acts on what is left. kPaper: the equation alone on the whole way [bian2018],
/// undamped.
enum class InbetweenMotion { kSkeleton, kPaper };

/// What to do: the parameters of inbetween().
struct InbetweenRequest {
  int frames = 0;  ///< of the whole way, the first and the last shape included
  double fps = 30;
  bool normals = false;                                 ///< frames with normals, for morph targets
  InbetweenMotion motion = InbetweenMotion::kSkeleton;  ///< says whether the material is damped
  InbetweenOptions options;
  const Progress* progress = nullptr;
};

/// What is farthest, over all frames, from the value between those of the two shapes beside it: length of a
/// bone's flesh and enclosed volume, now over that value minus 1. None: no skeleton, or an open surface.
struct WayChanges {
  std::optional<double> limbs, volume;
};

struct InbetweenReport {
  double curves_milliseconds = 0;    ///< to find the curves
  double skeleton_milliseconds = 0;  ///< to find the skeleton and tie the vertices to it
  double milliseconds = 0;           ///< curves and motion, without skeleton, normals and measuring
  std::size_t rings = 0, closed = 0;
  bool from_quads = false;       ///< curves that follow rows of quads; else straight chains of edges
  double stiffest = 0;           ///< angular frequency of the stiffest wave
  std::string skeleton;          ///< the template that fits the shapes; empty: none
  std::size_t joints = 0;        ///< of it
  WayChanges changes, straight;  ///< of these frames, and of straight lines at the same shares
  std::vector<std::string> warnings;
};

/// Frames that lead through the shapes as dynamic curves do, each pair from rest. Shapes are hit exactly, at
/// frames that divide the whole as evenly as whole numbers can. Where no skeleton is found, the whole is led
/// as one rigid body, which a note says. The first mesh's faces give the curves: rows of quads where it has
/// them (autorig/iso_curves.h), and chains of edges, as straight as they come, through all other vertices.
/// Vertices at one place in all shapes stay together. kUsage: fewer shapes than two or fewer frames than
/// shapes. kBadInput: shapes of different vertex counts; the message counts shapes from 1. kImpossible: more
/// than 16 GiB of frames, resonance (dynamics/inbetween.h).
Result<BakedFrames> inbetween(std::span<const PolyMesh> shapes, const InbetweenRequest& request,
                              InbetweenReport* report = nullptr);

/// The frame of each of `shapes` shapes among `frames` frames.
std::vector<int> key_frames(int shapes, int frames);

}  // namespace sinew
