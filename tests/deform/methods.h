// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "sinew/deform/curve.h"
#include "sinew/deform/decomposed.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/joint_based.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mix.h"
#include "sinew/deform/stretch.h"

namespace sinew::test {

struct Method {
  const char* name;
  std::function<Result<std::unique_ptr<Deformer>>(const Rig&)> build;
};

inline void PrintTo(const Method& method, std::ostream* out) {
  *out << method.name;
}
inline std::string method_name(const testing::TestParamInfo<Method>& parameter) {
  return parameter.param.name;
}

// Every joint of a row with its weight as share, and any swing and twist.
inline Rig with_joint_weights(Rig rig) {
  JointWeights& weights = rig.joint_weights;
  weights.method = "random";
  weights.offsets = rig.weights.offsets;
  if (weights.offsets.empty()) weights.offsets.push_back(0);
  unsigned number = 7;
  const auto random = [&] {
    return static_cast<float>((number = number * 1664525u + 1013904223u) >> 8) / 16777216.0f;
  };
  for (const Influence& influence : rig.weights.entries)
    weights.entries.push_back({influence.joint, static_cast<float>(influence.weight), random(), random()});
  return rig;
}

inline Rig with_endpoints(Rig rig) {
  for (std::size_t k = 0; k < rig.weights.entries.size(); ++k)
    rig.endpoint.values.push_back(static_cast<float>(k % 17) / 16.0f);
  return rig;
}

inline std::vector<Method> all_methods() {
  return {{"lbs", build_lbs},
          {"dqs", build_dqs},
          {"mix", [](const Rig& rig) { return build_mix(rig); }},
          {"decomposed", [](const Rig& rig) { return build_decomposed(rig); }},
          {"explog", [](const Rig& rig) { return build_decomposed(rig, {RotationBlend::kExpLog}); }},
          {"swing_twist", [](const Rig& rig) { return build_joint_based(with_joint_weights(rig)); }},
          {"stretch_linear",
           [](const Rig& rig) { return build_stretch(with_endpoints(rig), StretchForm::kLinear); }},
          {"stretch_dual",
           [](const Rig& rig) { return build_stretch(with_endpoints(rig), StretchForm::kDualQuaternion); }},
          {"curve", [](const Rig& rig) { return build_curve(with_endpoints(rig)); }},
          {"joint_angle", [](const Rig& rig) {
             return build_joint_based(with_joint_weights(rig), {.blend = JointBlend::kAngle});
           }}};
}

}  // namespace sinew::test
