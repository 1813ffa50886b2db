// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "pipeline/compare_reference.h"
#include "pipeline/compare_runner.h"
#include "pipeline/compare_weights.h"
#include "sinew/volume/multigrid.h"

namespace sinew {

// One pair: its mesh and, where the weights have a volume form, its grid.
struct Contestant {
  MethodPair pair;
  Runner mesh;
  std::optional<Runner> grid;
};

// A rig, whole or a piece, in a solid voxel grid of its own, with its elastic reference and all pairs.
class Arena {
 public:
  using MakeBody = std::function<Result<BoneBody>(const BindInput&)>;
  // decided: of a piece, per vertex how much the piece decides, which is nothing at its rim; or empty.
  static Result<std::unique_ptr<Arena>> open(Rig rig, const MakeBody& make_body, const Progress* progress,
                                             std::vector<double> decided = {});
  // Makes every pair.
  Result<void> enlist(std::span<const MethodPair> pairs, const CompareRequest& request);

  const Rig& rig() const { return rig_; }
  const Surface& surface() const { return surface_; }
  std::span<const double> decided() const { return decided_; }
  const VoxelGrid& grid() const { return setup_.grid; }
  const BoneBody& body() const { return body_; }
  const ElasticSetup& setup() const { return setup_; }
  // Whether every bone lies in the body and every part of the body has a bone.
  bool hangs_together() const;
  const CompareReference& reference() const { return *reference_; }
  std::span<const Contestant> contestants() const { return contestants_; }

  // Times are those of `clock`, in its pose.
  Result<PoseFigures> judge(const ComparePose& pose, bool keep, const Arena& clock,
                            const ComparePose& clock_pose, const Progress* progress);

  // The grid's vertices as a contestant with a grid has them; bones as posed.
  GridPositions posed_grid(const Contestant& one, const ComparePose& pose, Runner::Memory& memory) const;

 private:
  GridPositions extend(const ComparePose& pose, const std::vector<Vec3>& mesh);
  std::vector<Vec3> to_mesh(const GridPositions& v) const;

  Rig rig_;
  std::vector<double> decided_;
  Surface surface_;
  BoneBody body_;
  ElasticSetup setup_;
  std::unique_ptr<CompareReference> reference_;
  std::optional<CompareReference::Band> band_;  // of the pose before
  std::unique_ptr<Multigrid> extension_;
  std::optional<WeightSets> sets_;
  TriangleView view_;
  double diagonal_ = 1, volume_ = 0;
  std::vector<Contestant> contestants_;
  std::size_t posed_ = 0;  // of them, that are judged in poses: the first
};

}  // namespace sinew
