// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/joint_weights.h"

#include <array>

namespace sinew {
namespace {

constexpr std::array<std::string_view, 5> kNames{"swing-twist", "linear", "dqs", "mix", "angle"};

}  // namespace

std::string_view blend_name(JointBlend blend) {
  return kNames[static_cast<std::size_t>(blend)];
}

std::optional<JointBlend> blend_of(std::string_view name) {
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (kNames[k] == name) return static_cast<JointBlend>(k);
  return std::nullopt;
}

std::string blend_names() {
  std::string names;
  for (const std::string_view name : kNames) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace sinew
