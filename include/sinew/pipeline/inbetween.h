// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/dynamics/inbetween.h"
#include "sinew/io/gltf.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

struct InbetweenRequest {
  int frames = 0;  // of the whole way, the first and the last shape included
  double fps = 30;
  bool normals = false;  // frames with normals, for morph targets
  InbetweenOptions options;
  const Progress* progress = nullptr;
};

struct InbetweenReport {
  double curves_milliseconds = 0;  // to find the curves
  double milliseconds = 0;         // curves and motion, without normals
  std::size_t rings = 0, closed = 0;
  bool from_quads = false;  // curves that follow rows of quads; else straight chains of edges
  double stiffest = 0;      // angular frequency of the stiffest wave
  std::vector<std::string> notes;
};

// Frames that lead through the shapes as dynamic curves do, each pair from rest. Shapes are hit exactly, at
// frames that divide the whole as evenly as whole numbers can. The first mesh's faces give the curves: rows
// of quads where it has them (autorig/iso_curves.h), and chains of edges, as straight as they come, through
// all other vertices. Vertices at one place in all shapes stay together. kUsage: fewer shapes than two or
// fewer frames than shapes. kBadInput: shapes of different vertex counts; the message counts shapes from 1.
// kImpossible: more than 16 GiB of frames, resonance (dynamics/inbetween.h).
Result<BakedFrames> inbetween(std::span<const PolyMesh> shapes, const InbetweenRequest& request,
                              InbetweenReport* report = nullptr);

// The frame of each of `shapes` shapes among `frames` frames.
std::vector<int> key_frames(int shapes, int frames);

}  // namespace sinew
