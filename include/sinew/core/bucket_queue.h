// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinew {

/// A queue for marching fronts: gives entries in the order of their keys, of equal ones the lower item first, while keys
/// that are pushed are not smaller than the one popped last. Only the entries of one small range of keys are kept in order,
/// so a push costs a few steps however many wait, and what was pushed again with a smaller key can be dropped unsorted.
template <class Key>
class BucketQueue {
 public:
  struct Entry {
    Key key;
    std::uint32_t item;
    /// What standard heaps keep on top is the largest.
    bool operator<(const Entry& other) const {
      return key != other.key ? key > other.key : item > other.item;
    }
  };

  /// `width` > 0: of a range of keys; a fraction of what a step adds to a key. Negative keys all lie in one.
  explicit BucketQueue(Key width) : per_width_(1 / width), first_(kRanges, kNone) {}

  void push(Key key, std::uint32_t item) {
    const std::size_t range = range_of(key);
    if (range <= range_) {
      near_.push_back({key, item});
      std::push_heap(near_.begin(), near_.end());
      return;
    }
    if (free_ == kNone) {
      free_ = static_cast<std::uint32_t>(waiting_.size());
      waiting_.push_back({{}, kNone});
    }
    const std::uint32_t at = free_;
    free_ = waiting_[at].next;
    waiting_[at] = {{key, item}, first_[range]};
    first_[range] = at;
    last_ = std::max(last_, range);
  }

  /// The next entry; false: none is left. `is_stale(entry)`: entries for which it is true may be left out.
  template <class IsStale>
  bool pop(Entry& entry, IsStale&& is_stale) {
    while (near_.empty()) {
      if (range_ >= last_) return false;
      ++range_;
      while (first_[range_] != kNone) {
        const std::uint32_t at = first_[range_];
        if (!is_stale(waiting_[at].entry)) near_.push_back(waiting_[at].entry);
        first_[range_] = waiting_[at].next;
        waiting_[at].next = free_;
        free_ = at;
      }
      std::make_heap(near_.begin(), near_.end());
    }
    std::pop_heap(near_.begin(), near_.end());
    entry = near_.back();
    near_.pop_back();
    return true;
  }

  /// What pop is likely to give next, to fetch ahead what belongs to it; null: not known.
  const Entry* next() const { return near_.empty() ? nullptr : &near_.front(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kRanges = 4096;  // the last one holds whatever is farther
  struct Waiting {
    Entry entry;
    std::uint32_t next;
  };

  std::size_t range_of(Key key) const {
    const Key range = key * per_width_;
    if (!(range > 0)) return 0;
    return range < static_cast<Key>(kRanges - 1) ? static_cast<std::size_t>(range) : kRanges - 1;
  }

  Key per_width_;
  std::vector<std::uint32_t> first_;  // per range: the head of a list
  std::vector<Waiting> waiting_;
  std::vector<Entry> near_;  // a heap: the range that is being emptied
  std::size_t range_ = 0, last_ = 0;
  std::uint32_t free_ = kNone;
};

}  // namespace sinew
