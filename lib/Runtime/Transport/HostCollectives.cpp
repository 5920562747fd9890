//===- HostCollectives.cpp - Collectives in the memory of hosts -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostCollectives.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/HostCollectives.h"

#include "Runtime/Processes/Affinity.h"
#include "Soap/Plan/CollectiveGroup.h"

#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>

using namespace soap;
using namespace soap::runtime;

/// Where the devices of this process that take part wait for each other. A
/// collective has at most three steps, each over when all have made it.
struct HostCollectives::Meeting {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int64_t> arrived[3] = {};
  /// By place in the group; null: not there yet, or in another process.
  std::vector<const Collective *> calls;
};

HostCollectives::HostCollectives(const Placement &placement, int64_t firstTag,
                                 int64_t count)
    : place(placement), firstTag(firstTag),
      mayPoll(int64_t(placement.devicesHere().size()) <= availableCores()) {
  for (int64_t i = 0; i < count; ++i)
    meetings.push_back(std::make_unique<Meeting>());
}

HostCollectives::~HostCollectives() = default;

void HostCollectives::start() {
  for (auto &meeting : meetings) {
    meeting->calls.clear();
    for (auto &arrived : meeting->arrived)
      arrived.store(0);
  }
  aborted.store(false);
}

void HostCollectives::abort() {
  aborted.store(true);
  for (auto &meeting : meetings) {
    // Taking the lock orders the flag before the next check of a sleeper.
    {
      std::lock_guard<std::mutex> lock(meeting->mutex);
    }
    meeting->changed.notify_all();
  }
}

/// One device in one collective.
class HostCollectives::Member {
public:
  Member(HostCollectives &all, Meeting &meeting, const Collective &call)
      : all(all), meeting(meeting), call(call), bytes(call.elementBytes()) {
    for (int64_t device : *call.group)
      here.push_back(all.place.isHere(device));
    for (bool isHere : here)
      count += isHere;
  }

  MaybeError run() {
    if (MaybeError error = publish())
      return error;
    switch (call.kind) {
    case CollectiveKind::AllReduce:
      return allReduce();
    case CollectiveKind::Reduce:
      return reduce();
    case CollectiveKind::ReduceScatter:
      return reduceScatter();
    case CollectiveKind::AllGather:
      return allGather();
    case CollectiveKind::Broadcast:
      return broadcast();
    case CollectiveKind::AllToAll:
      return call.isAllToAll() ? allToAll() : gather();
    case CollectiveKind::Exchange:
      break;
    }
    return Error{call.describe() + ": expected messages"};
  }

private:
  HostCollectives &all;
  Meeting &meeting;
  const Collective &call;
  const int64_t bytes;
  std::vector<bool> here; ///< by place
  int64_t count = 0;      ///< of the devices here
  std::vector<std::vector<char>> received;

  enum Step { Published, Summed, Done };

  static MaybeError stopped() {
    return Error{"stopped because another device failed"};
  }

  MaybeError publish() {
    std::lock_guard<std::mutex> lock(meeting.mutex);
    return call.addTo(meeting.calls);
  }

  /// Waits until all devices here have made a step.
  MaybeError meet(Step step) {
    std::atomic<int64_t> &arrived = meeting.arrived[step];
    {
      std::lock_guard<std::mutex> lock(meeting.mutex);
      ++arrived;
      assert(arrived.load() <= count && "a device makes a step once");
    }
    if (arrived.load() == count)
      meeting.changed.notify_all();
    auto isOver = [&] { return all.aborted.load() || arrived.load() == count; };
    if (all.mayPoll) {
      constexpr auto patience = std::chrono::microseconds(500);
      auto end = std::chrono::steady_clock::now() + patience;
      while (!isOver() && std::chrono::steady_clock::now() < end)
        ;
    }
    if (!isOver()) {
      std::unique_lock<std::mutex> lock(meeting.mutex);
      meeting.changed.wait(lock, isOver);
    }
    return all.aborted.load() ? stopped() : std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // Messages to other processes
  //===--------------------------------------------------------------------===//

  int64_t tagOf(Step step, int64_t from, int64_t to) const {
    int64_t devices = all.place.devices;
    return all.firstTag + ((step == Published ? 0 : devices) + from) * devices +
           to;
  }

  MaybeError send(Step step, int64_t to, const void *data, int64_t elements) {
    int64_t device = (*call.group)[size_t(to)];
    if (elements == 0)
      return std::nullopt;
    return all.place.group->send(all.place.rankOf(device), Channel::Device,
                                 tagOf(step, call.me(), device), data,
                                 elements * bytes);
  }

  MaybeError receive(Step step, int64_t from, void *data, int64_t elements) {
    int64_t device = (*call.group)[size_t(from)];
    if (elements == 0)
      return std::nullopt;
    MaybeError error = all.place.group->receive(
        all.place.rankOf(device), Channel::Device,
        tagOf(step, device, call.me()), data, elements * bytes, &all.aborted);
    if (error && !all.aborted.load())
      return Error{call.describe() + ", from device " + std::to_string(device) +
                   ": " + error->message};
    return error;
  }

  /// Calls `visit(place)` for the devices of other processes.
  template <typename Visit>
  MaybeError forEachRemote(Visit visit) {
    for (int64_t p = 0; p < call.size(); ++p)
      if (!here[size_t(p)])
        if (MaybeError error = visit(p))
          return error;
    return std::nullopt;
  }

  /// Copies the input of the device at place `p`: from its buffer number
  /// `input`, or from a message.
  MaybeError take(int64_t p, void *to, int64_t elements, size_t input = 0) {
    if (!here[size_t(p)])
      return receive(Published, p, to, elements);
    if (elements)
      std::memcpy(to, meeting.calls[size_t(p)]->inputs[input],
                  size_t(elements * bytes));
    return std::nullopt;
  }

  /// The root then has the inputs of the others, or can read them here.
  MaybeError giveToRoot() {
    if (!call.isRoot() && !here[size_t(call.root)])
      if (MaybeError error =
              send(Published, call.root, call.inputs[0], call.elements()))
        return error;
    return meet(Published);
  }

  //===--------------------------------------------------------------------===//
  // Kinds
  //===--------------------------------------------------------------------===//

  static char *at(void *data, int64_t offset) {
    return static_cast<char *>(data) + offset;
  }

  /// The input of a device to a sum.
  static void *partOf(const Collective &other) {
    return other.inputs.empty() ? other.outputs[0] : other.inputs[0];
  }

  Interval slice(int64_t piece) const {
    return sumSlice(call.elements(), bytes, call.size(), piece);
  }

  /// Sums `count` elements of all parts into `to`: those here from
  /// `place(call)`, the others from messages.
  template <typename Place>
  MaybeError fold(void *to, int64_t elements, Place place) {
    std::vector<const void *> sources;
    for (int64_t p = 0; p < call.size(); ++p) {
      if (here[size_t(p)]) {
        sources.push_back(place(*meeting.calls[size_t(p)]));
        continue;
      }
      received.emplace_back(size_t(elements * bytes));
      if (MaybeError error =
              receive(Published, p, received.back().data(), elements))
        return error;
      sources.push_back(received.back().data());
    }
    foldSums(call.elementType, sources, to, elements);
    return std::nullopt;
  }

  MaybeError allReduce() {
    void *mine = call.outputs[0];
    if (MaybeError error = forEachRemote([&](int64_t p) {
          return send(Published, p, at(mine, slice(p).lo * bytes),
                      slice(p).size());
        }))
      return error;
    if (MaybeError error = meet(Published))
      return error;
    Interval own = slice(call.place);
    // No other device reads this slice of this device's buffer.
    if (MaybeError error = fold(at(mine, own.lo * bytes), own.size(),
                                [&](const Collective &other) {
                                  return at(other.outputs[0], own.lo * bytes);
                                }))
      return error;
    if (MaybeError error = forEachRemote([&](int64_t p) {
          return send(Summed, p, at(mine, own.lo * bytes), own.size());
        }))
      return error;
    if (MaybeError error = meet(Summed))
      return error;
    for (int64_t p = 0; p < call.size(); ++p) {
      Interval other = slice(p);
      if (p == call.place || other.size() == 0)
        continue;
      void *to = at(mine, other.lo * bytes);
      if (!here[size_t(p)]) {
        if (MaybeError error = receive(Summed, p, to, other.size()))
          return error;
        continue;
      }
      std::memcpy(to,
                  at(meeting.calls[size_t(p)]->outputs[0], other.lo * bytes),
                  size_t(other.size() * bytes));
    }
    return meet(Done);
  }

  MaybeError reduce() {
    if (MaybeError error = giveToRoot())
      return error;
    if (call.isRoot())
      if (MaybeError error =
              fold(call.outputs[0], call.elements(),
                   [](const Collective &other) { return partOf(other); }))
        return error;
    return meet(Done);
  }

  /// Every input to the member of its number.
  MaybeError publishParts() {
    if (MaybeError error = forEachRemote([&](int64_t p) {
          return send(Published, p, call.inputs[size_t(p)],
                      call.inputCounts[size_t(p)]);
        }))
      return error;
    return meet(Published);
  }

  MaybeError reduceScatter() {
    if (MaybeError error = publishParts())
      return error;
    if (MaybeError error = fold(call.outputs[0], call.outputCounts[0],
                                [&](const Collective &other) {
                                  return other.inputs[size_t(call.place)];
                                }))
      return error;
    return meet(Done);
  }

  MaybeError allGather() {
    if (MaybeError error = forEachRemote([&](int64_t p) {
          return send(Published, p, call.inputs[0], call.inputCounts[0]);
        }))
      return error;
    if (MaybeError error = meet(Published))
      return error;
    for (int64_t p = 0; p < call.size(); ++p)
      if (MaybeError error =
              take(p, call.outputs[size_t(p)], call.outputCounts[size_t(p)]))
        return error;
    return meet(Done);
  }

  MaybeError gather() {
    if (MaybeError error = giveToRoot())
      return error;
    for (int64_t p = 0; call.isRoot() && p < call.size(); ++p)
      if (MaybeError error = take(p, call.outputs[size_t(p)], call.elements()))
        return error;
    return meet(Done);
  }

  MaybeError allToAll() {
    if (MaybeError error = publishParts())
      return error;
    for (int64_t p = 0; p < call.size(); ++p)
      if (MaybeError error =
              take(p, call.outputs[size_t(p)], call.outputCounts[size_t(p)],
                   size_t(call.place)))
        return error;
    return meet(Done);
  }

  MaybeError broadcast() {
    if (call.isRoot())
      if (MaybeError error = forEachRemote([&](int64_t p) {
            return send(Published, p, call.inputs[0], call.elements());
          }))
        return error;
    if (MaybeError error = meet(Published))
      return error;
    if (!call.isRoot())
      if (MaybeError error = take(call.root, call.outputs[0], call.elements()))
        return error;
    return meet(Done);
  }
};

MaybeError HostCollectives::run(const Collective &collective) {
  if (aborted.load())
    return Error{"stopped because another device failed"};
  if (collective.number < 0 || collective.number >= int64_t(meetings.size()))
    return Error{collective.describe() + " does not exist"};
  assert(collective.check().empty() && "buffers must have been checked");
  return Member(*this, *meetings[size_t(collective.number)], collective).run();
}
