//===- Bounds.cpp - What no placement beats -------------------------------===//
//
// Lower bounds of the maximum load.
//
//===----------------------------------------------------------------------===//

#include "Splits.h"

using namespace soap;
using namespace soap::placement;

double placement::lowerBound(const Problem &problem, const Objective &objective,
                             const Budget &budget) {
  return 0;
}
