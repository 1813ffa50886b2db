// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sinew/binding/flesh.h"
#include "sinew/core/progress.h"
#include "sinew/core/settings.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// How a mesh is to be tied to its skeleton, as a user says it.
struct BindRequest {
  std::string method = "bbw";  ///< a name of weight_methods()
  Settings settings = {};      ///< of that method, by the names of its table: {{"heat", "visible"}}
  int influences = 4;          ///< joints a vertex keeps at most
  int voxels = 0;              ///< cells along the longest side of the voxel body; 0: chosen by the mesh
  /// What makes joint weights beside: a method of make_joint_weights, or none, or empty: `method` where that
  /// is elastic, else none. On the same surface and voxel body.
  std::string joint_weights = "none";
  std::optional<FleshRequest> flesh = {};  ///< also make flesh; its islands and progress are those below
  bool follow = true;                      ///< small islands near the body move with the body under them
  std::vector<std::size_t> linked =
      {};  ///< islands (numbered by size, the body is 0) that follow whatever their size
  std::vector<std::string> locked_joints = {};    ///< their weights stay as the file has them
  std::vector<std::size_t> locked_vertices = {};  ///< so do these rows
  /// How endpoint weights are made: a name of endpoint_names(), "painted" (those of the file) or "none";
  /// empty: those of the file where it has some, else none.
  std::string endpoint = {};
  /// The same for those of twist alone; empty: those of the file where `endpoint` keeps its others, too, else
  /// none, which is as `endpoint`.
  std::string endpoint_twist = {};
  bool strict = false;  ///< any fallback is an error
  const Progress* progress = nullptr;
};

/// What was done, and what had to be mended on the way. Counts are of stored vertices.
struct BindReport {
  std::string method;
  double seconds = 0;
  std::size_t vertices = 0, bones = 0;
  std::size_t unweighted = 0;  ///< 0 after every binding that returned
  double max_row_error = 0, min = 0, max = 0;
  std::size_t islands = 0;    ///< connected pieces after welding
  std::size_t following = 0;  ///< islands that move with the body under them
  std::size_t filled = 0;     ///< vertices that the method could not bind and the fallback did
  std::size_t clamped = 0;    ///< values put into [0, 1]
  double pruning_error = 0;   ///< largest sum of weights that `influences` took from joints of a vertex
  struct PrunedJoint {
    std::string joint;
    double largest = 0;        ///< most that it lost at a vertex
    std::size_t vertices = 0;  ///< stored ones where it lost more than 5 %
  };
  std::vector<PrunedJoint> pruned;  ///< joints for which `influences` are too few, largest loss first
  std::size_t voxels = 0;           ///< cells of the voxel body, where one was made
  int iterations = 0;
  std::optional<FleshReport> flesh = {};
  std::vector<std::string> warnings;  ///< each repair in a sentence
};

/// Gives rig.weights for every vertex from rig.mesh and the rig's deforming joints in bind space. Never leaves
/// a vertex without weights. kBadInput: no usable triangle. kImpossible: no joint deforms, or `strict` and a
/// fallback was needed. kUsage: unknown names. The rig is unchanged on failure.
Result<BindReport> bind(Rig& rig, const BindRequest& request);

/// Says in `report.pruned`, and in a note where a joint lost much, what pruning took from which joints.
void note_pruned(const Rig& rig, const SkinWeights& before, const SkinWeights& after, BindReport& report);

/// kUsage where it is no number of joints that a vertex can keep.
Result<void> check_influences(int influences);

/// "projection, inverse-distance, ...": for help and messages.
std::string endpoint_names();

/// Replaces the rig's skeleton by this one in its rest pose (the bind pose of the mesh as it is); old weights
/// go. Clips are carried over by the names of joints (skeleton/carry_clip.h); one that moves other joints for
/// the most part keeps its place and its shape keys alone.
void set_skeleton(Rig& rig, Skeleton skeleton);

}  // namespace sinew
