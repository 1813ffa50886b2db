// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/skin_chains.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sinew/binding/surface.h"
#include "sinew/core/text.h"
#include "sinew/measure/weight_faults.h"
#include "sinew/mesh/topology.h"
#include "sinew/rig/copies.h"

namespace sinew {
namespace {

constexpr double kPastMiddle = 1.6;    // where a bone ends: of the way to the middle of its vertices
constexpr double kNoWay = 0.005;       // of the diagonal
constexpr std::size_t kMostNamed = 5;  // joints in a warning

// How often the skins of two joints meet, by the joint that has most of each vertex; -1: none.
using SkinBorders = std::map<std::pair<int, int>, std::size_t>;

std::vector<int> main_joints(const Rig& rig, const Surface& surface) {
  std::vector<int> joints;
  for (const std::uint32_t i : surface.welded.weld.representative) {
    const auto row = rig.weights.row(i);
    int joint = row.empty() ? -1 : static_cast<int>(row[0].joint);
    while (joint >= static_cast<int>(surface.bones.size()))  // a rigid part
      joint = rig.skeleton[static_cast<std::size_t>(joint)].parent;
    joints.push_back(joint);
  }
  return joints;
}

SkinBorders borders_of(const Surface& surface, std::span<const int> main) {
  SkinBorders borders;
  const MeshView mesh = surface.welded.view();
  const auto add = [&](int a, int b) {
    if (a < 0 || b < 0 || a == b) return;
    ++borders[{a, b}];
    ++borders[{b, a}];
  };
  for (const auto& [a, b] : edge_table(mesh.positions.size(), mesh.triangles).ends) add(main[a], main[b]);
  for (const IslandContact& contact : island_contacts(mesh))
    add(main[contact.vertex], main[mesh.triangles[contact.triangle][0]]);
  return borders;
}

bool is_below(std::span<const int> parents, int joint, int above) {
  for (; joint >= 0; joint = parents[static_cast<std::size_t>(joint)])
    if (joint == above) return true;
  return false;
}

int root_of(std::span<const int> parents, int joint) {
  while (parents[static_cast<std::size_t>(joint)] >= 0) joint = parents[static_cast<std::size_t>(joint)];
  return joint;
}

// Whether the skin of a joint above it borders on its own.
bool is_held(std::span<const int> parents, const SkinBorders& borders, int joint) {
  for (int a = parents[static_cast<std::size_t>(joint)]; a >= 0; a = parents[static_cast<std::size_t>(a)])
    if (borders.count({joint, a}) > 0) return true;
  return false;
}

// The root of the tree that moves most vertices.
int main_root(std::span<const int> parents, std::span<const int> main) {
  std::vector<std::size_t> carried(parents.size(), 0);
  for (const int joint : main)
    if (joint >= 0) ++carried[static_cast<std::size_t>(root_of(parents, joint))];
  return static_cast<int>(std::max_element(carried.begin(), carried.end()) - carried.begin());
}

// Per bone the one that it hangs on: its own parent, or, where the skin of no joint above it borders on its
// own, one of the main tree. The tree that moves most grows by the joint that borders on it most, until none
// does: of a hand whose joints are all roots, from the wrist to the tips.
std::vector<int> skin_parents(const Surface& surface, std::span<const int> main, const SkinBorders& borders) {
  std::vector<int> parents = surface.parents;
  const int root = main_root(parents, main);
  while (true) {
    int best = -1, above = -1;
    std::size_t most = 0;
    for (const auto& [pair, count] : borders) {
      const auto [joint, other] = pair;
      if (count <= most || joint == root || is_below(parents, other, joint)) continue;
      if (is_held(parents, borders, joint) || !is_below(parents, other, root)) continue;
      most = count;
      best = joint;
      above = other;
    }
    if (best < 0) return parents;
    parents[static_cast<std::size_t>(best)] = above;
  }
}

}  // namespace

Result<Rig> as_chains(const Rig& rig, std::vector<std::string>& warnings) {
  SINEW_TRY(const Surface surface, make_surface(rig));
  const std::vector<Affine3> bind = bind_transforms(rig);
  const double diagonal = bounding_box(rig.mesh.positions).diagonal().norm();
  const std::vector<int> main = main_joints(rig, surface);
  std::vector<int> parents = surface.parents;
  if (copies_of(rig).empty()) parents = skin_parents(surface, main, borders_of(surface, main));
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  std::vector<std::string> moved;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (parents[j] == surface.parents[j]) continue;
    joints[j].parent = parents[j];
    joints[j].rest_local = bind[static_cast<std::size_t>(parents[j])].inverse() * bind[j];
    joints[j].rest_parts.reset();
    moved.push_back(fmt::format("{} ({})", printable(surface.names[j], 40),
                                printable(surface.names[static_cast<std::size_t>(parents[j])], 40)));
  }
  if (!moved.empty()) {
    std::string list;
    for (std::size_t k = 0; k < std::min(moved.size(), kMostNamed); ++k)
      list += (k == 0 ? "" : ", ") + moved[k];
    if (moved.size() > kMostNamed) list += ", ...";
    warnings.push_back(
        fmt::format("{} {} on a control; checked as if on the joint whose skin it borders on: {}",
                    moved.size(), moved.size() == 1 ? "joint hangs" : "joints hang", list));
  }
  std::vector<Vec3> sum(parents.size(), Vec3::Zero());
  std::vector<double> weight(parents.size(), 0);
  for (std::size_t i = 0; i < main.size(); ++i)
    for (const Influence& influence : rig.weights.row(surface.welded.weld.representative[i]))
      if (influence.joint < parents.size()) {
        sum[influence.joint] += influence.weight * surface.welded.weld.positions[i];
        weight[influence.joint] += influence.weight;
      }
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const bool ends = std::find(parents.begin(), parents.end(), static_cast<int>(j)) == parents.end();
    if (!ends || joints[j].tail || !(weight[j] > 0)) continue;
    const Vec3 head = surface.bones[j].head, way = sum[j] / weight[j] - head;
    if (way.norm() > kNoWay * diagonal) joints[j].tail = bind[j].inverse() * (head + kPastMiddle * way);
  }
  Rig chains = rig;
  SINEW_TRY(chains.skeleton, Skeleton::create(std::move(joints)));
  return chains;
}

}  // namespace sinew
