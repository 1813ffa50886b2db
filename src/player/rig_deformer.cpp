// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/rig_deformer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "sinew/core/parallel.h"
#include "sinew/deform/pose_space.h"
#include "sinew/mesh/subdivision.h"
#include "sinew/player/stack.h"
#include "sinew/rig/local_origin.h"

namespace sinew {
namespace {

constexpr std::size_t kBlendGrain = 1 << 13;
constexpr std::size_t kTight = 3 * sizeof(float);

// after = before + mask * (after - before).
void blend_step(std::span<const Vec3f> before, std::span<const Vec3f> normals_before,
                std::span<const float> mask, std::span<Vec3f> after,
                std::span<Vec3f> normals_after) noexcept {
  parallel_for(mask.size(), kBlendGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      after[i] = before[i] + mask[i] * (after[i] - before[i]);
      if (normals_after.empty()) continue;
      const Vec3f normal = normals_before[i] + mask[i] * (normals_after[i] - normals_before[i]);
      const float length = normal.norm();
      if (length > 0) normals_after[i] = normal / length;
    }
  });
}

// Vertices of ours into memory of the caller's.
void spread(std::span<const Vec3f> points, const VertexBuffer& out) noexcept {
  parallel_for(points.size(), kBlendGrain, [&](std::size_t begin, std::size_t end) {
    auto* target = reinterpret_cast<unsigned char*>(out.data) + begin * out.stride;
    for (std::size_t i = begin; i < end; ++i, target += out.stride) std::memcpy(target, &points[i], kTight);
  });
}

// Vertices in the caller's memory, moved.
void shift(const VertexBuffer& out, std::size_t count, const Vec3& by) noexcept {
  parallel_for(count, kBlendGrain, [&](std::size_t begin, std::size_t end) {
    auto* target = reinterpret_cast<unsigned char*>(out.data) + begin * out.stride;
    for (std::size_t i = begin; i < end; ++i, target += out.stride) {
      Vec3f p;
      std::memcpy(p.data(), target, kTight);
      p = (p.cast<double>() + by).cast<float>();
      std::memcpy(target, p.data(), kTight);
    }
  });
}

// The caller's memory, where vertices lie one behind the other in it.
std::span<Vec3f> tight_span(const VertexBuffer& buffer, std::size_t count) noexcept {
  if (!buffer.data || buffer.stride != kTight) return {};
  return {reinterpret_cast<Vec3f*>(buffer.data), count};
}

bool fits(const VertexBuffer& buffer, std::size_t count) noexcept {
  return buffer.count >= count && (buffer.data || count == 0) && buffer.stride >= kTight &&
         buffer.stride % alignof(float) == 0;
}

Affine3 matrix_at(std::span<const float> joints, std::size_t j) noexcept {
  Affine3 matrix = Affine3::Identity();
  for (Eigen::Index row = 0; row < 3; ++row)
    for (Eigen::Index column = 0; column < 4; ++column)
      matrix.matrix()(row, column) = static_cast<double>(
          joints[12 * j + 4 * static_cast<std::size_t>(row) + static_cast<std::size_t>(column)]);
  return matrix;
}

// Whether what matrices are blended by and applied to is far from the limits of floats.
bool has_usual_numbers(const SkinWeights& weights, std::span<const Vec3f> rest) {
  constexpr double kMostWeight = 2;  // rows of files sum to 1
  return std::all_of(weights.entries.begin(), weights.entries.end(),
                     [](const Influence& one) { return std::abs(one.weight) < kMostWeight; }) &&
         std::all_of(rest.begin(), rest.end(), [](const Vec3f& p) {
           return p.cast<double>().squaredNorm() < Deformer::kBounded * Deformer::kBounded;
         });
}

DeformerData moved_data(DeformerData data, const LocalOrigin& origin) {
  for (VertexTarget& target : data.held) target.position -= origin.world;
  if (data.elastic) {
    ElasticSetup setup = *data.elastic;
    setup.grid = VoxelGrid(setup.grid.origin() - origin.bind, setup.grid.cell_size(), setup.grid.cells());
    data.elastic = std::make_shared<const ElasticSetup>(std::move(setup));
  }
  return data;
}

}  // namespace

struct RigWorkspace::Memory {
  std::vector<std::unique_ptr<Workspace>> steps;
  PoseSpaces::Scratch pose_spaces;
  LiveControls controls;
  LiveControls near_controls;  // the same about the local origin, and the caller's rest positions
  std::vector<Vec3f> near_rest;
  const Executor* executor = nullptr;
  std::vector<double> keys;
  std::vector<Affine3> locals, globals, matrices;
  // Positions and normals between steps, and of the last one where the caller's memory is not tight.
  std::vector<Vec3f> points[2], normals[2];
  std::vector<Vec3f> refined, refined_normals;  // subdivided, where the caller's memory is not tight
};

struct RigDeformer::Parts {
  Skeleton skeleton;
  std::vector<Affine3> inverse_bind;
  std::vector<BuiltStep> steps;
  PoseSpaces pose_spaces;
  std::vector<double> default_keys;
  std::vector<Vec3f> rest, rest_normals;
  std::vector<std::size_t> cage_points;  // of each cage
  std::size_t handles = 0;
  LocalOrigin origin;  // rest positions, inverse_bind and steps are about it; the skeleton is the rig's own
  std::vector<std::string> warnings;
  std::optional<Subdivision> subdivision;
  bool bounded = false;  // finite matrices of usual size give finite vertices

  std::size_t output_count() const { return subdivision ? subdivision->vertex_count() : rest.size(); }
  std::size_t joints() const { return skeleton.size(); }

  bool controls_fit(const LiveControls& controls) const noexcept {
    for (std::size_t c = 0; c < controls.cages.size(); ++c)
      if (!controls.cages[c].empty() &&
          (c >= cage_points.size() || controls.cages[c].size() != cage_points[c]))
        return false;
    return std::all_of(controls.handles.begin(), controls.handles.end(),
                       [&](const HandleTarget& target) { return target.handle < handles; });
  }

  // What hands have moved, about the local origin.
  const LiveControls& controls_near(RigWorkspace::Memory& memory) const noexcept {
    if (origin.is_zero()) return memory.controls;
    memory.near_controls = memory.controls;
    for (std::vector<Vec3>& cage : memory.near_controls.cages)
      for (Vec3& p : cage) p -= origin.bind;
    for (HandleTarget& target : memory.near_controls.handles) target.position -= origin.world;
    return memory.near_controls;
  }

  // globals and keys are those of the frame.
  Status run(RigWorkspace::Memory& memory, std::span<const Vec3f> from, std::span<const Affine3> locals,
             std::span<const BoneShape> bones, const VertexBuffer& positions,
             const VertexBuffer& normals) const noexcept {
    const std::size_t n = output_count();
    const bool with_normals = normals.data != nullptr;
    if (!fits(positions, n) || (with_normals && !fits(normals, n)) || !controls_fit(memory.controls))
      return Status::kBadPose;
    if (!origin.is_zero())
      for (Affine3& global : memory.globals) global.pretranslate(-origin.world);
    for (std::size_t j = 0; j < joints(); ++j) memory.matrices[j] = memory.globals[j] * inverse_bind[j];
    const LiveControls& controls = controls_near(memory);
    if (!pose_spaces.empty()) pose_spaces.add_weights(skeleton, locals, memory.keys, memory.pose_spaces);

    const std::span<Vec3f> tight = tight_span(positions, n), tight_normals = tight_span(normals, n);
    std::span<const Vec3f> points = from, point_normals = rest_normals;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const bool last = s + 1 == steps.size() && !subdivision;
      const std::span<Vec3f> out = last && !tight.empty() ? tight : std::span(memory.points[s % 2]);
      const std::span<Vec3f> out_normals = !with_normals || subdivision ? std::span<Vec3f>()
                                           : last && !tight_normals.empty()
                                               ? tight_normals
                                               : std::span(memory.normals[s % 2]);
      const Status status = steps[s].deformer->deform(
          {points, point_normals, memory.globals, memory.matrices, bones, memory.keys, &controls, {}},
          *memory.steps[s], out, out_normals);
      if (status != Status::kOk) return status;
      if (!steps[s].mask.empty()) blend_step(points, point_normals, steps[s].mask, out, out_normals);
      points = out;
      point_normals = out_normals;
    }
    if (subdivision) {
      const std::span<Vec3f> out = tight.empty() ? std::span(memory.refined) : tight;
      subdivision->apply(points, out);
      points = out;
      if (with_normals) {
        const std::span<Vec3f> out_normals =
            tight_normals.empty() ? std::span(memory.refined_normals) : tight_normals;
        subdivision->normals(points, out_normals);
        point_normals = out_normals;
      }
    }
    if (points.data() != tight.data()) spread(points, positions);
    if (with_normals && point_normals.data() != tight_normals.data()) spread(point_normals, normals);
    return Status::kOk;
  }

  // From the local origin to the world's.
  Status in_world(Status status, const VertexBuffer& positions) const noexcept {
    if (status == Status::kOk && !origin.world.isZero(0)) shift(positions, rest.size(), origin.world);
    return status;
  }

  Status evaluate(std::span<const Vec3f> from, const Pose& pose, RigWorkspace::Memory& memory,
                  const VertexBuffer& positions, const VertexBuffer& normals) const noexcept {
    if (from.size() != rest.size() || pose.local.size() != joints() ||
        (!pose.bones.empty() && pose.bones.size() != joints()) ||
        (!pose.key_weights.empty() && pose.key_weights.size() != default_keys.size()))
      return Status::kBadPose;
    const ExecutorScope scope(memory.executor);
    forward_kinematics(skeleton, pose.local, memory.globals);
    const std::vector<double>& keys = pose.key_weights.empty() ? default_keys : pose.key_weights;
    std::copy(keys.begin(), keys.end(), memory.keys.begin());
    return run(memory, from, pose.local, pose.bones, positions, normals);
  }

  Status evaluate(const PoseView& pose, RigWorkspace::Memory& memory, const VertexBuffer& positions,
                  const VertexBuffer& normals) const noexcept {
    if (pose.joints.size() != 12 * joints() ||
        (!pose.key_weights.empty() && pose.key_weights.size() != default_keys.size()))
      return Status::kBadPose;
    const ExecutorScope scope(memory.executor);
    const bool local = pose.space == PoseView::Space::kParent;
    for (std::size_t j = 0; j < joints(); ++j)
      (local ? memory.locals : memory.globals)[j] = matrix_at(pose.joints, j);
    if (local) {
      forward_kinematics(skeleton, memory.locals, memory.globals);
    } else if (!pose_spaces.empty()) {  // which look at the joints' own turns
      for (std::size_t j = 0; j < joints(); ++j) {
        const int parent = skeleton[j].parent;
        memory.locals[j] =
            parent < 0 ? memory.globals[j]
                       : memory.globals[static_cast<std::size_t>(parent)].inverse() * memory.globals[j];
      }
    }
    std::copy(default_keys.begin(), default_keys.end(), memory.keys.begin());
    std::copy(pose.key_weights.begin(), pose.key_weights.end(), memory.keys.begin());
    return run(memory, rest, memory.locals, {}, positions, normals);
  }
};

// --- the workspace ---

RigWorkspace::RigWorkspace(RigWorkspace&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}

RigWorkspace& RigWorkspace::operator=(RigWorkspace&& other) noexcept {
  std::swap(memory_, other.memory_);
  return *this;
}

RigWorkspace::~RigWorkspace() {
  delete memory_;
}

LiveControls& RigWorkspace::controls() {
  return memory_->controls;
}

const LiveControls& RigWorkspace::controls() const {
  return memory_->controls;
}

void RigWorkspace::run_on(const Executor* executor) {
  memory_->executor = executor;
}

// --- the deformer ---

Result<RigDeformer> RigDeformer::build(const Rig& rig) {
  return build(rig, stack_of(rig), DeformerData());
}

Result<RigDeformer> RigDeformer::build(const Rig& rig, std::string_view deformer) {
  SINEW_TRY(const Stack stack, stack_with(rig, deformer));
  return build(rig, stack, DeformerData());
}

Result<RigDeformer> RigDeformer::build(const Rig& rig, const Stack& stack) {
  return build(rig, stack, DeformerData());
}

Result<RigDeformer> RigDeformer::build(const Rig& rig, const Stack& stack, const DeformerData& data) {
  const LocalOrigin origin = local_origin(rig);
  if (origin.is_zero()) return build_near(rig, stack, data);
  SINEW_TRY(RigDeformer deformer, build_near(moved_to(rig, origin), stack, moved_data(data, origin)));
  deformer.parts_->origin = origin;
  deformer.parts_->skeleton = rig.skeleton;
  return deformer;
}

Result<RigDeformer> RigDeformer::build_near(const Rig& rig, const Stack& stack, const DeformerData& data) {
  std::vector<std::string> skipped;
  SINEW_TRY(std::vector<BuiltStep> steps, build_stack(rig, stack, data, &skipped));
  SINEW_TRY(RigDeformer deformer, build(rig, std::move(steps)));
  if (const int levels = subdivision_levels(stack); levels > 0) {
    SINEW_TRY(deformer.parts_->subdivision, Subdivision::build(rig.mesh, levels));
  }
  std::vector<std::string>& warnings = deformer.parts_->warnings;
  warnings.insert(warnings.begin(), skipped.begin(), skipped.end());
  return deformer;
}

Result<RigDeformer> RigDeformer::build(const Rig& rig, std::vector<BuiltStep> steps) {
  auto parts = std::make_unique<Parts>();
  SINEW_TRY(parts->pose_spaces, PoseSpaces::build(rig));
  parts->warnings.assign(parts->pose_spaces.merged().begin(), parts->pose_spaces.merged().end());
  parts->skeleton = rig.skeleton;
  parts->inverse_bind = rig.inverse_bind;
  parts->inverse_bind.resize(rig.skeleton.size(), Affine3::Identity());
  for (const ShapeKey& key : rig.keys) parts->default_keys.push_back(key.default_weight);
  for (const Vec3& p : rig.mesh.positions) parts->rest.push_back(p.cast<float>());
  parts->rest_normals = normals_of(rig.mesh);
  for (const Cage& cage : rig.cages) parts->cage_points.push_back(cage.mesh.vertex_count());
  parts->handles = rig.points.points.size();
  for (const BuiltStep& step : steps)
    if (!step.deformer || (!step.mask.empty() && step.mask.size() != rig.mesh.vertex_count()))
      return usage_error("a step needs a deformer, and a mask with a number for each vertex or none");
  parts->steps = std::move(steps);
  parts->bounded = parts->steps.size() == 1 && parts->steps[0].deformer->is_bounded() &&
                   has_usual_numbers(rig.weights, parts->rest);
  return RigDeformer(parts.release());
}

RigDeformer::RigDeformer(RigDeformer&& other) noexcept : parts_(std::exchange(other.parts_, nullptr)) {}

RigDeformer& RigDeformer::operator=(RigDeformer&& other) noexcept {
  std::swap(parts_, other.parts_);
  return *this;
}

RigDeformer::~RigDeformer() {
  delete parts_;
}

std::size_t RigDeformer::vertex_count() const {
  return parts_->rest.size();
}

std::size_t RigDeformer::output_count() const {
  return parts_->output_count();
}

const Subdivision* RigDeformer::subdivision() const {
  return parts_->subdivision ? &*parts_->subdivision : nullptr;
}

std::size_t RigDeformer::joint_count() const {
  return parts_->joints();
}

std::size_t RigDeformer::key_count() const {
  return parts_->default_keys.size();
}

std::span<const std::string> RigDeformer::warnings() const {
  return parts_->warnings;
}

RigWorkspace RigDeformer::make_workspace() const {
  auto memory = std::make_unique<RigWorkspace::Memory>();
  for (const BuiltStep& step : parts_->steps) memory->steps.push_back(step.deformer->make_workspace());
  memory->pose_spaces = parts_->pose_spaces.make_scratch();
  memory->controls.cages.resize(parts_->cage_points.size());
  memory->keys.resize(parts_->default_keys.size());
  if (!parts_->origin.bind.isZero(0)) memory->near_rest.resize(parts_->rest.size());
  for (auto* list : {&memory->locals, &memory->globals, &memory->matrices}) list->resize(parts_->joints());
  for (std::size_t k = 0; k < std::min<std::size_t>(2, parts_->steps.size()); ++k) {
    memory->points[k].resize(parts_->rest.size());
    memory->normals[k].resize(parts_->rest.size());
  }
  if (parts_->subdivision) {
    memory->refined.resize(parts_->output_count());
    memory->refined_normals.resize(parts_->output_count());
  }
  return RigWorkspace(memory.release());
}

Status RigDeformer::evaluate(const Pose& pose, RigWorkspace& workspace, VertexBuffer positions,
                             VertexBuffer normals) const noexcept {
  return parts_->in_world(evaluate_near(pose, workspace, positions, normals), positions);
}

Status RigDeformer::evaluate_near(const Pose& pose, RigWorkspace& workspace, VertexBuffer positions,
                                  VertexBuffer normals) const noexcept {
  return parts_->evaluate(parts_->rest, pose, *workspace.memory_, positions, normals);
}

std::array<double, 3> RigDeformer::origin() const {
  return {parts_->origin.world.x(), parts_->origin.world.y(), parts_->origin.world.z()};
}

Status RigDeformer::evaluate(const PoseView& pose, RigWorkspace& workspace, VertexBuffer positions,
                             VertexBuffer normals) const noexcept {
  return parts_->in_world(parts_->evaluate(pose, *workspace.memory_, positions, normals), positions);
}

Status RigDeformer::evaluate_from(std::span<const float> rest, const Pose& pose, RigWorkspace& workspace,
                                  VertexBuffer positions, VertexBuffer normals) const noexcept {
  if (rest.size() != 3 * parts_->rest.size()) return Status::kBadPose;
  std::span<const Vec3f> from(reinterpret_cast<const Vec3f*>(rest.data()), parts_->rest.size());
  if (!parts_->origin.bind.isZero(0)) {
    std::vector<Vec3f>& near = workspace.memory_->near_rest;
    for (std::size_t i = 0; i < near.size(); ++i)
      near[i] = (from[i].cast<double>() - parts_->origin.bind).cast<float>();
    from = near;
  }
  return parts_->in_world(parts_->evaluate(from, pose, *workspace.memory_, positions, normals), positions);
}

Status RigDeformer::evaluate(std::span<RigInstance> instances, const Executor* executor) const noexcept {
  const ExecutorScope scope(executor);
  parallel_for(instances.size(), 1, [&](std::size_t begin, std::size_t end) {
    const ExecutorScope alone(&serial_executor());  // one thread a character is faster than all on each
    for (std::size_t k = begin; k < end; ++k) {
      RigInstance& one = instances[k];
      one.status = one.pose && one.workspace ? evaluate(*one.pose, *one.workspace, one.positions, one.normals)
                                             : Status::kBadPose;
    }
  });
  Status worst = Status::kOk;
  for (const RigInstance& one : instances) worst = worse(worst, one.status);
  return worst;
}

bool RigDeformer::surely_finite(const RigWorkspace& workspace) const noexcept {
  if (!parts_->bounded) return false;
  double sum = 0;  // NaN and infinity stay in it
  for (const Affine3& matrix : workspace.memory_->matrices) sum += matrix.matrix().squaredNorm();
  return sum < Deformer::kBounded * Deformer::kBounded;
}

std::optional<double> RigDeformer::energy(const RigWorkspace& workspace) const {
  for (std::size_t s = 0; s < parts_->steps.size(); ++s)
    if (const auto energy = parts_->steps[s].deformer->energy(*workspace.memory_->steps[s])) return energy;
  return std::nullopt;
}

}  // namespace sinew
