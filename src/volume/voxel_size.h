// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/volume/voxelize.h"
#include "volume/oriented_soup.h"

namespace sinew {

VoxelSize choose_voxel_size(const OrientedSoup& soup, const Box3& box, const VoxelizeOptions& options);

}  // namespace sinew
