// SPDX-License-Identifier: Apache-2.0
#include "pipeline/check_chains.h"

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
using Borders = std::map<std::pair<int, int>, std::size_t>;

std::vector<int> main_joints(const Rig& rig, const Surface& surface) {
  std::vector<int> joints;
  for (const std::uint32_t i : surface.welded.weld.representative) {
    const auto row = rig.weights.row(i);
    joints.push_back(row.empty() || row[0].joint >= surface.bones.size() ? -1
                                                                         : static_cast<int>(row[0].joint));
  }
  return joints;
}

Borders borders_of(const Surface& surface, std::span<const int> main) {
  Borders borders;
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

// Per bone the one that it hangs on: its own parent, or, where the skin of no joint above it borders on its
// own, the one that borders on it most; of two trees of joints the smaller one hangs on the larger.
std::vector<int> skin_parents(const Surface& surface, std::span<const int> main, const Borders& borders) {
  std::vector<int> parents = surface.parents;
  const auto carried = [&](int joint) {
    return std::count_if(main.begin(), main.end(),
                         [&](int m) { return m >= 0 && is_below(parents, m, joint); });
  };
  for (int j = 0; j < static_cast<int>(parents.size()); ++j) {
    bool held = false;
    for (int a = parents[static_cast<std::size_t>(j)]; a >= 0 && !held;
         a = parents[static_cast<std::size_t>(a)])
      held = borders.count({j, a}) > 0;
    if (held) continue;
    int best = -1;
    std::size_t most = 0;
    for (const auto& [pair, count] : borders)
      if (pair.first == j && count > most && !is_below(parents, pair.second, j)) {
        most = count;
        best = pair.second;
      }
    if (best >= 0 && carried(j) < carried(root_of(parents, best)))
      parents[static_cast<std::size_t>(j)] = best;
  }
  return parents;
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
