//===- Rows.h - Compressed rows of integers ---------------------*- C++ -*-===//
//
// Adjacency in two arrays; what graphs and hypergraphs of placement problems
// are stored in.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROWS_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROWS_H

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace soap::placement {

class Rows {
public:
  Rows() = default;
  /// Pairs of row and item; each row's items come sorted, without repetitions.
  Rows(size_t rowCount, std::vector<std::pair<int, int>> pairs) {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    first.assign(rowCount + 1, 0);
    items.reserve(pairs.size());
    for (const auto &[row, item] : pairs) {
      ++first[row + 1];
      items.push_back(item);
    }
    for (size_t row = 0; row < rowCount; ++row)
      first[row + 1] += first[row];
  }

  size_t size() const { return first.size() - 1; }
  std::span<const int> operator[](size_t row) const {
    return {items.data() + first[row], items.data() + first[row + 1]};
  }

private:
  std::vector<size_t> first{0};
  std::vector<int> items;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_ROWS_H
