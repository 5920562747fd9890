//===- UpdateShards.h - Shards that only update parameters ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which kernels of a compact plan are updates, for the rule of deferred tasks
// (Deferral.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SIMULATOR_UPDATESHARDS_H
#define SOAP_LIB_SIMULATOR_UPDATESHARDS_H

#include "Soap/Plan/PlanState.h"

#include <set>
#include <vector>

namespace soap {

class UpdateShards {
public:
  /// Keeps a reference.
  explicit UpdateShards(const PlanState &plan);

  /// Whether a shard of a slot writes nothing but updated parameters.
  bool contains(int slot, size_t shard) const;

private:
  const PlanState &plan;
  /// Value and source of results that are graph outputs.
  std::set<std::pair<int, int>> reported;
  std::vector<std::vector<int>> updatedResults; ///< by node
};

} // namespace soap

#endif // SOAP_LIB_SIMULATOR_UPDATESHARDS_H
