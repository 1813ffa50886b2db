// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_write_parts.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "io/gltf_joint_weights.h"
#include "io/gltf_polygons.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kPartGrain = 1 << 14;

bool only_triangles(const PolyMesh& mesh) {
  return mesh.face_vertices.size() == 3 * mesh.face_count();
}

// Vertices at one place share a normal, or texture seams would show.
std::vector<Vec3f> seamless_normals(const PolyMesh& mesh, const std::vector<Triangle>& triangles) {
  std::vector<Vec3f> out(mesh.vertex_count());
  if (mesh.texcoords.empty()) {
    const std::vector<Vec3> normals = vertex_normals({mesh.positions, triangles});
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = normals[i].cast<float>();
    return out;
  }
  const WeldedTriangles welded = weld_triangles({mesh.positions, triangles});
  const std::vector<Vec3> normals = vertex_normals(welded.view());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = normals[welded.weld.to_welded[i]].cast<float>();
  return out;
}

Mat3 normal_map(const Affine3& transform) {
  const Mat3 linear = transform.linear();
  const double determinant = linear.determinant();
  if (determinant == 0) return Mat3::Identity();
  return linear.inverse().transpose() * std::cbrt(std::abs(determinant));
}

// The largest weights of a row and their places in the skin, in float, so that the four-byte numbers sum to 1
// themselves; `kept` of them.
void fill_row(std::span<const Influence> row, std::span<const int> slots, std::size_t most,
              std::uint32_t* joints, float* weights, std::size_t& kept) {
  kept = 0;
  double sum = 0;
  for (const Influence& one : row) {
    if (kept == most || !(one.weight > 0) || slots[one.joint] < 0) break;
    joints[kept] = static_cast<std::uint32_t>(slots[one.joint]);
    weights[kept++] = static_cast<float>(one.weight);
    sum += one.weight;
  }
  if (kept == 0) {
    weights[0] =
        1;  // engines draw a vertex without weights at the origin: the first joint is the better place
    return;
  }
  float rest = 0;
  for (std::size_t k = kept; k-- > 1;) {
    weights[k] = static_cast<float>(weights[k] / sum);
    rest += weights[k];
  }
  weights[0] = 1 - rest;
}

// Weights as whole numbers whose rows, over all sets, sum to the largest number exactly: each is rounded
// down, and what is missing goes to the largest remainders. Set after set, four a vertex, as they come.
std::vector<std::uint32_t> whole_weights(std::span<const float> weights, std::size_t vertices,
                                         std::uint32_t whole) {
  std::vector<std::uint32_t> numbers(weights.size(), 0);
  const std::size_t width = vertices == 0 ? 0 : weights.size() / vertices;
  parallel_for(vertices, kPartGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<double> remainder(width);
    for (std::size_t i = begin; i < end; ++i) {
      const auto place = [&](std::size_t k) { return 4 * (k / 4 * vertices + i) + k % 4; };
      std::uint32_t missing = whole;
      for (std::size_t k = 0; k < width; ++k) {
        const double exact = static_cast<double>(std::clamp(weights[place(k)], 0.0f, 1.0f)) * whole;
        numbers[place(k)] = std::min(static_cast<std::uint32_t>(exact), missing);
        missing -= numbers[place(k)];
        remainder[k] = exact > 0 ? exact - numbers[place(k)] : -1;
      }
      for (; missing > 0; --missing) {
        const auto most = std::max_element(remainder.begin(), remainder.end());
        ++numbers[place(static_cast<std::size_t>(most - remainder.begin()))];
        *most -= 1;
      }
    }
  });
  return numbers;
}

CodedFaces coded_faces(const MeshTables& tables, const MeshPart& part) {
  const auto offset = static_cast<std::uint32_t>(part.vertex_begin);
  if (!tables.view.triangles.empty())
    return encode_polygons(tables.mesh, tables.view, part.face_begin, part.face_begin + part.face_count,
                           offset);
  CodedFaces faces;
  faces.triangles.resize(3 * part.face_count);
  parallel_for(faces.triangles.size(), kPartGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      faces.triangles[k] = tables.mesh.face_vertices[3 * part.face_begin + k] - offset;
  });
  return faces;
}

// Faces that the reader turned round go back as they were: the first corner stays the first.
CodedFaces flipped_faces(const PolyMesh& mesh, const MeshPart& part) {
  PolyMesh own;
  own.positions.assign(
      mesh.positions.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin),
      mesh.positions.begin() + static_cast<std::ptrdiff_t>(part.vertex_begin + part.vertex_count));
  std::vector<std::uint32_t> corners;
  for (std::size_t f = part.face_begin; f < part.face_begin + part.face_count; ++f) {
    corners.assign(mesh.face(f).begin(), mesh.face(f).end());
    for (std::uint32_t& corner : corners) corner -= static_cast<std::uint32_t>(part.vertex_begin);
    std::reverse(corners.begin() + 1, corners.end());
    own.add_face(corners);
  }
  return encode_polygons(own, triangulate(own), 0, own.face_count(), 0);
}

}  // namespace

MeshTables::MeshTables(const PolyMesh& source) : mesh(source) {
  if (!only_triangles(mesh)) view = triangulate(mesh);
  normals = mesh.normals;
  if (!normals.empty() || mesh.face_count() == 0) return;
  if (!only_triangles(mesh)) {
    computed = seamless_normals(mesh, view.triangles);
  } else {
    std::vector<Triangle> triangles(mesh.face_count());
    for (std::size_t f = 0; f < triangles.size(); ++f)
      std::copy_n(&mesh.face_vertices[3 * f], 3, triangles[f].begin());
    computed = seamless_normals(mesh, triangles);
  }
  normals = computed;
}

std::vector<MeshPart> parts_of(const Rig& rig) {
  if (!rig.parts.empty() || rig.mesh.positions.empty()) return rig.parts;
  MeshPart all;
  all.vertex_count = rig.mesh.vertex_count();
  all.face_count = rig.mesh.face_count();
  return {all};
}

void put_vertices(Builder& builder, const MeshTables& tables, const MeshPart& part, const ToStored& to_stored,
                  Json& primitive) {
  Json& attributes = ensure_object(primitive, "attributes");
  std::vector<Vec3f> vectors(part.vertex_count);
  parallel_for(part.vertex_count, kPartGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      vectors[i] = (to_stored.transform * tables.mesh.positions[part.vertex_begin + i]).cast<float>();
  });
  attributes["POSITION"] = builder.add_vectors(vectors, kVertexTarget, true);
  attributes.erase("TANGENT");
  if (const auto targets = primitive.find("targets"); targets != primitive.end() && targets->is_array())
    for (Json& target : *targets)
      if (target.is_object()) target.erase("TANGENT");
  if (tables.normals.empty()) {
    attributes.erase("NORMAL");
    return;
  }
  const Mat3 turn = normal_map(to_stored.transform);
  parallel_for(part.vertex_count, kPartGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 normal = turn * tables.normals[part.vertex_begin + i].cast<double>();
      const double length = normal.norm();
      vectors[i] =
          length > 1e-12 ? Vec3f((normal / length).cast<float>()) : Vec3f::UnitY();  // glTF wants unit length
    }
  });
  attributes["NORMAL"] = builder.add_vectors(vectors, kVertexTarget, false);
}

void put_texcoords(Builder& builder, const PolyMesh& mesh, const MeshPart& part, Json& primitive) {
  if (mesh.texcoords.empty() || part.vertex_count == 0) return;
  static_assert(sizeof(Vec2f) == 8);
  const std::span<const float> numbers(mesh.texcoords[part.vertex_begin].data(), 2 * part.vertex_count);
  ensure_object(primitive, "attributes")["TEXCOORD_0"] =
      builder.add_floats(numbers, "VEC2", kVertexTarget, false);
}

void put_faces(Builder& builder, const MeshTables& tables, const MeshPart& part, bool flipped,
               Json& primitive) {
  if (part.face_count == 0) return;
  const CodedFaces faces = flipped ? flipped_faces(tables.mesh, part) : coded_faces(tables, part);
  const Component component =
      part.vertex_count <= 65535 ? Component::kUnsignedShort : Component::kUnsignedInt;
  primitive["indices"] = builder.add_integers(faces.triangles, "SCALAR", component, kIndexTarget);
  primitive.erase("mode");
  if (primitive.contains("extensions") && primitive["extensions"].is_object()) {
    primitive["extensions"].erase("SINEW_rig");
    if (primitive["extensions"].empty()) primitive.erase("extensions");
  }
  if (faces.code.sizes.empty()) return;
  Json& polygons =
      ensure_object(ensure_object(ensure_object(primitive, "extensions"), "SINEW_rig"), "polygons");
  const std::uint32_t largest = *std::max_element(faces.code.sizes.begin(), faces.code.sizes.end());
  const Component small =
      unsigned_component(largest);  // its largest value, never a start, stands for kExplicit
  polygons["sizes"] = builder.add_integers(faces.code.sizes, "SCALAR", small, kNoTarget);
  polygons["starts"] = builder.add_integers(faces.code.starts, "SCALAR", small, kNoTarget);
  if (!faces.code.corners.empty())
    polygons["corners"] = builder.add_integers(faces.code.corners, "SCALAR", component, kNoTarget);
  declare_extension(builder.json, "SINEW_rig");
}

void erase_weights(Json& primitive) {
  Json& attributes = ensure_object(primitive, "attributes");
  for (auto attribute = attributes.begin(); attribute != attributes.end();)
    if (attribute.key().starts_with("JOINTS_") || attribute.key().starts_with("WEIGHTS_") ||
        attribute.key().starts_with("_SINEW_ENDPOINT_") || is_joint_weight_attribute(attribute.key()))
      attribute = attributes.erase(attribute);
    else
      ++attribute;
}

void put_own_property(Json& root, const char* key, Json value) {
  if (!value.is_null()) {
    ensure_object(ensure_object(root, "extensions"), "SINEW_rig")[key] = std::move(value);
    declare_extension(root, "SINEW_rig");
    return;
  }
  if (!root.contains("extensions") || !root["extensions"].is_object()) return;
  Json& extensions = root["extensions"];
  if (!extensions.contains("SINEW_rig") || !extensions["SINEW_rig"].is_object()) return;
  extensions["SINEW_rig"].erase(key);
  if (extensions["SINEW_rig"].empty()) extensions.erase("SINEW_rig");
  if (extensions.empty()) root.erase("extensions");
}

void put_endpoint_method(Json& root, const EndpointWeights& endpoint) {
  Json entry;
  if (!endpoint.empty()) entry = {{"method", endpoint.method.empty() ? "painted" : endpoint.method}};
  put_own_property(root, "endpoint", std::move(entry));
}

void put_weights(Builder& builder, const Rig& rig, const MeshPart& part, std::span<const int> slots,
                 const GltfWriteOptions& options, Json& primitive) {
  const SkinWeights& weights = rig.weights;
  erase_weights(primitive);
  std::size_t longest = 1;
  for (std::size_t i = part.vertex_begin; i < part.vertex_begin + part.vertex_count; ++i)
    longest = std::max(longest, weights.row(i).size());
  const std::size_t most = std::min(longest, static_cast<std::size_t>(std::max(options.influences, 1)));
  const std::size_t sets = (most + 3) / 4, width = 4 * sets, count = part.vertex_count;
  std::vector<std::uint32_t> joints(4 * sets * count, 0);
  std::vector<float> numbers(4 * sets * count, 0.0f);
  std::vector<float> endpoints(rig.endpoint.empty() ? 0 : numbers.size(), 0.0f);
  std::vector<float> twists(rig.endpoint.twist.empty() ? 0 : numbers.size(), 0.0f);
  parallel_for(count, kPartGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> row_joints(width);
    std::vector<float> row_numbers(width);
    for (std::size_t i = begin; i < end; ++i) {
      std::fill(row_joints.begin(), row_joints.end(), 0u);
      std::fill(row_numbers.begin(), row_numbers.end(), 0.0f);
      std::size_t kept = 0;
      fill_row(weights.row(part.vertex_begin + i), slots, most, row_joints.data(), row_numbers.data(), kept);
      const std::size_t first = weights.offsets[part.vertex_begin + i];
      for (std::size_t k = 0; k < kept; ++k) {
        const std::size_t place = 4 * (k / 4 * count + i) + k % 4;
        if (!endpoints.empty()) endpoints[place] = rig.endpoint.values[first + k];
        if (!twists.empty()) twists[place] = rig.endpoint.twist[first + k];
      }
      for (std::size_t s = 0; s < sets; ++s) {
        std::copy_n(&row_joints[4 * s], 4, &joints[4 * (s * count + i)]);
        std::copy_n(&row_numbers[4 * s], 4, &numbers[4 * (s * count + i)]);
      }
    }
  });
  std::vector<std::uint32_t> whole;
  if (options.weight_bits == 8 || options.weight_bits == 16)
    whole = whole_weights(numbers, count, options.weight_bits == 8 ? 255 : 65'535);
  // What rounds to nothing holds no joint.
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (whole.empty() ? numbers[k] == 0 : whole[k] == 0) joints[k] = 0;
  const int last = slots.empty() ? 0 : *std::max_element(slots.begin(), slots.end());
  const Component component = last <= 255 ? Component::kUnsignedByte : Component::kUnsignedShort;
  for (std::size_t s = 0; s < sets; ++s) {
    const std::string number = std::to_string(s);
    primitive["attributes"]["JOINTS_" + number] = builder.add_integers(
        std::span(joints).subspan(4 * s * count, 4 * count), "VEC4", component, kVertexTarget);
    const std::size_t first = 4 * s * count;
    if (whole.empty()) {
      primitive["attributes"]["WEIGHTS_" + number] =
          builder.add_floats(std::span(numbers).subspan(first, 4 * count), "VEC4", kVertexTarget, false);
    } else {
      const int accessor = builder.add_integers(
          std::span(whole).subspan(first, 4 * count), "VEC4",
          options.weight_bits == 8 ? Component::kUnsignedByte : Component::kUnsignedShort, kVertexTarget);
      builder.json["accessors"][static_cast<std::size_t>(accessor)]["normalized"] = true;
      primitive["attributes"]["WEIGHTS_" + number] = accessor;
    }
    if (!endpoints.empty())
      primitive["attributes"]["_SINEW_ENDPOINT_" + number] = builder.add_floats(
          std::span(endpoints).subspan(4 * s * count, 4 * count), "VEC4", kVertexTarget, false);
    if (!twists.empty())
      primitive["attributes"]["_SINEW_ENDPOINT_TWIST_" + number] = builder.add_floats(
          std::span(twists).subspan(4 * s * count, 4 * count), "VEC4", kVertexTarget, false);
  }
  put_joint_weights(builder, rig.joint_weights, part, slots, primitive);
}

void put_target(Builder& builder, std::span<const Vec3f> deltas, std::span<const Vec3f> normal_deltas,
                const MeshPart& part, const ToStored& to_stored, Json& primitive, bool sparse) {
  const auto added = [&](const std::vector<Vec3f>& values, bool with_bounds) {
    return sparse ? builder.add_sparse_vectors(values, with_bounds)
                  : builder.add_vectors(values, kVertexTarget, with_bounds);
  };
  const auto moved = [&](std::span<const Vec3f> all, const Mat3& map) {
    std::vector<Vec3f> own(part.vertex_count);
    parallel_for(own.size(), kPartGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        own[i] = (map * all[part.vertex_begin + i].cast<double>()).cast<float>();
    });
    return own;
  };
  Json target = {{"POSITION", added(moved(deltas, to_stored.transform.linear()), true)}};
  if (!normal_deltas.empty() && primitive["attributes"].contains("NORMAL"))
    target["NORMAL"] = added(moved(normal_deltas, normal_map(to_stored.transform)), false);
  ensure_array(primitive, "targets").push_back(std::move(target));
}

}  // namespace sinew::gltf
