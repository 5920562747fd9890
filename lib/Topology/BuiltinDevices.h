//===- BuiltinDevices.h - Device types by name ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of built-in topologies. docs/Topology.md has the source of each
// figure.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TOPOLOGY_BUILTINDEVICES_H
#define SOAP_LIB_TOPOLOGY_BUILTINDEVICES_H

#include "Soap/Topology/Topology.h"

#include <string>
#include <string_view>

namespace soap {

/// 16 lanes of PCIe 3, bytes/s: of 15.75e9, what copies reach.
constexpr double pcie3 = 12e9;

/// The type of this name, which must be one of them: `cpu`, `h100`, ...
DeviceType builtinDevice(std::string_view name);
/// Names of the types that have a rate of `dtype`, for messages.
std::string builtinDevicesWith(const std::string &dtype);

} // namespace soap

#endif // SOAP_LIB_TOPOLOGY_BUILTINDEVICES_H
