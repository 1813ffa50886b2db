// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "autorig/match.h"
#include "autorig/symmetry.h"
#include "sinew/autorig/find_skeleton.h"

namespace sinew::autorig {

// A body and the template that was laid over it.
struct Fitted {
  BodyMap body;
  Match match;
  double second = 0, most = 0;
  bool fits() const { return match.cost < most; }
};

// The planes that make the mesh its own image.
using FindMirrors = std::function<std::vector<Mirror>(const BodyMap&)>;

// Lays the template over a body that fits it best, and fills the curves, the name and the costs of `found`. Where none
// fits, `found` has a problem, and the curves are those of all tips. find_mirrors: asked where a
// template has a left and a right.
Result<Fitted> fit_templates(BodyMap body, std::span<const TemplateData* const> templates,
                             const FindOptions& options, const FindMirrors& find_mirrors,
                             FoundSkeleton& found);

// Where nothing else fits by any way, a chain may fit worse than beside others, as long as it would be sure by itself, and
// few limbs are left over: those get bones without a template. Whether one does.
Result<bool> fit_chain(std::span<const TemplateData* const> templates, FindOptions options, Fitted& fitted,
                       FoundSkeleton& found);

}  // namespace sinew::autorig
