//===- MessageOrder.cpp - Blocking messages that all complete -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MessageOrder.h. Ranks advance together, one message at a time, until none
// can.
//
//===----------------------------------------------------------------------===//

#include "MessageOrder.h"

#include <cassert>
#include <set>
#include <tuple>

using namespace mlir;
using namespace mlir::soap;

FailureOr<SmallVector<Message>> mlir::soap::messagesOf(const Rank &rank) {
  SmallVector<Message> messages;
  func::FuncOp program = rank.program;
  for (Operation &op : program.getBody().front()) {
    if (!isa<SendBufferOp, RecvBufferOp, CollectiveBufferOp>(op))
      continue;
    auto attribute = op.getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
    int64_t slot = attribute ? attribute.getInt() : -1;
    Message message{Message::Send, &op, Rank::at(rank.peers, slot),
                    Rank::at(rank.transfers, slot)};
    if (isa<RecvBufferOp>(op))
      message.kind = Message::Recv;
    if (isa<CollectiveBufferOp>(op)) {
      message.kind = Message::Collective;
      message.number = Rank::at(rank.collectives, slot);
    }
    if (message.number < 0 ||
        (message.kind != Message::Collective && message.peer < 0))
      return op.emitOpError("of device ")
             << rank.device << " has no peer or number in the rank table";
    messages.push_back(message);
  }
  return messages;
}

namespace {

class Walk {
public:
  explicit Walk(Sends sends) : sends(sends) {}

  LogicalResult run(const RankTable &table) {
    for (const Rank &rank : table.ranks) {
      FailureOr<SmallVector<Message>> own = messagesOf(rank);
      if (failed(own))
        return failure();
      messages[rank.device] = std::move(*own);
      next[rank.device] = 0;
      ready.push_back(rank.device);
    }
    while (!ready.empty()) {
      int64_t device = ready.pop_back_val();
      while (advance(device, table)) {
      }
    }
    for (const Rank &rank : table.ranks)
      if (const Message *message = current(rank.device))
        return message->op->emitOpError("of device ")
               << rank.device << " waits for ever"
               << (sends == Sends::Block ? " where messages block" : "")
               << (message->peer >= 0
                       ? " (peer: device " + std::to_string(message->peer) + ")"
                       : std::string())
               << ": ranks of '" << table.entry.getValue()
               << "' meet their messages in different orders, expected "
                  "programs of --soap-partition"
               << (sends == Sends::Block
                       ? " whose sends were not moved"
                       : " whose messages were not moved behind others");
    return success();
  }

private:
  Sends sends;
  /// Sender, receiver and number of messages that are on their way.
  std::set<std::tuple<int64_t, int64_t, int64_t>> posted;
  llvm::DenseMap<int64_t, SmallVector<Message>> messages;
  llvm::DenseMap<int64_t, size_t> next;
  SmallVector<int64_t> ready; ///< devices that may advance

  const Message *current(int64_t device) const {
    auto own = messages.find(device);
    if (own == messages.end() || next.lookup(device) == own->second.size())
      return nullptr;
    return &own->second[next.lookup(device)];
  }

  /// Completes the message that a device is at, if its partners are there, too.
  bool advance(int64_t device, const RankTable &table) {
    const Message *message = current(device);
    if (!message)
      return false;
    SmallVector<int64_t> partners{device};
    if (message->kind == Message::Collective) {
      assert(message->number >= 0 && "a collective without number");
      if (message->number >= static_cast<int64_t>(table.collectives.size()))
        return false;
      for (int32_t member : table.collectives[message->number].members) {
        const Message *other = current(member);
        if (!other || other->kind != Message::Collective ||
            other->number != message->number)
          return false;
        if (member != device)
          partners.push_back(member);
      }
    } else if (sends == Sends::Post) {
      if (message->kind == Message::Send) {
        posted.emplace(device, message->peer, message->number);
        ready.push_back(message->peer);
      } else if (!posted.contains({message->peer, device, message->number})) {
        return false;
      }
    } else {
      const Message *other = current(message->peer);
      if (!other || other->kind == message->kind || other->peer != device ||
          other->kind == Message::Collective ||
          other->number != message->number)
        return false;
      partners.push_back(message->peer);
    }
    for (int64_t partner : partners) {
      assert(current(partner) && "a partner that has ended");
      ++next[partner];
      if (partner != device)
        ready.push_back(partner);
    }
    return true;
  }
};

} // namespace

LogicalResult mlir::soap::checkMessageOrder(const RankTable &table,
                                            Sends sends) {
  return Walk(sends).run(table);
}
