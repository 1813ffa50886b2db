// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/skeleton/clip.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

struct SkeletonFile {
  Skeleton skeleton;
  std::vector<Clip> clips;  // a .bvh has one
  std::vector<std::string> notes;
};

// `name` is the file's name for messages; all failures are kBadInput and say the place and what to do.
Result<SkeletonFile> read_bvh(std::string_view bytes, std::string_view name);
Result<SkeletonFile> read_tgf(std::string_view bytes, std::string_view name);
// {"joints":[{"name","parent":INDEX or -1,"head":[x,y,z],"tail":[x,y,z]}]}, other keys ignored; axes parallel to the world's.
Result<SkeletonFile> read_skeleton_json(std::string_view bytes, std::string_view name);

}  // namespace sinew
