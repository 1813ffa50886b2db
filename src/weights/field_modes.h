// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/corotational.h"
#include "sinew/volume/multigrid.h"
#include "sinew/weights/flesh.h"
#include "weights/field_energy.h"

namespace sinew::weights_detail {

// How the functions go together over the samples, whose values are given: the fields' part of the metric.
Eigen::MatrixXd function_products(std::span<const TurnValues> samples, std::span<const double> scales);

// An approximate inverse of the energy's second derivatives by the fields: that of the Laplacian times that of
// the functions' products.
Fields precondition_fields(const Multigrid& hierarchy, const Eigen::MatrixXf& inverse_products,
                           const Fields& gradient);

// Fields as modes, each a field of its own times a mix of functions.
struct Modes {
  Eigen::MatrixXf values;  // a row a vertex, three columns a mode
  GridField::Mixes mixes;
};

// The fewest modes that fields can be told by so that what is dropped costs less than `budget` of the
// samples' energy: the energy of fields over the samples is a quadratic form, here taken to its axes.
Modes modes_that_matter(const Corotational& model, const Fields& fields, const Eigen::MatrixXd& products,
                        double budget);

// How modes are rounded so that this costs less than `budget` of the samples' energy. The modes' amounts have unit
// power over the samples, so that their energies add up; rounding is noise of a twelfth of the squared step at
// every free vertex. For most modes 8 bits do; `fine` are those whose rounding to 8 bits would cost most. The
// rest of the budget is for steps as wide as can be, the same for all modes that do not need wider ones.
struct Rounding {
  std::vector<float> steps;
  std::vector<std::uint8_t> fine;
};
Rounding rounding_of(const Corotational& model, std::span<const std::uint8_t> fixed, const Modes& modes,
                     double budget);

Fields fields_of(const Modes& modes);
// The same of rows of their own: 3 numbers a mode, and a row of functions a mode.
Fields fields_of(const Eigen::MatrixXf& values, const GridField::Mixes& mixes);

}  // namespace sinew::weights_detail
