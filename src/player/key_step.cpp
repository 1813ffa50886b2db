// SPDX-License-Identifier: Apache-2.0
#include "player/key_step.h"

#include <algorithm>

#include "sinew/deform/keys.h"
#include "sinew/deform/tangent_keys.h"
#include "sinew/player/stack.h"

namespace sinew {

Result<std::unique_ptr<Deformer>> build_key_step(const Rig& rig, const KeySettings& settings) {
  if (rig.keys.empty()) return std::unique_ptr<Deformer>();
  SINEW_TRY(const KeyMasks masks, key_masks(rig));
  if (settings.space == KeySpace::kDifferential) return build_differential_keys(rig, masks, settings.place);
  const bool plain = std::all_of(rig.keys.begin(), rig.keys.end(), [](const ShapeKey& key) {
    return key.mask.empty() && !key.without_rotation && !key.without_scale;
  });
  const auto build = [&](const Rig& keyed) {
    return settings.space == KeySpace::kObject ? build_keys(keyed) : build_tangent_keys(keyed);
  };
  if (plain) return build(rig);
  Rig shaped;
  shaped.mesh = rig.mesh;
  SINEW_TRY(shaped.keys, shaped_keys(rig, masks));
  return build(shaped);
}

}  // namespace sinew
