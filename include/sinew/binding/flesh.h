// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sinew/binding/islands.h"
#include "sinew/binding/surface.h"
#include "sinew/deform/needs.h"
#include "sinew/rig/rig.h"
#include "sinew/volume/trilinear.h"
#include "sinew/weights/bone_body.h"
#include "sinew/weights/flesh.h"

namespace sinew {

/// Ranges of motion by the names of joints.
using MotionRanges = std::map<std::string, MotionRange, std::less<>>;

/// How far the clips of a rig turn its joints, with a tenth added, 10 degrees at least; joints that no clip
/// turns are left out. Clips are sampled 30 times a second.
MotionRanges ranges_of_clips(const Rig& rig);

/// What to do: the parameters of make_flesh().
struct FleshRequest {
  MotionRange range;
  MotionRanges ranges = {};  ///< of joints that turn less or more; kUsage: a joint that is not there
  TwistFit twist = TwistFit::kSpherical;
  double tolerance = 1.15;
  ElasticSettings elastic;  ///< how stiff the flesh is; its voxels are those of the context
  IslandRequest islands = {};
  const Progress* progress = nullptr;
};

/// What came out for one joint that flesh bends about.
struct FleshJointReport {
  std::string joint;
  double bare = 1, worst = 1, mean = 1;  ///< energy over that of the elastic body, without and with fields
  std::size_t modes = 0, vertices = 0;
};
/// What came out for two neighbours, where one has a field that both drive: energy over the least that such
/// fields could reach, without and with it.
struct FleshPairReport {
  std::string joint, partner;
  double bare = 1, worst = 1, mean = 1;
  std::size_t modes = 0;
};
/// What make_flesh() did.
struct FleshReport {
  std::size_t voxels = 0, field_bytes = 0;
  std::size_t unreached = 0;  ///< vertices in parts of the body without a bone: they hang on one joint
  double worst = 1, mean = 1;
  std::vector<FleshJointReport> joints;
  std::vector<FleshPairReport> pairs;
  std::vector<std::string> warnings;
  double seconds = 0;
};

/// Makes rig.flesh for the mesh as it is bound. kImpossible: no skin weights.
Result<FleshReport> make_flesh(Rig& rig, BindingContext& context, const FleshRequest& request);

/// The body on whose grid flesh is fitted, as make_flesh() makes it: its cells are wider than those of weights, since fields
/// are smooth, and wider still where the fit would take long. voxels: 0, or cells along the longest side.
Result<BoneBody> make_flesh_body(const BindInput& input, int voxels, const FleshOptions& options);
/// The same for a piece of the whole around short bones, one of `pieces`.
Result<BoneBody> make_flesh_body(const BindInput& piece, const BindInput& whole, std::size_t pieces,
                                 const FleshOptions& options);

/// Flesh of joints that were solved on a finer grid of their own, at some of the points.
struct FinerFlesh {
  GridFlesh grid;
  std::vector<std::size_t> joints;    ///< per solved bone of the grid, its first ones
  std::vector<std::uint32_t> points;  ///< ascending
  std::vector<double> amounts;        ///< per point: how much it has of it, 0 ... 1
  TrilinearWeights transfer;          ///< of the points
};

/// The same for points of their own, a grid's vertices for one: composed weights and fields as they are
/// stored.
Flesh carry_flesh(const GridFlesh& grid, const FleshOptions& options, std::span<const int> parents,
                  const TrilinearWeights& transfer, std::span<const int> fallback,
                  std::span<const std::uint32_t> to_points, std::span<const FinerFlesh> finer = {});

}  // namespace sinew
