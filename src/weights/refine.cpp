// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/refine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "sinew/mesh/topology.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

constexpr double kShortBone = 4;       // cells
constexpr double kCore = 2, kRim = 6;  // cells around the bones: all new, and nothing new any more
constexpr double kGain = 0.7;          // a piece whose cells are not this much smaller gains nothing
constexpr double kLargestPiece = 0.4;  // of the mesh's diagonal

struct Group {
  std::vector<std::size_t> bones;  // the short ones, then the one that carries them
  std::size_t short_count = 0;
  Box3 box;  // of the short ones
};

// Short bones by the first bone above them that is not short.
std::vector<Group> short_groups(const BindInput& input, double cell) {
  std::map<int, Group> groups;
  const auto is_short = [&](std::size_t b) { return reach_of(input.bones[b]) < kShortBone * cell; };
  for (std::size_t b = 0; b < input.bones.size(); ++b) {
    if (!is_short(b)) continue;
    int above = input.parents[b];
    while (above >= 0 && is_short(static_cast<std::size_t>(above)))
      above = input.parents[static_cast<std::size_t>(above)];
    Group& group = groups[above];
    group.bones.push_back(b);
    group.box.extend(input.bones[b].head);
    for (const Vec3& end : segment_ends(input.bones[b])) group.box.extend(end);
  }
  const double diagonal = bounding_box(input.surface.positions).diagonal().norm();
  std::vector<Group> list;
  for (auto& [above, group] : groups) {
    if (above < 0 || group.bones.size() < 2) continue;
    if (group.box.diagonal().norm() > kLargestPiece * diagonal) continue;
    group.short_count = group.bones.size();
    group.bones.push_back(static_cast<std::size_t>(above));
    list.push_back(std::move(group));
  }
  return list;
}

double distance_to(const Box3& box, const Vec3& p) {
  return std::sqrt(box.squaredExteriorDistance(p));
}

// The triangles around a group that hang together with those nearest to its bones: a thigh beside the hand
// stays out.
std::vector<Triangle> piece_around(const BindInput& input, const Group& group, double reach) {
  std::vector<Triangle> near;
  for (const Triangle& t : input.surface.triangles)
    if (std::all_of(t.begin(), t.end(), [&](std::uint32_t i) {
          return distance_to(group.box, input.surface.positions[i]) < reach;
        }))
      near.push_back(t);
  const Components parts = connected_components(input.surface.positions.size(), FaceList(near));
  std::vector<std::uint8_t> wanted(parts.count, 0);
  for (std::size_t k = 0; k < group.short_count; ++k) {
    const Bone& bone = input.bones[group.bones[k]];
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t part = kNoComponent;
    for (const Triangle& t : near)
      if (const double d = distance_to_bone(bone, input.surface.positions[t[0]]); d < least)
        least = d, part = parts.of_vertex[t[0]];
    if (part != kNoComponent) wanted[part] = 1;
  }
  std::erase_if(near, [&](const Triangle& t) { return !wanted[parts.of_vertex[t[0]]]; });
  return near;
}

ShortBonePatch cut_out(const BindInput& input, const Group& group, const std::vector<Triangle>& triangles) {
  ShortBonePatch piece;
  std::map<std::uint32_t, std::uint32_t> places;
  for (const Triangle& t : triangles) {
    Triangle own;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [place, fresh] = places.try_emplace(t[k], static_cast<std::uint32_t>(places.size()));
      own[k] = place->second;
      if (!fresh) continue;
      piece.positions.push_back(input.surface.positions[t[k]]);
      piece.of_surface.push_back(t[k]);
    }
    piece.triangles.push_back(own);
  }
  piece.of_whole = group.bones;
  piece.short_count = group.short_count;
  piece.box = group.box;
  for (const std::size_t b : group.bones) {
    piece.bones.push_back(input.bones[b]);
    const auto above = std::find(group.bones.begin(), group.bones.end(),
                                 static_cast<std::size_t>(std::max(input.parents[b], 0)));
    const bool inside = input.parents[b] >= 0 && above != group.bones.end();
    piece.parents.push_back(inside ? static_cast<int>(above - group.bones.begin()) : -1);
  }
  return piece;
}

double smooth_step(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// Shares what a row gives to the group's bones anew.
void share_anew(const ShortBonePatch& piece, const BoneWeights& fine, BoneWeights& weights) {
  for (std::size_t i = 0; i < piece.of_surface.size(); ++i) {
    const std::uint32_t v = piece.of_surface[i];
    const double amount = piece.amount_at(piece.positions[i]);
    if (amount <= 0 || !fine.bound[i] || !weights.bound[v]) continue;
    double sum = 0;
    for (const std::size_t b : piece.of_whole) sum += weights.values(v, static_cast<Eigen::Index>(b));
    for (std::size_t k = 0; k < piece.of_whole.size(); ++k) {
      double& value = weights.values(v, static_cast<Eigen::Index>(piece.of_whole[k]));
      value +=
          amount * (sum * fine.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) - value);
    }
  }
}

}  // namespace

double ShortBonePatch::amount_at(const Vec3& p) const {
  return 1 - smooth_step((distance_to(box, p) / cell - kCore) / (kRim - 1 - kCore));
}

bool ShortBonePatch::holds_what_hangs_on_it(std::span<const int> whole) const {
  std::vector<std::uint8_t> inside(whole.size(), 0);
  for (std::size_t k = 0; k < short_count; ++k) inside[of_whole[k]] = 1;
  for (std::size_t bone = 0; bone < whole.size(); ++bone)
    if (whole[bone] >= 0 && inside[static_cast<std::size_t>(whole[bone])] && !inside[bone]) return false;
  return true;
}

bool ShortBonePatch::gains_by(double fine_cell) const {
  return fine_cell <= kGain * cell;
}

std::vector<ShortBonePatch> short_bone_patches(const BindInput& input, double cell) {
  std::vector<ShortBonePatch> patches;
  if (input.parents.size() != input.bones.size()) return patches;
  for (const Group& group : short_groups(input, cell)) {
    ShortBonePatch piece = cut_out(input, group, piece_around(input, group, kRim * cell));
    piece.cell = cell;
    if (!piece.triangles.empty()) patches.push_back(std::move(piece));
  }
  return patches;
}

std::vector<float> short_bone_amounts(const BindInput& input, double cell) {
  std::vector<float> amounts(input.surface.positions.size(), 0.0f);
  for (const ShortBonePatch& piece : short_bone_patches(input, cell))
    for (std::size_t i = 0; i < piece.of_surface.size(); ++i) {
      float& amount = amounts[piece.of_surface[i]];
      amount = std::max(amount, static_cast<float>(piece.amount_at(piece.positions[i])));
    }
  return amounts;
}

Result<RefineReport> refine_short_bones(const BindInput& input, double cell, const SolvePatch& solve,
                                        BoneWeights& weights) {
  RefineReport report;
  report.refined.assign(input.bones.size(), 0);
  for (const ShortBonePatch& piece : short_bone_patches(input, cell)) {
    auto solved = solve(piece);
    if (!solved.ok() && solved.error().code == ErrorCode::kCancelled) return solved.error();
    if (!solved.ok() || !*solved) continue;
    share_anew(piece, **solved, weights);
    ++report.patches;
    for (std::size_t k = 0; k < piece.short_count; ++k) report.refined[piece.of_whole[k]] = 1;
  }
  return report;
}

}  // namespace sinew
