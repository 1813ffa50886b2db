// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "sinew/io/looks.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Text of a USD layer with a rig as UsdSkel has it: one SkelRoot with a Skeleton, a Mesh for each part, its
/// influences, BlendShapes, a SkelAnimation for each clip, sampled at `fps` frames a second (the first one is
/// bound), and UsdPreviewSurface materials. Polygons stay polygons; y is up, units are metres. A rig without
/// joints and shape keys is a plain Xform. Names become identifiers; joints keep theirs in `jointNames`. Scale is
/// taken out of the joints' rest frames, since UsdSkel animates it in half precision. `image_files`: the file of
/// each image of `looks`, as the layer names it. Data of sinew's own deformers is left out.
std::string write_usda(const Rig& rig, const Looks& looks, std::span<const std::string> image_files,
                       double fps = 30);

}  // namespace sinew
