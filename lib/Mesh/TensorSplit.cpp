//===- TensorSplit.cpp - Tensors of a cut op along axes -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorSplit.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Mesh/TensorSplit.h"

#include <algorithm>
#include <cassert>

using namespace soap;

/// The axes that cut a dim of extent `extent`.
static std::optional<Axes> splitOf(const DimMap &map, int64_t extent,
                                   const IterationSpace &space,
                                   const std::vector<int64_t> &degrees,
                                   const Split &axes) {
  auto isCut = [&](const Term &term) { return !axes[term.loop].empty(); };
  if (std::none_of(map.terms.begin(), map.terms.end(), isCut))
    return Axes();
  if (map.kind != DimMap::Kind::Radix &&
      (map.terms.size() != 1 || map.terms[0].coefficient != 1 ||
       map.divisor != 1 || map.scale != 1 || map.extraLow != 0 ||
       map.extraHigh != 0 || map.clip >= 0))
    return std::nullopt;
  if (map.offset != 0)
    return std::nullopt;
  std::vector<Term> terms = map.terms;
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
    return a.coefficient > b.coefficient;
  });
  // Digits of the index: blocks of a digit are blocks of the dim where all
  // digits before it are single ones.
  Axes split;
  int64_t rest = extent;
  bool mayCut = true;
  for (const Term &term : terms) {
    int64_t loop = space.loops[term.loop].extent;
    if (isCut(term) && (!mayCut || rest != loop * term.coefficient))
      return std::nullopt;
    split.insert(split.end(), axes[term.loop].begin(), axes[term.loop].end());
    mayCut &= degrees[term.loop] == loop;
    rest = term.coefficient;
  }
  return split;
}

std::optional<Split> soap::splitOf(const AccessMap &map,
                                   const std::vector<int64_t> &shape,
                                   const IterationSpace &space,
                                   const std::vector<int64_t> &degrees,
                                   const Split &axes) {
  assert(map.size() == shape.size() && "a map a dim");
  Split split;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::optional<Axes> own = ::splitOf(map[d], shape[d], space, degrees, axes);
    if (!own)
      return std::nullopt;
    split.push_back(std::move(*own));
  }
  return split;
}
