// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/core/progress.h"

namespace sinew {

// Tells the function that onProgress() of sinew.d.ts was given, where there is one.
const Progress& page_progress();

}  // namespace sinew
