// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/trilinear.h"

#include "sinew/core/parallel.h"

namespace sinew {

TrilinearWeights trilinear_weights(const VoxelGrid& grid, std::span<const Vec3> points) {
  TrilinearWeights transfer;
  transfer.vertices.resize(points.size());
  transfer.weights.resize(points.size());
  transfer.outside = parallel_reduce(
      points.size(), 2048, std::size_t{0},
      [&](std::size_t begin, std::size_t end) {
        std::size_t outside = 0;
        for (std::size_t i = begin; i < end; ++i) {
          std::uint32_t cell = grid.cell_at(points[i]);
          if (cell == kNoIndex) ++outside, cell = grid.nearest_cell(points[i]);
          const Vec3i at = grid.cells()[cell];
          Vec3 t = (points[i] - grid.origin()) / grid.cell_size() - at.cast<double>();
          t = t.cwiseMax(0.0).cwiseMin(1.0);
          transfer.vertices[i] = grid.cell_vertices(at);
          for (int k = 0; k < 8; ++k)
            transfer.weights[i][static_cast<std::size_t>(k)] =
                (k & 1 ? t.x() : 1 - t.x()) * (k & 2 ? t.y() : 1 - t.y()) * (k & 4 ? t.z() : 1 - t.z());
        }
        return outside;
      },
      [](std::size_t a, std::size_t b) { return a + b; });
  return transfer;
}

Eigen::MatrixXd interpolate(const TrilinearWeights& transfer, const Eigen::MatrixXd& values) {
  Eigen::MatrixXd result =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(transfer.vertices.size()), values.cols());
  parallel_for(transfer.vertices.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t k = 0; k < 8; ++k)
        result.row(static_cast<Eigen::Index>(i)) +=
            transfer.weights[i][k] * values.row(static_cast<Eigen::Index>(transfer.vertices[i][k]));
  });
  return result;
}

}  // namespace sinew
