//===- Runner.h - Runs a case and its partitioned programs ------*- C++ -*-===//
//
// The oracle is the reference lowering of the unsharded program. The same
// function under random strategies is partitioned, lowered, run on one thread
// per device, and compared: results, every updated tile, the task graph rebuilt
// from the partitioned IR, and the bytes sent per pair of devices.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_EQUIVALENCE_RUNNER_H
#define SOAP_TEST_EQUIVALENCE_RUNNER_H

#include "Cases.h"
#include "Configs.h"

#include "Soap/Runtime/World.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace soap::equivalence {

/// A whole tensor as doubles (labels too).
using Values = std::vector<double>;
using Tensors = std::map<std::string, Values>;

/// From here on, programs of enough devices run in all processes of the world,
/// each of which checks the tiles of its devices. All have to draw the same
/// cases.
void runInProcesses(runtime::World *world);

/// One base program with its oracle results; strategies are drawn for clones of
/// it.
class Subject {
public:
  /// Parses, builds the training step if the case is one, fills inputs and runs
  /// the oracle. Empty string on success, else what failed.
  std::string prepare(mlir::MLIRContext &context, const Case &source,
                      uint64_t dataSeed);
  /// Draws a strategy for 1 to 8 devices, and checks everything. Empty string
  /// on success, else what differs.
  std::string check(Random &random, DrawStatistics &statistics,
                    std::string &description);
  /// IR of the last strategy, for reports.
  const std::string &lastProgram() const { return program; }

private:
  Case source;
  mlir::OwningOpRef<mlir::ModuleOp> base;
  std::string entry, program;
  Tensors inputs, expected, expectedUpdates;
};

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_RUNNER_H
