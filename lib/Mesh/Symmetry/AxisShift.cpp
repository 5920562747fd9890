//===- AxisShift.cpp - Steps along an axis --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AxisShift.h.
//
//===----------------------------------------------------------------------===//

#include "AxisShift.h"

using namespace soap;

std::optional<int64_t> soap::shiftOf(const DimMap &map, const Term &term,
                                     int64_t step, const IterationSpace &space,
                                     int64_t extent) {
  int64_t first = map.offset, last = map.offset;
  for (const Term &other : map.terms) {
    int64_t reach = other.coefficient *
                    (space.loops[static_cast<size_t>(other.loop)].extent - 1);
    (reach < 0 ? first : last) += reach;
  }
  int64_t shift = term.coefficient * step;
  if (map.kind == DimMap::Kind::Window) {
    if (first < 0 || map.clip >= 0 || shift % map.divisor != 0)
      return std::nullopt;
    shift = shift / map.divisor * map.scale;
    first = (first + map.divisor - 1) / map.divisor * map.scale + map.extraLow;
    last = last / map.divisor * map.scale + map.extraHigh;
  }
  if (first < 0 || last >= extent)
    return std::nullopt;
  return shift;
}
