// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace sinew {

/// Members 0 ... count - 1 in sets that are merged step by step (union-find with path halving): nearly
/// constant time a call.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count = 0) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  }
  /// One more member, in a set of its own.
  std::uint32_t add() {
    parent_.push_back(static_cast<std::uint32_t>(parent_.size()));
    return parent_.back();
  }
  /// The member that stands for the set of `member`: the same for all of them until that set is merged.
  std::uint32_t find(std::uint32_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  bool is_root(std::uint32_t member) const { return parent_[member] == member; }
  /// Merges the sets of two members. As long as sets are merged in no other way, find gives the lowest member.
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  /// Puts the set that `child` stands for under the one that `root` stands for, which goes on standing for
  /// both.
  void join_under(std::uint32_t child, std::uint32_t root) { parent_[child] = root; }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace sinew
