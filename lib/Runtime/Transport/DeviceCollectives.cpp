//===- DeviceCollectives.cpp - Collectives between devices ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See DeviceCollectives.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/DeviceCollectives.h"

#include "Soap/Plan/CollectiveGroup.h"

#include <cassert>

using namespace soap;
using namespace soap::runtime;

/// One collective of an iteration. Members that other devices read change under
/// the lock until all devices have made a step, and not after that.
struct DeviceCollectives::Meeting {
  enum Step { Published, Summed, Done, Steps };
  /// By place in the group.
  std::vector<const Collective *> calls;
  std::vector<void *> signals[Steps];
  int64_t arrived[Steps] = {};
  /// The slice that each has summed.
  std::vector<Memory> sums;
};

DeviceCollectives::DeviceCollectives(Backend &backend, int64_t count)
    : backend(backend) {
  for (int64_t i = 0; i < count; ++i)
    meetings.push_back(std::make_unique<Meeting>());
}

DeviceCollectives::~DeviceCollectives() = default;

void DeviceCollectives::start() {
  for (auto &meeting : meetings) {
    meeting->calls.clear();
    for (int step = 0; step < Meeting::Steps; ++step) {
      meeting->signals[step].clear();
      meeting->arrived[step] = 0;
    }
  }
  aborted = false;
}

void DeviceCollectives::abort() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    aborted = true;
  }
  changed.notify_all();
}

Expected<void *> DeviceCollectives::grow(Memory &memory, int64_t device,
                                         int64_t bytes) {
  assert(bytes >= 0 && "a negative size");
  if (memory.data && memory.bytes >= bytes)
    return memory.data;
  auto data = backend.allocate(device, bytes);
  if (!data)
    return data.takeError();
  memory = {*data, bytes};
  return memory.data;
}

class DeviceCollectives::Member {
public:
  Member(DeviceCollectives &all, Meeting &meeting, const Collective &call)
      : all(all), meeting(meeting), call(call), bytes(call.elementBytes()) {}

  MaybeError run() {
    if (MaybeError error = publish())
      return error;
    if (MaybeError error = meet(Meeting::Published))
      return error;
    if (MaybeError error = move())
      return error;
    // No device reads the buffers of this one any more: its stream may go on.
    return meet(Meeting::Done);
  }

private:
  DeviceCollectives &all;
  Meeting &meeting;
  const Collective &call;
  const int64_t bytes;

  MaybeError publish() {
    std::lock_guard<std::mutex> lock(all.mutex);
    auto size = size_t(call.size());
    meeting.sums.resize(size);
    for (auto &signals : meeting.signals)
      signals.resize(size);
    return call.addTo(meeting.calls);
  }

  /// Later work of the stream happens after all work that the streams of the
  /// others were given before this step.
  MaybeError meet(Meeting::Step step) {
    auto signal = call.device->signal(call.stream);
    if (!signal)
      return signal.takeError();
    {
      std::unique_lock<std::mutex> lock(all.mutex);
      meeting.signals[step][size_t(call.place)] = *signal;
      if (++meeting.arrived[step] == call.size())
        all.changed.notify_all();
      all.changed.wait(lock, [&] {
        return all.aborted || meeting.arrived[step] == call.size();
      });
      if (all.aborted)
        return Error{"stopped because another device failed"};
    }
    for (int64_t p = 0; p < call.size(); ++p)
      if (p != call.place)
        if (MaybeError error = call.device->waitSignal(
                meeting.signals[step][size_t(p)], call.stream))
          return error;
    return std::nullopt;
  }

  MaybeError move() {
    switch (call.kind) {
    case CollectiveKind::AllReduce:
      return allReduce();
    case CollectiveKind::Reduce:
      return call.isRoot() ? reduce() : std::nullopt;
    case CollectiveKind::ReduceScatter:
      return fold(call.outputs[0], call.outputCounts[0],
                  [&](const Collective &other) {
                    return other.inputs[size_t(call.place)];
                  });
    case CollectiveKind::AllGather:
      for (int64_t p = 0; p < call.size(); ++p)
        if (MaybeError error = copy(call.outputs[size_t(p)],
                                    meeting.calls[size_t(p)]->inputs[0],
                                    call.outputCounts[size_t(p)]))
          return error;
      return std::nullopt;
    case CollectiveKind::Broadcast:
      return call.isRoot() ? std::nullopt
                           : copy(call.outputs[0],
                                  meeting.calls[size_t(call.root)]->inputs[0],
                                  call.elements());
    case CollectiveKind::AllToAll:
      if (call.isAllToAll()) {
        for (int64_t p = 0; p < call.size(); ++p)
          if (MaybeError error =
                  copy(call.outputs[size_t(p)],
                       meeting.calls[size_t(p)]->inputs[size_t(call.place)],
                       call.outputCounts[size_t(p)]))
            return error;
        return std::nullopt;
      }
      for (int64_t p = 0; call.isRoot() && p < call.size(); ++p)
        if (MaybeError error =
                copy(call.outputs[size_t(p)],
                     meeting.calls[size_t(p)]->inputs[0], call.elements()))
          return error;
      return std::nullopt;
    case CollectiveKind::Exchange:
      break;
    }
    return Error{call.describe() + ": expected messages"};
  }

  static void *at(void *data, int64_t offset) {
    return static_cast<char *>(data) + offset;
  }

  MaybeError copy(void *to, const void *from, int64_t elements) {
    return call.device->copy(to, from, elements * bytes, call.stream);
  }

  /// Sums `elements` of all parts into `to`, which is none of them.
  template <typename Place>
  MaybeError fold(void *to, int64_t elements, Place place) {
    if (elements == 0)
      return std::nullopt;
    Memory *memory = nullptr;
    {
      std::lock_guard<std::mutex> lock(all.mutex);
      memory = &all.incoming[{call.me(), call.stream}];
    }
    auto next = all.grow(*memory, call.me(), elements * bytes);
    if (!next)
      return next.takeError();
    for (int64_t p = 0; p < call.size(); ++p) {
      const void *from = place(*meeting.calls[size_t(p)]);
      if (p == 0) {
        if (MaybeError error = copy(to, from, elements))
          return error;
        continue;
      }
      if (p != call.place) {
        if (MaybeError error = copy(*next, from, elements))
          return error;
        from = *next;
      }
      if (MaybeError error = call.device->add(call.elementType, to, from,
                                              elements, call.stream))
        return error;
    }
    return std::nullopt;
  }

  Interval slice(int64_t piece) const {
    return sumSlice(call.elements(), bytes, call.size(), piece);
  }

  MaybeError allReduce() {
    Interval own = slice(call.place);
    Memory &memory = meeting.sums[size_t(call.place)];
    auto sum = all.grow(memory, call.me(), own.size() * bytes);
    if (!sum)
      return sum.takeError();
    if (MaybeError error = fold(*sum, own.size(), [&](const Collective &other) {
          return at(other.outputs[0], own.lo * bytes);
        }))
      return error;
    if (MaybeError error = meet(Meeting::Summed))
      return error;
    for (int64_t p = 0; p < call.size(); ++p)
      if (MaybeError error =
              copy(at(call.outputs[0], slice(p).lo * bytes),
                   meeting.sums[size_t(p)].data, slice(p).size()))
        return error;
    return std::nullopt;
  }

  MaybeError reduce() {
    Memory &memory = meeting.sums[size_t(call.place)];
    auto sum = all.grow(memory, call.me(), call.elements() * bytes);
    if (!sum)
      return sum.takeError();
    if (MaybeError error =
            fold(*sum, call.elements(), [](const Collective &other) {
              return other.inputs.empty() ? other.outputs[0] : other.inputs[0];
            }))
      return error;
    return copy(call.outputs[0], *sum, call.elements());
  }
};

MaybeError DeviceCollectives::run(const Collective &collective) {
  if (collective.number < 0 || collective.number >= int64_t(meetings.size()))
    return Error{collective.describe() + " does not exist"};
  assert(collective.check().empty() && "buffers must have been checked");
  assert(collective.device && "of a device of a backend");
  return Member(*this, *meetings[size_t(collective.number)], collective).run();
}
