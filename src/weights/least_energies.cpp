// SPDX-License-Identifier: Apache-2.0
#include "weights/least_energies.h"

#include <algorithm>
#include <cassert>

#include "sinew/solve/lbfgs.h"
#include "weights/field_energy.h"
#include "weights/field_energy_kernel.h"

namespace sinew::weights_detail {
namespace {

constexpr std::size_t kRemembered = 5;

using Rows =
    Eigen::Matrix<float, Eigen::Dynamic, 3 * kHalf, Eigen::RowMajor>;  // x, y, z of all poses a vertex

// Where the numbers of rows lie among those of packs.
template <class Visit>
void each_number(std::size_t vertices, const Visit& visit) {
  for (std::size_t i = 0; i < vertices; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t l = 0; l < kHalf; ++l) visit((3 * i + c) * kHalf + l, place(0, vertices, i, c) + l);
}

}  // namespace

// One descent of the sum of the energies, each over what it is at first.
std::vector<double> least_energies(const ElasticBody& body, std::vector<float> at, std::size_t count,
                                   const ElasticOptions& options) {
  assert(count <= kHalf && at.size() == 3 * kPack * body.fixed().size());
  const std::size_t n = body.fixed().size();
  Rows start = Rows::Zero(static_cast<Eigen::Index>(n), 3 * kHalf);
  each_number(n, [&](std::size_t to, std::size_t from) { start.data()[to] = at[from]; });
  CellSpins spins;
  std::vector<float> force;
  std::vector<double> scales(count, 0.0);
  const auto energies = [&](const Rows& x) {
    each_number(n, [&](std::size_t from, std::size_t to) { at[to] = x.data()[from]; });
    return spins.stretch(body.model(), count, at, &force);
  };
  const auto evaluate = [&](const Rows& x) {
    const std::vector<double> now = energies(x);
    double sum = 0;
    for (std::size_t k = 0; k < count; ++k) sum += scales[k] * now[k];
    return sum;
  };
  const auto gradient = [&](const Rows&) {
    Rows g = Rows::Zero(static_cast<Eigen::Index>(n), 3 * kHalf);
    each_number(n, [&](std::size_t to, std::size_t from) {
      if (!body.fixed()[to / (3 * kHalf)] && to % kHalf < count)
        g.data()[to] = static_cast<float>(scales[to % kHalf]) * force[from];
    });
    return g;
  };
  const std::vector<double> first = energies(start);
  for (std::size_t k = 0; k < count; ++k) scales[k] = first[k] > 0 ? 1 / first[k] : 0;
  // The metric of each is its share of the sum.
  const auto precondition = [&](const Rows& g) {
    Rows d = body.hierarchy().precondition(g);
    for (Eigen::Index i = 0; i < d.size(); ++i) {
      const std::size_t k = static_cast<std::size_t>(i) % kHalf;
      d.data()[i] *= k < count && scales[k] > 0 ? static_cast<float>(1 / scales[k]) : 0.0f;
    }
    return d;
  };
  LbfgsOptions descent;
  descent.tolerance = options.tolerance / 2;  // some poses are done sooner than others
  descent.max_steps = options.max_iterations;
  descent.remembered = kRemembered;
  descent.progress = options.progress;
  const auto best = lbfgs(std::move(start), evaluate, gradient, precondition, descent);
  return energies(best.x);
}

}  // namespace sinew::weights_detail
