// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sinew/weights/elastic.h"

namespace sinew {

// The fit behind a weight method's name: elastic, elastic-dqs, lsq, lsq-nonnegative. kUsage for others.
Result<ElasticFit> elastic_fit(std::string_view method);

}  // namespace sinew
