//===- ExplainPass.cpp - Why an op has its config -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-explain: alternatives of one group as a table and as JSON.
//
//===----------------------------------------------------------------------===//

#include "BlockExplanation.h"
#include "Transforms/Report/CompactIteration.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Analysis/Stages.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Search/Report/Explain.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPEXPLAIN
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-explain"

using namespace mlir;
using namespace mlir::soap;
using ::soap::Alternative;
using ::soap::Explanation;
using ::soap::ParallelizationProblem;

/// Pairings that say something: the best ones, each alternative once.
constexpr size_t maxPairings = 3;

namespace {

struct Explain : CheckedOptions<mlir::soap::impl::SoapExplainBase<Explain>> {
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult run();
  LogicalResult runBlock();
  LogicalResult printExplained(const FunctionProblem &target,
                               const ::soap::Strategy &strategy,
                               const BlockExplanation &explanation);
  FailureOr<int> chooseGroup(const ParallelizationProblem &problem,
                             StringRef functionName);
};

/// Prints one explanation.
class Printer {
public:
  Printer(const ParallelizationProblem &problem, const Explanation &explanation)
      : problem(problem), explanation(explanation),
        current(explanation.alternatives[explanation.current]) {}

  void table(llvm::raw_ostream &stream, StringRef op, int64_t rows) const;
  std::string json(StringRef op) const;

private:
  const ParallelizationProblem &problem;
  const Explanation &explanation;
  const Alternative &current;

  const ::soap::Kernel &leaderOf(int group) const {
    return problem.getGraph().nodes[problem.getGroups()[group].leader].whole;
  }
  std::string config(int group, const ::soap::Config &config) const {
    return ::soap::describeConfig(leaderOf(group).space, config);
  }
  double difference(const ::soap::Evaluation &evaluation) const {
    return 100 * (static_cast<double>(evaluation.makespanNs) /
                      static_cast<double>(
                          std::max<int64_t>(current.evaluation.makespanNs, 1)) -
                  1);
  }
  /// `fc1`, `lstm1.0` to `lstm1.3`: names without the outer quotes.
  std::string others(const ::soap::Pairing &pairing) const {
    std::string names = leaderOf(pairing.groups.front()).name;
    if (pairing.groups.size() > 1)
      names += (pairing.groups.size() > 2 ? "' to '" : "' and '") +
               leaderOf(pairing.groups.back()).name;
    return names;
  }
  void head(llvm::raw_ostream &stream, StringRef op) const;
  void row(llvm::raw_ostream &stream, const Alternative &alternative) const;
  void advice(llvm::raw_ostream &stream) const;
  void pairing(llvm::raw_ostream &stream, const ::soap::Pairing &pairing) const;
  void jsonConfig(llvm::json::OStream &json, int group,
                  const ::soap::Config &config) const;
};

} // namespace

static double milliseconds(int64_t ns) {
  return static_cast<double>(ns) * 1e-6;
}
static double mebibytes(int64_t bytes) {
  return static_cast<double>(bytes) / 1048576.0;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Printer::head(llvm::raw_ostream &stream, StringRef op) const {
  const ::soap::OpGroup &group = problem.getGroups()[explanation.group];
  const ::soap::Kernel &leader = leaderOf(explanation.group);
  stream << "op '" << op << "'";
  if (leader.name != op)
    stream << ", which follows '" << leader.name << "'";
  stream << ": " << leader.kind << ", group of " << group.nodes.size()
         << (group.nodes.size() == 1 ? " op" : " ops") << ", on "
         << problem.getTopology().name << "\n";
  stream << "loops:";
  for (auto [loop, role] :
       llvm::zip_equal(leader.space.loops, problem.getRoles()[group.leader]))
    stream << " " << loop.name << "=" << loop.extent << " "
           << ::soap::roleName(loop, role);
  stream << "\n";
}

void Printer::row(llvm::raw_ostream &stream,
                  const Alternative &alternative) const {
  bool isCurrent = &alternative == &current;
  stream << llvm::format("%12.3f ",
                         milliseconds(alternative.evaluation.makespanNs));
  if (isCurrent)
    stream << "   current";
  else
    stream << llvm::format("%+8.1f %%", difference(alternative.evaluation));
  std::string limit;
  if (alternative.detailed) {
    stream << llvm::format("%12.3f %11.3f  ",
                           milliseconds(alternative.computeNs),
                           mebibytes(alternative.bytesMoved));
    llvm::raw_string_ostream(limit)
        << alternative.limit
        << llvm::format(" %.0f %%", 100 * alternative.limitShare);
  } else {
    stream.indent(26);
  }
  stream << llvm::left_justify(limit, 22) << "  "
         << config(explanation.group, alternative.config);
  if (!alternative.origin.empty() && !isCurrent)
    stream << " (" << alternative.origin << ")";
  if (alternative.evaluation.excessBytes > 0)
    stream << llvm::format(", does not fit: %.1f MiB too much",
                           mebibytes(alternative.evaluation.excessBytes));
  stream << "\n";
}

void Printer::pairing(llvm::raw_ostream &stream,
                      const ::soap::Pairing &pairing) const {
  const Alternative &alternative =
      explanation.alternatives[pairing.alternative];
  stream << "  " << config(explanation.group, alternative.config)
         << llvm::format(" would take %.3f ms instead of %.3f if '",
                         milliseconds(pairing.evaluation.makespanNs),
                         milliseconds(alternative.evaluation.makespanNs))
         << others(pairing) << "' were split the same way: "
         << config(pairing.groups[0], pairing.configs[0]);
  if (alternative.bytesMoved > pairing.bytesMoved)
    stream << llvm::format(
        ", and transfers of %.3f MiB would vanish",
        mebibytes(alternative.bytesMoved - pairing.bytesMoved));
  double change = difference(pairing.evaluation);
  stream << llvm::format("; %.1f %% ", std::abs(change))
         << (change < 0 ? "faster" : "slower") << " than now\n";
}

void Printer::advice(llvm::raw_ostream &stream) const {
  const Alternative &best = explanation.alternatives.front();
  if (&best == &current)
    stream << "none of them is faster\n";
  else
    stream << llvm::format("the first is %.1f %% faster: ",
                           -difference(best.evaluation))
           << config(explanation.group, best.config) << "\n";
  if (explanation.pairings.empty()) {
    stream << "no neighbour, split the same way, would make one of them "
              "faster\n";
    return;
  }
  stream << "what would have to change:\n";
  llvm::SmallSet<size_t, 4> told;
  for (const ::soap::Pairing &entry : explanation.pairings)
    if (told.size() < maxPairings && told.insert(entry.alternative).second)
      pairing(stream, entry);
}

void Printer::table(llvm::raw_ostream &stream, StringRef op,
                    int64_t rows) const {
  head(stream, op);
  int64_t count = static_cast<int64_t>(explanation.alternatives.size());
  stream << count - 1
         << (explanation.bounded ? " of more alternatives" : " alternatives")
         << ", all other groups as they are:\n"
         << "     time ms difference  compute ms   moved MiB  limit"
            "                   config\n";
  for (int64_t i = 0; i < count; ++i) {
    const Alternative &alternative = explanation.alternatives[i];
    if (i < rows || &alternative == &current)
      row(stream, alternative);
  }
  if (count > rows)
    stream << "  (the slower ones are in the report)\n";
  advice(stream);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

void Printer::jsonConfig(llvm::json::OStream &json, int group,
                         const ::soap::Config &config) const {
  const ::soap::IterationSpace &space = leaderOf(group).space;
  json.attributeObject("degrees", [&] {
    for (auto [loop, degree] : llvm::zip_equal(space.loops, config.degrees))
      if (degree > 1)
        json.attribute(loop.name, degree);
  });
  json.attribute("replicas", config.replicas);
  json.attributeArray("devices", [&] {
    for (int device : config.devices)
      json.value(device);
  });
}

std::string Printer::json(StringRef op) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 2);
  const ::soap::OpGroup &group = problem.getGroups()[explanation.group];
  auto price = [&](const ::soap::Evaluation &evaluation) {
    json.attribute("makespan_ns", evaluation.makespanNs);
    json.attribute("excess_bytes", evaluation.excessBytes);
  };
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("op", op);
    json.attribute("leader", leaderOf(explanation.group).name);
    json.attributeArray("group", [&] {
      for (int node : group.nodes)
        json.value(problem.getGraph().nodes[node].whole.name);
    });
    json.attribute("topology", problem.getTopology().name);
    json.attribute("bounded", explanation.bounded);
    json.attribute("current", static_cast<int64_t>(explanation.current));
    json.attributeArray("alternatives", [&] {
      for (const Alternative &alternative : explanation.alternatives)
        json.object([&] {
          jsonConfig(json, explanation.group, alternative.config);
          json.attribute("origin", alternative.origin);
          price(alternative.evaluation);
          if (!alternative.detailed)
            return;
          json.attribute("bytes_moved", alternative.bytesMoved);
          json.attribute("group_compute_ns", alternative.computeNs);
          json.attribute("limit", alternative.limit);
          json.attribute("limit_share", alternative.limitShare);
        });
    });
    json.attributeArray("pairings", [&] {
      for (const ::soap::Pairing &pairing : explanation.pairings)
        json.object([&] {
          json.attribute("alternative",
                         static_cast<int64_t>(pairing.alternative));
          json.attributeArray("groups", [&] {
            for (auto [group, config] :
                 llvm::zip_equal(pairing.groups, pairing.configs))
              json.object([&] {
                json.attribute("leader", leaderOf(group).name);
                jsonConfig(json, group, config);
              });
          });
          price(pairing.evaluation);
          json.attribute("bytes_moved", pairing.bytesMoved);
        });
    });
  });
  stream << '\n';
  return text;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

FailureOr<int> Explain::chooseGroup(const ParallelizationProblem &problem,
                                    StringRef functionName) {
  ModuleOp module = getOperation();
  int group = ::soap::groupOfOp(problem, op);
  if (group >= 0)
    return group;
  std::string near;
  for (const std::string &name : ::soap::nearNames(problem.getGraph(), op))
    near += (near.empty() ? "" : ", ") + ("'" + name + "'");
  InFlightDiagnostic error = module.emitError()
                             << "option 'op=" << op << "': no such op in '@"
                             << functionName << "'";
  if (!near.empty())
    error << "; near are " << near;
  return error;
}

LogicalResult Explain::printExplained(const FunctionProblem &target,
                                      const ::soap::Strategy &strategy,
                                      const BlockExplanation &explanation) {
  const ::soap::Graph &graph = target.opGraph.graph;
  if (summary)
    printBlock(explanation, graph, strategy, target.topology, llvm::errs());
  if (report.empty())
    return success();
  return writeOptionFile(
      getOperation(), "report", report,
      printBlockReport(explanation, graph, strategy, target.topology));
}

/// The ops of a block, with or without microbatches.
LogicalResult Explain::runBlock() {
  ModuleOp module = getOperation();
  if (!op.empty())
    return module.emitError("options 'op=")
           << op << "' and 'block=" << block << "': expected one of them";
  if (failed(checkHasStrategy(module, function)))
    return failure();
  auto opened = openProblem(module, topology, profile, function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  const ::soap::Graph &graph = target.opGraph.graph;
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  if (llvm::none_of(graph.nodes, [&](const ::soap::GraphNode &node) {
        return isInBlock(node.whole.name, block);
      })) {
    InFlightDiagnostic error = module.emitError()
                               << "option 'block=" << block << "': no op in '@"
                               << target.function.getName()
                               << "' has this name, or one that begins with it "
                                  "and a point";
    for (auto [i, name] :
         llvm::enumerate(::soap::nearNames(graph, block.getValue())))
      error << (i ? ", '" : "; near are '") << name << "'";
    return error;
  }
  PipelineAttr pipeline = readPipeline(module->getAttr(SoapDialect::kPipeline));
  if (!pipeline) {
    ::soap::CostModel cost(target.topology);
    ::soap::StrategyPlan plan(graph, cost);
    plan.set(*strategy);
    ::soap::PassOrder order;
    order.stages.assign(graph.nodes.size(), -1);
    for (auto [node, roles] :
         llvm::zip_equal(graph.nodes, target.problem->getRoles()))
      order.sampleLoops.push_back(
          ::soap::sampleLoopOf(node.whole.space, roles));
    order.order.resize(target.topology.devices.size());
    return printExplained(target, *strategy,
                          explainBlock(plan, nullptr, order, block));
  }
  FailureOr<::soap::PassOrder> order =
      readPassOrder(target.opGraph, *strategy, pipeline, target.topology);
  if (failed(order))
    return failure();
  auto planned =
      ::soap::PlannedPasses::make(graph, *strategy, *order, target.topology,
                                  /*foldOnly=*/false);
  if (!planned)
    return module.emitError()
           << "'" << SoapDialect::kPipeline << "': " << planned.error();
  BlockExplanation explanation = explainBlock(
      (*planned)->getPlan(), (*planned)->getQuotient(), *order, block);
  explanation.unfolded = (*planned)->whyUnfolded();
  return printExplained(target, *strategy, explanation);
}

LogicalResult Explain::run() {
  ModuleOp module = getOperation();
  if (!block.empty())
    return runBlock();
  if (op.empty())
    return module.emitError(
        "expected the option 'op=NAME', the name of the op to explain, or "
        "'block=NAME', that of a block of ops");
  if (most < 1)
    return module.emitError() << "option 'most=" << most.getValue()
                              << "': expected a number of at least 1";
  if (rows < 0)
    return module.emitError() << "option 'rows=" << rows.getValue()
                              << "': expected a number of at least 0";
  if (failed(checkHasStrategy(module, function)))
    return failure();
  if (module->hasAttr(SoapDialect::kPipeline))
    return module.emitError()
           << "has a '" << SoapDialect::kPipeline
           << "', whose configs are for one microbatch: expected a strategy "
              "for the whole batch, with which others are compared, or the "
              "option 'block=NAME'";
  auto opened = openProblem(module, topology, profile, function);
  if (failed(opened))
    return failure();
  FunctionProblem &target = **opened;
  ParallelizationProblem &problem = *target.problem;
  FailureOr<int> group = chooseGroup(problem, target.function.getName());
  if (failed(group))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy(target.opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();

  Explanation explanation =
      ::soap::explainGroup(problem, *strategy, *group, most);
  LDBG() << "priced " << explanation.alternatives.size() << " configs of group "
         << *group << " and " << explanation.pairings.size()
         << " pairings with neighbours";
  Printer printer(problem, explanation);
  if (summary)
    printer.table(llvm::errs(), op, rows);
  if (report.empty())
    return success();
  return writeOptionFile(module, "report", report, printer.json(op));
}
