// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "io/text_input.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew::io {

struct BvhChannel {
  bool is_position = false;  // else a rotation, in degrees
  int axis = 0;
};

struct BvhHierarchy {
  std::vector<Joint> joints;  // rest: the offsets; tail: the End Site (several: their mean)
  std::vector<std::vector<BvhChannel>> channels;  // per joint, in the order of the file
  bool has_motion = false;                        // the word MOTION was read
};

// Reads up to and with the word MOTION, or to the end of the text. Any nesting, without recursion; keywords
// in any case.
Result<BvhHierarchy> read_bvh_hierarchy(WordReader& words, std::string_view name);

}  // namespace sinew::io
