//===- Rows.h - Compressed rows of integers ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adjacency in two arrays; what graphs and hypergraphs of placement problems
// are stored in.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROWS_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROWS_H

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>
#include <vector>

namespace soap::placement {

class Rows {
public:
  Rows() = default;
  /// Pairs of row and item; each row's items come sorted, without repetitions.
  Rows(size_t rowCount, const std::vector<std::pair<int, int>> &pairs)
      : first(rowCount + 1), items(pairs.size()) {
    for (const auto &[row, item] : pairs) {
      assert(row >= 0 && static_cast<size_t>(row) < rowCount && "no such row");
      ++first[row + 1];
    }
    for (size_t row = 0; row < rowCount; ++row)
      first[row + 1] += first[row];
    std::vector<size_t> end(first.begin(), first.end() - 1);
    for (const auto &[row, item] : pairs)
      items[end[row]++] = item;
    size_t kept = 0;
    for (size_t row = 0; row < rowCount; ++row) {
      auto begin = items.begin() + static_cast<ptrdiff_t>(first[row]);
      auto last = items.begin() + static_cast<ptrdiff_t>(end[row]);
      std::sort(begin, last);
      last = std::unique(begin, last);
      first[row] = kept;
      kept =
          std::copy(begin, last, items.begin() + static_cast<ptrdiff_t>(kept)) -
          items.begin();
    }
    first[rowCount] = kept;
    items.resize(kept);
  }

  size_t size() const { return first.size() - 1; }
  std::span<const int> operator[](size_t row) const {
    assert(row < size() && "no such row");
    return {items.data() + first[row], items.data() + first[row + 1]};
  }

private:
  std::vector<size_t> first{0};
  std::vector<int> items;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROWS_H
