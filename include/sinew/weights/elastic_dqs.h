// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/elastic.h"

namespace sinew {

/// Energy-minimising weights for dual quaternion skinning [kavan2012, Eq. 4]. About a joint, dual
/// quaternions with weights (1 - w, w) turn a point about the sample's axis by an angle that w alone decides,
/// so the derivative by w is that angle's times axis x point. Each step is one of Gauss and Newton's with the
/// rotations of the cells held, shortened until the energy falls.
Result<GridWeight> energy_minimising_weight_dqs(const Corotational& model,
                                                std::span<const std::uint8_t> fixed,
                                                const Eigen::VectorXd& start, const Vec3& origin,
                                                std::span<const Mat3> samples,
                                                const DescentOptions& options = {});

/// The corotational energy of a weight used with dual quaternions, summed over the samples; its derivative by
/// the weight where `gradient` is given.
double dqs_energy(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                  std::span<const Mat3> samples, Eigen::VectorXd* gradient = nullptr);

}  // namespace sinew
