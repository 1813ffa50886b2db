// SPDX-License-Identifier: Apache-2.0
#include "file_store.h"

#include <algorithm>

#include "guard.h"
#include "sinew/core/text.h"

namespace sinew::studio {
namespace {

constexpr std::size_t kLongestName = 120, kLongestExtension = 16;

// What is behind the last slash or backslash, safe to print. A long one loses its middle: the extension says how
// to read the file.
std::string label(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string extension = printable(std::string_view(name).substr(dot), kLongestExtension);
  const std::string clean =
      printable(std::string_view(name).substr(0, dot), kLongestName - extension.size()) + extension;
  return clean.empty() ? "unnamed" : clean;
}

}  // namespace

// Evicts until so many more bytes and one more file fit. Called with the lock held.
Result<void> FileStore::make_room(std::uint64_t bytes) {
  if (bytes > limits_.file_bytes)
    return limit_error("a file may have " + std::to_string(limits_.file_bytes) +
                       " bytes here, and this has " + std::to_string(bytes));
  while (stored_ + reserved_ + bytes > limits_.total_bytes || entries_.size() >= limits_.files) {
    const auto oldest =
        std::find_if(entries_.rbegin(), entries_.rend(), [](const Entry& e) { return !e.keep; });
    if (oldest == entries_.rend())
      return limit_error("there is no room for more files at the moment; try again when others have arrived");
    drop(std::prev(oldest.base()));
  }
  return {};
}

void FileStore::drop(std::list<Entry>::iterator entry) {
  stored_ -= entry->file.bytes->size();
  entries_.erase(entry);
}

Result<FileStore::Room> FileStore::reserve(std::uint64_t bytes) {
  struct Held {
    explicit Held(FileStore& of) : store(of) {}
    FileStore& store;
    std::uint64_t bytes = 0;
    ~Held() {
      const std::lock_guard again(store.mutex_);
      store.reserved_ -= bytes;
    }
  };
  const auto held = std::make_shared<Held>(*this);  // before the lock, which it takes where it goes
  const std::lock_guard lock(mutex_);
  SINEW_CHECK(make_room(bytes));
  reserved_ += bytes;
  held->bytes = bytes;
  return Room(held);
}

Result<StoredFile> FileStore::add(const std::string& name, std::string bytes, bool keep) {
  const std::lock_guard lock(mutex_);
  SINEW_CHECK(make_room(bytes.size()));
  StoredFile file{{label(name), std::make_shared<const std::string>(std::move(bytes))}, random_id()};
  stored_ += file.bytes->size();
  entries_.push_front({file, keep});
  return file;
}

std::optional<StoredFile> FileStore::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->file.id != id) continue;
    entries_.splice(entries_.begin(), entries_, entry);
    return entry->file;
  }
  return std::nullopt;
}

bool FileStore::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.file.id == id; });
  if (entry == entries_.end()) return false;
  drop(entry);
  return true;
}

}  // namespace sinew::studio
