// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinew {

/// How a joint blends between the parent's side, which stays, and its own side, which rotates.
enum class JointBlend : std::uint8_t { kSwingTwist, kLinear, kDqs, kMix, kAngle };

/// swing-twist, linear, dqs, mix, angle: as files and the command line write them.
std::string_view blend_name(JointBlend blend);
std::optional<JointBlend> blend_of(std::string_view name);
std::string blend_names();

/// The weights of one joint's deformer at a vertex [kavan2012, Sec. 3.3 and 3.4].
struct JointInfluence {
  std::uint32_t joint = 0;
  float deformer_weight = 0;  ///< d: weight of this joint's deformer at the vertex; a row sums to 1
  float swing = 0;            ///< s: fraction of the joint's bend that the vertex follows, 0 to 1
  float twist = 0;            ///< t: fraction of its twist about the bone, 0 to 1
};

/// The weights of joint-based deformers [kavan2012]: rows of influences, one a vertex, in compressed form.
/// Within a row: each joint once, largest weight first. A vertex with an empty row moves by its skin weights.
struct JointWeights {
  std::string method;                  ///< what made swing and twist: a name of weight_methods(), or "skin"
  std::vector<std::uint32_t> offsets;  ///< vertices + 1, or empty: there are none
  std::vector<JointInfluence> entries;
  std::vector<JointBlend> blends;  ///< per joint of the skeleton, or empty: kSwingTwist for all

  bool empty() const { return offsets.empty(); }
  std::size_t vertex_count() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const JointInfluence> row(std::size_t i) const {
    return {entries.data() + offsets[i], entries.data() + offsets[i + 1]};
  }
  JointBlend blend(std::size_t joint) const {
    return joint < blends.size() ? blends[joint] : JointBlend::kSwingTwist;
  }
};

}  // namespace sinew
