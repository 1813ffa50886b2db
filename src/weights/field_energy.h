// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/rig/turn_functions.h"
#include "sinew/volume/corotational.h"

namespace sinew::weights_detail {

// Fields of one joint: a row a vertex, three columns (x, y, z of the joint's frame) a function.
using Fields = Eigen::Matrix<float, Eigen::Dynamic, 3 * kTurnFunctions, Eigen::RowMajor>;

// Rotations of a joint as the kernel takes them, filled up to whole packs by rest.
struct TurnLanes {
  std::size_t lanes = 0;
  std::vector<float> parts, angles;  // see Part in the kernel; of the twists

  explicit TurnLanes(std::size_t turns);
  void put(std::size_t k, const Vec3& turn, const TurnValues& factors);
  // What vertices see of the twists.
  void twist(const Eigen::VectorXd& share, std::vector<float>& cosine, std::vector<float>& sine) const;
};

// The energy of cells at many poses, which lie as place() of the kernel says, and where the search for the cells'
// rotations starts next time.
class CellSpins {
 public:
  // Of `count` poses. Where `force` is not null, it becomes the gradient by the positions.
  std::vector<double> stretch(const Corotational& model, std::size_t count, const std::vector<float>& at,
                              std::vector<float>* force);

 private:
  std::vector<float> spins_;
};

// The elastic energy of flesh around one joint that turns alone, for many rotations of it at once: up to
// sixteen of them share every operation, in single precision. All positions are in the joint's frame, where a twist
// turns x and y.
class FieldEnergy {
 public:
  // rest: of the band, in the joint's frame. What is given is kept by reference.
  FieldEnergy(const Corotational& model, std::span<const std::uint8_t> fixed, const GridPositions& rest,
              const Eigen::VectorXd& swing, const Eigen::VectorXd& twist, std::span<const Vec3> turns);

  std::size_t turns() const { return turns_.size(); }

  // The energy at every rotation; `fields` may be null: none.
  std::vector<double> energies(const Fields* fields);
  // The sum of scale times energy over the rotations, and its gradient by the fields: 0 at fixed vertices.
  double evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient);
  // The posed vertices of the last call, at one of the rotations.
  GridPositions posed(std::size_t turn) const;
  const std::vector<float>& posed() const { return at_; }  // all, as place() of the kernel says

 private:
  void pose(const Fields* fields);

  const Corotational* model_;
  std::span<const std::uint8_t> fixed_;
  std::vector<float> rest_, swing_;  // 3 and 1 a vertex
  std::vector<Vec3> turns_;
  TurnLanes lanes_;
  std::vector<float> cosine_, sine_;  // of the twist at each vertex, for every lane
  std::vector<float> scale_;          // of the rotations
  std::vector<float> at_, force_;     // pack by pack; see place() in the kernel
  CellSpins spins_;
};

}  // namespace sinew::weights_detail
