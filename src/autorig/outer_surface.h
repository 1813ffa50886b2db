// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sinew/mesh/winding_number.h"

namespace sinew::autorig {

// Leaves the triangles out that lie inside of other pieces of the mesh, as seen from a point `ahead` of their
// middle; `solid` is the mesh. What stays of pieces that overlap is the surface of all together.
void drop_hidden_triangles(const WindingNumber& solid, double ahead, const std::vector<Vec3>& positions,
                           std::vector<Triangle>& triangles);

// Pairs of points that join the pieces of a surface: every point of a piece to the nearest of each other piece
// within `reach`, where one of the two is on a border, as pieces that overlap have where the hidden part was, or
// within a fifth of it; and what then is still apart where it comes nearest. Contacts that close a loop longer than
// `loop` are left out (contact_loops.h). Every point must be in a triangle.
std::vector<std::pair<std::uint32_t, std::uint32_t>> piece_contacts(const std::vector<Vec3>& positions,
                                                                    const std::vector<Triangle>& triangles,
                                                                    double reach, double loop);

// The shortest bridges that make one of all pieces, between up to 64 points of each; `piece` says of every point
// which of `pieces` it is in.
std::vector<std::pair<std::uint32_t, std::uint32_t>> bridges(const std::vector<Vec3>& positions,
                                                             std::span<const std::uint32_t> piece,
                                                             std::size_t pieces);

}  // namespace sinew::autorig
