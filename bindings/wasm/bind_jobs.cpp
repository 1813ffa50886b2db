// SPDX-License-Identifier: Apache-2.0
// The studio's long work: the same requests that its server takes, without the server.
#include <emscripten/bind.h>
#include <emscripten/val.h>

#include "guarded.h"
#include "progress.h"
#include "sinew/report/job_request.h"
#include "values.h"

namespace sinew {
namespace {

using emscripten::val;

// Which files there are: [{name, bytes}], ids are their places in the list.
Result<std::vector<JobFile>> files_of(const val& list) {
  std::vector<JobFile> files;
  if (!list.isArray()) return usage_error("give the files as an array of {name, bytes}");
  for (unsigned k = 0; k < list["length"].as<unsigned>(); ++k) {
    JobFile file;
    SINEW_TRY(file.name, text_of(list[k]["name"]));
    SINEW_TRY(std::string bytes, bytes_of(list[k]["bytes"]));
    file.bytes = std::make_shared<const std::string>(std::move(bytes));
    files.push_back(std::move(file));
  }
  return files;
}

val run(const std::string& request, const val& list) {
  return guarded([&]() -> Result<val> {
    SINEW_TRY(const std::vector<JobFile> files, files_of(list));
    SINEW_TRY(const JobRequest job, parse_job(request, [&](const std::string& id) -> Result<JobFile> {
                for (std::size_t k = 0; k < files.size(); ++k)
                  if (id == std::to_string(k)) return files[k];
                return io_error("there is no file " + id);
              }));
    SINEW_TRY(const JobOutput output, job.work(page_progress()));
    val result = val::object();
    result.set("name", output.name);
    result.set("bytes",
               copy_of(reinterpret_cast<const std::uint8_t*>(output.bytes.data()), output.bytes.size()));
    result.set("text", list_of(output.text));
    result.set("report",
               output.report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return result;
  });
}

std::string choices() {
  return guarded([]() -> Result<std::string> { return job_choices().dump(); });
}

}  // namespace

EMSCRIPTEN_BINDINGS(sinew_jobs) {
  namespace em = emscripten;
  em::function("run", &run);
  em::function("choices", &choices);
}

}  // namespace sinew
