// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/suggest.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sinew/core/text.h"

namespace sinew {
namespace {

constexpr std::size_t kMostSuggested = 3, kMostLetters = 64;

std::string folded(std::string_view text) {
  std::string small(text.substr(0, kMostLetters));
  for (char& c : small)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return small;
}

enum class Against { kWhole, kAnyPart };

// Letters put in, taken out, changed, or swapped with their neighbour (optimal string alignment), between a
// and b or the part of b that is most like it.
std::size_t edits_between(const std::string& a, const std::string& b, Against against) {
  std::array<std::array<std::size_t, kMostLetters + 1>, 3> rows;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = against == Against::kWhole ? j : 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& now = rows[i % 3];
    const auto &before = rows[(i + 2) % 3], &earlier = rows[(i + 1) % 3];
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], earlier[j - 2] + 1);
    }
  }
  const auto& last = rows[a.size() % 3];
  if (against == Against::kWhole) return last[b.size()];
  return *std::min_element(last.begin(), last.begin() + static_cast<std::ptrdiff_t>(b.size()) + 1);
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const std::string wanted = folded(word);
  const std::size_t most = std::max<std::size_t>(1, wanted.size() / 3), most_in_part = wanted.size() / 5;
  std::vector<std::pair<std::size_t, std::string_view>> alike, holding;
  for (const std::string_view name : names) {
    const std::string other = folded(name);
    if (other.empty() || wanted.empty()) continue;
    if (const std::size_t edits = edits_between(wanted, other, Against::kWhole); edits <= most) {
      alike.emplace_back(edits, name);
    } else if (wanted.size() >= 3) {
      const std::size_t in_part = edits_between(wanted, other, Against::kAnyPart);
      if (in_part <= most_in_part) holding.emplace_back(in_part * (kMostLetters + 1) + other.size(), name);
    }
  }
  std::vector<std::pair<std::size_t, std::string_view>>& found = alike.empty() ? holding : alike;
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (!alike.empty())  // one that is nearer than the rest is the one
    std::erase_if(alike, [nearest = alike[0].first](const auto& one) { return one.first > nearest; });
  found.resize(std::min(found.size(), kMostSuggested));
  std::string text;
  for (std::size_t k = 0; k < found.size(); ++k)
    text += (k == 0                  ? "; did you mean '"
             : k + 1 == found.size() ? " or '"
                                     : ", '") +
            printable(found[k].second, 60) + "'";
  return text.empty() ? text : text + "?";
}

}  // namespace sinew
