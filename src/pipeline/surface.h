// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/mesh/weld.h"
#include "sinew/rig/rig.h"
#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

// The surface of a rig as the methods want it: welded, in bind space, with its bones.
struct Surface {
  WeldedTriangles welded;
  std::vector<Bone> bones;
  std::vector<int> parents;  // per bone
  BindInput input() const { return {welded.view(), bones, parents}; }
};
// kImpossible: no joint deforms. kBadInput: no usable triangle.
Result<Surface> make_surface(const Rig& rig);

// The voxels of a surface and the bones in them.
struct RigBody {
  VoxelBody body;
  HandleMap handles;
};
Result<RigBody> make_body(const Surface& surface, int voxels, const Progress* progress);

}  // namespace sinew
