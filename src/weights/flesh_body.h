// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "sinew/skeleton/bone_tree.h"
#include "weights/joint_band.h"

namespace sinew::weights_detail {

inline constexpr double kWeightCut =
    1e-3;  // harmonic weights this near to 0 or 1 count as that; twists reach far
inline constexpr double kFieldCut = 1e-2;        // the same for fields, which fade out sooner
inline constexpr double kJudgeTolerance = 1e-3;  // of the elastic body beside which flesh is judged
inline constexpr double kFieldTolerance = 2e-3;  // of the descent: the energy is flat at its minimum
inline constexpr std::size_t kFieldMemory = 4;   // steps that the descent remembers: they are large
inline constexpr double kFieldBudget =
    0.13;  // of what is granted above the body's energy: for modes left out
inline constexpr double kNoiseBudget = 2e-3;  // of the samples' energy: for rounding

// What is known of the whole body.
struct Body {
  const VoxelGrid& grid;
  const HandleMap& handles;
  std::span<const int> parents;
  const Eigen::MatrixXd& harmonic;
  std::span<const std::uint8_t> reached;
  std::span<const float> stiffness;

  JointBand band(std::size_t bone, double cut) const {
    return joint_band(grid, handles, bones_below(parents, bone), harmonic, reached, cut);
  }
  // About how many vertices the joint moves by parts.
  std::size_t unknowns(std::size_t bone) const {
    const std::vector<std::uint8_t> below = bones_below(parents, bone);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(harmonic.rows());
    for (std::size_t b = 0; b < below.size(); ++b)
      if (below[b]) sum += harmonic.col(static_cast<Eigen::Index>(b));
    return static_cast<std::size_t>((sum.array() > kWeightCut && sum.array() < 1 - kWeightCut).count());
  }
  std::vector<float> stiffness_of(const JointBand& band) const {
    std::vector<float> values;
    if (!stiffness.empty())
      for (const std::uint32_t cell : band.part.cells) values.push_back(stiffness[cell]);
    return values;
  }
};

struct Ratios {
  double worst = 1, mean = 1;
  Ratios(std::span<const double> energies, std::span<const double> least) {
    double sum = 0;
    for (std::size_t k = 0; k < least.size(); ++k) {
      const double ratio = least[k] > 0 ? energies[k] / least[k] : 1;
      worst = std::max(worst, ratio);
      sum += ratio;
    }
    mean = sum / static_cast<double>(least.size());
  }
};

}  // namespace sinew::weights_detail
