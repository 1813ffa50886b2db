// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_joint_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "io/gltf_accessor.h"
#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

constexpr std::array<const char*, 4> kAttributes{"_SINEW_JOINTS_", "_SINEW_SHARE_", "_SINEW_SWING_",
                                                 "_SINEW_TWIST_"};

// Accessors of one set: joints, deformer weight, swing, twist.
using JointSet = std::array<int, 4>;

Result<std::vector<JointSet>> find_sets(const GltfDocument& document, const PartPlan& plan) {
  std::vector<JointSet> sets;
  const Json* attributes = object_member(*plan.primitive, "attributes");
  if (!attributes || plan.source.skin < 0) return sets;
  for (std::size_t s = 0;; ++s) {
    JointSet set{};
    for (std::size_t k = 0; k < set.size(); ++k) {
      const std::string name = kAttributes[k] + std::to_string(s);
      SINEW_TRY(set[k], index_member(*attributes, name.c_str(), document.accessors.size()));
      if (k == 0 && set[0] < 0) return sets;
      if (set[k] < 0)
        return bad_input(".attributes has " + (kAttributes[0] + std::to_string(s)) + " without " + name);
      const Accessor& accessor = document.accessors[at(set[k])];
      if (accessor.width() != 4 || accessor.columns != 1 || accessor.count != plan.vertices)
        return bad_input("." + name + " is accessors[" + std::to_string(set[k]) +
                         "], which does not hold four numbers for each of " + std::to_string(plan.vertices) +
                         " vertices");
      if ((k == 0) == (accessor.component == Component::kFloat))
        return bad_input(
            "." + name +
            (k == 0 ? " holds floats: joints are whole numbers" : " holds whole numbers, not floats"));
    }
    sets.push_back(set);
  }
}

// Reads one part after the other into the rig's rows.
class JointWeightReader {
 public:
  JointWeightReader(GltfDocument& document, const BoundSkeleton& skeleton, JointWeights& weights)
      : document_(document),
        skeleton_(skeleton),
        weights_(weights),
        last_row_of_(skeleton.joints.size(), 0) {}

  Result<void> part(const PartPlan& plan, std::span<const JointSet> sets) {
    const std::size_t count = plan.vertices, step = 4 * count;
    std::vector<std::uint32_t> joints(step * sets.size());
    std::array<std::vector<float>, 3> numbers;
    for (auto& list : numbers) list.resize(step * sets.size());
    for (std::size_t s = 0; s < sets.size(); ++s) {
      SINEW_CHECK(read_integers(document_, document_.accessors[at(sets[s][0])],
                                std::span(joints).subspan(s * step, step)));
      for (std::size_t k = 0; k < 3; ++k)
        SINEW_CHECK(read_floats(document_, document_.accessors[at(sets[s][k + 1])],
                                std::span(numbers[k]).subspan(s * step, step)));
    }
    const BoundSkin& skin = skeleton_.skins[at(plan.source.skin)];
    for (std::size_t i = 0; i < count; ++i) {
      row_.clear();
      for (std::size_t s = 0; s < sets.size(); ++s)
        for (std::size_t c = 0; c < 4; ++c) {
          const std::size_t place = s * step + 4 * i + c;
          const float weight = whole(numbers[0][place]);
          if (weight == 0) continue;
          if (joints[place] >= skin.joints.size())
            return bad_input("._SINEW_JOINTS_" + std::to_string(s) + " gives vertex " + std::to_string(i) +
                             " to joint " + std::to_string(joints[place]) + ", but its skin has " +
                             std::to_string(skin.joints.size()) + " joints: bind the mesh again");
          row_.push_back(
              {skin.joints[joints[place]], weight, whole(numbers[1][place]), whole(numbers[2][place])});
        }
      finish_row();
    }
    return {};
  }

  void empty_rows(std::size_t count) {
    weights_.offsets.insert(weights_.offsets.end(), count,
                            static_cast<std::uint32_t>(weights_.entries.size()));
  }

  std::size_t odd() const { return odd_; }

 private:
  float whole(float value) {
    const float put = std::isnan(value) ? 0.0f : std::clamp(value, 0.0f, 1.0f);
    odd_ += put != value;
    return put;
  }

  // Each joint once, largest weight first, sum 1. A row with a joint that deforms nothing goes: the vertex
  // moves by its skin weights.
  void finish_row() {
    std::sort(row_.begin(), row_.end(), [](const JointInfluence& a, const JointInfluence& b) {
      return a.deformer_weight != b.deformer_weight ? a.deformer_weight > b.deformer_weight
                                                    : a.joint < b.joint;
    });
    std::size_t kept = 0;
    float sum = 0;
    for (const JointInfluence& one : row_) {
      if (last_row_of_[one.joint] == weights_.offsets.size()) continue;
      last_row_of_[one.joint] = weights_.offsets.size();
      if (!skeleton_.joints[one.joint].deforms) return empty_rows(1);
      row_[kept++] = one;
      sum += one.deformer_weight;
    }
    for (std::size_t k = 0; k < kept; ++k) {
      row_[k].deformer_weight = std::min(row_[k].deformer_weight / sum, 1.0f);
      weights_.entries.push_back(row_[k]);
    }
    empty_rows(1);
  }

  GltfDocument& document_;
  const BoundSkeleton& skeleton_;
  JointWeights& weights_;
  std::vector<JointInfluence> row_;
  std::vector<std::size_t> last_row_of_;  // counted from 1, of each joint
  std::size_t odd_ = 0;
};

void read_deformers(const GltfDocument& document, const BoundSkeleton& skeleton, JointWeights& weights) {
  weights.method = "painted";
  const Json* place = &document.json;
  for (const char* key : {"extensions", "SINEW_rig", "joints"})
    if (place = object_member(*place, key); !place) return;
  if (const std::string method = string_member(*place, "method"); !method.empty() && method.size() <= 64)
    weights.method = method;
  const auto blends = object_list(*place, "blends");
  if (!blends.ok()) return;
  for (const Json& entry : **blends) {
    const auto node = index_member(entry, "node", document.node_joints.size());
    const auto blend = blend_of(string_member(entry, "blend"));
    if (!node.ok() || *node < 0 || !blend || document.node_joints[at(*node)] < 0) continue;
    weights.blends.resize(skeleton.joints.size(), JointBlend::kSwingTwist);
    weights.blends[at(document.node_joints[at(*node)])] = *blend;
  }
}

}  // namespace

Result<void> read_joint_weights(GltfDocument& document, const std::vector<PartPlan>& plans,
                                const BoundSkeleton& skeleton, Rig& rig) {
  std::vector<std::vector<JointSet>> sets;
  double slots = 0;
  for (const PartPlan& plan : plans) {
    auto found = find_sets(document, plan);
    if (!found.ok()) return inside(plan.place, found.error());
    slots += 4 * static_cast<double>(plan.vertices) * static_cast<double>(found->size());
    sets.push_back(*std::move(found));
  }
  if (slots == 0) return {};
  if (slots * 36 > memory_budget(document) || slots >= std::numeric_limits<std::uint32_t>::max())
    return bad_input("the joint weights together take far more memory than the file has bytes for: split it");
  rig.joint_weights.offsets.push_back(0);
  JointWeightReader reader(document, skeleton, rig.joint_weights);
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (sets[p].empty()) {
      reader.empty_rows(plans[p].vertices);
    } else if (auto read = reader.part(plans[p], sets[p]); !read.ok()) {
      return inside(plans[p].place, read.error());
    }
  }
  if (reader.odd() > 0)
    document.warnings.push_back(std::to_string(reader.odd()) +
                                " joint weights did not lie between 0 and 1: clamped");
  read_deformers(document, skeleton, rig.joint_weights);
  return {};
}

void put_joint_weights(Builder& builder, const JointWeights& weights, const MeshPart& part,
                       std::span<const int> slots, Json& primitive) {
  if (weights.empty()) return;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < part.vertex_count; ++i)
    longest = std::max(longest, weights.row(part.vertex_begin + i).size());
  const std::size_t sets = (longest + 3) / 4, count = part.vertex_count;
  const int last = slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end());
  const Component component = last <= 255 ? Component::kUnsignedByte : Component::kUnsignedShort;
  for (std::size_t s = 0; s < sets; ++s) {
    std::vector<std::uint32_t> joints(4 * count, 0);
    std::array<std::vector<float>, 3> numbers;
    for (auto& list : numbers) list.assign(4 * count, 0.0f);
    for (std::size_t i = 0; i < count; ++i) {
      const auto row = weights.row(part.vertex_begin + i);
      for (std::size_t k = 4 * s; k < std::min(row.size(), 4 * s + 4); ++k) {
        const std::size_t place = 4 * i + k % 4;
        if (slots[row[k].joint] < 0) continue;
        joints[place] = static_cast<std::uint32_t>(slots[row[k].joint]);
        numbers[0][place] = row[k].deformer_weight;
        numbers[1][place] = row[k].swing;
        numbers[2][place] = row[k].twist;
      }
    }
    Json& attributes = primitive["attributes"];
    attributes[kAttributes[0] + std::to_string(s)] =
        builder.add_integers(joints, "VEC4", component, kVertexTarget);
    for (std::size_t k = 0; k < 3; ++k)
      attributes[kAttributes[k + 1] + std::to_string(s)] =
          builder.add_floats(numbers[k], "VEC4", kVertexTarget, false);
  }
}

bool is_joint_weight_attribute(std::string_view name) {
  return std::any_of(kAttributes.begin(), kAttributes.end(),
                     [&](const char* prefix) { return name.starts_with(prefix); });
}

void put_joint_deformers(Json& root, const JointWeights& weights, std::span<const int> joint_nodes) {
  Json entry;
  if (!weights.empty()) {
    entry = {{"method", weights.method.empty() ? "painted" : weights.method}};
    for (std::size_t j = 0; j < std::min(weights.blends.size(), joint_nodes.size()); ++j)
      if (weights.blends[j] != JointBlend::kSwingTwist && joint_nodes[j] >= 0)
        entry["blends"].push_back({{"node", joint_nodes[j]}, {"blend", blend_name(weights.blends[j])}});
  }
  put_own_property(root, "joints", std::move(entry));
}

}  // namespace sinew::gltf
