//===- NcclShimProcesses.cpp - The stand-in for NCCL between processes ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NcclShimProcesses.h. A connection is one rank's; it asks and is answered,
// one thing at a time. A second one, of all communicators of a rank, asks for
// errors while the first one waits.
//
//===----------------------------------------------------------------------===//

#include "NcclShimProcesses.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace shim {

namespace {

enum Request : int64_t { Join, Split, Size, Run, AsyncError, Destroy };

/// RemoteError and SystemError of NCCL.
constexpr int remoteError = 6, systemError = 2;
/// A question about errors that is not answered by then is taken for no news.
constexpr int patienceSeconds = 2;

/// In the abstract namespace: nothing to remove.
sockaddr_un addressOf(const std::string &name, socklen_t &length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), size);
  length = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + size);
  return address;
}

} // namespace

/// A connection of two processes.
class Socket {
public:
  explicit Socket(int descriptor) : descriptor(descriptor) {}
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;
  ~Socket() { ::close(descriptor); }

  static std::shared_ptr<Socket> connect(const std::string &name) {
    auto made = std::make_shared<Socket>(
        ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    socklen_t length = 0;
    sockaddr_un address = addressOf(name, length);
    if (made->descriptor < 0 ||
        ::connect(made->descriptor, reinterpret_cast<sockaddr *>(&address),
                  length) != 0)
      return nullptr;
    return made;
  }

  bool write(const void *data, size_t bytes) {
    const char *at = static_cast<const char *>(data);
    while (bytes > 0) {
      ssize_t done = ::send(descriptor, at, bytes, MSG_NOSIGNAL);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return false;
      at += done;
      bytes -= size_t(done);
    }
    return true;
  }
  bool read(void *data, size_t bytes) {
    char *at = static_cast<char *>(data);
    while (bytes > 0) {
      ssize_t done = ::recv(descriptor, at, bytes, 0);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return false;
      at += done;
      bytes -= size_t(done);
    }
    return true;
  }
  bool write(int64_t number) { return write(&number, sizeof number); }
  bool read(int64_t &number) { return read(&number, sizeof number); }
  bool write(const std::string &text) {
    return write(int64_t(text.size())) && write(text.data(), text.size());
  }
  bool read(std::string &text) {
    int64_t size = 0;
    constexpr int64_t longest = 1 << 20;
    if (!read(size) || size < 0 || size > longest)
      return false;
    text.resize(size_t(size));
    return read(text.data(), text.size());
  }
  bool write(const Answer &answer) {
    return write(int64_t(answer.result)) && write(answer.text);
  }
  bool read(Answer &answer) {
    int64_t result = 0;
    if (!read(result) || !read(answer.text))
      return false;
    answer.result = int(result);
    return true;
  }

  void limitPatience() {
    timeval limit{patienceSeconds, 0};
    ::setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  /// Whoever waits for an answer here stops.
  void shutdown() { ::shutdown(descriptor, SHUT_RDWR); }
  bool isGone() const {
    pollfd state{descriptor, POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0 &&
           (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }

  std::mutex mutex;      ///< of a question and its answer
  bool isSilent = false; ///< an answer did not come in time

private:
  int descriptor;
};

//===----------------------------------------------------------------------===//
// The process that serves
//===----------------------------------------------------------------------===//

namespace {

/// All that comes over one connection, in its order.
class Server {
public:
  Server(const Service &service, int descriptor)
      : service(service), socket(descriptor) {}

  void run() {
    int64_t request = 0;
    while (socket.read(request))
      if (!answer(request))
        break;
    if (!mine.empty())
      service.lose(mine);
  }

private:
  const Service &service;
  Socket socket;
  std::vector<int64_t> mine; ///< communicators that are not destroyed

  bool answer(int64_t request) {
    int64_t comm = -1, first = 0, second = 0;
    switch (request) {
    case Join: {
      std::string id;
      if (!socket.read(first) || !socket.read(id) || !socket.read(second))
        return false;
      Answer done = service.join(int(first), id, int(second), comm);
      if (comm >= 0)
        mine.push_back(comm);
      return socket.write(done) && socket.write(comm);
    }
    case Split: {
      int64_t child = -1;
      if (!socket.read(comm) || !socket.read(first) || !socket.read(second))
        return false;
      Answer done = service.split(comm, int(first), int(second), child);
      if (child >= 0)
        mine.push_back(child);
      return socket.write(done) && socket.write(child);
    }
    case Size: {
      if (!socket.read(comm))
        return false;
      Answer done = service.size(comm, first);
      return socket.write(done) && socket.write(first);
    }
    case Run:
      return runPieces();
    case AsyncError:
      return socket.read(comm) && socket.write(service.asyncError(comm));
    case Destroy:
      if (!socket.read(comm))
        return false;
      std::erase(mine, comm);
      service.destroy(comm);
      return true;
    default:
      return false;
    }
  }

  bool runPieces() {
    int64_t comm = -1, isGroup = 0, count = 0;
    constexpr int64_t most = 1 << 20;
    if (!socket.read(comm) || !socket.read(isGroup) || !socket.read(count) ||
        count < 0 || count > most)
      return false;
    std::vector<Piece> pieces(static_cast<size_t>(count));
    std::vector<std::vector<char>> buffers;
    for (Piece &piece : pieces) {
      if (!socket.read(&piece, sizeof piece) || piece.given < 0 ||
          piece.wanted < 0)
        return false;
      std::vector<char> &from = buffers.emplace_back(size_t(piece.given));
      if (!socket.read(from.data(), from.size()))
        return false;
      piece.from = from.data();
      piece.to = buffers.emplace_back(size_t(piece.wanted)).data();
    }
    Answer done = service.run(comm, pieces, isGroup != 0,
                              [this] { return socket.isGone(); });
    if (!socket.write(done))
      return false;
    if (done.result == 0)
      for (const Piece &piece : pieces)
        if (!socket.write(piece.to, size_t(piece.wanted)))
          return false;
    return true;
  }
};

} // namespace

std::string serve(const Service &service) {
  static std::atomic<int> count{0};
  std::string name = "soap-nccl-shim-" + std::to_string(::getpid()) + "-" +
                     std::to_string(count++);
  socklen_t length = 0;
  sockaddr_un address = addressOf(name, length);
  int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr int waiting = 256;
  if (listener < 0 ||
      ::bind(listener, reinterpret_cast<sockaddr *>(&address), length) != 0 ||
      ::listen(listener, waiting) != 0)
    return "";
  std::thread([listener, service] {
    for (;;) {
      int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor >= 0)
        std::thread([service, descriptor] {
          Server(service, descriptor).run();
        }).detach();
      else if (errno != EINTR && errno != ECONNABORTED)
        return;
    }
  }).detach();
  return name;
}

//===----------------------------------------------------------------------===//
// The others
//===----------------------------------------------------------------------===//

static Answer lost() { return {remoteError, "the stand-in's process is gone"}; }

RemoteComm::RemoteComm(std::shared_ptr<Socket> socket,
                       std::shared_ptr<Socket> control, int64_t number)
    : socket(std::move(socket)), control(std::move(control)), number(number) {}

RemoteComm::~RemoteComm() {
  std::lock_guard<std::mutex> lock(socket->mutex);
  (void)(socket->write(Destroy) && socket->write(number));
}

std::unique_ptr<RemoteComm> RemoteComm::join(const std::string &address,
                                             const std::string &id, int ranks,
                                             int rank, Answer &answer) {
  std::shared_ptr<Socket> socket = Socket::connect(address),
                          control = Socket::connect(address);
  if (!socket || !control) {
    answer = {systemError, "no process serves '" + address + "'"};
    return nullptr;
  }
  control->limitPatience();
  int64_t number = -1;
  if (!socket->write(Join) || !socket->write(int64_t(ranks)) ||
      !socket->write(id) || !socket->write(int64_t(rank)) ||
      !socket->read(answer) || !socket->read(number))
    answer = lost();
  if (answer.result != 0)
    return nullptr;
  return std::unique_ptr<RemoteComm>(new RemoteComm(socket, control, number));
}

std::unique_ptr<RemoteComm> RemoteComm::split(int color, int key,
                                              Answer &answer) {
  std::lock_guard<std::mutex> lock(socket->mutex);
  int64_t child = -1;
  if (!socket->write(Split) || !socket->write(number) ||
      !socket->write(int64_t(color)) || !socket->write(int64_t(key)) ||
      !socket->read(answer) || !socket->read(child))
    answer = lost();
  if (answer.result != 0 || child < 0)
    return nullptr;
  return std::unique_ptr<RemoteComm>(new RemoteComm(socket, control, child));
}

int64_t RemoteComm::size(Answer &answer) {
  if (ranks > 0)
    return ranks;
  std::lock_guard<std::mutex> lock(socket->mutex);
  if (!socket->write(Size) || !socket->write(number) || !socket->read(answer) ||
      !socket->read(ranks))
    answer = lost();
  return answer.result == 0 ? ranks : 0;
}

Answer RemoteComm::run(std::vector<Piece> &pieces, bool isGroup) {
  std::lock_guard<std::mutex> lock(socket->mutex);
  bool good = socket->write(Run) && socket->write(number) &&
              socket->write(int64_t(isGroup)) &&
              socket->write(int64_t(pieces.size()));
  for (const Piece &piece : pieces)
    good = good && socket->write(&piece, sizeof piece) &&
           socket->write(piece.from, size_t(piece.given));
  Answer answer;
  if (!good || !socket->read(answer))
    return lost();
  if (answer.result == 0)
    for (Piece &piece : pieces)
      if (!socket->read(piece.to, size_t(piece.wanted)))
        return lost();
  return answer;
}

Answer RemoteComm::asyncError() {
  std::lock_guard<std::mutex> lock(control->mutex);
  Answer answer;
  if (control->isSilent)
    return {};
  errno = 0;
  if (control->write(AsyncError) && control->write(number) &&
      control->read(answer))
    return answer;
  control->isSilent = errno == EAGAIN || errno == EWOULDBLOCK;
  if (control->isSilent)
    return {};
  return lost();
}

void RemoteComm::abort() {
  socket->shutdown();
  control->shutdown();
}

} // namespace shim
