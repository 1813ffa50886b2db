// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/methods.h"

#include <fmt/format.h>

#include <array>

#include "sinew/deform/decomposed.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mix.h"

namespace sinew {
namespace {

Result<std::unique_ptr<Deformer>> make_lbs(const Rig& rig, const DeformRequest&) {
  return build_lbs(rig);
}

Result<std::unique_ptr<Deformer>> make_dqs(const Rig& rig, const DeformRequest&) {
  return build_dqs(rig);
}

Result<std::unique_ptr<Deformer>> make_mix(const Rig& rig, const DeformRequest& request) {
  if (!(request.mix >= 0 && request.mix <= 1))
    return usage_error(fmt::format("--mix is {}: give a number from 0 (lbs) to 1 (dqs)", request.mix));
  MixOptions options;
  options.mix = request.mix;
  return build_mix(rig, options);
}

Result<std::unique_ptr<Deformer>> make_decomposed(const Rig& rig, const DeformRequest& request) {
  DecomposedOptions options;
  if (request.blend == "explog")
    options.blend = RotationBlend::kExpLog;
  else if (request.blend != "polar")
    return usage_error(fmt::format("--blend is '{}': give polar or explog", request.blend));
  return build_decomposed(rig, options);
}

constexpr std::array kDeformers = {
    DeformerMethod{"lbs", "linear blend skinning", make_lbs},
    DeformerMethod{"dqs", "dual quaternion skinning", make_dqs},
    DeformerMethod{"mix", "between lbs and dqs, by --mix", make_mix},
    DeformerMethod{"decomposed", "rotation and scale blended apart, by --blend", make_decomposed},
};

}  // namespace

std::span<const DeformerMethod> deformer_methods() {
  return kDeformers;
}

std::string deformer_names() {
  std::string names;
  for (const DeformerMethod& method : kDeformers) {
    if (!names.empty()) names += ", ";
    names += method.name;
  }
  return names;
}

Result<std::unique_ptr<Deformer>> build_deformer(const Rig& rig, const DeformRequest& request) {
  for (const DeformerMethod& method : kDeformers)
    if (method.name == request.deformer) return method.build(rig, request);
  return usage_error(
      fmt::format("there is no deformer '{}': choose one of {}", request.deformer, deformer_names()));
}

}  // namespace sinew
