// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/core/descriptor.h"
#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/io/asset.h"
#include "sinew/measure/skeleton_distance.h"
#include "sinew/measure/weight_difference.h"
#include "sinew/rig/rig.h"
#include "sinew/rig/turn_functions.h"

namespace sinew {

/// A: elastic energy ratio at most 1.25 and nothing wrong. B: 1.75, C: 2.5, D: 4, E: above. F: torn, without
/// weights, or weights that are not numbers.
enum class Grade : std::uint8_t { kA, kB, kC, kD, kE, kF };
char letter_of(Grade grade);

/// What a reader repaired: vertices of the rig whose weights as stored do not sum to 1, or are no numbers.
struct StoredWeights {
  double max_row_error = 0;  ///< largest |sum - 1|
  std::vector<std::uint32_t> off_rows, lost_rows;
};
/// Of a file as it was read; of a rig without a document, of its weights as they are.
StoredWeights stored_weights(const Asset& asset);

struct CheckRequest {
  std::size_t influences = 0;  ///< most joints of a vertex that are asked for; 0: any number
  MotionRange range = {1.0471975511965976, 1.0471975511965976};  ///< that joints turn over, one at a time
  int voxels = 0;                ///< cells along the longest side of the solid voxel grid; 0: chosen
  const Rig* against = nullptr;  ///< an artist's rig of the same character
  std::size_t pictures = 0;      ///< of the worst joints, for a page
  StoredWeights stored = {};
  const Progress* progress = nullptr;
};

/// What users can set of a CheckRequest: influences, bend and twist in degrees, voxels.
std::span<const Descriptor> check_settings();

struct JointCheck {
  std::string name;
  std::optional<Grade> grade;  ///< none: the joint carries nothing
  /// Elastic energy of a turn over that of the elastic body, mean over bends and a twist. None: the joint bends
  /// no face, or its bone is too short for the grid.
  std::optional<double> energy_ratio;
  std::vector<std::string> reasons = {};  ///< what is wrong, a sentence each
};

/// Distances to another rig of the same character.
struct AgainstFigures {
  SkeletonDistances skeleton;   ///< all joints of the skins
  SkeletonDistances deforming;  ///< those that weights tell from controls (rig/weighted_joints.h), of both
  std::optional<WeightDifference> weights;  ///< none: other joints or other vertices
};

/// A joint turned to where it looks worst, by linear blending.
struct CheckPicture {
  std::size_t joint = 0;
  std::string pose;             ///< "bend 60 x", "twist 60"
  std::vector<Vec3> positions;  ///< per vertex, bind space
  std::vector<float> share;     ///< per vertex: how much of it the joint carries
};

struct CheckReport {
  Grade grade = Grade::kA;  ///< that of the worst tenth of the joints; F where vertices have no weights
  std::vector<JointCheck> joints;     ///< of the skin, in their order
  std::size_t unweighted = 0;         ///< vertices without weights, or with weights that are not numbers
  double max_row_error = 0;           ///< largest |sum - 1| of the weights as stored
  std::size_t influences = 0;         ///< most joints of a vertex
  std::size_t islands = 0, torn = 0;  ///< pieces of the welded mesh; seams and islands that come apart
  std::size_t strays = 0,
              mirrored =
                  0;  ///< vertices with weights across gaps; with other weights than their mirror images
  std::size_t intersections = 0;  ///< triangles that cross others in one pose and not at rest, at most
  /// Vertices to look at, ascending: without weights, with weights that are not numbers, do not sum to 1, are
  /// too many or lie across a gap, and those of seams, edges and islands that come apart.
  std::vector<std::uint32_t> faulty;
  std::optional<AgainstFigures> against;
  std::vector<CheckPicture> pictures;
  double seconds = 0;
  std::vector<std::string> warnings;
};

/// Tells what is wrong with a rig, ours or another program's, by linear blending as every program plays it.
/// Some seconds. kImpossible: no joints, or no vertex with weights. kBadInput: no usable triangle.
Result<CheckReport> check(const Rig& rig, const CheckRequest& request = {});

/// What is too wrong to be let through: vertices without weights, weights that do not sum to 1, more influences
/// than asked for, a joint of grade F, a grade below C. kImpossible with the first of them.
Result<void> strict_check(const CheckReport& report, const CheckRequest& request);

/// Distances of the two skeletons in the files' own poses, and of the weights.
AgainstFigures against_figures(const Rig& rig, const Rig& artist);

}  // namespace sinew
