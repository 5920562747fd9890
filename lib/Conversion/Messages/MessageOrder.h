//===- MessageOrder.h - Blocking messages that all complete --- -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A blocking send may wait for its receiver, a posted one does not; a receive
// waits for its send, and a collective for all its members. This check finds
// orders of messages in which ranks wait for each other.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_MESSAGES_MESSAGEORDER_H
#define SOAP_LIB_CONVERSION_MESSAGES_MESSAGEORDER_H

#include "RankTable.h"

namespace mlir::soap {

/// A message or a collective of a rank.
struct Message {
  enum Kind { Send, Recv, Collective } kind = Send;
  Operation *op = nullptr;
  int64_t peer = -1;   ///< device; of a message
  int64_t number = -1; ///< of the transfer or of the collective
};

/// The messages of a rank, in order. An error names an op without a peer or a
/// number.
FailureOr<SmallVector<Message>> messagesOf(const Rank &rank);

/// Whether a send waits for its receiver.
enum class Sends { Block, Post };

/// Fails, with an error that names a message which waits for ever, if the ranks
/// cannot run to their ends.
LogicalResult checkMessageOrder(const RankTable &table, Sends sends);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_MESSAGES_MESSAGEORDER_H
