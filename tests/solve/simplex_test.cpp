// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/simplex.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>
#include <vector>

namespace sinew {
namespace {

SimplexMatrix random_gram(int n, int rows, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd E(rows, n);
  for (Eigen::Index c = 0; c < n; ++c)
    for (Eigen::Index r = 0; r < rows; ++r) E(r, c) = normal(random) + 0.3;
  return E.transpose() * E;
}

double cost(const SimplexMatrix& G, const SimplexVector& w) {
  return w.dot(G * w);
}

// The best over every set of at most `most` unknowns, each solved as an equation: slow and apart.
double best_of_all(const SimplexMatrix& G, int most) {
  const int n = static_cast<int>(G.rows());
  double best = 1e300;
  for (int set = 1; set < (1 << n); ++set) {
    std::vector<int> items;
    for (int j = 0; j < n; ++j)
      if (set >> j & 1) items.push_back(j);
    if (static_cast<int>(items.size()) > most) continue;
    Eigen::MatrixXd part(items.size(), items.size());
    for (std::size_t r = 0; r < items.size(); ++r)
      for (std::size_t c = 0; c < items.size(); ++c)
        part(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = G(items[r], items[c]);
    Eigen::VectorXd w = part.fullPivLu().solve(Eigen::VectorXd::Ones(part.rows()));
    w /= w.sum();
    if (w.minCoeff() >= -1e-12) best = std::min(best, w.dot(part * w));
  }
  return best;
}

TEST(Simplex, IsTheBestOfEverySetOfUnknowns) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int n = 2 + static_cast<int>(seed % 7);
    const SimplexMatrix G = random_gram(n, n + 3, seed);
    const SimplexVector w = simplex_minimum(G);
    EXPECT_GE(w.minCoeff(), 0);
    EXPECT_NEAR(w.sum(), 1, 1e-12);
    EXPECT_NEAR(cost(G, w), best_of_all(G, n), 1e-8 * G.trace()) << seed;
  }
}

// Residuals of candidates that a blend of two of them cancels: the others get nothing at all, not what rounding leaves.
TEST(Simplex, WhatIsNotNeededIsExactlyZero) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const int n = 3 + static_cast<int>(seed % 4);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Eigen::MatrixXd E(30, n);
    for (Eigen::Index k = 0; k < E.size(); ++k) E.data()[k] = normal(random);
    const double share = 0.2 + 0.01 * seed;
    E.col(1) = -share / (1 - share) * E.col(0);
    const SimplexVector w = simplex_minimum(E.transpose() * E);
    EXPECT_NEAR(w[0], share, 1e-9);
    EXPECT_NEAR(w[1], 1 - share, 1e-9);
    for (int k = 2; k < n; ++k) EXPECT_EQ(w[k], 0.0) << seed;
  }
}

// A joint that moves as another does, like a root above one that never turns, adds nothing.
TEST(Simplex, OfEqualCandidatesOneGetsAll) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SimplexMatrix G = random_gram(5, 12, seed);
    G.row(3) = G.row(1);
    G.col(3) = G.col(1);
    G(3, 3) = G(1, 1);
    for (const std::size_t most : {2u, 4u, 5u}) {
      const SimplexVector w = simplex_minimum(G, most);
      EXPECT_TRUE(w[1] == 0 || w[3] == 0) << seed << ": " << w.transpose();
    }
  }
}

TEST(Simplex, FewWeightsCostNearlyTheBestChoiceOfThem) {
  double ratio = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const SimplexMatrix G = random_gram(8, 12, 100 + seed);
    for (const int most : {1, 2, 4}) {
      const SimplexVector w = simplex_minimum(G, static_cast<std::size_t>(most));
      EXPECT_LE((w.array() > 0).count(), most);
      EXPECT_NEAR(w.sum(), 1, 1e-12);
      const double best = best_of_all(G, most);
      EXPECT_GE(cost(G, w), best * (1 - 1e-9));
      ratio += cost(G, w) / best / 180;
    }
  }
  EXPECT_LT(ratio, 1.03);
}

// min |A w|^2, w >= 0, sum w = 1 by scipy.optimize.minimize (SLSQP, ftol 1e-15) and, of the same direction, by
// scipy.optimize.nnls of [A; 1] against [0; 1]; scipy 1.10.
TEST(Simplex, AgreesWithScipy) {
  Eigen::MatrixXd A(4, 5);
  A << 1, -2, 0.5, 3, -1, 2, 1, -1, 0.5, 0, -1, 0.5, 2, 1, 1, 0.5, 1, 1, -2, 0.25;
  const SimplexVector w = simplex_minimum(A.transpose() * A);
  const double expected[5] = {0.249172893646, 0, 0.0181275389024, 0.112187329867, 0.620512237584};
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(w[j], expected[j], 1e-9);
}

TEST(Simplex, FindsABlendThatFitsExactly) {
  SimplexVector blend(5);
  blend << 0.1, 0, 0.6, 0.3, 0;
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd P(40, 5);
  for (Eigen::Index k = 0; k < P.size(); ++k) P.data()[k] = normal(random);
  const Eigen::MatrixXd E = P.colwise() - P * blend;
  EXPECT_LT((simplex_minimum(E.transpose() * E, 3) - blend).norm(), 1e-9);
}

TEST(Simplex, UnknownsThatAreAlikeOrPerfectDoNoHarm) {
  SimplexMatrix G = SimplexMatrix::Constant(3, 3, 2.0);
  const SimplexVector alike = simplex_minimum(G, 2);
  EXPECT_TRUE(alike.allFinite());
  EXPECT_NEAR(alike.sum(), 1, 1e-12);
  G.setZero();
  EXPECT_NEAR(simplex_minimum(G, 1).sum(), 1, 1e-12);
}

}  // namespace
}  // namespace sinew
