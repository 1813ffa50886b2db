// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/descriptor.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/differential_keys.h"

namespace sinew {

// The spaces in which keys are blended.
enum class KeySpace { kObject, kTangent, kDifferential };

struct KeySettings {
  KeySpace space = KeySpace::kObject;
  Placement place = Placement::kOwn;
  std::string only;
};
inline constexpr std::array kKeySettings = {
    choice<&KeySettings::space>("space", "object|tangent|differential", "how keys are blended")
        .as("key-space"),
    choice<&KeySettings::place>("place", "own|body|auto",
                                "components go to their own centre, or small ones with the body"),
    setting<&KeySettings::only>("only", "names of the keys that act, separated by commas; empty: all")
        .as("only-keys")};

// The names of "smile,frown" that no key of the rig has.
std::vector<std::string> missing_keys(const Rig& rig, std::string_view names);

// The keys as a step of the stack; null where the rig has none.
Result<std::unique_ptr<Deformer>> build_key_step(const Rig& rig, const KeySettings& settings);

}  // namespace sinew
