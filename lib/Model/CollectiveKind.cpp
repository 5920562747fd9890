//===- CollectiveKind.cpp - Names of collective operations ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as reports and profiles write them.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/CollectiveKind.h"

using namespace soap;

const char *soap::collectiveName(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all-reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce-scatter";
  case CollectiveKind::AllGather:
    return "all-gather";
  case CollectiveKind::AllToAll:
    return "all-to-all";
  case CollectiveKind::Broadcast:
    return "broadcast";
  case CollectiveKind::Reduce:
    return "reduce";
  case CollectiveKind::Exchange:
    return "exchange";
  }
  return "";
}
