// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/body_graph.h"
#include "sinew/mesh/iso_curves.h"

namespace sinew::autorig {

// The curve skeleton of [bian2018] as a body: its points are the centres of closed rings, joined along each
// limb and through the trunk. Where limbs leave the trunk their seams are joined to it: one that goes on in
// the trunk's own direction (a neck, a tail) at its end, a group that parts there (legs, fingers) at the
// middle of their seams, which is Eq. 1 of the paper, all others beside it. `positions` are those of the
// mesh, in any pose. `same`: per vertex the one that stands for it on the curves, or empty. kImpossible:
// too few vertices lie on closed rings, or the rings do not hang together.
Result<BodyGraph> ring_graph(const PolyMesh& mesh, const IsoCurves& curves, std::span<const Vec3> positions,
                             std::span<const std::uint32_t> same = {});

}  // namespace sinew::autorig
