// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/volume.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "deform/palette.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

constexpr double kMostDegrees = 6;  // a step turns no joint further
constexpr int kMostSteps = 120;

// A joint between two moments: how it turns and moves against its parent, and where everything is.
struct JointFlow {
  Vec3 turn = Vec3::Zero(), shift = Vec3::Zero();  // per unit of time, world axes
  Vec3 centre = Vec3::Zero();
  Vec3 head = Vec3::Zero(), tail = Vec3::Zero();  // of its bone
};

struct VolumeWorkspace : Workspace {
  std::vector<Quat> turns;  // of each bone against its parent, from rest to the pose, in the parent's axes
  std::vector<Vec3> shifts;
  std::vector<Affine3> globals;  // bones at one moment
  std::vector<JointFlow> flows;  // per stage of a step and bone
  std::vector<Vec3> points;
  std::vector<Vec3> normals;  // welded
};

class Volume : public Deformer {
 public:
  Volume(const Rig& rig, const VolumeOptions& options)
      : amount_(options.amount),
        bind_(bind_transforms(rig)),
        bones_(bones_of(rig.skeleton, bind_)),
        parents_(bone_parents(rig.skeleton)),
        order_(bone_order(parents_)) {
    const TriangleView view = triangulate(rig.mesh);
    WeldedTriangles welded = weld_triangles({rig.mesh.positions, view.triangles});
    to_welded_ = std::move(welded.weld.to_welded);
    triangles_ = std::move(welded.triangles);
    welded_count_ = welded.weld.positions.size();
    bind_.resize(bones_.size());
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      const Affine3 above =
          parents_[b] < 0 ? Affine3::Identity() : bind_[static_cast<std::size_t>(parents_[b])];
      local_.push_back(above.inverse() * bind_[b]);
      inverse_bind_.push_back(bind_[b].inverse());
    }
    has_weights_.resize(rig.mesh.vertex_count());
    for (std::size_t i = 0; i < has_weights_.size(); ++i)
      has_weights_[i] = i < rig.weights.vertex_count() && !rig.weights.row(i).empty();
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<VolumeWorkspace>();
    workspace->turns.resize(bones_.size());
    workspace->shifts.resize(bones_.size());
    workspace->globals.resize(bones_.size());
    workspace->flows.resize(3 * bones_.size());
    workspace->points.resize(to_welded_.size());
    workspace->normals.resize(welded_count_);
    return workspace;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == to_welded_.size());
    auto& state = static_cast<VolumeWorkspace&>(workspace);
    for (std::size_t i = 0; i < state.points.size(); ++i) state.points[i] = input.positions[i].cast<double>();
    if (!bones_.empty()) {
      const int steps = prepare(input, state);
      for (int step = 0; step < steps; ++step) {
        for (int stage = 0; stage < 3; ++stage)
          flow_at((step + 0.5 * stage) / steps,
                  std::span(state.flows).subspan(stage * bones_.size(), bones_.size()), state);
        advance(1.0 / steps, state);
      }
    }
    const Affine3 root = root_motion(input);
    for (std::size_t i = 0; i < state.points.size(); ++i) {
      if (has_weights_[i]) state.points[i] = root * state.points[i];
      out_positions[i] = state.points[i].cast<float>();
    }
    if (!out_normals.empty()) face_normals(input, state, out_normals);
    return Status::kOk;
  }

 private:
  // The first root's motion; other roots move against it.
  Affine3 root_motion(const FrameInput& input) const noexcept {
    if (bones_.empty()) return Affine3::Identity();
    const Affine3& matrix = input.matrices[bones_[order_[0]].joint];
    Affine3 rigid = Affine3::Identity();
    rigid.linear() = split_linear(matrix.linear()).rotation.toRotationMatrix();
    const Vec3 head = bones_[order_[0]].head;
    rigid.translation() = matrix * head - rigid.linear() * head;
    return rigid;
  }

  // Turns and shifts of all bones against their parents; returns the steps that they need.
  int prepare(const FrameInput& input, VolumeWorkspace& state) const noexcept {
    const Affine3 back = root_motion(input).inverse(Eigen::Isometry);
    double most = 0;
    for (const std::size_t b : order_) {
      // Rigid motions of bind space, relative to the root's.
      const auto rigid = [&](std::size_t k) {
        const Affine3& matrix = input.matrices[bones_[k].joint];
        Affine3 result = Affine3::Identity();
        result.linear() = split_linear(matrix.linear()).rotation.toRotationMatrix();
        result.translation() = matrix * bones_[k].head - result.linear() * bones_[k].head;
        return Affine3(back * result);
      };
      const Affine3 own = rigid(b) * bind_[b];
      const Affine3 above = parents_[b] < 0 ? Affine3::Identity()
                                            : Affine3(rigid(static_cast<std::size_t>(parents_[b])) *
                                                      bind_[static_cast<std::size_t>(parents_[b])]);
      const Affine3 local = above.inverse() * own;
      const Quat from(split_linear(local_[b].linear()).rotation), to(split_linear(local.linear()).rotation);
      state.turns[b] = (to * from.conjugate()).normalized();
      if (state.turns[b].w() < 0) state.turns[b].coeffs() *= -1;
      state.shifts[b] = local.translation() - local_[b].translation();
      most = std::max(most, 2 * std::atan2(state.turns[b].vec().norm(), state.turns[b].w()));
    }
    const double degrees = most * 180 / std::numbers::pi;
    return std::clamp(static_cast<int>(std::ceil(degrees / kMostDegrees)), 4, kMostSteps);
  }

  // Where the bones are at a moment, and how they move.
  void flow_at(double time, std::span<JointFlow> flows, VolumeWorkspace& state) const noexcept {
    for (const std::size_t b : order_) {
      const Affine3 above =
          parents_[b] < 0 ? Affine3::Identity() : state.globals[static_cast<std::size_t>(parents_[b])];
      const Eigen::AngleAxisd whole(state.turns[b]);
      const Quat turn(Eigen::AngleAxisd(time * whole.angle(), whole.axis()));
      Affine3 local = Affine3::Identity();
      local.linear() = turn.toRotationMatrix() * local_[b].linear();
      local.translation() = local_[b].translation() + time * state.shifts[b];
      state.globals[b] = above * local;
      const Affine3 motion = state.globals[b] * inverse_bind_[b];
      flows[b].centre = state.globals[b].translation();
      flows[b].turn = above.linear() * (whole.angle() * whole.axis());
      flows[b].shift = above.linear() * state.shifts[b];
      flows[b].head = motion * bones_[b].head;
      flows[b].tail = motion * bones_[b].tail;
    }
  }

  // The velocity at a point. `share` and `slope` hold one entry a bone.
  Vec3 velocity(const Vec3& x, std::span<const JointFlow> flows, std::span<double> share,
                std::span<Vec3> slope) const noexcept {
    // phi_b = d_b^-4 / sum, by squares so that it is smooth on the bone itself.
    double sum = 0;
    Vec3 sum_slope = Vec3::Zero();
    for (std::size_t b = 0; b < flows.size(); ++b) {
      const Vec3 along = flows[b].tail - flows[b].head;
      const double length = along.squaredNorm();
      const double t = length > 0 ? std::clamp((x - flows[b].head).dot(along) / length, 0.0, 1.0) : 0;
      const Vec3 away = x - flows[b].head - t * along;
      const double square = std::max(away.squaredNorm(), 1e-24);
      share[b] = 1 / (square * square);
      slope[b] = (-4 * share[b] / square) * away;
      sum += share[b];
      sum_slope += slope[b];
    }
    for (std::size_t b = 0; b < flows.size(); ++b) {
      slope[b] = (slope[b] - share[b] / sum * sum_slope) / sum;
      share[b] /= sum;
    }
    // Sums over what lies at and below each joint.
    for (std::size_t k = order_.size(); k-- > 0;) {
      const std::size_t b = order_[k];
      if (parents_[b] < 0) continue;
      share[static_cast<std::size_t>(parents_[b])] += share[b];
      slope[static_cast<std::size_t>(parents_[b])] += slope[b];
    }
    Vec3 v = Vec3::Zero();
    for (std::size_t b = 0; b < flows.size(); ++b) {
      const JointFlow& flow = flows[b];
      if (flow.turn.isZero() && flow.shift.isZero()) continue;
      const Vec3 r = x - flow.centre;
      v += share[b] * (flow.turn.cross(r) + flow.shift);
      const Vec3 potential = -0.5 * r.squaredNorm() * flow.turn + 0.5 * flow.shift.cross(r);
      v += amount_ * slope[b].cross(potential);
    }
    return v;
  }

  void advance(double step, VolumeWorkspace& state) const noexcept {
    const std::size_t n = bones_.size();
    const std::span<const JointFlow> all(state.flows);
    parallel_for(state.points.size(), 256, [&](std::size_t begin, std::size_t end) {
      std::vector<double> share(n);
      std::vector<Vec3> slope(n);
      for (std::size_t i = begin; i < end; ++i) {
        if (!has_weights_[i]) continue;
        Vec3& x = state.points[i];
        const Vec3 a = velocity(x, all.first(n), share, slope);
        const Vec3 b = velocity(x + 0.5 * step * a, all.subspan(n, n), share, slope);
        const Vec3 c = velocity(x + 0.5 * step * b, all.subspan(n, n), share, slope);
        const Vec3 d = velocity(x + step * c, all.subspan(2 * n, n), share, slope);
        x += step / 6 * (a + 2 * b + 2 * c + d);
      }
    });
  }

  void face_normals(const FrameInput& input, VolumeWorkspace& state, std::span<Vec3f> out) const noexcept {
    std::fill(state.normals.begin(), state.normals.end(), Vec3::Zero());
    std::vector<Vec3>& welded = state.normals;
    // Any vertex of a welded place will do: they flow alike.
    std::vector<Vec3> places(welded_count_);
    for (std::size_t i = 0; i < to_welded_.size(); ++i) places[to_welded_[i]] = state.points[i];
    for (const Triangle& t : triangles_) {
      const Vec3 normal = (places[t[1]] - places[t[0]]).cross(places[t[2]] - places[t[0]]);
      for (const std::uint32_t corner : t) welded[corner] += normal;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Vec3& normal = welded[to_welded_[i]];
      out[i] = normal.norm() > 0 ? Vec3f(normal.normalized().cast<float>()) : input.normals[i];
    }
  }

  double amount_;
  std::vector<Affine3> bind_, local_, inverse_bind_;  // per bone
  std::vector<Bone> bones_;
  std::vector<int> parents_;
  std::vector<std::size_t> order_;
  std::vector<std::uint32_t> to_welded_;
  std::vector<Triangle> triangles_;
  std::size_t welded_count_ = 0;
  std::vector<std::uint8_t> has_weights_;  // others stay
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_volume(const Rig& rig, const VolumeOptions& options) {
  if (!(options.amount >= 0 && options.amount <= 1))
    return parameter_error("amount", "must lie between 0 and 1");
  return std::unique_ptr<Deformer>(std::make_unique<Volume>(rig, options));
}

}  // namespace sinew
