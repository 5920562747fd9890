//===- PrintOpGraph.cpp - Show what a search sees -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-print-op-graph: ops with loops, roles, phases and groups, in
// text for people and tests, or as a problem file for programs.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/OpGroups.h"
#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Search/Problem/GroupBlocks.h"
#include "Soap/Search/Problem/ProblemFile.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPRINTOPGRAPH
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct PrintOpGraph : mlir::soap::impl::SoapPrintOpGraphBase<PrintOpGraph> {
  using SoapPrintOpGraphBase::SoapPrintOpGraphBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<func::FuncOp> chosen = chooseFunction(getOperation(), function);
    if (failed(chosen))
      return signalPassFailure();
    FailureOr<OpGraph> opGraph = buildOpGraph(*chosen);
    if (failed(opGraph))
      return signalPassFailure();
    if (problem.empty())
      return print(*opGraph);
    for (Operation *op : opGraph->ops)
      if (op->hasAttr(kFixed))
        op->emitWarning() << "has '" << kFixed
                          << "', which problem files do not say";
    ::soap::ProblemFile file{opGraph->graph, computeGroups(*opGraph),
                             computeRoles(*opGraph)};
    if (failed(writeOptionFile(getOperation(), "problem", problem,
                               ::soap::printProblemFile(file))))
      signalPassFailure();
  }

  void print(const OpGraph &opGraph);
};

/// Ranges of groups that repeat.
void printBlocks(const ::soap::Graph &graph,
                 llvm::ArrayRef<::soap::OpGroup> groups,
                 const std::vector<std::vector<::soap::Role>> &roles) {
  ::soap::GroupBlocks blocks = ::soap::findBlocks(graph, groups, roles);
  for (const ::soap::RepeatedRun &run : blocks.runs) {
    llvm::outs() << run.count << " blocks of " << run.size << " groups\n";
    for (int b = 0; b < run.count; ++b) {
      llvm::outs() << "  ";
      llvm::interleaveComma(
          llvm::seq(0, run.size), llvm::outs(), [&](int place) {
            int group = blocks.order[run.first + b * run.size + place];
            llvm::outs() << graph.nodes[groups[group].leader].whole.name;
          });
      llvm::outs() << '\n';
    }
  }
}

} // namespace

static const char *phaseName(::soap::Phase phase) {
  switch (phase) {
  case ::soap::Phase::Forward:
    return "forward";
  case ::soap::Phase::Backward:
    return "backward";
  case ::soap::Phase::Update:
    return "update";
  }
  return "";
}

static void printKernel(const ::soap::Graph &graph,
                        const ::soap::Kernel &kernel) {
  auto names = [&](const std::vector<int> &values) {
    return llvm::join(
        llvm::map_range(values,
                        [&](int value) { return graph.values[value].name; }),
        ", ");
  };
  llvm::outs() << kernel.name << ": " << kernel.kind << " ("
               << names(kernel.operands) << ") -> (" << names(kernel.results)
               << "), " << phaseName(kernel.phase) << '\n';
}

void PrintOpGraph::print(const OpGraph &opGraph) {
  const ::soap::Graph &graph = opGraph.graph;
  llvm::raw_ostream &stream = llvm::outs();
  for (const ::soap::GraphInput &input : graph.inputs) {
    stream << "input " << graph.values[input.value].name;
    if (input.updateNode >= 0)
      stream << " updated by " << graph.nodes[input.updateNode].whole.name
             << ", operand " << input.updateOperand << ", result "
             << input.updateResult;
    stream << '\n';
  }
  std::vector<std::vector<::soap::Role>> roles = computeRoles(opGraph);
  std::vector<::soap::OpGroup> groups = computeGroups(opGraph);
  for (const ::soap::OpGroup &group : groups) {
    const ::soap::IterationSpace &leader =
        graph.nodes[group.leader].whole.space;
    stream << "group " << graph.nodes[group.leader].whole.name << '\n';
    for (auto [node, loops] : llvm::zip_equal(group.nodes, group.loops)) {
      stream << "  ";
      printKernel(graph, graph.nodes[node].whole);
      const auto &own = graph.nodes[node].whole.space.loops;
      if (!own.empty()) {
        stream << "    ";
        llvm::interleaveComma(
            llvm::seq<size_t>(0, own.size()), stream, [&](size_t l) {
              stream << own[l].name << '=' << own[l].extent << ' '
                     << ::soap::roleName(own[l], roles[node][l]);
              if (node == group.leader ||
                  own[l].type == ::soap::IteratorType::Serial)
                return;
              stream << (loops[l] < 0 ? " uncut"
                                      : " as " + leader.loops[loops[l]].name);
            });
        stream << '\n';
      }
      for (const ::soap::Kernel &stage : graph.nodes[node].stages) {
        stream << "    stage ";
        printKernel(graph, stage);
      }
    }
  }
  for (const ::soap::GraphOutput &output : graph.outputs)
    stream << "output " << output.name << " = "
           << graph.values[output.value].name << '\n';
  printBlocks(graph, groups, roles);
}
