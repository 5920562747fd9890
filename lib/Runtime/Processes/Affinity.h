//===- Affinity.h - Cores of device threads ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which cores a device thread runs on and how many kernel threads it has. Apart
// from the launcher because it is all system calls.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_PROCESSES_AFFINITY_H
#define SOAP_LIB_RUNTIME_PROCESSES_AFFINITY_H

#include <cstdint>
#include <vector>

namespace soap::runtime {

/// The cores that this process may use, ascending.
std::vector<int> availableCoreList();

/// How many these are, at least 1.
int64_t availableCores();

/// Binds the calling thread to `count` of `cores`, from `first` round robin,
/// and lets its kernels use `count` threads. Kernel threads inherit the cores,
/// so this comes before the first kernel.
void setUpDeviceThread(const std::vector<int> &cores, int64_t first,
                       int64_t count, bool pin);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_PROCESSES_AFFINITY_H
