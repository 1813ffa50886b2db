// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "sinew/core/progress.h"
#include "sinew/core/settings.h"
#include "sinew/mesh/weld.h"
#include "sinew/rig/rig.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/weights/bone_body.h"

namespace sinew {

struct GridJointWeights;  ///< weights/elastic.h

/// The surface of a rig as weight methods need it: welded, in bind space, with its bones.
struct Surface {
  WeldedTriangles welded;
  std::vector<Bone> bones;
  std::vector<int> parents;        ///< per bone
  std::vector<std::string> names;  ///< per bone: that of its joint
  BindInput input() const { return {welded.view(), bones, parents}; }
};
/// kImpossible: no joint deforms. kBadInput: no usable triangle.
/// @param carrying  per joint: 0 where it gets no bone; empty: every joint that deforms has one
Result<Surface> make_surface(const Rig& rig, std::span<const std::uint8_t> carrying = {});

/// The data that all binding of one rig shares, built once: the surface, and the solid voxel grid on first
/// use.
class BindingContext {
 public:
  /// `voxels`: cells along the longest side of the body; 0: chosen by mesh and bones. Fails as make_surface.
  static Result<BindingContext> make(const Rig& rig, int voxels, const Progress* progress,
                                     std::span<const std::uint8_t> carrying = {});

  const Surface& surface() const { return surface_; }
  BindInput input() const { return surface_.input(); }
  int voxels() const { return voxels_; }
  const Progress* progress() const { return progress_; }
  Result<const BoneBody*> body();
  /// The body for elastic solves: the same, or, where no resolution was given, one of elastic_cells.
  Result<const BoneBody*> elastic_body();
  /// The body for elastic weights: coarser still (elastic_weight_cells), unless a resolution was given.
  Result<const BoneBody*> weight_body();
  /// Swing and twist weights on weight_body() by an elastic method and its settings (elastic_options()), which
  /// skin weights and joint weights are both made of.
  Result<const GridJointWeights*> joint_weights(const std::string& method, const Settings& settings);

 private:
  Result<const BoneBody*> body_of(std::size_t cells, std::optional<BoneBody>& kept);

  Surface surface_;
  int voxels_ = 0;
  const Progress* progress_ = nullptr;
  std::optional<BoneBody> body_, elastic_body_, weight_body_;
  std::shared_ptr<const GridJointWeights> joint_weights_;  // of the last method and settings
  std::pair<std::string, Settings> joint_method_;
};

}  // namespace sinew
