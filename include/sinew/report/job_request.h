// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "sinew/report/character_jobs.h"

namespace sinew {

/// Long work that was asked for as JSON.
struct JobRequest {
  std::string kind;
  std::function<Result<JobOutput>(const Progress& progress)> work;
};

/// A file by its id; kIo: there is none.
using FindFile = std::function<Result<JobFile>(const std::string& id)>;

/// What a request asks for, one of
///   {"kind": "rig", "file": ID, "template", "weights", "names", "quality", "joints": [{name, parent, position, tail}]}
///   {"kind": "solve", "file": ID, "stiffness", "quality"}
///   {"kind": "export", "file": ID, "target", "influences", "helpers", "morphs", "keep"}
///   {"kind": "retarget", "file": ID, "motion": ID, "keepFeet"}
///   {"kind": "reference", "file": ID}
///   {"kind": "check", "file": ID}
/// where all but kind, file and motion may be missing. kUsage: not JSON, an unknown kind, template, method or
/// naming, a joint that is none. kIo: a file that is not there.
Result<JobRequest> parse_job(const std::string& body, const FindFile& find);

/// {"weights": [{name, summary}], "templates": [], "names": [], "targets": []}: what requests may name.
nlohmann::ordered_json job_choices();

}  // namespace sinew
