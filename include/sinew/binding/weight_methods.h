// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sinew/binding/bind.h"
#include "sinew/binding/surface.h"
#include "sinew/core/descriptor.h"
#include "sinew/weights/bone_weights.h"
#include "sinew/weights/elastic.h"

namespace sinew {

/// One line of the table of weight methods: command line, studio, comparison and documents read it.
struct WeightMethod {
  std::string_view name;
  std::string_view summary;
  std::span<const Descriptor> settings;
  Setting (*usual)(const Descriptor& descriptor);  ///< the default of one of them
  Result<BoneWeights> (*compute)(BindingContext& context, const BindRequest& request, BindReport& report);
};
std::span<const WeightMethod> weight_methods();
/// "envelope, inverse-distance, ...": for help and messages.
std::string weight_names();

/// What an interface offers: an option, and the methods that read it, with what is usual for each.
struct WeightOption {
  Descriptor descriptor;
  std::vector<std::pair<std::string_view, Setting>> owners;
};
std::span<const WeightOption> weight_options();

/// kUsage naming all methods where the name is unknown. Fills the report's figures that only the method knows.
Result<BoneWeights> compute_weights(BindingContext& context, const BindRequest& request, BindReport& report);

/// The kind of elastic weights that a name stands for. kUsage: none.
Result<ElasticFit> elastic_fit(std::string_view method);
/// What `settings` say about elastic weights: one-weight, swing-samples, twist-samples, twist-weights.
Result<ElasticWeightOptions> elastic_options(std::string_view method, const Settings& settings);

}  // namespace sinew
