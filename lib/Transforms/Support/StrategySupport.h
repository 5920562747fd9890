//===- StrategySupport.h - What strategy passes share -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the options of a pass to the problem that its function is, carrying a
// strategy over to the other functions of the module, memory, and writing
// result files. Shared by all passes that read or write strategies.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_SUPPORT_STRATEGYSUPPORT_H
#define SOAP_LIB_TRANSFORMS_SUPPORT_STRATEGYSUPPORT_H

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Plan/StrategyFile.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"
#include "Soap/Topology/Topology.h"

#include <memory>

namespace mlir::soap {

/// The function called `name`; without a name `@train_step`, else `@evaluate`,
/// else `@forward`, else the only function with a body. An error says what was
/// expected.
FailureOr<func::FuncOp> chooseFunction(ModuleOp module, StringRef name);

/// A function on a topology, as the search library sees it. On the heap: the
/// problem refers to its neighbours.
struct FunctionProblem {
  ::soap::Topology topology;
  func::FuncOp function;
  OpGraph opGraph;
  std::optional<::soap::ParallelizationProblem> problem;
};

/// An error if no op of the function (as in `chooseFunction`) has a config. For
/// what needs a strategy, before it asks for the topology, which comes with
/// one.
LogicalResult checkHasStrategy(ModuleOp module, StringRef function);

/// `function` as in `chooseFunction`; untied: every op is a group.
FailureOr<std::unique_ptr<FunctionProblem>>
openProblem(ModuleOp module, ::soap::Topology topology, StringRef function,
            bool untied = false);
/// The same with the topology of options (`resolveTopology`).
FailureOr<std::unique_ptr<FunctionProblem>>
openProblem(ModuleOp module, StringRef topology, StringRef profile,
            StringRef function, bool untied = false, StringRef executor = {});

/// Peak bytes of every device; where all its tiles fit at once, no more than
/// these.
std::vector<int64_t> neededBytes(const FunctionProblem &problem,
                                 const ::soap::Strategy &strategy);
/// Of the device that lacks most memory, the bytes that it needs and has, and
/// how many more lack some; empty if all have what they need.
std::string describeLack(const ::soap::Topology &topology,
                         ArrayRef<int64_t> neededBytes);
/// If devices have less memory than they need, says so of the one that lacks
/// most, as an error or a warning, and returns false.
bool checkMemory(const FunctionProblem &problem, ArrayRef<int64_t> neededBytes,
                 DiagnosticSeverity severity);
/// The same for what the strategy has in the memory of hosts.
bool checkHostMemory(const FunctionProblem &problem,
                     const ::soap::Strategy &strategy,
                     DiagnosticSeverity severity);

/// The option `offload` of passes: `none` takes all states of the optimizer of
/// the function (as in `chooseFunction`) out of the memory of the host,
/// `optimizer` puts them there, `as-is` leaves them where they are.
LogicalResult chooseOffload(ModuleOp module, StringRef offload,
                            StringRef function);

/// A pipeline that goes with the configs of a strategy.
struct ModulePipeline {
  PipelineAttr attribute;
  /// None: every device that has ops is a stage.
  std::vector<StageEntry> stages;
};

/// Writes the strategy on the ops of its function, and on the ops of every
/// other function: an op takes the config of the op with the same `soap.name`,
/// else, or if that is on devices of another stage, it runs whole on the first
/// device of its stage, without stages on that of what it reads last. Leaves
/// the topology and the pipeline on the module; null: there is none. Callers
/// check what they have written (ProgramCheck.h).
LogicalResult writeModuleStrategy(ModuleOp module, const OpGraph &opGraph,
                                  const ::soap::Strategy &strategy,
                                  const ::soap::Topology &topology,
                                  const ModulePipeline *pipeline = nullptr);

/// The file that pass option `option` names. An error names both.
FailureOr<::soap::StrategyFile>
readStrategyFile(ModuleOp module, StringRef option, StringRef path);
/// The strategy in it, for an op graph.
FailureOr<::soap::Strategy> readStrategyFile(ModuleOp module, StringRef option,
                                             StringRef path,
                                             const ::soap::Graph &graph,
                                             const ::soap::Topology &topology);

/// `lenet on p100-1x4`: what a drawing shows. The model goes by the name of its
/// module, else by that of its file.
std::string drawingTitle(ModuleOp module, StringRef topology);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_SUPPORT_STRATEGYSUPPORT_H
