// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/composed_steps.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sinew {
namespace {

std::size_t step_index(int joint) {
  return static_cast<std::size_t>(joint);
}

int depth_of(std::span<const int> parents, int joint) {
  int depth = 0;
  for (int a = parents[step_index(joint)]; a >= 0; a = parents[step_index(a)]) ++depth;
  return depth;
}

}  // namespace

void ComposedSteps::of_vertex(const ComposedWeights& weights, std::size_t i, std::vector<Weighted>& out) {
  out.clear();
  std::fill(on_path_.begin(), on_path_.end(), std::uint8_t{0});
  std::fill(split_.begin(), split_.end(), std::uint8_t{0});
  std::fill(partial_.begin(), partial_.end(), std::uint8_t{0});
  for (int a = weights.base[i]; a >= 0; a = above(a)) on_path_[step_index(a)] = 1;
  row_.assign(weights.row(i).begin(), weights.row(i).end());
  leave_out_small();
  for (const ComposedInfluence& influence : row_) partial_[influence.joint] = 1;
  for (const ComposedInfluence& influence : row_) {
    out.push_back({{static_cast<int>(influence.joint), -1, false}, influence.swing, influence.twist});
    int a = above(static_cast<int>(influence.joint));
    while (a >= 0 && !on_path_[step_index(a)] && !partial_[step_index(a)]) a = above(a);
    if (a >= 0) split_[step_index(a)] = 1;
  }
  for (int bottom = weights.base[i]; bottom >= 0;) {
    if (partial_[step_index(bottom)]) {
      bottom = above(bottom);
      continue;
    }
    int end = above(bottom);
    while (end >= 0 && !partial_[step_index(end)] && !split_[step_index(end)]) end = above(end);
    out.push_back({{bottom, end, true}, 0, 0});
    bottom = end;
  }
}

// More steps than there is room for: those nearest to nothing or to the whole go there.
void ComposedSteps::leave_out_small() {
  if (row_.size() <= kMostComposedSteps / 2) return;
  const auto matters = [](const ComposedInfluence& w) {
    return std::min(std::max(w.swing, w.twist), 1 - std::min(w.swing, w.twist));
  };
  std::stable_sort(row_.begin(), row_.end(), [&](const ComposedInfluence& a, const ComposedInfluence& b) {
    return matters(a) > matters(b);
  });
  row_.resize(kMostComposedSteps / 2);
}

StepOrder order_steps(std::span<const int> parents, std::span<const ComposedStep> steps) {
  const std::size_t count = steps.size();
  std::vector<int> depth;
  for (const ComposedStep& step : steps) depth.push_back(depth_of(parents, step.joint));
  StepOrder result;
  result.order.resize(count);
  std::iota(result.order.begin(), result.order.end(), std::uint16_t{0});
  std::stable_sort(result.order.begin(), result.order.end(),
                   [&](std::uint16_t a, std::uint16_t b) { return depth[a] > depth[b]; });
  result.leaf.assign(count, 1);
  std::map<int, std::size_t> place;  // of a joint's step in the order
  for (std::size_t k = 0; k < count; ++k) place[steps[result.order[k]].joint] = k;
  for (std::size_t k = 0; k < count; ++k) {
    const ComposedStep& one = steps[result.order[k]];
    int a = one.run ? one.above : parents[step_index(one.joint)];
    while (a >= 0 && !place.contains(a)) a = parents[step_index(a)];
    const std::size_t to = a < 0 ? count : place[a];
    result.to.push_back(static_cast<std::uint16_t>(to));
    if (to < count) result.leaf[to] = 0;
  }
  return result;
}

}  // namespace sinew
