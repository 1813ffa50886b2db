// SPDX-License-Identifier: Apache-2.0
#include "weights/pair_energy.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "weights/field_energy_kernel.h"
#include "weights/field_modes.h"

namespace sinew::weights_detail {
namespace {

// The fields that a joint has alone at these vertices, a row each; nothing where there are none.
Fields rows_of(const GridField& field, std::span<const std::uint32_t> vertices) {
  if (field.mixes.rows() == 0) return {};
  std::vector<Eigen::Index> rows;
  std::vector<std::size_t> places;
  auto at = field.vertices.begin();
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    at = std::lower_bound(at, field.vertices.end(), vertices[v]);
    if (at == field.vertices.end()) break;
    if (*at != vertices[v]) continue;
    rows.push_back(at - field.vertices.begin());
    places.push_back(v);
  }
  const Fields known = fields_of(field.values(rows, Eigen::all), field.mixes);
  Fields all =
      Fields::Zero(static_cast<Eigen::Index>(vertices.size()), 3 * static_cast<Eigen::Index>(kTurnFunctions));
  for (std::size_t r = 0; r < places.size(); ++r)
    all.row(static_cast<Eigen::Index>(places[r])) = known.row(static_cast<Eigen::Index>(r));
  return all;
}

}  // namespace

MovedVertices FittedJoints::moved(const JointPair& pair, std::span<const std::uint32_t> vertices,
                                  const GridPositions& rest, std::span<const PairTurns> turns) const {
  struct Joint {
    std::vector<float> swing, twist;
    Fields fields;
    TurnLanes lanes;
  };
  const std::size_t n = vertices.size();
  MovedVertices out{n, turns.size(), 0, frames[pair.parent].origin, {}, {}};
  const GridPositions from_origin = rest.rowwise() - out.origin.transpose();
  const Eigen::Matrix<float, Eigen::Dynamic, 3, Eigen::RowMajor> places = from_origin.cast<float>();
  std::vector<Joint> joints;
  MovingInput in{n, 0, places.data(), {}};
  for (const bool child : {true, false}) {
    const std::size_t bone = child ? pair.child : pair.parent;
    Joint joint{{}, {}, rows_of(fields[bone], vertices), TurnLanes(turns.size())};
    for (const std::uint32_t v : vertices) {
      joint.swing.push_back(static_cast<float>(swing(v, static_cast<Eigen::Index>(bone))));
      joint.twist.push_back(static_cast<float>(twist(v, static_cast<Eigen::Index>(bone))));
    }
    for (std::size_t k = 0; k < turns.size(); ++k) {
      const Vec3& turn = child ? turns[k].child : turns[k].parent;
      joint.lanes.put(k, turn, TurnParts(turn).factors);
    }
    joints.push_back(std::move(joint));
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    MovingJoint& to = in.joints[j];
    const JointFrame& frame = frames[j == 0 ? pair.child : pair.parent];
    for (std::size_t c = 0; c < 3; ++c) {
      const auto column = static_cast<Eigen::Index>(c);
      to.centre[c] = static_cast<float>(frame.origin[column] - out.origin[column]);
      for (std::size_t r = 0; r < 3; ++r)
        to.axes[3 * c + r] = static_cast<float>(frame.axes(static_cast<Eigen::Index>(r), column));
    }
    to.swing = joint.swing.data();
    to.twist = joint.twist.data();
    to.parts = joint.lanes.parts.data();
    to.turned = joint.lanes.angles.data();
    to.fields = joint.fields.size() > 0 ? joint.fields.data() : nullptr;
    in.lanes = out.lanes = joint.lanes.lanes;
  }
  out.base.resize(3 * n * out.lanes);
  out.maps.resize(9 * n * out.lanes);
  move_vertices(in, out.base.data(), out.maps.data());
  return out;
}

std::vector<TurnValues> pair_functions(bool child, std::span<const PairTurns> turns) {
  std::vector<TurnValues> values;
  for (const PairTurns& turn : turns) {
    const Vec3 &own = child ? turn.child : turn.parent, &partner = child ? turn.parent : turn.child;
    values.push_back(pair_factors(own, partner));
    const auto harmonics = TurnParts(own).harmonics(1, 0);
    for (std::size_t f = 0; f < kTurnFunctions; ++f) values.back()[f] *= harmonics[kHarmonicOf[f]];
  }
  return values;
}

PairEnergy::PairEnergy(const Corotational& model, std::span<const std::uint8_t> fixed, MovedVertices moved)
    : model_(&model), fixed_(fixed), moved_(std::move(moved)), lanes_(moved_.turns) {
  assert(fixed_.size() == moved_.count);
  cosine_.assign(moved_.count * moved_.lanes, 1.0f);
  sine_.assign(moved_.count * moved_.lanes, 0.0f);
  scale_.assign(moved_.lanes, 0.0f);
  at_.resize(3 * moved_.count * moved_.lanes);
}

void PairEnergy::drive(bool child, const Eigen::VectorXd& twist, std::span<const PairTurns> turns) {
  assert(turns.size() == moved_.turns);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const Vec3 &own = child ? turns[k].child : turns[k].parent,
               &partner = child ? turns[k].parent : turns[k].child;
    lanes_.put(k, own, pair_factors(own, partner));
  }
  lanes_.twist(twist, cosine_, sine_);
}

void PairEnergy::pose(const Fields* fields) {
  pose_moved({moved_.count, moved_.lanes, moved_.base.data(), moved_.maps.data(), lanes_.parts.data(),
              cosine_.data(), sine_.data(), fixed_.data(), fields ? fields->data() : nullptr},
             at_.data());
}

std::vector<double> PairEnergy::energies(const Fields* fields) {
  pose(fields);
  return spins_.stretch(*model_, moved_.turns, at_, nullptr);
}

double PairEnergy::evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient) {
  assert(scales.size() == moved_.turns);
  pose(&fields);
  const std::vector<double> sums = spins_.stretch(*model_, moved_.turns, at_, &force_);
  double energy = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    energy += scales[k] * sums[k];
    scale_[k] = static_cast<float>(scales[k]);
  }
  gradient.resize(static_cast<Eigen::Index>(moved_.count), 3 * kTurnFunctions);
  pull_moved({moved_.count, moved_.lanes, moved_.base.data(), moved_.maps.data(), lanes_.parts.data(),
              cosine_.data(), sine_.data(), fixed_.data(), fields.data()},
             force_.data(), scale_.data(), gradient.data());
  return energy;
}

GridPositions PairEnergy::posed(std::size_t turn) const {
  GridPositions v(static_cast<Eigen::Index>(moved_.count), 3);
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    for (Eigen::Index c = 0; c < 3; ++c)
      v(i, c) = moved_.origin[c] +
                static_cast<double>(at_[place(turn - turn % kPack, moved_.count, static_cast<std::size_t>(i),
                                              static_cast<std::size_t>(c)) +
                                        turn % kPack]);
  return v;
}

}  // namespace sinew::weights_detail
