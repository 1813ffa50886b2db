// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// What every reader must hold for any bytes: it returns, its error is a sentence that names the file, and
// what it accepts is sound and survives being written and read again. The fuzz programs and a test over the
// corpus share this.
namespace sinew::fuzz {

// Empty, or what went wrong.
using Target = std::string (*)(std::string_view bytes);

struct NamedTarget {
  const char* name;  // of the program fuzz_NAME and the folder corpus/NAME
  Target run;
};

const std::vector<NamedTarget>& targets();

}  // namespace sinew::fuzz
