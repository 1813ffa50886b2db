// SPDX-License-Identifier: Apache-2.0
#include "autorig/joint_count.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace sinew::autorig {
namespace {

struct CountedJoint {
  TemplateJoint joint;
  PlacedJoint placed;
  bool gone = false;
};

class JointCount {
 public:
  JointCount(const TemplateData& model, const std::vector<PlacedJoint>& placed) {
    for (std::size_t j = 0; j < placed.size(); ++j) {
      all_.push_back({model.joints[j], placed[j], !placed[j].present});
      names_.insert(model.joints[j].name);
    }
  }

  std::size_t count() const {
    return static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [](const CountedJoint& one) { return !one.gone; }));
  }

  bool cut_longest() {
    int best = -1;
    double most = 0;
    for (std::size_t j = 0; j < all_.size(); ++j) {
      if (all_[j].gone) continue;
      const double length = (end_of(static_cast<int>(j)) - all_[j].placed.head).norm();
      if (length > most) most = length, best = static_cast<int>(j);
    }
    if (best < 0) return false;
    const int image = all_[at(best)].joint.mirror;
    const int made = cut(best);
    if (image >= 0 && image != best && !all_[at(image)].gone) {
      const int other = cut(image);
      all_[at(made)].joint.mirror = other;
      all_[at(other)].joint.mirror = made;
    } else {
      all_[at(made)].joint.mirror = image == best ? made : -1;
    }
    return true;
  }

  bool drop_straightest() {
    int best = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < all_.size(); ++j) {
      const int parent = all_[j].joint.parent, child = only_child(static_cast<int>(j));
      if (all_[j].gone || parent < 0 || child < 0) continue;
      const Vec3 a = all_[at(parent)].placed.head, d = all_[at(child)].placed.head - a;
      const Vec3 p = all_[j].placed.head - a;
      const double t = d.squaredNorm() > 0 ? std::clamp(p.dot(d) / d.squaredNorm(), 0.0, 1.0) : 0;
      if (const double away = (p - t * d).norm(); away < least) least = away, best = static_cast<int>(j);
    }
    if (best < 0) return false;
    const int image = all_[at(best)].joint.mirror;
    drop(best);
    if (image >= 0 && image != best && !all_[at(image)].gone && only_child(image) >= 0) drop(image);
    return true;
  }

  // Parents first.
  void write(TemplateData& model, std::vector<PlacedJoint>& placed) const {
    std::vector<int> to(all_.size(), -1);
    std::vector<std::size_t> order;
    for (bool more = true; more;) {
      more = false;
      for (std::size_t j = 0; j < all_.size(); ++j) {
        const int parent = all_[j].joint.parent;
        if (all_[j].gone || to[j] >= 0 || (parent >= 0 && to[at(parent)] < 0)) continue;
        to[j] = static_cast<int>(order.size());
        order.push_back(j);
        more = true;
      }
    }
    model.joints.clear();
    placed.clear();
    for (const std::size_t j : order) {
      TemplateJoint joint = all_[j].joint;
      if (joint.parent >= 0) joint.parent = to[at(joint.parent)];
      if (joint.mirror >= 0) joint.mirror = to[at(joint.mirror)];
      model.joints.push_back(joint);
      placed.push_back(all_[j].placed);
    }
  }

 private:
  static std::size_t at(int j) { return static_cast<std::size_t>(j); }

  int only_child(int joint) const {
    int found = -1;
    for (std::size_t j = 0; j < all_.size(); ++j) {
      if (all_[j].gone || all_[j].joint.parent != joint) continue;
      if (found >= 0) return -1;
      found = static_cast<int>(j);
    }
    return found;
  }
  bool is_leaf(int joint) const {
    return std::none_of(all_.begin(), all_.end(),
                        [&](const CountedJoint& one) { return !one.gone && one.joint.parent == joint; });
  }
  // Where a bone ends; at a fork it has no length.
  Vec3 end_of(int joint) const {
    if (const int child = only_child(joint); child >= 0) return all_[at(child)].placed.head;
    const PlacedJoint& own = all_[at(joint)].placed;
    return is_leaf(joint) ? own.tail.value_or(own.head) : own.head;
  }

  int cut(int joint) {
    const int child = only_child(joint), made = static_cast<int>(all_.size());
    CountedJoint fresh = all_[at(joint)];
    for (int k = 2; names_.contains(fresh.joint.name); ++k)
      fresh.joint.name = fmt::format("{}_{}", all_[at(joint)].joint.name, k);
    names_.insert(fresh.joint.name);
    fresh.joint.parent = joint;
    fresh.joint.mirror = -1;
    fresh.placed.head = (all_[at(joint)].placed.head + end_of(joint)) / 2;
    all_[at(joint)].placed.tail.reset();
    if (child >= 0) all_[at(child)].joint.parent = made;
    all_.push_back(fresh);
    return made;
  }
  void drop(int joint) {
    const int child = only_child(joint);
    all_[at(child)].joint.parent = all_[at(joint)].joint.parent;
    all_[at(joint)].gone = true;
  }

  std::vector<CountedJoint> all_;
  std::set<std::string> names_;
};

}  // namespace

void set_joint_count(std::size_t wanted, TemplateData& model, std::vector<PlacedJoint>& placed) {
  JointCount joints(model, placed);
  while (joints.count() < wanted && joints.cut_longest()) {
  }
  while (joints.count() > wanted && joints.drop_straightest()) {
  }
  joints.write(model, placed);
}

}  // namespace sinew::autorig
