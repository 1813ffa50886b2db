// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "sinew/binding/prepare.h"
#include "sinew/deform/cage.h"
#include "sinew/io/mesh_files.h"
#include "sinew/player/pose_request.h"
#include "sinew/player/shape_key.h"
#include "sinew/skeleton/drag.h"
#include "sinew/skeleton/joint_turns.h"
#include "sinew/skeleton/reach.h"
#include "sinew/weights/endpoint.h"

namespace sinew {
namespace {

constexpr int kMostSteps = 10'000;

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// One of `count` things, or what there is none of.
Result<std::size_t> index_of(int index, std::size_t count, std::string_view what) {
  if (index >= 0 && static_cast<std::size_t>(index) < count) return static_cast<std::size_t>(index);
  return usage_error("there is no " + std::string(what) + " " + std::to_string(index) + ": the file has " +
                     std::to_string(count));
}

bool all_finite(std::span<const Vec3> points) {
  return std::all_of(points.begin(), points.end(), [](const Vec3& p) { return p.allFinite(); });
}

bool finite(const BoneShape& shape) {
  return shape.stretch > 0 && std::isfinite(shape.stretch) && std::isfinite(shape.twist_head) &&
         std::isfinite(shape.twist_tail);
}

Error not_finite(std::string_view what) {
  return usage_error(std::string(what) + ": give finite numbers");
}

Result<void> check_controls(const Rig& rig, const LiveControls& controls) {
  if (controls.cages.size() != rig.cages.size()) return usage_error("a pose has a list for every cage");
  for (std::size_t c = 0; c < rig.cages.size(); ++c) {
    const std::vector<Vec3>& points = controls.cages[c];
    if (!points.empty() && points.size() != rig.cages[c].mesh.vertex_count())
      return usage_error("the cage '" + rig.cages[c].name + "' has " +
                         std::to_string(rig.cages[c].mesh.vertex_count()) + " control points, not " +
                         std::to_string(points.size()));
    if (!all_finite(points)) return not_finite("control points");
  }
  for (const HandleTarget& target : controls.handles) {
    if (target.handle >= rig.points.points.size())
      return usage_error("the pose moves a handle that does not exist");
    if (!target.position.allFinite() || !target.rotation.coeffs().allFinite()) return not_finite("handles");
  }
  return {};
}

Result<void> check_pose(const Rig& rig, const Pose& pose) {
  if (pose.local.size() != rig.skeleton.size() || pose.bones.size() != rig.skeleton.size() ||
      pose.key_weights.size() != rig.keys.size())
    return usage_error("the pose does not fit this rig: it must have its joints and keys");
  for (const Affine3& local : pose.local)
    if (!local.matrix().allFinite()) return not_finite("joints");
  for (const BoneShape& shape : pose.bones)
    if (!finite(shape)) return usage_error("a bone's stretch must lie above 0, its twist be finite");
  for (const double weight : pose.key_weights)
    if (!std::isfinite(weight)) return not_finite("key weights");
  return {};
}

}  // namespace

Session::Session(Asset asset) : asset_(std::move(asset)), with_joint_weights_(!rig().joint_weights.empty()) {
  triangles_ = triangulate(rig().mesh).triangles;
  bind_ = bind_transforms(rig());
  reset_pose();
}

Result<std::unique_ptr<Session>> Session::open(std::string_view bytes, const std::string& name) {
  SINEW_TRY(Asset asset, read_asset(bytes, name));
  return std::unique_ptr<Session>(new Session(std::move(asset)));
}

Result<std::size_t> Session::joint_index(int joint) const {
  return index_of(joint, rig().skeleton.size(), "joint");
}

Result<std::vector<std::string>> Session::set_deformer(int slot, const Stack& wanted,
                                                       std::vector<VertexTarget> held,
                                                       const Progress* progress) {
  const Stack stack = without_subdivision(wanted);  // frames are of the rig's own vertices, which hands pull
  SINEW_TRY(const std::size_t s, index_of(slot, kSlots, "slot"));
  std::vector<std::string> warnings;
  DeformerData data;
  data.held = std::move(held);
  SINEW_TRY(const Stack usable, usable_stack(rig(), stack));  // what it skips, the deformer's warnings say
  SINEW_TRY(const DeformerNeeds needs, needs_of(usable));
  SINEW_CHECK(make_ready(needs, data, warnings, progress));
  SINEW_TRY(RigDeformer deformer, RigDeformer::build(rig(), stack, data));
  warnings.insert(warnings.end(), deformer.warnings().begin(), deformer.warnings().end());
  RigWorkspace workspace = deformer.make_workspace();
  const std::size_t n = deformer.vertex_count();
  const bool by_weights = !needs.joint_weights && !needs.flesh && !needs.elastic;
  slots_[s].emplace(Slot{stack, std::move(data), by_weights, std::move(deformer), std::move(workspace),
                         std::vector<Vec3f>(n), std::vector<Vec3f>(n)});
  return warnings;
}

Result<SessionFrame> Session::evaluate(int slot) {
  SINEW_TRY(const std::size_t s, index_of(slot, kSlots, "slot"));
  if (!slots_[s]) SINEW_CHECK(set_deformer(slot, stack_of(rig())));
  Slot& one = *slots_[s];
  one.workspace.controls() = live_;
  const auto start = std::chrono::steady_clock::now();
  const Status status = one.deformer.evaluate(pose_, one.workspace, one.positions, one.normals);
  if (status == Status::kOutOfMemory) return limit_error(status_text(status));
  if (status != Status::kOk) return impossible(status_text(status));
  return SessionFrame{one.positions, one.normals, milliseconds_since(start)};
}

Result<Stack> Session::stack(int slot) const {
  SINEW_TRY(const std::size_t s, index_of(slot, kSlots, "slot"));
  return usable_stack(rig(), slots_[s] ? slots_[s]->stack : stack_of(rig()));
}

Result<void> Session::set_pose(Pose pose, LiveControls controls) {
  SINEW_CHECK(check_pose(rig(), pose));
  SINEW_CHECK(check_controls(rig(), controls));
  pose_ = std::move(pose);
  live_ = std::move(controls);
  return {};
}

void Session::reset_pose() {
  pose_ = rest_pose(rig().skeleton);
  pose_.bones.resize(rig().skeleton.size());
  pose_.key_weights = key_weights_of(rig(), pose_);
  live_.cages.resize(rig().cages.size());
  for (std::vector<Vec3>& points : live_.cages) points.clear();
  live_.handles.clear();
}

std::vector<Bone> Session::segments() const {
  const std::vector<Affine3> now = globals();
  const std::vector<Bone> rest = bones_of(rig().skeleton, bind_);
  std::vector<Bone> bones = bones_of(rig().skeleton, now);
  for (Bone& bone : bones) {
    const auto children = rig().skeleton.children(bone.joint);
    if (std::any_of(children.begin(), children.end(), [&](auto c) { return rig().skeleton[c].deforms; }))
      continue;
    const Bone& before = rest[bone.joint];
    const Affine3 matrix = now[bone.joint] * rig().inverse_bind[bone.joint];
    const Vec3 span = matrix.linear() * (before.tail - before.head);
    if (span.allFinite()) bone.tail = bone.head + pose_.bones[bone.joint].stretch * span;
  }
  return bones;
}

Result<void> Session::rotate_joint(int joint, const Quat& turn) {
  SINEW_TRY(const std::size_t j, joint_index(joint));
  return sinew::rotate_joint(rig().skeleton, j, turn, pose_);
}

Result<Vec3> Session::angles(int joint) const {
  SINEW_TRY(const std::size_t j, joint_index(joint));
  return joint_angles(rig().skeleton, j, pose_);
}

Result<void> Session::set_angles(int joint, const Vec3& degrees) {
  SINEW_TRY(const std::size_t j, joint_index(joint));
  if (!degrees.allFinite()) return not_finite("angles");
  set_joint_angles(rig().skeleton, j, degrees, pose_);
  return {};
}

Result<void> Session::translate_joint(int joint, const Vec3& by) {
  SINEW_TRY(const std::size_t j, joint_index(joint));
  return place_joint(rig().skeleton, j, globals()[j].translation() + by, pose_);
}

Result<void> Session::drag_joint(int joint, const Vec3& place) {
  SINEW_TRY(const std::size_t j, joint_index(joint));
  return sinew::drag_joint(rig().skeleton, bind_, j, place, pose_);
}

Result<double> Session::reach(int joint, const Vec3& place, int chain) {
  SINEW_TRY(const std::size_t j, joint_index(joint));
  SINEW_TRY(const Reached reached, sinew::reach(rig().skeleton, j, place, pose_, {.joints = chain}));
  return reached.distance;
}

Result<void> Session::set_shape(int joint, const BoneShape& shape) {
  SINEW_TRY(const std::size_t j, index_of(joint, rig().skeleton.deforming_count(), "bone"));
  if (!finite(shape)) return usage_error("a bone's stretch must lie above 0, its twist be finite");
  if (shape.stretch != pose_.bones[j].stretch)
    SINEW_CHECK(stretch_bone(rig().skeleton, bind_, j, shape.stretch, pose_));
  pose_.bones[j] = shape;
  return {};
}

Result<void> Session::set_key(int key, double weight) {
  SINEW_TRY(const std::size_t k, index_of(key, rig().keys.size(), "key"));
  if (!std::isfinite(weight)) return not_finite("a key's weight");
  pose_.key_weights[k] = weight;
  return {};
}

Result<void> Session::set_clip(int clip, double seconds) {
  SINEW_TRY(const std::size_t c, index_of(clip, rig().clips.size(), "clip"));
  if (!std::isfinite(seconds)) return not_finite("the time");
  SINEW_TRY(pose_, make_pose(rig(), {}, rig().clips[c], seconds));
  pose_.bones.resize(rig().skeleton.size());
  return {};
}

Result<void> Session::make_ready(const DeformerNeeds& needs, DeformerData& data,
                                 std::vector<std::string>& warnings, const Progress* progress) {
  if (is_ready(rig(), needs)) return {};
  SINEW_TRY(const PrepareReport report, prepare(asset_.rig, needs, data, progress));
  warnings.insert(warnings.end(), report.made.begin(), report.made.end());
  return {};
}

Result<std::vector<float>> Session::channel(Channel kind, int joint) {
  std::vector<float> values(rig().mesh.vertex_count(), std::numeric_limits<float>::quiet_NaN());
  if (kind == Channel::kStiffness) {
    const VertexAttribute* painted = rig().attribute(Painter::kStiffness);
    return painted ? painted->values : std::vector<float>(values.size(), 1.0f);
  }
  SINEW_TRY(const std::size_t j, joint_index(joint));
  if (kind == Channel::kWeight || kind == Channel::kEndpoint) {
    const std::vector<Bone> bones = bones_of(rig().skeleton, bind_);
    for (std::size_t i = 0; i < rig().weights.vertex_count(); ++i)
      for (std::size_t e = rig().weights.offsets[i]; e < rig().weights.offsets[i + 1]; ++e) {
        if (rig().weights.entries[e].joint != j) continue;
        if (kind == Channel::kWeight)
          values[i] = static_cast<float>(rig().weights.entries[e].weight);
        else if (!rig().endpoint.empty())
          values[i] = rig().endpoint.values[e];
        else
          values[i] = j < bones.size()
                          ? static_cast<float>(endpoint_by_projection(bones[j], rig().mesh.positions[i]))
                          : 0.0f;
      }
    return values;
  }
  std::vector<std::string> told;
  DeformerData data;
  SINEW_CHECK(make_ready({.joint_weights = true}, data, told));
  const JointWeights& weights = rig().joint_weights;
  for (std::size_t i = 0; i < weights.vertex_count(); ++i)
    for (const JointInfluence& influence : weights.row(i))
      if (influence.joint == j)
        values[i] = kind == Channel::kDeformer ? influence.deformer_weight
                    : kind == Channel::kSwing  ? influence.swing
                                               : influence.twist;
  return values;
}

Result<std::vector<Vec3>> Session::cage(int cage) const {
  SINEW_TRY(const std::size_t c, index_of(cage, rig().cages.size(), "cage"));
  std::vector<Affine3> matrices(rig().skeleton.size());
  skinning_matrices(rig(), globals(), matrices);
  std::vector<Vec3> points(rig().cages[c].mesh.vertex_count());
  place_controls(rig().cages[c], live_.cages[c], matrices, points);
  return points;
}

Result<void> Session::move_cage(int cage, std::vector<Vec3> points) {
  LiveControls moved = live_;
  SINEW_TRY(const std::size_t c, index_of(cage, rig().cages.size(), "cage"));
  moved.cages[c] = points;
  SINEW_CHECK(check_controls(rig(), moved));
  live_.cages[c] = std::move(points);
  return {};
}

Result<HandleTarget> Session::handle(int handle) const {
  SINEW_TRY(const std::size_t h, index_of(handle, rig().points.points.size(), "handle"));
  for (const HandleTarget& target : live_.handles)
    if (target.handle == h) return target;
  const PointHandle& point = rig().points.points[h];
  HandleTarget now{static_cast<std::uint32_t>(h), point.position, Quat::Identity()};
  if (point.joint < 0) return now;
  const auto joint = static_cast<std::size_t>(point.joint);
  const Affine3 matrix = globals()[joint] * rig().inverse_bind[joint];
  now.position = matrix * point.position;
  now.rotation = Quat(polar_decomposition(matrix.linear()).rotation).normalized();
  return now;
}

Result<void> Session::move_handle(int handle, const Vec3& place, const Quat& rotation) {
  SINEW_TRY(const std::size_t h, index_of(handle, rig().points.points.size(), "handle"));
  if (!place.allFinite() || !(rotation.norm() > 0) || !std::isfinite(rotation.norm()))
    return not_finite("a handle");
  const HandleTarget moved{static_cast<std::uint32_t>(h), place, rotation.normalized()};
  for (HandleTarget& target : live_.handles)
    if (target.handle == h) {
      target = moved;
      return {};
    }
  live_.handles.push_back(moved);
  return {};
}

Result<void> Session::release_handle(int handle) {
  SINEW_TRY(const std::size_t h, index_of(handle, rig().points.points.size(), "handle"));
  std::erase_if(live_.handles, [&](const HandleTarget& target) { return target.handle == h; });
  return {};
}

Result<void> Session::arap_begin(std::span<const std::uint32_t> vertices, int slot) {
  SINEW_TRY(const SessionFrame frame, evaluate(slot));
  SINEW_TRY(ArapSolver solver, ArapSolver::build({rig().mesh.positions, triangles_}, vertices));
  ArapDrag drag{solver, solver.make_state(), {}, {}, {}, {}};
  for (const Vec3f& p : frame.positions) drag.shape.push_back(p.cast<double>());
  if (!all_finite(drag.shape)) return impossible("the deformed mesh has positions that are not finite");
  drag.normals_before.assign(frame.normals.begin(), frame.normals.end());
  drag.positions.assign(frame.positions.begin(), frame.positions.end());
  drag.normals = drag.normals_before;
  solver.set_rest(drag.shape, drag.state);
  solver.start_from(drag.shape, drag.state);
  drag_.emplace(std::move(drag));
  return {};
}

Result<SessionFrame> Session::arap_drag(std::span<const Vec3> targets, int steps) {
  if (!drag_) return usage_error("nothing is being dragged: begin first");
  if (targets.size() != drag_->solver.constraint_count())
    return usage_error("give a position for each of the " + std::to_string(drag_->solver.constraint_count()) +
                       " vertices, not " + std::to_string(targets.size()));
  if (!all_finite(targets)) return not_finite("places");
  if (steps < 0 || steps > kMostSteps) return usage_error("give 0 to 10000 steps");
  const auto start = std::chrono::steady_clock::now();
  for (int step = 0; step < steps; ++step) drag_->solver.step(targets, drag_->state);
  drag_->solver.read(drag_->state, drag_->shape);
  for (std::size_t i = 0; i < drag_->shape.size(); ++i) {
    drag_->positions[i] = drag_->shape[i].cast<float>();
    if (steps > 0)
      drag_->normals[i] = drag_->solver.rotation(drag_->state, i).cast<float>() * drag_->normals_before[i];
  }
  return SessionFrame{drag_->positions, drag_->normals, milliseconds_since(start)};
}

Result<void> Session::paint(const Stroke& stroke, std::span<const Dab> dabs, bool begin) {
  if (!painter_) painter_.emplace(rig(), triangles_);
  std::span<const Vec3f> shown;
  if (!stroke.flood) {
    if (!slots_[0]) SINEW_CHECK(evaluate(0));
    shown = slots_[0]->positions;  // what the page has drawn
  }
  for (const Dab& dab : dabs)
    if (dab.vertex >= shown.size() || !dab.centre.allFinite() || !std::isfinite(dab.pressure))
      return usage_error("a dab has a vertex of the mesh, a finite place and a pressure");
  SINEW_CHECK(painter_->paint(asset_.rig, stroke, dabs, shown, begin));
  return stroke.stiffness ? Result<void>() : refresh_weights();
}

Result<void> Session::paint_to(int strokes) {
  if (strokes < 0) return usage_error("there are no strokes below 0");
  if (!painter_) return {};
  painter_->go_to(asset_.rig, static_cast<std::size_t>(strokes));
  return refresh_weights();
}

Result<void> Session::refresh_weights() {
  // Those of the file stay: flesh and joint weights say more than skin weights do.
  if (!with_joint_weights_) asset_.rig.joint_weights = {};
  for (std::optional<Slot>& slot : slots_) {
    if (!slot || !slot->by_weights) continue;
    SINEW_TRY(slot->deformer, RigDeformer::build(rig(), slot->stack, slot->data));
    slot->workspace = slot->deformer.make_workspace();
  }
  return {};
}

void Session::write_painted(GltfWriteOptions& write) const {
  if (!painter_) return;
  if (painter_->painted(true)) write.attributes.push_back(Painter::kStiffness);
  if (!painter_->painted(false)) return;
  write.edit.skin = true;
  write.influences = static_cast<int>(std::max<std::size_t>(4, rig().weights.max_influences()));
}

bool Session::pulled() const {
  return !live_.handles.empty() || std::any_of(live_.cages.begin(), live_.cages.end(),
                                               [](const auto& points) { return !points.empty(); });
}

Result<std::string> Session::save() {
  GltfWriteOptions write;
  write.edit.pose = true;
  write.posed = &pose_;
  write_painted(write);
  if (!pulled()) return write_gltf(rig(), asset_.document.get(), write);
  // Joints cannot say where handles and cages have pulled the mesh: a shape key does.
  SINEW_TRY(const SessionFrame frame, evaluate(0));
  std::vector<Vec3> shape;
  for (const Vec3f& p : frame.positions) shape.push_back(p.cast<double>());
  Rig with_key = rig();
  Pose pose = pose_;
  add_shape_as_key(with_key, pose, shape, "shape");
  write.edit.keys = true;
  write.posed = &pose;
  return write_gltf(with_key, asset_.document.get(), write);
}

Result<std::string> Session::save_mesh(int slot, const std::string& format) {
  SINEW_TRY(const SessionFrame frame, evaluate(slot));
  PolyMesh mesh = rig().mesh;
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) mesh.positions[i] = frame.positions[i].cast<double>();
  mesh.normals.assign(frame.normals.begin(), frame.normals.end());
  if (format == "obj") return write_obj(mesh);
  if (format == "ply") return write_ply(mesh);
  if (format != "glb") return usage_error("a mesh is saved as obj, ply or glb, not as '" + format + "'");
  Rig copy = rig();
  copy.mesh = std::move(mesh);
  GltfWriteOptions write;
  write.without_skin = true;
  return write_gltf(copy, asset_.document.get(), write);
}

}  // namespace sinew
