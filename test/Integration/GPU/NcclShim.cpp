//===- NcclShim.cpp - A stand-in for NCCL between threads -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests of transport nccl on machines without GPUs: a shared library with
// the functions of NCCL that the transport calls, on memory of the host. Ranks
// are threads of one process or, with SOAP_NCCL_SHIM_PROCESSES=1, of several
// (NcclShimProcesses.h). It matches messages as NCCL does, by their
// order between two ranks, and collectives by their order in a communicator,
// and moves and sums the elements; what NCCL would hang on or not notice -
// another count, another type, calls that do not fit together - is an error
// with a text. That no rank can go on is decided from what all ranks wait for,
// not from time.
//
// Where streams belong to the stand-in for CUDA, calls return at once, as
// NCCL's: what they ask for is done when the stream gets there, or recorded by
// its capture and done with every launch of the graph. Then an error is what
// ncclCommGetAsyncError says. A communicator connects, which allocates, with
// its first call.
//
// With SOAP_NCCL_SHIM_LOST=N, the network is gone after N operations: nothing
// arrives any more, and nothing says so but ncclCommGetAsyncError.
// With SOAP_NCCL_SHIM_STATISTICS=1 it prints what went through at the end; of
// several processes, which end without one, that they have joined.
//
//===----------------------------------------------------------------------===//

#include "NcclShimProcesses.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
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

enum Kind {
  PointToPoint,
  AllReduce,
  Reduce,
  ReduceScatter,
  AllGather,
  Broadcast
};
constexpr const char *kindNames[] = {"message",       "AllReduce", "Reduce",
                                     "ReduceScatter", "AllGather", "Broadcast"};

/// A message, or the part of one rank in a collective.
struct Message {
  bool isSend;
  const void *from;
  void *to;
  size_t count;
  int type;
  Kind kind = PointToPoint;
  int root = -1;
  bool done = false;
};
using MessageRef = std::shared_ptr<Message>;

struct World {
  explicit World(int ranks) : ranks(ranks), waiting(size_t(ranks)) {}

  int ranks;
  int left = 0; ///< communicators that are not destroyed
  std::mutex mutex;
  std::condition_variable changed;
  /// By sender and receiver: messages that one side has given.
  std::map<std::pair<int, int>, std::deque<MessageRef>> open;
  /// By rank: what it waits for; null: it does not wait.
  std::vector<const std::vector<MessageRef> *> waiting;
  /// Collectives that some ranks have given: parts by rank; and how many each
  /// rank has given and all have completed.
  std::deque<std::vector<MessageRef>> rounds;
  std::vector<size_t> begun = std::vector<size_t>(size_t(ranks));
  size_t completed = 0;
  std::string error;
  bool aborted = false;
  long messages = 0, collectives = 0, groups = 0, bytes = 0;

  /// Of a communicator out of ncclCommSplit: keys of its ranks, ascending once
  /// all have joined.
  std::vector<int> keys;
  /// Communicators that its ranks have split from it: by color and how often.
  std::map<std::pair<int, size_t>, std::shared_ptr<World>> children;
  /// How many of its ranks have split from it, by how often.
  std::map<size_t, int> splitCalls;
  /// Of a communicator out of ncclCommSplit.
  std::shared_ptr<World> parent;
  size_t splitTime = 0;
  /// A process that is no more; empty: none.
  std::string gone;

  /// Messages and collectives that arrive; -1: all.
  const long arrive = std::getenv("SOAP_NCCL_SHIM_LOST")
                          ? std::atol(std::getenv("SOAP_NCCL_SHIM_LOST"))
                          : -1;
  bool lost() const {
    return !gone.empty() || (arrive >= 0 && messages + collectives >= arrive);
  }
  std::string lossText() const {
    return gone.empty() ? "the stand-in has lost its network" : gone;
  }
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

/// Operations that a communicator has on streams or in graphs.
struct References {
  void add() {
    std::lock_guard<std::mutex> lock(mutex);
    ++count;
  }
  void remove() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--count == 0)
      none.notify_all();
  }
  void waitForNone() {
    std::unique_lock<std::mutex> lock(mutex);
    none.wait(lock, [&] { return count == 0; });
  }

private:
  std::mutex mutex;
  std::condition_variable none;
  long count = 0;
};

struct ncclComm {
  std::shared_ptr<World> world;
  int rank;
  int key = -1;      ///< of a split: the rank is its place among the keys
  size_t splits = 0; ///< from this communicator
  /// Where ranks are in several processes; then there is no world here.
  std::unique_ptr<shim::RemoteComm> remote = {};
  std::atomic<bool> connected = false; ///< of calls on streams
  std::mutex mutex = {};               ///< of what follows
  /// Of the first call on a stream that failed.
  Result failed = Success;
  std::string failedText = {};
  std::shared_ptr<References> references = std::make_shared<References>();
};

namespace {

thread_local int depth = 0;
thread_local std::string lastError;
struct Given {
  ncclComm *comm;
  int peer;
  MessageRef message;
  void *stream = nullptr;
};
thread_local std::vector<Given> given;
/// Of a thread that works for another process: whether that one is gone.
thread_local const std::function<bool()> *isGone = nullptr;

Result fail(Result result, const std::string &text) {
  lastError = text;
  return result;
}

std::string describe(int from, int to) {
  return "message from rank " + std::to_string(from) + " to rank " +
         std::to_string(to);
}

/// A call that the process of the unique id runs for this one.
Result runElsewhere(ncclComm *comm, const std::vector<Given> &all,
                    bool isGroup) {
  shim::Answer answer;
  int64_t ranks = comm->remote->size(answer);
  std::vector<shim::Piece> pieces;
  for (const Given &one : all) {
    const Message &message = *one.message;
    auto bytes = int64_t(message.count * sizeOf(message.type));
    shim::Piece piece{
        message.kind,           message.isSend, one.peer,
        int64_t(message.count), message.type,   message.root,
        message.from,           message.to,     message.from ? bytes : 0,
        message.to ? bytes : 0};
    if (message.kind == ReduceScatter)
      piece.given *= ranks;
    if (message.kind == AllGather)
      piece.wanted *= ranks;
    pieces.push_back(piece);
  }
  if (answer.result == 0)
    answer = comm->remote->run(pieces, isGroup);
  return answer.result == 0 ? Success
                            : fail(Result(answer.result), answer.text);
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

template <typename T>
void sum(const std::vector<MessageRef> &parts, size_t first, size_t count,
         std::vector<char> &result) {
  result.resize(count * sizeof(T));
  T *to = reinterpret_cast<T *>(result.data());
  for (size_t p = 0; p < parts.size(); ++p) {
    const T *from = static_cast<const T *>(parts[p]->from) + first;
    for (size_t i = 0; i < count; ++i)
      to[i] = p == 0 ? from[i] : to[i] + from[i];
  }
}

/// All ranks have given their part. The lock is held.
void complete(World &world, const std::vector<MessageRef> &parts) {
  const Message &first = *parts[0];
  size_t width = sizeOf(first.type), ranks = parts.size();
  std::vector<char> all;
  auto reduce = [&](size_t begin, size_t count) {
    if (first.type == 8)
      sum<double>(parts, begin, count, all);
    else
      sum<float>(parts, begin, count, all);
  };
  auto put = [&](size_t rank, const char *data, size_t count) {
    if (count)
      std::memcpy(parts[rank]->to, data, count * width);
  };
  switch (first.kind) {
  case AllReduce:
    reduce(0, first.count);
    for (size_t r = 0; r < ranks; ++r)
      put(r, all.data(), first.count);
    break;
  case Reduce:
    reduce(0, first.count);
    put(size_t(first.root), all.data(), first.count);
    break;
  case ReduceScatter:
    reduce(0, first.count * ranks);
    for (size_t r = 0; r < ranks; ++r)
      put(r, all.data() + r * first.count * width, first.count);
    break;
  case AllGather:
    for (const MessageRef &part : parts)
      all.insert(all.end(), static_cast<const char *>(part->from),
                 static_cast<const char *>(part->from) + part->count * width);
    for (size_t r = 0; r < ranks; ++r)
      put(r, all.data(), first.count * ranks);
    break;
  case Broadcast: {
    const auto *data =
        static_cast<const char *>(parts[size_t(first.root)]->from);
    all.assign(data, data + first.count * width);
    for (size_t r = 0; r < ranks; ++r)
      put(r, all.data(), first.count);
    break;
  }
  case PointToPoint:
    break;
  }
  for (const MessageRef &part : parts)
    part->done = true;
  ++world.collectives;
  world.bytes += long(first.count * width);
}

/// Meets the other ranks' parts of the same collective; the lock is held.
void meet(World &world, int rank, const MessageRef &mine) {
  size_t index = world.begun[size_t(rank)]++ - world.completed;
  if (index == world.rounds.size())
    world.rounds.emplace_back(size_t(world.ranks));
  std::vector<MessageRef> &parts = world.rounds[index];
  for (size_t other = 0; other < parts.size(); ++other) {
    if (!parts[other])
      continue;
    const Message &theirs = *parts[other];
    auto say = [&](const char *what, int a, int b) {
      world.error = std::string(what) +
                    " of a collective: " + std::to_string(a) + " on rank " +
                    std::to_string(other) + ", " + std::to_string(b) +
                    " on rank " + std::to_string(rank);
    };
    if (theirs.kind != mine->kind)
      world.error = std::string(kindNames[theirs.kind]) + " on rank " +
                    std::to_string(other) + " meets " + kindNames[mine->kind] +
                    " on rank " + std::to_string(rank);
    else if (theirs.type != mine->type)
      say("type", theirs.type, mine->type);
    else if (theirs.count != mine->count)
      say("count", int(theirs.count), int(mine->count));
    else if (theirs.root != mine->root)
      say("root", theirs.root, mine->root);
    if (!world.error.empty())
      return;
  }
  parts[size_t(rank)] = mine;
  for (const MessageRef &part : parts)
    if (!part)
      return;
  complete(world, parts);
  world.rounds.pop_front();
  ++world.completed;
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

/// Of a split communicator, the rank is known when all have joined it. The lock
/// is held.
int rankOf(const ncclComm *comm) {
  if (comm->key < 0)
    return comm->rank;
  const std::vector<int> &keys = comm->world->keys;
  return int(std::lower_bound(keys.begin(), keys.end(), comm->key) -
             keys.begin());
}

/// Makes room for the ranks that have joined by splits. The lock is held.
void settle(World &world) {
  if (world.keys.empty() || !world.waiting.empty())
    return;
  std::sort(world.keys.begin(), world.keys.end());
  world.ranks = int(world.keys.size());
  world.waiting.resize(world.keys.size());
  world.begun.resize(world.keys.size());
}

/// Waits, also for the end of another process if this thread works for one;
/// false at its end. The lock is held.
template <typename IsOver>
bool waitFor(World &world, std::unique_lock<std::mutex> &lock, IsOver isOver) {
  if (!isGone) {
    world.changed.wait(lock, isOver);
    return true;
  }
  constexpr auto look = std::chrono::milliseconds(20);
  while (!world.changed.wait_for(lock, look, isOver))
    if ((*isGone)())
      return false;
  return true;
}

/// Waits until all ranks have joined a communicator out of ncclCommSplit.
void awaitRanks(const ncclComm *comm) {
  World *parent = comm->world->parent.get();
  if (!parent)
    return;
  std::unique_lock<std::mutex> lock(parent->mutex);
  (void)waitFor(*parent, lock, [&] {
    return parent->aborted || parent->lost() ||
           parent->splitCalls[comm->world->splitTime] == parent->ranks;
  });
}

Result run(ncclComm *comm, const std::vector<Given> &all, bool isGroup) {
  if (comm->remote)
    return runElsewhere(comm, all, isGroup);
  awaitRanks(comm);
  World &world = *comm->world;
  std::unique_lock<std::mutex> lock(world.mutex);
  settle(world);
  comm->rank = rankOf(comm);
  std::vector<MessageRef> messages;
  for (const Given &one : all) {
    if (world.aborted || world.lost() || !world.error.empty())
      break;
    if (one.message->kind == PointToPoint)
      match(world, comm->rank, one.peer, one.message);
    else
      meet(world, comm->rank, one.message);
    messages.push_back(one.message);
  }
  world.groups += isGroup;
  world.waiting[size_t(comm->rank)] = &messages;
  if (world.error.empty() && !world.lost() && isStuck(world))
    world.error = "all ranks wait for messages that no rank gives";
  world.changed.notify_all();
  bool isThere = waitFor(world, lock, [&] {
    return world.aborted || !world.error.empty() ||
           (messages.size() == all.size() && allDone(messages));
  });
  world.waiting[size_t(comm->rank)] = nullptr;
  if (!isThere) {
    world.gone =
        "the process of rank " + std::to_string(comm->rank) + " is gone";
    return fail(RemoteError, world.gone);
  }
  if (world.aborted)
    return fail(RemoteError, "the communicator was aborted");
  if (!world.error.empty())
    return fail(InvalidUsage, world.error);
  return Success;
}

/// Functions of FakeCuda.cpp, where it is in the process.
struct FakeCuda {
  int (*give)(void *stream, void (*work)(void *), void *data,
              void (*release)(void *));
  int (*unsafeCall)();
};
const FakeCuda *fakeCuda() {
  static const FakeCuda found = {
      reinterpret_cast<decltype(FakeCuda::give)>(
          dlsym(RTLD_DEFAULT, "soap_fake_cuda_give")),
      reinterpret_cast<decltype(FakeCuda::unsafeCall)>(
          dlsym(RTLD_DEFAULT, "soap_fake_cuda_unsafe_call"))};
  return found.give && found.unsafeCall ? &found : nullptr;
}

/// A call, or a group of them, that a stream does once or, recorded, often.
struct Job {
  ncclComm *comm;
  std::vector<Given> all;
  bool isGroup;

  void execute() const {
    std::vector<Given> fresh = all;
    for (Given &one : fresh) {
      one.message = std::make_shared<Message>(*one.message);
      one.message->done = false;
    }
    Result result = run(comm, fresh, isGroup);
    std::lock_guard<std::mutex> lock(comm->mutex);
    if (result == Success || comm->failed != Success)
      return;
    comm->failed = result;
    comm->failedText = lastError;
  }
};

/// Does what was asked for, or gives it to the stream.
Result submit(ncclComm *comm, std::vector<Given> all, bool isGroup) {
  void *stream = all.front().stream;
  for (const Given &one : all)
    if (one.stream != stream)
      return fail(InvalidUsage, "a group is on two streams");
  const FakeCuda *cuda = fakeCuda();
  if (!stream || !cuda)
    return run(comm, all, isGroup);
  if (!comm->connected.exchange(true))
    if (int error = cuda->unsafeCall())
      return fail(UnhandledCuda,
                  "Cuda failure " + std::to_string(error) + " at connecting");
  // Graphs keep what they have recorded, and the communicator waits for them.
  comm->references->add();
  int error = cuda->give(
      stream, [](void *data) { static_cast<Job *>(data)->execute(); },
      new Job{comm, std::move(all), isGroup},
      [](void *data) {
        auto *job = static_cast<Job *>(data);
        auto references = job->comm->references;
        delete job;
        references->remove();
      });
  return error ? fail(UnhandledCuda, "Cuda failure " + std::to_string(error))
               : Success;
}

Result give(ncclComm *comm, int peer, void *stream, Message message) {
  if (!comm)
    return fail(InvalidArgument, "no communicator");
  shim::Answer known;
  int64_t ranks = comm->remote ? comm->remote->size(known) : comm->world->ranks;
  if (known.result != 0)
    return fail(Result(known.result), known.text);
  if (message.kind == PointToPoint &&
      (peer < 0 || peer >= ranks || peer == comm->rank))
    return fail(InvalidArgument, "rank " + std::to_string(comm->rank) +
                                     " has no peer " + std::to_string(peer));
  if (!sizeOf(message.type))
    return fail(InvalidArgument,
                "no type has number " + std::to_string(message.type));
  Given one{comm, peer, std::make_shared<Message>(message), stream};
  if (depth > 0) {
    if (!given.empty() && given.front().comm != comm)
      return fail(InvalidUsage, "a group has messages of two communicators");
    given.push_back(one);
    return Success;
  }
  return submit(comm, {one}, /*isGroup=*/false);
}

Result giveCollective(Kind kind, const void *from, void *to, size_t count,
                      int type, int operation, int root, ncclComm *comm,
                      void *stream) {
  bool sums = kind == AllReduce || kind == Reduce || kind == ReduceScatter;
  if (sums && operation != 0)
    return fail(InvalidArgument, "the stand-in only sums");
  if (sums && type != 7 && type != 8)
    return fail(InvalidArgument,
                "the stand-in does not sum type " + std::to_string(type));
  Message part{true, from, to, count, type};
  part.kind = kind;
  part.root = root;
  return give(comm, -1, stream, part);
}

} // namespace

extern "C" {
int ncclCommInitRank(ncclComm **comm, int ranks, UniqueId id, int rank);
int ncclCommSplit(ncclComm *comm, int color, int key, ncclComm **result,
                  void *config);
int ncclCommDestroy(ncclComm *comm);
}

//===----------------------------------------------------------------------===//
// For other processes
//===----------------------------------------------------------------------===//

namespace {

/// Begins unique ids of ranks that may be in other processes.
constexpr std::string_view elsewhere = "processes ";

/// Communicators of other processes, by number.
class Guests {
public:
  int64_t add(ncclComm *comm) {
    std::lock_guard<std::mutex> lock(mutex);
    comms.push_back(comm);
    return int64_t(comms.size()) - 1;
  }
  /// Null: there is none of that number.
  ncclComm *find(int64_t number) {
    std::lock_guard<std::mutex> lock(mutex);
    return number >= 0 && number < int64_t(comms.size()) ? comms[size_t(number)]
                                                         : nullptr;
  }
  void remove(int64_t number) {
    std::lock_guard<std::mutex> lock(mutex);
    comms[size_t(number)] = nullptr;
  }

private:
  std::mutex mutex;
  std::vector<ncclComm *> comms;
};
Guests &guests() {
  static Guests all;
  return all;
}

shim::Answer answerOf(int result) {
  return {result, result == Success ? std::string() : lastError};
}
shim::Answer unknown() {
  return {InvalidArgument, "there is no such communicator"};
}

shim::Service service() {
  shim::Service service;
  service.join = [](int ranks, const std::string &name, int rank,
                    int64_t &number) {
    UniqueId id{};
    std::snprintf(id.internal, sizeof id.internal, "%s", name.c_str());
    ncclComm *comm = nullptr;
    int result = ncclCommInitRank(&comm, ranks, id, rank);
    if (comm)
      number = guests().add(comm);
    return answerOf(result);
  };
  service.split = [](int64_t number, int color, int key, int64_t &child) {
    ncclComm *comm = guests().find(number), *made = nullptr;
    if (!comm)
      return unknown();
    int result = ncclCommSplit(comm, color, key, &made, nullptr);
    if (made)
      child = guests().add(made);
    return answerOf(result);
  };
  service.size = [](int64_t number, int64_t &ranks) {
    ncclComm *comm = guests().find(number);
    if (!comm)
      return unknown();
    awaitRanks(comm);
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    if (comm->world->lost())
      return shim::Answer{RemoteError, comm->world->lossText()};
    settle(*comm->world);
    ranks = comm->world->ranks;
    return shim::Answer{};
  };
  service.run = [](int64_t number, const std::vector<shim::Piece> &pieces,
                   bool isGroup, const std::function<bool()> &guestIsGone) {
    ncclComm *comm = guests().find(number);
    if (!comm)
      return unknown();
    std::vector<Given> all;
    for (const shim::Piece &piece : pieces) {
      Message message{piece.isSend != 0,   piece.from,      piece.to,
                      size_t(piece.count), int(piece.type), Kind(piece.kind),
                      int(piece.root)};
      all.push_back(
          {comm, int(piece.peer), std::make_shared<Message>(message)});
    }
    isGone = &guestIsGone;
    Result result = run(comm, all, isGroup);
    isGone = nullptr;
    return answerOf(result);
  };
  service.asyncError = [](int64_t number) {
    ncclComm *comm = guests().find(number);
    if (!comm)
      return unknown();
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    return comm->world->lost()
               ? shim::Answer{RemoteError, comm->world->lossText()}
               : shim::Answer{};
  };
  service.destroy = [](int64_t number) {
    if (ncclComm *comm = guests().find(number)) {
      guests().remove(number);
      ncclCommDestroy(comm);
    }
  };
  service.lose = [](const std::vector<int64_t> &numbers) {
    for (int64_t number : numbers)
      if (ncclComm *comm = guests().find(number)) {
        std::lock_guard<std::mutex> lock(comm->world->mutex);
        if (comm->world->gone.empty())
          comm->world->gone = "the process of rank " +
                              std::to_string(rankOf(comm)) + " is gone";
        comm->world->changed.notify_all();
      }
  };
  return service;
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
    std::lock_guard<std::mutex> lock(comm->mutex);
    if (comm->failed != Success)
      lastError = comm->failedText;
    if (comm->failed != Success)
      return lastError.c_str();
  }
  if (comm && !comm->remote) {
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    if (comm->world->lost())
      lastError = comm->world->lossText();
  }
  return lastError.c_str();
}

int ncclGetUniqueId(UniqueId *id) {
  std::lock_guard<std::mutex> lock(worldsMutex);
  std::memset(id->internal, 0, sizeof id->internal);
  std::string name = "shim " + std::to_string(worlds.size());
  worlds[name] = nullptr;
  if (std::getenv("SOAP_NCCL_SHIM_PROCESSES")) {
    static const std::string address = shim::serve(service());
    if (address.empty())
      return fail(System, "no socket for the processes of the stand-in");
    name = std::string(elsewhere) + address + " " + name;
  }
  std::snprintf(id->internal, sizeof id->internal, "%s", name.c_str());
  return Success;
}

int ncclCommInitRank(ncclComm **comm, int ranks, UniqueId id, int rank) {
  std::string text = id.internal;
  if (text.starts_with(elsewhere)) {
    std::string address = text.substr(elsewhere.size());
    size_t space = std::min(address.find(' '), address.size() - 1);
    shim::Answer answer;
    auto remote =
        shim::RemoteComm::join(address.substr(0, space),
                               address.substr(space + 1), ranks, rank, answer);
    if (!remote)
      return fail(Result(answer.result), answer.text);
    *comm = new ncclComm{nullptr, rank};
    (*comm)->remote = std::move(remote);
    if (std::getenv("SOAP_NCCL_SHIM_STATISTICS"))
      std::fprintf(stderr, "nccl shim: rank %d of %d, between processes\n",
                   rank, ranks);
    return Success;
  }
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

/// Ranks that ask for the same color, the same time around, get one
/// communicator.
int ncclCommSplit(ncclComm *comm, int color, int key, ncclComm **result,
                  void *) {
  *result = nullptr;
  if (comm->remote) {
    shim::Answer answer;
    auto remote = comm->remote->split(color, key, answer);
    if (answer.result != 0)
      return fail(Result(answer.result), answer.text);
    if (remote) {
      *result = new ncclComm{nullptr, -1, key};
      (*result)->remote = std::move(remote);
    }
    return Success;
  }
  std::lock_guard<std::mutex> lock(comm->world->mutex);
  size_t time = comm->splits++;
  ++comm->world->splitCalls[time];
  comm->world->changed.notify_all();
  if (color < 0)
    return Success;
  std::shared_ptr<World> &child = comm->world->children[{color, time}];
  if (!child) {
    child = std::make_shared<World>(0);
    child->parent = comm->world;
    child->splitTime = time;
  }
  child->keys.push_back(key);
  ++child->left;
  *result = new ncclComm{child, -1, key};
  return Success;
}

/// Ends what waits, and then waits for all streams and graphs that have an
/// operation of the communicator, as NCCL does from 2.26 on (`commDestroySync`
/// of its init.cc). The communicator is kept: other threads may be about to use
/// it.
int ncclCommAbort(ncclComm *comm) {
  if (comm->remote) {
    comm->remote->abort();
    comm->references->waitForNone();
    return Success;
  }
  {
    std::lock_guard<std::mutex> lock(comm->world->mutex);
    comm->world->aborted = true;
    comm->world->changed.notify_all();
  }
  comm->references->waitForNone();
  static std::mutex keeping;
  static auto *aborted = new std::vector<ncclComm *>;
  std::lock_guard<std::mutex> keep(keeping);
  aborted->push_back(comm);
  return Success;
}

/// Waits as `ncclCommAbort`.
int ncclCommDestroy(ncclComm *comm) {
  comm->references->waitForNone();
  if (comm->remote) {
    delete comm;
    return Success;
  }
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
                 "nccl shim: %d ranks, %ld messages, %ld collectives, %ld "
                 "groups, %ld bytes\n",
                 world.ranks, world.messages, world.collectives, world.groups,
                 world.bytes);
  // Each of a communicator and its parent refers to the other one.
  if (std::shared_ptr<World> parent = isLast ? world.parent : nullptr) {
    std::lock_guard<std::mutex> lock(parent->mutex);
    if (parent->splitCalls[world.splitTime] == parent->ranks)
      std::erase_if(parent->children, [&](const auto &child) {
        return child.second.get() == &world;
      });
  }
  delete comm;
  return Success;
}

int ncclCommGetAsyncError(ncclComm *comm, int *result) {
  {
    std::lock_guard<std::mutex> lock(comm->mutex);
    *result = comm->failed;
    if (comm->failed != Success)
      return Success;
  }
  if (comm->remote) {
    shim::Answer answer = comm->remote->asyncError();
    lastError = answer.text;
    *result = answer.result;
    return Success;
  }
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
  ncclComm *comm = all.front().comm;
  return submit(comm, std::move(all), /*isGroup=*/true);
}

int ncclSend(const void *data, size_t count, int type, int peer, ncclComm *comm,
             void *stream) {
  return give(comm, peer, stream, {true, data, nullptr, count, type});
}

int ncclRecv(void *data, size_t count, int type, int peer, ncclComm *comm,
             void *stream) {
  return give(comm, peer, stream, {false, nullptr, data, count, type});
}

int ncclAllReduce(const void *from, void *to, size_t count, int type,
                  int operation, ncclComm *comm, void *stream) {
  return giveCollective(AllReduce, from, to, count, type, operation, -1, comm,
                        stream);
}

int ncclReduce(const void *from, void *to, size_t count, int type,
               int operation, int root, ncclComm *comm, void *stream) {
  return giveCollective(Reduce, from, to, count, type, operation, root, comm,
                        stream);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type,
                      int operation, ncclComm *comm, void *stream) {
  return giveCollective(ReduceScatter, from, to, count, type, operation, -1,
                        comm, stream);
}

int ncclAllGather(const void *from, void *to, size_t count, int type,
                  ncclComm *comm, void *stream) {
  return giveCollective(AllGather, from, to, count, type, 0, -1, comm, stream);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root,
                  ncclComm *comm, void *stream) {
  return giveCollective(Broadcast, from, to, count, type, 0, root, comm,
                        stream);
}
}
