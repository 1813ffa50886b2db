// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_mesh.h"

#include <Eigen/LU>
#include <atomic>
#include <cmath>
#include <limits>

#include "io/gltf_accessor.h"
#include "io/gltf_faces.h"
#include "sinew/core/parallel.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kMeshGrain = 1 << 14;

// The accessor of a vertex attribute, or -1; its width and count must be those given.
Result<int> attribute(const GltfDocument& document, const Json& attributes, const char* name, int width,
                      std::uint64_t count) {
  SINEW_TRY(const int index, index_member(attributes, name, document.accessors.size()));
  if (index < 0) return index;
  const Accessor& accessor = document.accessors[at(index)];
  if (accessor.rows != width || accessor.columns != 1)
    return bad_input("." + std::string(name) + " is accessors[" + std::to_string(index) +
                     "], which does not hold " + std::to_string(width) + " numbers per vertex");
  if (accessor.count != count)
    return bad_input("." + std::string(name) + " has " + std::to_string(accessor.count) + " elements for " +
                     std::to_string(count) + " vertices");
  return index;
}

Result<void> plan_attributes(GltfDocument& document, const Json& attributes, PartPlan& plan) {
  SINEW_TRY(plan.position, index_member(attributes, "POSITION", document.accessors.size()));
  if (plan.position < 0) return {};
  plan.vertices = document.accessors[at(plan.position)].count;
  SINEW_TRY(plan.position, attribute(document, attributes, "POSITION", 3, plan.vertices));
  SINEW_TRY(plan.normal, attribute(document, attributes, "NORMAL", 3, plan.vertices));
  SINEW_TRY(plan.texcoord, attribute(document, attributes, "TEXCOORD_0", 2, plan.vertices));
  if (document.nodes[at(plan.source.node)].skin < 0) return {};
  SINEW_TRY(plan.weights, find_weight_sets(document, attributes, plan.vertices, plan.place));
  if (plan.weights.joints.empty())
    document.warnings.push_back(plan.place +
                                " has no weights, but its node has a skin: carried by the node alone");
  else
    plan.source.skin = document.nodes[at(plan.source.node)].skin;
  return {};
}

Result<const Json*> attributes_of(const Json& primitive) {
  const Json* attributes = object_member(primitive, "attributes");
  if (!attributes) return bad_input(".attributes is missing: export the file again");
  return attributes;
}

// Meshes that no node shows are written again as they are, so they must at least be what readers can walk through.
Result<void> check_mesh(const GltfDocument& document, const Json& mesh) {
  auto primitives = object_list(mesh, "primitives");
  if (!primitives.ok()) return inside(".", primitives.error());
  for (std::size_t p = 0; p < (*primitives)->size(); ++p) {
    const Json& primitive = (**primitives)[p];
    const std::string place = item(".primitives", p);
    const auto attributes = attributes_of(primitive);
    if (!attributes.ok()) return inside(place, attributes.error());
    for (const char* name : {"POSITION", "NORMAL"})
      if (auto index = index_member(**attributes, name, document.accessors.size()); !index.ok())
        return inside(place + ".attributes", index.error());
    const auto targets = primitive.find("targets");
    if (targets == primitive.end() || !targets->is_array()) continue;  // kept as they are where they are none
    if (auto list = object_list(primitive, "targets"); !list.ok()) return inside(place + ".", list.error());
  }
  return {};
}

Result<void> plan_primitive(GltfDocument& document, PartPlan& plan) {
  SINEW_TRY(const Json* attributes, attributes_of(*plan.primitive));
  if (auto planned = plan_attributes(document, *attributes, plan); !planned.ok())
    return inside(".attributes", planned.error());
  SINEW_TRY(const std::uint64_t mode, whole_member(*plan.primitive, "mode", 4, 6));
  plan.mode = static_cast<int>(mode);
  SINEW_TRY(plan.indices, index_member(*plan.primitive, "indices", document.accessors.size()));
  plan.corners = plan.vertices;
  if (plan.indices < 0) return {};
  const Accessor& indices = document.accessors[at(plan.indices)];
  if (indices.width() != 1 || indices.component == Component::kFloat ||
      indices.component == Component::kByte || indices.component == Component::kShort)
    return bad_input(".indices is accessors[" + std::to_string(plan.indices) +
                     "], which does not hold unsigned numbers");
  plan.corners = indices.count;
  return {};
}

double sanitised(float value, std::atomic<std::size_t>& odd) {
  if (std::abs(value) <= kLargest) return value;
  odd.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

void note_mended(GltfDocument& document, const std::string& place, std::size_t odd) {
  if (odd == 0) return;
  document.mended_geometry = true;
  document.warnings.push_back(place + " holds " + std::to_string(odd) +
                              " coordinates that are not finite or too large: read as 0");
}

Result<void> read_positions(GltfDocument& document, const PartPlan& plan, const MeshPart& part,
                            PolyMesh& mesh) {
  auto stored = read_floats(document, document.accessors[at(plan.position)]);
  if (!stored.ok()) return inside(".attributes.POSITION", stored.error());
  std::atomic<std::size_t> odd = 0;
  Vec3* out = mesh.positions.data() + part.vertex_begin;
  parallel_for(part.vertex_count, kMeshGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* p = stored->data() + 3 * i;
      const Vec3 position(sanitised(p[0], odd), sanitised(p[1], odd), sanitised(p[2], odd));
      out[i] = part.to_bind * position;
      // In bind space, where a new file has it, it must fit as well.
      if (out[i].cwiseAbs().maxCoeff() <= kLargest) continue;
      out[i].setZero();
      odd.fetch_add(3, std::memory_order_relaxed);
    }
  });
  note_mended(document, plan.place + ".attributes.POSITION", odd);
  return {};
}

Result<void> read_normals(GltfDocument& document, const PartPlan& plan, const MeshPart& part,
                          PolyMesh& mesh) {
  auto stored = read_floats(document, document.accessors[at(plan.normal)]);
  if (!stored.ok()) return inside(".attributes.NORMAL", stored.error());
  const Mat3 linear = part.to_bind.linear();
  // Cofactors turn normals also where the map is singular, and keep them outward where it mirrors.
  Mat3 turn;
  turn << linear.col(1).cross(linear.col(2)), linear.col(2).cross(linear.col(0)),
      linear.col(0).cross(linear.col(1));
  if (linear.determinant() < 0) turn = -turn;
  Vec3f* out = mesh.normals.data() + part.vertex_begin;
  std::atomic<std::size_t> odd = 0;
  parallel_for(part.vertex_count, kMeshGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float* n = stored->data() + 3 * i;
      const Vec3 normal = turn * Vec3(sanitised(n[0], odd), sanitised(n[1], odd), sanitised(n[2], odd));
      const double length = normal.norm();
      out[i] = length > 0 && std::isfinite(length) ? Vec3f((normal / length).cast<float>()) : Vec3f::Zero();
    }
  });
  note_mended(document, plan.place + ".attributes.NORMAL", odd);
  return {};
}

Result<void> read_texcoords(const GltfDocument& document, const PartPlan& plan, const MeshPart& part,
                            PolyMesh& mesh) {
  auto stored = read_floats(document, document.accessors[at(plan.texcoord)]);
  if (!stored.ok()) return inside(".attributes.TEXCOORD_0", stored.error());
  for (std::size_t i = 0; i < part.vertex_count; ++i) {
    const float u = (*stored)[2 * i], v = (*stored)[2 * i + 1];
    mesh.texcoords[part.vertex_begin + i] =
        std::isfinite(u) && std::isfinite(v) ? Vec2f(u, v) : Vec2f::Zero();
  }
  return {};
}

std::string part_name(const GltfDocument& document, const PartSource& source) {
  std::string name = string_member(document.json["nodes"][at(source.node)], "name");
  if (name.empty()) name = string_member(document.json["meshes"][at(source.mesh)], "name");
  return name.empty() ? "mesh" + std::to_string(source.mesh) : name;
}

// What made the endpoint weights, as the file says it; values that it says nothing about were painted.
std::string endpoint_method(const Json& root) {
  const Json* place = &root;
  for (const char* key : {"extensions", "SINEW_rig", "endpoint"})
    if (place = object_member(*place, key); !place) return "painted";
  const std::string method = string_member(*place, "method");
  return method.empty() || method.size() > 64 ? "painted" : method;
}

MeshPart start_part(GltfDocument& document, const PartPlan& plan, const BoundSkeleton& skeleton,
                    std::uint32_t rigid, std::size_t vertices, std::size_t faces) {
  MeshPart part;
  part.name = part_name(document, plan.source);
  part.vertex_begin = vertices;
  part.vertex_count = plan.vertices;
  part.face_begin = faces;
  part.skinned = plan.source.skin >= 0;
  part.to_bind = part.skinned ? skeleton.skins[at(plan.source.skin)].to_bind : skeleton.bind[rigid];
  PartSource source = plan.source;
  source.flipped = part.to_bind.linear().determinant() < 0;
  document.parts.push_back(source);
  return part;
}

Result<void> read_part(GltfDocument& document, const PartPlan& plan, MeshPart& part, Rig& rig) {
  SINEW_CHECK(read_positions(document, plan, part, rig.mesh));
  if (!rig.mesh.normals.empty()) SINEW_CHECK(read_normals(document, plan, part, rig.mesh));
  if (!rig.mesh.texcoords.empty()) SINEW_CHECK(read_texcoords(document, plan, part, rig.mesh));
  SINEW_CHECK(read_faces(document, plan, document.parts.back().flipped, part, rig.mesh));
  return {};
}

}  // namespace

Result<std::vector<PartPlan>> plan_parts(GltfDocument& document) {
  SINEW_TRY(const Json* meshes, object_list(document.json, "meshes"));
  std::vector<PartPlan> plans;
  for (std::size_t m = 0; m < meshes->size(); ++m)
    if (auto sound = check_mesh(document, (*meshes)[m]); !sound.ok())
      return inside(item("meshes", m), sound.error());
  std::size_t seen = 0;
  for (std::size_t n = 0; n < document.nodes.size(); ++n) {
    const int mesh = document.nodes[n].mesh;
    if (mesh < 0) continue;
    SINEW_TRY(const Json* primitives, object_list((*meshes)[at(mesh)], "primitives"));
    seen += primitives->size();
    if (static_cast<double>(seen) * 1000 > memory_budget(document))
      return bad_input("the mesh nodes together have " + std::to_string(seen) +
                       " primitives, far more than the file has bytes for: split it");
    for (std::size_t p = 0; p < primitives->size(); ++p) {
      PartPlan plan;
      plan.source = {static_cast<int>(n), mesh, static_cast<int>(p), -1, false};
      plan.primitive = &(*primitives)[p];
      plan.place = item(item("meshes", at(mesh)) + ".primitives", p);
      if (auto planned = plan_primitive(document, plan); !planned.ok())
        return inside(plan.place, planned.error());
      if (plan.position >= 0)
        plans.push_back(std::move(plan));
      else
        document.warnings.push_back(plan.place + " has no POSITION: left out");
    }
  }
  return plans;
}

Result<void> check_budget(const GltfDocument& document, const std::vector<PartPlan>& plans) {
  double bytes = 0, vertices = 0, corners = 0, influences = 0;
  for (const PartPlan& plan : plans) {
    const double count = static_cast<double>(plan.vertices);
    vertices += count;
    corners += static_cast<double>(plan.corners) * (plan.mode > 4 ? 3 : 1);
    influences += count * 4 * static_cast<double>(plan.weights.joints.size());
    bytes += count * (60 + (plan.weights.has_twists()      ? 160
                            : plan.weights.has_endpoints() ? 120
                                                           : 80) *
                               static_cast<double>(plan.weights.joints.size()));
  }
  bytes += corners * 8;
  if (bytes > memory_budget(document))
    return bad_input("the mesh nodes together have " + std::to_string(static_cast<std::uint64_t>(vertices)) +
                     " vertices and " + std::to_string(static_cast<std::uint64_t>(corners)) +
                     " corners, far more than the file has bytes for: split it");
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  if (vertices >= kMost || corners >= kMost || influences >= kMost)
    return bad_input("the file holds more than 2^32 vertices, corners or weights: split it");
  return {};
}

Result<void> read_parts(GltfDocument& document, const std::vector<PartPlan>& plans, BoundSkeleton& skeleton,
                        Rig& rig, WeightReport& report) {
  std::size_t total = 0;
  for (const PartPlan& plan : plans) total += plan.vertices;
  rig.mesh.positions.resize(total);
  if (std::all_of(plans.begin(), plans.end(), [](const PartPlan& p) { return p.normal >= 0; }))
    rig.mesh.normals.resize(total);
  if (std::all_of(plans.begin(), plans.end(), [](const PartPlan& p) { return p.texcoord >= 0; }))
    rig.mesh.texcoords.resize(total);
  rig.weights.offsets.reserve(total + 1);
  const bool endpoints =
      std::any_of(plans.begin(), plans.end(), [](const PartPlan& p) { return p.weights.has_endpoints(); });
  const bool twists =
      std::any_of(plans.begin(), plans.end(), [](const PartPlan& p) { return p.weights.has_twists(); });
  std::size_t vertices = 0;
  std::vector<std::optional<std::uint32_t>> rigid(document.nodes.size());
  for (const PartPlan& plan : plans) {
    auto& joint = rigid[at(plan.source.node)];
    if (plan.source.skin < 0 && !joint) joint = rigid_joint(document, skeleton, plan.source.node);
    MeshPart part = start_part(document, plan, skeleton, joint.value_or(0), vertices, rig.mesh.face_count());
    if (auto read = read_part(document, plan, part, rig); !read.ok()) return inside(plan.place, read.error());
    if (part.skinned) {
      const BoundSkin& skin = skeleton.skins[at(plan.source.skin)];
      const auto positions = std::span(rig.mesh.positions).subspan(part.vertex_begin, part.vertex_count);
      auto rows = append_rows(document, plan.weights, skin, positions, rig.weights, report);
      if (rows.ok() && endpoints)
        rows = append_endpoints(document, plan.weights, plan.weights.endpoints, skin, rig.weights,
                                part.vertex_begin, rig.endpoint.values, report);
      // Twist without its own numbers goes by those of the stretch.
      if (rows.ok() && twists)
        rows = append_endpoints(document, plan.weights,
                                plan.weights.has_twists() ? plan.weights.twists : plan.weights.endpoints,
                                skin, rig.weights, part.vertex_begin, rig.endpoint.twist, report);
      if (!rows.ok()) return inside(plan.place, rows.error());
    } else {
      append_rigid_rows(*joint, part.vertex_count, rig.weights);
    }
    vertices += part.vertex_count;
    rig.parts.push_back(std::move(part));
  }
  if (!endpoints) return {};
  rig.endpoint.values.resize(rig.weights.entries.size(), 0.0f);
  if (twists) rig.endpoint.twist.resize(rig.weights.entries.size(), 0.0f);
  rig.endpoint.method = endpoint_method(document.json);
  return {};
}

}  // namespace sinew::gltf
