//===- Hosts.cpp - Two-level topologies -----------------------------------===//
#include "Splits.h"
using namespace soap;
using namespace soap::placement;
Answer placement::solveHosts(const Problem &problem, const Objective &objective,
                             const Budget &budget) {
  return solveGreedy(problem, objective, budget);
}
