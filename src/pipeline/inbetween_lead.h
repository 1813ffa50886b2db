// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sinew/dynamics/skeleton_lead.h"
#include "sinew/pipeline/inbetween.h"

namespace sinew {

// The skeleton of shapes of one mesh, and which vertices follow which of its joints.
struct ShapeSkeleton {
  Skeleton skeleton;
  std::vector<Vec3> heads;    // in shape `reference`
  std::size_t reference = 0;  // the shape that it was found in
  SkinWeights weights;
  std::string name;  // of the template; empty: none was found, and the skeleton is one joint that moves all
  std::string problem;  // why
};

// Looks in the first shape, then in the last.
Result<ShapeSkeleton> skeleton_of_shapes(std::span<const PolyMesh> shapes, const Progress* progress);

// The weights with those of each closed ring made one, so that it moves as a rigid piece.
SkinWeights ring_weights(const SkinWeights& weights, const IsoCurves& curves);

// How lengths of limbs and the volume change on the way, measured on the vertices alone.
class WayMeasure {
 public:
  WayMeasure(const ShapeSkeleton& found, std::span<const PolyMesh> shapes);

  // A frame at a share of the way from shape `first` to the next: what is farthest from the value between
  // theirs goes into `changes`.
  void add(std::size_t first, double share, std::span<const Vec3> frame, WayChanges& changes) const;

 private:
  // Two groups of vertices of one bone, near its ends: the distance of their middles is its length.
  struct Limb {
    std::vector<std::uint32_t> ends[2];
  };
  static double length(const Limb& limb, std::span<const Vec3> positions);

  std::span<const PolyMesh> shapes_;
  std::vector<Limb> limbs_;
  std::vector<Triangle> triangles_;  // empty: the surface is open
};

}  // namespace sinew
