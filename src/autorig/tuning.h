// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/features.h"

namespace sinew::autorig {

// Every number that the choice of a template and of an assignment depends on: one table for bodies seen by the rings
// of their quads, one for those seen along their surface or through voxels. tools/fit_autorig measures the weights on
// rigged bodies, each left out in turn.
struct Tuning {
  // Weights of the features for templates with limbs, for spines (chains of many joints, for bodies of any thickness)
  // and for rods (chains of few, told by their thickness).
  Features limbs, spine, rod;

  // Tips.
  double major_tip;  // of the diameter: what sticks out farther may be a limb

  // The search for assignments, tip by tip.
  std::size_t beam;         // partial assignments that are kept
  double hopeless;          // a partial assignment that costs more is dropped
  double partial_lengths;   // weight of rigid lengths while limbs have no lengths of their own
  double partial_missing;   // cost of a limb without a partner so far
  int most_missing;         // limbs without a partner
  double stiffness;         // what limbs cost that are longer or shorter; rings: they are rigid
  bool flexible;            // limbs may be longer and leave the trunk elsewhere
  std::size_t most_scored;  // assignments of a template that are scored by their curves
  double worthless;         // one that costs more by distances alone is scored only if it is among
  std::size_t at_least;     // so many

  // Decisions between templates.
  bool upright;  // limbs on the ground carry the body: to leave one without bones costs more
  bool
      looks_again;  // asks mirror planes, horns and chains where a fit is poor; rings give up, and the surface is tried
  bool stop_early;      // templates are looked at only while their least cost is near the best
  double surely_worse;  // by so much costs must differ to be sure
  double mediocre;      // a cost at which the mesh is asked for its mirror plane
  double stout_trunk;   // a chain that is shorter, in radii, is none
  double stout_spine;   // the same of a spine
  double
      limbs_of_chain;  // of the diameter: what may stick out of a body that is a chain because nothing else fits
  double most_chain;  // a chain without limbs must cost less by rings: any body has a long way through it
};
const Tuning& tuning(bool rings);

// What is sure, whichever way a body is seen. Above which cost a template does not fit at all is FindOptions::most_cost
// and its neighbours (sinew/autorig/find_skeleton.h).
constexpr double kSure = 0.65;  // below this confidence the voxels are tried, and alternatives are told
constexpr double kPlainConfidence = 0.25;  // without a template
constexpr double kMostlyInside = 0.6;      // of the points of all curves: else the body is hollow, or a sheet
constexpr double kPoseSlack = 0.2;  // so much more than most_cost may the same body cost in another pose

const Features& weights_for(const TemplateData& model);

}  // namespace sinew::autorig
