// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/rig/composed_joints.h"
#include "sinew/weights/flesh.h"
#include "weights/field_energy.h"

namespace sinew::weights_detail {

// A joint and the one above it, which are fitted each alone, and rotations of both at a time.
struct JointPair {
  std::size_t child = 0, parent = 0;
};
struct PairTurns {
  Vec3 child, parent;
};

// Vertices at pairs of rotations, where what is known so far takes them, and what becomes there of a shift at
// rest; both as place() of the kernel says. From `origin`, so that floats do for a body far away.
struct MovedVertices {
  std::size_t count = 0, turns = 0, lanes = 0;  // lanes: turns, filled up to whole packs
  Vec3 origin = Vec3::Zero();
  std::vector<float> base, maps;
};

// What the joints of a grid have by now.
struct FittedJoints {
  const Eigen::MatrixXd &swing, &twist;  // grid vertices x bones
  std::span<const GridField> fields;     // per bone
  std::span<const JointFrame> frames;
  const FleshOptions& options;

  // vertices: of the grid, ascending, at `rest`.
  MovedVertices moved(const JointPair& pair, std::span<const std::uint32_t> vertices,
                      const GridPositions& rest, std::span<const PairTurns> turns) const;
};

// The values of the functions by which two joints drive a field of one of them, for flesh that is not twisted.
std::vector<TurnValues> pair_functions(bool child, std::span<const PairTurns> turns);

// As FieldEnergy, for fields that two joints drive which turn together. In world axes.
class PairEnergy {
 public:
  // What is given is kept by reference, but for `moved`.
  PairEnergy(const Corotational& model, std::span<const std::uint8_t> fixed, MovedVertices moved);

  // Fields of the child, which the parent drives too, or the other way; twist: of the joint with the field, at
  // the vertices.
  void drive(bool child, const Eigen::VectorXd& twist, std::span<const PairTurns> turns);
  std::vector<double> energies(const Fields* fields);
  double evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient);
  GridPositions posed(std::size_t turn) const;
  const std::vector<float>& posed() const {
    return at_;
  }  // all, as place() of the kernel says, from the origin

 private:
  void pose(const Fields* fields);

  const Corotational* model_;
  std::span<const std::uint8_t> fixed_;
  MovedVertices moved_;
  TurnLanes lanes_;
  std::vector<float> cosine_, sine_, scale_, at_, force_;  // as of FieldEnergy
  CellSpins spins_;
};

}  // namespace sinew::weights_detail
