// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autorig/body_map.h"

namespace sinew::autorig {

// A place relative to a part: a point of its curve and the rest of the way.
struct Anchor {
  enum class Kind { kTrunk, kLimb, kMinor } kind = Kind::kTrunk;
  std::size_t part = 0;         // of limbs or minors
  double s = 0;                 // arc length on the template's curve
  Vec3 offset = Vec3::Zero();   // from the curve's point, world space of the template
  Vec3 tangent = Vec3::Zero();  // of the curve there
};

struct TemplateJoint {
  std::string name;
  int parent = -1, mirror = -1;  // mirror: its image on the other side, itself on the middle, -1: none
  Vec3 head = Vec3::Zero();
  Anchor anchor;
  std::optional<Anchor> tail;  // of leaves
};

struct TemplateData {
  std::string name;
  std::vector<TemplateJoint> joints;  // parents first
  Parts parts;                        // minors without joints left out
  Eigen::MatrixXd apart;              // between tips: the root's, then the limbs'
  double diameter = 0;
  double spare = 0;  // what its own body has left over: tips without joints, weighted as extra limbs
  std::vector<std::vector<Bend>> bends;  // of each limb, see own_bends()
  bool rings = false;                    // learned by the rings of its quads
  bool two_sided = false;                // has joints with an image on the other side
  std::vector<int>
      mirror_limbs;  // per limb: its image, itself on the middle, -1: none; see find_mirror_limbs()

  // Of a tip, the root's or a limb's + 1: the same for tips. The root is on the middle.
  int image_of(std::size_t tip) const {
    if (tip == 0) return two_sided ? 0 : -1;
    return mirror_limbs[tip - 1] < 0 ? -1 : mirror_limbs[tip - 1] + 1;
  }
};

constexpr std::size_t kSpineJoints = 6;  // at least
// Whether it is a chain without limbs that bends everywhere.
inline bool is_spine(const TemplateData& model) {
  return model.parts.limbs.size() == 1 && model.joints.size() >= kSpineJoints;
}

// Fills `mirror_limbs` from the joints.
void find_mirror_limbs(TemplateData& data);

// Bends of a limb itself, not where it leaves the body.
std::vector<Bend> own_bends(const Part& limb);

// How the curves' directions are taken: over this much of arc length to either side.
double direction_window(const Curve& curve);

// Where the neck is on a trunk that runs from the head: the arc length of the thinnest ring before `before`,
// where there is a head thicker than it.
std::optional<double> find_neck(const Curve& trunk, double before);

}  // namespace sinew::autorig
