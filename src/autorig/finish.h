// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "autorig/place.h"
#include "autorig/symmetry.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew::autorig {

// The plane between left and right joints; none where the template has no sides.
std::optional<Mirror> guess_mirror(const TemplateData& model, const std::vector<PlacedJoint>& placed);
// The same by the tips of the limbs, where joints came out too uneven.
std::optional<Mirror> guess_mirror(const Match& match);
// The plane in which the body's curves are their own image to within 1 % of its size, told by the limbs that
// the template has left and right.
std::optional<Mirror> mirror_of_curves(const Match& match, double size);
// Each joint and its image on the other side become images of each other, but for those of limbs that are
// posed differently. `size` is the body's.
void make_symmetric(const TemplateData& model, const Mirror& mirror, double size,
                    std::vector<PlacedJoint>& placed);

// Says of each of some points whether it is inside of the body: 1 or 0. By rays it needs no tree over the
// mesh, which must be closed: points well within the rings about a curve are inside, and all others of a call
// take three passes over the faces. Both keep what they are given by reference.
using InsideTest = std::function<std::vector<std::uint8_t>(std::span<const Vec3>)>;
InsideTest inside_by_winding(const WindingNumber& winding);
InsideTest inside_by_rays(const PolyMesh& mesh, const std::vector<Curve>& curves);
bool is_inside(const WindingNumber& winding, const Vec3& p);
// Joints outside the body move towards the nearest point of its curves that is inside, until they are; they
// stay where there is none.
void pull_inside(const InsideTest& is_within, const std::vector<Curve>& curves,
                 std::vector<PlacedJoint>& placed);

// Tails outside the body move as pull_inside moves joints, with their images on the other side: a straight bone to the tip of
// a bent wing, or of an arm that stands off a belly, is outside on its way, and to be cut there is no end.
void pull_tails_to_curves(const InsideTest& is_within, const std::vector<Curve>& curves,
                          const TemplateData& model, const std::optional<Mirror>& mirror,
                          std::vector<PlacedJoint>& placed);

// Bones that end free end inside: the tail, given or as far on as the bone above is long, moves towards the
// head until it is. Of left and right the shorter one counts for both, where `symmetric`.
void pull_tails_inside(const InsideTest& is_within, const TemplateData& model, bool symmetric,
                       std::vector<PlacedJoint>& placed);

// The frame of the body: the template's axes, turned; exactly the world's where it is near them.
Mat3 body_axes(const Match& match, const std::optional<Mirror>& mirror);
// The joints that are there, all with the same axes.
Result<Skeleton> build_skeleton(const TemplateData& model, const std::vector<PlacedJoint>& placed,
                                const Mat3& axes);

}  // namespace sinew::autorig
