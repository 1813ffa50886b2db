// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "deform/palette.h"
#include "sinew/core/parallel.h"
#include "sinew/deform/arap.h"
#include "sinew/math/dual_quaternion.h"

namespace sinew {
namespace {

constexpr std::size_t kHandleGrain = 1024;

struct PointsWorkspace : Workspace {
  std::vector<Affine3> transforms;  // per handle
  std::vector<DualQuat> rigid;
  std::vector<Vec3> rest, shape, targets;
  std::optional<ArapState> state;
};

class Points : public Deformer {
 public:
  Points(const Rig& rig, const PointsOptions& options, std::optional<ArapSolver> arap,
         std::vector<std::uint32_t> proximal)
      : points_(rig.points), options_(options), arap_(std::move(arap)), proximal_(std::move(proximal)) {}

  std::unique_ptr<Workspace> make_workspace() const override {
    auto space = std::make_unique<PointsWorkspace>();
    const std::size_t n = points_.weights.size();
    space->transforms.resize(points_.points.size());
    space->rigid.resize(points_.points.size());
    space->rest.resize(n);
    space->shape.resize(n);
    space->targets.resize(proximal_.size());
    if (arap_) space->state = arap_->make_state();
    return space;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    auto& frame = static_cast<PointsWorkspace&>(workspace);
    place_handles(input, frame);
    blend(input, frame, out_normals);
    if (arap_) {
      for (std::size_t c = 0; c < proximal_.size(); ++c) frame.targets[c] = frame.shape[proximal_[c]];
      arap_->set_rest(frame.rest, *frame.state);
      arap_->start_from(frame.shape, *frame.state);
      for (int step = 0; step < options_.iterations; ++step) arap_->step(frame.targets, *frame.state);
      arap_->read(*frame.state, frame.shape);
    }
    parallel_for(out_positions.size(), kHandleGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        out_positions[i] = frame.shape[i].cast<float>();
        if (arap_ && !out_normals.empty())
          out_normals[i] = arap_->rotation(*frame.state, i).cast<float>() * input.normals[i];
      }
    });
    return Status::kOk;
  }

  std::optional<double> energy(const Workspace& workspace) const override {
    if (!arap_) return std::nullopt;
    return arap_->energy(*static_cast<const PointsWorkspace&>(workspace).state);
  }

 private:
  void place_handles(const FrameInput& input, PointsWorkspace& frame) const noexcept {
    for (std::size_t h = 0; h < points_.points.size(); ++h) {
      const int joint = points_.points[h].joint;
      frame.transforms[h] =
          joint >= 0 ? input.matrices[static_cast<std::size_t>(joint)] : Affine3::Identity();
    }
    const bool moved = input.controls && !input.controls->handles.empty();
    for (const HandleTarget& target : moved ? input.controls->handles : options_.targets)
      frame.transforms[target.handle] = Eigen::Translation3d(target.position) * target.rotation *
                                        Eigen::Translation3d(-points_.points[target.handle].position);
    if (options_.form != PointsForm::kDualQuaternion) return;
    for (std::size_t h = 0; h < frame.rigid.size(); ++h) {
      const Affine3& transform = frame.transforms[h];
      const Quat turn = split_linear(transform.linear()).rotation;
      // The handle itself goes where its transform takes it, whatever the scale.
      const Vec3 at = points_.points[h].position;
      frame.rigid[h] = dual_quaternion(turn, transform * at - turn * at);
    }
  }

  void blend(const FrameInput& input, PointsWorkspace& frame, std::span<Vec3f> out_normals) const noexcept {
    parallel_for(frame.shape.size(), kHandleGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3 p = input.positions[i].cast<double>();
        frame.rest[i] = p;
        Mat3 linear = Mat3::Zero();
        if (options_.form == PointsForm::kDualQuaternion) {
          const DualQuat q = blended(i, frame.rigid);
          frame.shape[i] = transform_point(q, p);
          linear = q.real.toRotationMatrix();
        } else {
          Vec3 sum = Vec3::Zero();
          for (const ControlRows::Entry& entry : points_.weights[i]) {
            const auto weight = static_cast<double>(entry.weight);
            sum.noalias() += weight * (frame.transforms[entry.control] * p);
            if (!arap_) linear += weight * frame.transforms[entry.control].linear();
          }
          frame.shape[i] = points_.weights[i].empty() ? p : sum;
        }
        if (arap_ || out_normals.empty()) continue;
        const Vec3f normal = linear.cast<float>() * input.normals[i];
        out_normals[i] = normal.norm() > 0 ? Vec3f(normal.normalized()) : input.normals[i];
      }
    });
  }

  // As blend_rigid, without its lists.
  DualQuat blended(std::size_t i, std::span<const DualQuat> rigid) const noexcept {
    const auto row = points_.weights[i];
    if (row.empty()) return {};
    const auto main = std::max_element(row.begin(), row.end(),
                                       [](const auto& a, const auto& b) { return a.weight < b.weight; });
    const Quat& pivot = rigid[main->control].real;
    DualQuat sum{Quat(0, 0, 0, 0), Quat(0, 0, 0, 0)};
    for (const ControlRows::Entry& entry : row) {
      const DualQuat& q = rigid[entry.control];
      const double weight =
          q.real.dot(pivot) < 0 ? -static_cast<double>(entry.weight) : static_cast<double>(entry.weight);
      sum.real.coeffs() += weight * q.real.coeffs();
      sum.dual.coeffs() += weight * q.dual.coeffs();
    }
    return normalised(sum);
  }

  PointHandles points_;
  PointsOptions options_;
  std::optional<ArapSolver> arap_;
  std::vector<std::uint32_t> proximal_;
};

// Where a handle looks for the skin: round the joint, in sectors of its own, since a joint near one side of a thick limb
// is far from the other. The plane halves the angle between the bones that meet: across one of them alone, an ankle
// would look up the leg.
struct Ring {
  static constexpr int kSectors = 12;
  static constexpr double kTilt = 0.5;  // sine of the angle to the plane across the bone
  Vec3 at, along, side, front;

  Ring(const Vec3& place, const Vec3& along_both) : at(place), along(along_both) {
    side = along.unitOrthogonal();
    front = along.cross(side);
  }
  // -1: not across.
  int sector_of(const Vec3& p) const {
    const Vec3 away = p - at;
    if (std::abs(away.dot(along)) > kTilt * away.norm()) return -1;
    const double turn = std::atan2(away.dot(front), away.dot(side)) / (2 * std::numbers::pi) + 0.5;
    return std::min(kSectors - 1, static_cast<int>(turn * kSectors));
  }
};

// The direction of a bone and of the one that leads to it, halved; of the bone alone where they double back.
Vec3 along_bones(const Rig& rig, std::span<const Affine3> bind, const Bone& bone) {
  const Vec3 own = (bone.tail - bone.head).normalized();
  const int parent = rig.skeleton[bone.joint].parent;
  if (parent < 0) return own;
  const Vec3 before = bone.head - bind[static_cast<std::size_t>(parent)].translation();
  if (!(before.norm() > 0)) return own;
  const Vec3 both = own + before.normalized();
  return both.norm() > 0.1 ? Vec3(both.normalized()) : own;
}

// Of the vertices that the handle moves most: where a thin finger has none in a sector, the next would be a thigh's.
void choose_round(const Ring& ring, std::span<const Vec3> positions, std::span<const std::uint32_t> own,
                  double radius, std::vector<std::uint8_t>& chosen) {
  std::array<double, Ring::kSectors> nearest;
  nearest.fill(std::numeric_limits<double>::infinity());
  for (const std::uint32_t i : own)
    if (const int sector = ring.sector_of(positions[i]); sector >= 0) {
      double& least = nearest[static_cast<std::size_t>(sector)];
      least = std::min(least, (positions[i] - ring.at).norm());
    }
  for (const std::uint32_t i : own)
    if (const int sector = ring.sector_of(positions[i]);
        sector >= 0 && (positions[i] - ring.at).norm() <= radius * nearest[static_cast<std::size_t>(sector)])
      chosen[i] = 1;
}

}  // namespace

std::vector<std::uint32_t> proximal_vertices(const Rig& rig, const PointsOptions& options) {
  const std::size_t handles = rig.points.points.size(), n = rig.mesh.vertex_count();
  std::vector<std::uint8_t> chosen(n, 0);
  const std::vector<Affine3> bind = bind_transforms(rig);
  const std::vector<Bone> bones = bones_of(rig.skeleton, bind);
  const double here = 1e-6 * bounding_box(rig.mesh.positions).diagonal().norm();
  std::vector<std::vector<std::uint32_t>> own(handles);  // the vertices that each moves most
  for (std::uint32_t i = 0; i < rig.points.weights.size(); ++i) {
    const auto row = rig.points.weights[i];
    const auto most = std::max_element(row.begin(), row.end(),
                                       [](const auto& a, const auto& b) { return a.weight < b.weight; });
    if (most != row.end()) own[most->control].push_back(i);
  }
  for (std::size_t h = 0; h < handles; ++h) {
    const Vec3& at = rig.points.points[h].position;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Vec3& p : rig.mesh.positions) nearest = std::min(nearest, (p - at).norm());
    for (std::size_t i = 0; i < n; ++i)
      if ((rig.mesh.positions[i] - at).norm() <= options.radius * nearest) chosen[i] = 1;
    for (const Bone& bone : bones)
      if (static_cast<int>(bone.joint) == rig.points.points[h].joint && (bone.head - at).norm() <= here &&
          (bone.tail - bone.head).norm() > here)
        choose_round(Ring(at, along_bones(rig, bind, bone)), rig.mesh.positions, own[h], options.radius,
                     chosen);
  }
  for (std::size_t i = 0; i < rig.points.weights.size(); ++i)
    for (const ControlRows::Entry& entry : rig.points.weights[i])
      if (static_cast<double>(entry.weight) >= options.weight) chosen[i] = 1;
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < n; ++i)
    if (chosen[i]) list.push_back(i);
  return list;
}

Result<std::unique_ptr<Deformer>> build_points(const Rig& rig, const PointsOptions& options) {
  if (rig.points.empty() || rig.points.weights.size() != rig.mesh.vertex_count())
    return impossible("the rig has no point handles: `sinew handles` adds them at its joints");
  if (options.iterations < 1 || options.iterations > 100'000)
    return parameter_error("iterations", "must lie between 1 and 100000");
  for (const HandleTarget& target : options.targets)
    if (target.handle >= rig.points.points.size())
      return usage_error("there is no handle " + std::to_string(target.handle) + ": the rig has " +
                         std::to_string(rig.points.points.size()));
  std::optional<ArapSolver> arap;
  std::vector<std::uint32_t> proximal;
  if (options.form == PointsForm::kArap) {
    proximal = proximal_vertices(rig, options);
    const TriangleView view = triangulate(rig.mesh);
    SINEW_TRY(arap, ArapSolver::build({rig.mesh.positions, view.triangles}, proximal));
  }
  return std::unique_ptr<Deformer>(
      std::make_unique<Points>(rig, options, std::move(arap), std::move(proximal)));
}

}  // namespace sinew
