//===- PlanTraffic.h - Bytes that devices send each other -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes each device sends to each other device when a plan runs: in
// transfers, and in the messages of which its collectives consist.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_PLANTRAFFIC_H
#define SOAP_LIB_PLAN_PLANTRAFFIC_H

#include "Soap/Plan/Plan.h"

namespace soap {

/// `[from][to]` bytes of all messages of a plan whose irregular collectives are
/// expanded (`buildProgramPlan`). Of others only regular collectives count.
std::vector<std::vector<int64_t>>
messageBytes(const Graph &graph, const Plan &plan, int deviceCount);

} // namespace soap

#endif // SOAP_LIB_PLAN_PLANTRAFFIC_H
