// SPDX-License-Identifier: Apache-2.0
#include "pipeline/retarget_feet.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

constexpr double kStraightest = 0.9995;  // of the legs' length: a straight knee has no plane

Vec3 without(const Vec3& v, const Vec3& up) {
  return v - v.dot(up) * up;
}

// Runs of frames shorter than `shortest` go, gaps of one frame close.
void tidy(std::vector<std::uint8_t>& down, std::size_t shortest) {
  for (std::size_t k = 1; k + 1 < down.size(); ++k)
    if (!down[k] && down[k - 1] && down[k + 1]) down[k] = 1;
  for (std::size_t k = 0; k < down.size();) {
    std::size_t end = k;
    while (end < down.size() && down[end] == down[k]) ++end;
    if (down[k] && end - k < shortest)
      std::fill(down.begin() + static_cast<std::ptrdiff_t>(k),
                down.begin() + static_cast<std::ptrdiff_t>(end), 0);
    k = end;
  }
}

double low_quantile(std::vector<double> heights) {
  if (heights.empty()) return 0;
  const std::size_t at = heights.size() / 20;
  std::nth_element(heights.begin(), heights.begin() + static_cast<std::ptrdiff_t>(at), heights.end());
  return heights[at];
}

void mark(FootTrack& track, const Vec3& up, double leg, double fps, const ContactRule& rule) {
  const std::size_t n = track.places.size();
  track.down.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t before = k == 0 ? 0 : k - 1, after = std::min(k + 1, n - 1);
    const double seconds = static_cast<double>(std::max<std::size_t>(after - before, 1)) / fps;
    const double speed = (track.places[after] - track.places[before]).norm() / seconds;
    const double height = track.places[k].dot(up) - track.level;
    track.down[k] = speed < rule.still * leg && height < rule.low * leg;
  }
  tidy(track.down, static_cast<std::size_t>(std::max(2.0, std::round(rule.shortest * fps))));
}

double smooth_step(double t) {
  return t * t * (3 - 2 * t);
}

// From the last shift of a contact to the first of the next; before the first and behind the last they fade.
void bridge(std::span<const Contact> contacts, std::size_t fade, std::vector<Vec3>& shift) {
  const std::size_t n = shift.size();
  const auto ease = [&](std::size_t from, std::size_t to, const Vec3& first, const Vec3& last) {
    for (std::size_t k = from + 1; k < to; ++k) {
      const double t = smooth_step(static_cast<double>(k - from) / static_cast<double>(to - from));
      shift[k] = (1 - t) * first + t * last;
    }
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const std::size_t last = contacts[c].end - 1;
    if (c == 0)
      for (std::size_t k = 0; k < contacts[0].begin; ++k) {
        const std::size_t ahead = contacts[0].begin - k;
        const double t =
            ahead >= fade ? 0 : smooth_step(1 - static_cast<double>(ahead) / static_cast<double>(fade));
        shift[k] = t * shift[contacts[0].begin];
      }
    if (c + 1 < contacts.size()) {
      ease(last, contacts[c + 1].begin, shift[last], shift[contacts[c + 1].begin]);
      continue;
    }
    for (std::size_t k = last + 1; k < n; ++k) {
      const std::size_t behind = k - last;
      const double t =
          behind >= fade ? 0 : smooth_step(1 - static_cast<double>(behind) / static_cast<double>(fade));
      shift[k] = t * shift[last];
    }
  }
}

}  // namespace

void find_contacts(std::span<FootTracks> feet, const Vec3& up, double leg, double fps,
                   const ContactRule& rule) {
  for (FootTrack FootTracks::*point : {&FootTracks::ankle, &FootTracks::toe}) {
    std::vector<double> heights;
    for (const FootTracks& foot : feet)
      for (const Vec3& place : (foot.*point).places) heights.push_back(place.dot(up));
    const double level = low_quantile(std::move(heights));
    for (FootTracks& foot : feet) {
      (foot.*point).level = level;
      mark(foot.*point, up, leg, fps, rule);
    }
  }
}

std::vector<Contact> contacts_of(const FootTracks& foot) {
  std::vector<Contact> contacts;
  const std::size_t n = foot.ankle.down.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (!foot.ankle.down[k] && !foot.toe.down[k]) continue;
    if (contacts.empty() || contacts.back().end != k) contacts.push_back({k, k});
    contacts.back().end = k + 1;
  }
  return contacts;
}

HeldFoot hold_foot(const FootTracks& source, std::span<const Vec3> ankle, std::span<const Vec3> toe,
                   double ankle_height, double toe_height, const Vec3& up, double fps) {
  HeldFoot held;
  held.shift.assign(ankle.size(), Vec3::Zero());
  const std::vector<Contact> contacts = contacts_of(source);
  for (const Contact& contact : contacts) {
    Vec3 sum = Vec3::Zero();
    Vec3 locked = Vec3::Zero();
    bool on_toe = false;
    for (std::size_t k = contact.begin; k < contact.end; ++k) {
      const bool toe_now = source.toe.down[k] != 0;
      const Vec3& point = toe_now ? toe[k] : ankle[k];
      // What comes to stand stands where the shift so far has brought it.
      if (k == contact.begin || toe_now != on_toe)
        locked = point + (k == contact.begin ? Vec3::Zero().eval() : held.shift[k - 1]);
      on_toe = toe_now;
      const FootTrack& track = toe_now ? source.toe : source.ankle;
      const double height =
          (toe_now ? toe_height : ankle_height) + std::max(0.0, track.places[k].dot(up) - track.level);
      held.shift[k] = without(locked - point, up) + (height - point.dot(up)) * up;
      sum += without(held.shift[k], up);
    }
    // In the mean the foot stays where the motion had it.
    const Vec3 mean = sum / static_cast<double>(contact.end - contact.begin);
    for (std::size_t k = contact.begin; k < contact.end; ++k) held.shift[k] -= mean;
  }
  bridge(contacts, static_cast<std::size_t>(std::max(1.0, 0.3 * fps)), held.shift);
  return held;
}

std::vector<double> foot_slides(const FootTracks& source, std::span<const Vec3> ankle,
                                std::span<const Vec3> toe, const Vec3& up) {
  std::vector<double> slides;
  for (const Contact& contact : contacts_of(source)) {
    double most = 0;
    for (const bool toes : {false, true}) {
      const std::vector<std::uint8_t>& down = toes ? source.toe.down : source.ankle.down;
      std::size_t first = contact.end;
      for (std::size_t k = contact.begin; k < contact.end; ++k) {
        // An ankle that a standing toe turns about may move.
        if (!down[k] || (!toes && source.toe.down[k])) continue;
        if (first == contact.end) first = k;
        const std::span<const Vec3> points = toes ? toe : ankle;
        most = std::max(most, without(points[k] - points[first], up).norm());
      }
    }
    slides.push_back(most);
  }
  return slides;
}

TwoBones reach_two_bones(const Vec3& hip, const Vec3& knee, const Vec3& ankle, const Vec3& goal,
                         const Vec3& bend) {
  const double upper = (knee - hip).norm(), lower = (ankle - knee).norm();
  TwoBones result{Quat::Identity(), Quat::Identity(), ankle};
  const double reach = (goal - hip).norm();
  if (!(upper > 0 && lower > 0 && reach > 0)) return result;
  const double distance =
      std::clamp(reach, std::abs(upper - lower) + 1e-6 * (upper + lower), kStraightest * (upper + lower));
  const Vec3 along = (goal - hip) / reach;
  // The knee bends as it did, once the leg as a whole has turned to the goal.
  const Vec3 turned_knee = least_rotation(ankle - hip, goal - hip) * (knee - hip);
  Vec3 out = without(turned_knee, along);
  // Where the leg is all but straight, the knee goes to where knees bend.
  if (out.norm() < 0.02 * upper) out = without(out + 0.02 * upper * bend, along);
  if (!(out.norm() > 0)) return result;
  const double x = (upper * upper - lower * lower + distance * distance) / (2 * distance);
  const Vec3 new_knee = hip + x * along + std::sqrt(std::max(0.0, upper * upper - x * x)) * out.normalized();
  result.ankle = hip + distance * along;
  result.upper = least_rotation(knee - hip, new_knee - hip);
  result.lower = least_rotation(ankle - knee, result.ankle - new_knee);
  return result;
}

}  // namespace sinew
