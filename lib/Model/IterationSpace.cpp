//===- IterationSpace.cpp - Images of loop boxes --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pushes boxes of loops through indexing maps: what a shard reads and writes.
// Halos, borders and partial results all follow from these functions.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/IterationSpace.h"

#include <algorithm>
#include <cassert>

using namespace soap;

int IterationSpace::findLoop(const std::string &name) const {
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].name == name)
      return static_cast<int>(i);
  return -1;
}

LoopBox IterationSpace::wholeBox() const {
  LoopBox box;
  box.reserve(loops.size());
  for (const Loop &loop : loops)
    box.push_back({0, loop.extent});
  return box;
}

bool soap::isEmpty(const LoopBox &box) {
  return std::any_of(box.begin(), box.end(), [](const Interval &range) {
    return range.lo >= range.hi;
  });
}

/// Pairs with column - row <= bound. For a row, the columns up to row + bound
/// count, all C of them at most: sums of min(max(x, 0), C) over consecutive x.
static double countUpTo(const Interval &rows, const Interval &columns,
                        int64_t bound) {
  auto all = static_cast<double>(columns.size());
  auto sumUpTo = [&](double x) {
    if (x <= 0)
      return 0.0;
    double least = std::min(x, all);
    return least * (least + 1) / 2 + (x - least) * all;
  };
  int64_t first = rows.lo + bound + 1 - columns.lo;
  return sumUpTo(static_cast<double>(first + rows.size() - 1)) -
         sumUpTo(static_cast<double>(first - 1));
}

bool Band::meets(const Interval &rowRange, const Interval &columnRange) const {
  if (low > high || rowRange.size() == 0 || columnRange.size() == 0)
    return false;
  if (share > 0)
    return true;
  return columnRange.lo - (rowRange.hi - 1) <= high &&
         columnRange.hi - 1 - rowRange.lo >= low;
}

double Band::count(const Interval &rowRange,
                   const Interval &columnRange) const {
  if (!meets(rowRange, columnRange))
    return 0;
  if (share > 0)
    return share * static_cast<double>(rowRange.size()) *
           static_cast<double>(columnRange.size());
  return countUpTo(rowRange, columnRange, high) -
         countUpTo(rowRange, columnRange, low - 1);
}

double soap::pointsOf(const IterationSpace &space, const LoopBox &box) {
  assert(box.size() == space.loops.size() && "a range a loop");
  double points = 1;
  for (size_t l = 0; l < box.size(); ++l) {
    auto loop = static_cast<int>(l);
    if (!space.band ||
        (loop != space.band->rows && loop != space.band->columns))
      points *= static_cast<double>(box[l].size());
  }
  if (const std::optional<Band> &band = space.band)
    points *= band->count(box[static_cast<size_t>(band->rows)],
                          box[static_cast<size_t>(band->columns)]);
  return points;
}

Interval soap::cut(int64_t extent, int64_t degree, int64_t i) {
  assert(degree > 0 && i >= 0 && i < degree && "no such piece");
  assert(extent >= 0 && "a negative extent");
  return {i * extent / degree, (i + 1) * extent / degree};
}

bool soap::usesLoop(const AccessMap &map, int loop) {
  for (const DimMap &dim : map)
    for (const Term &term : dim.terms)
      if (term.loop == loop && term.coefficient != 0)
        return true;
  return false;
}

static int64_t ceilDiv(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}
static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Values of `offset + sum(terms)`, exactly. Terms are folded from the smallest
/// stride to the largest: a term whose stride is at most the length of the run
/// so far extends the run, so contiguous images are never enumerated.
static IndexSet radixImage(const DimMap &map, const LoopBox &box) {
  std::vector<Term> terms;
  terms.reserve(map.terms.size());
  for (const Term &term : map.terms) {
    // A loop that appears twice moves both terms together.
    auto same = std::find_if(terms.begin(), terms.end(), [&](const Term &t) {
      return t.loop == term.loop;
    });
    if (same == terms.end())
      terms.push_back(term);
    else
      same->coefficient += term.coefficient;
  }
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
    return std::abs(a.coefficient) < std::abs(b.coefficient);
  });

  IndexSet set(map.offset, map.offset + 1);
  for (const Term &term : terms) {
    assert(term.loop >= 0 && static_cast<size_t>(term.loop) < box.size() &&
           "no such loop");
    Interval range = box[term.loop];
    if (range.size() == 0)
      return {};
    int64_t stride = term.coefficient;
    if (range.size() == 1 || stride == 0) {
      set = set.shift(stride * range.lo);
      continue;
    }
    int64_t first = stride * (stride > 0 ? range.lo : range.hi - 1);
    stride = std::abs(stride);
    if (set.isInterval() && stride <= set.size()) {
      set = IndexSet(set.lo() + first,
                     set.hi() + first + stride * (range.size() - 1));
      continue;
    }
    std::vector<Interval> copies;
    copies.reserve(set.intervals().size() * range.size());
    for (int64_t i = 0; i < range.size(); ++i)
      for (const Interval &interval : set.intervals())
        copies.push_back({interval.lo + first + i * stride,
                          interval.hi + first + i * stride});
    set = IndexSet::fromIntervals(std::move(copies));
  }
  return set;
}

/// Hull of the values, divided, clipped and scaled, as `DimMap` says.
static IndexSet windowImage(const DimMap &map, const LoopBox &box,
                            int64_t extent) {
  assert(map.divisor > 0 && "nothing is divided by it");
  int64_t low = map.offset, high = map.offset; // inclusive
  for (const Term &term : map.terms) {
    Interval range = box[term.loop];
    if (range.size() == 0)
      return {};
    int64_t first = term.coefficient * range.lo,
            last = term.coefficient * (range.hi - 1);
    low += std::min(first, last);
    high += std::max(first, last);
  }
  low = ceilDiv(low, map.divisor);
  high = floorDiv(high, map.divisor);
  if (map.clip >= 0) {
    low = std::max<int64_t>(low, 0);
    high = std::min(high, map.clip - 1);
  }
  if (low > high)
    return {};
  low = low * map.scale + map.extraLow;
  high = high * map.scale + map.extraHigh;
  return IndexSet(std::max<int64_t>(low, 0), std::min(high + 1, extent));
}

/// `image` of a box that is known not to be empty.
static IndexSet imageOfNonEmpty(const DimMap &map, const LoopBox &box,
                                int64_t extent) {
  switch (map.kind) {
  case DimMap::Kind::Whole:
    return IndexSet(0, extent);
  case DimMap::Kind::Window:
    return windowImage(map, box, extent);
  case DimMap::Kind::Radix:
    break;
  }
  // The identity map is by far the most frequent.
  if (map.terms.size() == 1 && map.terms[0].coefficient == 1) {
    Interval range = box[map.terms[0].loop];
    return IndexSet(std::max<int64_t>(range.lo + map.offset, 0),
                    std::min(range.hi + map.offset, extent));
  }
  IndexSet set = radixImage(map, box);
  if (set.lo() < 0 || set.hi() > extent)
    return set.intersect(IndexSet(0, extent));
  return set;
}

IndexSet soap::image(const DimMap &map, const LoopBox &box, int64_t extent) {
  return isEmpty(box) ? IndexSet() : imageOfNonEmpty(map, box, extent);
}

Region soap::image(const AccessMap &map, const LoopBox &box,
                   const std::vector<int64_t> &shape) {
  assert(map.size() == shape.size() && "a map a dim");
  IndexSets dims(map.size());
  if (!isEmpty(box))
    for (size_t d = 0; d < map.size(); ++d)
      dims[d] = imageOfNonEmpty(map[d], box, shape[d]);
  return Region(std::move(dims));
}
