// SPDX-License-Identifier: Apache-2.0
// Damped least squares as in [buss2005], with every joint a ball joint. The Jacobian of the end by a turn of
// joint k is the cross product with the arm r_k from the joint to the end, so that J J^T = sum (|r_k|^2 I -
// r_k r_k^T) is 3x3 whatever the length of the chain. Damping follows Levenberg and Marquardt: down after a
// step that helped, up after one that did not, which is undone.
#include "sinew/skeleton/reach.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

// Places beyond the limb's reach are aimed at with a limb that is not quite straight: a straight one has no
// way back along its own line.
constexpr double kAlmost = 1 - 1e-4;
constexpr double kBend = 0.05;  // radians, of a straight limb that has to fold

// Joints from the top down, the one that reaches last.
struct Chain {
  std::vector<std::size_t> joints;
  std::vector<Vec3> heads;
  std::vector<Quat> turns;   // of each joint's axes since the start, world
  std::vector<bool> moving;  // false: carried along

  const Vec3& end() const { return heads.back(); }
};

bool branches(const Skeleton& skeleton, std::size_t joint) {
  std::size_t count = 0;
  for (const std::uint32_t child : skeleton.children(joint)) count += skeleton[child].deforms;
  return count > 1;
}

Chain chain_to(const Skeleton& skeleton, std::span<const Affine3> globals, std::size_t joint, int wanted) {
  Chain chain;
  chain.joints = {joint};
  int turning = 0;
  for (int p = skeleton[joint].parent; p >= 0; p = skeleton[static_cast<std::size_t>(p)].parent) {
    const auto above = static_cast<std::size_t>(p);
    if (wanted > 0 ? turning == wanted : turning > 0 && branches(skeleton, above)) break;
    turning += skeleton[above].deforms;
    chain.joints.push_back(above);
  }
  while (chain.joints.size() > 1 && !skeleton[chain.joints.back()].deforms) chain.joints.pop_back();
  std::reverse(chain.joints.begin(), chain.joints.end());
  for (const std::size_t j : chain.joints) {
    chain.heads.push_back(globals[j].translation());
    chain.moving.push_back(skeleton[j].deforms && j != joint);
  }
  chain.turns.assign(chain.joints.size(), Quat::Identity());
  return chain;
}

// Turns joint k, and all behind it with it.
void turn(Chain& chain, std::size_t k, const Vec3& vector) {
  const Quat by = exp_rotation(vector);
  for (std::size_t m = k; m < chain.heads.size(); ++m) {
    if (m > k) chain.heads[m] = chain.heads[k] + by * (chain.heads[m] - chain.heads[k]);
    chain.turns[m] = (by * chain.turns[m]).normalized();
  }
}

// Lengths between the heads of joints that turn: how far the chain reaches, and how near.
struct Span {
  double most = 0, least = 0;
};
Span span_of(const Chain& chain) {
  Span span;
  double longest = 0;
  std::size_t last = 0;
  for (std::size_t k = 1; k < chain.heads.size(); ++k) {
    if (!chain.moving[k] && k + 1 < chain.heads.size()) continue;
    const double length = (chain.heads[k] - chain.heads[last]).norm();
    span.most += length;
    longest = std::max(longest, length);
    last = k;
  }
  span.least = std::max(0.0, 2 * longest - span.most);
  return span;
}

// The nearest place that the chain can reach, a little inside.
Vec3 within_reach(const Chain& chain, const Span& span, const Vec3& place) {
  const Vec3 base = chain.heads.front(), way = place - base;
  const double distance = way.norm();
  const double most = kAlmost * span.most, least = std::min(most, span.least / kAlmost);
  const double wanted = std::clamp(distance, least, most);
  if (distance > 0) return wanted == distance ? place : Vec3(base + wanted / distance * way);
  const Vec3 out = chain.end() - base;
  return out.norm() > 0 ? Vec3(base + wanted / out.norm() * out) : place;
}

// A straight limb cannot fold by small turns: bends its inner joints to one side, the same one for each.
void fold(Chain& chain, const Vec3& error) {
  const Vec3 line = chain.end() - chain.heads.front();
  const Vec3 axis = line.unitOrthogonal();
  if (!axis.allFinite() || line.dot(error) >= 0) return;
  bool first = true;
  for (std::size_t k = 0; k + 1 < chain.heads.size(); ++k) {
    if (!chain.moving[k]) continue;
    turn(chain, k, (first ? -kBend : 2 * kBend) * axis);
    first = false;
  }
}

// How far the heads lie off the line from the first to the last, over its length.
bool straight(const Chain& chain) {
  const Vec3 line = chain.end() - chain.heads.front();
  double off = 0;
  for (const Vec3& head : chain.heads) off = std::max(off, line.cross(head - chain.heads.front()).norm());
  return off <= 1e-6 * line.squaredNorm();
}

// One damped step towards the place.
Chain stepped(const Chain& chain, const Vec3& error, double damping) {
  Mat3 product = Mat3::Zero();
  for (std::size_t k = 0; k < chain.heads.size(); ++k) {
    if (!chain.moving[k]) continue;
    const Vec3 arm = chain.end() - chain.heads[k];
    product += arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose();
  }
  product.diagonal().array() += damping;
  const Vec3 pull = product.ldlt().solve(error);
  std::vector<Vec3> turns(chain.heads.size(), Vec3::Zero());
  for (std::size_t k = 0; k < turns.size(); ++k)
    if (chain.moving[k]) turns[k] = (chain.end() - chain.heads[k]).cross(pull);
  Chain next = chain;
  for (std::size_t k = 0; k < turns.size(); ++k)
    if (chain.moving[k] && turns[k].allFinite()) turn(next, k, turns[k]);
  return next;
}

int solve(Chain& chain, const Vec3& aim, double size, const ReachOptions& options) {
  double damping = 1e-3 * size * size;
  Vec3 error = aim - chain.end();
  if (straight(chain) && error.norm() > options.tolerance * size) fold(chain, error);
  error = aim - chain.end();
  int step = 0;
  for (; step < options.iterations && error.norm() > options.tolerance * size; ++step) {
    Chain next = stepped(chain, error, damping);
    const Vec3 left = aim - next.end();
    if (left.norm() < error.norm()) {
      chain = std::move(next);
      error = left;
      damping = std::max(damping * 0.1, 1e-12 * size * size);
    } else {
      damping = std::min(damping * 10, 1e3 * size * size);
    }
  }
  return step;
}

// The locals that give the chain its turns. The head of the first joint stays where it is.
Result<void> apply(const Skeleton& skeleton, const Chain& chain, std::span<const Affine3> globals,
                   Pose& pose) {
  const int top = skeleton[chain.joints.front()].parent;
  Mat3 above = top < 0 ? Mat3(Mat3::Identity()) : Mat3(globals[static_cast<std::size_t>(top)].linear());
  std::vector<Mat3> locals;
  for (std::size_t k = 0; k + 1 < chain.joints.size(); ++k) {
    const Mat3 axes = chain.turns[k] * globals[chain.joints[k]].linear();
    locals.push_back(above.inverse() * axes);
    if (!locals.back().allFinite())
      return impossible("'" + skeleton[chain.joints[k]].name +
                        "' cannot rotate: a joint above it has scale 0");
    above = axes;
  }
  for (std::size_t k = 0; k < locals.size(); ++k) pose.local[chain.joints[k]].linear() = locals[k];
  return {};
}

}  // namespace

Result<Reached> reach(const Skeleton& skeleton, std::size_t joint, const Vec3& place, Pose& pose,
                      const ReachOptions& options) {
  assert(joint < skeleton.size() && pose.local.size() == skeleton.size());
  if (!place.allFinite()) return usage_error("the target position must be three finite numbers");
  if (options.joints < 0) return usage_error("the number of joints that may rotate must not be negative");
  const std::vector<Affine3> globals = global_transforms(skeleton, pose.local);
  Chain chain = chain_to(skeleton, globals, joint, options.joints);
  const Span span = span_of(chain);
  if (chain.joints.size() < 2 || !(span.most > 0) || !std::isfinite(span.most))
    return impossible("'" + skeleton[joint].name + "' cannot reach: no joint above it can rotate");
  Reached reached;
  reached.iterations = solve(chain, within_reach(chain, span, place), span.most, options);
  SINEW_CHECK(apply(skeleton, chain, globals, pose));
  reached.distance = (place - chain.end()).norm();
  reached.turned = static_cast<std::size_t>(std::count(chain.moving.begin(), chain.moving.end(), true));
  return reached;
}

}  // namespace sinew
