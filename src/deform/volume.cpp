// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/volume.h"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "deform/normal_carrier.h"
#include "deform/palette.h"
#include "deform/volume_shares.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMostTurn = 15 * kDegree;  // of a joint against its parent, in a step
constexpr double kMostPath = 60 * kDegree;  // of a joint against the base
constexpr int kMostSteps = 120;
constexpr std::size_t kFlowGrain = 512;
constexpr double kNoTurn = 1e-7;  // radians; and of the size, for shifts
// On a surface that folds up slopes have no bound. Not less than this part of a vertex's area at rest is
// counted, and no push goes further than this part of what the joint itself moves there, so that nothing
// shoots out of a fold.
constexpr double kLeastArea = 0.65;
constexpr double kMostPush = 0.5;

// A motion of bind space, relative to that of the base, about the joint's head.
struct RigidJoint {
  Quat rotation = Quat::Identity();
  Vec3 head = Vec3::Zero();  // where it is
};

// x' = turn x x + shift, for a whole step.
struct Twist {
  Vec3 turn = Vec3::Zero(), shift = Vec3::Zero();
  Vec3 at(const Vec3& x) const { return turn.cross(x) + shift; }
};

// Where a point is after `part` of a step. The velocity turns with the motion, so the way is a power series
// of the turn in it.
Vec3 carried(const Twist& twist, double part, const Vec3& x) {
  const Vec3 turn = part * twist.turn, v = part * twist.at(x);
  const double s = turn.squaredNorm();
  double b, c;
  if (s < 0.5) {
    b = 0.5 - s * (1.0 / 24 - s * (1.0 / 720 - s * (1.0 / 40320 - s / 3628800)));
    c = 1.0 / 6 - s * (1.0 / 120 - s * (1.0 / 5040 - s * (1.0 / 362880 - s / 39916800)));
  } else {
    const double angle = std::sqrt(s);
    b = (1 - std::cos(angle)) / s;
    c = (angle - std::sin(angle)) / (s * angle);
  }
  const Vec3 across = turn.cross(v);
  return x + v + b * across + c * turn.cross(across);
}

Quat shorter(Quat q) {
  if (q.w() < 0) q.coeffs() *= -1;
  return q;
}

double angle_of(const Quat& q) {
  return 2 * std::atan2(q.vec().norm(), q.w());
}

Quat part_of(const Quat& turn, double part) {
  const Eigen::AngleAxisd whole(turn);
  return Quat(Eigen::AngleAxisd(part * whole.angle(), whole.axis()));
}

// The steady motion that takes one place of a joint into another.
Twist twist_between(const RigidJoint& from, const RigidJoint& to) {
  const Quat q = shorter((to.rotation * from.rotation.conjugate()).normalized());
  const Eigen::AngleAxisd turn(q);
  const double angle = turn.angle();
  Twist twist;
  twist.turn = angle * turn.axis();
  const Vec3 t = to.head - q * from.head;
  const double c = angle < 1e-4 ? 1.0 / 12 : (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
  twist.shift = t - 0.5 * twist.turn.cross(t) + c * twist.turn.cross(twist.turn.cross(t));
  return twist;
}

struct FlowJoint {
  Quat turn = Quat::Identity();  // against the parent, rest to pose
  Vec3 shift = Vec3::Zero();     // of the head, in the parent's axes
  Mat3 stretch = Mat3::Identity();
  bool steady = true;  // the stretch grows with time; otherwise (mirrored, flat) it is there at once
  RigidJoint now, next;
  // Of one step:
  Twist twist;
  Affine3 grow = Affine3::Identity();
  double path = 0;  // turns from the base to here

  Mat3 stretch_at(double time) const {
    if (!steady) return time > 0 ? stretch : Mat3(Mat3::Identity());
    return Mat3::Identity() + time * (stretch - Mat3::Identity());
  }
};

// A joint against its parent in one step: the turn, and the shift of the hinge's middle.
struct FlowHinge {
  Twist against;
  Vec3 middle = Vec3::Zero();
  bool moves = false;
};

struct VolumeWorkspace : Workspace {
  std::vector<FlowJoint> joints;
  std::vector<FlowHinge> hinges;
  std::vector<Twist> before;    // twists of the step before
  std::vector<Vec3> points;     // per vertex, about the base's head
  std::vector<Vec3> mid, half;  // per place: in the middle of a step, and after half of the push there
  std::vector<Vec3> push;       // per place: what keeps the volume
  NormalCarrier::Scratch normals;
};

bool positive(const Mat3& symmetric) {
  const auto& m = symmetric;
  return m(0, 0) > 0 && m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0) > 0 && m.determinant() > 0;
}

class Volume : public Deformer {
 public:
  Volume(const Rig& rig, double amount, VolumeShares shares)
      : amount_(amount), shares_(std::move(shares)), normals_(rig.mesh) {
    if (shares_.joints.empty()) return;
    origin_ = shares_.heads[0];
    for (Vec3& head : shares_.heads) head -= origin_;
    for (VolumeShares::Hinge& hinge : shares_.hinges) hinge.middle -= origin_;
    for (const Vec3& head : shares_.heads) size_ = std::max(size_, head.norm());
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto workspace = std::make_unique<VolumeWorkspace>();
    workspace->joints.resize(shares_.joints.size());
    workspace->hinges.resize(shares_.hinges.size());
    workspace->before.resize(shares_.joints.size());
    workspace->points.resize(shares_.to_place.size());
    workspace->mid.resize(shares_.vertex.size(), Vec3::Zero());
    workspace->half = workspace->mid;
    workspace->push = workspace->mid;
    workspace->normals = normals_.make_scratch();
    return workspace;
  }

  Status deform(const FrameInput& input, Workspace& workspace, std::span<Vec3f> out_positions,
                std::span<Vec3f> out_normals) const noexcept override {
    assert(input.positions.size() == shares_.to_place.size());
    auto& state = static_cast<VolumeWorkspace&>(workspace);
    const std::size_t n = state.points.size();
    for (std::size_t i = 0; i < n; ++i) state.points[i] = input.positions[i].cast<double>() - origin_;
    Affine3 base = Affine3::Identity();
    if (!shares_.joints.empty()) {
      const int steps = prepare(input, state, base);
      for (int step = 0; step < steps; ++step) {
        move_joints(step, steps, state);
        carry(step, steps, state);
        if (amount_ > 0) {
          push(state.mid, &state.half, state);
          push(state.half, nullptr, state);
        }
      }
      carry(steps, steps, state);
    }
    for (std::size_t i = 0; i < n; ++i)
      out_positions[i] = shares_.to_place[i] == VolumeShares::kNowhere
                             ? input.positions[i]
                             : Vec3f((base * state.points[i] + origin_).cast<float>());
    if (!out_normals.empty())
      normals_.carry(input.positions, out_positions, input.normals, state.normals, out_normals);
    return Status::kOk;
  }

 private:
  // The rigid part of a joint's motion, about the origin of the flow.
  RigidJoint rigid(const FrameInput& input, std::size_t j, Mat3& stretch) const noexcept {
    const Affine3& matrix = input.matrices[shares_.joints[j]];
    const LinearSplit split = split_linear(matrix.linear());
    stretch = split.stretch;
    return {split.rotation, matrix * (shares_.heads[j] + origin_) - origin_};
  }

  // Turns, shifts and stretches of all joints, and the base's own motion; returns the steps that they need.
  int prepare(const FrameInput& input, VolumeWorkspace& state, Affine3& base) const noexcept {
    const std::span<FlowJoint> joints(state.joints);
    Mat3 stretch;
    const RigidJoint root = rigid(input, 0, stretch);
    base.linear() = root.rotation.toRotationMatrix();
    base.translation() = root.head;  // the base's own head is the origin
    double turn = 0, path = 0, least = 0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      FlowJoint& joint = joints[j];
      RigidJoint own = rigid(input, j, joint.stretch);
      own = {(root.rotation.conjugate() * own.rotation).normalized(),
             root.rotation.conjugate() * (own.head - root.head)};
      joint.next = own;  // for its children, until the steps begin
      RigidJoint above;
      const Vec3 rest = rest_from_parent(j, joints, above);
      joint.turn = shorter((above.rotation.conjugate() * own.rotation).normalized());
      joint.shift = above.rotation.conjugate() * (own.head - above.head) - rest;
      joint.steady = positive(joint.stretch);
      const double angle = angle_of(joint.turn);
      turn = std::max(turn, angle);
      path = std::max(path, angle_of(shorter(own.rotation)));
      if (angle > kNoTurn || joint.shift.norm() > kNoTurn * size_ || !joint.stretch.isIdentity(0)) least = 1;
    }
    // Turns along a chain add up, also beyond half a turn.
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const int parent = shares_.parents[j];
      joints[j].path =
          angle_of(joints[j].turn) + (parent < 0 ? 0 : joints[static_cast<std::size_t>(parent)].path);
      path = std::max(path, joints[j].path);
    }
    for (std::size_t j = 0; j < joints.size(); ++j) joints[j].next = {Quat::Identity(), shares_.heads[j]};
    const double steps = std::max({least, std::ceil(turn / kMostTurn), std::ceil(path / kMostPath)});
    return least > 0 ? static_cast<int>(std::min<double>(steps, kMostSteps)) : 0;
  }

  // Where a joint's head lies from its parent's at rest, and where the parent is going.
  Vec3 rest_from_parent(std::size_t j, std::span<const FlowJoint> joints, RigidJoint& above) const noexcept {
    if (shares_.parents[j] < 0) return shares_.heads[j];
    const auto parent = static_cast<std::size_t>(shares_.parents[j]);
    above = joints[parent].next;
    return shares_.heads[j] - shares_.heads[parent];
  }

  // Where the joints are at the end of a step, and how they come there.
  void move_joints(int step, int steps, VolumeWorkspace& state) const noexcept {
    const std::span<FlowJoint> joints(state.joints);
    const double begin = static_cast<double>(step) / steps, end = static_cast<double>(step + 1) / steps;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      FlowJoint& joint = joints[j];
      state.before[j] = joint.twist;
      joint.now = joint.next;
      RigidJoint above;
      const Vec3 rest = rest_from_parent(j, joints, above);
      joint.next = {(above.rotation * part_of(joint.turn, end)).normalized(),
                    above.head + above.rotation * (rest + end * joint.shift)};
      const Mat3 axes = joint.now.rotation.toRotationMatrix();
      joint.grow.linear().setIdentity();
      if (!joint.stretch.isIdentity(0) && (joint.steady || step == 0))
        joint.grow.linear() =
            axes * (joint.stretch_at(end) * joint.stretch_at(begin).inverse()) * axes.transpose();
      joint.grow.translation() = joint.now.head - joint.grow.linear() * joint.now.head;
      // What a joint does after its own stretch about its head.
      joint.twist = twist_between(joint.now, joint.next);
    }
    for (std::size_t h = 0; h < state.hinges.size(); ++h)
      move_hinge(shares_.hinges[h], joints, state.hinges[h]);
  }

  void move_hinge(const VolumeShares::Hinge& rest, std::span<const FlowJoint> joints,
                  FlowHinge& hinge) const noexcept {
    const FlowJoint& joint = joints[rest.joint];
    const Vec3 begin = joint.now.head + joint.now.rotation * (rest.middle - shares_.heads[rest.joint]);
    hinge.middle = carried(joint.twist, 0.5, begin);
    const auto motion = [&](const FlowJoint& of) {
      return Twist{of.twist.turn, of.twist.at(hinge.middle) + (of.grow * begin - begin)};
    };
    hinge.against = motion(joint);
    if (const int parent = shares_.parents[rest.joint]; parent >= 0) {
      const Twist above = motion(joints[static_cast<std::size_t>(parent)]);
      hinge.against.turn -= above.turn;
      hinge.against.shift -= above.shift;
    }
    hinge.moves = hinge.against.turn.norm() > kNoTurn || hinge.against.shift.norm() > kNoTurn * size_;
  }

  // The second half of the step before and the first half of this one, each place by its parts of the joints'
  // motions. Where one joint has all, it is carried exactly.
  void carry(int step, int steps, VolumeWorkspace& state) const noexcept {
    const bool stretched = std::any_of(state.joints.begin(), state.joints.end(), [](const FlowJoint& joint) {
      return !joint.grow.linear().isIdentity(0);
    });
    parallel_for(state.points.size(), kFlowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        const std::uint32_t place = shares_.to_place[v];
        if (place == VolumeShares::kNowhere) continue;
        const auto parts = std::span(shares_.parts)
                               .subspan(shares_.part_offsets[place],
                                        shares_.part_offsets[place + 1] - shares_.part_offsets[place]);
        Vec3& x = state.points[v];
        if (step > 0) {
          Twist twist;
          for (const VolumeShares::Part& part : parts) {
            const Twist& own = step < steps ? state.before[part.joint] : state.joints[part.joint].twist;
            twist.turn += part.weight * own.turn;
            twist.shift += part.weight * own.shift;
          }
          x = carried(twist, 0.5, x + state.push[place]);
        }
        if (step == steps) continue;
        Twist twist;
        Vec3 grown = Vec3::Zero();
        for (const VolumeShares::Part& part : parts) {
          const FlowJoint& joint = state.joints[part.joint];
          twist.turn += part.weight * joint.twist.turn;
          twist.shift += part.weight * joint.twist.shift;
          if (stretched) grown += part.weight * (joint.grow * x - x);
        }
        x = carried(twist, 0.5, x + grown);
        if (shares_.vertex[place] == v) state.mid[place] = state.half[place] = x;
      }
    });
  }

  // sum_j grad Phi_j x A_j at the places of `at`; `half`, where given, is moved by half of it.
  void push(const std::vector<Vec3>& at, std::vector<Vec3>* half, VolumeWorkspace& state) const noexcept {
    parallel_for(shares_.bands.size(), kFlowGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const VolumeShares::Band& band = shares_.bands[k];
        const Vec3 v = amount_ * (band.fan_count > 0 ? push_surface(band, at, state.hinges)
                                                     : push_point(band, at, state.hinges));
        state.push[band.place] = v;
        if (half) (*half)[band.place] = at[band.place] + 0.5 * v;
      }
    });
  }

  static Vec3 potential(const FlowHinge& hinge, const Vec3& x) noexcept {
    const Vec3 r = x - hinge.middle;
    return 0.5 * hinge.against.shift.cross(r) - 0.5 * r.squaredNorm() * hinge.against.turn;
  }

  static Vec3 bounded(const FlowHinge& hinge, const Vec3& x, const Vec3& push) noexcept {
    const double most =
        kMostPush * (hinge.against.turn.norm() * (x - hinge.middle).norm() + hinge.against.shift.norm());
    const double length = push.norm();
    return length > most ? Vec3(push * (most / length)) : push;
  }

  // On a surface shares are taken as equal along the normal, which the volume does not see. The slope is the
  // mean over the faces around as they are now.
  Vec3 push_surface(const VolumeShares::Band& band, const std::vector<Vec3>& at,
                    std::span<const FlowHinge> hinges) const noexcept {
    const auto slopes = std::span(shares_.slopes).subspan(band.slopes, band.slope_count);
    if (std::none_of(slopes.begin(), slopes.end(), [&](const auto& s) { return hinges[s.hinge].moves; }))
      return Vec3::Zero();
    const auto fans = std::span(shares_.fans).subspan(band.fans, band.fan_count);
    const std::uint32_t* around = shares_.neighbours.data() + band.neighbours;
    const Vec3& x = at[band.place];
    Vec3 normal = Vec3::Zero();
    for (const auto& [p, q] : fans) normal += (at[around[p]] - x).cross(at[around[q]] - x);
    const double twice = normal.norm();
    if (!(twice > 0)) return Vec3::Zero();
    normal /= twice;
    const double area = std::max(twice, 2 * kLeastArea * band.area);
    Vec3 sum = Vec3::Zero();
    for (const VolumeShares::Slope& slope : slopes) {
      const FlowHinge& hinge = hinges[slope.hinge];
      if (!hinge.moves) continue;
      const float* differences = shares_.differences.data() + slope.differences;
      Vec3 turned = Vec3::Zero();  // the gradient, turned about the normal
      for (const auto& [p, q] : fans)
        turned += differences[p] * (x - at[around[q]]) + differences[q] * (at[around[p]] - x);
      turned -= turned.dot(normal) * normal;
      const Vec3 A = potential(hinge, x);
      sum += bounded(hinge, x, (normal.dot(A) * turned - turned.dot(A) * normal) / area);
    }
    return sum;
  }

  // In space the slope that fits the neighbours as they are now; none where they lie in a plane.
  Vec3 push_point(const VolumeShares::Band& band, const std::vector<Vec3>& at,
                  std::span<const FlowHinge> hinges) const noexcept {
    const auto around = std::span(shares_.neighbours).subspan(band.neighbours, band.neighbour_count);
    const Vec3& x = at[band.place];
    const float* weights = shares_.neighbour_weights.data() + band.neighbours;
    Mat3 spread = Mat3::Zero();
    for (std::size_t k = 0; k < around.size(); ++k) {
      const Vec3 away = at[around[k]] - x;
      spread += weights[k] * away * away.transpose();
    }
    const double mean = spread.trace() / 3;
    if (!(spread.determinant() > 1e-6 * mean * mean * mean)) return Vec3::Zero();
    const Mat3 inverse = spread.inverse();
    Vec3 sum = Vec3::Zero();
    for (const VolumeShares::Slope& slope :
         std::span(shares_.slopes).subspan(band.slopes, band.slope_count)) {
      const FlowHinge& hinge = hinges[slope.hinge];
      if (!hinge.moves) continue;
      Vec3 rise = Vec3::Zero();
      for (std::size_t k = 0; k < around.size(); ++k) {
        const Vec3 away = at[around[k]] - x;
        rise += weights[k] * shares_.differences[slope.differences + k] * away;
      }
      sum += bounded(hinge, x, (inverse * rise).cross(potential(hinge, x)));
    }
    return sum;
  }

  double amount_;
  VolumeShares shares_;  // heads and middles about origin_
  NormalCarrier normals_;
  Vec3 origin_ = Vec3::Zero();
  double size_ = 0;
};

}  // namespace

Result<std::unique_ptr<Deformer>> build_volume(const Rig& rig, const VolumeOptions& options) {
  if (!(options.amount >= 0 && options.amount <= 1))
    return parameter_error("amount", "must lie between 0 and 1");
  SINEW_TRY(VolumeShares shares, volume_shares(rig, options.progress));
  return std::unique_ptr<Deformer>(std::make_unique<Volume>(rig, options.amount, std::move(shares)));
}

}  // namespace sinew
