//===- TaskQueue.h - Ready tasks of a simulation ----------------*- C++ -*-===//
//
// The queue of Algorithm 1 of the SOAP paper: tasks by (ready time, key). Keys
// are unique and do not depend on the order in which tasks were made.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_TASKQUEUE_H
#define SOAP_CORE_TASKQUEUE_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace soap {

/// A 4-ary heap.
class TaskQueue {
public:
  struct Entry {
    int64_t readyNs;
    uint64_t key; ///< block, index
    bool operator<(const Entry &other) const {
      return readyNs != other.readyNs ? readyNs < other.readyNs
                                      : key < other.key;
    }
    int block() const { return static_cast<int>(key >> 32); }
    int index() const { return static_cast<int>(key & 0xffffffff); }
  };

  bool empty() const { return entries.empty(); }
  void clear() { entries.clear(); }
  void push(int64_t readyNs, int block, int index) {
    push({readyNs,
          static_cast<uint64_t>(block) << 32 | static_cast<uint32_t>(index)});
  }
  void push(Entry entry) {
    size_t i = entries.size();
    entries.push_back(entry);
    while (i > 0) {
      size_t parent = (i - 1) / 4;
      if (!(entry < entries[parent]))
        break;
      entries[i] = entries[parent];
      i = parent;
    }
    entries[i] = entry;
  }
  Entry pop() {
    Entry top = entries.front(), last = entries.back();
    entries.pop_back();
    size_t size = entries.size(), i = 0;
    if (size == 0)
      return top;
    for (;;) {
      size_t first = 4 * i + 1, end = std::min(first + 4, size), best = first;
      if (first >= size)
        break;
      for (size_t c = first + 1; c < end; ++c)
        if (entries[c] < entries[best])
          best = c;
      if (!(entries[best] < last))
        break;
      entries[i] = entries[best];
      i = best;
    }
    entries[i] = last;
    return top;
  }

private:
  std::vector<Entry> entries;
};

} // namespace soap

#endif // SOAP_CORE_TASKQUEUE_H
