// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/facing.h"

#include <Eigen/Geometry>
#include <cmath>
#include <optional>

#include "sinew/core/text.h"

namespace sinew {
namespace {

std::optional<Vec3> axis_of(std::string_view word) {
  double sign = 1;
  if (word.starts_with("-") || word.starts_with("+")) {
    sign = word[0] == '-' ? -1 : 1;
    word.remove_prefix(1);
  }
  if (word.size() != 1) return std::nullopt;
  const std::size_t axis = std::string_view("xyz").find(static_cast<char>(word[0] | 0x20));
  if (axis == std::string_view::npos) return std::nullopt;
  return Vec3(sign * Vec3::Unit(static_cast<Eigen::Index>(axis)));
}

Facing filled(Facing facing) {
  if (facing.up.empty()) facing.up = "y";
  if (!facing.front.empty()) return facing;
  const auto up = axis_of(facing.up);
  facing.front = !up || up->z() == 0 ? "z" : up->z() > 0 ? "-y" : "y";
  return facing;
}

}  // namespace

Result<Mat3> turn_of(const Facing& facing) {
  if (!facing.given()) return Mat3(Mat3::Identity());
  const Facing whole = filled(facing);
  const auto up = axis_of(whole.up), front = axis_of(whole.front);
  if (!up) return parameter_error("up", "is '" + printable(whole.up, 40) + "': give x, y, z, -x, -y or -z");
  if (!front)
    return parameter_error("forward", "is '" + printable(whole.front, 40) + "': give x, y, z, -x, -y or -z");
  if (std::abs(up->dot(*front)) > 0.5)
    return parameter_error("forward", "lies along the axis that is up: give another");
  Mat3 from;
  from << up->cross(*front), *up, *front;
  return Mat3(from.transpose());
}

std::string to_text(const Facing& facing) {
  const Facing whole = filled(facing);
  return whole.up + " up, " + whole.front + " forward";
}

bool may_be_z_up(const PolyMesh& mesh) {
  const Box3 box = bounding_box(mesh.positions);
  if (box.isEmpty()) return false;
  const Vec3 size = box.sizes();
  return size.z() > 1.2 * size.y() && std::abs(box.min().z()) < 0.03 * size.z() &&
         std::abs(box.min().y()) > 0.15 * size.y() && std::abs(box.center().y()) < 0.3 * size.y();
}

}  // namespace sinew
