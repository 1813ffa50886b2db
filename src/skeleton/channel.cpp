// SPDX-License-Identifier: Apache-2.0
// Interpolation as in the glTF 2.0 specification, appendix C.
#include "skeleton/channel.h"

#include <algorithm>
#include <cmath>

#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

struct Segment {
  std::size_t key = 0;  // the keyframe at or before the time
  double fraction = 0;  // in [0, 1] of the way to the next keyframe; 0 at the last one
  double seconds = 0;   // between the two keyframes
};

// `count` > 0 keyframes. On times that do not rise this still ends on some keyframe,
// with a fraction in [0, 1].
Segment find_segment(std::span<const float> times, double time) {
  const std::size_t count = times.size();
  if (!(time > static_cast<double>(times[0]))) return {};
  if (!(time < static_cast<double>(times[count - 1]))) return {count - 1, 0, 0};
  std::size_t low = 0, high = count - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (static_cast<double>(times[middle]) <= time ? low : high) = middle;
  }
  Segment segment{low, 0, static_cast<double>(times[high]) - static_cast<double>(times[low])};
  if (!(segment.seconds > 0)) return {low, 0, 0};
  segment.fraction = std::clamp((time - static_cast<double>(times[low])) / segment.seconds, 0.0, 1.0);
  return segment;
}

bool is_zero(const Quat& q) {
  return !(q.coeffs().cwiseAbs().maxCoeff() > 1e-30);
}

// Rotations of any length; a zero quaternion counts as the other one.
Quat turn_between(const Quat& a, const Quat& b, double fraction) {
  if (is_zero(a)) return b;
  if (is_zero(b)) return a;
  return slerp_shortest(normalised_or_identity(a), normalised_or_identity(b), fraction);
}

Quat quaternion_of(std::span<const double> value) {
  return Quat(value[3], value[0], value[1], value[2]);
}

void read_key(const Channel& channel, std::size_t first, std::span<double> value) {
  for (std::size_t c = 0; c < value.size(); ++c) value[c] = static_cast<double>(channel.values[first + c]);
}

// Hermite: `key` and the one behind it, each stored as in-tangent, value, out-tangent.
void cubic(const Channel& channel, const Segment& at, std::span<double> value) {
  const double u = at.fraction, u2 = u * u, u3 = u2 * u;
  const std::size_t width = value.size(), first = at.key * 3 * width;
  for (std::size_t c = 0; c < width; ++c) {
    const auto number = [&](std::size_t part) {
      return static_cast<double>(channel.values[first + part * width + c]);
    };
    const double v0 = number(1), out0 = number(2), in1 = number(3), v1 = number(4);
    value[c] = (2 * u3 - 3 * u2 + 1) * v0 + at.seconds * (u3 - 2 * u2 + u) * out0 + (3 * u2 - 2 * u3) * v1 +
               at.seconds * (u3 - u2) * in1;
  }
}

void linear(const Channel& channel, const Segment& at, std::span<double> value) {
  const std::size_t width = value.size(), first = at.key * width;
  read_key(channel, first, value);
  if (channel.path == ChannelPath::kRotation) {
    double next[4];
    read_key(channel, first + width, next);
    const Quat q = turn_between(quaternion_of(value), quaternion_of(next), at.fraction);
    std::copy_n(q.coeffs().data(), 4, value.begin());
    return;
  }
  for (std::size_t c = 0; c < width; ++c)
    value[c] += at.fraction * (static_cast<double>(channel.values[first + width + c]) - value[c]);
}

}  // namespace

bool sample_channel(const Channel& channel, double time, std::span<double> value) {
  const std::size_t width = value.size();
  if (channel.width <= 0 || static_cast<std::size_t>(channel.width) != width) return false;
  const bool spline = channel.interpolation == Interpolation::kCubicSpline;
  const std::size_t stride = spline ? 3 * width : width;
  const std::size_t count = std::min(channel.times.size(), channel.values.size() / stride);
  if (count == 0) return false;

  const Segment at = find_segment(std::span(channel.times).first(count), time);
  if (at.fraction == 0 || channel.interpolation == Interpolation::kStep)
    read_key(channel, at.key * stride + (spline ? width : 0), value);
  else if (spline)
    cubic(channel, at, value);
  else
    linear(channel, at, value);
  if (!std::all_of(value.begin(), value.end(), [](double x) { return std::isfinite(x); })) return false;
  if (channel.path != ChannelPath::kRotation) return true;
  const Quat q = quaternion_of(value);
  if (is_zero(q)) return false;
  std::copy_n(normalised_or_identity(q).coeffs().data(), 4, value.begin());
  return true;
}

}  // namespace sinew
