// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/vrm_rig.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/retarget_match.h"
#include "sinew/skeleton/conventions.h"

namespace sinew {

Result<Vrm> vrm_of(const Rig& rig, std::string meta) {
  const RestBody body = rest_body(rig);
  if (!body.human) return impossible("the skeleton is not a humanoid: VRM is for humanoids only");
  const Humanoid& human = *body.human;
  Vrm vrm;
  vrm.meta = std::move(meta);
  for (std::size_t k = 0; k < kHumanJoints; ++k)
    if (const int joint = human.joints[k]; joint >= 0)
      vrm.bones.emplace_back(vrm_bone_name(static_cast<HumanJoint>(k)), static_cast<std::size_t>(joint));
  std::string missing;
  const auto require = [&](HumanJoint joint) {
    if (human[joint] < 0) missing += (missing.empty() ? "" : ", ") + vrm_bone_name(joint);
  };
  for (const HumanJoint joint : {HumanJoint::kHips, HumanJoint::kSpine, HumanJoint::kHead}) require(joint);
  for (const HumanJoint joint : {HumanJoint::kLeftUpperLeg, HumanJoint::kLeftLowerLeg, HumanJoint::kLeftFoot,
                                 HumanJoint::kLeftUpperArm, HumanJoint::kLeftLowerArm, HumanJoint::kLeftHand})
    for (const int side : {0, 1}) require(on_side(joint, side));
  if (!missing.empty()) return impossible(fmt::format("the rig lacks joints that VRM requires: {}", missing));
  for (const DrivenHelper& helper : rig.drivers.helpers) {
    const HelperDriver& driver = helper.driver;
    const bool roll = driver.swing == 0;
    if (!driver.mixes.empty() || !(driver.twist > 0) || (!roll && driver.swing != driver.twist)) continue;
    if (rig.skeleton[driver.joint].parent != static_cast<int>(helper.parent)) continue;
    vrm.constraints.push_back({helper.joint, driver.joint, std::min(driver.twist, 1.0), roll});
  }
  vrm.faces_front = human.axes.col(2).z() > 0.9;
  return vrm;
}

}  // namespace sinew
