//===- FewerDevices.h - Presets on some of the devices ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small model is slower on many devices than on few. Searches that start from
// presets on 2, 4, 8, ... devices, too, are never slower on more devices.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PRESETS_FEWERDEVICES_H
#define SOAP_SEARCH_PRESETS_FEWERDEVICES_H

#include "Soap/Search/Problem/ParallelizationProblem.h"

#include <string>
#include <utility>
#include <vector>

namespace soap {

/// `presetStarts`, and behind them presets on some of the devices
/// (`deviceCounts`), the most first, as `zero(devices=4)`: each strategy once.
std::vector<std::pair<std::string, Strategy>>
presetStartsOnAnyDevices(const ParallelizationProblem &problem);

} // namespace soap

#endif // SOAP_SEARCH_PRESETS_FEWERDEVICES_H
