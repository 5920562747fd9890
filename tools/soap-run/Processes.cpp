//===- Processes.cpp - soap-run as one of several processes ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Processes.h. A process that has joined ends with _exit: other threads are
// at work to the end.
//
//===----------------------------------------------------------------------===//

#include "Processes.h"

#include "CommandLine/StandardOutput.h"
#include "Commands.h"
#include "LaunchVariable.h"
#include "Soap/Runtime/Processes/Rendezvous.h"
#include "Soap/Support/InputFile.h"
#include "ToolRuns.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

std::mutex failureMutex;
/// The message that this process is about to print.
std::string ownFailure;

bool endsWith(const std::string &text, const std::string &end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Before all have joined, no rank watches over the others: a rank that never
/// comes is noticed by its absence only.
class JoinLimit {
public:
  explicit JoinLimit(int64_t ms) {
    std::thread([shared = state, ms] {
      std::unique_lock<std::mutex> lock(shared->mutex);
      if (shared->changed.wait_for(lock, std::chrono::milliseconds(ms),
                                   [&] { return shared->joined; }))
        return;
      std::fprintf(stderr,
                   "soap-run: error: not all ranks have joined within %ld ms\n",
                   long(ms));
      _exit(1);
    }).detach();
  }
  ~JoinLimit() {
    std::lock_guard<std::mutex> lock(state->mutex);
    state->joined = true;
    state->changed.notify_all();
  }
  JoinLimit(const JoinLimit &) = delete;
  JoinLimit &operator=(const JoinLimit &) = delete;

private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool joined = false;
  };
  std::shared_ptr<State> state = std::make_shared<State>();
};

/// Of the file or the environment; empty: none.
Expected<std::string> readSecret(const Options &options) {
  // Shorter ones can be found by trying.
  constexpr size_t minBytes = 16, maxBytes = 4096;
  std::string where = options.rendezvousSecret, secret;
  if (!where.empty()) {
    auto text = readFile(where, maxBytes);
    if (!text)
      return text.takeError();
    secret = *text;
    secret.erase(secret.find_last_not_of(" \t\r\n") + 1);
  } else if (const char *text = std::getenv("SOAP_RENDEZVOUS_SECRET")) {
    where = "environment variable SOAP_RENDEZVOUS_SECRET";
    secret = text;
  } else {
    return secret;
  }
  if (secret.size() < minBytes || secret.size() > maxBytes)
    return Error{where + ": expected a secret of " + std::to_string(minBytes) +
                 " to " + std::to_string(maxBytes) + " bytes, got " +
                 std::to_string(secret.size())};
  return secret;
}

/// Ends a process that has done nothing wrong, and tells soap-launch the ranks
/// that it has lost.
[[noreturn]] void endWithout(const std::vector<int> &lost) {
  if (std::getenv(launchVariable) && !lost.empty())
    std::fprintf(stderr, "%s\n", printLostRanks(lost).c_str());
  _exit(lostPeersStatus);
}

/// The group of --rendezvous, which lives until the process ends.
Expected<ProcessGroup *>
meet(const Options &options, const std::string &secret,
     const std::function<void(const std::string &)> &note) {
  RendezvousOptions how;
  how.secret = secret;
  how.listen = options.listen;
  how.note = note;
  how.endpoint = options.rendezvous;
  how.rank = int(options.rank);
  how.ranks = int(options.ranks);
  how.timeout = std::chrono::milliseconds(options.joinTimeoutMs);
  // The monitor names the rank that has died, so it comes first.
  how.grace = std::chrono::seconds(60);
  bool anyPort = endsWith(options.rendezvous, ":0");
  how.onListening = [anyPort](int port) {
    if (anyPort)
      std::fprintf(stderr, "soap-run: the rendezvous is on port %d\n", port);
  };
  // All ranks were there at the first start of soap-launch. From the second one
  // on, one that does not come is lost.
  auto launch = readLaunch();
  std::optional<std::vector<int>> absent;
  if (launch && *launch && (*launch)->start > 1)
    how.onAbsent = [&absent](const std::vector<int> &ranks) { absent = ranks; };
  auto group = rendezvous(how);
  if (!group && absent) {
    std::fprintf(stderr, "soap-run: rank %d: error: %s\n", how.rank,
                 group.error().c_str());
    endWithout(*absent);
  }
  if (!group)
    return group.takeError();
  return group->release();
}

/// On the thread that watches the other processes.
[[noreturn]] void endBecauseOf(int rank, const std::string &message,
                               const std::vector<int> &lost) {
  bool known = false;
  {
    std::lock_guard<std::mutex> lock(failureMutex);
    known = !ownFailure.empty() && endsWith(message, ownFailure);
  }
  std::string me = "rank " + std::to_string(rank) + " (", place;
  if (int64_t iteration = finishedIterations().load(); iteration >= 0)
    place = ", after iteration " + std::to_string(iteration);
  // All processes see the same bad input, for which one message is enough. And
  // a rank that was stopped learns why.
  if (message.compare(0, me.size(), me) == 0)
    std::fprintf(stderr,
                 "soap-run: rank %d: error: the other ranks have ended "
                 "without this one, which was silent\n",
                 rank);
  else if (!known)
    std::fprintf(stderr, "soap-run: rank %d: error: %s%s\n", rank,
                 message.c_str(), place.c_str());
  (void)writingFiles().try_lock_for(std::chrono::seconds(3));
  removeLeftovers();
  if (lost.empty())
    _exit(1);
  endWithout(lost);
}

} // namespace

std::timed_mutex &run::writingFiles() {
  static std::timed_mutex mutex;
  return mutex;
}

std::atomic<int64_t> &run::finishedIterations() {
  static std::atomic<int64_t> iterations{-1};
  return iterations;
}

bool run::isFirstProcess() {
  const char *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!rank)
    rank = std::getenv("PMI_RANK");
  return !rank || std::string(rank) == "0";
}

Expected<std::unique_ptr<World>>
run::joinProcesses(const Options &options,
                   std::function<bool()> stopRequested) {
  bool meets = !options.rendezvous.empty();
  if (!meets && (options.transport == "local" ||
                 (options.transport != "mpi" && !startedByMpirun())))
    return std::unique_ptr<World>();
  auto secret = readSecret(options);
  if (!secret)
    return secret.takeError();
  auto note = [quiet = options.quiet](const std::string &text) {
    if (!quiet)
      std::fprintf(stderr, "soap-run: %s\n", text.c_str());
  };
  // It keeps its limit itself, and names the missing ranks.
  auto met =
      meets ? meet(options, *secret, note) : Expected<ProcessGroup *>(nullptr);
  if (!met)
    return met.takeError();
  JoinLimit limit(options.joinTimeoutMs);
  auto group = meets ? met : joinMpi();
  if (!group)
    return group.takeError();
  int rank = (*group)->rank();
  PeerMonitorOptions monitor;
  // Sooner than the limit, to name the missing ranks.
  monitor.connectTimeout =
      std::min(monitor.connectTimeout,
               std::chrono::milliseconds(options.joinTimeoutMs / 2));
  monitor.secret = *secret;
  monitor.note = note;
  monitor.silence = std::chrono::milliseconds(options.rankTimeoutMs);
  monitor.stopRequested = std::move(stopRequested);
  monitor.onLost = [rank](const std::string &message,
                          const std::vector<int> &lost) {
    endBecauseOf(rank, message, lost);
  };
  return World::create(**group, std::move(monitor));
}

int run::fail(World *world, const std::string &message) {
  clearLine();
  if (!world || world->size() == 1) {
    std::fprintf(stderr, "soap-run: error: %s\n", message.c_str());
    return 1;
  }
  {
    std::lock_guard<std::mutex> lock(failureMutex);
    ownFailure = message;
  }
  // A message that did not come may be another process's fault, which the
  // monitor is about to notice. The first process reports what all of them see.
  std::this_thread::sleep_for(
      std::chrono::milliseconds(world->rank() == 0 ? 300 : 1000));
  std::fprintf(stderr, "soap-run: rank %d: error: %s\n", world->rank(),
               message.c_str());
  world->fail(message);
  std::fflush(nullptr);
  removeLeftovers();
  _exit(1);
}

void run::finish(World *world, int status, bool agreed) {
  bool isWritten = commandline::finishStandardOutput("soap-run");
  std::fflush(nullptr);
  if (world && (status != 1 || agreed))
    if (MaybeError error = world->leave())
      status = fail(world, error->message);
  // The others have their output.
  _exit(status == 0 && !isWritten ? 1 : status);
}
