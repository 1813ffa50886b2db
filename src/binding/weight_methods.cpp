// SPDX-License-Identifier: Apache-2.0
#include "sinew/binding/weight_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sinew/core/counted.h"
#include "sinew/core/text.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/bone_heat.h"
#include "sinew/weights/envelope.h"
#include "sinew/weights/geodesic.h"
#include "sinew/weights/harmonic.h"
#include "sinew/weights/harmonic_volume.h"
#include "sinew/weights/inverse_distance.h"

namespace sinew {
namespace {

// --- settings: a struct and a table each ---

struct EnvelopeSettings {
  double radius = 1;        // times what is measured on the mesh
  double falloff = 1;       // the band where a weight falls to 0, times the larger radius
  NamedNumbers radii = {};  // of a bone's capsule, in place of what is measured
  int smoothing = 0;
  double outlier = 0;
};
constexpr std::array kEnvelopeSettings = {
    setting<&EnvelopeSettings::radius>("radius", "scale of the capsule radii that are measured on the mesh",
                                       1e-3, 1e3),
    setting<&EnvelopeSettings::falloff>("falloff", "width of the falloff band, in radii", 0, 1e3),
    setting<&EnvelopeSettings::radii>("radii", "radius of the capsule of this bone", 0),
    setting<&EnvelopeSettings::smoothing>("smoothing", "iterations of smoothing over the mesh", 0, 1000),
    setting<&EnvelopeSettings::outlier>("outlier", "weights below this fraction of the largest are dropped",
                                        0, 1)};

constexpr std::array kInverseDistanceSettings = {
    setting<&InverseDistanceOptions::power>("power", "exponent of the falloff with distance", 0.1, 16)};

constexpr std::array kHeatSettings = {
    choice<&BoneHeatOptions::source>("heat", "nearest|visible|blender", "which bones heat a vertex"),
    setting<&BoneHeatOptions::strength>("strength", "heat coefficient: larger is more rigid", 1e-6, 1e6)};

constexpr std::array kBbwSettings = {setting<&BbwOptions::tolerance>(
    "solver-tolerance", "relative distance to the minimal energy at which the solver stops", 1e-12, 1)};

struct HarmonicSettings {
  bool volume = false;
  double margin = HarmonicOptions().margin;
};
constexpr std::array kHarmonicSettings = {
    setting<&HarmonicSettings::volume>("volume", "on a solid voxel grid, not on the surface"),
    setting<&HarmonicSettings::margin>("margin", "fraction of a bone next to a joint that is left free", 0,
                                       0.5)};

constexpr std::array kGeodesicSettings = {
    setting<&GeodesicOptions::power>("power", "exponent of the falloff with distance", 0.1, 16)};

constexpr std::array kElasticWeightSettings = {
    setting<&ElasticWeightOptions::one_weight>("one-weight", "one weight for swing and twist"),
    setting<&ElasticWeightOptions::swing_count>("swing-samples",
                                                "sample poses of a joint's swing, an even number", 2, 64),
    setting<&ElasticWeightOptions::twist_count>("twist-samples",
                                                "sample poses of a joint's twist, an even number", 2, 64),
    choice<&ElasticWeightOptions::twist>(
        "twist-weights", "linear|spherical",
        "twist weights of minimal energy under linear blending, as published, or under the partial rotation "
        "that joint-based deformers apply; default for flesh: spherical")};

// --- computing ---

Result<BoneWeights> by_envelope(BindingContext& context, const BindRequest& request, BindReport&) {
  SINEW_TRY(const EnvelopeSettings settings,
            read_settings<EnvelopeSettings>(kEnvelopeSettings, request.settings));
  const BindInput input = context.input();
  EnvelopeOptions options;
  options.smoothing = settings.smoothing;
  options.outlier = settings.outlier;
  options.envelopes = default_envelopes(input);
  for (Envelope& envelope : options.envelopes) {
    envelope.head_radius *= settings.radius;
    envelope.tail_radius *= settings.radius;
    envelope.falloff *= settings.radius * settings.falloff;
  }
  for (const auto& [name, radius] : settings.radii) {
    const auto bone = std::find(context.surface().names.begin(), context.surface().names.end(), name);
    if (bone == context.surface().names.end())
      return parameter_error("radii", fmt::format("names '{}': there is no such bone", printable(name)));
    options.envelopes[static_cast<std::size_t>(bone - context.surface().names.begin())] = {
        radius, radius, radius * settings.falloff};
  }
  return envelope_weights(input, options);
}

Result<BoneWeights> by_inverse_distance(BindingContext& context, const BindRequest& request, BindReport&) {
  SINEW_TRY(const auto options,
            read_settings<InverseDistanceOptions>(kInverseDistanceSettings, request.settings));
  return inverse_distance_weights(context.input(), options);
}

Result<BoneWeights> by_heat(BindingContext& context, const BindRequest& request, BindReport&) {
  SINEW_TRY(auto options, read_settings<BoneHeatOptions>(kHeatSettings, request.settings));
  options.progress = request.progress;
  return bone_heat_weights(context.input(), options);
}

// What the user should know about a mesh or bones that do not fit the grid.
template <class Weights>
void note_bones(const Weights& result, const BindInput& input, BindReport& report) {
  report.voxels = result.grid_vertices;
  if (result.sheet)
    report.warnings.push_back(
        "the mesh encloses no cell and was thickened to the cells that it passes through");
  if (result.bones_outside > 0)
    report.warnings.push_back(
        fmt::format("{} of {} bones {} its nearest cell", result.bones_outside, input.bones.size(),
                    agreeing(result.bones_outside, "lies outside the body and constrains",
                             "lie outside the body and constrain")));
  if (result.patches > 0)
    report.warnings.push_back(counted(result.patches,
                                      "group of short bones was solved on a finer grid of its own",
                                      "groups of short bones were solved on finer grids of their own"));
  if (result.bones_merged > 0)
    report.warnings.push_back(
        fmt::format("{} one grid vertex each; more voxels make the grid finer",
                    counted(result.bones_merged, "bone shares all its cells with others and constrains",
                            "bones share all their cells with others and constrain")));
}

Result<BoneWeights> by_harmonic(BindingContext& context, const BindRequest& request, BindReport& report) {
  SINEW_TRY(const HarmonicSettings settings,
            read_settings<HarmonicSettings>(kHarmonicSettings, request.settings));
  const BindInput input = context.input();
  if (!settings.volume)
    return harmonic_weights(input, {.margin = settings.margin, .progress = request.progress});
  SINEW_TRY(const BoneBody* body, context.body());
  SINEW_TRY(HarmonicVolumeWeights result,
            harmonic_volume_weights(input, *body, {.progress = request.progress}));
  note_bones(result, input, report);
  return std::move(result.weights);
}

Result<BoneWeights> by_geodesic(BindingContext& context, const BindRequest& request, BindReport& report) {
  SINEW_TRY(auto options, read_settings<GeodesicOptions>(kGeodesicSettings, request.settings));
  options.voxels = request.voxels;
  options.progress = request.progress;
  const BindInput input = context.input();
  SINEW_TRY(GeodesicWeights result, geodesic_weights(input, options));
  report.voxels = result.voxels;
  if (result.bones_outside > 0)
    report.warnings.push_back(fmt::format("{} of {} bones {} from its nearest cell", result.bones_outside,
                                          input.bones.size(),
                                          agreeing(result.bones_outside, "lies outside the body and starts",
                                                   "lie outside the body and start")));
  return std::move(result.weights);
}

Result<BoneWeights> by_bbw(BindingContext& context, const BindRequest& request, BindReport& report) {
  SINEW_TRY(auto options, read_settings<BbwOptions>(kBbwSettings, request.settings));
  options.progress = request.progress;
  const BindInput input = context.input();
  SINEW_TRY(const BoneBody* body, context.body());
  SINEW_TRY(BbwWeights result, bbw_weights(input, *body, options));
  note_bones(result, input, report);
  if (result.residual > options.tolerance)
    report.warnings.push_back(
        fmt::format("the solver stopped {:.1e} above the least energy", result.residual));
  return std::move(result.weights);
}

Result<BoneWeights> by_elastic(BindingContext& context, const BindRequest& request, BindReport& report) {
  SINEW_TRY(ElasticWeightOptions options, elastic_options(request.method, request.settings));
  options.descent.progress = request.progress;
  const BindInput input = context.input();
  SINEW_TRY(const BoneBody* body, context.weight_body());
  SINEW_TRY(const GridJointWeights* grid, context.joint_weights(request.method, request.settings));
  SINEW_TRY(ElasticWeights result, elastic_weights(input, *body, *grid, options));
  note_bones(result, input, report);
  return std::move(result.weights);
}

// --- the tables ---

template <class Options>
Setting usual_weight_setting(const Descriptor& descriptor) {
  return default_of<Options>(descriptor);
}

constexpr WeightMethod elastic_method(std::string_view name, std::string_view summary) {
  return {name, summary, kElasticWeightSettings, usual_weight_setting<ElasticWeightOptions>, by_elastic};
}

constexpr std::array kWeights = {
    WeightMethod{"envelope", "capsule envelopes around the bones", kEnvelopeSettings,
                 usual_weight_setting<EnvelopeSettings>, by_envelope},
    WeightMethod{"inverse-distance", "inverse distance to the bones", kInverseDistanceSettings,
                 usual_weight_setting<InverseDistanceOptions>, by_inverse_distance},
    WeightMethod{"heat", "bone heat diffusion on the surface", kHeatSettings,
                 usual_weight_setting<BoneHeatOptions>, by_heat},
    WeightMethod{"bbw", "bounded biharmonic weights on a solid voxel grid", kBbwSettings,
                 usual_weight_setting<BbwOptions>, by_bbw},
    WeightMethod{"harmonic", "harmonic weights, on the surface or in the volume", kHarmonicSettings,
                 usual_weight_setting<HarmonicSettings>, by_harmonic},
    WeightMethod{"geodesic", "geodesic distance through a solid voxel grid; works on any mesh",
                 kGeodesicSettings, usual_weight_setting<GeodesicOptions>, by_geodesic},
    elastic_method("elastic", "minimal elastic energy when joints swing and twist"),
    elastic_method("elastic-dqs", "the same for dual quaternion skinning"),
    elastic_method("lsq", "least-squares fit to elastic examples (baseline)"),
    elastic_method("lsq-nonnegative", "the same, non-negative"),
};

struct FitName {
  std::string_view name;
  ElasticFit fit;
};
constexpr std::array kFits = {FitName{"elastic", ElasticFit::kLinear},
                              FitName{"elastic-dqs", ElasticFit::kDualQuaternion},
                              FitName{"lsq", ElasticFit::kLeastSquares},
                              FitName{"lsq-nonnegative", ElasticFit::kLeastSquaresNonNegative}};

// "a, b, c": what the user can choose from.
template <class Table>
std::string names_in(const Table& table) {
  std::string names;
  for (const auto& method : table) names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

bool has_setting(const WeightMethod& method, std::string_view option) {
  return std::any_of(method.settings.begin(), method.settings.end(),
                     [&](const Descriptor& one) { return one.option == option; });
}

// What is given for another method than the one that is asked for was meant otherwise.
Result<void> check_belongs(const WeightMethod& method, const BindRequest& request) {
  for (const auto& [option, value] : request.settings) {
    if (has_setting(method, option)) continue;
    if (option == "twist-weights" && request.flesh) continue;
    // Joint weights are made in the same go, by elastic methods.
    if (has_setting(kWeights[6], option) && !request.joint_weights.empty() && request.joint_weights != "none")
      continue;
    std::string owners;
    for (const WeightMethod& other : kWeights)
      if (has_setting(other, option)) owners += (owners.empty() ? "" : ", ") + std::string(other.name);
    if (owners.empty()) return usage_error(fmt::format("there is no setting '{}'", printable(option)));
    return parameter_error(option, fmt::format("belongs to {}, not to '{}'", owners, method.name));
  }
  return {};
}

}  // namespace

std::span<const WeightMethod> weight_methods() {
  return kWeights;
}

std::string weight_names() {
  return names_in(kWeights);
}

std::span<const WeightOption> weight_options() {
  static const std::vector<WeightOption> all = [] {
    std::vector<WeightOption> options;
    for (const WeightMethod& method : kWeights)
      for (const Descriptor& one : method.settings) {
        const auto known = std::find_if(options.begin(), options.end(), [&](const WeightOption& other) {
          return other.descriptor.option == one.option;
        });
        WeightOption& option = known == options.end() ? options.emplace_back(WeightOption{one, {}}) : *known;
        option.owners.emplace_back(method.name, method.usual(one));
      }
    return options;
  }();
  return all;
}

Result<ElasticFit> elastic_fit(std::string_view method) {
  for (const FitName& entry : kFits)
    if (entry.name == method) return entry.fit;
  return usage_error(fmt::format("there are no joint weights by '{}': choose one of {}, skin",
                                 printable(method), names_in(kFits)));
}

Result<ElasticWeightOptions> elastic_options(std::string_view method, const Settings& settings) {
  SINEW_TRY(auto options, read_settings<ElasticWeightOptions>(kElasticWeightSettings, settings));
  SINEW_TRY(options.fit, elastic_fit(method));
  if (options.swing_count % 2 != 0) return parameter_error("swing-samples", "must be an even number");
  if (options.twist_count % 2 != 0) return parameter_error("twist-samples", "must be an even number");
  return options;
}

Result<BoneWeights> compute_weights(BindingContext& context, const BindRequest& request, BindReport& report) {
  for (const WeightMethod& method : kWeights) {
    if (method.name != request.method) continue;
    SINEW_CHECK(check_belongs(method, request));
    return method.compute(context, request, report);
  }
  return parameter_error("method",
                         fmt::format("is '{}': choose one of {}", printable(request.method), weight_names()));
}

}  // namespace sinew
