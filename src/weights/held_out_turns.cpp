// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/held_out_turns.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "sinew/rig/composed_joints.h"
#include "sinew/weights/flesh.h"

namespace sinew {
namespace {

constexpr double kFromRest = std::numbers::pi / 6, kFromSamples = std::numbers::pi / 18;
constexpr int kTries = 200;  // in a row without success before the distances shrink

double angle_between(const Mat3& a, const Mat3& b) {
  return Eigen::AngleAxisd(Mat3(a.transpose() * b)).angle();
}

}  // namespace

std::vector<Vec3> held_out_turns(const MotionRange& range, std::size_t count, std::uint32_t seed) {
  std::vector<Vec3> turns;
  if (!(std::max(range.swing, range.twist) > 0)) return turns;
  const JointFrame frame;
  std::vector<Mat3> samples;
  for (const Vec3& turn : motion_samples(range)) samples.push_back(rotation_of(frame, turn));
  std::mt19937 random(seed);
  // Not a std distribution: those differ between libraries.
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0; };
  double shrink = 1;
  for (int failed = 0; turns.size() < count;) {
    const double direction = 2 * std::numbers::pi * unit(), swing = range.swing * std::sqrt(unit());
    const Vec3 turn(swing * std::cos(direction), swing * std::sin(direction), range.twist * (2 * unit() - 1));
    const Mat3 rotation = rotation_of(frame, turn);
    if (angle_between(rotation, Mat3::Identity()) >= shrink * kFromRest &&
        std::all_of(samples.begin(), samples.end(), [&](const Mat3& sample) {
          return angle_between(rotation, sample) >= shrink * kFromSamples;
        })) {
      turns.push_back(turn);
      failed = 0;
    } else if (++failed == kTries) {
      shrink *= 0.8;
      failed = 0;
    }
  }
  return turns;
}

}  // namespace sinew
