//===- TaskQueue.h - Ready tasks of a simulation ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The heap under the queues of all simulators: tasks by (ready time, key). Keys
// are unique and do not depend on the order in which tasks were made.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SIMULATOR_TASKQUEUE_H
#define SOAP_SIMULATOR_TASKQUEUE_H

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <vector>

namespace soap {

/// A radix heap (Ahuja et al., 1990) with a sorted front: entries must be
/// pushed after the last one that was popped in their order, as in a
/// simulation, where what a task releases is ready later than the task was. An
/// entry behind the front lies in the bucket of the highest bit in which it
/// differs from the end of the front, so that all of a bucket come before those
/// of the next; it moves to lower buckets only, and a small lowest bucket
/// becomes the front.
class TaskQueue {
public:
  struct Entry {
    int64_t readyNs; ///< not negative
    uint64_t key;    ///< block, index
    bool operator<(const Entry &other) const {
      return position() < other.position();
    }
    /// As one number, which is compared without a branch.
    unsigned __int128 position() const {
      return static_cast<unsigned __int128>(static_cast<uint64_t>(readyNs))
                 << 64 |
             key;
    }
    int block() const { return static_cast<int>(key >> 32); }
    int index() const { return static_cast<int>(key & 0xffffffff); }
  };

  bool empty() const { return front.empty() && (filled[0] | filled[1]) == 0; }
  void clear() {
    front.clear();
    while ((filled[0] | filled[1]) != 0)
      take(lowest()).clear();
    end = {0, 0};
  }
  void push(int64_t readyNs, int block, int index) {
    push({readyNs,
          static_cast<uint64_t>(block) << 32 | static_cast<uint32_t>(index)});
  }
  void push(Entry entry) {
    assert(entry.readyNs >= 0 && "a ready time is not negative");
    if (!front.empty() && entry < end)
      front.insert(std::upper_bound(
                       front.begin(), front.end(), entry,
                       [](const Entry &a, const Entry &b) { return b < a; }),
                   entry);
    else
      pushBehind(entry);
  }
  Entry pop() {
    assert(!empty() && "there must be a task");
    if (front.empty())
      refill();
    Entry first = front.back();
    front.pop_back();
    return first;
  }

  /// Appends all entries.
  void save(std::vector<Entry> &entries) const {
    entries.insert(entries.end(), front.begin(), front.end());
    for (size_t word = 0; word < filled.size(); ++word)
      for (uint64_t left = filled[word]; left != 0; left &= left - 1) {
        const std::vector<Entry> &bucket =
            buckets[64 * word + static_cast<size_t>(std::countr_zero(left))];
        entries.insert(entries.end(), bucket.begin(), bucket.end());
      }
  }
  /// Holds these entries instead of others.
  void load(const std::vector<Entry> &entries) {
    clear();
    for (const Entry &entry : entries)
      push(entry);
  }

private:
  static constexpr size_t maxInFront = 32;
  std::vector<Entry> front; ///< the last one comes first
  std::array<std::vector<Entry>, 128> buckets;
  std::array<uint64_t, 2> filled = {0, 0}; ///< buckets, a bit each
  Entry end = {0, 0};                      ///< of the front when it was filled

  void pushBehind(const Entry &entry) {
    assert(!(entry < end) && "pushed before an entry that was popped");
    size_t bucket = bucketOf(entry);
    buckets[bucket].push_back(entry);
    filled[bucket / 64] |= uint64_t(1) << bucket % 64;
  }
  void refill() {
    for (;;) {
      std::vector<Entry> &entries = take(lowest());
      if (entries.size() <= maxInFront) {
        std::swap(front, entries);
        sortFront();
        end = front.front();
        return;
      }
      // The first one differs from the others in lower bits.
      end = *std::min_element(entries.begin(), entries.end());
      for (const Entry &entry : entries)
        pushBehind(entry);
      entries.clear();
    }
  }
  /// The last one first, by insertion: there are few, and most were pushed in
  /// about the opposite order.
  void sortFront() {
    std::reverse(front.begin(), front.end());
    for (size_t i = 1; i < front.size(); ++i) {
      Entry entry = front[i];
      size_t at = i;
      for (; at > 0 && front[at - 1] < entry; --at)
        front[at] = front[at - 1];
      front[at] = entry;
    }
  }
  size_t bucketOf(const Entry &entry) const {
    if (auto bits = static_cast<uint64_t>(entry.readyNs ^ end.readyNs))
      return 64 + static_cast<size_t>(std::bit_width(bits));
    // Two keys differ below bit 63.
    return static_cast<size_t>(std::bit_width(entry.key ^ end.key));
  }
  size_t lowest() const {
    return static_cast<size_t>(filled[0] ? std::countr_zero(filled[0])
                                         : 64 + std::countr_zero(filled[1]));
  }
  std::vector<Entry> &take(size_t bucket) {
    filled[bucket / 64] &= ~(uint64_t(1) << bucket % 64);
    return buckets[bucket];
  }
};

} // namespace soap

#endif // SOAP_SIMULATOR_TASKQUEUE_H
