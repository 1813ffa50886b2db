// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "registry.h"

namespace sinew {
namespace {

constexpr std::size_t kNumbers = std::size_t{16}
                                 << 20;  // 64 MiB of floats an array: not in any cache when revisited
constexpr std::size_t kChunk = std::size_t{1}
                               << 19;  // timed piece by piece, so that one quiet piece suffices

// Bytes per second of body(first number), which touches kChunk numbers of `arrays` arrays.
template <class Body>
double chunked_bandwidth(int arrays, Body&& body) {
  std::size_t first = 0;
  const double seconds = best_seconds([&] {
    body(first);
    first = (first + kChunk) % kNumbers;
  });
  return static_cast<double>(arrays) * kChunk * sizeof(float) / seconds;
}

double measure_copy() {
  std::vector<float> from(kNumbers, 1.0f), to(kNumbers, 2.0f);
  return chunked_bandwidth(2, [&](std::size_t first) {
    std::memcpy(to.data() + first, from.data() + first, kChunk * sizeof(float));
  });
}

double measure_triad() {
  std::vector<float> a(kNumbers, 0.0f), b(kNumbers, 1.0f), c(kNumbers, 2.0f);
  return chunked_bandwidth(3, [&](std::size_t first) {
    float* out = a.data() + first;
    const float *left = b.data() + first, *right = c.data() + first;
    for (std::size_t k = 0; k < kChunk; ++k) out[k] = left[k] + 3.0f * right[k];
  });
}

}  // namespace

double copy_bandwidth() {
  static const double bandwidth = measure_copy();
  return bandwidth;
}

void add_memory_benches(std::vector<BenchCase>& cases) {
  cases.push_back({"memory/copy", [] {
                     return BenchResult{"", "2 x 64 MiB, 1 thread", copy_bandwidth() / 1e9, "GB/s"};
                   }});
  cases.push_back({"memory/triad", [] {
                     return BenchResult{"", "3 x 64 MiB, 1 thread", measure_triad() / 1e9, "GB/s"};
                   }});
}

}  // namespace sinew
