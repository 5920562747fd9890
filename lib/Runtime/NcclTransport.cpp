//===- NcclTransport.cpp - Messages between devices over NCCL -------------===//
//
// See NcclTransport.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/NcclTransport.h"

#include "NcclAbi.h"
#include "Soap/Runtime/TransferLedger.h"

#include <atomic>
#include <cstring>
#include <mutex>

using namespace soap;
using namespace soap::runtime;

namespace {

class World : public NcclWorld, public std::enable_shared_from_this<World> {
public:
  World(const NcclAbi &nccl, const Placement &placement)
      : nccl(nccl), place(placement), comms(size_t(placement.devices)) {}

  ~World() override {
    std::lock_guard<std::mutex> lock(mutex);
    for (NcclComm &comm : comms)
      if (comm)
        nccl.ncclCommDestroy(comm);
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

  /// An error of a call, with what NCCL says of it.
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
  void abort() {
    std::lock_guard<std::mutex> lock(mutex);
    if (dead.exchange(true))
      return;
    for (NcclComm comm : comms)
      if (comm)
        nccl.ncclCommAbort(comm);
    comms.assign(comms.size(), nullptr);
  }

  /// Null after an abort.
  NcclComm comm(int64_t device) {
    std::lock_guard<std::mutex> lock(mutex);
    return comms[size_t(device)];
  }
  bool isDead() const { return dead.load(); }

  /// Errors of the network and of other ranks, which no call returns: whoever
  /// waits on a stream would wait forever.
  std::optional<Transport::Trouble> trouble() {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t device = 0; device < comms.size(); ++device) {
      NcclComm comm = comms[device];
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

  const NcclAbi &nccl;
  const Placement place;

private:
  std::mutex mutex;
  std::vector<NcclComm> comms; ///< by device
  std::atomic<bool> dead{false};
};

class NcclTransport : public Transport {
public:
  explicit NcclTransport(std::shared_ptr<World> w)
      : world(std::move(w)),
        ledger(world->place.devices, world->place.devicesHere()),
        inGroup(size_t(world->place.devices)) {}

  void start(int64_t) override {
    ledger.start();
    inGroup.assign(inGroup.size(), 0);
  }

  MaybeError send(const Envelope &envelope, const void *data,
                  int64_t bytes) override {
    return transfer(true, envelope, const_cast<void *>(data), bytes);
  }
  MaybeError receive(const Envelope &envelope, void *data,
                     int64_t bytes) override {
    return transfer(false, envelope, data, bytes);
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
  void abort() override { world->abort(); }
  /// Nobody waits while an iteration is recorded, and what was recorded is sent
  /// by nobody.
  void interrupt() override {}
  MaybeError finish() override { return std::nullopt; }

private:
  std::shared_ptr<World> world;
  TransferLedger ledger;
  /// By device; each is its own thread's.
  std::vector<char> inGroup;

  static MaybeError stopped() {
    return Error{"stopped because another device failed"};
  }

  /// A call that may wait for other devices.
  template <typename Call>
  MaybeError wait(int64_t device, const char *name, Call call) {
    if (MaybeError error = ledger.waits(device))
      return error;
    NcclResult result = call();
    ledger.resumes(device);
    if (world->isDead())
      return stopped();
    return world->check(result, name, world->comm(device), device);
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
NcclWorld::create(const Placement &placement, Backend *backend) {
  auto nccl = loadNccl();
  if (!nccl)
    return nccl.takeError();
  auto world = std::make_shared<World>(**nccl, placement);
  if (MaybeError error = world->connect(backend))
    return Error{"transport nccl: " + error->message};
  return std::shared_ptr<NcclWorld>(world);
}
