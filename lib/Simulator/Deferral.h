//===- Deferral.h - Which copies are deferred -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of deferred tasks (docs/Simulator.md): a copy that occupies its
// receiver's compute queue is deferred if no kernel of the iteration waits for
// it, directly or through other tasks, but updates and what only updates read.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SIMULATOR_DEFERRAL_H
#define SOAP_LIB_SIMULATOR_DEFERRAL_H

#include <cstdint>

namespace soap {

/// The facts of a task that decide on deferral. Tasks are visited in reverse
/// topological order: first `addSuccessor` for each successor, then `setKernel`
/// if the task is a kernel.
struct Deferral {
  uint8_t isRead : 1 = 0;        ///< some task waits for it
  uint8_t isAwaited : 1 = 0;     ///< some task that is not for updates does
  uint8_t leadsToKernel : 1 = 0; ///< some kernel waits for it in the end
  uint8_t isForUpdates : 1 = 0;  ///< an update, or only updates read it
  uint8_t isKernel : 1 = 0;      ///< any other kernel

  void addSuccessor(const Deferral &next) {
    isRead = 1;
    isAwaited |= !next.isForUpdates;
    leadsToKernel |= next.isKernel || next.leadsToKernel;
  }
  /// `isUpdate`: the kernel writes nothing but updated parameters.
  void setKernel(bool isUpdate) {
    isForUpdates = isUpdate || (isRead && !isAwaited);
    isKernel = !isForUpdates;
  }
};

} // namespace soap

#endif // SOAP_LIB_SIMULATOR_DEFERRAL_H
