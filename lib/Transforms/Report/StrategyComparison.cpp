//===- StrategyComparison.cpp - A strategy beside named ones --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StrategyComparison.h.
//
//===----------------------------------------------------------------------===//

#include "StrategyComparison.h"

#include "Search/Report/SearchSummary.h"
#include "SimulationReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>
#include <optional>

using namespace mlir::soap;

ComparedStrategy mlir::soap::summarizeRow(std::string name,
                                          const Simulation &simulation,
                                          const ::soap::Topology &topology) {
  ComparedStrategy row;
  row.name = std::move(name);
  row.makespanNs = simulation.tasks.makespanNs;
  row.bytesMoved = simulation.bytesMoved;
  row.bytesBetweenMachines = simulation.bytesBetweenMachines;
  for (int64_t bytes : simulation.linkBytes)
    row.busiestLinkBytes = std::max(row.busiestLinkBytes, bytes);
  for (int device = 0; device < topology.deviceCount(); ++device) {
    int64_t bytes = simulation.memoryBytes[device];
    row.peakBytes = std::max(row.peakBytes, bytes);
    row.fits &= bytes <= topology.memoryBytes(device);
  }
  double all = static_cast<double>(row.makespanNs) * topology.deviceCount();
  if (all == 0)
    return row;
  for (const ::soap::DeviceTimes &times : simulation.times) {
    row.compute += static_cast<double>(times.computeNs) / all;
    row.movement += static_cast<double>(times.movementNs) / all;
    row.exposed += static_cast<double>(times.exposedNs) / all;
  }
  return row;
}

/// How many times as fast as the row the first strategy is; none: the row does
/// not fit or splits nothing.
static std::optional<double> gainOver(const ComparedStrategy &row,
                                      const ComparedStrategy &first) {
  if (!row.fits || !row.splits || first.makespanNs == 0)
    return std::nullopt;
  return static_cast<double>(row.makespanNs) /
         static_cast<double>(first.makespanNs);
}

void mlir::soap::printComparison(const ComparedStrategy &first,
                                 const std::vector<ComparedStrategy> &others,
                                 const ::soap::Topology &topology,
                                 llvm::raw_ostream &stream) {
  bool machines = topology.machines().size() > 1;
  size_t width = first.name.size();
  for (const ComparedStrategy &row : others)
    width = std::max(width, row.name.size());
  auto size = [&](int64_t bytes) {
    stream << llvm::format("  %10s", ::soap::describeBytes(bytes).c_str());
  };
  auto share = [&](double value) {
    stream << llvm::format("  %5.1f %%", 100 * value);
  };
  auto name = [&](const std::string &text) {
    stream << "  " << text << std::string(width - text.size(), ' ');
  };
  name("");
  stream << "          ms    gain      memory       moved";
  if (machines)
    stream << "  inter-node";
  stream << "    per link  compute    tiles  exposed     idle\n";
  auto print = [&](const ComparedStrategy &row) {
    name(row.name);
    stream << llvm::format("  %10.3f  ", row.makespanNs * 1e-6);
    if (std::optional<double> gain = gainOver(row, first))
      stream << llvm::format("%6.2f", *gain);
    else
      stream << "     -";
    size(row.peakBytes);
    size(row.bytesMoved);
    if (machines)
      size(row.bytesBetweenMachines);
    size(row.busiestLinkBytes);
    for (double value : {row.compute, row.movement, row.exposed, row.idle()})
      share(value);
    stream << (!row.fits     ? "  does not fit\n"
               : !row.splits ? "  splits nothing\n"
                             : "\n");
  };
  print(first);
  llvm::for_each(others, print);
}

void mlir::soap::printComparison(llvm::json::OStream &json,
                                 const ComparedStrategy &first,
                                 const std::vector<ComparedStrategy> &others) {
  json.attributeArray("compared", [&] {
    auto print = [&](const ComparedStrategy &row) {
      json.object([&] {
        json.attribute("name", row.name);
        json.attribute("makespan_ns", row.makespanNs);
        if (std::optional<double> gain = gainOver(row, first))
          json.attribute("gain", *gain);
        else
          json.attribute("gain", nullptr);
        json.attribute("peak_bytes", row.peakBytes);
        json.attribute("fits", row.fits);
        json.attribute("splits", row.splits);
        json.attribute("bytes_moved", row.bytesMoved);
        json.attribute("bytes_between_machines", row.bytesBetweenMachines);
        json.attribute("busiest_link_bytes", row.busiestLinkBytes);
        json.attribute("compute", row.compute);
        json.attribute("movement", row.movement);
        json.attribute("exposed_communication", row.exposed);
        json.attribute("idle", row.idle());
      });
    };
    print(first);
    llvm::for_each(others, print);
  });
}

void mlir::soap::printBaselines(int64_t makespanNs,
                                const std::vector<::soap::Baseline> &baselines,
                                llvm::raw_ostream &stream) {
  auto name = [&](const ::soap::Baseline &baseline) {
    stream << baseline.name
           << llvm::format(" (%.3f ms", baseline.makespanNs * 1e-6)
           << (baseline.plan.empty() ? "" : ": ") << baseline.plan << ')';
  };
  const char *separator = "  speedup ";
  for (const ::soap::Baseline &baseline : baselines)
    if (std::optional<double> gain = baseline.gainOf(makespanNs)) {
      stream << separator << llvm::format("%.2f over ", *gain);
      name(baseline);
      separator = ", ";
    }
  if (separator[0] == ',')
    stream << '\n';
  for (const ::soap::Baseline &baseline : baselines)
    if (std::string why = baseline.whyNoGain(); !why.empty()) {
      stream << "  ";
      name(baseline);
      stream << ' ' << why << '\n';
    }
}

void mlir::soap::printBaselines(
    llvm::json::OStream &json, int64_t makespanNs,
    const std::vector<::soap::Baseline> &baselines) {
  if (baselines.empty())
    return;
  json.attributeObject("presets_ns", [&] {
    for (const ::soap::Baseline &baseline : baselines)
      json.attribute(baseline.name, baseline.makespanNs);
  });
  json.attributeObject("speedup_over", [&] {
    for (const ::soap::Baseline &baseline : baselines)
      if (std::optional<double> gain = baseline.gainOf(makespanNs))
        json.attribute(baseline.name, *gain);
  });
  json.attributeObject("no_speedup_over", [&] {
    for (const ::soap::Baseline &baseline : baselines)
      if (std::string why = baseline.whyNoGain(); !why.empty())
        json.attribute(baseline.name, why);
  });
}
