//===- CollectiveKind.h - Kinds of collective operations --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of collectives: operations of several devices that plans contain,
// profiles measure and cost models price.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_COLLECTIVEKIND_H
#define SOAP_MODEL_COLLECTIVEKIND_H

namespace soap {

/// The operation of n devices on one tensor of B bytes. Broadcast and Reduce
/// have the first device of the list as their root.
enum class CollectiveKind {
  AllReduce,     ///< all hold B bytes of partial results, all get the result
  ReduceScatter, ///< all hold B bytes of partial results, each gets B/n
  AllGather,     ///< each holds B/n, all get B
  AllToAll,      ///< each holds B/n, and sends B/n^2 to each other
  Broadcast,     ///< the root holds B, all get B
  Reduce,        ///< all hold B bytes of partial results, the root gets B
  Exchange,      ///< any messages, as one operation; see `exchangeCost`
};
/// `all-reduce`.
const char *collectiveName(CollectiveKind kind);

} // namespace soap

#endif // SOAP_MODEL_COLLECTIVEKIND_H
