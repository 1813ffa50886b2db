// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/convention_axes.h"

#include <fmt/format.h>

#include <array>

#include "sinew/core/text.h"
#include "sinew/math/quaternion.h"
#include "sinew/skeleton/rest_axes.h"

namespace sinew {
namespace {

using H = HumanJoint;

constexpr std::array<const char*, 3> kAxesNames = {"bone", "godot", "unreal"};

// Directions of a body in a T pose: left (of a left limb: out), up, front.
struct Way {
  double left, up, front;
};
constexpr Way kOut = {1, 0, 0}, kUp = {0, 1, 0}, kDown = {0, -1, 0}, kFront = {0, 0, 1}, kBack = {0, 0, -1};
constexpr Way kThumbAlong = {0.816, 0, 0.577}, kThumbBends = {0.577, 0, -0.816};

// Where a bone points in a T pose, and where a positive angle bends it.
struct JointWays {
  H joint;  // of the middle or the left
  Way along, godot, unreal;
};
constexpr JointWays kWays[] = {{H::kHips, kUp, kFront, kFront},
                               {H::kSpine, kUp, kFront, kFront},
                               {H::kChest, kUp, kFront, kFront},
                               {H::kUpperChest, kUp, kFront, kFront},
                               {H::kNeck, kUp, kFront, kFront},
                               {H::kHead, kUp, kFront, kFront},
                               {H::kLeftShoulder, kOut, kUp, kFront},
                               {H::kLeftUpperArm, kOut, kDown, kFront},
                               {H::kLeftLowerArm, kOut, kFront, kFront},
                               {H::kLeftHand, kOut, kDown, kDown},
                               {H::kLeftUpperLeg, kDown, kFront, kBack},
                               {H::kLeftLowerLeg, kDown, kBack, kBack},
                               {H::kLeftFoot, kFront, kUp, kBack},
                               {H::kLeftToes, kFront, kDown, kDown},
                               {H::kLeftThumb1, kThumbAlong, kThumbBends, kThumbBends},
                               {H::kLeftThumb2, kThumbAlong, kThumbBends, kThumbBends},
                               {H::kLeftThumb3, kThumbAlong, kThumbBends, kThumbBends},
                               {H::kLeftIndex1, kOut, kDown, kDown},
                               {H::kLeftIndex2, kOut, kDown, kDown},
                               {H::kLeftIndex3, kOut, kDown, kDown},
                               {H::kLeftMiddle1, kOut, kDown, kDown},
                               {H::kLeftMiddle2, kOut, kDown, kDown},
                               {H::kLeftMiddle3, kOut, kDown, kDown},
                               {H::kLeftRing1, kOut, kDown, kDown},
                               {H::kLeftRing2, kOut, kDown, kDown},
                               {H::kLeftRing3, kOut, kDown, kDown},
                               {H::kLeftLittle1, kOut, kDown, kDown},
                               {H::kLeftLittle2, kOut, kDown, kDown},
                               {H::kLeftLittle3, kOut, kDown, kDown}};

bool is_middle(H joint) {
  return joint <= H::kHead;
}
bool is_leg(H joint) {
  return joint >= H::kLeftUpperLeg && joint <= H::kRightToes;
}
H other_side(H left) {
  return left >= H::kLeftThumb1 ? static_cast<H>(static_cast<int>(left) + 15) : on_side(left, 1);
}

Mat3 columns(const Vec3& x, const Vec3& y, const Vec3& z) {
  Mat3 axes;
  axes << x, y, z;
  return axes;
}

// Axes of a bone along `y` that a positive angle bends towards `z`; sign: along x, or against it.
Mat3 unreal_axes(const Vec3& along, const Vec3& bends, double sign) {
  return columns(sign * along, bends.cross(along), sign * bends);
}

}  // namespace

std::span<const char* const> axes_names() {
  return kAxesNames;
}

std::string axes_list() {
  return "bone, godot or unreal";
}

Result<std::vector<Mat3>> convention_axes(const Skeleton& skeleton, std::span<const Affine3> globals,
                                          const std::optional<Humanoid>& human, std::string_view name) {
  const bool unreal = name == "unreal";
  if (!unreal && name != "bone" && name != "godot")
    return parameter_error("axes", fmt::format("is '{}': give {}", printable(name), axes_list()));
  const Mat3 body = human ? human->axes : Mat3(Mat3::Identity());
  const std::vector<Mat3> bones = bone_axes(skeleton, globals, body);
  std::vector<Mat3> axes = bones;
  if (unreal)
    for (Mat3& own : axes) own = unreal_axes(own.col(1), own.col(2), 1);
  if (!human || name == "bone") return axes;
  for (const JointWays& ways : kWays)
    for (int side = 0; side < (is_middle(ways.joint) ? 1 : 2); ++side) {
      const int joint = (*human)[side == 0 ? ways.joint : other_side(ways.joint)];
      if (joint < 0) continue;
      const auto direction = [&](const Way& way) {
        return Vec3(body * Vec3(side == 0 ? way.left : -way.left, way.up, way.front));
      };
      // The mannequin's feet do not point to the toes but as shins do.
      const bool as_shin = unreal && ways.joint == H::kLeftFoot;
      const int bone = as_shin ? (*human)[on_side(H::kLeftLowerLeg, side)] : joint;
      const Vec3 usual = direction(as_shin ? kDown : ways.along);
      const Vec3 along = bone < 0 ? usual : Vec3(bones[static_cast<std::size_t>(bone)].col(1));
      const Vec3 bends = least_rotation(usual, along) * direction(unreal ? ways.unreal : ways.godot);
      const double sign = is_middle(ways.joint) || is_leg(ways.joint) == (side == 1) ? 1 : -1;
      axes[static_cast<std::size_t>(joint)] =
          unreal ? unreal_axes(along, bends, sign) : columns(along.cross(bends), along, bends);
    }
  return axes;
}

}  // namespace sinew
