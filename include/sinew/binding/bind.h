// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinew/binding/flesh.h"
#include "sinew/binding/islands.h"
#include "sinew/core/progress.h"
#include "sinew/core/settings.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// How to bind a mesh to its skeleton.
struct BindRequest {
  std::string method = "bbw";  ///< a name of weight_methods()
  Settings settings = {};      ///< of that method, by the names of its table: {{"heat", "visible"}}
  int influences = 4;          ///< maximum influences per vertex, 1 to 64
  int voxels = 0;  ///< cells along the longest side of the solid voxel grid; 0: chosen by the mesh
  /// Also compute joint weights: a method of make_joint_weights, "none", or empty: `method` if that is
  /// elastic, else none. On the same surface and solid voxel grid.
  std::string joint_weights = "none";
  std::optional<FleshRequest> flesh = {};  ///< also compute flesh; islands and progress as below
  IslandRequest islands = {};              ///< clothes, eyes, weapons: what follows the body, what is rigid
  /// Joints that get weights though the rig's own weights leave them out (controls, poles, targets, roots);
  /// "all": every joint that deforms. A rig without weights binds to all.
  std::vector<std::string> added_joints = {};
  std::vector<std::string> locked_joints = {};    ///< their weights are kept
  std::vector<std::size_t> locked_vertices = {};  ///< so are those of these vertices
  /// Method of endpoint weights: a name of endpoint_names(), "painted" (the rig's own) or "none"; empty: the
  /// rig's own if it has some, else none.
  std::string endpoint = {};
  /// The same, separately for twist; empty: the rig's own if `endpoint` keeps the others, too, else none:
  /// twist uses those of `endpoint`.
  std::string endpoint_twist = {};
  bool strict = false;  ///< any fallback is an error
  const Progress* progress = nullptr;
};

/// What was done, and what had to be repaired. Counts are of stored vertices.
struct BindReport {
  std::string method;
  double seconds = 0;
  std::size_t vertices = 0, bones = 0;
  std::size_t unweighted = 0;  ///< 0 after every binding that returned
  double max_row_error = 0, min = 0, max = 0;
  std::size_t islands = 0;            ///< connected pieces after welding
  std::size_t layers = 0, rigid = 0;  ///< islands that follow the body beneath them; that one joint moves
  std::size_t idle_joints = 0;        ///< joints that got no bone, as the rig's own weights leave them out
  std::size_t filled = 0;             ///< vertices that the method could not bind; bound by the fallback
  std::size_t clamped = 0;            ///< values clamped to [0, 1]
  double pruning_error = 0;  ///< largest sum of weights that pruning to `influences` removed from a vertex
  struct PrunedJoint {
    std::string joint;
    double largest = 0;        ///< its largest loss at a vertex
    std::size_t vertices = 0;  ///< those where it lost more than 5 %
  };
  std::vector<PrunedJoint> pruned;  ///< joints for which `influences` are too few, largest loss first
  std::size_t voxels = 0;           ///< cells of the solid voxel grid, where one was made
  int iterations = 0;
  std::optional<FleshReport> flesh = {};
  std::vector<std::string> warnings;  ///< one sentence per repair
};

/// Computes rig.weights for every vertex from rig.mesh and the rig's deforming joints in bind space. Every
/// vertex gets weights that sum to 1. Cost: milliseconds (heat, envelope) to seconds (bbw, elastic), growing
/// with bones times vertices or cells; docs/results.md has figures.
/// @param rig      mesh and skeleton; receives the weights; unchanged on failure
/// @param request  method, influences, locks
/// @return kBadInput: no usable triangle. kImpossible: no joint deforms, or `strict` and a fallback was needed.
///         kUsage: unknown names or settings. kCancelled: by `request.progress`.
Result<BindReport> bind(Rig& rig, const BindRequest& request);

/// Fills `report.pruned` with the joints that lost weight by pruning, and adds a warning for large losses.
void note_pruned(const Rig& rig, const SkinWeights& before, const SkinWeights& after, BindReport& report);

/// kUsage unless it is a valid number of influences, 1 to 64.
Result<void> check_influences(int influences);

/// "projection, inverse-distance, ...": for help and messages.
std::string endpoint_names();

/// Replaces the rig's skeleton by this one in its rest pose (the bind pose of the mesh as it is); old weights
/// go. Clips are carried over by the names of joints (skeleton/carry_clip.h); one that moves other joints for
/// the most part keeps its place and its shape keys alone.
void set_skeleton(Rig& rig, Skeleton skeleton);

}  // namespace sinew
