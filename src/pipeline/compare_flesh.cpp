// SPDX-License-Identifier: Apache-2.0
#include "pipeline/compare_flesh.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sinew {
namespace {

// What the joints of composed weights carry of a vertex.
struct CarriedShares {
  std::vector<double> swing, twist;
};

CarriedShares shares_of(const ComposedWeights& weights, std::size_t vertex, std::span<const int> parents) {
  CarriedShares shares{std::vector<double>(parents.size(), 0.0), {}};
  for (int j = weights.base[vertex]; j >= 0; j = parents[static_cast<std::size_t>(j)])
    shares.swing[static_cast<std::size_t>(j)] = 1;
  shares.twist = shares.swing;
  for (const ComposedInfluence& entry : weights.row(vertex)) {
    shares.swing[entry.joint] = static_cast<double>(entry.swing);
    shares.twist[entry.joint] = static_cast<double>(entry.twist);
  }
  return shares;
}

}  // namespace

Flesh flesh_of_piece(const Flesh& flesh, std::span<const std::uint32_t> vertices,
                     std::span<const std::size_t> joints, std::span<const int> whole_parents,
                     std::span<const int> parents) {
  Flesh piece;
  piece.range = flesh.range;
  piece.tolerance = flesh.tolerance;
  if (flesh.empty()) return piece;
  std::vector<double> swing(joints.size()), twist(joints.size());
  std::vector<std::vector<std::uint32_t>> copies(flesh.weights.vertex_count());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const CarriedShares shares = shares_of(flesh.weights, vertices[i], whole_parents);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      swing[j] = j == 0 ? 1 : shares.swing[joints[j]];
      twist[j] = j == 0 ? 1 : shares.twist[joints[j]];
    }
    piece.weights.add_row(parents, swing, twist);
    copies[vertices[i]].push_back(static_cast<std::uint32_t>(i));
  }
  const auto own = [&](std::uint32_t joint) -> std::optional<std::uint32_t> {
    const auto found = std::find(joints.begin() + 1, joints.end(), joint);
    if (found == joints.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - joints.begin());
  };
  for (const FleshField& field : flesh.fields) {
    const auto joint = own(field.joint);
    if (!joint) continue;
    FleshField kept = field;
    kept.joint = *joint;
    if (field.partner) {
      // A joint that the piece has not does not turn against it.
      const auto partner = own(field.partner->joint);
      if (!partner) continue;
      kept.partner->joint = *partner;
    }
    std::vector<std::array<std::size_t, 2>> places;  // vertex, row
    for (std::size_t r = 0; r < field.vertices.size(); ++r)
      for (const std::uint32_t i : copies[field.vertices[r]]) places.push_back({i, r});
    if (places.empty()) continue;
    std::sort(places.begin(), places.end());
    kept.vertices.clear();
    kept.twist.clear();
    kept.values.clear();
    const std::size_t width = 3 * field.modes();
    for (const auto& [vertex, r] : places) {
      kept.vertices.push_back(static_cast<std::uint32_t>(vertex));
      kept.twist.push_back(field.twist[r]);
      const auto at = field.values.begin() + static_cast<std::ptrdiff_t>(r * width);
      kept.values.insert(kept.values.end(), at, at + static_cast<std::ptrdiff_t>(width));
    }
    piece.fields.push_back(std::move(kept));
  }
  return piece;
}

}  // namespace sinew
