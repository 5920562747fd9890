//===- SchedulingAnomaly.cpp - Iterations that slower links shorten -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SchedulingAnomaly.h.
//
//===----------------------------------------------------------------------===//

#include "SchedulingAnomaly.h"

#include "llvm/Support/Format.h"

#include <vector>

using namespace mlir::soap;

namespace {

struct Slower {
  const char *how;
  double bandwidth;
  int64_t latency; ///< factors
};

constexpr Slower slower[] = {{"half the bandwidth", 0.5, 1},
                             {"100 times the latency", 1, 100}};
/// Less is the grain of the schedule.
constexpr double least = 0.005;

} // namespace

/// The topology with slower links between machines, or slower links if there is
/// one machine; none if there are no such links.
static std::optional<::soap::Topology>
slowLinks(const ::soap::Topology &topology, const Slower &by) {
  std::vector<std::vector<int>> machines = topology.machines();
  // The links of routes from machine to machine that no route inside of one
  // takes.
  std::vector<bool> isSlow(topology.links.size(), machines.size() == 1);
  if (machines.size() > 1) {
    std::vector<bool> isInside(topology.links.size());
    auto mark = [&](int from, int to, std::vector<bool> &links) {
      for (int link : topology.route(from, to))
        links[static_cast<size_t>(link)] = true;
    };
    for (size_t m = 0; m < machines.size(); ++m) {
      const std::vector<int> &own = machines[m],
                             &next = machines[(m + 1) % machines.size()];
      for (int a : own) {
        for (int b : own)
          mark(a, b, isInside);
        for (int b : next) {
          mark(a, b, isSlow);
          mark(b, a, isSlow);
        }
      }
    }
    for (size_t l = 0; l < isSlow.size(); ++l)
      isSlow[l] = isSlow[l] && !isInside[l];
  }
  ::soap::Topology result = topology;
  bool any = false;
  for (size_t l = 0; l < isSlow.size(); ++l) {
    if (!isSlow[l])
      continue;
    any = true;
    result.links[l].bandwidthBytesPerSecond *= by.bandwidth;
    result.links[l].latencyNs *= by.latency;
  }
  if (!any || result.computeRoutes())
    return std::nullopt;
  return result;
}

std::optional<SchedulingAnomaly>
mlir::soap::findAnomaly(const ::soap::Topology &topology, int64_t makespanNs,
                        int64_t busiestNs, const TimeOnTopology &simulate) {
  auto limit =
      static_cast<int64_t>((1 - least) * static_cast<double>(makespanNs));
  if (busiestNs > limit)
    return std::nullopt;
  std::optional<SchedulingAnomaly> found;
  for (const Slower &by : slower) {
    std::optional<::soap::Topology> slowed = slowLinks(topology, by);
    if (!slowed)
      return std::nullopt;
    std::optional<int64_t> ns = simulate(*slowed);
    if (!ns || *ns > limit)
      continue;
    limit = *ns - 1;
    found = {std::string(by.how) + (topology.machines().size() > 1
                                        ? " between machines"
                                        : " of all links"),
             *ns};
  }
  return found;
}

std::string mlir::soap::describeAnomaly(const SchedulingAnomaly &anomaly,
                                        int64_t makespanNs) {
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("with %s it is simulated as %.1f %% shorter (%.3f ms)",
                      anomaly.links.c_str(),
                      100 - 100 * static_cast<double>(anomaly.makespanNs) /
                                static_cast<double>(makespanNs),
                      static_cast<double>(anomaly.makespanNs) * 1e-6);
  return text;
}

void mlir::soap::printAnomaly(const AnomalyCheck &check, int64_t makespanNs,
                              llvm::raw_ostream &stream) {
  if (check.found)
    stream << "  scheduling anomaly: "
           << describeAnomaly(*check.found, makespanNs) << '\n';
  else if (!check.whyNot.empty())
    stream << "  scheduling anomalies are not looked for: " << check.whyNot
           << " (--soap-simulate=anomalies=always)\n";
}

void mlir::soap::addAnomaly(llvm::json::Object &json,
                            const AnomalyCheck &check) {
  if (check.found)
    json["scheduling_anomaly"] =
        llvm::json::Object{{"links", check.found->links},
                           {"makespan_ns", check.found->makespanNs}};
  else if (!check.whyNot.empty())
    json["anomalies_looked_for"] = false;
}

void mlir::soap::printAnomaly(llvm::json::OStream &json,
                              const AnomalyCheck &check) {
  llvm::json::Object object;
  addAnomaly(object, check);
  for (const auto &[key, value] : object)
    json.attribute(key, value);
}
