// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

// Two like limbs that hang on one joint.
struct LimbPair {
  int above = -1;                          // the joint that carries both
  std::array<std::vector<int>, 2> chains;  // from the joint below `above` to a tip, the longest way
  double length = 0;                       // mean of both
};

// Legs and arms of a body that stands along `up`, told by hierarchy and place alone. Which side is the left
// is not known yet.
struct BodyLimbs {
  LimbPair legs, arms;
};
std::optional<BodyLimbs> find_limbs(const Skeleton& skeleton, std::span<const Affine3> globals,
                                    const Vec3& up);

// Where in a chain the two longest bones in a row begin: the upper arm, the thigh. -1: too short.
int longest_two(std::span<const int> chain, std::span<const Affine3> globals);

// Whether a joint moves the skin: not one that only carries others, nor a helper. All do where none is said to.
bool is_bone(const Skeleton& skeleton, std::size_t joint);

// Whether `above` is `joint` or carries it.
bool is_above(const Skeleton& skeleton, int above, int joint);
// The lowest joint that carries both; -1: none.
int common_joint(const Skeleton& skeleton, int a, int b);

}  // namespace sinew
