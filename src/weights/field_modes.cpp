// SPDX-License-Identifier: Apache-2.0
#include "weights/field_modes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::weights_detail {
namespace {

constexpr double kFieldDamping = 1e-3;  // of functions that the samples can hardly tell apart

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
  using Row = Eigen::Matrix<float, kTurnFunctions, 3, Eigen::RowMajor>;
  Fields d = hierarchy.precondition(gradient);
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    Eigen::Map<Row> row(d.row(i).data());
    row = (inverse_products * row).eval();
  }
  return d;
}

Modes modes_that_matter(const Corotational& model, const Fields& fields, const Eigen::MatrixXd& products,
                        double budget) {
  constexpr auto kCount = static_cast<Eigen::Index>(kTurnFunctions);
  const Eigen::MatrixXd all = fields.cast<double>(), pulled = model.matrix() * all;
  Eigen::MatrixXd energy = Eigen::MatrixXd::Zero(kCount, kCount);
  for (Eigen::Index f = 0; f < kCount; ++f)
    for (Eigen::Index g = 0; g < kCount; ++g)
      energy(f, g) = 0.5 * all.middleCols<3>(3 * f).cwiseProduct(pulled.middleCols<3>(3 * g)).sum();
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
  modes.values.setZero(fields.rows(), 3 * mix.cols());
  for (Eigen::Index m = 0; m < mix.cols(); ++m)
    for (Eigen::Index f = 0; f < kCount; ++f)
      modes.values.middleCols<3>(3 * m) += mix(f, m) * fields.middleCols<3>(3 * f);
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
  Fields fields = Fields::Zero(modes.values.rows(), 3 * static_cast<Eigen::Index>(kTurnFunctions));
  for (Eigen::Index m = 0; m < modes.mixes.rows(); ++m)
    for (Eigen::Index f = 0; f < modes.mixes.cols(); ++f)
      fields.middleCols<3>(3 * f) += modes.mixes(m, f) * modes.values.middleCols<3>(3 * m);
  return fields;
}

}  // namespace sinew::weights_detail
