// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/autorig/find_skeleton.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// The names of the built-in templates.
std::span<const char* const> template_list();
/// "biped, quadruped, hand, ...": for help and messages.
std::string template_names();

/// "of the template 'biped'" or "without a template": behind a number of joints.
std::string describe_template(const FoundSkeleton& found);

/// How a mesh is to get its skeleton, as a user says it.
struct SkeletonRequest {
  std::string
      skeleton_template;  ///< a name of template_names(), none (by the curves alone) or a rigged file; empty: the one that fits best
  std::string axes = "bone";           ///< or world: the axes of joints, see with_axes
  std::string root = "none";           ///< or ground: whether bodies get a joint on the ground, see with_root
  bool rings = true;                   ///< by the rings of a mesh of quads, where they come out
  bool volume = false;                 ///< through the voxel body at once
  std::vector<std::size_t> tips = {};  ///< vertices that are the body's tips; empty: found
  std::size_t joints = 0;              ///< about how many; 0: as many as come out
  const Progress* progress = nullptr;
};

/// The template that a rigged mesh is, or bones alone: around those a body is made up.
Result<SkeletonTemplate> template_of(const std::string& name, const Rig& rig,
                                     const Progress* progress = nullptr);

/// Built-in templates are data of the library, made from the built-in characters (./dev templates). kUsage: no
/// such template and no such file. A file needs a mesh and joints (.glb, .gltf), or joints alone (.bvh, .tgf,
/// .json), around whose bones a body is made up. Empty: all that are bodies, without arm and cylinder; none: no
/// template.
Result<std::vector<SkeletonTemplate>> skeleton_templates(const std::string& name_or_file,
                                                         const Progress* progress = nullptr);

/// The skeleton with axes that follow its bones ("bone", see skeleton/rest_axes.h) or as it is ("world": what
/// is found has all joints parallel to the body). kUsage: another word.
Result<Skeleton> with_axes(const Skeleton& skeleton, const std::string& axes);

/// The skeleton with a joint on the ground below the body, which game engines move it by (see
/// skeleton/ground_root.h), where `root` is "ground"; hands, arms and cylinders are no bodies and get none. "none": as it
/// is. kUsage: another word.
Result<FoundSkeleton> with_root(FoundSkeleton found, const std::string& root, std::span<const Vec3> positions,
                                const Mat3& body);

/// Finds the skeleton of a mesh, or of one mesh in several poses (the same vertices; the first is the one that
/// the skeleton is for: where a limb bends more in another, its joint goes to that ring). Errors as of
/// find_skeleton; kUsage where poses do not have the same vertices.
Result<FoundSkeleton> auto_skeleton(std::span<const PolyMesh* const> poses, const SkeletonRequest& request);

}  // namespace sinew
