//===- Frontier.cpp - Frontiers of a problem file -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tracks the frontier of a problem file on topologies, and with --spaces those
// of the restricted spaces that TensorOpt is compared with (section 5.1).
// Writes a JSON object, and a drawing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierSearch.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Search/Problem/ProblemFile.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

using namespace soap;

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

/// The frontier of several.
std::vector<FrontierStrategy>
unite(const std::vector<std::vector<FrontierStrategy>> &lists) {
  std::vector<FrontierStrategy> all;
  for (const auto &list : lists)
    all.insert(all.end(), list.begin(), list.end());
  std::vector<FrontierPoint> points;
  for (size_t i = 0; i < all.size(); ++i)
    points.push_back(
        {all[i].memoryBytes, all[i].timeNs, static_cast<uint32_t>(i)});
  std::vector<FrontierStrategy> result;
  for (const FrontierPoint &point : reduceToFrontier(std::move(points)))
    result.push_back(all[point.trace]);
  return result;
}

class Bench {
public:
  Bench(const ParallelizationProblem &problem, FrontierSearchOptions options)
      : problem(problem), options(std::move(options)) {}

  /// The frontier of all, with how long it took.
  nlohmann::ordered_json run(std::vector<FrontierCurve> &curves,
                             const std::string &label) {
    FrontierSearchResult result = searchFrontier(problem, options);
    curves.push_back({label, result.frontiers.back().points});
    nlohmann::ordered_json file =
        nlohmann::ordered_json::parse(printFrontiers(problem, options, result));
    file["seconds"] = result.search.seconds;
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    file["cpu_seconds"] = static_cast<double>(usage.ru_utime.tv_sec) +
                          static_cast<double>(usage.ru_utime.tv_usec) * 1e-6;
    file["process_peak_bytes"] = usage.ru_maxrss * int64_t(1024);
    return file;
  }

  /// Data parallelism, the fastest of OptCNN's space, the smallest of ToFu's,
  /// and the frontier of meshes.
  void addSpaces(std::vector<FrontierCurve> &curves) {
    FrontierSearchOptions own = options;
    own.presets = false;
    own.initial = {dataParallelStrategy(problem)};
    own.initialNames = {"data-parallel"};
    own.seconds = 1e-6; // nothing but the start
    curves.push_back({"data parallel", pointsOf(own)});
    own = options;
    own.presets = false;
    own.space = FrontierSpace::OptCnn;
    std::vector<FrontierStrategy> optCnn = pointsOf(own);
    curves.push_back({"OptCNN", {optCnn.back()}});
    own.space = FrontierSpace::ToFu;
    std::vector<FrontierStrategy> toFu = pointsOf(own);
    curves.push_back({"ToFu", {toFu.front()}});
    own.space = FrontierSpace::Mesh;
    std::vector<std::vector<FrontierStrategy>> meshes;
    int devices = problem.getTopology().deviceCount();
    for (int rows = 1; rows <= devices; ++rows)
      if (devices % rows == 0) {
        own.meshSamples = rows;
        meshes.push_back(pointsOf(own));
      }
    curves.push_back({"Mesh-TensorFlow", unite(meshes)});
  }

private:
  const ParallelizationProblem &problem;
  FrontierSearchOptions options;

  std::vector<FrontierStrategy> pointsOf(const FrontierSearchOptions &own) {
    return searchFrontier(problem, own).frontiers.back().points;
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    fail("usage: Frontier PROBLEM.json TOPOLOGY... [--spaces] [--svg=FILE] "
         "[--title=TEXT] "
         "[--configs=N] [--epsilon=E] [--reuse] [--threads=N] [--limit=BYTES] "
         "[--mode=mini-parallelism]");
  FrontierSearchOptions options;
  options.threads = 2;
  bool spaces = false;
  std::string svg, title;
  std::vector<std::string> topologies;
  for (int i = 2; i < argc; ++i) {
    std::string argument = argv[i];
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals),
                value = equals == std::string::npos
                            ? ""
                            : argument.substr(equals + 1);
    if (name == "--spaces")
      spaces = true;
    else if (name == "--svg")
      svg = value;
    else if (name == "--title")
      title = value;
    else if (name == "--configs")
      options.maxConfigs = std::atoll(value.c_str());
    else if (name == "--epsilon")
      options.epsilon = std::atof(value.c_str());
    else if (name == "--threads")
      options.threads = std::atoi(value.c_str());
    else if (name == "--limit")
      options.limitBytes = std::atoll(value.c_str());
    else if (argument == "--reuse")
      options.reuse = true;
    else if (argument == "--mode=mini-parallelism")
      options.mode = FrontierMode::MiniParallelism;
    else if (argument.rfind("--", 0) == 0)
      fail("unknown argument '" + argument + "'");
    else
      topologies.push_back(argument);
  }
  Expected<ProblemFile> file = loadProblemFile(argv[1]);
  if (!file)
    fail(file.error());

  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::vector<FrontierCurve> curves;
  int64_t capacity = 0;
  for (const std::string &name : topologies) {
    Expected<Topology> topology = loadTopology(name);
    if (!topology)
      fail(topology.error());
    ParallelizationProblem problem(file->graph, *topology, file->groups,
                                   file->roles);
    if (MaybeError error = problem.check())
      fail(error->message);
    capacity = capacityOf(*topology, options.limitBytes);
    Bench bench(problem, options);
    nlohmann::ordered_json result = bench.run(curves, spaces ? "all" : name);
    if (spaces)
      bench.addSpaces(curves);
    result["data_parallel_ns"] =
        problem.evaluate(dataParallelStrategy(problem)).makespanNs;
    results.push_back(std::move(result));
  }
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const FrontierCurve &curve : curves) {
    nlohmann::ordered_json points = nlohmann::ordered_json::array();
    for (const FrontierStrategy &point : curve.points)
      points.push_back({point.memoryBytes, point.timeNs});
    lines.push_back({{"label", curve.label}, {"points", points}});
  }
  std::printf("%s\n",
              nlohmann::ordered_json({{"results", results}, {"curves", lines}})
                  .dump()
                  .c_str());
  if (!svg.empty())
    std::ofstream(svg) << drawFrontiers(curves, capacity, title);
  return 0;
}
