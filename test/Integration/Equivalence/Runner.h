//===- Runner.h - Runs a case and its partitioned programs ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

#include "Soap/Runtime/Processes/World.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <set>

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
  /// Names of the ops that strategies distribute.
  std::set<std::string> ops() const;
  /// Draws a strategy for 1 to 8 devices.
  void draw(Random &random, DrawStatistics &statistics);
  /// The strategy of a preset, on a cluster of 1 to 8 devices with one or more
  /// machines. Empty string on success.
  std::string drawPreset(Random &random, const std::string &preset);
  /// A pipeline on 2 to 8 devices: stages, chunks, microbatches, schedule, and
  /// the preset inside of stages; in one of three, a placement whose devices
  /// have several stages, or share some and take turns. In one of four, the
  /// backward pass computes activations again. All functions of a step with
  /// stages are partitioned. Empty string on success.
  std::string drawPipeline(Random &random);
  /// Partitions, lowers (`lowering`: a pipeline, soap-lower-to-cpu with its
  /// options, say) and runs under the strategy, and checks everything. Empty
  /// string on success, else what differs.
  std::string check(const std::string &lowering);
  /// How much the compiler optimizes what `check` runs from now on, 0 to 3.
  /// Most programs take longer to optimize than to run.
  void setOptLevel(int level) { optLevel = level; }
  /// From now on, `draw` and `drawPreset` decide no `soap.keep`.
  void keepEverything() { decidesKeeps = false; }
  /// `check`; then the backward pass of the same program under the same
  /// strategy computes activations again, chosen by `options` of
  /// soap-recompute, and all tiles have to be the same bits. Adds the number of
  /// ops that are computed again. Empty string on success, else what differs.
  std::string checkRecomputed(const std::string &lowering,
                              const std::string &options, int64_t &recomputed);
  /// Whether the backward pass of what was drawn computes activations again,
  /// and it keeps no weights in one form: some of these may be read by what is
  /// computed again alone.
  bool canDropRecomputed() const;
  /// `check` without what is computed again, then with it: all tiles have to be
  /// the same bits. Adds the number of ops that are computed again.
  std::string checkWithoutRecomputed(const std::string &lowering,
                                     int64_t &recomputed);
  /// IR with the strategy.
  const std::string &program() const { return programText; }
  int devices() const { return numDevices; }
  /// The cluster that plans and times are for.
  const std::string &topology() const { return topologyName; }

private:
  void keepSome();
  void offloadSome();
  /// Sets `programText`.
  void printProgram();
  Case source;
  /// With the entry alone; with all functions of a step, for pipelines.
  mlir::OwningOpRef<mlir::ModuleOp> base, whole;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string entry, programText;
  int numDevices = 1;
  std::string topologyName;
  bool decidesKeeps = true;
  int optLevel = 0;
  Tensors inputs, expected, expectedUpdates;
  /// Results of the last `check`: tiles by tensor, region and device.
  std::map<std::string, Values> tiles;

  /// Parses the case, with f64 wherever it has f32 if `wide`, and makes it a
  /// training step by these options, unless they are empty. `module` has the
  /// entry alone, `all`, unless null, all functions of a training step.
  std::string parse(mlir::MLIRContext &context, bool wide,
                    const std::string &training,
                    mlir::OwningOpRef<mlir::ModuleOp> &module,
                    mlir::OwningOpRef<mlir::ModuleOp> *all = nullptr) const;
  void eraseOthers(mlir::ModuleOp module) const;
  std::string drawPlacement(Random &random, std::string recompute,
                            int64_t microbatches, bool isGPipe);
  std::string checkKept() const;
  /// Whether the tiles of the last `check` are the same bits as `kept`. Empty
  /// string if they are.
  std::string compareTiles(const std::map<std::string, Values> &kept) const;
  int64_t countRecomputed() const;
  /// Fills the inputs anew, with data of `dataSeed` and on, where rounding
  /// matters much.
  std::string compareWithF32(mlir::MLIRContext &context, uint64_t dataSeed);
  void fillInputs(uint64_t dataSeed);
};

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_RUNNER_H
