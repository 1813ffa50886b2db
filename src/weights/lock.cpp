// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/lock.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace sinew {
namespace {

constexpr double kRounding = 1e-6;

bool is_set(std::span<const std::uint8_t> flags, std::size_t k) {
  return k < flags.size() && flags[k];
}

}  // namespace

Result<SkinWeights> apply_locks(const SkinWeights& solved, const SkinWeights& painted,
                                std::span<const std::uint8_t> locked_vertices,
                                std::span<const std::uint8_t> locked_joints, int influences) {
  SkinWeights result;
  result.offsets.assign(1, 0);
  std::vector<Influence> row, rest;
  for (std::size_t i = 0; i < solved.vertex_count(); ++i) {
    row.clear();
    rest.clear();
    const bool whole = is_set(locked_vertices, i);
    double sum = 0;
    for (const Influence& influence : painted.row(i))
      if (whole || is_set(locked_joints, influence.joint)) row.push_back(influence), sum += influence.weight;
    if (sum > 1 + kRounding)
      return impossible(fmt::format(
          "the locked weights of vertex {} sum to {:.6g}, more than 1: normalise them or unlock a joint", i,
          sum));
    if (!whole) {
      const std::size_t room = row.size() < static_cast<std::size_t>(influences)
                                   ? static_cast<std::size_t>(influences) - row.size()
                                   : 0;
      double free = 0;
      for (const Influence& influence : solved.row(i))  // largest first
        if (!is_set(locked_joints, influence.joint) && rest.size() < std::max<std::size_t>(room, 1))
          rest.push_back(influence), free += influence.weight;
      if (1 - sum > kRounding && !(free > 0))
        return impossible(fmt::format(
            "the locked joints leave {:.3g} of vertex {} and no other joint reaches it: unlock one", 1 - sum,
            i));
      if (1 - sum > kRounding)
        for (const Influence& influence : rest)
          row.push_back({influence.joint, influence.weight * (1 - sum) / free});
    } else if (row.empty()) {
      return impossible(fmt::format("vertex {} is locked but has no weights to keep", i));
    }
    result.add_row(row);
  }
  return result;
}

}  // namespace sinew
