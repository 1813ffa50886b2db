// SPDX-License-Identifier: Apache-2.0
#include "sinew/report/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sinew/autorig/iso_curves.h"
#include "sinew/core/parallel.h"
#include "sinew/core/text.h"
#include "sinew/mesh/bvh.h"
#include "sinew/render/decode_image.h"
#include "sinew/rig/flesh.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/weights/flesh.h"

namespace sinew {
namespace {

std::vector<float> weights_of(const Rig& rig, std::size_t joint) {
  std::vector<float> values(rig.mesh.vertex_count(), 0.0f);
  for (std::size_t i = 0; i < rig.weights.vertex_count(); ++i)
    for (const Influence& influence : rig.weights.row(i))
      if (influence.joint == joint) values[i] = static_cast<float>(influence.weight);
  return values;
}

// Where a joint has no part in a vertex, nothing is known of how far it would go along: drawn grey.
constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// One of the figures that a joint has for a vertex: share, swing or twist.
std::vector<float> joint_values(const Rig& rig, std::size_t joint, float JointInfluence::*figure) {
  std::vector<float> values(rig.mesh.vertex_count(),
                            figure == &JointInfluence::deformer_weight ? 0.0f : kUnknown);
  for (std::size_t i = 0; i < rig.joint_weights.vertex_count(); ++i)
    for (const JointInfluence& influence : rig.joint_weights.row(i))
      if (influence.joint == joint) values[i] = influence.*figure;
  return values;
}

// The same of flesh. A joint that carries a vertex whole has 1 there, by the base that it hangs on.
std::vector<float> flesh_values(const Rig& rig, std::size_t joint, float ComposedInfluence::*figure) {
  const ComposedWeights& weights = rig.flesh.weights;
  const std::vector<int> parents = bone_parents(rig.skeleton);
  std::vector<float> values(rig.mesh.vertex_count(), 0.0f);
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    for (int a = weights.base[i]; a >= 0; a = parents[static_cast<std::size_t>(a)])
      if (static_cast<std::size_t>(a) == joint) values[i] = 1;
    for (const ComposedInfluence& entry : weights.row(i))
      if (entry.joint == joint) values[i] = entry.*figure;
  }
  return values;
}

// How far the corrective fields of a joint move each vertex at most, over the rotations that they were made for.
std::vector<float> field_shifts(const Rig& rig, std::size_t joint) {
  Flesh own;
  for (const FleshField& field : rig.flesh.fields)
    if (field.joint == joint) own.fields.push_back(field);
  std::vector<float> values(rig.mesh.vertex_count(), 0.0f);
  if (own.fields.empty()) return values;
  std::vector<JointMove> moves(rig.skeleton.size());
  moves[joint].still = false;
  for (const Vec3& turn : motion_samples(own.fields[0].range)) {
    moves[joint].turn = turn;
    std::vector<Vec3> shifts(values.size(), Vec3::Zero());
    add_flesh_fields(own, {}, moves, shifts, {});
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::max(values[i], static_cast<float>(shifts[i].norm()));
  }
  return values;
}

std::vector<float> endpoints_of(const Rig& rig, std::size_t joint) {
  std::vector<float> values(rig.mesh.vertex_count(), kUnknown);
  for (std::size_t i = 0; i < rig.weights.vertex_count(); ++i)
    for (std::size_t k = rig.weights.offsets[i]; k < rig.weights.offsets[i + 1]; ++k)
      if (rig.weights.entries[k].joint == joint) values[i] = rig.endpoint.values[k];
  return values;
}

Result<std::vector<float>> distances_to(const PolyMesh& mesh, const PolyMesh& other) {
  std::vector<float> values(mesh.vertex_count());
  // Meshes with the same vertices are compared vertex by vertex, which also sees sliding along the surface.
  if (mesh.vertex_count() == other.vertex_count() && mesh.face_vertices == other.face_vertices) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>((mesh.positions[i] - other.positions[i]).norm());
    return values;
  }
  const TriangleView view = triangulate(other);
  if (view.triangles.empty()) return impossible("the mesh to measure the distance to has no faces");
  const Bvh bvh({other.positions, view.triangles});
  parallel_for(values.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      values[i] = static_cast<float>((bvh.nearest(mesh.positions[i]).point - mesh.positions[i]).norm());
  });
  return values;
}

// What a joint has of every vertex. What stands before a colon is a channel only if no joint bears the whole
// name; other prefixes are those of joints, which Skeleton::find knows.
Result<std::vector<float>> weights_channel(const Rig& rig, const std::string& text, HeatMap& heat) {
  const bool is_joint = std::any_of(rig.skeleton.joints().begin(), rig.skeleton.joints().end(),
                                    [&](const Joint& joint) { return joint.name == text; });
  const std::size_t colon = text.find(':');
  std::string channel = is_joint || colon == std::string::npos ? "" : text.substr(0, colon);
  if (channel == "share") channel = "deformer";  // its name in 0.1
  if (channel != "swing" && channel != "twist" && channel != "deformer" && channel != "endpoint" &&
      channel != "field")
    channel = "";
  const auto joint = rig.skeleton.find(channel.empty() ? text : text.substr(colon + 1));
  if (!joint)
    return parameter_error(
        "heat",
        fmt::format("is '{}': give the name of a joint ('sinew info' lists them), swing:JOINT, "
                    "twist:JOINT, deformer:JOINT, field:JOINT, endpoint:JOINT, rings or distance=FILE",
                    printable(text)));
  heat.title = (channel.empty() ? "weight" : channel) + " of " + printable(rig.skeleton[*joint].name, 40);
  if (channel.empty()) return weights_of(rig, *joint);
  if (channel == "endpoint") {
    if (rig.endpoint.empty())
      return impossible("the rig has no endpoint weights: `sinew weights` with endpoint makes them");
    return endpoints_of(rig, *joint);
  }
  if (channel == "field") {
    if (rig.flesh.empty()) return impossible("the rig has no flesh: `sinew rig` makes it");
    std::vector<float> values = field_shifts(rig, *joint);
    const float largest = values.empty() ? 0.0f : *std::max_element(values.begin(), values.end());
    heat.high = largest > 0 ? static_cast<double>(largest) : 1;
    return values;
  }
  if (rig.joint_weights.empty() && !rig.flesh.empty() && channel != "deformer")
    return flesh_values(rig, *joint,
                        channel == "swing" ? &ComposedInfluence::swing : &ComposedInfluence::twist);
  if (rig.joint_weights.empty()) return impossible("the rig has no joint weights: `sinew rig` makes them");
  return joint_values(rig, *joint,
                      channel == "swing"   ? &JointInfluence::swing
                      : channel == "twist" ? &JointInfluence::twist
                                           : &JointInfluence::deformer_weight);
}

// The values of the channel asked for, and a title for its legend.
// Stripes along the iso-curves: dark and middle for closed ones, light for open ones.
Result<std::vector<float>> rings_channel(const PolyMesh& mesh, HeatMap& heat) {
  SINEW_TRY(const IsoCurves curves, iso_curves(mesh));
  std::vector<float> values(mesh.vertex_count(), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t r = 0; r < curves.ring_count(); ++r)
    for (const std::uint32_t v : curves.ring(r)) {
      const bool odd = curves.level[r] % 2 != 0;
      values[v] = curves.is_closed(r) ? (odd ? 0.15f : 0.55f) : (odd ? 0.8f : 1.0f);
    }
  heat.title = "iso-curves";
  return values;
}

Result<std::vector<float>> channel_of(const Rig& rig, const PolyMesh& posed, const PictureRequest& request,
                                      HeatMap& heat) {
  if (*request.heat == "distance") {
    if (!request.other)
      return parameter_error("heat", "is distance: give a mesh to measure to, distance=FILE");
    SINEW_TRY(auto values, distances_to(posed, *request.other));
    const double largest = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
    heat.title = "distance";
    heat.high = largest > 0 ? largest : 1;
    return values;
  }
  if (*request.heat == "rings") return rings_channel(rig.mesh, heat);
  return weights_channel(rig, *request.heat, heat);
}

std::vector<OverlayBone> bones_in(const Rig& rig, const Pose& pose) {
  std::vector<OverlayBone> overlay;
  for (const Bone& bone : bones_of(rig.skeleton, global_transforms(rig.skeleton, pose.local)))
    for (const Vec3& end : segment_ends(bone)) overlay.push_back({bone.head, end});
  return overlay;
}

// What Subject::paints and its neighbours point to.
struct Coat {
  std::vector<Image> pictures;
  std::vector<Paint> paints;
  std::vector<std::uint32_t> of_triangle;
};

// Lays the looks on the posed mesh, where it still has the faces that they belong to.
void paint(const SurfaceLooks& looks, const PolyMesh& posed, const TriangleView& view, Coat& coat,
           Subject& subject, std::vector<std::string>& warnings) {
  warnings.insert(warnings.end(), looks.warnings.begin(), looks.warnings.end());
  if (looks.of_face.size() != posed.face_count() || looks.texcoords.size() != posed.vertex_count()) {
    warnings.push_back("the mesh has other faces than the file: it is drawn as clay");
    return;
  }
  coat.pictures.reserve(looks.materials.size());  // paints point into it
  std::vector<std::pair<const std::string*, const Image*>> decoded;
  for (const SurfaceLooks::Material& material : looks.materials) {
    Paint paint{material.factor, nullptr, material.repeat_u, material.repeat_v};
    const auto same = std::find_if(decoded.begin(), decoded.end(),
                                   [&](const auto& other) { return *other.first == material.image; });
    if (same != decoded.end()) {
      paint.picture = same->second;
    } else if (!material.image.empty()) {
      auto picture = decode_image(material.image);
      if (picture.ok()) {
        coat.pictures.push_back(*std::move(picture));
        paint.picture = &coat.pictures.back();
      } else {
        warnings.push_back("a texture is " + picture.error().message + ": it is drawn white");
      }
      decoded.emplace_back(&material.image, paint.picture);
    }
    coat.paints.push_back(paint);
  }
  for (const std::uint32_t face : view.face) coat.of_triangle.push_back(looks.of_face[face]);
  subject.paints = coat.paints;
  subject.paint_of = coat.of_triangle;
  subject.texcoords = looks.texcoords;
  subject.colours = looks.colours;
}

}  // namespace

Result<std::vector<View>> parse_views(std::string_view text) {
  constexpr std::pair<std::string_view, View> kNames[] = {{"front", View::kFront},
                                                          {"side", View::kSide},
                                                          {"three-quarter", View::kThreeQuarter},
                                                          {"back", View::kBack},
                                                          {"top", View::kTop}};
  std::vector<View> views;
  for (;;) {
    const std::size_t comma = text.find(',');
    const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                    [&](const auto& entry) { return entry.first == text.substr(0, comma); });
    if (known == std::end(kNames))
      return parameter_error("views",
                             fmt::format("has '{}': give front, side, three-quarter, back or top, separated "
                                         "by commas",
                                         printable(text.substr(0, comma))));
    views.push_back(known->second);
    if (comma == std::string_view::npos) return views;
    text.remove_prefix(comma + 1);
  }
}

Result<Image> picture_of(const Rig& rig, const PictureRequest& request, std::vector<std::string>* made) {
  Pose pose;
  if (request.at) {
    pose = *request.at;
  } else {
    SINEW_TRY(pose, make_pose(rig, request.pose));
  }
  SINEW_TRY(const PolyMesh posed, posed_mesh(rig, pose, request.deform, made));
  const TriangleView view = triangulate(posed);
  Subject subject;
  subject.positions = posed.positions;
  subject.triangles = view.triangles;
  subject.caption = request.caption;
  if (request.edges) subject.edges = &posed;
  if (request.skeleton) subject.bones = bones_in(rig, pose);
  std::vector<float> values;
  if (request.heat) {
    HeatMap heat;
    if (posed.vertex_count() != rig.mesh.vertex_count() && *request.heat != "distance")
      return parameter_error("heat",
                             "shows what belongs to the rig's own vertices: give 0 levels of subdivision");
    SINEW_TRY(values, channel_of(rig, posed, request, heat));
    heat.values = values;
    heat.low = request.heat_low.value_or(heat.low);
    heat.high = request.heat_high.value_or(heat.high);
    subject.heat = heat;
  }
  Coat coat;
  std::vector<std::string> warnings;
  if (request.looks && !request.looks->empty() && !request.heat)
    paint(*request.looks, posed, view, coat, subject, warnings);
  SINEW_TRY(Image image, render(subject, request.render));
  image.warnings.insert(image.warnings.end(), warnings.begin(), warnings.end());
  return image;
}

}  // namespace sinew
