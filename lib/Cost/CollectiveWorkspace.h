//===- CollectiveWorkspace.h - What builders of models share ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers that builders of collectives need of a topology again and again: how
// many messages each link carries if all of a group send to all, and which
// device is nearest. Each is found when it is first asked for.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COST_COLLECTIVEWORKSPACE_H
#define SOAP_LIB_COST_COLLECTIVEWORKSPACE_H

#include "InsideExchange.h"
#include "MachineRoutes.h"
#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Topology/RouteSets.h"

#include <memory>
#include <optional>

namespace soap {

/// Up to so many devices all pairs are looked at.
constexpr int maxForPairs = 256;
/// The bytes of a message that is large enough for bandwidth to matter.
constexpr int64_t ringMessageBytes = 1 << 20;

/// The work of a device in a step.
struct StepEndPoint {
  bool isActive = false;
  int sent = 0;
  double latencyNs = 0, perByte = 0; ///< of copies that it makes
};

struct CollectiveWorkspace::Parts {
  explicit Parts(const Topology &topology) : topology(topology) {}

  const Topology &topology;

  RouteSets &routeSets();
  /// By pair of devices, row-major: the time of a large message. Null if there
  /// are too many devices.
  const std::vector<int64_t> *messageTimesNs();
  /// By device the number of its machine (`Topology::machines`).
  const std::vector<int> &machineOf();
  /// Null where `MachineRoutes::of` is.
  const MachineRoutes *machineRoutes();

  // Memory of builders, kept between models: searches make thousands of them a
  // second. All zero or empty when no builder is at work.
  InsideExchange inside;
  std::vector<double> load;          ///< shares by link
  std::vector<StepEndPoint> devices; ///< by device
  std::vector<int> touched, used;    ///< links and devices of the current step
  std::vector<int> links;            ///< of all steps
  std::vector<int64_t> messages;     ///< by link, of equal shares
  std::vector<int64_t> ones;
  std::vector<double> sums; ///< of 0, 1, 2, ... equal shares

  /// Makes room for a builder.
  void begin() {
    load.resize(topology.links.size());
    messages.resize(load.size());
    devices.resize(topology.devices.size());
    links.clear();
  }

private:
  std::optional<RouteSets> sets;
  std::vector<int64_t> pairNs;
  std::vector<int> machineNumbers;
  std::unique_ptr<const MachineRoutes> machines;
  bool knowsMachines = false;
};

} // namespace soap

#endif // SOAP_LIB_COST_COLLECTIVEWORKSPACE_H
