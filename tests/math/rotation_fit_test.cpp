// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/rotation_fit.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>
#include <vector>

#include "math/random_math.h"

namespace sinew {
namespace {

struct Reference {
  Mat3 rotation;
  double objective = 0;  // tr(R^T M)
  double gap = 0;        // s2 +- s3 over s1: how well the best rotation is determined
};

Reference fit_by_svd(const Mat3& M) {
  const Eigen::JacobiSVD<Mat3> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vec3 s = svd.singularValues();
  const double sign = svd.matrixU().determinant() * svd.matrixV().determinant() < 0 ? -1 : 1;
  Reference result;
  result.rotation = svd.matrixU() * Vec3(1, 1, sign).asDiagonal() * svd.matrixV().transpose();
  result.objective = s[0] + s[1] + sign * s[2];
  result.gap = s[0] > 0 ? (s[1] + sign * s[2]) / s[0] : 0;
  return result;
}

// Families of matrices, most of them hard: singular values near each other, near zero, or opposite.
constexpr int kFamilies = 12;
Mat3 matrix_of(int family, test::RandomMath& random) {
  const auto with = [&](double a, double b, double c) {
    return Mat3(random.rotation().toRotationMatrix() * Vec3(a, b, c).asDiagonal() *
                random.rotation().toRotationMatrix().transpose());
  };
  const double tiny = std::pow(10.0, random.uniform(-17, -1));
  switch (family) {
    case 0:
      return random.matrix();
    case 1:
      return random.rotation().toRotationMatrix() * (Mat3::Identity() + 0.1 * random.matrix());
    case 2:
      return -random.rotation().toRotationMatrix() * (Mat3::Identity() + tiny * random.matrix());
    case 3:
      return with(1, random.uniform(0, 1), 0);
    case 4:
      return with(1, 0, 0);
    case 5:
      return with(1, tiny, tiny * random.uniform(-1, 1));
    case 6:
      return with(1, 0.5, -0.5 + tiny);
    case 7:
      return with(1, 1, -1 + tiny);
    case 8:
      return with(1, 1, tiny);
    case 9:
      return with(1, 0.7, -0.1) * std::pow(10.0, random.uniform(-140, 140));
    case 10:
      return random.vector() * random.vector().transpose();
    default: {  // small integers: exact ties and exact zeros
      Mat3 M;
      for (int k = 0; k < 9; ++k) M(k) = std::round(random.uniform(-1.5, 1.5));
      return M;
    }
  }
}

void expect_best(const Mat3& M, const Quat& q, int family) {
  const Mat3 R = q.toRotationMatrix();
  const Reference best = fit_by_svd(M);
  ASSERT_NEAR(q.norm(), 1, 1e-13);
  ASSERT_GE((R.transpose() * M).trace(), best.objective * (1 - 1e-10)) << "family " << family << "\n" << M;
  if (best.gap < 1e-3) return;
  ASSERT_LT((R - best.rotation).norm(), 1e-11 / best.gap) << "family " << family << "\n" << M;
}

TEST(RotationFit, AMillionMatricesAgreeWithTheSvd) {
  test::RandomMath random(21);
  for (int round = 0; round < 1000000; ++round) {
    const int family = round % 3 == 0 ? (round / 3) % kFamilies : round % 3 - 1;
    const Mat3 M = matrix_of(family, random);
    ASSERT_NO_FATAL_FAILURE(expect_best(M, fit_rotation(M), family));
  }
}

TEST(RotationFit, AnyStartLeadsToTheSameMaximum) {
  test::RandomMath random(22);
  for (int round = 0; round < 60000; ++round) {
    const int family = round % kFamilies;
    const Mat3 M = matrix_of(family, random);
    const Quat near =
        fit_rotation(M) *
        Quat(1, 0.1 * random.normal(), 0.1 * random.normal(), 0.1 * random.normal()).normalized();
    ASSERT_NO_FATAL_FAILURE(expect_best(M, fit_rotation(M, near), family));
    ASSERT_NO_FATAL_FAILURE(expect_best(M, fit_rotation(M, random.rotation()), family));
  }
}

TEST(RotationFit, OfSeveralBestItTakesTheOneNearestToTheStart) {
  // A line: every rotation that carries y to x is best; nearest to the identity is the quarter turn about z.
  const Mat3 line = Vec3::UnitX() * Vec3::UnitY().transpose();
  EXPECT_LT((fit_rotation(line).toRotationMatrix() -
             Eigen::AngleAxisd(-std::acos(0.0), Vec3::UnitZ()).toRotationMatrix())
                .norm(),
            1e-12);
  const Quat start(Eigen::AngleAxisd(1.2, Vec3(1, 2, 3).normalized()));
  EXPECT_EQ(fit_rotation(Mat3::Zero(), start).coeffs(), start.coeffs());
  EXPECT_LT(
      (fit_rotation(Mat3(start * Vec3::UnitX() * Vec3::UnitX().transpose()), start).coeffs() - start.coeffs())
          .norm(),
      1e-12);
}

TEST(RotationFit, OfWhatIsNotFiniteIsTheStart) {
  Mat3 M = Mat3::Identity();
  M(1, 2) = std::nan("");
  EXPECT_EQ(fit_rotation(M).coeffs(), Quat::Identity().coeffs());
  M(1, 2) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(fit_rotation(M).coeffs(), Quat::Identity().coeffs());
}

TEST(RotationFits, AreAsGoodAsFloatAllowsInEveryFamily) {
  test::RandomMath random(23);
  std::vector<Eigen::Matrix3f> matrices;
  for (int round = 0; round < 200003; ++round) {
    const Mat3 M = matrix_of(round % kFamilies, random);
    // What float cannot hold is not asked of it.
    matrices.push_back(M.norm() < 1e30 && M.norm() > 1e-30 ? Eigen::Matrix3f(M.cast<float>())
                                                           : Eigen::Matrix3f::Zero());
  }
  std::vector<Eigen::Quaternionf> rotations(matrices.size());
  fit_rotations(matrices, rotations);
  double worst = 0;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const Mat3 M = matrices[i].cast<double>();
    const Quat q = rotations[i].cast<double>();
    ASSERT_NEAR(q.norm(), 1, 1e-6);
    ASSERT_GE(q.w(), 0);
    const double best = fit_by_svd(M).objective;
    worst = std::max(worst,
                     best > 0 ? 1 - (q.normalized().toRotationMatrix().transpose() * M).trace() / best : 0.0);
  }
  EXPECT_LT(worst, 1e-6);
}

TEST(RotationFits, OfWhatIsNotFiniteAreTheIdentity) {
  std::vector<Eigen::Matrix3f> matrices(3, Eigen::Matrix3f::Identity());
  matrices[0](0, 0) = std::numeric_limits<float>::quiet_NaN();
  matrices[1](2, 1) = std::numeric_limits<float>::infinity();
  std::vector<Eigen::Quaternionf> rotations(3);
  fit_rotations(matrices, rotations);
  for (const auto& q : rotations) EXPECT_EQ(q.coeffs(), Eigen::Quaternionf::Identity().coeffs());
}

}  // namespace
}  // namespace sinew
