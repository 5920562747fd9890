//===- FrontierSearch.h - Memory-time frontiers of models -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search of TensorOpt (Cai et al., 2020): the frontier of memory and time
// of a model on a number of devices, and its three modes (section 4.1). The
// cost graph's sums know of no overlap, so what they find is simulated, and
// presets with it: points of a frontier here are what simulations say. A
// strategy that sums call worse may be better when it is simulated; so small
// spaces are simulated as a whole, and neighbours of what was found in others.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_FRONTIER_FRONTIERSEARCH_H
#define SOAP_SEARCH_FRONTIER_FRONTIERSEARCH_H

#include "Soap/Search/Evaluator/SearchBudget.h"
#include "Soap/Search/Frontier/FrontierGraph.h"

namespace soap {

enum class FrontierMode {
  MiniTime,        ///< the fastest strategy that fits, on all devices
  MiniParallelism, ///< the fewest devices that some strategy fits on
  Profiling ///< frontiers of 1, 2, 4, ... and all devices; then as mini-time
};
const char *modeName(FrontierMode mode);

struct FrontierSearchOptions : SearchBudget {
  FrontierMode mode = FrontierMode::MiniTime;
  /// Most bytes per device; negative: what the topology's devices have.
  int64_t limitBytes = -1;
  int threads = 1;
  int64_t maxConfigs = 16; ///< candidates per group
  /// See `FrontierOptions`.
  double epsilon = 0;
  int64_t maxPoints = 65536;
  /// Instead of `maxPoints` in restricted spaces, of which few are simulated.
  static constexpr int64_t maxRestrictedPoints = 128;
  /// Of each number of devices, so many strategies of the searched space are
  /// simulated at most, and of each space that restricts it (or is searched
  /// itself) an eighth as many.
  int64_t maxSimulated = 64;
  /// Of the whole space, all strategies are simulated if there are at most so
  /// many; else so many that differ in one group from points found so far.
  int64_t maxEnumerated = 1024;
  int64_t maxNeighbours = 128;
  /// Restrictions, for comparisons (FrontierGraph.h).
  FrontierSpace space = FrontierSpace::All;
  int meshSamples = 1;
  /// Values may be kept in one form only (FrontierGraph.h).
  bool reuse = false;
  /// Without `initial`, presets are points, too, unless this is false.
  bool presets = true;
};

/// A strategy and what it costs.
struct FrontierStrategy {
  int64_t memoryBytes = 0; ///< of the device that holds most, simulated
  int64_t timeNs = 0;      ///< simulated
  /// The estimate of the cost graph; 0: none, for starts and for strategies
  /// that simulation alone has found.
  int64_t estimatedBytes = 0, estimatedNs = 0;
  std::string start; ///< its name; empty: found by the search
  Strategy strategy;
  /// Values that are kept in one form only, in the order of their numbers.
  std::vector<KeptValue> keeps;
};

/// The strategies that the points of a frontier are compared with: none of them
/// is better in both memory and time than every point. Candidates are the
/// configs of groups that the cost graph has (FrontierGraph.h).
enum class FrontierGuarantee {
  /// Of none: interrupted, or a heuristic has chosen configs.
  Nothing,
  /// Of candidates on the first devices, and by the cost graph's sums alone,
  /// with memory at the positions that were tracked. By simulation, a strategy
  /// that was not simulated may be better.
  CostGraph,
  /// Of all candidates on the first devices, by simulation.
  FirstDevices,
  /// Of all candidates, also on other devices, by simulation.
  Simulation
};
/// As in files: `nothing`, `cost-graph`, `first-devices`, `simulation`.
const char *guaranteeName(FrontierGuarantee guarantee);

/// The frontier on the first `devices` devices.
struct DeviceFrontier {
  int devices = 0;
  /// Memory rises, time falls; points over the limit are included.
  std::vector<FrontierStrategy> points;
  /// Whether neither tracking nor the simulation of candidates was interrupted;
  /// neighbours of points may have been.
  bool complete = false;
  FrontierGuarantee guarantee = FrontierGuarantee::Nothing;
  /// Of `FrontierGuarantee::CostGraph`: within which error
  /// (FrontierTracking.h).
  double errorBound = 0;
  /// Strategies of candidates, those on other devices included.
  double candidateStrategies = 0;
  /// Time steps of a layer were given one config, as the graph resisted.
  bool tiedLayers = false;
  int nodes = 0, pairs = 0, pricedPairs = 0, positions = 0;
  int64_t configs = 0; ///< candidates of all nodes
  int heuristicEliminations = 0;
  int64_t tracked = 0, simulated = 0; ///< points
  int64_t peakBytes = 0;              ///< of frontier tracking itself
  double priceSeconds = 0, trackSeconds = 0, simulateSeconds = 0;
  /// Every strategy holds so much on some device: its share of the parameters.
  /// If that does not fit, nothing else was looked at.
  int64_t leastBytes = 0;
};

struct FrontierSearchResult {
  McmcResult search;
  /// Values that the best strategy keeps in one form only; its price depends on
  /// them.
  std::vector<KeptValue> keeps;
  /// In the order in which they were looked at.
  std::vector<DeviceFrontier> frontiers;
  /// The devices that the result uses; 0 if it is a start of the search that
  /// fits, as nothing else was found.
  int devices = 0;
};

/// Runs the search. The problem must have passed `check`.
FrontierSearchResult searchFrontier(const ParallelizationProblem &problem,
                                    const FrontierSearchOptions &options);

/// Bytes of what updates replace: devices hold them together throughout.
int64_t parameterBytes(const Graph &graph);

/// Frontiers as JSON (docs/Frontier.md).
std::string printFrontiers(const ParallelizationProblem &problem,
                           const FrontierSearchOptions &options,
                           const FrontierSearchResult &result);
/// The least memory of the topology's devices and of the options' limit.
int64_t capacityOf(const Topology &topology, int64_t limitBytes);

/// A line of a drawing.
struct FrontierCurve {
  std::string label;
  std::vector<FrontierStrategy> points; ///< in order of memory
};
/// A line per number of devices.
std::vector<FrontierCurve> curvesOf(const FrontierSearchResult &result);
/// Memory to the right, time upwards, both logarithmic (SVG). `limitBytes`:
/// capacity of a device, drawn as a line. `title` names model and topology.
std::string drawFrontiers(const std::vector<FrontierCurve> &curves,
                          int64_t limitBytes, const std::string &title);

} // namespace soap

#endif // SOAP_SEARCH_FRONTIER_FRONTIERSEARCH_H
