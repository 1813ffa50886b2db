// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/rig/rig.h"

namespace sinew {

// What the flow of build_volume knows of a rig: how much of each joint's motion a vertex takes, and how that
// share changes around it. Share j of a vertex is the sum of its skin weights at joint j and below, where it
// falls more steeply than flesh can follow made as steep as a limb is thick.
struct VolumeShares {
  // Joints that move a vertex, and those between them and `base`; parents first. Joint 0 is the base, whose
  // motion all vertices take whole.
  std::vector<std::uint32_t> joints;  // of the skeleton
  std::vector<int> parents;           // among `joints`; -1: moves against the base
  std::vector<Vec3> heads;            // in bind space

  // Where a joint's share changes, in one piece of the body: its potential is measured from the middle there.
  struct Hinge {
    std::uint32_t joint;  // in `joints`
    Vec3 middle;          // bind space
  };
  std::vector<Hinge> hinges;

  // A place is a vertex or several with equal position and weights, which flow as one.
  static constexpr std::uint32_t kNowhere = ~0u;
  std::vector<std::uint32_t> to_place;  // per vertex; kNowhere: has no weights, stays
  std::vector<std::uint32_t> vertex;    // per place: its first

  struct Part {
    std::uint32_t joint;  // in `joints`
    float weight;
  };
  std::vector<std::uint32_t> part_offsets;  // per place
  std::vector<Part> parts;                  // of the joints' own motions; sum 1

  // Places where a share changes, with what lies around them.
  struct Slope {
    std::uint32_t hinge;
    std::uint32_t differences;  // where they begin: one for each neighbour
  };
  struct Band {
    std::uint32_t place;
    std::uint32_t neighbours, neighbour_count;
    std::uint32_t fans, fan_count;  // no fan: a point in space, not on a surface
    std::uint32_t slopes, slope_count;
    double area;  // of the faces around, at rest
  };
  std::vector<Band> bands;
  std::vector<std::uint32_t> neighbours;  // places
  std::vector<float> neighbour_weights;   // by their distance at rest, the nearest has 1
  // Triangles around a place, by the two neighbours of each, counted in the list of neighbours.
  std::vector<std::array<std::uint16_t, 2>> fans;
  std::vector<Slope> slopes;
  std::vector<float> differences;  // the neighbour's share less the own
};

/// kCancelled: the progress said so.
Result<VolumeShares> volume_shares(const Rig& rig, const Progress* progress = nullptr);

}  // namespace sinew
