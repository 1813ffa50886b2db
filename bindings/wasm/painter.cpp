// SPDX-License-Identifier: Apache-2.0
#include "painter.h"

#include <algorithm>
#include <cmath>

#include "sinew/weights/endpoint.h"
#include "sinew/weights/mirror.h"

namespace sinew {
namespace {

constexpr int kMirrorAxis = 0;
constexpr double kMirrorTolerance = 0.02;  // of the diagonal, for joints without a partner by name

VertexAttribute& stiffness_of(Rig& rig) {
  for (VertexAttribute& attribute : rig.attributes)
    if (attribute.name == Painter::kStiffness) return attribute;
  return rig.attributes.emplace_back(
      VertexAttribute{Painter::kStiffness, std::vector<float>(rig.mesh.vertex_count(), 1.0f)});
}

// Puts rows into the rig and returns those that were there. Endpoint weights follow; what was made of the
// weights here is made again where it is needed.
std::vector<RowEdit> put_rows(Rig& rig, std::span<const RowEdit> edits) {
  const SkinWeights before = rig.endpoint.empty() ? SkinWeights() : rig.weights;
  std::vector<RowEdit> old = apply_rows(rig.weights, edits);
  if (!rig.endpoint.empty()) {
    const std::vector<Bone> bones = bones_of(rig.skeleton, bind_transforms(rig));
    const auto carried = [&](const std::vector<float>& values) {
      std::vector<float> next = carry_endpoints(before, values, rig.weights);
      for (std::size_t i = 0; i < rig.weights.vertex_count(); ++i)
        for (std::size_t e = rig.weights.offsets[i]; e < rig.weights.offsets[i + 1]; ++e)
          if (const std::size_t j = rig.weights.entries[e].joint; std::isnan(next[e]))
            next[e] = j < bones.size()
                          ? static_cast<float>(endpoint_by_projection(bones[j], rig.mesh.positions[i]))
                          : 0.0f;
      return next;
    };
    rig.endpoint.values = carried(rig.endpoint.values);
    if (!rig.endpoint.twist.empty()) rig.endpoint.twist = carried(rig.endpoint.twist);
  }
  return old;
}

}  // namespace

Painter::Painter(const Rig& rig, std::span<const Triangle> triangles)
    : surface_({rig.mesh.positions, triangles}) {
  const MeshView mesh{rig.mesh.positions, triangles};
  const std::vector<Affine3> bind = bind_transforms(rig);
  plane_ = mirror_plane(mesh, rig.skeleton, bind, kMirrorAxis);
  partner_ = mirror_joints(rig.skeleton, bind, kMirrorAxis, plane_,
                           kMirrorTolerance * bounding_box(rig.mesh.positions).diagonal().norm());
}

Result<void> Painter::paint(Rig& rig, const Stroke& stroke, std::span<const Dab> dabs,
                            std::span<const Vec3f> shown, bool begin) {
  if (!stroke.stiffness && stroke.joint >= rig.skeleton.size()) return usage_error("there is no such joint");
  if (!stroke.stiffness && rig.weights.vertex_count() != rig.mesh.vertex_count())
    return impossible("the mesh is not bound to its skeleton: make a rig first");
  if (!(stroke.strength >= 0 && stroke.strength <= 1) || !std::isfinite(stroke.brush.value) ||
      (!stroke.flood && !(stroke.radius > 0 && std::isfinite(stroke.radius))))
    return usage_error("a brush has a radius above 0 and a strength from 0 to 1");
  if (begin || done_ == 0 || steps_[done_ - 1].stiffness != stroke.stiffness) {
    steps_.resize(done_);
    steps_.emplace_back().stiffness = stroke.stiffness;
    ++done_;
  }
  const auto put = [&](std::span<const Touch> touched, std::uint32_t joint) {
    if (stroke.stiffness)
      paint_stiffness(rig, stroke, touched);
    else
      paint_joint(rig, stroke, touched, joint);
  };
  if (stroke.flood) {
    put(surface_.flooded(stroke.strength), stroke.joint);
    return {};
  }
  for (const Dab& dab : dabs) {
    const double strength = stroke.strength * std::clamp(dab.pressure, 0.0, 1.0);
    const auto touched =
        surface_.touched(shown, dab.vertex, dab.centre, stroke.radius, strength, stroke.falloff);
    put(touched, stroke.joint);
    if (!stroke.mirror) continue;
    const int partner = stroke.stiffness ? 0 : partner_[stroke.joint];
    if (partner < 0) continue;
    put(surface_.mirrored(touched, kMirrorAxis, plane_), static_cast<std::uint32_t>(partner));
  }
  return {};
}

void Painter::paint_joint(Rig& rig, const Stroke& stroke, std::span<const Touch> touched,
                          std::uint32_t joint) {
  PaintOptions options;
  options.locked = stroke.locked;
  options.influences = static_cast<int>(std::max<std::size_t>(4, rig.weights.max_influences()));
  std::vector<RowEdit> before =
      put_rows(rig, paint_weights(rig.weights, surface_, touched, joint, stroke.brush, options));
  // The first row of each vertex in the stroke is what undo puts back.
  std::vector<RowEdit>& rows = steps_[done_ - 1].rows;
  std::vector<RowEdit> merged;
  merged.reserve(rows.size() + before.size());
  auto old = rows.begin();
  for (RowEdit& edit : before) {
    for (; old != rows.end() && old->vertex < edit.vertex; ++old) merged.push_back(std::move(*old));
    if (old != rows.end() && old->vertex == edit.vertex) continue;
    merged.push_back(std::move(edit));
  }
  for (; old != rows.end(); ++old) merged.push_back(std::move(*old));
  rows = std::move(merged);
}

void Painter::paint_stiffness(Rig& rig, const Stroke& stroke, std::span<const Touch> touched) {
  VertexAttribute& stiffness = stiffness_of(rig);
  Step& step = steps_[done_ - 1];
  if (step.values.empty()) step.values = stiffness.values;  // all of them: one number a vertex
  paint_values(stiffness.values, surface_, touched, stroke.brush, kLeastStiffness, kMostStiffness, 1);
}

void Painter::swap(Rig& rig, Step& step) {
  if (step.stiffness)
    std::swap(stiffness_of(rig).values, step.values);
  else
    step.rows = put_rows(rig, step.rows);
}

void Painter::go_to(Rig& rig, std::size_t strokes) {
  strokes = std::min(strokes, steps_.size());
  while (done_ > strokes) swap(rig, steps_[--done_]);
  while (done_ < strokes) swap(rig, steps_[done_++]);
}

bool Painter::painted(bool stiffness) const {
  return std::any_of(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(done_),
                     [&](const Step& step) { return step.stiffness == stiffness; });
}

}  // namespace sinew
