// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sinew/autorig/curve.h"
#include "sinew/autorig/skeleton_template.h"

namespace sinew {

struct FindOptions {
  double most_cost = 0.52;  ///< a template that fits worse than this does not fit
  /// The same for chains without limbs (a snake, an arm), to which any stretched body comes near.
  double most_chain_cost = 0.22;
  /// The same for bodies without left and right (a hand), as bodies with both have legs for fingers.
  double most_one_sided_cost = 0.42;
  /// What the rings of quads show must fit better than this, or the surface is looked at.
  double most_ring_cost = 0.2;
  bool rings = true;    ///< look at the rings of quads first
  bool volume = false;  ///< go through the voxel body at once, not along rings or the surface first
  /// Where no template fits: joints at the seams and bends of the curves alone, with low confidence.
  bool plain = false;
  /// Vertices that are the body's tips (hands, feet, head, tail), instead of those that would be found; two or
  /// more. The rings of quads are then not looked at.
  std::vector<std::uint32_t> tips = {};
  /// About so many joints: the longest bones are cut in two, or the straightest joined; 0: as many as there are.
  std::size_t joints = 0;
  /// The same vertices in other poses: where a limb bends more in one of them, its joint goes to the ring that
  /// bends there.
  std::vector<std::span<const Vec3>> other_poses = {};
  const Progress* progress = nullptr;
};

/// How badly a template fits: the weighted sum of what differs. 0 is a perfect fit.
struct TemplateCost {
  std::string name;
  double cost = 0;
  /// What differs, by name and before weighting (src/autorig/features.h); empty where the template was passed over.
  std::vector<std::pair<std::string, double>> features;
};

/// How a skeleton was found: by the rings of quads (milliseconds), by the level sets of distances along the
/// surface, or through the voxel body.
enum class SkeletonMethod { kRings, kSurface, kVolume };
const char* name_of(SkeletonMethod method);  ///< rings, surface, volume

/// What was found in a mesh without a skeleton.
struct FoundSkeleton {
  Skeleton skeleton;       ///< in the mesh's space; empty where no template fits
  std::string name;        ///< of the template; none: without one
  double confidence = 0;   ///< 0 .. 1: how well the template fits, beside the next best
  bool symmetric = false;  ///< the mesh is its own mirror image, and so are the joints
  SkeletonMethod method = SkeletonMethod::kSurface;
  std::string no_rings;       ///< why the way is not that of rings; empty where they were not asked for
  std::vector<Curve> curves;  ///< trunk first, then limbs, then fingers
  std::size_t rings = 0;
  double curve_ms = 0, skeleton_ms = 0;
  std::vector<TemplateCost> tried;  ///< every template, in the order given
  std::string problem;              ///< why the skeleton is empty
};

/// The skeleton of any mesh, in any position and size. By its rings where it is of quads, they close around
/// its limbs, and a template fits them well; else along the surface where that is in one piece; where that is
/// unsure or in pieces, through the voxel body. Without templates, or where none fits and `plain` is asked for,
/// joints lie where the curves of the body meet and bend. Joints have the axes of the body: x to its left, y up, z to the front, as the template has
/// them. A body that no template fits is no error here: `skeleton` is empty and `problem` says why, so that
/// its curves can be kept. Limbs that the template has no joints for get chains of their own where they are
/// long. kBadInput: no usable triangle, or a tip that is no vertex. kImpossible: no body with two ends. The same bits
/// for any thread count.
Result<FoundSkeleton> find_skeleton(const PolyMesh& mesh, std::span<const SkeletonTemplate> templates,
                                    const FindOptions& options = {});

}  // namespace sinew
