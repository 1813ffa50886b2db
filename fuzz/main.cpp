// SPDX-License-Identifier: Apache-2.0
// One program a target, made from this file with SINEW_FUZZ_TARGET set to its name.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "sinew/core/parallel.h"
#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto run = [] {
    sinew::set_thread_count(1);  // the same path for the same bytes
    for (const auto& target : sinew::fuzz::targets())
      if (std::strcmp(target.name, SINEW_FUZZ_TARGET) == 0) return target.run;
    std::abort();
  }();
  const std::string wrong = run({reinterpret_cast<const char*>(data), size});
  if (!wrong.empty()) {
    std::fprintf(stderr, "fuzz_" SINEW_FUZZ_TARGET ": %s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
