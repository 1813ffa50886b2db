// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "sinew/deform/decomposed.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mix.h"

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

inline std::vector<Method> all_methods() {
  return {{"lbs", build_lbs},
          {"dqs", build_dqs},
          {"mix", [](const Rig& rig) { return build_mix(rig); }},
          {"decomposed", [](const Rig& rig) { return build_decomposed(rig); }},
          {"explog", [](const Rig& rig) { return build_decomposed(rig, {RotationBlend::kExpLog}); }}};
}

}  // namespace sinew::test
