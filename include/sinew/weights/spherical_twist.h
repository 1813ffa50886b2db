// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/elastic.h"

namespace sinew {

/// Spherical twist weights: the t for which each vertex turned about the joint's axis by t times the angle has
/// the least corotational energy, summed over the angles. Linear blending (energy_minimising_weight) shortens
/// the way to the axis and asks for another t. L-BFGS, its metric the matrix of the linear problem. Rows where
/// `fixed` stay as in `start`. The energy never rises.
Result<GridWeight> spherical_twist_weight(const Corotational& model, std::span<const std::uint8_t> fixed,
                                          const Eigen::VectorXd& start, const Vec3& origin, const Vec3& axis,
                                          std::span<const double> angles, const DescentOptions& options = {});

/// The energy of such twists; `gradient` by the weights where it is given.
double spherical_twist_energy(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                              const Vec3& axis, std::span<const double> angles,
                              Eigen::VectorXd* gradient = nullptr);

}  // namespace sinew
