// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "registry.h"

namespace sinew {
namespace {

constexpr std::size_t kNumbers = std::size_t{16} << 20;  // 64 MiB of floats an array

double measure_copy() {
  std::vector<float> from(kNumbers, 1.0f), to(kNumbers, 2.0f);
  const double seconds = best_seconds([&] { std::memcpy(to.data(), from.data(), kNumbers * sizeof(float)); });
  return 2.0 * kNumbers * sizeof(float) / seconds;
}

double measure_triad() {
  std::vector<float> a(kNumbers, 0.0f), b(kNumbers, 1.0f), c(kNumbers, 2.0f);
  const double seconds = best_seconds([&] {
    float* out = a.data();
    const float *left = b.data(), *right = c.data();
    for (std::size_t k = 0; k < kNumbers; ++k) out[k] = left[k] + 3.0f * right[k];
  });
  return 3.0 * kNumbers * sizeof(float) / seconds;
}

}  // namespace

double copy_bandwidth() {
  static const double bandwidth = measure_copy();
  return bandwidth;
}

void add_memory_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"memory/copy", [] {
                     return BenchResult{"", "64 MiB, 1 thread", copy_bandwidth() / 1e9, "GB/s"};
                   }});
  cases.push_back({"memory/triad", [] {
                     return BenchResult{"", "3 x 64 MiB, 1 thread", measure_triad() / 1e9, "GB/s"};
                   }});
}

}  // namespace sinew
