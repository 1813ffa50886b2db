// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/io/asset.h"
#include "sinew/mesh/topology.h"

namespace sinew {

/// What `sinew info` tells about a file. Nothing of its stack is built or run for it.
struct AssetReport {
  MeshReport mesh;
  std::vector<std::string> joint_names;  ///< different joint nodes, in order of first use
  /// The joint above each of joint_names, or -1; the vertices that each carries, and the sum of their weights.
  std::vector<int> joint_parents;
  std::vector<std::size_t> joint_vertices;
  std::vector<double> joint_sums;
  std::vector<std::string> clip_names, key_names;
  std::vector<double> clip_seconds;
  std::vector<std::string> materials;  ///< of a glTF, by name; nameless: "material3"
  /// Of a motion without a mesh (.bvh): 0 frames where the file is none.
  std::size_t motion_frames = 0;
  double motion_fps = 0;
  std::string joint_weights;     ///< the method of the joint-based deformers' weights; empty: there are none
  std::optional<double> flesh;   ///< the tolerance that it was made for; none: there is no flesh
  std::size_t flesh_fields = 0;  ///< joints with corrective fields
  std::string endpoint;          ///< the method of the endpoint weights; empty: there are none
  bool endpoint_twist = false;   ///< twist has its own
  std::size_t influences = 0;    ///< most joints of a vertex
  std::size_t unweighted = 0;    ///< vertices of skinned parts that no joint carries
  double max_row_error = 0;      ///< largest |sum - 1| of a skinned vertex
  Box3 box;                      ///< of the vertices in the file's own pose
};
Result<AssetReport> inspect(const Asset& asset);

}  // namespace sinew
