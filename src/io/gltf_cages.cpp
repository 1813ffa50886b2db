// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_cages.h"

#include <algorithm>
#include <cmath>

#include "io/gltf_accessor.h"
#include "io/gltf_write_parts.h"

namespace sinew::gltf {
namespace {

// ------------------------------------------------------------------------------------------- writing
Json add_counts(Builder& builder, std::span<const std::uint32_t> offsets) {
  std::vector<std::uint32_t> counts;
  std::uint32_t most = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    counts.push_back(offsets[i] - offsets[i - 1]);
    most = std::max(most, counts.back());
  }
  return builder.add_integers(counts, "SCALAR", unsigned_component(most), kNoTarget);
}

Json add_list(Builder& builder, const std::vector<std::uint32_t>& values) {
  const std::uint32_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  return builder.add_integers(values, "SCALAR", unsigned_component(most), kNoTarget);
}

// Three accessors: entries of each row, their control points, their weights. Empty rows need none.
void put_rows(Builder& builder, const ControlRows& rows, const std::string& prefix, Json& accessors) {
  if (rows.entries.empty()) return;
  std::vector<std::uint32_t> controls;
  std::vector<float> weights;
  for (const ControlRows::Entry& entry : rows.entries) {
    controls.push_back(entry.control);
    weights.push_back(entry.weight);
  }
  accessors[prefix + "Counts"] = add_counts(builder, rows.offsets);
  accessors[prefix + "Controls"] = add_list(builder, controls);
  accessors[prefix + "Weights"] = builder.add_floats(weights, "SCALAR", kNoTarget, false);
}

void put_skin(Builder& builder, const SkinWeights& skin, std::span<const int> joint_nodes, Json& accessors) {
  std::vector<std::uint32_t> offsets{0}, nodes;
  std::vector<float> weights;
  for (std::size_t j = 0; j < skin.vertex_count(); ++j) {
    for (const Influence& influence : skin.row(j)) {
      if (influence.joint >= joint_nodes.size() || joint_nodes[influence.joint] < 0) continue;
      nodes.push_back(static_cast<std::uint32_t>(joint_nodes[influence.joint]));
      weights.push_back(static_cast<float>(influence.weight));
    }
    offsets.push_back(static_cast<std::uint32_t>(nodes.size()));
  }
  if (nodes.empty()) return;
  accessors["skinCounts"] = add_counts(builder, offsets);
  accessors["skinNodes"] = add_list(builder, nodes);
  accessors["skinWeights"] = builder.add_floats(weights, "SCALAR", kNoTarget, false);
}

Json cage_json(Builder& builder, const Cage& cage, std::span<const int> joint_nodes) {
  Json accessors = Json::object();
  std::vector<Vec3f> positions;
  for (const Vec3& p : cage.mesh.positions) positions.push_back(p.cast<float>());
  accessors["positions"] = builder.add_vectors(positions, kNoTarget, false);
  accessors["sizes"] = add_counts(builder, cage.mesh.face_offsets);
  accessors["corners"] = add_list(builder, cage.mesh.face_vertices);
  accessors["masks"] = builder.add_floats(cage.masks, "SCALAR", kNoTarget, false);
  put_rows(builder, cage.rows, "row", accessors);
  put_rows(builder, cage.volume, "volume", accessors);
  put_skin(builder, cage.weights, joint_nodes, accessors);
  return {{"name", cage.name},
          {"resolution", cage.resolution},
          {"dynamic", cage.dynamic},
          {"reach", cage.reach},
          {"accessors", std::move(accessors)}};
}

// ------------------------------------------------------------------------------------------- reading
class Reader {
 public:
  Reader(const GltfDocument& document, const Json& owner) : document_(document) {
    if (const Json* found = object_member(owner, "accessors")) accessors_ = found;
  }

  bool has(const std::string& name) const { return accessors_ && accessors_->contains(name); }

  Result<std::vector<std::uint32_t>> integers(const std::string& name) const {
    SINEW_TRY(const Accessor* accessor, find(name, 1));
    std::vector<std::uint32_t> values(accessor->count);
    SINEW_CHECK(read_integers(document_, *accessor, values));
    return values;
  }
  Result<std::vector<float>> floats(const std::string& name, int width) const {
    SINEW_TRY(const Accessor* accessor, find(name, width));
    std::vector<float> values(accessor->count * static_cast<std::uint64_t>(width));
    SINEW_CHECK(read_floats(document_, *accessor, values));
    return values;
  }

  // Offsets of rows from their lengths; they must cover `entries`.
  Result<std::vector<std::uint32_t>> offsets(const std::string& name, std::size_t entries) const {
    SINEW_TRY(const std::vector<std::uint32_t> counts, integers(name));
    std::vector<std::uint32_t> out{0};
    std::uint64_t sum = 0;
    for (const std::uint32_t count : counts) {
      sum += count;
      if (sum > entries) break;
      out.push_back(static_cast<std::uint32_t>(sum));
    }
    if (sum != entries) return bad_input("." + name + " does not cover its list: bind the cage again");
    return out;
  }

  Result<ControlRows> rows(const std::string& prefix) const {
    ControlRows rows;
    if (!has(prefix + "Counts")) return rows;
    SINEW_TRY(const std::vector<std::uint32_t> controls, integers(prefix + "Controls"));
    SINEW_TRY(const std::vector<float> weights, floats(prefix + "Weights", 1));
    SINEW_TRY(rows.offsets, offsets(prefix + "Counts", controls.size()));
    if (weights.size() != controls.size())
      return bad_input("." + prefix + "Weights has another length than its control points");
    for (std::size_t k = 0; k < controls.size(); ++k) rows.entries.push_back({controls[k], weights[k]});
    return rows;
  }

 private:
  Result<const Accessor*> find(const std::string& name, int width) const {
    if (!has(name)) return bad_input(" has no accessor ." + name);
    SINEW_TRY(const int index, index_member(*accessors_, name.c_str(), document_.accessors.size()));
    const Accessor& accessor = document_.accessors[static_cast<std::size_t>(index)];
    if (accessor.width() != width) return bad_input("." + name + " holds elements of another width");
    if (accessor.view < 0 && accessor.count > 1'000'000) return bad_input("." + name + " has no data");
    return &accessor;
  }

  const GltfDocument& document_;
  const Json* accessors_ = nullptr;
};

double number_member(const Json& json, const char* key, double fallback) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : fallback;
}

Result<void> read_skin(const GltfDocument& document, const Reader& reader, Cage& cage) {
  if (!reader.has("skinCounts")) return {};
  SINEW_TRY(const std::vector<std::uint32_t> nodes, reader.integers("skinNodes"));
  SINEW_TRY(const std::vector<float> weights, reader.floats("skinWeights", 1));
  SINEW_TRY(const std::vector<std::uint32_t> offsets, reader.offsets("skinCounts", nodes.size()));
  if (weights.size() != nodes.size() || offsets.size() != cage.mesh.vertex_count() + 1)
    return bad_input(".skinWeights does not fit the cage: bind it again");
  cage.weights.offsets = {0};
  std::vector<Influence> row;
  for (std::size_t j = 0; j + 1 < offsets.size(); ++j) {
    row.clear();
    for (std::uint32_t k = offsets[j]; k < offsets[j + 1]; ++k) {
      if (nodes[k] >= document.node_joints.size() || document.node_joints[nodes[k]] < 0)
        return bad_input(".skinNodes names node " + std::to_string(nodes[k]) + ", which is not a joint");
      if (!(weights[k] > 0 && weights[k] <= 1.001f)) continue;
      row.push_back({static_cast<std::uint32_t>(document.node_joints[nodes[k]]), weights[k]});
    }
    cage.weights.add_row(row);
  }
  return {};
}

Result<Cage> read_cage(const GltfDocument& document, const Json& json) {
  const Reader reader(document, json);
  Cage cage;
  cage.name = string_member(json, "name").substr(0, 256);
  cage.resolution = static_cast<int>(std::clamp(number_member(json, "resolution", 0), 0.0, 100.0));
  cage.reach = std::clamp(number_member(json, "reach", 0.1), 0.0, 1e6);
  if (const auto dynamic = json.find("dynamic"); dynamic != json.end() && dynamic->is_boolean())
    cage.dynamic = dynamic->get<bool>();
  SINEW_TRY(const std::vector<float> positions, reader.floats("positions", 3));
  for (std::size_t k = 0; k + 2 < positions.size(); k += 3) {
    const Vec3f p(positions[k], positions[k + 1], positions[k + 2]);
    cage.mesh.positions.push_back(p.allFinite() ? Vec3(p.cast<double>()) : Vec3(Vec3::Zero()));
  }
  SINEW_TRY(cage.mesh.face_vertices, reader.integers("corners"));
  SINEW_TRY(cage.mesh.face_offsets, reader.offsets("sizes", cage.mesh.face_vertices.size()));
  SINEW_TRY(cage.masks, reader.floats("masks", 1));
  for (float& mask : cage.masks) mask = std::isnan(mask) ? 0.0f : std::clamp(mask, 0.0f, 1.0f);
  SINEW_TRY(cage.rows, reader.rows("row"));
  SINEW_TRY(cage.volume, reader.rows("volume"));
  SINEW_CHECK(read_skin(document, reader, cage));
  return cage;
}

Result<PointHandles> read_handles(const GltfDocument& document, const Json& json) {
  PointHandles handles;
  SINEW_TRY(const Json* points, object_list(json, "points"));
  for (const Json& entry : *points) {
    PointHandle point;
    point.name = string_member(entry, "name").substr(0, 256);
    SINEW_TRY(const std::vector<double> at, number_list(entry, "position", 3));
    if (at.size() == 3) point.position = Vec3(at[0], at[1], at[2]);
    SINEW_TRY(const int node, index_member(entry, "node", document.node_joints.size()));
    if (node >= 0) point.joint = document.node_joints[static_cast<std::size_t>(node)];
    handles.points.push_back(std::move(point));
  }
  SINEW_TRY(handles.weights, Reader(document, json).rows("row"));
  return handles;
}

}  // namespace

void put_cages(Builder& builder, const Rig& rig, std::span<const int> joint_nodes) {
  Json cages, handles;
  for (const Cage& cage : rig.cages) cages.push_back(cage_json(builder, cage, joint_nodes));
  put_own_property(builder.json, "cages", std::move(cages));
  if (!rig.points.empty()) {
    for (const PointHandle& point : rig.points.points) {
      Json entry = {{"name", point.name},
                    {"position", {point.position.x(), point.position.y(), point.position.z()}}};
      if (point.joint >= 0 && joint_nodes[static_cast<std::size_t>(point.joint)] >= 0)
        entry["node"] = joint_nodes[static_cast<std::size_t>(point.joint)];
      handles["points"].push_back(std::move(entry));
    }
    Json accessors = Json::object();
    put_rows(builder, rig.points.weights, "row", accessors);
    handles["accessors"] = std::move(accessors);
  }
  put_own_property(builder.json, "handles", std::move(handles));
}

Result<void> read_cages(GltfDocument& document, Rig& rig) {
  const Json* extensions = object_member(document.json, "extensions");
  const Json* ours = extensions ? object_member(*extensions, "SINEW_rig") : nullptr;
  if (!ours) return {};
  const std::size_t n = rig.mesh.vertex_count();
  SINEW_TRY(const Json* cages, object_list(*ours, "cages"));
  for (std::size_t c = 0; c < cages->size(); ++c) {
    auto cage = read_cage(document, (*cages)[c]);
    if (!cage.ok()) return inside("extensions.SINEW_rig." + item("cages", c), cage.error());
    if (cage->rows.size() == n && cage->masks.size() == n)
      rig.cages.push_back(*std::move(cage));
    else
      document.warnings.push_back("the cage was bound to another mesh and is left out: bind it again");
  }
  if (const Json* json = object_member(*ours, "handles")) {
    auto handles = read_handles(document, *json);
    if (!handles.ok()) return inside("extensions.SINEW_rig.handles", handles.error());
    if (handles->weights.size() == n)
      rig.points = *std::move(handles);
    else
      document.warnings.push_back("the point handles belong to another mesh and are left out");
  }
  return {};
}

}  // namespace sinew::gltf
