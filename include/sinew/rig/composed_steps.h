// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/rig/composed_joints.h"

namespace sinew {

/// One step of a vertex's way through composed joints, children first: a joint that carries it in part, or a
/// run of joints that carry it whole, from `joint` up to below `above`.
struct ComposedStep {
  int joint = -1, above = -1;
  bool run = false;

  auto operator<=>(const ComposedStep&) const = default;
};

/// Steps of one vertex; beyond, joints that matter least are left out.
inline constexpr std::size_t kMostComposedSteps = 48;

/// The way of one vertex after the other.
class ComposedSteps {
 public:
  explicit ComposedSteps(std::span<const int> parents)
      : parents_(parents),
        on_path_(parents.size(), 0),
        split_(parents.size(), 0),
        partial_(parents.size(), 0) {}

  struct Weighted {
    ComposedStep step;
    float swing = 0, twist = 0;  ///< of a joint that carries in part
  };
  /// In no particular order: order_steps() tells it.
  void of_vertex(const ComposedWeights& weights, std::size_t i, std::vector<Weighted>& out);

 private:
  int above(int joint) const { return parents_[static_cast<std::size_t>(joint)]; }
  void leave_out_small();

  std::span<const int> parents_;
  std::vector<std::uint8_t> on_path_, split_, partial_;
  std::vector<ComposedInfluence> row_;
};

/// In which order the steps of a vertex come, children first, and where the result of each goes.
struct StepOrder {
  std::vector<std::uint16_t> order;  ///< places in the list of steps
  std::vector<std::uint16_t> to;     ///< beside order: the place in it that the result goes to; its size: out
  std::vector<std::uint8_t> leaf;    ///< beside order: nothing comes into it
};
StepOrder order_steps(std::span<const int> parents, std::span<const ComposedStep> steps);

}  // namespace sinew
