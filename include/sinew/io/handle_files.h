// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/rig/handles.h"

namespace sinew {

/// Where handles are to go: vertices, point handles, or both.
struct HandleFile {
  std::vector<VertexTarget> vertices;
  std::vector<HandleTarget> points;
};

/// [{"vertex":I,"position":[x,y,z]}] and [{"handle":H,"position":[x,y,z],"rotation":[x,y,z,w]}]; a rotation
/// may be left out and need not have unit length. kBadInput naming file and entry.
Result<HandleFile> read_handle_json(std::string_view bytes, std::string_view name);

}  // namespace sinew
