// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/mirror.h"

#include <cctype>
#include <cmath>
#include <string>

#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/mesh/bvh.h"
#include "weights/sparse_rows.h"

namespace sinew {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// Replaces `from` by `to` once, where it stands as a word of its own or (for long words) in camel case; empty
// where it does not.
std::string swap_word(const std::string& name, const std::string& from, const std::string& to) {
  for (std::size_t at = name.find(from); at != std::string::npos; at = name.find(from, at + 1)) {
    const std::size_t end = at + from.size();
    const bool starts = at == 0 || !is_letter(name[at - 1]);
    const bool ends = end == name.size() || !is_letter(name[end]);
    if (from.size() > 1 ? starts || std::isupper(static_cast<unsigned char>(from[0])) : starts && ends)
      return name.substr(0, at) + to + name.substr(end);
  }
  return {};
}

std::string other_side(const std::string& name) {
  static constexpr std::pair<const char*, const char*> kSides[] = {
      {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}, {"L", "R"}, {"l", "r"}};
  for (const auto& [left, right] : kSides) {
    if (std::string swapped = swap_word(name, left, right); !swapped.empty()) return swapped;
    if (std::string swapped = swap_word(name, right, left); !swapped.empty()) return swapped;
  }
  return {};
}

// The joint of exactly that name; -1: none.
int joint_named(const Skeleton& skeleton, const std::string& name) {
  if (name.empty()) return -1;
  for (std::size_t j = 0; j < skeleton.size(); ++j)
    if (skeleton[j].name == name) return static_cast<int>(j);
  return -1;
}

Vec3 reflect(Vec3 p, int axis, double centre) {
  p[axis] = 2 * centre - p[axis];
  return p;
}

}  // namespace

double mirror_plane(MeshView mesh, const Skeleton& skeleton, std::span<const Affine3> globals, int axis) {
  double sum = 0;
  int count = 0;
  for (std::size_t j = 0; j < skeleton.size(); ++j)
    if (joint_named(skeleton, other_side(skeleton[j].name)) >= 0)
      sum += globals[j].translation()[axis], ++count;
  return count > 0 ? sum / count : bounding_box(mesh.positions).center()[axis];
}

std::vector<int> mirror_joints(const Skeleton& skeleton, std::span<const Affine3> globals, int axis,
                               double centre, double tolerance) {
  std::vector<int> partner(skeleton.size(), -1);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    partner[j] = joint_named(skeleton, other_side(skeleton[j].name));
    if (partner[j] >= 0) continue;
    const Vec3 image = reflect(globals[j].translation(), axis, centre);
    double least = tolerance;
    for (std::size_t k = 0; k < skeleton.size(); ++k) {
      // Itself first, so that a chain of joints in the middle does not swap.
      const double d = (globals[k].translation() - image).norm() * (k == j ? 0.5 : 1);
      if (d <= least) least = d, partner[j] = static_cast<int>(k);
    }
  }
  return partner;
}

Result<Mirrored> mirror_weights(MeshView mesh, const SkinWeights& weights, const Skeleton& skeleton,
                                std::span<const Affine3> globals, const MirrorOptions& options) {
  Mirrored result;
  const double diagonal = bounding_box(mesh.positions).diagonal().norm();
  result.centre = mirror_plane(mesh, skeleton, globals, options.axis);
  result.partner = mirror_joints(skeleton, globals, options.axis, result.centre, 0.02 * diagonal);
  for (const Influence& influence : weights.entries)
    if (result.partner[influence.joint] < 0)
      return impossible(
          "joint '" + printable(skeleton[influence.joint].name) +
          "' has no counterpart on the other side, neither by name (Left/Right, L/R) nor by position");
  const Bvh bvh(mesh);
  if (bvh.empty()) return impossible("the mesh has no faces to mirror");

  std::vector<std::vector<Influence>> rows(mesh.positions.size());
  std::vector<std::uint8_t> kind(mesh.positions.size(), 0);
  parallel_for(rows.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3& p = mesh.positions[i];
      const double side = (p[options.axis] - result.centre) * (options.from_positive ? 1 : -1);
      add_scaled(weights.row(i), 1, rows[i]);
      if (side > options.tolerance * diagonal) continue;
      kind[i] = side < -options.tolerance * diagonal ? 1 : 2;
      const NearestPoint nearest = bvh.nearest(reflect(p, options.axis, result.centre));
      auto image = interpolate(weights, mesh.triangles[nearest.triangle], nearest.barycentric);
      for (Influence& influence : image)
        influence.joint = static_cast<std::uint32_t>(result.partner[influence.joint]);
      if (kind[i] == 1) rows[i].clear();
      add_scaled(image, 1, rows[i]);
      normalise(rows[i]);
    }
  });
  result.weights.offsets.assign(1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.copied += kind[i] == 1;
    result.middle += kind[i] == 2;
    result.weights.add_row(rows[i]);
  }
  return result;
}

}  // namespace sinew
