// SPDX-License-Identifier: Apache-2.0
#include "player/key_step.h"

#include <algorithm>

#include "sinew/deform/keys.h"
#include "sinew/deform/tangent_keys.h"
#include "sinew/player/stack.h"

namespace sinew {
namespace {

template <class Visit>
void each_name(std::string_view names, Visit&& visit) {
  for (std::size_t begin = 0; !names.empty() && begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    visit(names.substr(begin, end - begin));
    begin = end + 1;
  }
}

// The rig with the others' deltas taken out; keys keep their numbers, since weights go by those.
Rig with_keys(const Rig& rig, std::string_view names) {
  Rig chosen = rig;
  for (ShapeKey& key : chosen.keys) {
    bool wanted = false;
    each_name(names, [&](std::string_view name) { wanted = wanted || name == key.name; });
    if (wanted) continue;
    key.deltas.assign(key.deltas.size(), Vec3f::Zero());
    key.normal_deltas.clear();
    key.mask.clear();
    key.without_rotation = key.without_scale = false;
  }
  return chosen;
}

}  // namespace

std::vector<std::string> missing_keys(const Rig& rig, std::string_view names) {
  std::vector<std::string> missing;
  each_name(names, [&](std::string_view name) {
    if (std::none_of(rig.keys.begin(), rig.keys.end(), [&](const ShapeKey& key) { return key.name == name; }))
      missing.emplace_back(name);
  });
  return missing;
}

Result<std::unique_ptr<Deformer>> build_key_step(const Rig& rig, const KeySettings& settings) {
  if (rig.keys.empty()) return std::unique_ptr<Deformer>();
  if (!settings.only.empty()) {
    KeySettings all = settings;
    all.only.clear();
    return build_key_step(with_keys(rig, settings.only), all);
  }
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
