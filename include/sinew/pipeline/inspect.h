// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/io/asset.h"
#include "sinew/mesh/topology.h"

namespace sinew {

// What `sinew info` tells about a file.
struct AssetReport {
  MeshReport mesh;
  std::vector<std::string> joint_names;  // different joint nodes, in order of first use
  std::vector<std::string> clip_names, key_names;
  std::size_t influences = 0;  // most joints of a vertex
  std::size_t unweighted = 0;  // vertices of skinned parts that no joint carries
  double max_row_error = 0;    // largest |sum - 1| of a skinned vertex
  Box3 box;                    // of the vertices in the file's own pose
};
Result<AssetReport> inspect(const Asset& asset);

}  // namespace sinew
