// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/file.h"
#include "sinew/core/progress.h"
#include "sinew/io/asset.h"

namespace sinew::cli {

using Json = nlohmann::ordered_json;

// Where a verb prints, what the options common to all verbs said, and how a long job is shown and stopped.
class Console {
 public:
  bool json = false, force = false, quiet = false;
  bool progress_lines = false;  // for programs that read stderr, instead of a bar
  int threads = 0;
  Facing facing;  // of the files that are read

  // Catches Ctrl-C and SIGTERM from here on, and applies --quiet and --threads.
  void start();

  Overwrite overwrite() const { return force ? Overwrite::kYes : Overwrite::kNo; }
  const Progress* progress() const { return &progress_; }

  // What every verb reads its files with.
  Result<Asset> read(const std::filesystem::path& file) const { return read_asset(file, facing); }

  // Data to stdout: the document with --json, else `text` (which may be empty).
  void print(const Json& document, std::string_view text) const;
  // What the user should know, to stderr; not with --quiet. Notes inform, warnings say what was repaired or
  // left out.
  void note(std::string_view text) const;
  void warn(std::string_view text) const;
  void warnings(std::string_view file, const std::vector<std::string>& texts) const;
  // Takes the progress bar away.
  void finish() const;

 private:
  Progress progress_;
};

// Takes the places of streams that were closed before the program began, so that no file it opens becomes one
// of them. Comes before anything else.
void hold_streams() noexcept;
// Writes to stderr. Where nobody listens (a full disk, a terminal that is gone) the text is lost.
void print_error(std::string_view text) noexcept;
// Whether all that was printed has left. kIo: stdout is full or closed.
Result<void> flush_output();

// The signal that asked us to stop; 0: none.
int stop_signal();

}  // namespace sinew::cli
