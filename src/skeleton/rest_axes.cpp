// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/rest_axes.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/polar.h"
#include "sinew/math/svd.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;
constexpr double kStraight =
    10 * kDegree;  // a limb that bends less has no plane: joints are not found that exactly
constexpr double kAlike = 15 * kDegree;    // children in about the same direction
constexpr double kHanging = 30 * kDegree;  // from straight down: a leg
constexpr double kNothing = 1e-6;          // of the skeleton's size: no length
constexpr double kBeside = 0.02;           // of the skeleton's size: still in the body's middle
constexpr double kSideways = 6 * kDegree;  // the same, of directions

double angle_between(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

class BoneAxes {
 public:
  BoneAxes(const Skeleton& skeleton, std::span<const Affine3> globals, const Mat3& body)
      : skeleton_(skeleton),
        globals_(globals),
        below_(skeleton.size(), 1),
        main_(skeleton.size()),
        y_(skeleton.size(), Vec3::Zero()),
        length_(skeleton.size(), 0),
        x_(skeleton.size(), Vec3::Zero()),
        middle_(skeleton.size(), false),
        body_(body) {
    Box3 box;
    for (const Affine3& global : globals_) box.extend(Vec3(global.translation()));
    size_ = box.diagonal().norm();
    root_ = skeleton.order()[0];
    const auto order = skeleton.order();
    for (auto j = order.rbegin(); j != order.rend(); ++j)
      if (skeleton[*j].parent >= 0) below_[above(*j)] += below_[*j];
  }

  std::vector<Mat3> find() {
    for (const std::uint32_t j : skeleton_.order()) find_direction(j);
    for (const std::uint32_t j : skeleton_.order()) find_middle(j);
    for (const std::uint32_t j : skeleton_.order())
      if (!middle_[j] && begins_limb(j)) find_hinges(j);
    std::vector<Mat3> axes(skeleton_.size());
    for (std::size_t j = 0; j < axes.size(); ++j) {
      const Vec3 x = (x_[j] - x_[j].dot(y_[j]) * y_[j]).normalized();
      axes[j] << x, y_[j], x.cross(y_[j]);
    }
    return axes;
  }

 private:
  std::size_t above(std::size_t j) const { return static_cast<std::size_t>(skeleton_[j].parent); }
  Vec3 head(std::size_t j) const { return globals_[j].translation(); }
  bool ends_bone(std::size_t j, std::size_t child) const {
    return (skeleton_[child].deforms || !skeleton_[j].deforms) &&
           (head(child) - head(j)).norm() > kNothing * size_;
  }

  // The children that carry the bone on.
  std::vector<std::uint32_t> main_children(std::size_t j) const {
    std::vector<std::uint32_t> children;
    for (const std::uint32_t c : skeleton_.children(j))
      if (ends_bone(j, c)) children.push_back(c);
    if (children.size() < 2) return children;
    const Vec3 before = skeleton_[j].parent < 0 ? Vec3::Zero() : Vec3(head(j) - head(above(j)));
    std::vector<double> cost;
    double most = 0;
    if (before.norm() > kNothing * size_) {
      for (const std::uint32_t c : children) cost.push_back(angle_between(before, head(c) - head(j)));
      most = kAlike;
    } else {
      for (const std::uint32_t c : children) cost.push_back(-static_cast<double>(below_[c]));
    }
    most += *std::min_element(cost.begin(), cost.end());
    std::vector<std::uint32_t> kept;
    for (std::size_t k = 0; k < children.size(); ++k)
      if (cost[k] <= most) kept.push_back(children[k]);
    return kept;
  }

  void find_direction(std::size_t j) {
    main_[j] = main_children(j);
    Vec3 along = Vec3::Zero();
    for (const std::uint32_t c : main_[j])
      along += (head(c) - head(j)) / static_cast<double>(main_[j].size());
    if (main_[j].empty() && skeleton_[j].tail) along = globals_[j] * *skeleton_[j].tail - head(j);
    if (along.norm() > kNothing * size_ && along.norm() > 0) {
      length_[j] = along.norm();
      y_[j] = along / length_[j];
    } else {
      y_[j] = skeleton_[j].parent < 0 ? Vec3(body_.col(1)) : y_[above(j)];
    }
  }

  void find_middle(std::size_t j) {
    const Vec3 left = body_.col(0);
    middle_[j] = std::abs((head(j) - head(root_)).dot(left)) <= kBeside * size_ &&
                 std::abs(y_[j].dot(left)) < std::sin(kSideways);
    if (middle_[j]) x_[j] = (left - left.dot(y_[j]) * y_[j]).normalized();
  }

  bool goes_on(std::size_t j) const { return main_[j].size() == 1 && !middle_[main_[j][0]]; }
  bool begins_limb(std::size_t j) const {
    if (skeleton_[j].parent < 0 || middle_[above(j)]) return true;
    return !goes_on(above(j)) || main_[above(j)][0] != j;
  }

  Vec3 carried(std::size_t from, std::size_t to) const { return shortest_arc(y_[from], y_[to]) * x_[from]; }

  // The axis in which a straight limb would bend.
  Vec3 usual_hinge(const Vec3& along) const {
    const Vec3 left = body_.col(0), up = body_.col(1), front = body_.col(2);
    if (along.dot(up) < -std::cos(kHanging)) return left;
    const Vec3 hinge = along.cross(front);
    return hinge.norm() > 0.3 ? hinge : Vec3(along.cross(up));
  }

  // Where the fingers of a hand point when they bend: at right angles to the plane in which they lie, without
  // the one that sticks out most, a thumb; down, to the body's middle and to the front rather than away. Zero
  // where fewer than three children fan out.
  Vec3 palm_of(std::size_t hand) const {
    std::vector<Vec3> ways;
    for (const std::uint32_t c : skeleton_.children(hand))
      if (ends_bone(hand, c)) ways.push_back((head(c) - head(hand)).normalized());
    if (ways.size() < 3) return Vec3::Zero();
    Vec3 mean = Vec3::Zero();
    for (const Vec3& way : ways) mean += way;
    if (ways.size() > 3)
      ways.erase(std::min_element(ways.begin(), ways.end(),
                                  [&](const Vec3& a, const Vec3& b) { return a.dot(mean) < b.dot(mean); }));
    Vec3 widest = Vec3::Zero();
    const auto for_pairs = [&](auto&& use) {
      for (std::size_t a = 0; a < ways.size(); ++a)
        for (std::size_t b = a + 1; b < ways.size(); ++b) use(Vec3(ways[a].cross(ways[b])));
    };
    for_pairs([&](const Vec3& c) { widest = c.norm() > widest.norm() ? c : widest; });
    if (widest.norm() < std::sin(kSideways)) return Vec3::Zero();
    Vec3 normal = Vec3::Zero();
    for_pairs([&](const Vec3& c) { normal += c.dot(widest) < 0 ? Vec3(-c) : c; });
    normal.normalize();
    const Vec3 left = body_.col(0);
    const double side = (head(hand) - head(root_)).dot(left);
    const Vec3 wanted = -body_.col(1) + 0.5 * body_.col(2) - (side > 0 ? left : Vec3(-left));
    return normal.dot(wanted) >= 0 ? normal : Vec3(-normal);
  }

  void find_hinges(std::size_t first) {
    std::vector<std::size_t> limb = {first};
    while (goes_on(limb.back())) limb.push_back(main_[limb.back()][0]);
    std::size_t at = 0;  // the upper bone of the limb's elbow or knee
    double longest = -1;
    for (std::size_t k = 0; k + 1 < limb.size(); ++k)
      if (const double both = length_[limb[k]] * length_[limb[k + 1]]; both > longest) longest = both, at = k;
    const std::size_t upper = limb[at];
    Vec3 hinge;
    if (at + 1 < limb.size() && angle_between(y_[upper], y_[limb[at + 1]]) > kStraight)
      hinge = y_[upper].cross(y_[limb[at + 1]]);
    else if (skeleton_[first].parent >= 0 &&
             !middle_[above(first)]) {  // a finger: into the palm, or as the hand
      at = 0;
      const Vec3 palm = palm_of(above(first));
      hinge = y_[first].cross(palm);
      if (!(hinge.norm() > 0.5)) hinge = shortest_arc(y_[above(first)], y_[first]) * x_[above(first)];
    } else
      hinge = usual_hinge(y_[upper]);
    const std::size_t known = limb[at];
    hinge -= hinge.dot(y_[known]) * y_[known];
    x_[known] = hinge.norm() > 1e-9 ? Vec3(hinge.normalized()) : Vec3(y_[known].unitOrthogonal());
    for (std::size_t k = at; k > 0; --k) x_[limb[k - 1]] = carried(limb[k], limb[k - 1]);
    for (std::size_t k = at; k + 1 < limb.size(); ++k) x_[limb[k + 1]] = carried(limb[k], limb[k + 1]);
  }

  const Skeleton& skeleton_;
  std::span<const Affine3> globals_;
  std::vector<std::size_t> below_;                // joints at and below each
  std::vector<std::vector<std::uint32_t>> main_;  // children that carry the bone on
  std::vector<Vec3> y_;
  std::vector<double> length_;
  std::vector<Vec3> x_;
  std::vector<bool> middle_;
  double size_ = 0;
  std::size_t root_ = 0;
  Mat3 body_;
};

}  // namespace

std::vector<Mat3> bone_axes(const Skeleton& skeleton, std::span<const Affine3> globals, const Mat3& body) {
  return skeleton.empty() ? std::vector<Mat3>() : BoneAxes(skeleton, globals, body).find();
}

Skeleton with_bone_axes(const Skeleton& skeleton) {
  if (skeleton.empty()) return skeleton;
  const std::vector<Affine3> globals = global_transforms(skeleton, rest_pose(skeleton).local);
  const std::vector<Mat3> axes =
      bone_axes(skeleton, globals, polar_decomposition(globals[skeleton.order()[0]].linear()).rotation);
  std::vector<Joint> joints(skeleton.joints().begin(), skeleton.joints().end());
  std::vector<Affine3> turned(joints.size(), Affine3::Identity());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    turned[j].linear() = axes[j];
    turned[j].translation() = globals[j].translation();
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].tail)
      joints[j].tail = axes[j].transpose() * (globals[j] * *joints[j].tail - globals[j].translation());
    const int above = joints[j].parent;
    const Affine3 local =
        above < 0 ? turned[j] : turned[static_cast<std::size_t>(above)].inverse(Eigen::Isometry) * turned[j];
    // In parts, so that rounding shows as no scale.
    joints[j].rest_parts = Trs{local.translation(), Quat(local.linear()).normalized(), Vec3::Ones()};
    joints[j].rest_local = compose(*joints[j].rest_parts);
  }
  Result<Skeleton> made = Skeleton::create(std::move(joints));
  return made ? *std::move(made) : skeleton;  // as it was, where the numbers are too large to turn
}

}  // namespace sinew
