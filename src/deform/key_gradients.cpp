// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

#include "sinew/core/parallel.h"
#include "sinew/deform/differential_keys.h"
#include "sinew/math/polar.h"
#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr std::uint32_t kNone = 0xffffffffu;

// The rotation vector of the same rotation that lies nearest to `other`: any number of turns more or less.
Vec3 nearest_turn(const Vec3& vector, const Vec3& other) {
  const double angle = vector.norm();
  // So little turned, the axis is noise: take whole turns about the neighbour's.
  if (angle < 1e-2) {
    const double around = other.norm();
    return around < kTurn / 2 ? vector : Vec3(vector + std::round(around / kTurn) * kTurn / around * other);
  }
  const Vec3 axis = vector / angle;
  return vector + std::round((other.dot(axis) - angle) / kTurn) * kTurn * axis;
}

struct Split {
  Vec3 rotation = Vec3::Zero();
  Mat3 stretch = Mat3::Identity();
};

Split split(const Mat3& gradient) {
  const Polar polar = polar_decomposition(gradient);
  return {log_rotation(Quat(polar.rotation).normalized()), polar.stretch};
}

// Rotation vectors of triangles run on over shared edges, least jumps first, from the triangle of each
// component that is turned least.
void unwind(const IndexLists& neighbours, std::span<Split> splits) {
  struct Step {
    double jump;
    std::uint32_t from, to;
    bool operator<(const Step& other) const { return jump != other.jump ? jump > other.jump : to > other.to; }
  };
  const auto count = static_cast<std::uint32_t>(neighbours.size());
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t t = 0; t < count; ++t) order[t] = t;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return splits[a].rotation.squaredNorm() < splits[b].rotation.squaredNorm();
  });
  std::vector<bool> done(count);
  std::priority_queue<Step> queue;
  const auto visit = [&](std::uint32_t t) {
    done[t] = true;
    for (const std::uint32_t other : neighbours[t])
      if (!done[other])
        queue.push({(nearest_turn(splits[other].rotation, splits[t].rotation) - splits[t].rotation).norm(), t,
                    other});
  };
  for (const std::uint32_t seed : order) {
    if (done[seed]) continue;
    visit(seed);
    while (!queue.empty()) {
      const Step step = queue.top();
      queue.pop();
      if (done[step.to]) continue;
      splits[step.to].rotation = nearest_turn(splits[step.to].rotation, splits[step.from].rotation);
      visit(step.to);
    }
  }
}

// An edge turns with a triangle at one of its ends, and from there the least way.
Split split_edge(const Vec3& before, const Vec3& after, const Vec3& nearby) {
  const Quat along = exp_rotation(nearby);
  const Quat rotation = least_rotation(along * before, after) * along;
  return {nearest_turn(log_rotation(rotation.normalized()), nearby),
          Mat3::Identity() * (after.norm() / before.norm())};
}

bool only_shifts(const PoissonSurface& surface, std::size_t e, std::span<const Vec3f> deltas) {
  const auto k = surface.corners(e);
  return std::all_of(k.begin(), k.end(), [&](std::uint32_t v) { return deltas[v] == deltas[k[0]]; });
}

std::vector<Split> split_key(const PoissonSurface& surface, const IndexLists& neighbours, const Rig& rig,
                             const ShapeKey& key) {
  std::vector<Vec3> shape = rig.mesh.positions;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] += key.deltas[i].cast<double>();
  std::vector<Split> splits(surface.element_count());
  parallel_for(surface.triangle_count(), 512, [&](std::size_t begin, std::size_t end) {
    for (std::size_t e = begin; e < end; ++e)
      if (!only_shifts(surface, e, key.deltas)) splits[e] = split(surface.gradient(e, shape));
  });
  unwind(neighbours, splits);
  std::vector<std::uint32_t> triangle_at(shape.size(), kNone);
  for (std::uint32_t e = 0; e < surface.triangle_count(); ++e)
    for (const std::uint32_t v : surface.corners(e)) triangle_at[v] = e;
  for (std::size_t e = surface.triangle_count(); e < splits.size(); ++e) {
    const auto k = surface.corners(e);
    const std::uint32_t near = triangle_at[k[0]] != kNone ? triangle_at[k[0]] : triangle_at[k[1]];
    splits[e] = split_edge(rig.mesh.positions[k[1]] - rig.mesh.positions[k[0]], shape[k[1]] - shape[k[0]],
                           near == kNone ? Vec3(Vec3::Zero()) : splits[near].rotation);
  }
  return splits;
}

}  // namespace

KeyGradients::KeyGradients(const PoissonSurface& surface, const Rig& rig, const KeyMasks& masks) {
  if (rig.keys.empty()) return;
  const IndexLists neighbours = surface.triangle_neighbours();
  keys_.resize(rig.keys.size());
  for (std::size_t k = 0; k < rig.keys.size(); ++k) {
    const ShapeKey& key = rig.keys[k];
    const std::span<const float> mask =
        k < masks.size() ? std::span<const float>(masks[k]) : std::span<const float>();
    const std::vector<Split> splits = split_key(surface, neighbours, rig, key);
    for (std::uint32_t e = 0; e < splits.size(); ++e) {
      const auto corners = surface.corners(e);
      float share = mask.empty() ? 1.0f : 0.0f;
      if (!mask.empty())
        for (const std::uint32_t v : corners) share += mask[v] / static_cast<float>(corners.size());
      Entry entry{e, {}};
      if (!key.without_rotation) entry.sum.rotation = share * splits[e].rotation.cast<float>();
      const Mat3 stretch = splits[e].stretch - Mat3::Identity();
      if (!key.without_scale) {
        entry.sum.stretch << static_cast<float>(stretch(0, 0)), static_cast<float>(stretch(1, 1)),
            static_cast<float>(stretch(2, 2)), static_cast<float>(stretch(0, 1)),
            static_cast<float>(stretch(0, 2)), static_cast<float>(stretch(1, 2));
        entry.sum.stretch *= share;
      }
      if (entry.sum.moves()) keys_[k].push_back(entry);
    }
  }
}

Eigen::Matrix3f KeyGradients::Sum::transform() const {
  Eigen::Matrix3f result;
  result << 1 + stretch[0], stretch[3], stretch[4], stretch[3], 1 + stretch[1], stretch[5], stretch[4],
      stretch[5], 1 + stretch[2];
  const float angle = rotation.norm();
  if (angle == 0) return result;
  const float sine = std::sin(angle / 2) / angle;
  const Eigen::Quaternionf q(std::cos(angle / 2), sine * rotation.x(), sine * rotation.y(),
                             sine * rotation.z());
  return q.toRotationMatrix() * result;
}

void KeyGradients::blend(std::span<const double> weights, std::span<Sum> sums) const noexcept {
  std::fill(sums.begin(), sums.end(), Sum());
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    const auto weight = static_cast<float>(weights[k]);
    if (weight == 0) continue;
    const std::vector<Entry>& entries = keys_[k];
    parallel_for(entries.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        Sum& sum = sums[entries[i].element];
        sum.rotation += weight * entries[i].sum.rotation;
        sum.stretch += weight * entries[i].sum.stretch;
      }
    });
  }
}

}  // namespace sinew
