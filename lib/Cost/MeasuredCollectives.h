//===- MeasuredCollectives.h - Collectives of a profile ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The price of a collective where the profile of the devices has measured it:
// by a curve inside of a machine, and by links between machines.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COST_MEASUREDCOLLECTIVES_H
#define SOAP_LIB_COST_MEASUREDCOLLECTIVES_H

#include "CollectiveWorkspace.h"

#include <functional>
#include <optional>
#include <vector>

namespace soap {

/// Nothing, if the profile says nothing of such a group: of other kinds, types
/// or links. `devices` are ascending, two at least. `across` adds latency and
/// time per byte of the links between machines, of a group on several. The
/// result has no links.
std::optional<CollectiveAlgorithm>
measuredCollective(CollectiveWorkspace::Parts &workspace, CollectiveKind kind,
                   const std::vector<int> &devices,
                   const std::function<void(CollectiveAlgorithm &)> &across);

} // namespace soap

#endif // SOAP_LIB_COST_MEASUREDCOLLECTIVES_H
