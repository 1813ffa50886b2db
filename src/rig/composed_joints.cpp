// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/composed_joints.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "sinew/math/polar.h"
#include "sinew/math/swing_twist.h"

namespace sinew {
namespace {

// Values this near to 0 or 1 go there; those a little further are led back, so that none jumps.
constexpr double kSnap = 1.0 / 255;

double snapped(double value) {
  const auto from_zero = [](double w) {
    if (w <= kSnap) return 0.0;
    return w < 2 * kSnap ? 2 * (w - kSnap) : w;
  };
  value = std::clamp(value, 0.0, 1.0);
  return value < 0.5 ? from_zero(value) : 1 - from_zero(1 - value);
}

}  // namespace

Affine3 JointMove::part(double s, double t) const {
  Affine3 move;
  move.linear() = (Mat3::Identity() + s * (swing - Mat3::Identity())) *
                  Eigen::AngleAxisd(t * twist, axis).toRotationMatrix();
  move.translation() = centre + s * shift - move.linear() * centre;
  return move;
}

std::vector<JointFrame> joint_frames(std::span<const Bone> bones, std::span<const int> parents) {
  std::vector<JointFrame> frames;
  for (std::size_t j = 0; j < bones.size(); ++j) frames.push_back(joint_frame(bones, parents, j));
  return frames;
}

Mat3 rotation_of(const JointFrame& frame, const Vec3& turn) {
  const Vec3 swing = turn.x() * frame.axes.col(0) + turn.y() * frame.axes.col(1);
  const double angle = swing.norm();
  const Vec3 axis = angle > 0 ? Vec3(swing / angle) : Vec3(frame.axes.col(0));
  return (Eigen::AngleAxisd(angle, axis) * Eigen::AngleAxisd(turn.z(), Vec3(frame.axes.col(2))))
      .toRotationMatrix();
}

Vec3 turn_of(const JointFrame& frame, const Mat3& rotation) {
  const SwingTwist split = swing_twist(Quat(rotation), frame.axes.col(2));
  const Vec3 half = split.swing.vec();
  const double sine = half.norm(), angle = 2 * std::atan2(sine, split.swing.w());
  const Vec3 local = frame.axes.transpose() * half;
  const double scale = sine > 0 ? angle / sine : 2;
  return {scale * local.x(), scale * local.y(), twist_angle(split.twist, frame.axes.col(2))};
}

std::vector<JointMove> joint_moves(std::span<const JointFrame> frames, std::span<const int> parents,
                                   std::span<const Affine3> matrices) {
  std::vector<JointMove> moves(frames.size());
  joint_moves(frames, parents, matrices, moves);
  return moves;
}

void joint_moves(std::span<const JointFrame> frames, std::span<const int> parents,
                 std::span<const Affine3> matrices, std::span<JointMove> moves) noexcept {
  for (std::size_t j = 0; j < frames.size(); ++j) {
    JointMove& move = moves[j];
    move = {};
    move.centre = frames[j].origin;
    move.axis = frames[j].axes.col(2);
    Affine3 whole = matrices[j];
    if (parents[j] >= 0) {
      const Affine3& above = matrices[static_cast<std::size_t>(parents[j])];
      Mat3 inverse;
      bool invertible = false;
      above.linear().computeInverseWithCheck(inverse, invertible, 1e-30);
      if (!invertible) continue;
      whole.linear() = inverse * matrices[j].linear();
      whole.translation() = inverse * (matrices[j].translation() - above.translation());
    }
    if (whole.matrix() == Affine3::Identity().matrix()) continue;
    move.still = false;
    const Mat3 rotation = polar_decomposition(whole.linear()).rotation;
    move.turn = turn_of(frames[j], rotation);
    move.twist = move.turn.z();
    move.swing = whole.linear() * Eigen::AngleAxisd(-move.twist, move.axis).toRotationMatrix();
    move.shift = whole * move.centre - move.centre;
  }
}

void ComposedWeights::add_row(std::span<const int> parents, std::span<const double> swing,
                              std::span<const double> twist) {
  if (offsets.empty()) offsets.push_back(0);
  const auto whole = [&](std::size_t j) { return snapped(swing[j]) == 1 && snapped(twist[j]) == 1; };
  // The deepest joint that carries the vertex whole, as do most above it.
  std::int32_t best = -1;
  int most = 0;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    if (!whole(j)) continue;
    int count = 0;
    for (int a = static_cast<int>(j); a >= 0; a = parents[static_cast<std::size_t>(a)])
      count += whole(static_cast<std::size_t>(a)) ? 1 : -1;
    if (count > most) best = static_cast<std::int32_t>(j), most = count;
  }
  base.push_back(best);
  std::vector<std::uint8_t> carried(parents.size(), 0);
  for (int a = best; a >= 0; a = parents[static_cast<std::size_t>(a)])
    carried[static_cast<std::size_t>(a)] = 1;
  for (std::size_t j = 0; j < parents.size(); ++j) {
    const double s = snapped(swing[j]), t = snapped(twist[j]);
    if (s == carried[j] && t == carried[j]) continue;
    entries.push_back({static_cast<std::uint32_t>(j), static_cast<float>(s), static_cast<float>(t)});
  }
  offsets.push_back(static_cast<std::uint32_t>(entries.size()));
}

JointComposition::JointComposition(std::span<const int> parents, std::span<const JointMove> moves)
    : parents_(parents),
      moves_(moves),
      order_(bone_order(parents)),
      swing_(parents.size(), 0.0),
      twist_(parents.size(), 0.0),
      shift_(parents.size() + 1, Vec3::Zero()),
      turned_(parents.size() + 1, Mat3::Zero()) {}

Vec3 JointComposition::move(const ComposedWeights& weights, std::size_t i, const Vec3& x, Mat3* linear) {
  std::fill(swing_.begin(), swing_.end(), 0.0);
  std::fill(shift_.begin(), shift_.end(), Vec3(Vec3::Zero()));
  for (int a = weights.base[i]; a >= 0; a = parents_[static_cast<std::size_t>(a)])
    swing_[static_cast<std::size_t>(a)] = 1;
  twist_ = swing_;
  for (const ComposedInfluence& influence : weights.row(i)) {
    swing_[influence.joint] = static_cast<double>(influence.swing);
    twist_[influence.joint] = static_cast<double>(influence.twist);
  }
  if (linear) std::fill(turned_.begin(), turned_.end(), Mat3(Mat3::Zero()));
  for (std::size_t k = order_.size(); k-- > 0;) {
    const std::size_t j = order_[k];
    const std::size_t above = parents_[j] < 0 ? parents_.size() : static_cast<std::size_t>(parents_[j]);
    Vec3 shift = shift_[j];
    Mat3 turned = turned_[j];
    if (!moves_[j].still && (swing_[j] != 0 || twist_[j] != 0)) {
      const Affine3 part = moves_[j].part(swing_[j], twist_[j]);
      shift = part * (x + shift) - x;
      if (linear) turned = part.linear() * (Mat3::Identity() + turned) - Mat3::Identity();
    }
    shift_[above] += shift;
    if (linear) turned_[above] += turned;
  }
  if (linear) *linear = Mat3::Identity() + turned_.back();
  return x + shift_.back();
}

}  // namespace sinew
