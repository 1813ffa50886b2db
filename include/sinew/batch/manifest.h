// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/file.h"
#include "sinew/core/result.h"

namespace sinew {

/// One run of the program: `sinew VERB ARGS… -o FOLDER/OUT`.
struct BatchJob {
  std::size_t line = 0;  ///< of the manifest, from 1
  std::string verb;
  std::vector<std::string> args;
  std::string out;  ///< relative to the folder of the batch, with '/'; no two jobs share it
};

/// Identifies a job: the same number for the same verb, arguments and output, wherever its line stands.
std::uint64_t job_key(const BatchJob& job);

/// A verb that jobs may name.
struct BatchVerb {
  std::string name;
  bool writes_file = true;  ///< takes -o; what others print to stdout becomes their output
};

/// Jobs from JSON lines, `{"verb": "rig", "args": ["a.obj", "--method", "heat"], "out": "a.glb"}`; blank lines
/// count but hold no job. `name` is the file, for messages. Empty `verbs`: any verb. kBadInput names the first
/// line that is no job: broken JSON, an unknown verb or key, -o among the arguments, an output that leaves
/// the folder, belongs to the batch itself, or is that of an earlier line. Linear in the text.
Result<std::vector<BatchJob>> parse_manifest(std::string_view text, const std::string& name,
                                             std::span<const BatchVerb> verbs = {});
Result<std::vector<BatchJob>> read_manifest(const std::filesystem::path& path,
                                            std::span<const BatchVerb> verbs = {});

/// One line for each job, as parse_manifest reads them.
std::string manifest_text(std::span<const BatchJob> jobs);

/// One job for each file that matches a pattern of the shell ('*', '?', '[a-z]'), sorted and without
/// repetitions: `verb FILE options…`. Outputs keep the folders below the one that all files share, and get `extension`
/// (".glb"; empty: none) in place of their own; files that differ in extension alone keep it before that.
/// kIo: a pattern that matches no file.
Result<std::vector<BatchJob>> make_manifest(const std::string& verb, std::span<const std::string> patterns,
                                            std::span<const std::string> options,
                                            const std::string& extension);

}  // namespace sinew
