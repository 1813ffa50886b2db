// SPDX-License-Identifier: Apache-2.0
// A turn d (axis times angle, world space) of joint j moves a vertex by d x a, a = sum over the joints k at
// or below j of w_k (x_k - head_j), x_k where joint k alone would carry it: the Jacobian in closed form.
#include "sinew/deform/vertex_ik.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "sinew/math/polar.h"

namespace sinew {
namespace {

constexpr double kMostIkTurn = 0.5;  // radians of one step
// Of the mean square of the Jacobian's rows; four times as much after a step that leads away.
constexpr double kFirstDamping = 1e-2, kLeastDamping = 1e-9, kMostDamping = 1e9;
constexpr double kLeastGain = 1e-7;     // of the squared distances: less is standing still
constexpr double kNoDivision = 1e-300;  // by zero, where no joint can turn anything

class VertexChain {
 public:
  VertexChain(const Rig& rig, const Pose& pose, std::span<const VertexTarget> targets)
      : rig_(rig), targets_(targets), globals_(rig.skeleton.size()) {
    const std::vector<double> keys = key_weights_of(rig, pose);
    for (const VertexTarget& target : targets) {
      Vec3 p = rig.mesh.positions[target.vertex];
      for (std::size_t k = 0; k < keys.size(); ++k)
        p += keys[k] * rig.keys[k].deltas[target.vertex].cast<double>();
      rest_.push_back(p);
    }
    std::vector<bool> above(rig.skeleton.size());
    for (const VertexTarget& target : targets)
      for (const Influence& influence : rig.weights.row(target.vertex))
        for (int j = static_cast<int>(influence.joint); j >= 0; j = rig.skeleton[std::size_t(j)].parent)
          above[static_cast<std::size_t>(j)] = true;
    for (const bool roots : {false, true}) {
      if (!joints_.empty()) break;
      for (std::size_t j = 0; j < above.size(); ++j)
        if (above[j] && (roots || (rig.skeleton[j].parent >= 0 && rig.skeleton[j].deforms)))
          joints_.push_back(j);
    }
  }

  // What is missing at each target; and globals of the pose.
  Eigen::VectorXd residual(const Pose& pose) {
    forward_kinematics(rig_.skeleton, pose.local, globals_);
    Eigen::VectorXd missing(3 * static_cast<Eigen::Index>(targets_.size()));
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      Vec3 x = Vec3::Zero();
      for (const Influence& influence : rig_.weights.row(targets_[t].vertex))
        x += influence.weight * carried(influence.joint, t);
      missing.segment<3>(3 * static_cast<Eigen::Index>(t)) = targets_[t].position - x;
    }
    return missing;
  }

  Eigen::MatrixXd jacobian() const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(targets_.size()),
                                                3 * static_cast<Eigen::Index>(joints_.size()));
    for (std::size_t c = 0; c < joints_.size(); ++c)
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        Vec3 arm = Vec3::Zero();
        for (const Influence& influence : rig_.weights.row(targets_[t].vertex))
          if (is_below(influence.joint, joints_[c]))
            arm += influence.weight * (carried(influence.joint, t) - globals_[joints_[c]].translation());
        Mat3 block;  // d x arm = -[arm] d
        block << 0, arm.z(), -arm.y(), -arm.z(), 0, arm.x(), arm.y(), -arm.x(), 0;
        out.block<3, 3>(3 * static_cast<Eigen::Index>(t), 3 * static_cast<Eigen::Index>(c)) = block;
      }
    return out;
  }

  // Every joint turned about its head, in the world's axes of the pose that residual() saw last.
  Pose turned(const Pose& pose, const Eigen::VectorXd& turns) const {
    Pose out = pose;
    for (std::size_t c = 0; c < joints_.size(); ++c) {
      const Vec3 turn = turns.segment<3>(3 * static_cast<Eigen::Index>(c));
      const double angle = turn.norm();
      if (!(angle > 0)) continue;
      Mat3 parent = Mat3::Identity();
      if (const int above = rig_.skeleton[joints_[c]].parent; above >= 0)
        parent = polar_decomposition(globals_[static_cast<std::size_t>(above)].linear()).rotation;
      const Mat3 rotation = Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
      Affine3& local = out.local[joints_[c]];
      local.linear() = parent.transpose() * rotation * parent * local.linear();
    }
    return out;
  }

 private:
  Vec3 carried(std::size_t joint, std::size_t target) const {
    return globals_[joint] * (rig_.inverse_bind[joint] * rest_[target]);
  }
  bool is_below(std::size_t joint, std::size_t above) const {
    for (int j = static_cast<int>(joint); j >= 0; j = rig_.skeleton[std::size_t(j)].parent)
      if (static_cast<std::size_t>(j) == above) return true;
    return false;
  }

  const Rig& rig_;
  std::span<const VertexTarget> targets_;
  std::vector<Affine3> globals_;
  std::vector<Vec3> rest_;           // per target, with its keys
  std::vector<std::size_t> joints_;  // that turn
};

double most_missing(const Eigen::VectorXd& missing) {
  double most = 0;
  for (Eigen::Index t = 0; t < missing.size(); t += 3) most = std::max(most, missing.segment<3>(t).norm());
  return most;
}

// J^T (J J^T + damping I)^-1 r, or the same from the smaller system; no joint turns too far.
Eigen::VectorXd damped_turns(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& missing,
                             double damping) {
  Eigen::VectorXd turns;
  if (jacobian.rows() <= jacobian.cols()) {
    Eigen::MatrixXd system = jacobian * jacobian.transpose();
    system.diagonal().array() += damping;
    turns = jacobian.transpose() * system.ldlt().solve(missing);
  } else {
    Eigen::MatrixXd system = jacobian.transpose() * jacobian;
    system.diagonal().array() += damping;
    turns = system.ldlt().solve(jacobian.transpose() * missing);
  }
  const double most = most_missing(turns);
  if (most > kMostIkTurn) turns *= kMostIkTurn / most;
  return turns;
}

Result<void> check_targets(const Rig& rig, const Pose& pose, std::span<const VertexTarget> targets) {
  if (targets.empty()) return usage_error("no vertex has a target");
  if (pose.local.size() != rig.skeleton.size() ||
      (!pose.key_weights.empty() && pose.key_weights.size() != rig.keys.size()))
    return usage_error("the pose has another number of joints or keys than the rig");
  for (const VertexTarget& target : targets) {
    const std::string name = "vertex " + std::to_string(target.vertex);
    if (target.vertex >= rig.mesh.vertex_count())
      return usage_error("there is no " + name + ": the mesh has " + std::to_string(rig.mesh.vertex_count()));
    if (!target.position.allFinite()) return usage_error("the handle of " + name + " is not finite");
    if (rig.weights.vertex_count() <= target.vertex || rig.weights.row(target.vertex).empty())
      return impossible("no joint moves " + name + ": bind the mesh with `sinew rig`, or use another vertex");
  }
  return {};
}

}  // namespace

Result<VertexIk> pose_by_vertices(const Rig& rig, const Pose& pose, std::span<const VertexTarget> targets,
                                  const VertexIkOptions& options) {
  SINEW_CHECK(check_targets(rig, pose, targets));
  const double enough = options.tolerance * bounding_box(rig.mesh.positions).diagonal().norm();
  VertexChain chain(rig, pose, targets);
  VertexIk found{pose, 0, 0};
  Eigen::VectorXd missing = chain.residual(found.pose);
  double damping = kFirstDamping;
  while (found.steps < options.steps && most_missing(missing) > enough) {
    ++found.steps;
    const Eigen::MatrixXd jacobian = chain.jacobian();
    const double scale = jacobian.squaredNorm() / static_cast<double>(jacobian.rows());
    Pose next;
    Eigen::VectorXd left = missing;
    for (; damping <= kMostDamping && !(left.squaredNorm() < missing.squaredNorm()); damping *= 4) {
      chain.residual(found.pose);  // its globals, which the last try replaced
      next = chain.turned(found.pose, damped_turns(jacobian, missing, damping * scale + kNoDivision));
      left = chain.residual(next);
    }
    if (!(left.squaredNorm() < (1 - kLeastGain) * missing.squaredNorm()))
      break;  // as near as the joints come
    found.pose = std::move(next);
    missing = std::move(left);
    damping = std::max(kLeastDamping, damping / 16);
  }
  found.distance = most_missing(missing);
  return found;
}

}  // namespace sinew
