// SPDX-License-Identifier: Apache-2.0
#include "autorig/long_tails.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autorig/chain_joints.h"

namespace sinew::autorig {
namespace {

// Makes room for a joint behind another, and hangs what hung on that on it.
void insert_behind(std::size_t joint, const Vec3& head, TemplateData& model,
                   std::vector<PlacedJoint>& placed) {
  const int at = static_cast<int>(joint) + 1;
  TemplateJoint fresh = model.joints[joint];
  for (TemplateJoint& one : model.joints) {
    const bool hung_here = one.parent == static_cast<int>(joint);
    if (one.parent >= at) ++one.parent;
    if (one.mirror >= at) ++one.mirror;
    if (hung_here) one.parent = at;
  }
  fresh.parent = static_cast<int>(joint);
  fresh.mirror = at;
  model.joints.insert(model.joints.begin() + at, fresh);
  PlacedJoint place = placed[joint];
  place.head = head;
  placed[joint].tail.reset();
  placed.insert(placed.begin() + at, place);
}

// The joints of a limb that are one chain, from the seam outwards; none where it forks.
std::vector<std::size_t> chain_of(const TemplateData& model, const std::vector<PlacedJoint>& placed,
                                  std::size_t limb) {
  std::vector<std::size_t> chain;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const TemplateJoint& joint = model.joints[j];
    if (joint.anchor.kind != Anchor::Kind::kLimb || joint.anchor.part != limb || !placed[j].present) continue;
    if (!chain.empty() && joint.parent != static_cast<int>(chain.back())) return {};
    chain.push_back(j);
  }
  return chain;
}

}  // namespace

void cut_long_tails(const Match& match, TemplateData& model, std::vector<PlacedJoint>& placed) {
  for (std::size_t limb = 0; limb < model.mirror_limbs.size(); ++limb) {
    if (model.mirror_limbs[limb] != static_cast<int>(limb) || !model.two_sided) continue;
    const Curve& curve = match.parts.limbs[limb].curve;
    const std::vector<std::size_t> chain = chain_of(model, placed, limb);
    if (curve.empty() || chain.size() < 2) continue;
    const std::string base = model.joints[chain[0]].name;
    std::size_t more = 0;
    double to = curve.length();
    for (std::size_t k = chain.size(); k-- > 0;) {  // inwards, so that the joints to come keep their indices
      const double from = curve.project(placed[chain[k]].head), length = to - from;
      to = from;
      const double pieces = std::ceil(length / (kSlenderBone * curve.middle_radius()));
      for (double piece = pieces - 1; piece > 0; --piece, ++more)
        insert_behind(chain[k], curve.at(from + length * piece / pieces), model, placed);
    }
    int joint = static_cast<int>(chain[0]);
    for (std::size_t k = 1; more > 0 && k < chain.size() + more; ++k) {
      for (std::size_t j = 0; j < model.joints.size(); ++j)
        if (model.joints[j].parent == joint && model.joints[j].anchor.kind == Anchor::Kind::kLimb &&
            model.joints[j].anchor.part == limb) {
          model.joints[j].name = fmt::format("{}{}", base, k);
          joint = static_cast<int>(j);
          break;
        }
    }
  }
}

}  // namespace sinew::autorig
