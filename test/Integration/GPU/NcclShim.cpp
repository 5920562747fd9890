//===- NcclShim.cpp - A stand-in for NCCL between threads -----------------===//
//
// For tests of transport nccl on machines without GPUs: a shared library with
// the functions of NCCL that the transport calls, on memory of the host. All
// ranks are threads of one process. It matches messages as NCCL does, by their
// order between two ranks, and moves the bytes; what NCCL would hang on or not
// notice - another count, another type, calls that do not fit together - is an
// error with a text. That nobody can go on is decided from what all ranks wait
// for, not from time.
//
// With SOAP_NCCL_SHIM_LOST=N, the network is gone after N messages: nothing
// arrives any more, and nothing says so but ncclCommGetAsyncError.
// With SOAP_NCCL_SHIM_STATISTICS=1 it prints what went through at the end.
//
//===----------------------------------------------------------------------===//

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

enum Result {
  Success,
  UnhandledCuda,
  System,
  Internal,
  InvalidArgument,
  InvalidUsage,
  RemoteError
};

struct UniqueId {
  char internal[128];
};

struct Message {
  bool isSend;
  const void *from;
  void *to;
  size_t count;
  int type;
  bool done = false;
};
using MessageRef = std::shared_ptr<Message>;

struct World {
  explicit World(int ranks) : ranks(ranks), waiting(size_t(ranks)) {}

  const int ranks;
  int left = 0; ///< communicators that are not destroyed
  std::mutex mutex;
  std::condition_variable changed;
  /// By sender and receiver: messages that one side has given.
  std::map<std::pair<int, int>, std::deque<MessageRef>> open;
  /// By rank: what it waits for; null: it does not wait.
  std::vector<const std::vector<MessageRef> *> waiting;
  std::string error;
  bool aborted = false;
  /// Messages that arrive; -1: all.
  const long arrive = std::getenv("SOAP_NCCL_SHIM_LOST")
                          ? std::atol(std::getenv("SOAP_NCCL_SHIM_LOST"))
                          : -1;
  bool lost() const { return arrive >= 0 && messages >= arrive; }
  long messages = 0, groups = 0, bytes = 0;
};

/// Bytes of an ncclDataType_t: int8 0, uint8 1, int32, uint32, int64, uint64,
/// half, float, double, bfloat16.
size_t sizeOf(int type) {
  constexpr size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return type >= 0 && type < 10 ? sizes[type] : 0;
}

std::mutex worldsMutex;
std::map<std::string, std::shared_ptr<World>> worlds;

} // namespace

struct ncclComm {
  std::shared_ptr<World> world;
  int rank;
};

namespace {

thread_local int depth = 0;
thread_local std::string lastError;
struct Given {
  ncclComm *comm;
  int peer;
  MessageRef message;
};
thread_local std::vector<Given> given;

Result fail(Result result, const std::string &text) {
  lastError = text;
  return result;
}

std::string describe(int from, int to) {
  return "message from rank " + std::to_string(from) + " to rank " +
         std::to_string(to);
}

/// Finds the other side; the lock is held.
void match(World &world, int rank, int peer, const MessageRef &mine) {
  int from = mine->isSend ? rank : peer, to = mine->isSend ? peer : rank;
  std::deque<MessageRef> &queue = world.open[{from, to}];
  if (queue.empty() || queue.front()->isSend == mine->isSend) {
    queue.push_back(mine);
    return;
  }
  MessageRef theirs = queue.front();
  queue.pop_front();
  const Message &send = mine->isSend ? *mine : *theirs;
  const Message &receive = mine->isSend ? *theirs : *mine;
  if (send.type != receive.type)
    world.error = describe(from, to) + ": sent as type " +
                  std::to_string(send.type) + ", received as type " +
                  std::to_string(receive.type);
  else if (send.count != receive.count)
    world.error = describe(from, to) + ": " + std::to_string(send.count) +
                  " elements sent, " + std::to_string(receive.count) +
                  " expected";
  if (!world.error.empty())
    return;
  size_t bytes = send.count * sizeOf(send.type);
  if (bytes)
    std::memcpy(receive.to, send.from, bytes);
  mine->done = theirs->done = true;
  ++world.messages;
  world.bytes += long(bytes);
}

bool allDone(const std::vector<MessageRef> &messages) {
  for (const MessageRef &message : messages)
    if (!message->done)
      return false;
  return true;
}

/// All ranks wait, and for nothing that has happened. The lock is held.
bool isStuck(const World &world) {
  for (const auto *messages : world.waiting)
    if (!messages || allDone(*messages))
      return false;
  return true;
}

Result run(ncclComm *comm, const std::vector<Given> &all, bool isGroup) {
  World &world = *comm->world;
  std::unique_lock<std::mutex> lock(world.mutex);
  std::vector<MessageRef> messages;
  for (const Given &one : all) {
    if (world.aborted || world.lost() || !world.error.empty())
      break;
    match(world, comm->rank, one.peer, one.message);
    messages.push_back(one.message);
  }
  world.groups += isGroup;
  world.waiting[size_t(comm->rank)] = &messages;
  if (world.error.empty() && !world.lost() && isStuck(world))
    world.error = "all ranks wait for messages that nobody gives";
  world.changed.notify_all();
  world.changed.wait(lock, [&] {
    return world.aborted || !world.error.empty() ||
           (messages.size() == all.size() && allDone(messages));
  });
  world.waiting[size_t(comm->rank)] = nullptr;
  if (world.aborted)
    return fail(RemoteError, "the communicator was aborted");
  if (!world.error.empty())
    return fail(InvalidUsage, world.error);
  return Success;
}

Result give(ncclComm *comm, int peer, Message message) {
  if (!comm)
    return fail(InvalidArgument, "no communicator");
  if (peer < 0 || peer >= comm->world->ranks || peer == comm->rank)
    return fail(InvalidArgument, "rank " + std::to_string(comm->rank) +
                                     " has no peer " + std::to_string(peer));
  if (!sizeOf(message.type))
    return fail(InvalidArgument,
                "no type has number " + std::to_string(message.type));
  Given one{comm, peer, std::make_shared<Message>(message)};
  if (depth > 0) {
    if (!given.empty() && given.front().comm != comm)
      return fail(InvalidUsage, "a group has messages of two communicators");
    given.push_back(one);
    return Success;
  }
  return run(comm, {one}, /*isGroup=*/false);
}

} // namespace

extern "C" {

int ncclGetVersion(int *version) {
  *version = 22809;
  return Success;
}

const char *ncclGetErrorString(int result) {
  constexpr const char *names[] = {
      "no error",
      "unhandled cuda error",
      "unhandled system error",
      "internal error",
      "invalid argument",
      "invalid usage",
      "remote process exited or there was a network error"};
  return result >= 0 && result < 7 ? names[result] : "unknown result";
}

const char *ncclGetLastError(ncclComm *comm) {
  if (comm) {
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    if (comm->world->lost())
      return "the stand-in has lost its network";
  }
  return lastError.c_str();
}

int ncclGetUniqueId(UniqueId *id) {
  std::lock_guard<std::mutex> lock(worldsMutex);
  std::memset(id->internal, 0, sizeof id->internal);
  std::snprintf(id->internal, sizeof id->internal, "shim %zu", worlds.size());
  worlds[id->internal] = nullptr;
  return Success;
}

int ncclCommInitRank(ncclComm **comm, int ranks, UniqueId id, int rank) {
  std::lock_guard<std::mutex> lock(worldsMutex);
  auto known = worlds.find(id.internal);
  if (known == worlds.end())
    return fail(InvalidArgument, "the unique id is none of this process");
  if (ranks < 1 || rank < 0 || rank >= ranks)
    return fail(InvalidArgument, "there is no rank " + std::to_string(rank) +
                                     " of " + std::to_string(ranks));
  if (!known->second)
    known->second = std::make_shared<World>(ranks);
  if (known->second->ranks != ranks)
    return fail(InvalidArgument, "ranks do not agree on their number");
  ++known->second->left;
  *comm = new ncclComm{known->second, rank};
  return Success;
}

/// The communicator is kept: other threads may be about to use it.
int ncclCommAbort(ncclComm *comm) {
  std::lock_guard<std::mutex> lock(comm->world->mutex);
  comm->world->aborted = true;
  comm->world->changed.notify_all();
  return Success;
}

int ncclCommDestroy(ncclComm *comm) {
  World &world = *comm->world;
  bool isLast = false;
  {
    std::lock_guard<std::mutex> lock(world.mutex);
    isLast = --world.left == 0;
    for (const auto &[pair, queue] : world.open)
      if (!queue.empty())
        std::fprintf(stderr, "nccl shim: %s never met its other side\n",
                     describe(pair.first, pair.second).c_str());
  }
  if (isLast && std::getenv("SOAP_NCCL_SHIM_STATISTICS"))
    std::fprintf(stderr,
                 "nccl shim: %d ranks, %ld messages, %ld groups, %ld bytes\n",
                 world.ranks, world.messages, world.groups, world.bytes);
  delete comm;
  return Success;
}

int ncclCommGetAsyncError(ncclComm *comm, int *result) {
  std::lock_guard<std::mutex> lock(comm->world->mutex);
  *result = comm->world->lost() ? RemoteError : Success;
  return Success;
}

int ncclGroupStart() {
  ++depth;
  return Success;
}

int ncclGroupEnd() {
  if (depth == 0)
    return fail(InvalidUsage, "a group ends that did not begin");
  if (--depth > 0 || given.empty())
    return Success;
  std::vector<Given> all = std::move(given);
  given.clear();
  return run(all.front().comm, all, /*isGroup=*/true);
}

int ncclSend(const void *data, size_t count, int type, int peer, ncclComm *comm,
             void *) {
  return give(comm, peer, {true, data, nullptr, count, type});
}

int ncclRecv(void *data, size_t count, int type, int peer, ncclComm *comm,
             void *) {
  return give(comm, peer, {false, nullptr, data, count, type});
}
}
