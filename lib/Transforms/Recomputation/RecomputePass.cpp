//===- RecomputePass.cpp - Activation recomputation -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-recompute: ops of the forward pass that the backward pass
// computes again, so that their results need not be kept.
//
//===----------------------------------------------------------------------===//

#include "RecomputeToFit.h"
#include "Transforms/Support/CheckedOptions.h"

#include "Search/Report/SearchSummary.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/GlobPattern.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPRECOMPUTE
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct Recompute
    : CheckedOptions<mlir::soap::impl::SoapRecomputeBase<Recompute>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  LogicalResult checkOptions();
  FailureOr<std::vector<bool>> matchOps(func::FuncOp function,
                                        const ForwardPass &pass);
  FailureOr<std::vector<bool>> chooseBlocks(const FunctionProblem &target,
                                            const ForwardPass &pass,
                                            const ::soap::Strategy &strategy,
                                            const RecomputeChoice &choice,
                                            size_t &count);
};

} // namespace

LogicalResult Recompute::checkOptions() {
  if (!llvm::is_contained({"none", "selective", "whole", "auto"}, blocks))
    return getOperation().emitError()
           << "option 'blocks=" << blocks
           << "': expected none, selective, whole or auto";
  if (!(budget > 0 && budget <= 1))
    return getOperation().emitError()
           << "option 'budget=" << optionNumber(budget)
           << "': expected a share of the forward pass's time, above 0 and at "
              "most 1";
  if (first < 0)
    return getOperation().emitError()
           << "option 'first=" << first.getValue()
           << "': expected a number of blocks, or 0 for all";
  return success();
}

/// The ops that the patterns of `ops` name. One that cannot be recomputed is an
/// error if no pattern characters are in its name's pattern.
FailureOr<std::vector<bool>> Recompute::matchOps(func::FuncOp function,
                                                 const ForwardPass &pass) {
  std::vector<bool> nodes(pass.getOpGraph().graph.nodes.size());
  for (const std::string &text : ops) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return getOperation().emitError()
             << "option 'ops=" << text
             << "': " << llvm::toString(pattern.takeError());
    bool any = false;
    std::string why;
    for (size_t n = 0; n < nodes.size(); ++n) {
      int node = static_cast<int>(n);
      if (!pass.isForward(node) || !pattern->match(pass.kernel(node).name))
        continue;
      why = pass.whyNot(node);
      if (!why.empty() && text == pass.kernel(node).name)
        return getOperation().emitError()
               << "option 'ops=" << text << "': \"" << text
               << "\" cannot be recomputed: " << why;
      if (!why.empty())
        continue;
      any = true;
      nodes[n] = true;
    }
    if (!any)
      return getOperation().emitError()
             << "option 'ops=" << text << "': '@" << function.getName()
             << "' has no op of the forward pass with such a name that can be "
                "recomputed";
  }
  std::vector<bool> useful = pass.findUseful(nodes);
  for (int n : ::soap::nodesIn(nodes))
    if (!useful[n] && llvm::is_contained(ops, pass.kernel(n).name))
      return getOperation().emitError()
             << "option 'ops=" << pass.kernel(n).name << "': \""
             << pass.kernel(n).name
             << "\" cannot be recomputed: no op of the backward pass that "
                "waits for a gradient reads it first, so it would save nothing";
  return useful;
}

FailureOr<std::vector<bool>>
Recompute::chooseBlocks(const FunctionProblem &target, const ForwardPass &pass,
                        const ::soap::Strategy &strategy,
                        const RecomputeChoice &choice, size_t &count) {
  if (blocks == "auto") {
    FailureOr<RecomputeFit> fit =
        recomputeToFit(target, pass, strategy, choice);
    if (failed(fit))
      return failure();
    func::FuncOp function = target.function;
    if (fit->evaluation.excessBytes > 0)
      return function.emitError()
             << "'@" << function.getName()
             << "' does not fit into the memory of topology '"
             << target.topology.name << "' with any recomputation: it needs "
             << ::soap::describeBytes(fit->evaluation.excessBytes)
             << " more than its devices have together; expected devices with "
                "more 'memory_bytes' or another strategy";
    count = llvm::count_if(fit->policies, [](RecomputePolicy policy) {
      return policy != RecomputePolicy::None;
    });
    return fit->nodes;
  }
  count = first == 0 ? choice.blockCount()
                     : std::min<size_t>(first, choice.blockCount());
  if (blocks == "none")
    count = 0;
  std::vector<RecomputePolicy> policies(choice.blockCount(),
                                        RecomputePolicy::None);
  std::fill_n(policies.begin(), count,
              blocks == "whole" ? RecomputePolicy::Whole
                                : RecomputePolicy::Selective);
  return choice.choose(policies);
}

LogicalResult Recompute::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()))
    return failure();
  FailureOr<func::FuncOp> chosen = chooseFunction(module, function);
  if (failed(chosen))
    return failure();
  // A choice replaces the one before.
  dropRecomputation(*chosen);
  bool byName = !ops.empty();
  if (!byName && blocks == "none")
    return success();
  if (blocks == "auto" && failed(checkHasStrategy(module, function)))
    return failure();
  auto opened = openProblem(module, topology, profile, chosen->getName());
  if (failed(opened))
    return failure();
  const FunctionProblem &target = **opened;
  ForwardPass pass(target.opGraph);
  if (failed(checkHasBackward(target, pass)))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy((*opened)->opGraph, target.topology.deviceCount(),
                   /*defaultToSingle=*/true);
  if (failed(strategy))
    return failure();
  RecomputeChoice choice(target, pass, *strategy, budget);
  size_t count = 0;
  FailureOr<std::vector<bool>> nodes =
      byName ? matchOps(*chosen, pass)
             : chooseBlocks(target, pass, *strategy, choice, count);
  if (failed(nodes))
    return failure();
  std::vector<bool> read = pass.findRead(*nodes);
  int64_t before = choice.keptBytes(std::vector<bool>(read.size()));
  int64_t after = choice.keptBytes(read);
  double share = choice.shareOf(read);
  FailureOr<int> clones = recompute(pass, read);
  if (failed(clones))
    return failure();
  std::string percent;
  llvm::raw_string_ostream(percent) << llvm::format("%.1f", 100 * share);
  InFlightDiagnostic remark = chosen->emitRemark();
  remark << "'@" << chosen->getName() << "' recomputes " << *clones << " ops";
  if (!byName)
    remark << " of " << count << " of " << choice.blockCount() << " blocks";
  remark << ": " << percent << " % of the forward pass; of the forward pass "
         << after << " bytes are kept, " << before << " without";
  return success();
}
