//===- StrategyComparison.cpp - A strategy beside named ones --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StrategyComparison.h.
//
//===----------------------------------------------------------------------===//

#include "StrategyComparison.h"

#include "SimulationReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <algorithm>

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
    row.fits &= bytes <= topology.typeOf(device).memoryBytes;
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

/// How many times as fast as the row the first strategy is.
static double gainOver(const ComparedStrategy &row,
                       const ComparedStrategy &first) {
  return first.makespanNs ? static_cast<double>(row.makespanNs) /
                                static_cast<double>(first.makespanNs)
                          : 0;
}

void mlir::soap::printComparison(const ComparedStrategy &first,
                                 const std::vector<ComparedStrategy> &others,
                                 const ::soap::Topology &topology,
                                 llvm::raw_ostream &stream) {
  bool machines = topology.machines().size() > 1;
  size_t width = first.name.size();
  for (const ComparedStrategy &row : others)
    width = std::max(width, row.name.size());
  auto mebibytes = [&](int64_t bytes) {
    stream << llvm::format(" %11.3f", static_cast<double>(bytes) / 1048576.0);
  };
  auto share = [&](double value) {
    stream << llvm::format("  %5.1f %%", 100 * value);
  };
  auto name = [&](const std::string &text) {
    stream << "  " << text << std::string(width - text.size(), ' ');
  };
  name("");
  stream << "          ms    gain  memory MiB   moved MiB";
  if (machines)
    stream << "  inter-node";
  stream << "    per link  compute    tiles  exposed     idle\n";
  auto print = [&](const ComparedStrategy &row) {
    name(row.name);
    stream << llvm::format("  %10.3f  %6.2f", row.makespanNs * 1e-6,
                           gainOver(row, first));
    mebibytes(row.peakBytes);
    mebibytes(row.bytesMoved);
    if (machines)
      mebibytes(row.bytesBetweenMachines);
    mebibytes(row.busiestLinkBytes);
    for (double value : {row.compute, row.movement, row.exposed, row.idle()})
      share(value);
    stream << (row.fits ? "\n" : "  does not fit\n");
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
        json.attribute("gain", gainOver(row, first));
        json.attribute("peak_bytes", row.peakBytes);
        json.attribute("fits", row.fits);
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
