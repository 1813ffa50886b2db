// SPDX-License-Identifier: Apache-2.0
#include "weights/field_energy.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "weights/field_energy_kernel.h"

namespace sinew::weights_detail {
FieldEnergy::FieldEnergy(const Corotational& model, std::span<const std::uint8_t> fixed,
                         const GridPositions& rest, const Eigen::VectorXd& swing,
                         const Eigen::VectorXd& twist, std::span<const Vec3> turns)
    : model_(&model),
      fixed_(fixed),
      rest_(static_cast<std::size_t>(rest.size())),
      swing_(static_cast<std::size_t>(swing.size())),
      turns_(turns.begin(), turns.end()),
      lanes_((turns.size() + kPack - 1) / kPack * kPack) {
  assert(!turns.empty() && lanes_ <= kMostLanes);
  std::transform(rest.data(), rest.data() + rest.size(), rest_.begin(),
                 [](double x) { return static_cast<float>(x); });
  std::transform(swing.begin(), swing.end(), swing_.begin(), [](double x) { return static_cast<float>(x); });
  const std::size_t n = fixed.size();
  parts_.assign(kParts * lanes_, 0.0f);
  cosine_.assign(n * lanes_, 1.0f);
  sine_.assign(n * lanes_, 0.0f);
  scale_.assign(lanes_, 0.0f);
  at_.resize(3 * n * lanes_);
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const TurnParts parts(turns_[k]);
    const auto put = [&](std::size_t p, double value) { parts_[p * lanes_ + k] = static_cast<float>(value); };
    put(kCosine, parts.cosine);
    put(kSine, parts.sine);
    for (std::size_t f = 0; f < kTurnFunctions; ++f) put(kFactors + f, parts.factors[f]);
    const double angle = std::hypot(turns_[k].x(), turns_[k].y());
    const Mat3 swung = Eigen::AngleAxisd(angle, Vec3(parts.cosine, parts.sine, 0)).toRotationMatrix();
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        put(kSwing + 3 * r + c, swung(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) - (r == c));
    for (std::size_t i = 0; i < n; ++i) {
      const double angle_here = turns_[k].z() * twist[static_cast<Eigen::Index>(i)];
      cosine_[i * lanes_ + k] = static_cast<float>(std::cos(angle_here));
      sine_[i * lanes_ + k] = static_cast<float>(std::sin(angle_here));
    }
  }
}

void FieldEnergy::pose(const Fields* fields) {
  const PoseInput in{fixed_.size(), lanes_,        rest_.data(),
                     swing_.data(), parts_.data(), cosine_.data(),
                     sine_.data(),  fixed_.data(), fields ? fields->data() : nullptr};
  pose_vertices(in, at_.data());
}

std::vector<double> FieldEnergy::stretch(bool pull) {
  if (pull) force_.assign(at_.size(), 0.0f);
  const CellInput in{model_->corners(), model_->stiffness(), fixed_.size(), lanes_,
                     static_cast<float>(model_->grid().cell_size())};
  std::vector<double> sums(lanes_, 0.0);
  stretch_cells(in, at_.data(), pull ? force_.data() : nullptr, sums.data());
  sums.resize(turns_.size());
  return sums;
}

std::vector<double> FieldEnergy::energies(const Fields* fields) {
  pose(fields);
  return stretch(false);
}

double FieldEnergy::evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient) {
  assert(scales.size() == turns_.size());
  pose(&fields);
  const std::vector<double> sums = stretch(true);
  double energy = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    energy += scales[k] * sums[k];
    scale_[k] = static_cast<float>(scales[k]);
  }
  gradient.resize(static_cast<Eigen::Index>(fixed_.size()), 3 * kTurnFunctions);
  const PoseInput in{fixed_.size(),  lanes_,       rest_.data(),  swing_.data(), parts_.data(),
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
