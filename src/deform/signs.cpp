// SPDX-License-Identifier: Apache-2.0
#include "deform/signs.h"

#include <algorithm>

namespace sinew {
namespace {

using SignPair = SignPairs::Pair;

void keep_each_once(std::vector<std::uint32_t>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::vector<SignPair> pairs_that_meet(const SkinTable& table) {
  std::vector<std::uint32_t> keys;
  std::size_t enough = 65'536;
  for (const SkinRun& run : table.runs) {
    const std::size_t rows = (run.group_end - run.group_begin) * kGroupSize;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t first = run.entry + row * run.influences;
      for (std::size_t k = 1; k < run.influences; ++k)
        if (table.joints[first + k] != table.joints[first])
          keys.push_back((std::uint32_t{table.joints[first]} << 16) | table.joints[first + k]);
    }
    if (keys.size() < enough) continue;
    keep_each_once(keys);
    enough = 2 * keys.size() + 65'536;
  }
  keep_each_once(keys);
  std::vector<SignPair> pairs;
  for (const std::uint32_t key : keys)
    pairs.push_back({static_cast<std::uint16_t>(key >> 16), static_cast<std::uint16_t>(key)});
  return pairs;
}

// Breadth first, over every part of the graph of pairs.
std::vector<SignPair> spanning_tree(const std::vector<SignPair>& pairs, std::size_t entries) {
  std::vector<std::vector<std::uint16_t>> partners(entries);
  for (const SignPair& pair : pairs) {
    partners[pair.first].push_back(pair.second);
    partners[pair.second].push_back(pair.first);
  }
  std::vector<SignPair> tree;
  std::vector<bool> reached(entries, false);
  std::vector<std::uint16_t> queue;
  for (std::size_t start = 0; start < entries; ++start) {
    if (reached[start]) continue;
    reached[start] = true;
    queue.assign(1, static_cast<std::uint16_t>(start));
    for (std::size_t at = 0; at < queue.size(); ++at)
      for (const std::uint16_t partner : partners[queue[at]]) {
        if (reached[partner]) continue;
        reached[partner] = true;
        tree.push_back({queue[at], partner});
        queue.push_back(partner);
      }
  }
  return tree;
}

template <class Entry>
float dot_of(const Palette<Entry>& palette, const SignPair& pair) {
  const float *a = palette[pair.first].real, *b = palette[pair.second].real;
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

void negate(float (&numbers)[4]) {
  for (float& number : numbers) number = -number;
}
void negate(DualEntry& entry) {
  negate(entry.real);
  negate(entry.dual);
}
void negate(StretchedDualEntry& entry) {
  negate(entry.real);
  negate(entry.dual);
  negate(entry.more);
}

template <class Entry>
bool align_all(const SignPairs& pairs, Palette<Entry>& palette) {
  if (!pairs.usable) return false;
  for (const SignPair& pair : pairs.tree)
    if (dot_of(palette, pair) < 0) negate(palette[pair.second]);
  return std::all_of(pairs.all.begin(), pairs.all.end(),
                     [&](const SignPair& pair) { return dot_of(palette, pair) > 1e-5f; });
}

}  // namespace

SignPairs find_sign_pairs(const SkinTable& table) {
  SignPairs pairs;
  pairs.all = pairs_that_meet(table);
  pairs.usable = 4 * pairs.all.size() <= table.vertices;
  if (pairs.usable)
    pairs.tree = spanning_tree(pairs.all, table.palette_size());
  else
    pairs.all.clear();
  return pairs;
}

bool align_signs(const SignPairs& pairs, Palette<DualEntry>& palette) noexcept {
  return align_all(pairs, palette);
}

bool align_signs(const SignPairs& pairs, Palette<StretchedDualEntry>& palette) noexcept {
  return align_all(pairs, palette);
}

}  // namespace sinew
