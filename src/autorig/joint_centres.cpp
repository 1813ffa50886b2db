// SPDX-License-Identifier: Apache-2.0
#include "autorig/joint_centres.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "autorig/similarity.h"

namespace sinew::autorig {
namespace {

constexpr double kFrom = 0.25, kTo = 0.75;  // the middle of a bone: joints blend what lies nearer to them
constexpr std::size_t kFewest = 8;          // vertices
constexpr double kFleshSlack = 0.08;        // of a bone's length: what its flesh may be off by
constexpr double kTrusted = 0.6;            // of the vertices, those that move most alike
constexpr double kLeastTurn = 0.068;        // (2 sin(15 degrees / 2))^2
constexpr double kOnCurve = 0.12;           // of a limb's length
constexpr double kGoesOnFirst = 1e6;  // longer than any bone: its own limb goes on before what leaves it
constexpr int kRounds = 3;
constexpr double kFarthest = 0.35;  // of the shorter bone: no joint was so far off

struct Bone {
  Vec3 head = Vec3::Zero(), tail = Vec3::Zero();
  std::vector<std::uint32_t> flesh;
  double length() const { return (tail - head).norm(); }
};

struct Motion {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation = Vec3::Zero();
};

// From each joint to the child that goes on in the same part, else to the farthest.
std::vector<Bone> bones_of(const TemplateData& model, const std::vector<PlacedJoint>& placed) {
  std::vector<Bone> bones(placed.size());
  std::vector<double> best(placed.size(), -1);
  for (std::size_t j = 0; j < placed.size(); ++j) {
    bones[j].head = placed[j].head;
    bones[j].tail = placed[j].tail ? *placed[j].tail : placed[j].head;
    if (!placed[j].present || model.joints[j].parent < 0) continue;
    const auto p = static_cast<std::size_t>(model.joints[j].parent);
    const Anchor &mine = model.joints[j].anchor, &above = model.joints[p].anchor;
    const bool goes_on = mine.kind == above.kind && mine.part == above.part;
    const double rank = (placed[j].head - placed[p].head).norm() + (goes_on ? kGoesOnFirst : 0);
    if (rank > best[p]) best[p] = rank, bones[p].tail = placed[j].head;
  }
  return bones;
}

void find_flesh(std::span<const Vec3> rest, const std::vector<PlacedJoint>& placed,
                std::vector<Bone>& bones) {
  for (std::uint32_t v = 0; v < rest.size(); ++v) {
    double nearest = std::numeric_limits<double>::infinity(), at = 0;
    Bone* own = nullptr;
    for (std::size_t j = 0; j < bones.size(); ++j) {
      const Vec3 way = bones[j].tail - bones[j].head;
      if (!placed[j].present || !(way.squaredNorm() > 0)) continue;
      const double t = std::clamp((rest[v] - bones[j].head).dot(way) / way.squaredNorm(), 0.0, 1.0);
      const double away = (rest[v] - bones[j].head - t * way).squaredNorm();
      if (away < nearest) nearest = away, at = t, own = &bones[j];
    }
    if (own != nullptr && at > kFrom && at < kTo) own->flesh.push_back(v);
  }
}

// How a bone's flesh moves, by those vertices that move as one; none where it does not.
std::optional<Motion> motion_of(const Bone& bone, std::span<const Vec3> rest, std::span<const Vec3> posed) {
  if (bone.flesh.size() < kFewest) return std::nullopt;
  std::vector<std::uint32_t> trusted = bone.flesh;
  std::vector<Vec3> from, to;
  Motion motion;
  double error = 0;
  for (const bool last : {false, true}) {
    from.clear(), to.clear();
    for (const std::uint32_t v : trusted) from.push_back(rest[v]), to.push_back(posed[v]);
    motion.rotation = fit_similarity(from, to).rotation;
    Vec3 a = Vec3::Zero(), b = Vec3::Zero();
    for (std::size_t k = 0; k < from.size(); ++k) a += from[k], b += to[k];
    motion.translation = (b - motion.rotation * a) / static_cast<double>(from.size());
    const auto off = [&](std::uint32_t v) {
      return (motion.rotation * rest[v] + motion.translation - posed[v]).squaredNorm();
    };
    if (last) {
      for (const std::uint32_t v : trusted) error += off(v) / static_cast<double>(trusted.size());
      break;
    }
    const auto kept = static_cast<std::ptrdiff_t>(
        std::max(kTrusted * static_cast<double>(trusted.size()), static_cast<double>(kFewest)));
    std::nth_element(trusted.begin(), trusted.begin() + kept - 1, trusted.end(),
                     [&](std::uint32_t x, std::uint32_t y) { return off(x) < off(y); });
    trusted.resize(static_cast<std::size_t>(kept));
  }
  if (std::sqrt(error) > kFleshSlack * bone.length()) return std::nullopt;
  return motion;
}

// What both carry to the same place, as near to `start` as that leaves free.
struct Centre {
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();

  void add(const Motion& a, const Motion& b, const Vec3& start) {
    const Mat3 turn = a.rotation - b.rotation;
    normal += turn.transpose() * turn;
    right += turn.transpose() * (b.translation - a.translation - turn * start);
  }
  // `axis`: of a hinge, along which the centre may lie anywhere; zero where there is none.
  struct Step {
    Vec3 step = Vec3::Zero(), axis = Vec3::Zero();
  };
  std::optional<Step> step() const {
    const Eigen::SelfAdjointEigenSolver<Mat3> solver(normal);  // rising eigenvalues
    if (!(solver.eigenvalues()[1] > kLeastTurn)) return std::nullopt;
    Step step;
    for (int k = 0; k < 3; ++k) {
      const Vec3 axis = solver.eigenvectors().col(k);
      if (solver.eigenvalues()[k] > kLeastTurn)
        step.step += axis.dot(right) / solver.eigenvalues()[k] * axis;
      else
        step.axis = axis;
    }
    return step;
  }
};

// Elbows and knees, not shoulders and hips, which lie beside where the curve begins.
bool is_on_curve(const Match& match, const Anchor& anchor) {
  return anchor.kind == Anchor::Kind::kLimb && !match.parts.limbs[anchor.part].curve.empty() &&
         anchor.s > kOnCurve * match.model->parts.limbs[anchor.part].curve.length();
}

// Where the axis of a hinge comes nearest to the curve of its limb, about p.
Vec3 along_axis_to_curve(const Vec3& p, const Vec3& axis, const Curve& curve, double reach) {
  Vec3 best = p;
  double nearest = std::numeric_limits<double>::infinity();
  constexpr int kSamples = 256;
  for (int k = 0; k <= kSamples; ++k) {
    const Vec3 q = curve.at(curve.length() * k / kSamples);
    const double along = (q - p).dot(axis), away = (q - p - along * axis).norm();
    if (std::abs(along) < reach && away < nearest) nearest = away, best = p + along * axis;
  }
  return best;
}

}  // namespace

void centre_by_motion(const Match& match, std::span<const Vec3> rest,
                      std::span<const std::span<const Vec3>> poses, std::vector<PlacedJoint>& placed) {
  const TemplateData& model = *match.model;
  const std::vector<PlacedJoint> first = placed;
  // Bones end at other places now, and have other flesh.
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Bone> bones = bones_of(model, placed);
    find_flesh(rest, placed, bones);
    std::vector<Centre> centres(placed.size());
    std::vector<double> shorter(placed.size(), 0);
    for (const std::span<const Vec3> posed : poses) {
      std::vector<std::optional<Motion>> motions;
      for (const Bone& bone : bones) motions.push_back(motion_of(bone, rest, posed));
      for (std::size_t j = 0; j < placed.size(); ++j) {
        if (!placed[j].present || !motions[j]) continue;
        // A collar bone has hardly any flesh of its own: what it hangs on then.
        int above = model.joints[j].parent;
        while (above >= 0 && !motions[static_cast<std::size_t>(above)])
          above = model.joints[static_cast<std::size_t>(above)].parent;
        if (above < 0) continue;
        const auto p = static_cast<std::size_t>(above);
        centres[j].add(*motions[p], *motions[j], placed[j].head);
        shorter[j] = std::min(bones[p].length(), bones[j].length());
      }
    }
    for (std::size_t j = 0; j < placed.size(); ++j) {
      const auto step = centres[j].step();
      if (!step) continue;
      const double reach = kFarthest * shorter[j];
      const Anchor& anchor = model.joints[j].anchor;
      Vec3 head = placed[j].head + step->step;
      if (step->axis.squaredNorm() > 0 && is_on_curve(match, anchor))
        head = along_axis_to_curve(head, step->axis, match.parts.limbs[anchor.part].curve, reach);
      if ((head - first[j].head).norm() > reach) continue;
      placed[j].head = head;
      placed[j].by_motion = true;
    }
  }
}

}  // namespace sinew::autorig
