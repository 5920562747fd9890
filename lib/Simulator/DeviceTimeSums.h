//===- DeviceTimeSums.h - Where the time of devices goes --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of all timelines, of a task graph or of a compact plan.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SIMULATOR_DEVICETIMESUMS_H
#define SOAP_LIB_SIMULATOR_DEVICETIMESUMS_H

#include "Soap/Model/Region.h"
#include "Soap/Simulator/Timeline.h"

namespace soap {

/// Takes the tasks of a timeline in any order.
class DeviceTimeSums {
public:
  explicit DeviceTimeSums(size_t devices)
      : times(devices), working(devices), communicating(devices) {}

  /// A kernel, or a fill, assemble or combine, of a device.
  void addWork(size_t device, TaskClass taskClass, int64_t startNs,
               int64_t endNs);
  void addTransfer(int64_t startNs, int64_t endNs) {
    transfers.push_back({startNs, endNs});
  }
  /// A device takes part in a transfer that has been added.
  void addPart(size_t device, int64_t startNs, int64_t endNs) {
    communicating[device].push_back({startNs, endNs});
  }
  /// Ends the sums. A device without work has all transfers exposed.
  std::vector<DeviceTimes> finish();

private:
  std::vector<DeviceTimes> times;
  std::vector<std::vector<Interval>> working, communicating;
  std::vector<Interval> transfers;
};

} // namespace soap

#endif // SOAP_LIB_SIMULATOR_DEVICETIMESUMS_H
