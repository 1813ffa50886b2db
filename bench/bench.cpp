// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include "registry.h"
#include "sinew/core/parallel.h"

namespace sinew {

std::vector<BenchResult> run_benches(std::string_view name_filter, const Progress* progress) {
  std::vector<BenchCase> cases;
  add_memory_benches(cases);
  add_deform_benches(cases);
  add_io_benches(cases);
  add_weights_benches(cases);
  add_volume_benches(cases);
  add_elastic_benches(cases);
  add_stretch_benches(cases);
  add_arap_benches(cases);
  add_flesh_benches(cases);
  add_curves_benches(cases);
  add_skeleton_benches(cases);
  add_differential_benches(cases);
  add_cage_benches(cases);
  add_gpu_benches(cases);
  std::erase_if(cases,
                [&](const BenchCase& entry) { return entry.name.find(name_filter) == std::string::npos; });
  // Minutes: only where asked for.
  if (name_filter.find("scaling") == std::string_view::npos)
    std::erase_if(cases, [](const BenchCase& entry) { return entry.name.starts_with("scaling/"); });
  std::stable_sort(cases.begin(), cases.end(),
                   [](const BenchCase& a, const BenchCase& b) { return a.name < b.name; });

  const int threads = thread_count();
  std::vector<BenchResult> results;
  for (std::size_t c = 0; c < cases.size() && !is_cancelled(progress); ++c) {
    report(progress, "bench", static_cast<double>(c) / static_cast<double>(cases.size()));
    set_thread_count(1);
    results.push_back(cases[c].run());
    results.back().name = cases[c].name;
  }
  set_thread_count(threads);
  report(progress, "bench", 1);
  return results;
}

}  // namespace sinew
