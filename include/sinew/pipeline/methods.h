// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sinew/core/progress.h"
#include "sinew/deform/deformer.h"
#include "sinew/deform/unpose.h"
#include "sinew/pipeline/bind.h"
#include "sinew/rig/handles.h"
#include "sinew/rig/live_controls.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

// What a user can say about how a pose is turned into a mesh. Fields that a method does not use are ignored
// by it.
struct DeformRequest {
  std::string deformer = "lbs";  // a name of deformer_methods(); "+mush" behind it adds delta mush
  double mix = 0.5;              // `mix`: 0 is lbs, 1 is dqs
  std::string blend = "polar";   // `decomposed`: polar or explog
  // `swing-twist`: joints that blend otherwise, by name; see blend_names().
  std::vector<std::pair<std::string, std::string>> joint_blends = {};
  bool fast_twist = false;  // `swing-twist`: without trigonometry, off by less than 0.001 radians
  // `elastic`: how stiff the flesh of a joint's bone is, by name; 1 elsewhere.
  std::vector<std::pair<std::string, double>> stiffness = {};
  std::string stiffness_attribute = {};  // `elastic`: painted on the mesh; multiplies the above
  int segments = 8;                      // `curve`: of a bone
  double ease = 1;                       // `curve`: length of the handles, in thirds of the bone
  double amount = 1;                     // `volume`: 0 ... 1
  int mush_passes = 10;                  // delta mush: rounds of smoothing
  double mush_step = 0.5;            // delta mush: how far a vertex goes towards its neighbours in a round
  std::string key_space = "object";  // shape keys: object, tangent or differential
  std::string place =
      "own";                // `differential`: components go to their own centre, or small ones with the body
  double springs = 0;       // `differential`: weight of edges through the body that hold its volume
  std::string remove = {};  // rotation or scale: taken out of what the skeleton makes
  bool solve_keys = false;  // `differential`: keys in the same solve; the stack sets it
  int voxels = 0;           // of the voxel body, where one has to be made; 0: chosen by the mesh
  std::vector<VertexTarget> handles = {};        // `arap`: vertices that are held, world space
  std::vector<HandleTarget> point_targets = {};  // `points`: handles that do not follow a joint
  int iterations = 0;                            // `arap`, `points`: steps; 0: the method's own number
  // `cage`: control points that were moved, by the name of their cage, bind space.
  std::vector<std::pair<std::string, std::vector<Vec3>>> moved_cages = {};
  // In place of moved_cages and point_targets: read in every frame; outlives what is built, and has as many
  // cages as the rig.
  const LiveControls* live = nullptr;
  const Progress* progress = nullptr;
  std::vector<std::string>* notes = nullptr;  // what had to be made on the spot, a sentence each
};

// One line of the table of methods: command line, comparison, documents and page all read it.
struct DeformerMethod {
  std::string_view name;
  std::string_view summary;
  Result<std::unique_ptr<Deformer>> (*build)(const Rig& rig, const DeformRequest& request);
  Inverse inverse = Inverse::kNone;  // how what it does can be undone
};
std::span<const DeformerMethod> deformer_methods();
// That of a deformer by name, "+mush" behind it or not; kNone where there is none of that name.
Inverse deformer_inverse(std::string_view name);

// kUsage naming all methods where the name is unknown, or a parameter is out of range.
Result<std::unique_ptr<Deformer>> build_deformer(const Rig& rig, const DeformRequest& request);

// How many steps a frame of such a deformer takes; 0: it takes none.
int steps_of(const DeformRequest& request);

// "lbs, dqs, mix, ...": for help and messages.
std::string deformer_names();

// The same for weights.
struct WeightMethod {
  std::string_view name;
  std::string_view summary;
  Result<BoneWeights> (*compute)(const BindInput& input, const BindRequest& request, BindReport& report);
};
std::span<const WeightMethod> weight_methods();
std::string weight_names();

// kUsage naming all methods where the name is unknown. Fills the report's figures that only the method knows.
Result<BoneWeights> compute_weights(const BindInput& input, const BindRequest& request, BindReport& report);

}  // namespace sinew
