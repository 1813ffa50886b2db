// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/mesh/topology.h"

namespace sinew::autorig {

// Of the pairs of points at which pieces of a body touch, those that a body hangs together by. Pairs next to each
// other are one contact, as strong as it has pairs; but weaker than all others are those that lie alongside two pieces
// which both touch a larger one, and of several between the same two pieces all but the nearest to the middle of the
// larger. The strongest contacts that make one of all pieces stay; of the others those between points that are no
// farther apart than `loop` without them. What is left out closes a loop: a hand at the hip, the feet of an insect at
// its abdomen, which would otherwise be the way to both.
// piece: of every point.
std::vector<std::pair<std::uint32_t, std::uint32_t>> without_contact_loops(
    const std::vector<Vec3>& positions, const IndexLists& neighbours, std::span<const std::uint32_t> piece,
    std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs, double loop);

}  // namespace sinew::autorig
