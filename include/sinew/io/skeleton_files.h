// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sinew/skeleton/clip.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// The result of read_bvh().
struct SkeletonFile {
  Skeleton skeleton;
  std::vector<Clip> clips;  ///< a .bvh has one
  std::vector<std::string> warnings;
};

/// `name` is the file's name for messages; all failures are kBadInput and say the place and what to do.
/// Joints in the order of the file, rest pose = offsets, tails from the End Sites. The clip is named after the
/// file's stem; rotations are multiplied in channel order, positions of a root are absolute, positions below
/// it absolute or added to the offset, whichever the first frame is nearer to. Fails on values that are not
/// finite and on fewer frames than said.
Result<SkeletonFile> read_bvh(std::string_view bytes, std::string_view name);
/// One joint a bone, in the order of the file and named joint1, joint2, ...: its head is the bone's first
/// point, its tail the second, its parent the bone that ends at the first. Where several bones begin at a
/// root, a joint that does not deform (root1, ...) carries them. Bones that point towards the root are turned
/// round; a ring of bones fails.
Result<SkeletonFile> read_tgf(std::string_view bytes, std::string_view name);
/// {"joints":[{"name","parent":INDEX or -1,"head":[x,y,z],"tail":[x,y,z]}]}, other keys ignored; axes parallel
/// to the world's.
Result<SkeletonFile> read_skeleton_json(std::string_view bytes, std::string_view name);

}  // namespace sinew
