// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sinew::weights_detail {

// How weights of least elastic energy are solved for, whatever they blend.
inline constexpr double kRegularisation = 1e-6;  // of the grid's Laplacian, relative to Y
inline constexpr double kSolveTolerance = 1e-3;  // of a step's correction
inline constexpr int kSolveIterations = 60;

}  // namespace sinew::weights_detail
