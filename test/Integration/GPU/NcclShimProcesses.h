//===- NcclShimProcesses.h - The stand-in for NCCL between processes ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With SOAP_NCCL_SHIM_PROCESSES=1, ranks may be in several processes: all they
// do is done by the process that made the unique id, which they send their
// bytes to. A communicator of another process is a connection to it and a
// number there. Apart from NcclShim.cpp, which knows threads and memory only.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_INTEGRATION_GPU_NCCLSHIMPROCESSES_H
#define SOAP_TEST_INTEGRATION_GPU_NCCLSHIMPROCESSES_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shim {

/// A piece of memory that a rank gives to NCCL with one call.
struct Piece {
  int64_t kind, isSend, peer, count, type, root;
  const void *from;
  void *to;
  /// In bytes; `to` is written only if all went well.
  int64_t given, wanted;
};

/// The result of a call, and the text of ncclGetLastError after it.
struct Answer {
  int result = 0;
  std::string text;
};

/// The process of the unique id serves the others; communicators by
/// number.
struct Service {
  std::function<Answer(int ranks, const std::string &id, int rank,
                       int64_t &comm)>
      join;
  /// `child` is -1 where the rank joins none.
  std::function<Answer(int64_t comm, int color, int key, int64_t &child)> split;
  /// Ranks of a communicator, once all have joined.
  std::function<Answer(int64_t comm, int64_t &ranks)> size;
  /// May wait, until `isGone` says that no rank waits for it any more.
  std::function<Answer(int64_t comm, const std::vector<Piece> &pieces,
                       bool isGroup, const std::function<bool()> &isGone)>
      run;
  std::function<Answer(int64_t comm)> asyncError;
  std::function<void(int64_t comm)> destroy;
  /// The process of these communicators is gone, or has aborted them.
  std::function<void(const std::vector<int64_t> &comms)> lose;
};

/// Serves other processes from threads of its own, until this one ends. Returns
/// where, as text for the unique id; empty if there is no socket to be had.
std::string serve(const Service &service);

class Socket;

/// A communicator in another process.
class RemoteComm {
public:
  /// Null, with a text, if no process serves at `address`.
  static std::unique_ptr<RemoteComm> join(const std::string &address,
                                          const std::string &id, int ranks,
                                          int rank, Answer &answer);
  ~RemoteComm();

  /// Null if the rank joins no new communicator, or after an error.
  std::unique_ptr<RemoteComm> split(int color, int key, Answer &answer);
  Answer run(std::vector<Piece> &pieces, bool isGroup);
  Answer asyncError();
  /// Ranks of it, once all have joined; 0 after an error.
  int64_t size(Answer &answer);
  /// Ends all that waits here, without a message to others.
  void abort();

private:
  RemoteComm(std::shared_ptr<Socket> socket, std::shared_ptr<Socket> control,
             int64_t number);

  std::shared_ptr<Socket> socket, control;
  int64_t number, ranks = 0;
};

} // namespace shim

#endif // SOAP_TEST_INTEGRATION_GPU_NCCLSHIMPROCESSES_H
