// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_flesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/flesh_code.h"
#include "io/gltf_accessor.h"
#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

constexpr int kFleshVersion = 4;            // fields are coded
constexpr int kVersionWithLists = 3;        // vertices, twist and values of fields are accessors
constexpr int kVersionWithoutPartners = 2;  // which is written where there are no fields, for older readers
constexpr double kWeightSteps = 65535;
constexpr std::uint32_t kZero = 128;  // what stands for 0, in lists

Json put_list(Builder& builder, const std::vector<std::uint32_t>& values) {
  const std::uint32_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  return builder.add_integers(values, "SCALAR", unsigned_component(most), kNoTarget);
}

Json put_weights_list(Builder& builder, const std::vector<ComposedInfluence>& entries,
                      float ComposedInfluence::*member) {
  std::vector<std::uint32_t> values;
  for (const ComposedInfluence& entry : entries)
    values.push_back(
        static_cast<std::uint32_t>(std::lround(static_cast<double>(entry.*member) * kWeightSteps)));
  return builder.add_integers(values, "SCALAR", Component::kUnsignedShort, kNoTarget);
}

Json field_json(Builder& builder, const FleshField& field, int node, int partner) {
  // Steps in front of the mixes: one accessor of floats.
  std::vector<float> drive = field.steps;
  drive.insert(drive.end(), field.mixes.begin(), field.mixes.end());
  Json json = {{"node", node},
               {"swing", field.range.swing},
               {"twist", field.range.twist},
               {"modes", field.modes()},
               {"accessors", {{"drive", builder.add_floats(drive, "SCALAR", kNoTarget, false)}}}};
  if (field.partner)
    json["partner"] = {
        {"node", partner}, {"swing", field.partner->range.swing}, {"twist", field.partner->range.twist}};
  return json;
}

class FleshReader {
 public:
  FleshReader(const GltfDocument& document, const Json& json, std::size_t deforming, bool coded)
      : document_(document), json_(json), deforming_(deforming), coded_(coded) {}

  Result<Flesh> read(std::size_t vertices) {
    vertices_ = vertices;
    Flesh flesh;
    flesh.tolerance = number(json_, "tolerance", 0, 0, 1e6);
    flesh.range = range(json_, flesh.range);
    SINEW_TRY(const std::vector<std::uint32_t> counts, list(json_, "counts"));
    SINEW_TRY(const std::vector<std::uint32_t> base, list(json_, "base"));
    SINEW_TRY(const std::vector<std::uint32_t> nodes, list(json_, "nodes"));
    SINEW_TRY(const std::vector<std::uint32_t> swing, list(json_, "swing"));
    SINEW_TRY(const std::vector<std::uint32_t> twist, list(json_, "twist"));
    if (counts.size() != vertices || base.size() != vertices) return flesh;  // of another mesh
    if (swing.size() != nodes.size() || twist.size() != nodes.size())
      return bad_input(".swing, .twist and .nodes differ in length");
    flesh.weights.offsets.push_back(0);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < vertices; ++i) {
      sum += counts[i];
      if (sum > nodes.size()) return bad_input(".counts does not cover its list");
      flesh.weights.offsets.push_back(static_cast<std::uint32_t>(sum));
      if (base[i] == 0) {
        flesh.weights.base.push_back(-1);
        continue;
      }
      SINEW_TRY(const std::uint32_t joint, joint_of(base[i] - 1));
      flesh.weights.base.push_back(static_cast<std::int32_t>(joint));
    }
    if (sum != nodes.size()) return bad_input(".counts does not cover its list");
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      SINEW_TRY(const std::uint32_t joint, joint_of(nodes[k]));
      flesh.weights.entries.push_back({joint, share(swing[k]), share(twist[k])});
    }
    SINEW_TRY(const Json* fields, object_list(json_, "fields"));
    for (std::size_t f = 0; f < fields->size(); ++f) {
      auto field = read_field((*fields)[f]);
      if (!field.ok()) return inside("." + item("fields", f), field.error());
      field->range = range((*fields)[f], flesh.range);
      auto partner = read_partner((*fields)[f], field->joint, flesh.range);
      if (!partner.ok()) return inside("." + item("fields", f), partner.error());
      field->partner = *partner;
      flesh.fields.push_back(*std::move(field));
    }
    if (coded_) SINEW_CHECK(decode(flesh.fields));
    return flesh;
  }

 private:
  static float share(std::uint32_t value) {
    return static_cast<float>(std::min(static_cast<double>(value) / kWeightSteps, 1.0));
  }
  static MotionRange range(const Json& owner, const MotionRange& fallback) {
    return {number(owner, "swing", fallback.swing, 0, 3.2), number(owner, "twist", fallback.twist, 0, 3.2)};
  }
  static double number(const Json& owner, const char* key, double fallback, double least, double most) {
    const auto found = owner.find(key);
    if (found == owner.end() || !found->is_number()) return fallback;
    const double value = found->get<double>();
    return std::isfinite(value) ? std::clamp(value, least, most) : fallback;
  }
  Result<std::uint32_t> joint_of(std::uint32_t node) const {
    if (node >= document_.node_joints.size() || document_.node_joints[node] < 0 ||
        static_cast<std::size_t>(document_.node_joints[node]) >= deforming_)
      return bad_input(" names node " + std::to_string(node) + ", which carries no vertices");
    return static_cast<std::uint32_t>(document_.node_joints[node]);
  }
  Result<const Accessor*> accessor_of(const Json& owner, const char* name) const {
    const Json* accessors = object_member(owner, "accessors");
    if (!accessors) return bad_input(" has no accessors");
    SINEW_TRY(const int index, index_member(*accessors, name, document_.accessors.size()));
    if (index < 0) return bad_input(std::string(" has no accessor .") + name);
    const Accessor& accessor = document_.accessors[static_cast<std::size_t>(index)];
    if (accessor.width() != 1) return bad_input(std::string(".") + name + " holds elements of another width");
    if (accessor.view < 0 && accessor.count > 1'000'000)
      return bad_input(std::string(".") + name + " has no data");
    return &accessor;
  }
  Result<std::vector<std::uint32_t>> list(const Json& owner, const char* name) const {
    SINEW_TRY(const Accessor* accessor, accessor_of(owner, name));
    std::vector<std::uint32_t> values(accessor->count);
    SINEW_CHECK(read_integers(document_, *accessor, values));
    return values;
  }
  Result<std::vector<float>> floats(const Json& owner, const char* name) const {
    SINEW_TRY(const Accessor* accessor, accessor_of(owner, name));
    return read_floats(document_, *accessor);
  }
  Result<std::optional<FleshPartner>> read_partner(const Json& field, std::uint32_t own,
                                                   const MotionRange& fallback) const {
    const auto found = field.find("partner");
    if (found == field.end()) return std::optional<FleshPartner>();
    if (!found->is_object()) return bad_input(".partner is not an object");
    SINEW_TRY(const int node, index_member(*found, "node", document_.node_joints.size()));
    if (node < 0) return bad_input(".partner has no node");
    SINEW_TRY(const std::uint32_t joint, joint_of(static_cast<std::uint32_t>(node)));
    if (joint == own) return bad_input(".partner is the joint of the field itself");
    return std::optional<FleshPartner>({joint, range(*found, fallback)});
  }
  Result<void> decode(std::span<FleshField> fields) const {
    SINEW_TRY(const int index, index_member(json_, "bufferView", document_.views.size()));
    if (index < 0) return bad_input(" has no .bufferView");
    const BufferView& view = document_.views[static_cast<std::size_t>(index)];
    const auto& buffer = document_.buffers[static_cast<std::size_t>(view.buffer)];
    if (!buffer || view.offset + view.length > buffer->size()) return bad_input(".bufferView has no data");
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(buffer->data() + view.offset);
    auto decoded = decode_fields({bytes, static_cast<std::size_t>(view.length)}, vertices_,
                                 memory_budget(document_), fields);
    if (!decoded.ok()) return inside(".bufferView", decoded.error());
    return {};
  }
  Result<FleshField> read_field(const Json& json) const {
    FleshField field;
    SINEW_TRY(const int node, index_member(json, "node", document_.node_joints.size()));
    if (node < 0) return bad_input(" has no node");
    SINEW_TRY(field.joint, joint_of(static_cast<std::uint32_t>(node)));
    SINEW_TRY(const std::vector<float> drive, floats(json, "drive"));
    const auto modes = json.find("modes");
    if (modes == json.end() || !modes->is_number_unsigned() || drive.empty() ||
        modes->get<std::uint64_t>() != drive.size() / (kTurnFunctions + 1) ||
        drive.size() % (kTurnFunctions + 1) != 0)
      return bad_input(fmt::format(".drive must hold {} numbers a mode", kTurnFunctions + 1));
    const auto count = static_cast<std::ptrdiff_t>(drive.size() / (kTurnFunctions + 1));
    field.steps.assign(drive.begin(), drive.begin() + count);
    field.mixes.assign(drive.begin() + count, drive.end());
    if (coded_) return field;
    SINEW_TRY(field.vertices, list(json, "vertices"));
    SINEW_TRY(const std::vector<std::uint32_t> twist, list(json, "twist"));
    SINEW_TRY(const std::vector<std::uint32_t> values, list(json, "values"));
    const std::size_t numbers = 3 * field.modes() * field.vertices.size();
    if (twist.size() != field.vertices.size() || values.size() != numbers)
      return bad_input(".values does not fit its vertices and modes");
    for (const std::uint32_t v : field.vertices)
      if (v >= vertices_)
        return bad_input(".vertices names vertex " + std::to_string(v) + ", which does not exist");
    for (const std::uint32_t t : twist) field.twist.push_back(share(t));
    const auto whole = [](std::uint32_t byte) {
      return static_cast<std::int8_t>(static_cast<int>(std::min(byte, 255u)) - static_cast<int>(kZero));
    };
    for (const std::uint32_t byte : values) field.values.push_back(whole(byte));
    return field;
  }

  const GltfDocument& document_;
  const Json& json_;
  std::size_t deforming_, vertices_ = 0;
  bool coded_;
};

}  // namespace

void put_flesh(Builder& builder, const Rig& rig, std::span<const int> joint_nodes) {
  Json json;
  const auto node_of = [&](std::uint32_t joint) {
    return joint < joint_nodes.size() ? joint_nodes[joint] : -1;
  };
  bool known = !rig.flesh.empty();
  for (const ComposedInfluence& entry : rig.flesh.weights.entries) known = known && node_of(entry.joint) >= 0;
  for (const std::int32_t base : rig.flesh.weights.base)
    known = known && (base < 0 || node_of(static_cast<std::uint32_t>(base)) >= 0);
  for (const FleshField& field : rig.flesh.fields)
    known = known && (!field.partner || node_of(field.partner->joint) >= 0);
  if (known) {
    const ComposedWeights& weights = rig.flesh.weights;
    std::vector<std::uint32_t> counts, base, nodes;
    for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
      counts.push_back(weights.offsets[i + 1] - weights.offsets[i]);
      base.push_back(weights.base[i] < 0
                         ? 0
                         : static_cast<std::uint32_t>(node_of(static_cast<std::uint32_t>(weights.base[i]))) +
                               1);
    }
    for (const ComposedInfluence& entry : weights.entries)
      nodes.push_back(static_cast<std::uint32_t>(node_of(entry.joint)));
    json = {{"version", rig.flesh.fields.empty() ? kVersionWithoutPartners : kFleshVersion},
            {"tolerance", rig.flesh.tolerance},
            {"swing", rig.flesh.range.swing},
            {"twist", rig.flesh.range.twist},
            {"accessors",
             {{"counts", put_list(builder, counts)},
              {"base", put_list(builder, base)},
              {"nodes", put_list(builder, nodes)},
              {"swing", put_weights_list(builder, weights.entries, &ComposedInfluence::swing)},
              {"twist", put_weights_list(builder, weights.entries, &ComposedInfluence::twist)}}},
            {"fields", Json::array()}};
    for (const FleshField& field : rig.flesh.fields)
      json["fields"].push_back(field_json(builder, field, node_of(field.joint),
                                          field.partner ? node_of(field.partner->joint) : -1));
    if (!rig.flesh.fields.empty())
      json["bufferView"] = builder.add_view(encode_fields(rig.mesh.positions, rig.flesh.fields), kNoTarget);
  }
  put_own_property(builder.json, "flesh", std::move(json));
}

Result<void> read_flesh(GltfDocument& document, Rig& rig) {
  const Json* extensions = object_member(document.json, "extensions");
  const Json* ours = extensions ? object_member(*extensions, "SINEW_rig") : nullptr;
  const Json* json = ours ? object_member(*ours, "flesh") : nullptr;
  if (!json) return {};
  const auto version = json->find("version");
  if (version == json->end() || !version->is_number_integer() ||
      version->get<std::int64_t>() < kVersionWithoutPartners ||
      version->get<std::int64_t>() > kFleshVersion) {
    document.warnings.push_back(
        "its flesh was written by another version and is left out: `sinew rig` makes it again");
    return {};
  }
  auto flesh = FleshReader(document, *json, rig.skeleton.deforming_count(),
                           version->get<std::int64_t>() > kVersionWithLists)
                   .read(rig.mesh.vertex_count());
  if (!flesh.ok()) return inside("extensions.SINEW_rig.flesh", flesh.error());
  if (flesh->empty() && rig.mesh.vertex_count() > 0)
    document.warnings.push_back(
        "its flesh belongs to another mesh and is left out: `sinew rig` makes it again");
  else
    rig.flesh = *std::move(flesh);
  return {};
}

}  // namespace sinew::gltf
