// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <random>

#include "sinew/math/types.h"

namespace sinew::test {

// Numbers, vectors and rotations drawn from a seed that rapidcheck (or a loop) picks.
class RandomMath {
 public:
  explicit RandomMath(std::uint32_t seed) : engine_(seed) {}
  double normal() { return std::normal_distribution<double>()(engine_); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 vector() {
    const double x = normal(), y = normal(), z = normal();
    return {x, y, z};
  }
  Vec3 direction() { return vector().normalized(); }
  Quat rotation() {
    const double w = normal(), x = normal(), y = normal(), z = normal();
    return Quat(w, x, y, z).normalized();
  }
  Mat3 matrix() {
    Mat3 M;
    for (int k = 0; k < 9; ++k) M(k) = normal();
    return M;
  }

 private:
  std::mt19937 engine_;
};

// The same cases in every run, unless RC_PARAMS asks for others.
inline const int kSeedIsFixed = setenv("RC_PARAMS", "seed=1", 0);

inline RandomMath any_random() {
  return RandomMath(*rc::gen::arbitrary<std::uint32_t>());
}

}  // namespace sinew::test
