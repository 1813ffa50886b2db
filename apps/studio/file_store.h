// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sinew/report/character_jobs.h"

namespace sinew::studio {

struct StoredFile : JobFile {  // its name is a label, never a path
  std::string id;              // opaque
};

// Files by id, in memory alone: nothing to clean up, and no path that a request could bend. Where room is
// needed, those that were not used for the longest time go. May be used from several threads.
class FileStore {
 public:
  struct Limits {
    std::uint64_t file_bytes = std::uint64_t{1} << 30;
    std::uint64_t total_bytes = std::uint64_t{2} << 30;
    std::size_t files = 64;
  };
  // Memory that a file on its way may take; given back when it goes.
  using Room = std::shared_ptr<void>;

  explicit FileStore(Limits limits) : limits_(limits) {}

  const Limits& limits() const { return limits_; }

  // kLimit: larger than a file may be, or files that are on their way hold the rest.
  Result<Room> reserve(std::uint64_t bytes);
  // Names are cut to 120 bytes of clean UTF-8, the extension kept. A file that is kept stays whatever comes.
  // kLimit as above.
  Result<StoredFile> add(const std::string& name, std::string bytes, bool keep = false);
  std::optional<StoredFile> find(const std::string& id);
  bool remove(const std::string& id);

 private:
  struct Entry {
    StoredFile file;
    bool keep = false;
  };

  Result<void> make_room(std::uint64_t bytes);
  void drop(std::list<Entry>::iterator entry);

  const Limits limits_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
  std::uint64_t stored_ = 0, reserved_ = 0;
};

}  // namespace sinew::studio
