//===- TransferLedger.cpp - Checks the messages given to NCCL -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TransferLedger.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/TransferLedger.h"

#include <algorithm>
#include <cassert>
#include <string>

using namespace soap;
using namespace soap::runtime;

static std::string describe(int64_t transfer, int64_t from, int64_t to) {
  return "transfer " + std::to_string(transfer) + " from device " +
         std::to_string(from) + " to device " + std::to_string(to);
}

TransferLedger::TransferLedger(int64_t count, const std::vector<int64_t> &local)
    : devices(size_t(count)), local(local) {
  start();
}

void TransferLedger::start() {
  std::lock_guard<std::mutex> lock(mutex);
  open.clear();
  sequences.clear();
  stopped = false;
  for (int64_t device : local)
    devices[size_t(device)] = {Running};
}

MaybeError TransferLedger::give(bool isSend, const Envelope &envelope,
                                int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t me = isSend ? envelope.from : envelope.to;
  int64_t other = isSend ? envelope.to : envelope.from;
  auto exists = [&](int64_t device) {
    return device >= 0 && device < int64_t(devices.size());
  };
  std::string name = describe(envelope.transfer, envelope.from, envelope.to);
  if (!exists(me) || !exists(other) || me == other)
    return Error{name + " does not exist"};
  if (devices[size_t(other)].state == Elsewhere) {
    ++devices[size_t(me)].unknown;
    return std::nullopt;
  }
  std::deque<Message> &queue = open[{envelope.from, envelope.to}];
  if (queue.empty() || queue.front().isSend == isSend) {
    queue.push_back({isSend, envelope.transfer, bytes});
    ++devices[size_t(me)].unmatched;
    return std::nullopt;
  }
  Message theirs = queue.front();
  queue.pop_front();
  assert(devices[size_t(other)].unmatched > 0 && "a message that was given");
  --devices[size_t(other)].unmatched;
  changed.notify_all();
  Message mine{isSend, envelope.transfer, bytes};
  const Message &send = isSend ? mine : theirs,
                &receive = isSend ? theirs : mine;
  if (send.transfer != receive.transfer)
    return Error{"messages from device " + std::to_string(envelope.from) +
                 " to device " + std::to_string(envelope.to) +
                 " are in another order on the two: sent is transfer " +
                 std::to_string(send.transfer) + ", expected transfer " +
                 std::to_string(receive.transfer)};
  if (send.bytes != receive.bytes)
    return Error{name + ": expected " + std::to_string(receive.bytes) +
                 " bytes, got " + std::to_string(send.bytes)};
  return std::nullopt;
}

MaybeError TransferLedger::give(const Collective &call) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<int64_t> group = *call.group;
  std::sort(group.begin(), group.end());
  Sequence &sequence = sequences[group];
  int64_t index = sequence.count[call.me()]++ - sequence.complete;
  if (index == int64_t(sequence.rounds.size())) {
    sequence.rounds.push_back({call, {}});
  } else {
    const Collective &first = sequence.rounds[size_t(index)].call;
    if (first.number != call.number)
      return Error{"collectives of a group are in another order on device " +
                   std::to_string(first.me()) + " and device " +
                   std::to_string(call.me()) + ": " + first.describe() +
                   " meets " + call.describe()};
    std::string difference = first.differenceTo(call);
    if (difference.empty() && first.root != call.root)
      difference = first.describe() + ": roots differ";
    if (!difference.empty())
      return Error{difference};
  }
  assert(index >= 0 && index < int64_t(sequence.rounds.size()) &&
         "every device gives them in order");
  Round &round = sequence.rounds[size_t(index)];
  round.given.push_back(call.me());
  auto isElsewhere = [&](int64_t device) {
    return devices[size_t(device)].state == Elsewhere;
  };
  int64_t expected = int64_t(group.size()) -
                     std::count_if(group.begin(), group.end(), isElsewhere);
  if (expected != int64_t(group.size()))
    ++devices[size_t(call.me())].unknown;
  ++devices[size_t(call.me())].unmatched;
  if (int64_t(round.given.size()) < expected)
    return std::nullopt;
  // Complete; the one before is, too, as every device gives them in order.
  assert(index == 0 && "the first round is complete first");
  for (int64_t device : round.given) {
    assert(devices[size_t(device)].unmatched > 0 && "a call that was given");
    --devices[size_t(device)].unmatched;
  }
  changed.notify_all();
  sequence.rounds.pop_front();
  ++sequence.complete;
  return std::nullopt;
}

MaybeError TransferLedger::waits(int64_t device) {
  std::lock_guard<std::mutex> lock(mutex);
  devices[size_t(device)].state = Waiting;
  return check();
}

void TransferLedger::resumes(int64_t device) {
  std::lock_guard<std::mutex> lock(mutex);
  devices[size_t(device)].state = Running;
  devices[size_t(device)].unknown = 0;
}

bool TransferLedger::meet(int64_t device) {
  std::unique_lock<std::mutex> lock(mutex);
  const Device &me = devices[size_t(device)];
  changed.wait(lock, [&] { return stopped || me.unmatched == 0; });
  return !stopped;
}

void TransferLedger::stop() {
  std::lock_guard<std::mutex> lock(mutex);
  stopped = true;
  changed.notify_all();
}

MaybeError TransferLedger::ended(int64_t device) {
  std::lock_guard<std::mutex> lock(mutex);
  devices[size_t(device)].state = Ended;
  return check();
}

MaybeError TransferLedger::check() {
  for (int64_t device : local) {
    const Device &state = devices[size_t(device)];
    bool canGoOn = state.state == Running ||
                   (state.state == Waiting && state.unmatched == 0) ||
                   (state.state == Waiting && state.unknown > 0);
    if (canGoOn)
      return std::nullopt;
  }
  for (const auto &[pair, queue] : open)
    if (!queue.empty()) {
      const Message &message = queue.front();
      return Error{
          describe(message.transfer, pair.first, pair.second) +
          (message.isSend ? " was never received" : " was never sent") +
          ": no device can go on"};
    }
  for (const auto &[group, sequence] : sequences)
    if (!sequence.rounds.empty()) {
      const Round &round = sequence.rounds.front();
      for (int64_t device : group)
        if (std::find(round.given.begin(), round.given.end(), device) ==
                round.given.end() &&
            devices[size_t(device)].state != Elsewhere)
          return Error{round.call.describe() + ": device " +
                       std::to_string(device) +
                       " never takes part: no device can go on"};
    }
  return std::nullopt;
}
