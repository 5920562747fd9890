//===- DominantLoop.cpp - The loop that splits a dim ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DominantLoop.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/DominantLoop.h"

using namespace soap;

int soap::dominantLoop(const IterationSpace &space, const DimMap &map) {
  if (map.kind == DimMap::Kind::Whole || map.terms.empty())
    return -1;
  // Compound dims (g * O + o) are split evenly by their outermost loop that can
  // be split at all.
  const Term *best = &map.terms.front();
  for (const Term &term : map.terms) {
    bool cuttable = space.loops[term.loop].extent > 1;
    bool bestCuttable = space.loops[best->loop].extent > 1;
    if ((cuttable && !bestCuttable) ||
        (cuttable == bestCuttable && term.coefficient > best->coefficient))
      best = &term;
  }
  return best->loop;
}
