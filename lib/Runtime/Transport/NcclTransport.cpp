//===- NcclTransport.cpp - Messages between devices over NCCL -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NcclTransport.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/NcclTransport.h"

#include "Runtime/Transport/NcclAbi.h"
#include "Runtime/Transport/TransferLedger.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

using namespace soap;
using namespace soap::runtime;

namespace {

class World : public NcclWorld, public std::enable_shared_from_this<World> {
public:
  World(const NcclAbi &nccl, const Placement &placement)
      : nccl(nccl), place(placement), comms(size_t(placement.devices)) {}

  /// The graphs that hold operations of a communicator are gone: NCCL waits for
  /// them, from 2.26 on, when it destroys or aborts one.
  ~World() override {
    for (std::thread &thread : aborting)
      thread.join();
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[devices, members] : groups)
      for (NcclComm comm : members)
        if (comm)
          nccl.ncclCommDestroy(comm);
    for (NcclComm &comm : comms)
      if (comm)
        nccl.ncclCommDestroy(comm);
  }

  /// Communicators of groups, out of that of all devices. All processes make
  /// them in the same order.
  MaybeError split(Backend *backend,
                   const std::vector<std::vector<int64_t>> &lists) {
    for (std::vector<int64_t> devices : lists) {
      std::sort(devices.begin(), devices.end());
      auto [known, isNew] = groups.try_emplace(
          devices, std::vector<NcclComm>(size_t(place.devices)));
      // Of all devices there is one already.
      if (!isNew || int64_t(devices.size()) == place.devices)
        continue;
      if (MaybeError error =
              check(nccl.ncclGroupStart(), "ncclGroupStart", nullptr))
        return error;
      MaybeError first;
      for (int64_t device : place.devicesHere()) {
        auto member = std::find(devices.begin(), devices.end(), device);
        bool joins = member != devices.end();
        if (backend && !first)
          first = backend->select(device);
        if (!first)
          first = check(nccl.ncclCommSplit(
                            comms[size_t(device)], joins ? 0 : ncclSplitNoColor,
                            joins ? int(member - devices.begin()) : 0,
                            &known->second[size_t(device)], nullptr),
                        "ncclCommSplit", comms[size_t(device)], device);
      }
      MaybeError end = check(nccl.ncclGroupEnd(), "ncclGroupEnd", nullptr);
      if (first || end)
        return first ? first : end;
    }
    return std::nullopt;
  }

  MaybeError connect(Backend *backend) {
    NcclUniqueId id{};
    if (place.isRoot())
      if (MaybeError error =
              check(nccl.ncclGetUniqueId(&id), "ncclGetUniqueId", nullptr))
        return error;
    if (place.size() > 1) {
      auto ids = exchangeTexts(*place.group,
                               std::string(id.internal, sizeof(id.internal)));
      if (!ids)
        return ids.takeError();
      std::memcpy(id.internal, (*ids)[0].data(), sizeof(id.internal));
    }
    if (MaybeError error =
            check(nccl.ncclGroupStart(), "ncclGroupStart", nullptr))
      return error;
    MaybeError first;
    for (int64_t device : place.devicesHere()) {
      if (backend && !first)
        first = backend->select(device);
      if (!first)
        first =
            check(nccl.ncclCommInitRank(&comms[size_t(device)],
                                        int(place.devices), id, int(device)),
                  "ncclCommInitRank", nullptr, device);
    }
    MaybeError end = check(nccl.ncclGroupEnd(), "ncclGroupEnd", nullptr);
    return first ? first : end;
  }

  std::unique_ptr<Transport> transport() override;

  /// An error of a call, with NCCL's text.
  MaybeError check(NcclResult result, const char *call, NcclComm comm,
                   int64_t device = -1) const {
    if (result == ncclSuccess)
      return std::nullopt;
    std::string text =
        std::string(call) +
        (device < 0 ? "" : " of device " + std::to_string(device)) + ": " +
        nccl.ncclGetErrorString(result);
    const char *detail = nccl.ncclGetLastError(comm);
    if (detail && *detail)
      text += std::string(": ") + detail;
    return Error{text};
  }

  /// Ends all that waits; the communicators are of no use any more.
  ///
  /// ncclCommAbort tells the kernels of a communicator to end, and then waits
  /// until they have, and until all graphs that hold its operations are
  /// destroyed. A kernel may stand behind one of another communicator, and the
  /// caller may have to destroy the graphs: so every communicator is aborted
  /// by a thread of its own, and nothing waits here.
  void abort() {
    std::lock_guard<std::mutex> lock(mutex);
    if (dead.exchange(true))
      return;
    auto abortAll = [&](std::vector<NcclComm> &members) {
      for (NcclComm &comm : members)
        if (comm)
          aborting.emplace_back(
              [&nccl = nccl, lost = std::exchange(comm, nullptr)] {
                nccl.ncclCommAbort(lost);
              });
    };
    for (auto &[devices, members] : groups)
      abortAll(members);
    abortAll(comms);
  }

  /// The communicator of a device for a group, its devices ascending. Null
  /// after an abort, or if no group of `create` has these devices.
  NcclComm comm(int64_t device, const std::vector<int64_t> &devices) {
    if (int64_t(devices.size()) == place.devices)
      return comm(device);
    std::lock_guard<std::mutex> lock(mutex);
    auto known = groups.find(devices);
    return known == groups.end() ? nullptr : known->second[size_t(device)];
  }

  /// Null after an abort.
  NcclComm comm(int64_t device) {
    std::lock_guard<std::mutex> lock(mutex);
    return comms[size_t(device)];
  }
  bool isDead() const { return dead.load(); }

  /// Errors of the network and of other ranks, which no call returns: a
  /// thread that waits on a stream would wait forever.
  std::optional<Transport::Trouble> trouble() {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = troubleOf(comms))
      return found;
    for (const auto &[devices, members] : groups)
      if (auto found = troubleOf(members))
        return found;
    return std::nullopt;
  }

  const NcclAbi &nccl;
  const Placement place;

private:
  std::mutex mutex;
  std::vector<NcclComm> comms; ///< by device
  std::vector<std::thread> aborting;

  /// Of communicators by device.
  std::optional<Transport::Trouble>
  troubleOf(const std::vector<NcclComm> &members) const {
    for (size_t device = 0; device < members.size(); ++device) {
      NcclComm comm = members[device];
      NcclResult state = ncclSuccess;
      if (!comm)
        continue;
      NcclResult asked = nccl.ncclCommGetAsyncError(comm, &state);
      if (asked != ncclSuccess)
        state = asked;
      if (state != ncclSuccess && state != ncclInProgress)
        return Transport::Trouble{
            int64_t(device),
            check(state, "ncclCommGetAsyncError", comm)->message};
    }
    return std::nullopt;
  }
  /// By devices, ascending: communicators by device.
  std::map<std::vector<int64_t>, std::vector<NcclComm>> groups;
  std::atomic<bool> dead{false};
};

class NcclTransport : public Transport {
public:
  explicit NcclTransport(std::shared_ptr<World> w)
      : world(std::move(w)),
        ledger(world->place.devices, world->place.devicesHere()),
        inGroup(size_t(world->place.devices)),
        views(size_t(world->place.devices)) {}

  void start(int64_t iteration) override {
    ledger.start();
    inGroup.assign(inGroup.size(), 0);
    views.assign(views.size(), nullptr);
    isFirst = iteration == 0;
  }

  MaybeError send(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    return transfer(true, envelope, const_cast<void *>(data), bytes);
  }
  MaybeError receive(const Envelope &envelope, void *data,
                     int64_t bytes) override {
    return transfer(false, envelope, data, bytes);
  }

  MaybeError collective(const Collective &call) override {
    assert(call.check().empty() && "buffers must have been checked");
    if (world->isDead())
      return stopped();
    std::vector<int64_t> devices = *call.group;
    std::sort(devices.begin(), devices.end());
    NcclComm comm = world->comm(call.me(), devices);
    if (!comm)
      return world->isDead()
                 ? stopped()
                 : Error{call.describe() + ": no communicator was made for it"};
    if (MaybeError error = ledger.give(call))
      return error;
    void *stream = nullptr;
    if (call.device) {
      auto native = call.device->nativeStream(call.stream);
      if (!native)
        return native.takeError();
      stream = *native;
      views[size_t(call.me())] = call.device;
    }
    // Ranks of the communicator, by place in the group.
    std::vector<int> ranks;
    for (int64_t device : *call.group)
      ranks.push_back(int(std::find(devices.begin(), devices.end(), device) -
                          devices.begin()));
    if (call.kind == CollectiveKind::AllToAll &&
        (call.isRoot() || call.isAllToAll()))
      if (MaybeError error = copyOwnPiece(call))
        return error;
    return wait(call.me(), collectiveName(call.kind),
                [&] { return give(call, ranks, comm, stream); });
  }

  MaybeError beginGroup(int64_t device) override {
    if (world->isDead())
      return stopped();
    inGroup[size_t(device)] = 1;
    return world->check(world->nccl.ncclGroupStart(), "ncclGroupStart",
                        world->comm(device));
  }

  MaybeError endGroup(int64_t device) override {
    inGroup[size_t(device)] = 0;
    return wait(device, "ncclGroupEnd",
                [&] { return world->nccl.ncclGroupEnd(); });
  }

  MaybeError ended(int64_t device) override { return ledger.ended(device); }
  std::optional<Trouble> trouble() override { return world->trouble(); }
  void abort() override {
    world->abort();
    ledger.stop();
  }
  MaybeError ready() const override {
    return world->isDead() ? MaybeError(stopped()) : std::nullopt;
  }
  /// No device waits while an iteration is recorded, and recorded messages are
  /// not sent.
  void interrupt() override { ledger.stop(); }
  MaybeError finish() override { return std::nullopt; }

private:
  std::shared_ptr<World> world;
  TransferLedger ledger;
  /// By device; each is its own thread's.
  std::vector<char> inGroup;
  std::vector<BackendDevice *> views; ///< that have given something
  bool isFirst = false;               ///< iteration

  static Error stopped() {
    return Error{"stopped because another device failed"};
  }

  /// A call that may wait for other devices.
  ///
  /// In the first iteration of an entry libraries load kernels and allocate,
  /// for which CUDA waits for devices that share memory. A device whose
  /// operation waits for one that loads would never end. So devices of a
  /// process meet before they give an operation, which then needs none of them
  /// any more, and each goes on when its own one has ended.
  template <typename Call>
  MaybeError wait(int64_t device, const char *name, Call call) {
    if (MaybeError error = ledger.waits(device))
      return error;
    BackendDevice *view = isFirst ? views[size_t(device)] : nullptr;
    if (view && !ledger.meet(device))
      return stopped();
    NcclResult result = call();
    MaybeError failed;
    if (view && result == ncclSuccess)
      failed = view->finish([&] { return world->isDead(); });
    ledger.resumes(device);
    if (world->isDead())
      return stopped();
    return failed ? failed
                  : world->check(result, name, world->comm(device), device);
  }

  static MaybeError copyOwnPiece(const Collective &call) {
    auto place = size_t(call.place);
    void *to = call.outputs[place];
    const void *from = call.inputs[call.isAllToAll() ? place : 0];
    int64_t bytes = call.outputCounts[place] * call.elementBytes();
    if (call.device)
      return call.device->copy(to, from, bytes, call.stream);
    std::memmove(to, from, size_t(bytes));
    return std::nullopt;
  }

  /// Gives a collective to NCCL. The calls are the same on all devices of the
  /// group.
  NcclResult give(const Collective &call, const std::vector<int> &ranks,
                  NcclComm comm, void *stream) {
    const NcclAbi &nccl = world->nccl;
    int type = call.elementType == SOAP_F32    ? ncclFloat32
               : call.elementType == SOAP_F64  ? ncclFloat64
               : call.elementType == SOAP_F16  ? ncclFloat16
               : call.elementType == SOAP_BF16 ? ncclBfloat16
                                               : ncclUint8;
    auto whole = size_t(call.elements());
    void *in = call.inputs.empty() ? call.outputs[0] : call.inputs[0];
    void *out = call.outputs.empty() ? nullptr : call.outputs[0];
    int root = call.root < 0 ? -1 : ranks[size_t(call.root)];
    // Pieces of one size in one buffer, in the order of the ranks.
    bool regular =
        call.isContiguous && std::is_sorted(ranks.begin(), ranks.end());
    switch (call.kind) {
    case CollectiveKind::AllReduce:
      return nccl.ncclAllReduce(out, out, whole, type, ncclSum, comm, stream);
    case CollectiveKind::Reduce:
      return nccl.ncclReduce(in, out, whole, type, ncclSum, root, comm, stream);
    case CollectiveKind::Broadcast:
      return nccl.ncclBroadcast(in, call.isRoot() ? in : out, whole, type, root,
                                comm, stream);
    case CollectiveKind::ReduceScatter:
      if (regular)
        return nccl.ncclReduceScatter(in, out, size_t(call.outputCounts[0]),
                                      type, ncclSum, comm, stream);
      return inGroupOf(call, [&](size_t p) {
        return nccl.ncclReduce(
            call.inputs[p], int64_t(p) == call.place ? out : nullptr,
            size_t(call.inputCounts[p]), type, ncclSum, ranks[p], comm, stream);
      });
    case CollectiveKind::AllGather:
      if (regular)
        return nccl.ncclAllGather(in, out, size_t(call.inputCounts[0]), type,
                                  comm, stream);
      return inGroupOf(call, [&](size_t p) {
        return nccl.ncclBroadcast(
            int64_t(p) == call.place ? in : call.outputs[p], call.outputs[p],
            size_t(call.outputCounts[p]), type, ranks[p], comm, stream);
      });
    case CollectiveKind::AllToAll:
      return call.isAllToAll() ? allToAll(call, ranks, type, comm, stream)
                               : gather(call, ranks, type, comm, stream);
    case CollectiveKind::Exchange:
      break;
    }
    return ncclSuccess;
  }

  /// Messages between all; its own piece each device copies.
  NcclResult allToAll(const Collective &call, const std::vector<int> &ranks,
                      int type, NcclComm comm, void *stream) {
    const NcclAbi &nccl = world->nccl;
    NcclResult first = nccl.ncclGroupStart();
    for (size_t p = 0; first == ncclSuccess && p < ranks.size(); ++p) {
      if (int64_t(p) == call.place)
        continue;
      first = nccl.ncclSend(call.inputs[p], size_t(call.inputCounts[p]), type,
                            ranks[p], comm, stream);
      if (first == ncclSuccess)
        first = nccl.ncclRecv(call.outputs[p], size_t(call.outputCounts[p]),
                              type, ranks[p], comm, stream);
    }
    NcclResult end = nccl.ncclGroupEnd();
    return first != ncclSuccess ? first : end;
  }

  /// Messages to the root, which gets its own piece by a copy.
  NcclResult gather(const Collective &call, const std::vector<int> &ranks,
                    int type, NcclComm comm, void *stream) {
    const NcclAbi &nccl = world->nccl;
    auto count = size_t(call.elements());
    if (!call.isRoot())
      return nccl.ncclSend(call.inputs[0], count, type,
                           ranks[size_t(call.root)], comm, stream);
    NcclResult first = nccl.ncclGroupStart();
    for (size_t p = 0; first == ncclSuccess && p < ranks.size(); ++p)
      if (int64_t(p) != call.place)
        first =
            nccl.ncclRecv(call.outputs[p], count, type, ranks[p], comm, stream);
    NcclResult end = nccl.ncclGroupEnd();
    return first != ncclSuccess ? first : end;
  }

  /// A call for each piece, as one group.
  template <typename Call>
  NcclResult inGroupOf(const Collective &call, Call giveOne) {
    NcclResult first = world->nccl.ncclGroupStart();
    for (size_t p = 0; first == ncclSuccess && p < call.pieces().size(); ++p)
      first = giveOne(p);
    NcclResult end = world->nccl.ncclGroupEnd();
    return first != ncclSuccess ? first : end;
  }

  MaybeError transfer(bool isSend, const Envelope &envelope, void *data,
                      int64_t bytes) {
    int64_t me = isSend ? envelope.from : envelope.to;
    int64_t peer = isSend ? envelope.to : envelope.from;
    NcclComm comm = world->comm(me);
    if (!comm)
      return stopped();
    if (MaybeError error = ledger.give(isSend, envelope, bytes))
      return error;
    void *stream = nullptr;
    if (envelope.device) {
      auto native = envelope.device->nativeStream(envelope.stream);
      if (!native)
        return native.takeError();
      stream = *native;
      views[size_t(me)] = envelope.device;
    }
    const char *name = isSend ? "ncclSend" : "ncclRecv";
    auto call = [&] {
      return isSend ? world->nccl.ncclSend(data, size_t(bytes), ncclUint8,
                                           int(peer), comm, stream)
                    : world->nccl.ncclRecv(data, size_t(bytes), ncclUint8,
                                           int(peer), comm, stream);
    };
    if (!inGroup[size_t(me)])
      return wait(me, name, call);
    return world->check(call(), name, comm, me);
  }
};

std::unique_ptr<Transport> World::transport() {
  return std::make_unique<NcclTransport>(shared_from_this());
}

} // namespace

Expected<std::shared_ptr<NcclWorld>>
NcclWorld::create(const Placement &placement, Backend *backend,
                  const std::vector<std::vector<int64_t>> &groups) {
  auto nccl = loadNccl();
  if (!nccl)
    return nccl.takeError();
  auto world = std::make_shared<World>(**nccl, placement);
  if (MaybeError error = world->connect(backend))
    return Error{"transport nccl: " + error->message};
  if (MaybeError error = world->split(backend, groups))
    return Error{"transport nccl: " + error->message};
  return std::shared_ptr<NcclWorld>(world);
}
