//===- Milp.cpp - The integer program of the maximum load -----------------===//
#include "Soap/Search/DevicePlacement/Latency.h"
#include "Splits.h"
using namespace soap;
using namespace soap::placement;
bool placement::haveMilp() { return false; }
Expected<Answer> placement::solveMilp(const Problem &, const Objective &,
                                      const Budget &) {
  return Error{"this build has no HiGHS"};
}
Expected<LatencyAnswer> placement::solveLatencyMilp(const Problem &,
                                                    const LatencyObjective &,
                                                    const Budget &) {
  return Error{"this build has no HiGHS"};
}
