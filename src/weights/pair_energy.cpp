// SPDX-License-Identifier: Apache-2.0
#include "weights/pair_energy.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "weights/field_energy_kernel.h"

namespace sinew::weights_detail {
namespace {

Mat3 cross_of(const Vec3& axis) {
  Mat3 m;
  m << 0, -axis.z(), axis.y(), axis.z(), 0, -axis.x(), -axis.y(), axis.x(), 0;
  return m;
}

// JointMove::part of one rotation, for many vertices.
struct PartMaker {
  Vec3 centre;
  Mat3 swing, around, square;  // less the identity; of the axis

  PartMaker(const JointFrame& frame, const Vec3& turn)
      : centre(frame.origin),
        swing(rotation_of(frame, {turn.x(), turn.y(), 0}) - Mat3::Identity()),
        around(cross_of(frame.axes.col(2))),
        square(around * around) {}
  Mat3 linear(double s, double cosine, double sine) const {
    return (Mat3::Identity() + s * swing) * (Mat3::Identity() + sine * around + (1 - cosine) * square);
  }
};

// What a joint's own field adds at rest to vertices that see this much of its twist.
class OwnField {
 public:
  OwnField(const GridField& field, std::span<const std::uint32_t> vertices)
      : field_(&field), rows_(vertices.size(), -1) {
    if (field.mixes.rows() == 0) return;
    values_ = field.values;
    auto at = field.vertices.begin();
    for (std::size_t v = 0; v < vertices.size(); ++v) {
      at = std::lower_bound(at, field.vertices.end(), vertices[v]);
      if (at != field.vertices.end() && *at == vertices[v]) rows_[v] = at - field.vertices.begin();
    }
  }
  void turn(const Vec3& turn) {
    parts_ = TurnParts(turn);
    amounts_.setZero(field_->mixes.rows(), kTurnHarmonics);
    for (Eigen::Index f = 0; f < static_cast<Eigen::Index>(kTurnFunctions) && amounts_.rows() > 0; ++f)
      amounts_.col(kHarmonicOf[static_cast<std::size_t>(f)]) +=
          static_cast<float>(parts_.factors[static_cast<std::size_t>(f)]) * field_->mixes.col(f);
  }
  // At a vertex that is twisted by an angle of this cosine and sine.
  Vec3 shift(std::size_t vertex, double cosine, double sine) const {
    Vec3 sum = Vec3::Zero();
    const std::int64_t row = rows_[vertex];
    if (row < 0) return sum;
    const auto harmonics = parts_.harmonics(cosine, sine);
    Eigen::Matrix<float, kTurnHarmonics, 1> of;
    for (std::size_t h = 0; h < kTurnHarmonics; ++h)
      of[static_cast<Eigen::Index>(h)] = static_cast<float>(harmonics[h]);
    for (Eigen::Index m = 0; m < amounts_.rows(); ++m)
      sum += static_cast<double>(amounts_.row(m).dot(of)) *
             values_.row(row).segment<3>(3 * m).transpose().cast<double>();
    return sum;
  }

 private:
  const GridField* field_;
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values_;  // a vertex's lie together
  std::vector<std::int64_t> rows_;
  TurnParts parts_{Vec3::Zero()};
  Eigen::Matrix<float, Eigen::Dynamic, kTurnHarmonics, Eigen::RowMajor> amounts_;
};

}  // namespace

MovedVertices FittedJoints::moved(const JointPair& pair, std::span<const std::uint32_t> vertices,
                                  const GridPositions& rest, std::span<const PairTurns> turns) const {
  assert(turns.size() % kPack == 0 && turns.size() <= kMostLanes);
  const std::size_t n = vertices.size();
  MovedVertices out{n, turns.size(), frames[pair.parent].origin, std::vector<float>(3 * n * turns.size()),
                    std::vector<float>(9 * n * turns.size())};
  const std::array<std::size_t, 2> joints{pair.child, pair.parent};
  std::array<OwnField, 2> own{OwnField(fields[joints[0]], vertices), OwnField(fields[joints[1]], vertices)};
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const std::array<Vec3, 2> turn{turns[k].child, turns[k].parent};
    for (std::size_t j = 0; j < 2; ++j) own[j].turn(turn[j]);
    const std::array<PartMaker, 2> makers{PartMaker(frames[joints[0]], turn[0]),
                                          PartMaker(frames[joints[1]], turn[1])};
    for (std::size_t v = 0; v < n; ++v) {
      Vec3 x = rest.row(static_cast<Eigen::Index>(v)).transpose();
      std::array<double, 2> cosine, sine;
      for (std::size_t j = 0; j < 2; ++j) {
        const double angle = turn[j].z() * twist(vertices[v], static_cast<Eigen::Index>(joints[j]));
        cosine[j] = std::cos(angle);
        sine[j] = std::sin(angle);
        x += own[j].shift(v, cosine[j], sine[j]);
      }
      Mat3 map = Mat3::Identity();
      Vec3 y = x;
      for (std::size_t j = 0; j < 2; ++j) {
        const double s = swing(vertices[v], static_cast<Eigen::Index>(joints[j]));
        const Mat3 part = makers[j].linear(s, cosine[j], sine[j]);
        y = makers[j].centre + part * (y - makers[j].centre);
        map = part * map;
      }
      const std::size_t to = place(k - k % kPack, n, v, 0) + k % kPack;
      for (std::size_t r = 0; r < 3; ++r) {
        const auto row = static_cast<Eigen::Index>(r);
        out.base[to + r * kPack] = static_cast<float>(y[row] - out.origin[row]);
        for (std::size_t c = 0; c < 3; ++c)
          out.maps[3 * (to - k % kPack) + (3 * c + r) * kPack + k % kPack] =
              static_cast<float>(map(row, static_cast<Eigen::Index>(c)));
      }
    }
  }
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
    : model_(&model), fixed_(fixed), moved_(std::move(moved)) {
  const std::size_t lanes = moved_.lanes, n = moved_.count;
  assert(fixed_.size() == n);
  parts_.assign(kParts * lanes, 0.0f);
  cosine_.assign(n * lanes, 1.0f);
  sine_.assign(n * lanes, 0.0f);
  scale_.assign(lanes, 0.0f);
  at_.resize(3 * n * lanes);
}

void PairEnergy::drive(bool child, const Eigen::VectorXd& twist, std::span<const PairTurns> turns) {
  const std::size_t lanes = moved_.lanes, n = moved_.count;
  assert(turns.size() == lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    const Vec3 &own = child ? turns[k].child : turns[k].parent,
               &partner = child ? turns[k].parent : turns[k].child;
    const TurnParts parts(own);
    const TurnValues factors = pair_factors(own, partner);
    const auto put = [&](std::size_t p, double value) { parts_[p * lanes + k] = static_cast<float>(value); };
    put(kCosine, parts.cosine);
    put(kSine, parts.sine);
    for (std::size_t f = 0; f < kTurnFunctions; ++f) put(kFactors + f, factors[f]);
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = own.z() * twist[static_cast<Eigen::Index>(i)];
      cosine_[i * lanes + k] = static_cast<float>(std::cos(angle));
      sine_[i * lanes + k] = static_cast<float>(std::sin(angle));
    }
  }
}

std::vector<double> PairEnergy::stretch(const Fields* fields, bool pull) {
  pose_moved({moved_.count, moved_.lanes, moved_.base.data(), moved_.maps.data(), parts_.data(),
              cosine_.data(), sine_.data(), fixed_.data(), fields ? fields->data() : nullptr},
             at_.data());
  if (pull) force_.assign(at_.size(), 0.0f);
  const CellInput in{model_->corners(), model_->stiffness(), moved_.count, moved_.lanes,
                     static_cast<float>(model_->grid().cell_size())};
  std::vector<double> sums(moved_.lanes, 0.0);
  stretch_cells(in, at_.data(), pull ? force_.data() : nullptr, sums.data());
  return sums;
}

std::vector<double> PairEnergy::energies(const Fields* fields) {
  return stretch(fields, false);
}

double PairEnergy::evaluate(const Fields& fields, std::span<const double> scales, Fields& gradient) {
  assert(scales.size() == moved_.lanes);
  const std::vector<double> sums = stretch(&fields, true);
  double energy = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    energy += scales[k] * sums[k];
    scale_[k] = static_cast<float>(scales[k]);
  }
  gradient.resize(static_cast<Eigen::Index>(moved_.count), 3 * kTurnFunctions);
  pull_moved({moved_.count, moved_.lanes, moved_.base.data(), moved_.maps.data(), parts_.data(),
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
