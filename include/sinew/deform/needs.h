// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/settings.h"
#include "sinew/deform/elastic.h"
#include "sinew/rig/handles.h"

namespace sinew {

/// How the elastic body is made.
struct ElasticSettings {
  int voxels = 0;                        ///< cells along the longest side; 0: chosen by the mesh
  NamedNumbers stiffness = {};           ///< of the flesh of a joint's bone, by name; 1 elsewhere
  std::string stiffness_attribute = {};  ///< painted on the mesh; multiplies the above
};

/// What deformers need beside mesh, skeleton and skin weights; binding/prepare.h makes it.
struct DeformerNeeds {
  bool endpoints = false;      ///< Rig::endpoint
  bool joint_weights = false;  ///< Rig::joint_weights
  bool flesh = false;          ///< Rig::flesh
  int voxels = 0;  ///< of the solid voxel grid that joint weights are made on; 0: chosen by the mesh
  std::optional<ElasticSettings> elastic = {};
};

/// What a deformer needs that no rig holds.
struct DeformerData {
  std::shared_ptr<const ElasticSetup> elastic = {};
  std::vector<VertexTarget> held = {};  ///< arap: vertices that are held, world space; none: the joints hold
  bool solve_keys = false;              ///< differential: keys in the same solve; the stack sets it
  const Progress* progress = nullptr;   ///< while the deformer is built
};

}  // namespace sinew
