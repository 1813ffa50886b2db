// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/pentadiagonal.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

namespace sinew {
namespace {

using Eigen::MatrixXd;
using Kind = Pentadiagonal::Kind;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct System {
  std::vector<double> main, first, second;
  MatrixXd dense;
};

System random_system(std::size_t n, Kind kind, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  System s;
  for (std::size_t i = 0; i < n; ++i) {
    s.main.push_back(8 + std::abs(normal(random)));
    s.first.push_back(normal(random));
    s.second.push_back(normal(random));
  }
  s.dense = MatrixXd::Zero(static_cast<int>(n), static_cast<int>(n));
  const auto put = [&](std::size_t i, std::size_t j, double value) {
    if (j >= n && kind == Kind::kOpen) return;
    s.dense(static_cast<int>(i), static_cast<int>(j % n)) = value;
    s.dense(static_cast<int>(j % n), static_cast<int>(i)) = value;
  };
  for (std::size_t i = 0; i < n; ++i) {
    put(i, i, s.main[i]);
    put(i, i + 1, s.first[i]);
    put(i, i + 2, s.second[i]);
  }
  return s;
}

TEST(Pentadiagonal, AgreesWithADenseSolveOpenAndCyclic) {
  for (const Kind kind : {Kind::kOpen, Kind::kCyclic})
    for (const std::size_t n : {1u, 2u, 3u, 5u, 6u, 7u, 40u, 301u}) {
      if (kind == Kind::kCyclic && n < 5) continue;
      const System s = random_system(n, kind, static_cast<std::uint32_t>(n));
      const auto a = Pentadiagonal::factor(kind, s.main, s.first, s.second);
      ASSERT_TRUE(a.ok()) << a.error().message;
      for (const int columns : {1, 3, 8}) {
        const Rows b = Rows::Random(static_cast<int>(n), columns);
        Rows x = b;
        a->solve({x.data(), static_cast<std::size_t>(x.size())}, static_cast<std::size_t>(columns));
        EXPECT_LT((s.dense.partialPivLu().solve(MatrixXd(b)) - x).norm(), 1e-12 * static_cast<double>(n))
            << n << " " << columns;
      }
    }
}

TEST(Pentadiagonal, SolvesTheBendingOfAClosedRingInClosedForm) {
  // (1 + z K) u = cos(2 pi k i / n) has the solution u = cos / (1 + 16 z sin^4(pi k / n)).
  const std::size_t n = 48;
  const double z = 0.3, pi = 3.14159265358979323846;
  const auto a = Pentadiagonal::factor(Kind::kCyclic, std::vector<double>(n, 1 + 6 * z),
                                       std::vector<double>(n, -4 * z), std::vector<double>(n, z));
  ASSERT_TRUE(a.ok());
  for (int k = 0; k <= 24; ++k) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::cos(2 * pi * k * static_cast<double>(i) / n);
    std::vector<double> wave = x;
    a->solve(x, 1);
    const double amplitude = 1 / (1 + 16 * z * std::pow(std::sin(pi * k / n), 4));
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], amplitude * wave[i], 1e-13);
  }
}

TEST(Pentadiagonal, RefusesSingularAndNonFiniteSystems) {
  const std::vector<double> zero(6, 0.0), one(6, 1.0), bad(6, std::nan(""));
  // Bending alone does not hold a closed ring in place.
  EXPECT_FALSE(
      Pentadiagonal::factor(Kind::kCyclic, std::vector<double>(6, 6.0), std::vector<double>(6, -4.0), one)
          .ok());
  for (const Kind kind : {Kind::kOpen, Kind::kCyclic}) {
    const auto singular = Pentadiagonal::factor(kind, zero, one, zero);
    ASSERT_FALSE(singular.ok());
    EXPECT_EQ(singular.error().code, ErrorCode::kImpossible);
    EXPECT_FALSE(Pentadiagonal::factor(kind, bad, zero, zero).ok());
  }
}

}  // namespace
}  // namespace sinew
