// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/volume/corotational.h"
#include "sinew/volume/multigrid.h"

namespace sinew {

/// Springs that pull points of an elastic body to places that are given with every pose: 1/2 k |T v - place|^2 each.
struct ElasticSprings {
  Eigen::SparseMatrix<double, Eigen::RowMajor> points;  ///< T: a row a point, a column a grid vertex
  Eigen::VectorXd stiffness;                            ///< k, per point
};

/// Options of ElasticBody::minimise().
struct ElasticOptions {
  double tolerance = 1e-4;  ///< stop where a step lowers the energy by less than this part of itself
  int max_iterations = 200;
  bool accelerated = true;                ///< false: plain local/global steps, as [kavan2012] counts them
  double enough = 0;                      ///< stop where the energy is below this
  const GridPositions* places = nullptr;  ///< of the springs; required where the body has some
  const Progress* progress = nullptr;
};

/// The elastic reference: the positions of a grid that minimise the corotational energy while the vertices of
/// the bones are where the pose has them [kavan2012, Sec. 3.1]. Local/global steps with one hierarchy for all
/// steps and poses, which L-BFGS speeds up [liu2017]; the energy never rises.
class ElasticBody {
 public:
  /// `fixed`: per grid vertex. The grid must outlive the body. kImpossible: a part of the body holds no fixed
  /// vertex.
  static Result<ElasticBody> build(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                   std::span<const float> stiffness = {}, ElasticSprings springs = {});

  struct Solution {
    GridPositions positions;  ///< fixed rows as given
    double energy = 0;        ///< with that of the springs
    int iterations = 0;
    std::vector<double> history;  ///< energy of the start and after every iteration
  };
  /// From `start`, whose fixed rows are the constraints; the pose before it makes a good one along a clip.
  Solution minimise(const GridPositions& start, const ElasticOptions& options = {}) const;

  const Corotational& model() const { return *model_; }
  const Multigrid& hierarchy() const { return hierarchy_; }  // of the model's matrix
  std::span<const std::uint8_t> fixed() const { return fixed_; }

 private:
  ElasticBody(std::shared_ptr<const Corotational> model, Multigrid hierarchy, std::vector<std::uint8_t> fixed,
              ElasticSprings springs);

  std::shared_ptr<const Corotational> model_;
  Multigrid hierarchy_;
  std::vector<std::uint8_t> fixed_;
  ElasticSprings springs_;
};

}  // namespace sinew
