// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "deform/rig_samples.h"
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
#include "sinew/deform/remove.h"
#include "sinew/deform/stretch.h"
#include "sinew/deform/volume.h"

namespace sinew::test {

struct Method {
  const char* name;
  std::function<Result<std::unique_ptr<Deformer>>(const Rig&)> build;
  bool surface = false;  // works on faces: a vertex moves with its neighbours

  // About so many vertices in a pose that is stretched as well as turned.
  Sample sample(std::size_t vertices, std::size_t joints, std::size_t most) const {
    return surface ? bent_surface(vertices) : random_sample(vertices, joints, most, Motion::kStretched);
  }

  static Sample bent_surface(std::size_t vertices) {
    Sample sample =
        tube(capped_cylinder(0.4, 4, 24, static_cast<int>(std::max<std::size_t>(vertices / 24, 5))));
    std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
    local[1].rotate(Eigen::AngleAxisd(1.1, Vec3(0.2, 0.1, 1).normalized()));
    local[1].scale(Vec3(1.1, 0.9, 1));
    set_pose(sample, local);
    return sample;
  }
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

// Random composed weights on chains of joints, and fields of two joints at every third vertex, the second
// driven by the first too.
inline Rig with_flesh(Rig rig) {
  const std::vector<int> parents = bone_parents(rig.skeleton);
  unsigned number = 11;
  const auto random = [&] {
    return static_cast<double>((number = number * 1664525u + 1013904223u) >> 8) / 16777216.0;
  };
  rig.flesh = {};
  rig.flesh.weights.offsets = {0};
  rig.flesh.tolerance = 1.15;
  std::vector<double> swing(parents.size()), twist(parents.size());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    number = static_cast<unsigned>(i + 11) * 2654435761u;  // of the vertex alone
    // Whole up to a joint, in part about the next few, nothing below.
    const std::size_t whole =
        1 + static_cast<std::size_t>(random() * static_cast<double>(parents.size() - 1));
    for (std::size_t j = 0; j < parents.size(); ++j) {
      const bool part = j >= whole && j < whole + 1 + i % 3;
      swing[j] = part ? random() : j < whole ? 1 : 0;
      twist[j] = part ? random() : swing[j];
      if (rig.weights.row(i).empty()) swing[j] = twist[j] = 0;
    }
    rig.flesh.weights.add_row(parents, swing, twist);
  }
  for (const std::uint32_t joint : {1u, 2u}) {
    if (joint >= parents.size()) break;
    FleshField field;
    field.joint = joint;
    if (joint == 2) field.partner = FleshPartner{1, {1.2, 0.9}};
    for (std::size_t m = 0; m < 5; ++m)
      for (std::size_t f = 0; f < kTurnFunctions; ++f)
        field.mixes.push_back(0.1f * static_cast<float>((3 * m + 7 * f) % 11) - 0.5f);
    field.steps = {1e-3f, 2e-3f, 1e-3f, 5e-4f, 1e-3f};
    for (std::uint32_t v = joint; v < rig.mesh.vertex_count(); v += 3) {
      number = (v + joint) * 2654435761u;
      field.vertices.push_back(v);
      field.twist.push_back(static_cast<float>(random()));
      for (int k = 0; k < 15; ++k) field.values.push_back(static_cast<std::int8_t>(200 * random() - 100));
    }
    rig.flesh.fields.push_back(std::move(field));
  }
  return rig;
}

inline Rig with_endpoints(Rig rig) {
  for (std::size_t k = 0; k < rig.weights.entries.size(); ++k)
    rig.endpoint.values.push_back(static_cast<float>(k % 17) / 16.0f);
  return rig;
}

// A handle at every joint, weights as the skin's.
inline Rig with_handles(Rig rig) {
  const std::vector<Affine3> bind = bind_transforms(rig);
  for (std::size_t j = 0; j < bind.size(); ++j)
    rig.points.points.push_back({"h" + std::to_string(j), bind[j].translation(), static_cast<int>(j)});
  ControlRows& rows = rig.points.weights;
  rows.offsets = {0};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    for (const Influence& influence : rig.weights.row(i))
      rows.entries.push_back({influence.joint, static_cast<float>(influence.weight)});
    rows.offsets.push_back(static_cast<std::uint32_t>(rows.entries.size()));
  }
  return rig;
}

// Each vertex for itself.
inline std::vector<Method> vertex_methods() {
  return {{"lbs", build_lbs},
          {"dqs", build_dqs},
          {"mix", [](const Rig& rig) { return build_mix(rig); }},
          {"decomposed", [](const Rig& rig) { return build_decomposed(rig); }},
          {"explog", [](const Rig& rig) { return build_decomposed(rig, {RotationBlend::kExpLog}); }},
          {"swing_twist", [](const Rig& rig) { return build_joint_based(with_joint_weights(rig)); }},
          {"flesh", [](const Rig& rig) { return build_flesh(with_flesh(rig)); }},
          {"stretch_linear",
           [](const Rig& rig) { return build_stretch(with_endpoints(rig), StretchForm::kLinear); }},
          {"stretch_dual",
           [](const Rig& rig) { return build_stretch(with_endpoints(rig), StretchForm::kDualQuaternion); }},
          {"curve", [](const Rig& rig) { return build_curve(with_endpoints(rig)); }},
          {"joint_dqs",
           [](const Rig& rig) {
             return build_joint_based(with_joint_weights(rig), {.blend = JointBlend::kDqs});
           }},
          {"joint_angle", [](const Rig& rig) {
             return build_joint_based(with_joint_weights(rig), {.blend = JointBlend::kAngle});
           }}};
}

// All but `elastic`, which solves and allocates in every frame, and cages, which follow no joint.
inline std::vector<Method> all_methods() {
  std::vector<Method> methods = vertex_methods();
  const auto points = [](PointsForm form) {
    return [form](const Rig& rig) { return build_points(with_handles(rig), {.form = form}); };
  };
  methods.push_back({"volume_points", [](const Rig& rig) { return build_volume(rig); }});
  const std::vector<Method> on_surfaces = {
      {"volume", [](const Rig& rig) { return build_volume(rig); }},
      {"differential", [](const Rig& rig) { return build_differential(rig); }},
      {"springs", [](const Rig& rig) { return build_differential(rig, {.springs = 1}); }},
      {"arap", [](const Rig& rig) { return build_arap(rig); }},
      {"points", points(PointsForm::kArap)},
      {"points_linear", points(PointsForm::kLinear)},
      {"points_dual", points(PointsForm::kDualQuaternion)},
      {"mush", [](const Rig& rig) { return build_mush(rig, std::move(*build_lbs(rig))); }},
      {"remove_scale",
       [](const Rig& rig) { return build_remove(rig, std::move(*build_lbs(rig)), Removed::kScale); }}};
  for (Method method : on_surfaces) {
    method.surface = true;
    methods.push_back(method);
  }
  return methods;
}

}  // namespace sinew::test
