// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pipeline/elastic_fit.h"
#include "pipeline/elastic_setup.h"
#include "pipeline/endpoints.h"
#include "sinew/core/text.h"
#include "sinew/deform/arap_rig.h"
#include "sinew/deform/curve.h"
#include "sinew/deform/decomposed.h"
#include "sinew/deform/differential.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/elastic.h"
#include "sinew/deform/joint_based.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mix.h"
#include "sinew/deform/mush.h"
#include "sinew/deform/points.h"
#include "sinew/deform/stretch.h"
#include "sinew/deform/volume.h"
#include "sinew/pipeline/joint_weights.h"
#include "sinew/pipeline/keys.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/bone_heat.h"
#include "sinew/weights/elastic.h"
#include "sinew/weights/envelope.h"
#include "sinew/weights/geodesic.h"
#include "sinew/weights/harmonic.h"
#include "sinew/weights/harmonic_volume.h"
#include "sinew/weights/inverse_distance.h"

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

// A rig with joint weights: the rig itself, or a copy that got them on the spot from its skin weights.
Result<JointBasedOptions> joint_options(const DeformRequest& request, Rig& rig) {
  if (rig.joint_weights.empty()) {
    SINEW_TRY(
        const JointWeightsReport made,
        make_joint_weights(rig, {.method = "skin", .voxels = request.voxels, .progress = request.progress}));
    if (request.notes) {
      request.notes->push_back(fmt::format(
          "joint weights were made on the spot from the skin weights, in {:.1f} s; `sinew rig` stores better "
          "ones",
          made.seconds));
      request.notes->insert(request.notes->end(), made.notes.begin(), made.notes.end());
    }
  }
  for (const auto& [name, blend] : request.joint_blends) {
    const auto joint = rig.skeleton.find(name);
    if (!joint) return usage_error(fmt::format("--joint: there is no joint '{}'", printable(name)));
    const auto kind = blend_of(blend);
    if (!kind)
      return usage_error(fmt::format("--joint {}: there is no blend '{}': choose one of {}", name,
                                     printable(blend), blend_names()));
    rig.joint_weights.blends.resize(rig.skeleton.size(), JointBlend::kSwingTwist);
    rig.joint_weights.blends[*joint] = *kind;
  }
  JointBasedOptions options;
  options.mix = request.mix;
  options.twist = request.fast_twist ? TwistPower::kFast : TwistPower::kExact;
  return options;
}

Result<std::unique_ptr<Deformer>> make_swing_twist(const Rig& rig, const DeformRequest& request) {
  if (!rig.joint_weights.empty() && request.joint_blends.empty()) {
    return build_joint_based(
        rig, {.mix = request.mix, .twist = request.fast_twist ? TwistPower::kFast : TwistPower::kExact});
  }
  Rig copy = rig;
  SINEW_TRY(const JointBasedOptions options, joint_options(request, copy));
  return build_joint_based(copy, options);
}

Result<std::unique_ptr<Deformer>> make_joint_dqs(const Rig& rig, const DeformRequest& request) {
  Rig copy = rig;
  SINEW_TRY(JointBasedOptions options, joint_options(request, copy));
  options.blend = JointBlend::kDqs;
  return build_joint_based(copy, options);
}

// A rig with endpoint weights: the rig itself, or `copy`, which got them on the spot.
const Rig& with_endpoints(const Rig& rig, const DeformRequest& request, Rig& copy) {
  if (!rig.endpoint.empty()) return rig;
  copy = rig;
  copy.endpoint = projected_endpoints(rig);
  if (request.notes)
    request.notes->push_back("endpoint weights were made on the spot by projection; `sinew rig` stores them");
  return copy;
}

Result<std::unique_ptr<Deformer>> make_curve(const Rig& rig, const DeformRequest& request) {
  Rig copy;
  return build_curve(with_endpoints(rig, request, copy),
                     {.segments = request.segments, .ease = request.ease});
}

Result<std::unique_ptr<Deformer>> make_volume(const Rig& rig, const DeformRequest& request) {
  return build_volume(rig, {.amount = request.amount});
}

Result<std::unique_ptr<Deformer>> make_stretch(const Rig& rig, const DeformRequest& request,
                                               StretchForm form) {
  Rig copy;
  return build_stretch(with_endpoints(rig, request, copy), form);
}

Result<std::unique_ptr<Deformer>> make_stretch_lbs(const Rig& rig, const DeformRequest& request) {
  return make_stretch(rig, request, StretchForm::kLinear);
}

Result<std::unique_ptr<Deformer>> make_stretch_dqs(const Rig& rig, const DeformRequest& request) {
  return make_stretch(rig, request, StretchForm::kDualQuaternion);
}

Result<std::unique_ptr<Deformer>> make_elastic(const Rig& rig, const DeformRequest& request) {
  SINEW_TRY(ElasticSetup setup, elastic_setup(rig, request));
  if (request.notes)
    request.notes->push_back(fmt::format("a voxel body of {} grid vertices was made for the elastic solve",
                                         setup.grid.vertex_count()));
  return build_elastic(rig, std::move(setup));
}

Result<std::unique_ptr<Deformer>> make_arap(const Rig& rig, const DeformRequest& request) {
  ArapRigOptions options;
  options.targets = request.handles;
  options.iterations = steps_of(request);
  return build_arap(rig, options);
}

Result<std::unique_ptr<Deformer>> make_differential(const Rig& rig, const DeformRequest& request) {
  DifferentialOptions options;
  options.keys = request.solve_keys;
  options.springs = request.springs;
  if (request.solve_keys) {
    SINEW_TRY(options.masks, key_masks(rig));
  }
  SINEW_TRY(options.placement, placement_of(request.place));
  return build_differential(rig, options);
}

Result<std::unique_ptr<Deformer>> make_points(const Rig& rig, const DeformRequest& request) {
  PointsOptions options;
  options.targets = request.point_targets;
  options.live = request.live;
  options.iterations = steps_of(request);
  return build_points(rig, options);
}

Result<std::unique_ptr<Deformer>> make_points_lbs(const Rig& rig, const DeformRequest& request) {
  return build_points(rig,
                      {.targets = request.point_targets, .live = request.live, .form = PointsForm::kLinear});
}

Result<std::unique_ptr<Deformer>> make_points_dqs(const Rig& rig, const DeformRequest& request) {
  return build_points(
      rig, {.targets = request.point_targets, .live = request.live, .form = PointsForm::kDualQuaternion});
}

// The stack runs cages as a step of their own, and then linear blending.
Result<std::unique_ptr<Deformer>> make_cage(const Rig& rig, const DeformRequest&) {
  if (rig.cages.empty())
    return impossible("the rig has no cage: `sinew cage bind` makes one, with --auto out of the mesh alone");
  return build_lbs(rig);
}

constexpr std::array kDeformers = {
    DeformerMethod{"lbs", "linear blend skinning", make_lbs, Inverse::kExact},
    DeformerMethod{"dqs", "dual quaternion skinning", make_dqs, Inverse::kExact},
    DeformerMethod{"mix", "between lbs and dqs, by --mix", make_mix, Inverse::kExact},
    DeformerMethod{"decomposed", "rotation and scale blended apart, by --blend", make_decomposed,
                   Inverse::kExact},
    DeformerMethod{"swing-twist", "joints bend linearly and twist on the sphere; others by --joint",
                   make_swing_twist, Inverse::kExact},
    DeformerMethod{"joint-dqs", "every joint turns on the sphere", make_joint_dqs, Inverse::kExact},
    DeformerMethod{"curve", "bones bent along Bezier curves", make_curve, Inverse::kExact},
    DeformerMethod{"stbs-lbs", "bones that stretch and twist, blended linearly", make_stretch_lbs,
                   Inverse::kExact},
    DeformerMethod{"stbs-dqs", "the same as dual quaternions", make_stretch_dqs, Inverse::kExact},
    DeformerMethod{"volume", "a flow that keeps the volume, by --amount", make_volume, Inverse::kPointwise},
    DeformerMethod{"differential", "bone rotations blended per triangle, and one solve; keys in it, too",
                   make_differential, Inverse::kIterative},
    DeformerMethod{"arap", "as rigid as possible, held by --handle or by the joints", make_arap},
    DeformerMethod{"points", "point handles, as rigid as possible between them; see `sinew handles`",
                   make_points},
    DeformerMethod{"points-lbs", "point handles blended linearly, a baseline", make_points_lbs,
                   Inverse::kExact},
    DeformerMethod{"points-dqs", "the same as dual quaternions", make_points_dqs, Inverse::kExact},
    DeformerMethod{"cage", "the cages of the rig, then lbs; see `sinew cage`", make_cage, Inverse::kExact},
    DeformerMethod{"elastic", "the elastic body itself: the reference, seconds a frame", make_elastic},
};

Result<BoneWeights> by_envelope(const BindInput& input, const BindRequest&, BindReport&) {
  return envelope_weights(input);
}

Result<BoneWeights> by_inverse_distance(const BindInput& input, const BindRequest&, BindReport&) {
  return inverse_distance_weights(input);
}

Result<BoneWeights> by_heat(const BindInput& input, const BindRequest& request, BindReport&) {
  BoneHeatOptions options;
  options.progress = request.progress;
  if (request.heat == "visible")
    options.source = HeatSource::kVisible;
  else if (request.heat == "blender")
    options.source = HeatSource::kBlender;
  else if (request.heat != "nearest")
    return usage_error(fmt::format("--heat is '{}': give nearest, visible or blender", request.heat));
  return bone_heat_weights(input, options);
}

// What the user should know about a mesh or bones that do not fit the grid.
template <class Weights>
void note_bones(const Weights& result, const BindInput& input, BindReport& report) {
  report.voxels = result.grid_vertices;
  if (result.sheet)
    report.notes.push_back("the mesh encloses no cell and was thickened to the cells that it passes through");
  if (result.bones_outside > 0)
    report.notes.push_back(fmt::format("{} of {} bones lie outside the body and hold its nearest cell",
                                       result.bones_outside, input.bones.size()));
  if (result.patches > 0)
    report.notes.push_back(
        fmt::format("{} groups of short bones were solved on finer grids of their own", result.patches));
  if (result.bones_merged > 0)
    report.notes.push_back(
        fmt::format("{} bones share all their cells with others and hold one grid vertex each; --voxels "
                    "makes the grid finer",
                    result.bones_merged));
}

Result<BoneWeights> by_harmonic(const BindInput& input, const BindRequest& request, BindReport& report) {
  if (request.volume) {
    HarmonicVolumeOptions options;
    options.voxels = request.voxels;
    options.progress = request.progress;
    SINEW_TRY(HarmonicVolumeWeights result, harmonic_volume_weights(input, options));
    note_bones(result, input, report);
    return std::move(result.weights);
  }
  HarmonicOptions options;
  options.progress = request.progress;
  return harmonic_weights(input, options);
}

Result<BoneWeights> by_geodesic(const BindInput& input, const BindRequest& request, BindReport& report) {
  GeodesicOptions options;
  options.voxels = request.voxels;
  options.progress = request.progress;
  SINEW_TRY(GeodesicWeights result, geodesic_weights(input, options));
  report.voxels = result.voxels;
  if (result.bones_outside > 0)
    report.notes.push_back(fmt::format("{} of {} bones lie outside the body and start from its nearest cell",
                                       result.bones_outside, input.bones.size()));
  return std::move(result.weights);
}

Result<BoneWeights> by_bbw(const BindInput& input, const BindRequest& request, BindReport& report) {
  BbwOptions options;
  options.voxels = request.voxels;
  options.progress = request.progress;
  SINEW_TRY(BbwWeights result, bbw_weights(input, options));
  note_bones(result, input, report);
  if (result.residual > options.tolerance)
    report.notes.push_back(fmt::format("the solver stopped {:.1e} above the least energy", result.residual));
  return std::move(result.weights);
}

Result<BoneWeights> by_elastic(const BindInput& input, const BindRequest& request, BindReport& report) {
  ElasticWeightOptions options;
  SINEW_TRY(options.fit, elastic_fit(request.method));
  options.voxels = request.voxels;
  options.one_weight = request.one_weight;
  options.descent.progress = request.progress;
  SINEW_TRY(ElasticWeights result, elastic_weights(input, options));
  note_bones(result, input, report);
  return std::move(result.weights);
}

struct FitName {
  std::string_view name;
  ElasticFit fit;
};
constexpr std::array kFits = {FitName{"elastic", ElasticFit::kLinear},
                              FitName{"elastic-dqs", ElasticFit::kDualQuaternion},
                              FitName{"lsq", ElasticFit::kLeastSquares},
                              FitName{"lsq-nonnegative", ElasticFit::kLeastSquaresNonNegative}};

constexpr std::array kWeights = {
    WeightMethod{"envelope", "capsules around the bones", by_envelope},
    WeightMethod{"inverse-distance", "by the distance to the bones alone", by_inverse_distance},
    WeightMethod{"heat", "bone heat on the surface, by --heat", by_heat},
    WeightMethod{"bbw", "bounded biharmonic weights in the voxel body", by_bbw},
    WeightMethod{"harmonic", "Laplace's equation between the bones, on the surface or (--volume) inside",
                 by_harmonic},
    WeightMethod{"geodesic", "shortest paths through the voxel body; works on any mesh", by_geodesic},
    WeightMethod{"elastic", "least elastic energy when joints bend and twist", by_elastic},
    WeightMethod{"elastic-dqs", "the same for dual quaternions", by_elastic},
    WeightMethod{"lsq", "nearest to elastic examples, a baseline", by_elastic},
    WeightMethod{"lsq-nonnegative", "the same without negative weights", by_elastic},
};

// "a, b, c": what the user can choose from.
template <class Table>
std::string names_of(const Table& table) {
  std::string names;
  for (const auto& method : table) {
    if (!names.empty()) names += ", ";
    names += method.name;
  }
  return names;
}

}  // namespace

std::span<const DeformerMethod> deformer_methods() {
  return kDeformers;
}

std::span<const WeightMethod> weight_methods() {
  return kWeights;
}

int steps_of(const DeformRequest& request) {
  const bool points = request.deformer == "points" || request.deformer == "points+mush";
  if (!points && !request.deformer.starts_with("arap")) return 0;
  if (request.iterations != 0) return request.iterations;
  return points ? PointsOptions().iterations : ArapRigOptions().iterations;
}

Inverse deformer_inverse(std::string_view name) {
  constexpr std::string_view kMush = "+mush";
  const bool smoothed = name.ends_with(kMush);
  if (smoothed) name.remove_suffix(kMush.size());
  for (const DeformerMethod& method : kDeformers)
    if (method.name == name) return smoothed ? std::max(method.inverse, Inverse::kIterative) : method.inverse;
  return Inverse::kNone;
}

std::string deformer_names() {
  return names_of(kDeformers);
}

std::string weight_names() {
  return names_of(kWeights);
}

Result<std::unique_ptr<Deformer>> build_deformer(const Rig& rig, const DeformRequest& request) {
  constexpr std::string_view kMush = "+mush";
  if (request.deformer.ends_with(kMush)) {
    DeformRequest inner = request;
    inner.deformer.resize(inner.deformer.size() - kMush.size());
    SINEW_TRY(std::unique_ptr<Deformer> deformer, build_deformer(rig, inner));
    return build_mush(rig, std::move(deformer), {.passes = request.mush_passes, .step = request.mush_step});
  }
  for (const DeformerMethod& method : kDeformers)
    if (method.name == request.deformer) return method.build(rig, request);
  return usage_error(
      fmt::format("there is no deformer '{}': choose one of {}; +mush behind a name adds delta mush",
                  printable(request.deformer), deformer_names()));
}

Result<ElasticFit> elastic_fit(std::string_view method) {
  for (const FitName& entry : kFits)
    if (entry.name == method) return entry.fit;
  return usage_error(fmt::format("there are no joint weights by '{}': choose one of {}, skin",
                                 printable(method), names_of(kFits)));
}

Result<BoneWeights> compute_weights(const BindInput& input, const BindRequest& request, BindReport& report) {
  if (request.volume && request.method != "harmonic")
    return usage_error(fmt::format("--volume belongs to --method harmonic, not to '{}'", request.method));
  for (const WeightMethod& method : kWeights)
    if (method.name == request.method) return method.compute(input, request, report);
  return usage_error(
      fmt::format("there is no weight method '{}': choose one of {}", request.method, weight_names()));
}

}  // namespace sinew
