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

// The elastic energy of flesh around one joint that turns alone, for many rotations of it at once: eight of
// them share every operation, in single precision. All positions are in the joint's frame, where a twist
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

 private:
  void pose(const Fields* fields);
  std::vector<double> stretch(bool pull);

  const Corotational* model_;
  std::span<const std::uint8_t> fixed_;
  std::vector<float> rest_, swing_;  // 3 and 1 a vertex
  std::vector<Vec3> turns_;
  std::size_t lanes_ = 0;             // rotations, filled up to whole packs
  std::vector<float> parts_;          // of the rotations, lanes_ each: see Part in the kernel
  std::vector<float> cosine_, sine_;  // of the twist at each vertex, lanes_ a vertex
  std::vector<float> scale_;          // of the rotations
  std::vector<float> at_, force_;     // pack by pack; see place() in the kernel
};

}  // namespace sinew::weights_detail
