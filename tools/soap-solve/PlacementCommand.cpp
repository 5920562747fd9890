//===- PlacementCommand.cpp - soap-solve placement ------------------------===//
//
// Flags of the placement problem, and what they make of an instance.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

using namespace soap;
using namespace soap::solve;

namespace {

int solvePlacement(const std::vector<std::string> &arguments) {
  return failInput("no solver is linked");
}

Expected<std::string> verifyPlacement(const Document &instance,
                                      const Document &) {
  return Error{instance.path + ": no verifier is linked"};
}

} // namespace

ProblemKind solve::placementKind() {
  return {"placement", "device placement: which device computes which operator",
          "maxFPGAs", solvePlacement, verifyPlacement};
}
