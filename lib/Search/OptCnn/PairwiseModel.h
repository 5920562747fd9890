//===- PairwiseModel.h - Minimal sums of pairwise costs ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables with a cost per value and a cost per pair of values of some
// variables: the cheapest choice of all values, by node and edge elimination
// (Jia et al., Exploring Hidden Dimensions, 2018, section 5.2). What is not
// reducible that way is enumerated: a variable gets each of its values in turn.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_OPTCNN_PAIRWISEMODEL_H
#define SOAP_LIB_SEARCH_OPTCNN_PAIRWISEMODEL_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace soap {

class PairwiseModel {
public:
  /// Costs of each value; there must be at least one. Returns the number of the
  /// variable.
  int addVariable(std::vector<int64_t> costs);
  /// Adds costs[a * size(second) + b] for values a and b. Parallel edges are
  /// summed (edge elimination). The variables must differ.
  void addEdge(int first, int second, const std::vector<int64_t> &costs);

  std::size_t size(int variable) const { return unary[variable].size(); }

  struct Solution {
    int64_t cost = 0;
    std::vector<int> values; ///< by variable
  };
  /// Steps that `solve` takes, approximately.
  double work() const;
  /// The cheapest values; of equally cheap ones always the same.
  Solution solve() const;

private:
  using Matrix = std::vector<int64_t>;
  std::vector<std::vector<int64_t>> unary;
  std::map<std::pair<int, int>, Matrix> edges; ///< first < second
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_OPTCNN_PAIRWISEMODEL_H
