// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/volume/elastic.h"

namespace sinew::weights_detail {

// Least energies of an elastic body at up to eight poses, as ElasticBody::minimise finds them, which go through every
// operation together, in single precision. at: where the search starts, as place() of the kernel says; fixed vertices are
// the constraints.
std::vector<double> least_energies(const ElasticBody& body, std::vector<float> at, std::size_t count,
                                   const ElasticOptions& options);

}  // namespace sinew::weights_detail
