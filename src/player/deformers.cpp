// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/deformers.h"

#include <fmt/format.h>

#include <array>

#include "player/arap_step.h"
#include "sinew/core/text.h"
#include "sinew/deform/arap_rig.h"
#include "sinew/deform/curve.h"
#include "sinew/deform/decomposed.h"
#include "sinew/deform/differential.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/flesh.h"
#include "sinew/deform/joint_based.h"
#include "sinew/deform/lbs.h"
#include "sinew/deform/mix.h"
#include "sinew/deform/mush.h"
#include "sinew/deform/points.h"
#include "sinew/deform/stretch.h"
#include "sinew/deform/volume.h"
#include "sinew/player/stack.h"
#include "sinew/skeleton/joint_hint.h"

namespace sinew {
namespace {

using Built = Result<std::unique_ptr<Deformer>>;

// --- settings: a struct and a table each ---

struct NoSettings {};

constexpr std::array kMixSettings = {setting<&MixOptions::mix>("mix", "0 is lbs, 1 is dqs", 0, 1)};

constexpr std::array kDecomposedSettings = {
    choice<&DecomposedOptions::blend>("blend", "polar|explog", "how rotations are blended")};

struct SwingTwistSettings {
  double mix = 0.5;
  bool fast_twist = false;
  NamedWords joints = {};
  int voxels = 0;
};
constexpr Descriptor kJointVoxels = setting<&SwingTwistSettings::voxels>(
    "voxels",
    "cells along the longest side of the solid voxel grid, where one has to be made; 0: chosen from the mesh",
    0, 1024);
constexpr std::array kSwingTwistSettings = {
    setting<&SwingTwistSettings::mix>("mix", "of joints that blend by mix: 0 is linear, 1 is dqs", 0, 1),
    setting<&SwingTwistSettings::fast_twist>("fast_twist",
                                             "approximate without trigonometry, off by 0.001 radians")
        .as("fast-twist"),
    choice<&SwingTwistSettings::joints>("joints", "swing-twist|linear|dqs|mix|angle", "how a joint blends")
        .as("joint"),
    kJointVoxels};
constexpr std::array kJointDqsSettings = {kJointVoxels};

struct CurveSettings {
  CurveOptions all = {};
  int segments = all.segments;
  double ease = all.ease;
  NamedNumbers bone_segments = {}, bone_ease = {};
};
constexpr std::array kCurveSettings = {
    setting<&CurveSettings::segments>("segments", "segments of a bone", 1, 64),
    setting<&CurveSettings::ease>("ease", "length of the Bezier handles, in thirds of the bone", 0, 3),
    setting<&CurveSettings::bone_segments>("bone_segments", "segments of this bone", 1, 64)
        .as("bone-segments"),
    setting<&CurveSettings::bone_ease>("bone_ease", "length of the Bezier handles of this bone", 0, 3)
        .as("bone-ease")};

constexpr std::array kVolumeSettings = {
    setting<&VolumeOptions::amount>("amount", "how much of the volume is kept", 0, 1)};

struct DifferentialSettings {
  Placement place = Placement::kAuto;
  double springs = 0;
};
constexpr std::array kDifferentialSettings = {
    choice<&DifferentialSettings::place>("place", "own|body|auto",
                                         "components go to their own centre, or small ones with the body"),
    setting<&DifferentialSettings::springs>("springs", "weight of internal springs that preserve volume", 0,
                                            1e6),
};

constexpr std::array kPointsSettings = {
    setting<&PointsOptions::iterations>("iterations", "solver iterations", 1, kMostIterations)};

constexpr std::array kElasticSettings = {
    setting<&ElasticSettings::voxels>(
        "voxels", "cells along the longest side of the solid voxel grid; 0: chosen from the mesh", 0, 1024),
    setting<&ElasticSettings::stiffness>(
        "stiffness", "relative stiffness of the flesh around a bone; 1: as the rest", 1e-6, 1e6),
    setting<&ElasticSettings::stiffness_attribute>(
        "stiffness_attribute", "a vertex attribute that holds the stiffness; multiplies that of the bones")
        .as("stiffness-attribute"),
};

// --- building ---

Built make_lbs(const Rig& rig, const NoSettings&, const DeformerData&) {
  return build_lbs(rig);
}

Built make_dqs(const Rig& rig, const NoSettings&, const DeformerData&) {
  return build_dqs(rig);
}

Built make_flesh_deformer(const Rig& rig, const SwingTwistSettings&, const DeformerData&) {
  return build_flesh(rig);
}

Built make_mix(const Rig& rig, const MixOptions& options, const DeformerData&) {
  return build_mix(rig, options);
}

Built make_decomposed(const Rig& rig, const DecomposedOptions& options, const DeformerData&) {
  return build_decomposed(rig, options);
}

Result<std::size_t> named_joint(const Rig& rig, std::string_view option, const std::string& name) {
  if (const auto joint = rig.skeleton.find(name)) return *joint;
  return parameter_error(std::string(option), fmt::format("names '{}': there is no such joint{}",
                                                          printable(name), joint_hint(rig.skeleton, name)));
}

Built make_joint_based(const Rig& rig, const SwingTwistSettings& settings, std::optional<JointBlend> blend) {
  if (rig.joint_weights.empty())
    return impossible("the rig has no joint weights: prepare() of the library and `sinew rig` make them");
  JointBasedOptions options;
  options.blend = blend;
  options.mix = settings.mix;
  options.twist = settings.fast_twist ? TwistPower::kFast : TwistPower::kExact;
  if (!settings.joints.empty()) options.blends = rig.joint_weights.blends;
  for (const auto& [name, word] : settings.joints) {
    SINEW_TRY(const std::size_t joint, named_joint(rig, "joint", name));
    options.blends.resize(rig.skeleton.size(), JointBlend::kSwingTwist);
    options.blends[joint] = blend_of(word).value_or(JointBlend::kSwingTwist);
  }
  return build_joint_based(rig, options);
}

Built make_swing_twist(const Rig& rig, const SwingTwistSettings& settings, const DeformerData&) {
  return make_joint_based(rig, settings, std::nullopt);
}

Built make_joint_dqs(const Rig& rig, const SwingTwistSettings& settings, const DeformerData&) {
  return make_joint_based(rig, settings, JointBlend::kDqs);
}

Result<void> need_endpoints_of(const Rig& rig) {
  if (!rig.endpoint.empty()) return {};
  return impossible("the rig has no endpoint weights: prepare() of the library and `sinew rig` make them");
}

Built make_curve(const Rig& rig, const CurveSettings& settings, const DeformerData&) {
  SINEW_CHECK(need_endpoints_of(rig));
  CurveOptions options{settings.segments, settings.ease, {}, {}};
  for (const auto& [name, value] : settings.bone_segments) {
    SINEW_TRY(const std::size_t joint, named_joint(rig, "bone-segments", name));
    options.segments_of.resize(rig.skeleton.size(), settings.segments);
    options.segments_of[joint] = static_cast<int>(value);
  }
  for (const auto& [name, value] : settings.bone_ease) {
    SINEW_TRY(const std::size_t joint, named_joint(rig, "bone-ease", name));
    options.ease_of.resize(rig.skeleton.size(), settings.ease);
    options.ease_of[joint] = value;
  }
  return build_curve(rig, options);
}

Built make_volume(const Rig& rig, const VolumeOptions& options, const DeformerData& data) {
  return build_volume(rig, {options.amount, data.progress});
}

Built make_stretch_lbs(const Rig& rig, const NoSettings&, const DeformerData&) {
  SINEW_CHECK(need_endpoints_of(rig));
  return build_stretch(rig, StretchForm::kLinear);
}

Built make_stretch_dqs(const Rig& rig, const NoSettings&, const DeformerData&) {
  SINEW_CHECK(need_endpoints_of(rig));
  return build_stretch(rig, StretchForm::kDualQuaternion);
}

Built make_elastic(const Rig& rig, const ElasticSettings&, const DeformerData& data) {
  if (!data.elastic) return impossible("elastic needs a solid voxel grid: prepare() of the library makes it");
  return build_elastic(rig, *data.elastic);
}

constexpr std::string_view kOverMush = "+mush";

Result<const DeformerMethod*> arap_inner(const ArapSettings& settings) {
  std::string_view name = settings.over;
  if (name.ends_with(kOverMush)) name.remove_suffix(kOverMush.size());
  if (name == "arap") return parameter_error("over", "is 'arap': choose another deformer");
  return find_deformer(name);
}

ArapRigOptions arap_options(const ArapSettings& settings, const DeformerData& data) {
  ArapRigOptions options;
  options.iterations = settings.iterations;
  options.springs = settings.springs;
  options.targets = data.held;
  return options;
}

// The inner deformer reads its own settings beside those of arap.
Built make_arap(const Rig& rig, const Settings& all, const DeformerData& data) {
  SINEW_TRY(const ArapSettings settings, read_settings<ArapSettings>(kArapSettings, all));
  SINEW_TRY(const DeformerMethod* inner, arap_inner(settings));
  SINEW_TRY(std::unique_ptr<Deformer> built, inner->build(rig, all, data));
  if (settings.over.ends_with(kOverMush)) {
    SINEW_TRY(built, build_mush(rig, std::move(built)));
  }
  return build_arap(rig, arap_options(settings, data), std::move(built));
}

Built make_differential(const Rig& rig, const DifferentialSettings& settings, const DeformerData& data) {
  DifferentialOptions options;
  options.keys = data.solve_keys;
  options.springs = settings.springs;
  options.placement = settings.place;
  // A key that moves an eye is reached where it says.
  if (data.solve_keys && settings.place == Placement::kAuto) options.placement = Placement::kOwn;
  if (data.solve_keys) {
    SINEW_TRY(options.masks, key_masks(rig));
  }
  return build_differential(rig, options);
}

Built make_points(const Rig& rig, const PointsOptions& options, const DeformerData&) {
  return build_points(rig, options);
}

Built make_points_lbs(const Rig& rig, const NoSettings&, const DeformerData&) {
  return build_points(rig, {.form = PointsForm::kLinear});
}

Built make_points_dqs(const Rig& rig, const NoSettings&, const DeformerData&) {
  return build_points(rig, {.form = PointsForm::kDualQuaternion});
}

// The stack runs cages as a step of their own, and then linear blending.
Built make_cage(const Rig& rig, const NoSettings&, const DeformerData&) {
  if (rig.cages.empty())
    return impossible("the rig has no cage: `sinew cage bind` makes one, also from the mesh alone");
  return build_lbs(rig);
}

// --- what they need ---

Result<void> need_flesh(const Settings& settings, DeformerNeeds& needs) {
  SINEW_TRY(const SwingTwistSettings read, read_settings<SwingTwistSettings>(kJointDqsSettings, settings));
  needs.flesh = true;
  needs.voxels = read.voxels;
  return {};
}

Result<void> need_endpoints(const Settings&, DeformerNeeds& needs) {
  needs.endpoints = true;
  return {};
}

Result<void> need_joint_weights(const Settings& settings, DeformerNeeds& needs) {
  SINEW_TRY(const SwingTwistSettings read, read_settings<SwingTwistSettings>(kJointDqsSettings, settings));
  needs.joint_weights = true;
  needs.voxels = read.voxels;
  return {};
}

Result<void> need_arap(const Settings& settings, DeformerNeeds& needs) {
  SINEW_TRY(const ArapSettings read, read_settings<ArapSettings>(kArapSettings, settings));
  SINEW_TRY(const DeformerMethod* inner, arap_inner(read));
  return inner->needs ? inner->needs(settings, needs) : Result<void>();
}

Result<void> need_elastic(const Settings& settings, DeformerNeeds& needs) {
  SINEW_TRY(needs.elastic, read_settings<ElasticSettings>(kElasticSettings, settings));
  return {};
}

// --- the table ---

template <class Options>
Setting usual_of(const Descriptor& descriptor) {
  return default_of<Options>(descriptor);
}

// `Table` is the array of descriptors of `Options`.
template <class Options, const auto& Table, auto Make>
Built build_from(const Rig& rig, const Settings& settings, const DeformerData& data) {
  SINEW_TRY(const Options options, read_settings<Options>(Table, settings));
  return Make(rig, options, data);
}

constexpr std::array<Descriptor, 0> kNone = {};

template <class Options, const auto& Table, auto Make>
constexpr DeformerMethod method(std::string_view name, std::string_view summary,
                                Inverse inverse = Inverse::kNone,
                                Result<void> (*needs)(const Settings&, DeformerNeeds&) = nullptr) {
  return {name, summary, Table, usual_of<Options>, build_from<Options, Table, Make>, inverse, needs};
}

constexpr std::array kDeformers = {
    method<SwingTwistSettings, kJointDqsSettings, make_flesh_deformer>(
        "flesh", "close to the elastic reference, in closed form; see `sinew rig`", Inverse::kExact,
        need_flesh),
    method<NoSettings, kNone, make_lbs>("lbs", "linear blend skinning", Inverse::kExact),
    method<NoSettings, kNone, make_dqs>("dqs", "dual quaternion skinning", Inverse::kExact),
    method<MixOptions, kMixSettings, make_mix>("mix", "a blend of lbs and dqs", Inverse::kExact),
    method<DecomposedOptions, kDecomposedSettings, make_decomposed>(
        "decomposed", "rotation and scale blended separately", Inverse::kExact),
    method<SwingTwistSettings, kSwingTwistSettings, make_swing_twist>(
        "swing-twist", "joints swing linearly and twist spherically; other blends per joint", Inverse::kExact,
        need_joint_weights),
    method<SwingTwistSettings, kJointDqsSettings, make_joint_dqs>(
        "joint-dqs", "every joint blends spherically", Inverse::kExact, need_joint_weights),
    method<CurveSettings, kCurveSettings, make_curve>("curve", "bones as Bezier curves", Inverse::kExact,
                                                      need_endpoints),
    method<NoSettings, kNone, make_stretch_lbs>(
        "stretch-lbs", "bones that stretch and twist, blended linearly", Inverse::kExact, need_endpoints),
    method<NoSettings, kNone, make_stretch_dqs>("stretch-dqs", "the same with dual quaternions",
                                                Inverse::kExact, need_endpoints),
    method<VolumeOptions, kVolumeSettings, make_volume>("volume", "a volume-preserving flow",
                                                        Inverse::kPointwise),
    method<DifferentialSettings, kDifferentialSettings, make_differential>(
        "differential", "bone rotations blended per triangle, then one Poisson solve, shape keys included",
        Inverse::kIterative),
    DeformerMethod{"arap",
                   "as rigid as possible on top of another deformer, constrained by vertices or joints",
                   kArapSettings, usual_of<ArapSettings>, make_arap, Inverse::kNone, need_arap},
    method<PointsOptions, kPointsSettings, make_points>(
        "points", "point handles, as rigid as possible between them; see `sinew handles`"),
    method<NoSettings, kNone, make_points_lbs>("points-lbs", "point handles blended linearly (baseline)",
                                               Inverse::kExact),
    method<NoSettings, kNone, make_points_dqs>("points-dqs", "the same with dual quaternions",
                                               Inverse::kExact),
    method<NoSettings, kNone, make_cage>("cage", "the cages of the rig, then lbs; see `sinew cage`",
                                         Inverse::kExact),
    method<ElasticSettings, kElasticSettings, make_elastic>(
        "elastic", "the elastic reference itself, seconds per frame", Inverse::kNone, need_elastic),
};

}  // namespace

std::span<const DeformerMethod> deformer_methods() {
  return kDeformers;
}

std::string deformer_names() {
  std::string names;
  for (const DeformerMethod& method : kDeformers)
    names += (names.empty() ? "" : ", ") + std::string(method.name);
  return names;
}

Result<const DeformerMethod*> find_deformer(std::string_view name) {
  const std::string current = current_deformer_name(name);
  for (const DeformerMethod& method : kDeformers)
    if (method.name == name || method.name == current) return &method;
  return parameter_error("deformer", fmt::format("is '{}': choose one of {}; append +mush for delta mush",
                                                 printable(name), deformer_names()));
}

Result<std::unique_ptr<Deformer>> build_deformer(const Rig& rig, std::string_view name,
                                                 const Settings& settings, const DeformerData& data) {
  SINEW_TRY(const DeformerMethod* method, find_deformer(name));
  return method->build(rig, settings, data);
}

Result<std::unique_ptr<Deformer>> build_arap_step(const Rig& rig, const Settings& settings,
                                                  const DeformerData& data) {
  SINEW_TRY(const ArapSettings read, read_settings<ArapSettings>(kArapStepSettings, settings));
  ArapRigOptions options = arap_options(read, data);
  options.over_input = true;
  return build_arap(rig, options);
}

int steps_of(std::string_view deformer, const Settings& settings) {
  if (deformer == "arap") {
    const auto read = read_settings<ArapSettings>(kArapSettings, settings);
    return read ? read->iterations : 0;
  }
  if (deformer != "points") return 0;
  const auto read = read_settings<PointsOptions>(kPointsSettings, settings);
  return read ? read->iterations : 0;
}

}  // namespace sinew
