// SPDX-License-Identifier: Apache-2.0
#include "weights/field_modes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "weights/field_energy_kernel.h"

namespace sinew::weights_detail {
namespace {

constexpr double kFieldDamping = 1e-3;  // of functions that the samples can hardly tell apart

using Wide = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Columns = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// One coordinate of what has three a function or mode.
template <class Matrix>
Columns every_third(const Matrix& of, Eigen::Index coordinate) {
  Columns one(of.rows(), of.cols() / 3);
  for (Eigen::Index k = 0; k < one.cols(); ++k) one.col(k) = of.col(3 * k + coordinate);
  return one;
}

}  // namespace

Eigen::MatrixXd function_products(std::span<const TurnValues> samples, std::span<const double> scales) {
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(kTurnFunctions, kTurnFunctions);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Eigen::Map<const Eigen::VectorXd> row(samples[k].data(), kTurnFunctions);
    products += scales[k] * row * row.transpose();
  }
  products.diagonal() *= 1 + kFieldDamping;
  return products;
}

Fields precondition_fields(const Multigrid& hierarchy, const Eigen::MatrixXf& inverse_products,
                           const Fields& gradient) {
  Fields d = hierarchy.precondition(gradient);
  Eigen::Matrix<float, kTurnFunctions, kMixWidth, Eigen::RowMajor> by;
  by.setZero();
  by.leftCols<kTurnFunctions>() = inverse_products;
  mix_functions(static_cast<std::size_t>(d.rows()), by.data(), d.data());
  return d;
}

Modes modes_that_matter(const Corotational& model, const Fields& fields, const Eigen::MatrixXd& products,
                        double budget) {
  constexpr auto kCount = static_cast<Eigen::Index>(kTurnFunctions);
  // A coordinate at a time.
  Eigen::MatrixXd energy = Eigen::MatrixXd::Zero(kCount, kCount);
  for (Eigen::Index c = 0; c < 3; ++c) {
    Wide one(fields.rows(), kCount);
    for (Eigen::Index f = 0; f < kCount; ++f) one.col(f) = fields.col(3 * f + c).cast<double>();
    const Wide pulled = model.matrix() * one;
    energy.noalias() += 0.5 * one.transpose() * pulled;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> metric(products);
  const Eigen::MatrixXd root = metric.operatorSqrt();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(root * energy * root);
  Eigen::Index dropped = 0;
  for (double spent = 0; dropped < kCount; ++dropped)
    if ((spent += std::max(0.0, axes.eigenvalues()[dropped])) > budget) break;
  const Eigen::MatrixXd kept = axes.eigenvectors().rightCols(kCount - dropped);
  const Eigen::MatrixXf mix = (root * kept).cast<float>();
  Modes modes;
  modes.mixes = (kept.transpose() * metric.operatorInverseSqrt()).cast<float>();
  modes.values.resize(fields.rows(), 3 * mix.cols());
  for (Eigen::Index c = 0; c < 3; ++c) {
    const Columns one = every_third(fields, c), mixed = one * mix;
    for (Eigen::Index m = 0; m < mix.cols(); ++m) modes.values.col(3 * m + c) = mixed.col(m);
  }
  return modes;
}

Rounding rounding_of(const Corotational& model, std::span<const std::uint8_t> fixed, const Modes& modes,
                     double budget) {
  constexpr double kCoarse = 0.9;  // of the budget: for modes of 8 bits
  double stiffness = 0;
  for (Eigen::Index i = 0; i < model.matrix().rows(); ++i)
    if (!fixed[static_cast<std::size_t>(i)]) stiffness += model.matrix().coeff(i, i);
  const double most = budget / std::max(0.5 * 3 * stiffness / 12, std::numeric_limits<double>::min());
  std::vector<std::pair<double, std::size_t>> steps;
  double sum = 0;
  for (Eigen::Index m = 0; m < modes.mixes.rows(); ++m) {
    const double step = static_cast<double>(modes.values.middleCols<3>(3 * m).cwiseAbs().maxCoeff()) / 127;
    steps.emplace_back(step, static_cast<std::size_t>(m));
    sum += step * step;
  }
  std::sort(steps.begin(), steps.end());
  Rounding rounding{std::vector<float>(steps.size()), std::vector<std::uint8_t>(steps.size(), 0)};
  for (std::size_t k = steps.size(); k-- > 0 && sum > kCoarse * most; sum -= steps[k].first * steps[k].first)
    rounding.fine[steps[k].second] = 1;
  const auto widened = [&](std::size_t k, double least) {
    return rounding.fine[steps[k].second] ? least : std::max(steps[k].first, least);
  };
  double low = 0, high = std::sqrt(most);
  for (int halvings = 0; halvings < 40; ++halvings) {
    const double middle = (low + high) / 2;
    double noise = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) noise += std::pow(widened(k, middle), 2);
    (noise > most ? high : low) = middle;
  }
  for (std::size_t k = 0; k < steps.size(); ++k)
    rounding.steps[steps[k].second] = static_cast<float>(widened(k, low));
  return rounding;
}

Fields fields_of(const Modes& modes) {
  return fields_of(modes.values, modes.mixes);
}

Fields fields_of(const Eigen::MatrixXf& values, const GridField::Mixes& mixes) {
  Fields fields = Fields::Zero(values.rows(), 3 * static_cast<Eigen::Index>(kTurnFunctions));
  for (Eigen::Index c = 0; c < 3 && mixes.rows() > 0; ++c) {
    const Columns all = every_third(values, c) * mixes;
    for (Eigen::Index f = 0; f < all.cols(); ++f) fields.col(3 * f + c) = all.col(f);
  }
  return fields;
}

}  // namespace sinew::weights_detail
