// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sinew/core/text.h"
#include "sinew/rig/rig.h"

namespace sinew {
namespace {

std::string number(std::size_t value) {
  return std::to_string(value);
}

std::string quoted(std::string_view name) {
  return "\"" + printable(name) + "\"";
}

template <class Vector>
std::size_t first_not_finite(const std::vector<Vector>& list) {
  const auto bad = std::find_if(list.begin(), list.end(), [](const Vector& v) { return !v.allFinite(); });
  return static_cast<std::size_t>(bad - list.begin());
}

// Vectors per vertex: as many as vertices (or none, where they may be left out), all finite.
template <class Vector>
Result<void> check_per_vertex(const std::vector<Vector>& list, std::size_t vertices, const std::string& what,
                              bool optional) {
  if (list.size() != vertices && !(optional && list.empty()))
    return bad_input(what + " has " + number(list.size()) + " entries for " + number(vertices) + " vertices");
  if (const std::size_t bad = first_not_finite(list); bad < list.size())
    return bad_input(what + " is not finite at vertex " + number(bad));
  return {};
}

Result<void> check_mesh(const PolyMesh& mesh) {
  const std::size_t vertices = mesh.vertex_count();
  SINEW_CHECK(check_per_vertex(mesh.positions, vertices, "the position list", false));
  SINEW_CHECK(check_per_vertex(mesh.normals, vertices, "the normal list", true));
  SINEW_CHECK(check_per_vertex(mesh.texcoords, vertices, "the texture coordinate list", true));
  const std::vector<std::uint32_t>& offsets = mesh.face_offsets;
  if (offsets.empty() && !mesh.face_vertices.empty()) return bad_input("the mesh has corners but no faces");
  if (!offsets.empty() && (offsets.front() != 0 || offsets.back() != mesh.face_vertices.size()))
    return bad_input("the faces do not cover the corner list");
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    if (offsets[f + 1] < offsets[f] || offsets[f + 1] - offsets[f] < 3)
      return bad_input("face " + number(f) + " has fewer than three corners");
  for (std::size_t c = 0; c < mesh.face_vertices.size(); ++c)
    if (mesh.face_vertices[c] >= vertices)
      return bad_input("a face names vertex " + number(mesh.face_vertices[c]) + ", but the mesh has only " +
                       number(vertices));
  return {};
}

// Every face of a part uses the part's own vertices, and the parts follow each other without gaps.
Result<void> check_parts(const Rig& rig) {
  std::size_t vertex = 0, face = 0;
  for (const MeshPart& part : rig.parts) {
    const std::size_t vertices_left = rig.mesh.vertex_count() - vertex,
                      faces_left = rig.mesh.face_count() - face;
    if (part.vertex_begin != vertex || part.face_begin != face || part.vertex_count > vertices_left ||
        part.face_count > faces_left)
      return bad_input("mesh part " + quoted(part.name) + " does not start where the one before it ends");
    if (!part.to_bind.matrix().allFinite())
      return bad_input("mesh part " + quoted(part.name) + " has a transform that is not finite");
    for (std::size_t f = face; f < face + part.face_count; ++f)
      for (const std::uint32_t i : rig.mesh.face(f))
        if (i < vertex || i - vertex >= part.vertex_count)
          return bad_input("face " + number(f) + " of mesh part " + quoted(part.name) +
                           " uses a vertex of another part");
    vertex += part.vertex_count;
    face += part.face_count;
  }
  if (vertex != rig.mesh.vertex_count() || face != rig.mesh.face_count())
    return bad_input("the mesh parts do not cover the mesh");
  return {};
}

Result<void> check_row(std::span<const Influence> row, std::size_t i, std::vector<std::size_t>& last_row_of) {
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k].joint >= last_row_of.size())
      return bad_input("vertex " + number(i) + " is bound to joint " + number(row[k].joint) +
                       ", but the skeleton has only " + number(last_row_of.size()));
    if (!std::isfinite(row[k].weight))
      return bad_input("vertex " + number(i) + " has a weight that is not finite");
    if (last_row_of[row[k].joint] == i + 1)
      return bad_input("vertex " + number(i) + " is bound twice to joint " + number(row[k].joint));
    last_row_of[row[k].joint] = i + 1;
    const bool sorted = k == 0 || row[k - 1].weight > row[k].weight ||
                        (row[k - 1].weight == row[k].weight && row[k - 1].joint < row[k].joint);
    if (!sorted || row[k].weight == 0)
      return bad_input("the weights of vertex " + number(i) + " are not sorted, or hold a zero");
  }
  return {};
}

Result<void> check_weights(const SkinWeights& weights, std::size_t vertices, std::size_t joints) {
  if (weights.vertex_count() != vertices)
    return bad_input("there are weights for " + number(weights.vertex_count()) + " of " + number(vertices) +
                     " vertices");
  if (!weights.offsets.empty() &&
      (weights.offsets.front() != 0 || weights.offsets.back() != weights.entries.size() ||
       !std::is_sorted(weights.offsets.begin(), weights.offsets.end())))
    return bad_input("the weight rows do not cover the weight list");
  std::vector<std::size_t> last_row_of(joints, 0);
  for (std::size_t i = 0; i < vertices; ++i) SINEW_CHECK(check_row(weights.row(i), i, last_row_of));
  return {};
}

Result<void> check_endpoints(const EndpointWeights& endpoint, std::size_t entries) {
  if (endpoint.empty()) return {};
  if (endpoint.values.size() != entries)
    return bad_input("there are " + number(endpoint.values.size()) + " endpoint weights for " +
                     number(entries) + " weights");
  if (!endpoint.twist.empty() && endpoint.twist.size() != entries)
    return bad_input("there are " + number(endpoint.twist.size()) + " endpoint weights of twist for " +
                     number(entries) + " weights");
  for (const auto* list : {&endpoint.values, &endpoint.twist})
    if (!std::all_of(list->begin(), list->end(), [](float e) { return e >= 0 && e <= 1; }))
      return bad_input("an endpoint weight does not lie between 0 and 1");
  return {};
}

bool is_share(float value) {
  return value >= 0 && value <= 1;
}

Result<void> check_flesh(const Flesh& flesh, std::size_t vertices, std::size_t joints) {
  if (flesh.empty()) return {};
  const ComposedWeights& weights = flesh.weights;
  const Error bad = bad_input("the flesh does not fit the mesh: make it again");
  if (weights.vertex_count() != vertices || weights.offsets.size() != vertices + 1 ||
      weights.offsets[0] != 0 || weights.offsets.back() != weights.entries.size() ||
      !std::is_sorted(weights.offsets.begin(), weights.offsets.end()))
    return bad;
  for (const std::int32_t base : weights.base)
    if (base < -1 || base >= static_cast<std::int64_t>(joints)) return bad;
  for (const ComposedInfluence& entry : weights.entries)
    if (entry.joint >= joints || !is_share(entry.swing) || !is_share(entry.twist)) return bad;
  for (const FleshField& field : flesh.fields) {
    const std::size_t modes = field.modes(), numbers = 3 * modes * field.vertices.size();
    if (field.joint >= joints || field.mixes.size() != kTurnFunctions * modes ||
        field.twist.size() != field.vertices.size() || field.values.size() != numbers)
      return bad;
    if (field.partner && (field.partner->joint >= joints || field.partner->joint == field.joint)) return bad;
    for (const float mix : field.mixes)
      if (!std::isfinite(mix)) return bad;
    for (const float step : field.steps)
      if (!std::isfinite(step)) return bad;
    for (const std::uint32_t v : field.vertices)
      if (v >= vertices) return bad;
    for (const float share : field.twist)
      if (!is_share(share)) return bad;
  }
  return {};
}

Result<void> check_joint_weights(const JointWeights& weights, std::size_t vertices, std::size_t joints) {
  if (weights.empty()) return {};
  if (weights.vertex_count() != vertices)
    return bad_input("there are joint weights for " + number(weights.vertex_count()) + " of " +
                     number(vertices) + " vertices");
  if (weights.offsets.front() != 0 || weights.offsets.back() != weights.entries.size() ||
      !std::is_sorted(weights.offsets.begin(), weights.offsets.end()))
    return bad_input("the rows of the joint weights do not cover their entries");
  const auto whole = [](float value) { return value >= 0 && value <= 1; };
  for (const JointInfluence& entry : weights.entries) {
    if (entry.joint >= joints)
      return bad_input("joint weights name joint " + number(entry.joint) + " of " + number(joints));
    if (!whole(entry.deformer_weight) || !whole(entry.swing) || !whole(entry.twist))
      return bad_input("a joint weight does not lie between 0 and 1");
  }
  if (!weights.blends.empty() && weights.blends.size() != joints)
    return bad_input("there are blends for " + number(weights.blends.size()) + " of " + number(joints) +
                     " joints");
  return {};
}

Result<void> check_skeleton(const Rig& rig) {
  if (rig.inverse_bind.size() != rig.skeleton.size())
    return bad_input("there are " + number(rig.inverse_bind.size()) + " inverse bind matrices for " +
                     number(rig.skeleton.size()) + " joints");
  for (std::size_t j = 0; j < rig.inverse_bind.size(); ++j)
    if (!rig.inverse_bind[j].matrix().allFinite())
      return bad_input("the inverse bind matrix of joint " + quoted(rig.skeleton[j].name) + " is not finite");
  return {};
}

Result<void> check_keys(const Rig& rig) {
  for (const ShapeKey& key : rig.keys) {
    const std::string what = "shape key " + quoted(key.name);
    SINEW_CHECK(check_per_vertex(key.deltas, rig.mesh.vertex_count(), what, false));
    SINEW_CHECK(check_per_vertex(key.normal_deltas, rig.mesh.vertex_count(), what, true));
    if (!std::isfinite(key.default_weight))
      return bad_input(what + " has a default weight that is not finite");
  }
  return {};
}

Result<void> check_channel(const Rig& rig, const Channel& channel, const std::string& where) {
  const bool drives_keys = channel.path == ChannelPath::kKeyWeights;
  const int wanted = drives_keys                              ? std::max(channel.width, 1)
                     : channel.path == ChannelPath::kRotation ? 4
                                                              : 3;
  if (channel.width != wanted)
    return bad_input(where + " has " + std::to_string(channel.width) + " numbers per keyframe");
  const auto width = static_cast<std::size_t>(wanted),
             targets = drives_keys ? rig.keys.size() : rig.skeleton.size();
  const std::size_t used = drives_keys ? width : 1;
  if (channel.joint < 0 || used > targets || static_cast<std::size_t>(channel.joint) > targets - used)
    return bad_input(where + " moves a joint or a shape key that does not exist");
  const std::size_t stride = channel.interpolation == Interpolation::kCubicSpline ? 3 * width : width;
  if (channel.times.empty() || channel.values.size() != channel.times.size() * stride)
    return bad_input(where + " has " + number(channel.values.size()) + " numbers for " +
                     number(channel.times.size()) + " keys");
  const auto finite = [](float x) { return std::isfinite(x); };
  if (!std::all_of(channel.times.begin(), channel.times.end(), finite) ||
      !std::all_of(channel.values.begin(), channel.values.end(), finite))
    return bad_input(where + " holds a number that is not finite");
  if (!std::is_sorted(channel.times.begin(), channel.times.end()))
    return bad_input(where + " has times that decrease");
  return {};
}

Result<void> check_rows(const ControlRows& rows, std::size_t count, std::size_t controls,
                        const std::string& what) {
  if (rows.size() != count ||
      (count > 0 && (rows.offsets.front() != 0 || rows.offsets.back() != rows.entries.size() ||
                     !std::is_sorted(rows.offsets.begin(), rows.offsets.end()))))
    return bad_input(what + " has " + number(rows.size()) + " rows for " + number(count) + " vertices");
  for (const ControlRows::Entry& entry : rows.entries)
    if (entry.control >= controls || !(entry.weight >= 0 && entry.weight <= 1.001f))
      return bad_input(what + " names a control point that does not exist, or a weight outside 0 ... 1");
  return {};
}

Result<void> check_cages(const Rig& rig) {
  for (const Cage& cage : rig.cages) {
    const std::string what = "cage " + quoted(cage.name);
    const std::size_t controls = cage.mesh.vertex_count();
    if (auto mesh = check_mesh(cage.mesh); !mesh.ok()) return bad_input(what + ": " + mesh.error().message);
    SINEW_CHECK(check_rows(cage.rows, rig.mesh.vertex_count(), controls, what));
    if (cage.volume.size() > 0) SINEW_CHECK(check_rows(cage.volume, cage.volume.size(), controls, what));
    if (cage.masks.size() != rig.mesh.vertex_count() ||
        !std::all_of(cage.masks.begin(), cage.masks.end(), [](float m) { return m >= 0 && m <= 1; }))
      return bad_input(what + " has masks that do not fit the mesh");
    if (cage.weights.vertex_count() > 0)
      SINEW_CHECK(check_weights(cage.weights, controls, rig.skeleton.size()));
    if (cage.resolution < 1 || cage.resolution > 10 || !std::isfinite(cage.reach))
      return bad_input(what + " has a resolution outside 1 ... 10, or a reach that is not finite");
  }
  if (rig.points.empty()) return {};
  for (const PointHandle& point : rig.points.points)
    if (!point.position.allFinite() || point.joint >= static_cast<int>(rig.skeleton.size()))
      return bad_input("point handle " + quoted(point.name) + " does not fit the rig");
  return check_rows(rig.points.weights, rig.mesh.vertex_count(), rig.points.points.size(),
                    "the list of point handles");
}

}  // namespace

Result<void> validate(const Rig& rig) {
  SINEW_CHECK(check_mesh(rig.mesh));
  SINEW_CHECK(check_parts(rig));
  SINEW_CHECK(check_skeleton(rig));
  SINEW_CHECK(check_weights(rig.weights, rig.mesh.vertex_count(), rig.skeleton.size()));
  SINEW_CHECK(check_endpoints(rig.endpoint, rig.weights.entries.size()));
  SINEW_CHECK(check_flesh(rig.flesh, rig.mesh.vertex_count(), rig.skeleton.deforming_count()));
  SINEW_CHECK(check_joint_weights(rig.joint_weights, rig.mesh.vertex_count(), rig.skeleton.size()));
  SINEW_CHECK(check_keys(rig));
  SINEW_CHECK(check_cages(rig));
  for (const VertexAttribute& attribute : rig.attributes)
    if (attribute.values.size() != rig.mesh.vertex_count())
      return bad_input("attribute " + quoted(attribute.name) + " has " + number(attribute.values.size()) +
                       " entries for " + number(rig.mesh.vertex_count()) + " vertices");
  for (const auto& edge : rig.loose_edges)
    if (std::max(edge[0], edge[1]) >= rig.mesh.vertex_count())
      return bad_input("a loose edge names vertex " + number(std::max(edge[0], edge[1])) +
                       ", but the mesh has only " + number(rig.mesh.vertex_count()));
  for (const Clip& clip : rig.clips)
    for (std::size_t c = 0; c < clip.channels.size(); ++c)
      SINEW_CHECK(
          check_channel(rig, clip.channels[c], "channel " + number(c) + " of clip " + quoted(clip.name)));
  return {};
}

}  // namespace sinew
