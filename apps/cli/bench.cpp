// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "verbs.h"
#ifdef SINEW_HAVE_BENCH
#include "bench.h"
#endif

namespace sinew::cli {
namespace {

Result<void> run_bench([[maybe_unused]] const std::string& name, [[maybe_unused]] const Console& console) {
#ifdef SINEW_HAVE_BENCH
  const auto results = run_benches(name, console.progress());
  if (is_cancelled(console.progress())) return cancelled();
  if (results.empty())
    return usage_error(fmt::format("there is no benchmark '{}'; 'sinew bench' runs all", name));
  Json table = Json::array();
  std::string text = fmt::format("{:<36} {:<28} {:>12} {}\n", "name", "size", "value", "unit");
  for (const BenchResult& result : results) {
    table.push_back(
        {{"name", result.name}, {"size", result.size}, {"value", result.value}, {"unit", result.unit}});
    text += fmt::format("{:<36} {:<28} {:>12.4g} {}\n", result.name, result.size, result.value, result.unit);
  }
  console.print(table, text);
  return {};
#else
  return impossible("this program was built without its benchmarks; './dev bench' in a checkout adds them");
#endif
}

}  // namespace

void add_bench(Program& program) {
  auto name = std::make_shared<std::string>();
  const Verb verb = add_verb(program, "bench", "run the benchmarks",
                             "  sinew bench\n"
                             "  sinew bench lbs --json\n"
                             "  sinew bench gpu\n");
  verb.option("NAME", *name, "only benchmarks whose name contains this");
  verb.runs([&program, name] { return run_bench(*name, program.console); });
}

}  // namespace sinew::cli
