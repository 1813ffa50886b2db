// SPDX-License-Identifier: Apache-2.0
#include "weights/skin_fit_kernel.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {
namespace {

using weights_detail::column_products, weights_detail::kColumnPack, weights_detail::kFramePack,
    weights_detail::padded_frames, weights_detail::residual_column;

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  for (double& x : numbers) x = normal(random);
  return numbers;
}

TEST(SkinFitKernel, ProductsOfColumnsAreThoseOfEigen) {
  for (const std::size_t count : {1u, 2u, 3u, 8u, 17u, 48u})
    for (const std::size_t rows : {8u, 24u, 200u}) {
      const std::vector<double> columns =
          random_numbers(rows * (count + kColumnPack), static_cast<unsigned>(count + rows));
      constexpr std::size_t kHeight = 50;
      std::vector<double> out(kHeight * kHeight, -7.0);
      column_products(columns.data(), rows, count, kHeight, out.data());
      const Eigen::Map<const Eigen::MatrixXd> A(columns.data(), static_cast<Eigen::Index>(rows),
                                                static_cast<Eigen::Index>(count));
      const Eigen::MatrixXd expected = A.transpose() * A;
      for (std::size_t r = 0; r < kHeight; ++r)
        for (std::size_t c = 0; c < kHeight; ++c) {
          if (r < count && c <= r)
            EXPECT_NEAR(out[r + c * kHeight],
                        expected(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)), 1e-11)
                << count << " " << rows;
          else
            EXPECT_EQ(out[r + c * kHeight], -7.0) << "not one of the lower half";
        }
    }
}

TEST(SkinFitKernel, ResidualsAreWhatMovesLeaveOfShapes) {
  const std::size_t frames = 21, stride = padded_frames(frames);
  ASSERT_EQ(stride % kFramePack, 0u);
  ASSERT_GE(stride, frames);
  const std::vector<double> moves = random_numbers(12 * stride, 1), points = random_numbers(3 * stride, 2),
                            shapes = random_numbers(3 * stride, 3), roots = random_numbers(stride, 4);
  std::vector<double> out(3 * stride);
  residual_column(moves.data(), points.data(), shapes.data(), roots.data(), stride, out.data());
  for (std::size_t k = 0; k < stride; ++k) {
    Eigen::Matrix<double, 3, 4> move;
    Eigen::Vector4d point(0, 0, 0, 1);
    Vec3 shape;
    for (std::size_t r = 0; r < 3; ++r) {
      const auto row = static_cast<Eigen::Index>(r);
      for (std::size_t c = 0; c < 4; ++c)
        move(row, static_cast<Eigen::Index>(c)) = moves[(4 * r + c) * stride + k];
      point[row] = points[r * stride + k];
      shape[row] = shapes[r * stride + k];
    }
    const Vec3 expected = roots[k] * (move * point - shape);
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_NEAR(out[r * stride + k], expected[static_cast<Eigen::Index>(r)], 1e-12) << k;
  }
}

}  // namespace
}  // namespace sinew
