// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sinew/binding/bind.h"

namespace sinew {

/// What is to be done to weights that exist, in this order.
struct ReweightRequest {
  const Rig* from = nullptr;  ///< take the weights of this rig (and its skeleton, where the mesh has none)
  std::optional<int> mirror = {};  ///< 0, 1, 2: copy one side to the other across x, y or z
  bool mirror_from_positive = true;
  int smooth = 0;      ///< rounds
  int influences = 4;  ///< joints a vertex keeps at most
};

/// Changes rig.weights; the rig is unchanged on failure. kImpossible: no weights to work on, or joints without
/// a counterpart.
Result<BindReport> reweight(Rig& rig, const ReweightRequest& request);

}  // namespace sinew
