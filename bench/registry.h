// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench.h"

namespace sinew {

// A measurement that has a name and is run on demand. Google Benchmark was left out: its own main, registry
// and output stood in the way of `sinew bench`, and the best of many short runs is all that is needed of it.
struct BenchCase {
  std::string name;
  std::function<BenchResult()> run;  // fills all but the name
};

// One per file *_bench.cpp.
void add_memory_benches(std::vector<BenchCase>& cases);
void add_deform_benches(std::vector<BenchCase>& cases);
void add_io_benches(std::vector<BenchCase>& cases);
void add_weights_benches(std::vector<BenchCase>& cases);
void add_volume_benches(std::vector<BenchCase>& cases);
void add_elastic_benches(std::vector<BenchCase>& cases);
void add_stretch_benches(std::vector<BenchCase>& cases);
void add_arap_benches(std::vector<BenchCase>& cases);
void add_flesh_benches(std::vector<BenchCase>& cases);
void add_curves_benches(std::vector<BenchCase>& cases);
void add_skeleton_benches(std::vector<BenchCase>& cases);
void add_differential_benches(std::vector<BenchCase>& cases);
void add_cage_benches(std::vector<BenchCase>& cases);
void add_gpu_benches(std::vector<BenchCase>& cases);

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Shortest time of one call in seconds, over at least five calls and `budget` seconds. The minimum is what
// other programs on the machine disturb least.
template <class Body>
double best_seconds(Body&& body, double budget = 0.25) {
  const auto begin = Clock::now();
  double best = 1e300;
  for (int call = 0; call < 5 || seconds_since(begin) < budget; ++call) {
    const auto start = Clock::now();
    body();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

// Bytes per second that one core copies between arrays far larger than its caches, reads and writes counted.
// Measured once per process.
double copy_bandwidth();

}  // namespace sinew
