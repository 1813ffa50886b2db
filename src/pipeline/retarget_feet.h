// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

// A point of a foot, frame by frame: its ankle, or the ball of the toes.
struct FootTrack {
  std::vector<Vec3> places;
  double level = 0;                // its height where it stands
  std::vector<std::uint8_t> down;  // whether it stands, frame by frame
};

struct FootTracks {
  FootTrack ankle, toe;
};

// Lengths are in units of the leg's, times in seconds.
struct ContactRule {
  double still = 0.45;  // speed of what stands, at most
  double low = 0.1;     // above its level, at most
  double shortest = 0.08;
};

// Where points of both feet stand: low and still. Levels are low quantiles of the heights of both.
void find_contacts(std::span<FootTracks> feet, const Vec3& up, double leg, double fps,
                   const ContactRule& rule = {});

// Frames from which to which a foot stands, on heel or toe.
struct Contact {
  std::size_t begin = 0, end = 0;  // end: the first frame behind it
};
std::vector<Contact> contacts_of(const FootTracks& foot);

// Where the ankle of a target must go, so that what stands of the foot stays in its place: `source` says when
// and how high above the level, `ankle` and `toe` are where the target's are, the rest heights theirs at rest.
// Between contacts the ankle is shifted from one to the next smoothly.
struct HeldFoot {
  std::vector<Vec3> shift;  // of the ankle, frame by frame
};
HeldFoot hold_foot(const FootTracks& source, std::span<const Vec3> ankle, std::span<const Vec3> toe,
                   double ankle_height, double toe_height, const Vec3& up, double fps);

// The largest horizontal way, in a contact, of what stands from where it came to stand; one for each contact.
std::vector<double> foot_slides(const FootTracks& source, std::span<const Vec3> ankle,
                                std::span<const Vec3> toe, const Vec3& up);

// Two bones from the hip over the knee to the ankle, turned so that the ankle comes to `goal`, or as near as
// they reach; the knee stays in its plane.
struct TwoBones {
  Quat upper, lower;  // turns on top of what the bones have
  Vec3 ankle;         // where it comes to
};
TwoBones reach_two_bones(const Vec3& hip, const Vec3& knee, const Vec3& ankle, const Vec3& goal,
                         const Vec3& bend);

}  // namespace sinew
