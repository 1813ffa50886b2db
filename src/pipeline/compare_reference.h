// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pipeline/compare_poses.h"
#include "sinew/deform/elastic.h"
#include "sinew/volume/subgrid.h"

namespace sinew {

// The elastic reference of poses in one voxel grid. A pose is solved where it bends flesh: in the cells in
// which the harmonic weight of what lies below one of the joints that it turns is neither 0 nor 1. All others
// move with one joint and cost nothing.
class CompareReference {
 public:
  // The setup's grid is the body. It and the rest are kept by reference.
  CompareReference(const ElasticSetup& setup, std::span<const int> parents);

  const Corotational& model() const { return model_; }  // of the whole body
  std::span<const int> joint_of_vertex() const { return setup_->joint_of_vertex; }

  // The part of the body that bends when these joints turn (bones, ascending).
  struct Band {
    std::vector<std::size_t> joints;
    std::unique_ptr<const SubGrid> part;  // the body refers to its grid
    std::vector<std::uint8_t> fixed;      // per vertex of the part
    std::vector<int> carrier;           // per vertex of the whole: the joint that moves it, kUnmoved or kFree
    std::unique_ptr<ElasticBody> body;  // null where nothing is free
  };
  static constexpr int kUnmoved = -1, kFree = -2;
  // The joints that a pose turns against what is above them.
  std::vector<std::size_t> turned(const ComparePose& pose) const;
  Result<Band> band(std::vector<std::size_t> joints) const;
  // The same with what else is held: per vertex of the whole a carrier, or kFree.
  Result<Band> band(std::vector<std::size_t> joints, std::vector<int> carrier) const;

  // Bone vertices where the pose has them, whatever a method made of them: all are judged on the flesh.
  void hold_bones(const ComparePose& pose, GridPositions& v) const;

  // The elastic body of a band that is not empty, with springs on the vertices of the part.
  Result<ElasticBody> sprung_body(const Band& band, ElasticSprings springs) const;
  // From `start`, of the whole body; only what is free of it counts. body: instead of the band's own, or null.
  ElasticBody::Solution solve(const Band& band, const ComparePose& pose, const GridPositions& start,
                              const ElasticOptions& options, const ElasticBody* body = nullptr) const;

 private:
  std::vector<float> stiffness_of(const SubGrid& part) const;

  const ElasticSetup* setup_;
  std::span<const int> parents_;
  std::vector<std::vector<std::uint8_t>> below_;  // per bone: of bones_below
  Corotational model_;
};

}  // namespace sinew
