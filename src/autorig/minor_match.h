// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autorig/match.h"

namespace sinew::autorig {

// What a finger, toe or ear of the template is on the body.
struct MinorPartner {
  int minor = -1;  // index into the body's minors; -1: it has none
  Mat3 rotation = Mat3::Identity();
  double scale = 1;
};

// One for each minor of the template. Those that grow on one limb are matched together, by the turn and scale
// that bring their seams and tips nearest. Of a pair that grows on the trunk (ears) the body has both or none.
std::vector<MinorPartner> match_minors(const Match& match);

}  // namespace sinew::autorig
