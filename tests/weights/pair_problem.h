// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "weights/bent_limb.h"
#include "weights/pair_energy.h"

namespace sinew::test {

// Two joints of a limb with weights that vary along it, and some fields of either, at pairs of rotations.
struct PairProblem {
  BentLimb limb{0.5};
  Corotational model{limb.grid};
  std::vector<std::uint8_t> fixed;
  Eigen::MatrixXd swing, twist;
  std::vector<GridField> fields{3};
  std::vector<std::uint32_t> vertices;
  FleshOptions options;
  std::vector<weights_detail::PairTurns> turns;

  PairProblem() {
    swing.setZero(static_cast<Eigen::Index>(limb.grid.vertex_count()), 3);
    for (std::uint32_t v = 0; v < limb.grid.vertex_count(); ++v) {
      vertices.push_back(v);
      fixed.push_back(limb.handles.of_vertex[v] >= 0);
      const double z = limb.grid.vertex_position(v).z();
      swing(v, 1) = std::clamp(0.5 + (z + 0.75) / 3, 0.0, 1.0);
      swing(v, 2) = std::clamp(0.5 + (z - 0.75) / 3, 0.0, 1.0);
      if (fixed[v]) continue;
      fields[2].vertices.push_back(v);
      if (v % 3 != 0) fields[1].vertices.push_back(v);
    }
    twist = swing.array().square();
    for (const std::size_t j : {1, 2}) {
      GridField& field = fields[j];
      field.values = Eigen::MatrixXf::Constant(static_cast<Eigen::Index>(field.vertices.size()), 6, 0.1f);
      field.values.col(j == 1 ? 3 : 1).setLinSpaced(-0.1f, 0.1f);
      field.mixes = GridField::Mixes::Constant(2, kTurnFunctions, 0.05f);
      for (Eigen::Index f = 0; f < field.mixes.cols() && j == 1; ++f)
        field.mixes(f % 2, f) -= 0.01f * static_cast<float>(f % 7);
    }
    for (int k = 0; k < 16; ++k)
      turns.push_back({Vec3(std::cos(k), std::sin(2 * k), 0.15 * k - 1.1),
                       Vec3(std::sin(k), 0.8 * std::cos(3 * k), 0.9 - 0.12 * k)});
  }
  weights_detail::FittedJoints joints() const { return {swing, twist, fields, limb.frames, options}; }

  // Composed joints and fields in double precision, at one pair of rotations. pair: a field of one of the joints that
  // both drive.
  GridPositions posed(std::size_t k, const weights_detail::Fields& pair, bool of_child) const {
    const std::array<Vec3, 3> turn{Vec3::Zero(), turns[k].parent, turns[k].child};
    const std::vector<JointMove> moves = limb.moves(turn[2], turn[1]);
    GridPositions at = model.rest();
    for (const std::size_t j : {1, 2}) {
      for (std::size_t r = 0; r < fields[j].vertices.size(); ++r) {
        const auto v = static_cast<Eigen::Index>(fields[j].vertices[r]);
        const TurnValues values = turn_functions(turn[j], twist(v, static_cast<Eigen::Index>(j)));
        for (Eigen::Index m = 0; m < fields[j].mixes.rows(); ++m)
          for (std::size_t f = 0; f < kTurnFunctions; ++f)
            at.row(v) += static_cast<double>(fields[j].mixes(m, static_cast<Eigen::Index>(f))) * values[f] *
                         fields[j].values.row(static_cast<Eigen::Index>(r)).segment<3>(3 * m).cast<double>();
      }
    }
    const Vec3 &own = turn[of_child ? 2 : 1], &partner = turn[of_child ? 1 : 2];
    const TurnValues factors = pair_factors(own, partner);
    for (Eigen::Index v = 0; v < at.rows(); ++v) {
      const double angle = own.z() * twist(v, of_child ? 2 : 1);
      const auto harmonics = TurnParts(own).harmonics(std::cos(angle), std::sin(angle));
      for (std::size_t f = 0; f < kTurnFunctions; ++f)
        at.row(v) += factors[f] * harmonics[kHarmonicOf[f]] *
                     pair.row(v).segment<3>(static_cast<Eigen::Index>(3 * f)).cast<double>();
      for (const Eigen::Index j : {2, 1})
        at.row(v) =
            (moves[static_cast<std::size_t>(j)].part(swing(v, j), twist(v, j)) * Vec3(at.row(v))).transpose();
    }
    return at;
  }
};

}  // namespace sinew::test
