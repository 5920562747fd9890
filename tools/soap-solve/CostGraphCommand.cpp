//===- CostGraphCommand.cpp - soap-solve cost-graph -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of cost graphs, progress on terminals, and the message if nothing
// fits.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/CostGraphFile.h"
#include "Soap/Search/CostGraph/SolveCostGraph.h"
#include "Soap/Search/Frontier/RepeatedBlocks.h"
#include "Support.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace soap;
using namespace soap::commandline;
using namespace soap::solve;

namespace {

struct CostGraphFlags {
  CommonOptions common;
  int algorithm = 0;
  int64_t rounds = 0;
  int64_t capacity = -1;
  bool ignoreCapacity = false;
  bool tieRepeatedBlocks = false;
  bool help = false;
};

CommandLine makeCommandLine(CostGraphFlags &options) {
  const std::vector<std::string> algorithms = {"auto", "elimination", "search"};
  CommandLine line(
      {.tool = "soap-solve cost-graph",
       .purpose = "the cheapest config of each node, within capacity",
       .usage = {{"soap-solve cost-graph INSTANCE [flags]", ""}},
       .paragraphs = {"INSTANCE is a file in the format of the intra-operator "
                      "parallelism contest, gzipped or not."},
       .groups = {},
       .notes = commonNotes(),
       .commands = {}});
  line.group("cost graphs");
  line.value("--algorithm", "NAME",
             "auto (default); elimination: OptCNN's, with branch and bound "
             "over the rest; search: bounds and local search only",
             setChoice(options.algorithm, algorithms), algorithms);
  line.value("--capacity", "BYTES", "instead of the instance's usage_limit",
             setInteger(options.capacity, 0, INT64_MAX));
  line.boolean("--ignore-capacity", "memory is no constraint",
               options.ignoreCapacity);
  line.boolean("--tie-repeated-blocks",
               "nodes with equal surroundings take equal configs; prints the "
               "cost of that, from a search without ties in the rest of the "
               "time",
               options.tieRepeatedBlocks);
  line.value("--rounds", "N",
             "end after N rounds of the search: with a time limit that is not "
             "reached, the result depends on the seed and the number of "
             "threads only (default 0: no limit)",
             setInteger(options.rounds, 0, int64_t(1) << 40));
  addCommonFlags(line, options.common, options.help);
  return line;
}

/// A line that is written over, on a terminal.
class ProgressLine {
public:
  ~ProgressLine() {
    if (isShown)
      std::fputs("\r\033[K", stderr);
  }
  void show(const CostGraphProgress &progress) {
    isShown = true;
    std::string cost =
        progress.cost ? std::to_string(*progress.cost) : "none yet";
    std::fprintf(
        stderr, "\r\033[K%.0f s: cost %s, bound %lld; %d nodes, round %lld",
        progress.seconds, cost.c_str(), static_cast<long long>(progress.bound),
        progress.kernelNodes, static_cast<long long>(progress.rounds));
  }

private:
  bool isShown = false;
};

CostGraphOptions makeOptions(const CostGraphFlags &flags, double spent) {
  CostGraphOptions options;
  options.algorithm = static_cast<CostGraphAlgorithm>(flags.algorithm);
  options.seconds = std::max(flags.common.timeLimitSeconds - spent, 0.0);
  options.rounds = flags.rounds;
  options.threads = static_cast<int>(flags.common.threads);
  options.seed = static_cast<uint64_t>(flags.common.seed);
  options.stop = &stopRequested();
  return options;
}

/// The smallest capacity with a solution, as far as the rest of the time tells.
std::string describeCapacity(const CostGraph &graph,
                             const CostGraphOptions &options) {
  SmallestCapacity smallest = findSmallestCapacity(graph, options);
  std::string bound = std::to_string(smallest.bound);
  if (smallest.isImpossible)
    return "no capacity would do: forbidden costs exclude each choice";
  if (!smallest.found)
    return "at least " + bound + " bytes are needed";
  std::string found = std::to_string(*smallest.found);
  if (smallest.bound == *smallest.found)
    return "the smallest capacity that would do is " + found + " bytes";
  return found + " bytes would do, at least " + bound + " are needed";
}

int failUnsolved(const std::string &path, const CostGraph &graph,
                 const CostGraphResult &result, CostGraphOptions options) {
  bool isInfeasible = result.status == CostGraphResult::Infeasible;
  std::string message =
      path + ": " +
      (isInfeasible ? "infeasible" : "found no solution in the time given");
  if (!result.reason.empty())
    message += ": " + result.reason;
  if (graph.capacity) {
    message +=
        "; the capacity is " + std::to_string(*graph.capacity) + " bytes, and ";
    options.seconds = std::max(options.seconds - result.solution.seconds,
                               0.02 * options.seconds);
    message += describeCapacity(graph, options);
  }
  return failInput(message);
}

void printSummary(const CostGraph &graph, const CostGraphResult &result) {
  const CostGraphSolution &solution = result.solution;
  double gap = solution.cost > 0
                   ? 100.0 *
                         static_cast<double>(solution.cost - solution.bound) /
                         static_cast<double>(solution.cost)
                   : 0;
  std::fprintf(
      stderr,
      "cost %lld, %s %lld (gap %.4f %%), peak %lld bytes, %.2f s; %d of %d "
      "nodes and %d of %zu edges after reductions, %lld rounds, %lld "
      "branches\n",
      static_cast<long long>(solution.cost),
      solution.optimal ? "optimal: bound" : "bound",
      static_cast<long long>(solution.bound), gap,
      static_cast<long long>(graph.peakOf(solution.choice).bytes),
      solution.seconds, result.kernelNodes, graph.nodeCount(),
      result.kernelEdges, graph.edges.size(),
      static_cast<long long>(result.rounds),
      static_cast<long long>(result.branches));
}

/// Prints the cost of ties: at least the gain of a search without them, at most
/// the distance to its bound.
void printTies(const CostGraph &graph, const CostGraphSolution &solution) {
  auto percent = [&](int64_t cost) {
    return cost > 0 ? 100.0 * static_cast<double>(solution.cost - cost) /
                          static_cast<double>(cost)
                    : 0.0;
  };
  int64_t untied = solution.ties->untiedCost;
  std::string costs;
  char text[160];
  if (solution.bound == solution.cost) {
    costs = "ties cost nothing";
  } else if (untied == solution.bound) {
    std::snprintf(text, sizeof(text), "ties cost %.4f %%", percent(untied));
    costs = text;
  } else {
    std::snprintf(text, sizeof(text),
                  "ties cost at least %.4f %% and at most %.4f %%",
                  percent(untied), percent(solution.bound));
    costs = text;
  }
  std::fprintf(stderr,
               "%d of %d nodes follow others: cost %lld; without ties %lld was "
               "found, at least %lld is needed: %s\n",
               solution.ties->nodes, graph.nodeCount(),
               static_cast<long long>(solution.cost),
               static_cast<long long>(untied),
               static_cast<long long>(solution.bound), costs.c_str());
}

int solveCostGraphFile(const std::vector<std::string> &arguments) {
  Stopwatch watch;
  CostGraphFlags flags;
  std::vector<std::string> files;
  CommandLine line = makeCommandLine(flags);
  if (MaybeError error = line.parse(arguments, files, "a file"))
    return failFlags(error->message, "cost-graph");
  if (flags.help) {
    std::fputs(printHelp(line.getManual()).c_str(), stdout);
    return 0;
  }
  if (files.size() != 1)
    return failFlags("expected one instance, got " +
                         std::to_string(files.size()),
                     "cost-graph");
  if (flags.ignoreCapacity && flags.capacity >= 0)
    return failFlags("flags '--capacity' and '--ignore-capacity' exclude each "
                     "other",
                     "cost-graph");
  installSignals();
  auto document = readDocument(files[0]);
  if (!document)
    return failInput(document.error());
  auto graph = parseCostGraph(document->text, document->path);
  if (!graph)
    return failInput(graph.error());
  document->text = std::string(); // may be a hundred megabytes
  if (flags.capacity >= 0)
    graph->capacity = flags.capacity;
  if (flags.ignoreCapacity)
    graph->capacity.reset();

  noteReading(flags.common, watch.seconds());
  CostGraphOptions options = makeOptions(flags, watch.seconds());
  ProgressLine shown;
  if (!flags.common.quiet && isatty(STDERR_FILENO))
    options.progress = [&](const CostGraphProgress &progress) {
      shown.show(progress);
    };
  CostGraphResult result = flags.tieRepeatedBlocks
                               ? solveTiedCostGraph(*graph, options)
                               : solveCostGraph(*graph, options);
  if (result.status != CostGraphResult::Solved)
    return failUnsolved(
        files[0],
        flags.tieRepeatedBlocks ? tieRepeatedBlocks(*graph).graph : *graph,
        result, options);
  if (MaybeError error = writeDocument(flags.common.output,
                                       printCostGraphSolution(result.solution)))
    return failInput(error->message);
  if (!flags.common.quiet) {
    if (result.solution.ties)
      printTies(*graph, result.solution);
    printSummary(*graph, result);
  }
  if (!stopRequested())
    return 0;
  std::fprintf(stderr,
               "soap-solve: interrupted; this is the best answer so far\n");
  return 130;
}

Expected<std::string> verifyCostGraph(const Document &instance,
                                      const Document &solution) {
  auto graph = parseCostGraph(instance.text, instance.path);
  if (!graph)
    return graph.takeError();
  auto answer = parseCostGraphSolution(solution.text, solution.path);
  if (!answer)
    return answer.takeError();
  if (MaybeError error = graph->verify(*answer))
    return Error{solution.path + ": " + error->message};
  std::string text = "ok: cost " + std::to_string(answer->cost) + ", peak " +
                     std::to_string(graph->peakOf(answer->choice).bytes) +
                     " bytes";
  if (graph->capacity)
    text += " of " + std::to_string(*graph->capacity);
  return text;
}

} // namespace

ProblemKind solve::costGraphKind() {
  return {"cost-graph", "problem",
          [] {
            CostGraphFlags flags;
            return makeCommandLine(flags).getManual();
          },
          solveCostGraphFile, verifyCostGraph};
}
