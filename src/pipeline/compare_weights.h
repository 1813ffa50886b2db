// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "sinew/binding/surface.h"
#include "sinew/pipeline/compare.h"
#include "sinew/volume/trilinear.h"
#include "sinew/weights/flesh.h"

namespace sinew {

// The rig twice with the same weights: as its mesh, and as the points of its voxel grid.
struct WeightSet {
  std::string name;
  Rig mesh;
  Rig grid;             // no faces; without vertices where the weights live on the surface alone
  bool volume = false;  // whether `grid` is there
};

// Makes weight sets for one body; what they share is made once.
class WeightSets {
 public:
  static Result<WeightSets> build(const Rig& rig, const Surface& surface, const BoneBody& body,
                                  const CompareRequest& request);
  // kUsage: no such method.
  Result<WeightSet> make(const std::string& name) const;

  // The rig as it is; of its flesh nothing is known within the body.
  static constexpr std::string_view kStored = "stored";

  // Flesh on the grid, solved as for the rig's own, and on the mesh, as it is stored where the rig has some.
  Result<void> add_flesh(WeightSet& set) const;

  const TrilinearWeights& transfer() const { return transfer_; }  // from the grid to welded vertices

 private:
  WeightSets(const Rig& rig, const Surface& surface, const BoneBody& body, const CompareRequest& request)
      : rig_(&rig), surface_(&surface), body_(&body), request_(request) {}

  struct Rows;
  WeightSet from_rows(const std::string& name, const Rows& rows) const;
  FleshOptions flesh_options() const;

  const Rig* rig_;
  const Surface* surface_;
  const BoneBody* body_;
  CompareRequest request_;
  Eigen::MatrixXd deformer_;   // deformer weights d on the grid
  TrilinearWeights transfer_;  // for the welded vertices as they are
  TrilinearWeights led_;       // for the points that lead them (islands follow the body)
};

}  // namespace sinew
