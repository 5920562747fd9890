//===- MpiGroup.cpp - Messages between processes over MPI -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that knows MPI: libSoapMPI.so, which the runtime loads when it
// is to join the ranks of mpirun.
//
// Only calls that return at once are made, one at a time: a thread that waits
// polls, gives way to others between two polls and can so be told to stop.
// Nothing here would notice a dead peer; that is the peer monitor's part.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/ProcessGroup.h"

#include <mpi.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <sched.h>
#include <thread>
#include <time.h>
#include <vector>

using namespace soap;
using namespace soap::runtime;

namespace {

/// MPI counts in `int`.
constexpr int64_t chunkBytes = int64_t(1) << 30;

/// Gives way at once, and the longer the wait lasts, the longer.
class Patience {
public:
  void pause() {
    if (++polls < 64) {
      sched_yield();
      return;
    }
    long microseconds = std::min<long>(200, 10 + (polls - 64) / 4);
    timespec time{0, microseconds * 1000};
    nanosleep(&time, nullptr);
  }

private:
  long polls = 0;
};

std::string errorText(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
    return "MPI error " + std::to_string(code);
  return std::string(text, size_t(length));
}

class MpiGroup : public ProcessGroup {
public:
  /// Null, with a message, if MPI cannot be used.
  static MpiGroup *join(std::string &error);

  int rank() const override { return myRank; }
  int size() const override { return ranks; }
  MaybeError send(int to, Channel channel, int64_t tag, const void *data,
                  int64_t bytes) override;
  MaybeError receive(int from, Channel channel, int64_t tag, void *data,
                     int64_t bytes, const std::atomic<bool> *cancel) override;
  MaybeError close() override;

private:
  struct Sending {
    std::unique_ptr<char[]> buffer;
    int64_t capacity = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  MaybeError sendChunk(int to, Channel channel, int tag, const char *data,
                       int64_t bytes);
  MaybeError receiveChunk(int from, Channel channel, int tag, char *data,
                          int64_t bytes, const std::atomic<bool> *cancel);
  /// Puts buffers whose messages have left into `idle`. With the lock.
  void collect();
  /// Large messages move only while their sender polls, too.
  void push();
  MaybeError check(int peer, int64_t tag) const;
  MPI_Comm communicator(Channel channel) const {
    return communicators[size_t(channel)];
  }

  int myRank = 0, ranks = 1;
  int64_t largestTag = 32767;
  MPI_Comm communicators[3] = {};
  /// Around every call of MPI.
  std::mutex mutex;
  std::condition_variable hasWork;
  std::list<Sending> active, idle;
};

MpiGroup *MpiGroup::join(std::string &error) {
  int provided = 0;
  int code =
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (code != MPI_SUCCESS) {
    error = errorText(code);
    return nullptr;
  }
  if (provided < MPI_THREAD_SERIALIZED) {
    error = "this MPI cannot be called from more than one thread";
    return nullptr;
  }
  auto group = std::make_unique<MpiGroup>();
  for (MPI_Comm &communicator : group->communicators) {
    MPI_Comm_dup(MPI_COMM_WORLD, &communicator);
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &group->myRank);
  MPI_Comm_size(MPI_COMM_WORLD, &group->ranks);
  int *bound = nullptr, found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void *>(&bound),
                    &found);
  if (found)
    group->largestTag = *bound;
  std::thread([raw = group.get()] { raw->push(); }).detach();
  return group.release();
}

MaybeError MpiGroup::check(int peer, int64_t tag) const {
  if (peer < 0 || peer >= ranks)
    return Error{"rank " + std::to_string(peer) + " does not exist"};
  if (tag < 0 || tag > largestTag)
    return Error{"this MPI has no tag " + std::to_string(tag)};
  return std::nullopt;
}

void MpiGroup::collect() {
  for (auto it = active.begin(); it != active.end();) {
    int done = 0;
    auto current = it++;
    MPI_Test(&current->request, &done, MPI_STATUS_IGNORE);
    if (done)
      idle.splice(idle.begin(), active, current);
  }
}

void MpiGroup::push() {
  Patience patience;
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      if (active.empty()) {
        hasWork.wait(lock, [&] { return !active.empty(); });
        patience = Patience();
      }
      collect();
    }
    patience.pause();
  }
}

MaybeError MpiGroup::sendChunk(int to, Channel channel, int tag,
                               const char *data, int64_t bytes) {
  std::list<Sending> item;
  {
    std::lock_guard<std::mutex> lock(mutex);
    collect();
    auto fits = std::find_if(idle.begin(), idle.end(), [&](const Sending &s) {
      return s.capacity >= bytes &&
             s.capacity / 4 <= std::max<int64_t>(bytes, 64);
    });
    if (fits != idle.end())
      item.splice(item.begin(), idle, fits);
    // A buffer that fits no message for long is unused memory.
    else if (idle.size() > 64)
      idle.pop_back();
  }
  if (item.empty()) {
    Sending &fresh = item.emplace_back();
    fresh.capacity = std::max<int64_t>(bytes, 64);
    fresh.buffer.reset(new char[size_t(fresh.capacity)]);
  }
  Sending &sending = item.front();
  if (bytes)
    std::memcpy(sending.buffer.get(), data, size_t(bytes));
  std::lock_guard<std::mutex> lock(mutex);
  int code = MPI_Isend(sending.buffer.get(), int(bytes), MPI_BYTE, to, tag,
                       communicator(channel), &sending.request);
  if (code != MPI_SUCCESS)
    return Error{"send to rank " + std::to_string(to) + ": " + errorText(code)};
  active.splice(active.end(), item);
  hasWork.notify_one();
  return std::nullopt;
}

MaybeError MpiGroup::send(int to, Channel channel, int64_t tag,
                          const void *data, int64_t bytes) {
  if (MaybeError error = check(to, tag))
    return error;
  int64_t offset = 0;
  do {
    int64_t part = std::min(chunkBytes, bytes - offset);
    if (MaybeError error =
            sendChunk(to, channel, int(tag),
                      static_cast<const char *>(data) + offset, part))
      return error;
    offset += part;
  } while (offset < bytes);
  return std::nullopt;
}

MaybeError MpiGroup::receiveChunk(int from, Channel channel, int tag,
                                  char *data, int64_t bytes,
                                  const std::atomic<bool> *cancel) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int done = 0, code;
  {
    std::lock_guard<std::mutex> lock(mutex);
    code = MPI_Irecv(data, int(bytes), MPI_BYTE, from, tag,
                     communicator(channel), &request);
    if (code == MPI_SUCCESS)
      code = MPI_Test(&request, &done, &status);
  }
  Patience patience;
  while (code == MPI_SUCCESS && !done) {
    patience.pause();
    std::lock_guard<std::mutex> lock(mutex);
    if (cancel && cancel->load(std::memory_order_relaxed)) {
      MPI_Cancel(&request);
      MPI_Request_free(&request);
      return Error{"stopped because another device failed"};
    }
    code = MPI_Test(&request, &done, &status);
  }
  std::string place =
      "message " + std::to_string(tag) + " from rank " + std::to_string(from);
  if (code == MPI_ERR_TRUNCATE)
    return Error{place + ": expected " + std::to_string(bytes) +
                 " bytes, got more"};
  if (code != MPI_SUCCESS)
    return Error{place + ": " + errorText(code)};
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  if (count != bytes)
    return Error{place + ": expected " + std::to_string(bytes) +
                 " bytes, got " + std::to_string(count)};
  return std::nullopt;
}

MaybeError MpiGroup::receive(int from, Channel channel, int64_t tag, void *data,
                             int64_t bytes, const std::atomic<bool> *cancel) {
  if (MaybeError error = check(from, tag))
    return error;
  int64_t offset = 0;
  do {
    int64_t part = std::min(chunkBytes, bytes - offset);
    if (MaybeError error =
            receiveChunk(from, channel, int(tag),
                         static_cast<char *>(data) + offset, part, cancel))
      return error;
    offset += part;
  } while (offset < bytes);
  return std::nullopt;
}

MaybeError MpiGroup::close() {
  Patience patience;
  auto allSent = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    collect();
    return active.empty();
  };
  while (!allSent())
    patience.pause();
  std::lock_guard<std::mutex> lock(mutex);
  int code = MPI_Finalize();
  if (code != MPI_SUCCESS)
    return Error{errorText(code)};
  return std::nullopt;
}

} // namespace

extern "C" __attribute__((visibility("default"))) ProcessGroup *
soapJoinMpi(std::string *error) {
  return MpiGroup::join(*error);
}
