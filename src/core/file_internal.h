// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace sinew::detail {

// Set by tests: write as on file systems that have no files without a name.
extern std::atomic<bool> only_named_temporaries;

}  // namespace sinew::detail
