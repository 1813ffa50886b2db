// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/skeleton/humanoid.h"

namespace sinew {

/// Joint axes at rest, as programs have them; y is up in the file:
/// - bone: Blender, Mixamo and Maya: y along the bone, x the axis about which it bends (see bone_axes);
/// - godot: those of SkeletonProfileHumanoid: y along the bone, z where a positive angle about x bends it: arms
///   down, elbows and thighs to the front, shins back, fingers into the palm;
/// - unreal: those of the mannequin, once Unreal has exchanged y and z on import: x along the bone (of the right
///   arm and the left leg against it), y the axis about which spine, limbs and fingers bend, so that a positive
///   angle in Unreal bends them: spine and elbows to the front, legs back, fingers into the palm. A foot goes on
///   as the shin does.
/// Of mirrored joints the same angles make mirrored poses.
std::span<const char* const> axes_names();
/// "bone, godot or unreal": for help and messages.
std::string axes_list();

/// Those axes for joints that lie at `globals`, at rest: a rotation per joint. Joints of the humanoid turn as its
/// bones lie, by the smallest rotation from a T pose; all others, and all where there is no humanoid, have
/// bone_axes (of unreal: its y as x). kUsage: no such axes. O(joints).
Result<std::vector<Mat3>> convention_axes(const Skeleton& skeleton, std::span<const Affine3> globals,
                                          const std::optional<Humanoid>& human, std::string_view name);

}  // namespace sinew
