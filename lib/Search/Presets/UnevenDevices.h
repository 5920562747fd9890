//===- UnevenDevices.h - Data parallelism on unequal devices ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where devices differ in speed or in their links, an equal split waits for the
// slowest one. Devices of a class are alike; a class takes several pieces of
// the samples per device, one, or none. A device that takes several has them in
// its list several times.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_PRESETS_UNEVENDEVICES_H
#define SOAP_LIB_SEARCH_PRESETS_UNEVENDEVICES_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// Devices of one type whose links are alike, ascending; the class of the first
/// device first. Links are those to all other devices on up to 64 devices, else
/// the device's own.
std::vector<std::vector<int>> deviceClasses(const Topology &topology);

/// Lists of devices for the pieces of a split, the most promising first by
/// the time that the slowest device computes: pieces in proportion to speed,
/// and without some of the classes. At most `maxCount`. Empty where all devices
/// are alike.
std::vector<std::vector<int>>
unevenDeviceLists(const ParallelizationProblem &problem, size_t maxCount);

/// Data parallelism whose pieces are on `devices`, which may name one several
/// times: samples are split into as many pieces as there are entries, where
/// there are as many; ops without samples are replicated on every device of the
/// list.
Strategy dataParallelOn(const ParallelizationProblem &problem,
                        const std::vector<int> &devices);

} // namespace soap

#endif // SOAP_LIB_SEARCH_PRESETS_UNEVENDEVICES_H
