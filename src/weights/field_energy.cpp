// SPDX-License-Identifier: Apache-2.0
#include "weights/field_energy.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "weights/field_energy_kernel.h"

namespace sinew::weights_detail {

std::vector<double> CellSpins::stretch(const Corotational& model, std::size_t count,
                                       const std::vector<float>& at, std::vector<float>* force) {
  const std::size_t vertices = static_cast<std::size_t>(model.rest().rows()),
                    lanes = at.size() / (3 * vertices);
  const bool known = !spins_.empty();
  spins_.resize(4 * model.corners().size() * lanes);
  if (force) force->assign(at.size(), 0.0f);
  std::vector<double> sums(lanes, 0.0);
  stretch_cells({model.corners(), model.stiffness(), vertices, (count + kHalf - 1) / kHalf * kHalf,
                 static_cast<float>(model.grid().cell_size()), spins_.data(), known},
                at.data(), force ? force->data() : nullptr, sums.data());
  sums.resize(count);
  return sums;
}

TurnLanes::TurnLanes(std::size_t turns) : lanes((turns + kPack - 1) / kPack * kPack) {
  assert(turns > 0 && lanes <= kMostLanes);
  parts.assign(kParts * lanes, 0.0f);
  angles.assign(lanes, 0.0f);
}

void TurnLanes::put(std::size_t k, const Vec3& turn, const TurnValues& factors) {
  const TurnParts of(turn);
  const auto set = [&](std::size_t p, double value) { parts[p * lanes + k] = static_cast<float>(value); };
  set(kCosine, of.cosine);
  set(kSine, of.sine);
  for (std::size_t f = 0; f < kTurnFunctions; ++f) set(kFactors + f, factors[f]);
  const double angle = std::hypot(turn.x(), turn.y());
  const Mat3 swung = Eigen::AngleAxisd(angle, Vec3(of.cosine, of.sine, 0)).toRotationMatrix();
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      set(kSwing + 3 * r + c, swung(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) - (r == c));
  angles[k] = static_cast<float>(turn.z());
}

void TurnLanes::twist(const Eigen::VectorXd& share, std::vector<float>& cosine,
                      std::vector<float>& sine) const {
  const Eigen::VectorXf shares = share.cast<float>();
  const auto n = static_cast<std::size_t>(shares.size());
  cosine.resize(n * lanes);
  sine.resize(n * lanes);
  twist_vertices(n, lanes, shares.data(), angles.data(), cosine.data(), sine.data());
}

FieldEnergy::FieldEnergy(const Corotational& model, std::span<const std::uint8_t> fixed,
                         const GridPositions& rest, const Eigen::VectorXd& swing,
                         const Eigen::VectorXd& twist, std::span<const Vec3> turns)
    : model_(&model),
      fixed_(fixed),
      rest_(static_cast<std::size_t>(rest.size())),
      swing_(static_cast<std::size_t>(swing.size())),
      turns_(turns.begin(), turns.end()),
      lanes_(turns.size()) {
  std::transform(rest.data(), rest.data() + rest.size(), rest_.begin(),
                 [](double x) { return static_cast<float>(x); });
  std::transform(swing.begin(), swing.end(), swing_.begin(), [](double x) { return static_cast<float>(x); });
  for (std::size_t k = 0; k < turns_.size(); ++k) lanes_.put(k, turns_[k], TurnParts(turns_[k]).factors);
  lanes_.twist(twist, cosine_, sine_);
  scale_.assign(lanes_.lanes, 0.0f);
  at_.resize(3 * fixed.size() * lanes_.lanes);
}

void FieldEnergy::pose(const Fields* fields) {
  const PoseInput in{fixed_.size(), lanes_.lanes,        rest_.data(),
                     swing_.data(), lanes_.parts.data(), cosine_.data(),
                     sine_.data(),  fixed_.data(),       fields ? fields->data() : nullptr};
  pose_vertices(in, at_.data());
}

std::vector<double> FieldEnergy::energies(const Fields* fields) {
  pose(fields);
  return spins_.stretch(*model_, turns_.size(), at_, nullptr);
}

double FieldEnergy::evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient) {
  assert(scales.size() == turns_.size());
  pose(&fields);
  const std::vector<double> sums = spins_.stretch(*model_, turns_.size(), at_, &force_);
  double energy = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    energy += scales[k] * sums[k];
    scale_[k] = static_cast<float>(scales[k]);
  }
  gradient.resize(static_cast<Eigen::Index>(fixed_.size()), 3 * kTurnFunctions);
  const PoseInput in{fixed_.size(),  lanes_.lanes, rest_.data(),  swing_.data(), lanes_.parts.data(),
                     cosine_.data(), sine_.data(), fixed_.data(), fields.data()};
  pull_fields(in, force_.data(), scale_.data(), gradient.data());
  return energy;
}

GridPositions FieldEnergy::posed(std::size_t turn) const {
  GridPositions v(static_cast<Eigen::Index>(fixed_.size()), 3);
  for (Eigen::Index i = 0; i < v.rows(); ++i)
    for (Eigen::Index c = 0; c < 3; ++c)
      v(i, c) = static_cast<double>(at_[place(turn - turn % kPack, fixed_.size(), static_cast<std::size_t>(i),
                                              static_cast<std::size_t>(c)) +
                                        turn % kPack]);
  return v;
}

}  // namespace sinew::weights_detail
