// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/drivers.h"

#include <algorithm>

#include "sinew/rig/key_names.h"
#include "sinew/rig/rig.h"

namespace sinew {

double mixed(const TurnMix& mix, const TurnValues& values) {
  double sum = 0;
  for (std::size_t f = 0; f < kTurnFunctions; ++f) sum += static_cast<double>(mix[f]) * values[f];
  return sum;
}

Affine3 move_of_numbers(const Eigen::Matrix<double, 6, 1>& numbers, const Vec3& centre) {
  const Vec3 turn = numbers.head<3>();
  const double angle = turn.norm();
  Affine3 move = Affine3::Identity();
  if (angle > 0) move.linear() = Eigen::AngleAxisd(angle, Vec3(turn / angle)).toRotationMatrix();
  move.translation() = centre + numbers.tail<3>() - move.linear() * centre;
  return move;
}

Eigen::Matrix<double, 6, 1> move_numbers(const Affine3& move, const Vec3& centre) {
  const Eigen::AngleAxisd turn(move.linear());
  Eigen::Matrix<double, 6, 1> numbers;
  numbers.head<3>() = turn.angle() * turn.axis();
  numbers.tail<3>() = move * centre - centre;
  return numbers;
}

Affine3 helper_move(const HelperDriver& driver, const JointFrame& frame, const JointMove& move,
                    const MotionRange& range) {
  if (move.still) return Affine3::Identity();
  if (driver.mixes.empty()) {
    Affine3 part = Affine3::Identity();
    part.linear() = rotation_of(
        frame, {driver.swing * move.turn.x(), driver.swing * move.turn.y(), driver.twist * move.turn.z()});
    part.translation() = move.centre + driver.swing * move.shift - part.linear() * move.centre;
    return part;
  }
  const TurnValues values = turn_functions(range.clamp(move.turn));
  Eigen::Matrix<double, 6, 1> numbers;
  for (int c = 0; c < 6; ++c) numbers[c] = mixed(driver.mixes[static_cast<std::size_t>(c)], values);
  return move_of_numbers(numbers, driver.centre);
}

double morph_weight(const MorphDriver& driver, const TurnValues& values) {
  return std::clamp(mixed(driver.mix, values), 0.0, 1.0);
}

double morph_weight(const MorphDriver& driver, const JointMove& move, const MotionRange& range) {
  return move.still ? 0.0 : morph_weight(driver, turn_functions(range.clamp(move.turn)));
}

void run_drivers(const Rig& rig, Pose& pose) {
  if (rig.drivers.empty()) return;
  const std::vector<Affine3> bind = bind_transforms(rig);
  const std::vector<int> parents = bone_parents(rig.skeleton);
  const std::vector<JointFrame> frames = joint_frames(bones_of(rig.skeleton, bind), parents);
  std::vector<Affine3> matrices(rig.skeleton.size());
  skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), matrices);
  const std::vector<JointMove> moves = joint_moves(frames, parents, matrices);
  for (const DrivenHelper& helper : rig.drivers.helpers) {
    const std::uint32_t by = helper.driver.joint;
    pose.local[helper.joint] = bind[helper.parent].inverse() *
                               helper_move(helper.driver, frames[by], moves[by], rig.drivers.range) *
                               bind[helper.joint];
  }
  if (!rig.drivers.keys.empty()) pose.key_weights = key_weights_of(rig, pose);
  for (const DrivenKey& key : rig.drivers.keys)
    for (const std::size_t same : keys_named(rig, rig.keys[key.key].name))
      pose.key_weights[same] = morph_weight(key.driver, moves[key.driver.joint], rig.drivers.range);
}

}  // namespace sinew
