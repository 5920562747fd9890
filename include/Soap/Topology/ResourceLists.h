//===- ResourceLists.h - Lists of resources by number -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers the lists of resources of tasks that occupy several. A search meets
// dozens of new lists with each proposal, so all of them lie in one array, and
// a table of numbers finds the known ones.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOPOLOGY_RESOURCELISTS_H
#define SOAP_TOPOLOGY_RESOURCELISTS_H

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace soap {

/// Each list has one number; the first is 0.
class ResourceLists {
public:
  /// Number of a list that may have been seen before; constant time per
  /// resource. Spans of other lists end to hold if it has not.
  int number(std::span<const int> list);
  std::span<const int> operator[](int number) const {
    assert(number >= 0 && static_cast<size_t>(number) < size() &&
           "no such list");
    auto n = static_cast<size_t>(number);
    return {members.data() + starts[n], starts[n + 1] - starts[n]};
  }
  size_t size() const { return starts.size() - 1; }
  /// About how many bytes they take.
  size_t bytes() const {
    return members.size() * sizeof(int) + size() * 16 +
           table.size() * sizeof(int);
  }

private:
  std::vector<int> members;
  std::vector<size_t> starts = {0}; ///< by number; then the end
  std::vector<uint32_t> hashes;     ///< by number
  /// Numbers at the places that hashes ask for, or the first free one after it;
  /// -1: free. A power of two, at most half full.
  std::vector<int> table;

  void grow();
};

} // namespace soap

#endif // SOAP_TOPOLOGY_RESOURCELISTS_H
