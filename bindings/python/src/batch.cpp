// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include <nlohmann/json.hpp>

#include "job.h"
#include "python.h"
#include "sinew/report/batch_page.h"
#include "sinew/report/report_json.h"

namespace sinew::python {
namespace {

// `manifest`: its text, `name` its file. `program`: what runs the jobs. `verbs`: those it has, and whether they
// write files.
nb::object run(const std::string& manifest, const std::string& name, const std::filesystem::path& folder,
               const std::string& program, const std::map<std::string, bool>& verbs, const nb::dict& options,
               const nb::object& progress) {
  BatchOptions batch;
  batch.folder = folder;
  batch.program = program;
  for (const auto& [verb, writes_file] : verbs) batch.verbs.push_back({verb, writes_file});
  bool status = false, force = false;
  take(options, "status", status);
  take(options, "workers", batch.jobs);
  take(options, "threads", batch.threads);
  take(options, "timeout", batch.timeout);
  take(options, "memory", batch.memory_mb);
  take(options, "retries", batch.retries);
  take(options, "redo_failed", batch.redo_failed);
  take(options, "lock_wait", batch.lock_wait);
  take(options, "pictures", batch.pictures);
  take(options, "force", force);
  if (force) batch.overwrite = Overwrite::kYes;
  if (std::string shard; take(options, "shard", shard)) batch.shard = value_of(parse_shard(shard));
  const std::vector<BatchJob> jobs = value_of(parse_manifest(manifest, name, batch.verbs));
  const BatchReport report = run_job(progress, [&](const Progress* live) -> Result<BatchReport> {
    batch.progress = live;
    if (status) return gather_batch_with_page(jobs, name, folder);
    return run_batch_with_page(jobs, name, batch);
  });
  return to_python(to_json(report));
}

}  // namespace

void add_batch(nb::module_& module) {
  module.def("batch", run, nb::arg("manifest"), nb::arg("name"), nb::arg("folder"), nb::arg("program"),
             nb::arg("verbs"), nb::arg("options"), nb::arg("progress").none());
}

}  // namespace sinew::python
