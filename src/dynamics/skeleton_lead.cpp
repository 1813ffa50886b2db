// SPDX-License-Identifier: Apache-2.0
#include "sinew/dynamics/skeleton_lead.h"

#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/math/rotation_fit.h"

namespace sinew {
namespace {

constexpr double kHold = 0.02;  // how strongly a joint stays where it was found, beside turns of 1 radian
constexpr std::size_t kLeadGrain = 1 << 11;

// How the vertices of a joint go from the reference to a shape, rigidly.
struct RigidFit {
  double mass = 0;
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();  // their middles
  Mat3 spread = Mat3::Zero();
  Quat turn = Quat::Identity();

  Vec3 place(const Vec3& point) const { return to + turn * (point - from); }
};

// Vertices count by the cube of their weight: those that others move too say little about this joint.
std::vector<RigidFit> fit_joints(const SkinWeights& weights, std::size_t joints, std::span<const Vec3> from,
                                 std::span<const Vec3> to) {
  std::vector<RigidFit> fits(joints);
  const auto each = [&](auto&& visit) {
    for (std::size_t i = 0; i < from.size(); ++i)
      for (const Influence& one : weights.row(i))
        visit(fits[one.joint], one.weight * one.weight * one.weight, from[i], to[i]);
  };
  each([](RigidFit& fit, double w, const Vec3& a, const Vec3& b) {
    fit.mass += w;
    fit.from += w * a;
    fit.to += w * b;
  });
  for (RigidFit& fit : fits)
    if (fit.mass > 0) fit.from /= fit.mass, fit.to /= fit.mass;
  each([](RigidFit& fit, double w, const Vec3& a, const Vec3& b) {
    fit.spread += w * (b - fit.to) * (a - fit.from).transpose();
  });
  return fits;
}

Quat slerp_near(const Quat& from, const Quat& to, double share) {
  // From the identity, so that the sign of the result goes on from that of `from`.
  return (from * Quat::Identity().slerp(share, from.conjugate() * to)).normalized();
}

bool all_finite(std::span<const Vec3> points) {
  for (const Vec3& p : points)
    if (!p.allFinite()) return false;
  return true;
}

}  // namespace

Result<SkeletonLead> SkeletonLead::build(const Skeleton& skeleton, std::span<const Vec3> heads,
                                         SkinWeights weights, std::span<const std::span<const Vec3>> shapes,
                                         std::size_t reference) {
  const std::size_t joints = skeleton.size(), n = weights.vertex_count();
  if (heads.size() != joints || reference >= shapes.size() || !all_finite(heads))
    return bad_input("a skeleton that leads shapes needs a position for every joint in one of them");
  for (const std::span<const Vec3> shape : shapes)
    if (shape.size() != n || !all_finite(shape))
      return bad_input("shapes that a skeleton leads need one finite position for every row of weights");
  for (const Influence& one : weights.entries)
    if (one.joint >= joints) return bad_input("the weights name a joint that the skeleton does not have");
  SkeletonLead lead;
  lead.order_.assign(skeleton.order().begin(), skeleton.order().end());
  for (const Joint& joint : skeleton.joints()) lead.parents_.push_back(joint.parent);

  // Turns, parents first: what has no vertices, or too few to tell, turns with its parent.
  std::vector<std::vector<RigidFit>> fits;
  for (const std::span<const Vec3> shape : shapes) {
    std::vector<RigidFit>& fit = fits.emplace_back(fit_joints(weights, joints, shapes[reference], shape));
    JointPose& pose = lead.poses_.emplace_back();
    pose.turns.resize(joints);
    pose.places.assign(joints, Vec3::Zero());
    for (const std::uint32_t j : lead.order_) {
      const int parent = lead.parents_[j];
      const RigidFit* above = parent < 0 ? nullptr : &fit[static_cast<std::size_t>(parent)];
      fit[j].turn = fit_rotation(fit[j].spread, above ? above->turn : Quat::Identity());
      if (fit[j].mass == 0) {
        fit[j].from = heads[j];
        fit[j].to = above ? above->place(heads[j]) : heads[j];
      }
      pose.turns[j] = fit[j].turn;
    }
  }
  // A joint lies where its own motion and its parent's agree: (turn - turn above) p = difference of the
  // shifts, over all shapes, held weakly to where it was found.
  for (const std::uint32_t j : lead.order_) {
    const int parent = lead.parents_[j];
    Vec3 head = heads[j];
    if (parent >= 0) {
      Mat3 left = kHold * Mat3::Identity();
      Vec3 right = Vec3::Zero();
      for (const std::vector<RigidFit>& fit : fits) {
        const RigidFit& above = fit[static_cast<std::size_t>(parent)];
        const Mat3 turn = fit[j].turn.toRotationMatrix() - above.turn.toRotationMatrix();
        left += turn.transpose() * turn;
        right += turn.transpose() * (above.place(head) - fit[j].place(head));
      }
      head += left.ldlt().solve(right);
    }
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      Vec3& place = lead.poses_[s].places[j];
      place = fits[s][j].place(head);
      if (parent >= 0) place = (place + fits[s][static_cast<std::size_t>(parent)].place(head)) / 2;
    }
  }
  lead.weights_ = std::move(weights);
  return lead;
}

SkeletonLead::JointPose SkeletonLead::between(std::size_t first, double share) const {
  const JointPose &a = poses_[first], &b = poses_[first + 1];
  JointPose pose;
  pose.turns.resize(joint_count());
  pose.places.resize(joint_count());
  for (const std::uint32_t j : order_) {
    if (parents_[j] < 0) {
      pose.turns[j] = slerp_near(a.turns[j], b.turns[j], share);
      pose.places[j] = a.places[j] + share * (b.places[j] - a.places[j]);
      continue;
    }
    const auto p = static_cast<std::size_t>(parents_[j]);
    const Quat turn_a = a.turns[p].conjugate() * a.turns[j], turn_b = b.turns[p].conjugate() * b.turns[j];
    const Vec3 arm_a = a.turns[p].conjugate() * (a.places[j] - a.places[p]);
    const Vec3 arm_b = b.turns[p].conjugate() * (b.places[j] - b.places[p]);
    // The arm's direction and its length apart, so that a bone whose fits differ a little stays as long.
    Vec3 arm = arm_a + share * (arm_b - arm_a);
    const double length = arm.norm(), wanted = arm_a.norm() + share * (arm_b.norm() - arm_a.norm());
    if (length > 0.1 * wanted && length > 0) arm *= wanted / length;
    pose.turns[j] = pose.turns[p] * slerp_near(turn_a, turn_b, share);
    pose.places[j] = pose.places[p] + pose.turns[p] * arm;
  }
  return pose;
}

void SkeletonLead::frames(std::size_t first, double share, std::span<DualQuat> out) const {
  const JointPose& start = poses_[first];
  const JointPose pose = between(first, share);
  std::vector<DualQuat> moves(joint_count());
  for (std::size_t j = 0; j < moves.size(); ++j) {
    const Quat turn = pose.turns[j] * start.turns[j].conjugate();
    moves[j] = dual_quaternion(turn, pose.places[j] - turn * start.places[j]);
  }
  parallel_for(out.size(), kLeadGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      DualQuat sum{Quat(0, 0, 0, 0), Quat(0, 0, 0, 0)};
      // No signs are chosen: moves go on from the identity, and a choice would jump on the way.
      for (const Influence& one : weights_.row(i)) {
        sum.real.coeffs() += one.weight * moves[one.joint].real.coeffs();
        sum.dual.coeffs() += one.weight * moves[one.joint].dual.coeffs();
      }
      out[i] = normalised(sum);
    }
  });
}

}  // namespace sinew
