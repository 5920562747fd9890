//===- FrontierAlgorithm.cpp - algorithm=frontier of a search -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierAlgorithm.h.
//
//===----------------------------------------------------------------------===//

#include "FrontierAlgorithm.h"

#include "Transforms/Support/OptionFile.h"
#include "Transforms/Support/StrategySupport.h"

#include "Soap/Search/Frontier/FrontierSearch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::soap;

std::optional<int64_t> mlir::soap::parseBytes(llvm::StringRef text) {
  StringRef number = text.trim().take_while(
      [](char c) { return llvm::isDigit(c) || c == '.'; });
  StringRef unit = text.trim().drop_front(number.size()).ltrim();
  double scale = llvm::StringSwitch<double>(unit)
                     .Cases({"", "B"}, 1)
                     .Cases({"kB", "KB"}, 1e3)
                     .Case("MB", 1e6)
                     .Case("GB", 1e9)
                     .Case("TB", 1e12)
                     .Case("KiB", 1024.0)
                     .Case("MiB", 1048576.0)
                     .Case("GiB", 1073741824.0)
                     .Case("TiB", 1099511627776.0)
                     .Default(0);
  double value = 0;
  if (scale == 0 || number.empty() || number.getAsDouble(value))
    return std::nullopt;
  value *= scale;
  if (!(value >= 1 && value <= 4.6e18))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

static std::optional<::soap::FrontierMode> parseMode(StringRef name) {
  using ::soap::FrontierMode;
  return llvm::StringSwitch<std::optional<FrontierMode>>(name)
      .Cases({"", "mini-time"}, FrontierMode::MiniTime)
      .Case("mini-parallelism", FrontierMode::MiniParallelism)
      .Case("profiling", FrontierMode::Profiling)
      .Default(std::nullopt);
}

LogicalResult
mlir::soap::checkFrontierOptions(ModuleOp module, StringRef algorithm,
                                 const FrontierPassOptions &options) {
  if (algorithm != "frontier") {
    std::pair<const char *, std::string> texts[] = {
        {"mode", options.mode},
        {"memory-limit", options.memoryLimit},
        {"frontier", options.file},
        {"frontier-svg", options.svg},
        {"reuse", options.reuse ? "true" : ""}};
    for (const auto &[name, value] : texts)
      if (!value.empty())
        return module.emitError()
               << "option '" << name << "=" << value
               << "': expected algorithm=frontier: no other search has it";
    return success();
  }
  if (!parseMode(options.mode))
    return module.emitError()
           << "option 'mode=" << options.mode
           << "': expected mini-time, mini-parallelism or profiling";
  if (!options.memoryLimit.empty() && !parseBytes(options.memoryLimit))
    return module.emitError()
           << "option 'memory-limit=" << options.memoryLimit
           << "': expected bytes as 16GB or 15GiB, at least 1";
  return success();
}

/// The least memory with which some strategy was found, and on how many
/// devices.
static std::pair<int64_t, int>
leastMemory(const ::soap::FrontierSearchResult &found) {
  std::pair<int64_t, int> least = {std::numeric_limits<int64_t>::max(), 0};
  for (const ::soap::DeviceFrontier &frontier : found.frontiers)
    if (!frontier.points.empty())
      least = std::min(least, std::pair(frontier.points.front().memoryBytes,
                                        frontier.devices));
  return least;
}

FailureOr<SearchOutcome> mlir::soap::runFrontier(
    ModuleOp module, const ::soap::ParallelizationProblem &problem,
    const ::soap::McmcOptions &options, const FrontierPassOptions &frontier) {
  auto search = budgetOf<::soap::FrontierSearchOptions>(options);
  search.threads = options.threads;
  search.mode = *parseMode(frontier.mode);
  if (!frontier.memoryLimit.empty())
    search.limitBytes = *parseBytes(frontier.memoryLimit);
  search.epsilon = frontier.epsilon;
  search.maxConfigs = frontier.configs;
  search.reuse = frontier.reuse;
  ::soap::FrontierSearchResult found = ::soap::searchFrontier(problem, search);
  int64_t capacity =
      ::soap::capacityOf(problem.getTopology(), search.limitBytes);
  if (!frontier.file.empty() &&
      failed(writeOptionFile(module, "frontier", frontier.file,
                             ::soap::printFrontiers(problem, search, found))))
    return failure();
  if (!frontier.svg.empty() &&
      failed(writeOptionFile(
          module, "frontier-svg", frontier.svg,
          ::soap::drawFrontiers(
              ::soap::curvesOf(found), capacity,
              drawingTitle(module, problem.getTopology().name)))))
    return failure();
  if (found.search.bestEvaluation.excessBytes > 0) {
    InFlightDiagnostic error = module.emitError()
                               << "no strategy was found that holds at most "
                               << capacity << " bytes on every device";
    if (auto [bytes, devices] = leastMemory(found); devices > 0)
      error << ": the least that one holds is " << bytes << " bytes, on "
            << devices << " devices";
    return error << "; expected a higher 'memory-limit', devices with more "
                    "'memory_bytes', a smaller model or a longer search";
  }
  SearchOutcome outcome;
  outcome.report["algorithm"] = "frontier";
  outcome.report["mode"] = ::soap::modeName(search.mode);
  outcome.report["capacity_bytes"] = capacity;
  outcome.report["devices"] = found.devices;
  bool complete = true;
  auto guarantee = ::soap::FrontierGuarantee::Simulation;
  double errorBound = 0;
  for (const ::soap::DeviceFrontier &one : found.frontiers) {
    guarantee = std::min(guarantee, one.guarantee);
    complete = complete && one.complete;
    errorBound = std::max(errorBound, one.errorBound);
  }
  outcome.report["complete"] = complete;
  outcome.report["guaranteed"] =
      guarantee != ::soap::FrontierGuarantee::Nothing;
  outcome.report["guaranteed_of"] = ::soap::guaranteeName(guarantee);
  outcome.report["error_bound"] = errorBound;
  outcome.report["kept_values"] = static_cast<int64_t>(found.keeps.size());
  outcome.points = 0;
  for (const ::soap::DeviceFrontier &one : found.frontiers)
    *outcome.points += static_cast<int64_t>(one.points.size());
  outcome.keeps = std::move(found.keeps);
  outcome.result = std::move(found.search);
  return outcome;
}
