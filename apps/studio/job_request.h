// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "file_store.h"
#include "jobs.h"

namespace sinew::studio {

struct JobRequest {
  std::string kind;
  Work work;
};

// What the body of POST /api/jobs asks for. kUsage: not JSON, an unknown kind, template, method or naming, a
// joint that is none. kIo: a file that is not kept here.
Result<JobRequest> parse_job(const std::string& body, FileStore& files);

}  // namespace sinew::studio
