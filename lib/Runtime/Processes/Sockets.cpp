//===- Sockets.cpp - TCP connections that never block ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Sockets.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Processes/Sockets.h"

#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

/// Waits for an event; false at the deadline.
bool waitFor(int fd, short events, Clock::time_point deadline) {
  for (;;) {
    auto rest = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (rest.count() <= 0)
      return false;
    pollfd item{fd, events, 0};
    if (poll(&item, 1, int(std::min<int64_t>(rest.count(), 1000))) > 0)
      return true;
  }
}

Error systemError(const char *what) {
  return Error{std::string(what) + ": " + std::strerror(errno)};
}

/// Of an end of a connection, as `get` says: getsockname or getpeername.
template <typename Get>
std::string addressText(int fd, Get get) {
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  char text[INET_ADDRSTRLEN];
  if (get(fd, reinterpret_cast<sockaddr *>(&address), &length) != 0 ||
      address.sin_family != AF_INET ||
      !inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text)))
    return "";
  return text;
}

} // namespace

Socket::~Socket() {
  if (fd >= 0)
    ::close(fd);
}

bool Socket::readSome(std::string &text, size_t limit) {
  char buffer[4096];
  while (limit) {
    ssize_t count =
        recv(fd, buffer, std::min(limit, sizeof(buffer)), MSG_DONTWAIT);
    if (count > 0) {
      text.append(buffer, size_t(count));
      limit -= size_t(count);
      continue;
    }
    if (count < 0 && errno == EINTR)
      continue;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
  return true;
}

size_t Socket::writeSome(const std::string &text) {
  size_t written = 0;
  while (written < text.size()) {
    ssize_t count = send(fd, text.data() + written, text.size() - written,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    written += size_t(count);
  }
  return written;
}

bool Socket::waitToRead(Clock::time_point deadline) const {
  return waitFor(fd, POLLIN, deadline);
}

bool Socket::waitToWrite(Clock::time_point deadline) const {
  return waitFor(fd, POLLOUT, deadline);
}

bool Socket::isQuiet() const {
  char byte;
  ssize_t count;
  do
    count = recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK);
  while (count < 0 && errno == EINTR);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

std::string Socket::localAddress() const {
  return addressText(fd, getsockname);
}

std::string Socket::remoteAddress() const {
  return addressText(fd, getpeername);
}

bool runtime::isLoopback(const std::string &address) {
  return address.compare(0, 4, "127.") == 0;
}

MaybeError ListeningSocket::listen(const std::vector<std::string> &addresses,
                                   int port) {
  // More connections than ranks may wait: strangers' are taken out of the way.
  constexpr int backlog = 512;
  Error last{"cannot listen for other ranks: the host has no address"};
  for (const std::string &text : addresses) {
    socket = Socket(
        ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(port));
    // A chosen port may have connections of an earlier run that time out.
    int one = 1;
    if (port && socket)
      setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &one,
                 sizeof(one));
    socklen_t length = sizeof(address);
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    if (socket && inet_pton(AF_INET, text.c_str(), &address.sin_addr) == 1 &&
        bind(socket.descriptor(), generic, length) == 0 &&
        ::listen(socket.descriptor(), backlog) == 0 &&
        getsockname(socket.descriptor(), generic, &length) == 0) {
      host = text;
      number = ntohs(address.sin_port);
      return std::nullopt;
    }
    last = systemError(("cannot listen for other ranks on " + text).c_str());
  }
  socket = Socket();
  return last;
}

std::vector<std::string> ListeningSocket::reachableAt() const {
  if (host != anyAddress)
    return {host};
  std::vector<std::string> result = ownAddresses();
  result.push_back(loopbackAddress);
  return result;
}

Socket ListeningSocket::accept(bool &isFull) {
  int fd = accept4(socket.descriptor(), nullptr, nullptr,
                   SOCK_CLOEXEC | SOCK_NONBLOCK);
  isFull = fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
                      errno == ENOMEM);
  Socket result(fd);
  int one = 1;
  if (result)
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  return result;
}

std::vector<std::string>
runtime::reachable(const std::vector<std::string> &addresses,
                   const std::string &identity) {
  std::vector<std::string> result = addresses;
  if (identity != networkIdentity())
    std::erase_if(result, isLoopback);
  return result;
}

Expected<Socket> runtime::connectTo(const std::vector<std::string> &addresses,
                                    int port, Clock::time_point deadline) {
  Error last{"it has no address"};
  do {
    for (const std::string &text : addresses) {
      Socket socket(
          ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(uint16_t(port));
      if (!socket || inet_pton(AF_INET, text.c_str(), &address.sin_addr) != 1)
        continue;
      int error = 0;
      socklen_t length = sizeof(error);
      if (::connect(socket.descriptor(), reinterpret_cast<sockaddr *>(&address),
                    sizeof(address)) != 0) {
        error = errno;
        // An address that drops packets must not use up all the time.
        Clock::time_point soon =
            std::min(deadline, Clock::now() + milliseconds(2000));
        if (error == EINPROGRESS) {
          error = ETIMEDOUT;
          if (waitFor(socket.descriptor(), POLLOUT, soon))
            getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &error,
                       &length);
        }
      }
      if (!error) {
        int one = 1;
        setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_NODELAY, &one,
                   sizeof(one));
        return socket;
      }
      last = Error{text + ": " + std::strerror(error)};
    }
    std::this_thread::sleep_for(milliseconds(50));
  } while (!addresses.empty() && Clock::now() < deadline);
  return last;
}

std::vector<std::string> runtime::addressesOf(const std::string &host) {
  addrinfo hints{}, *list = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  std::vector<std::string> result;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0)
    return result;
  for (addrinfo *item = list; item; item = item->ai_next) {
    char text[INET_ADDRSTRLEN];
    const auto *address = reinterpret_cast<sockaddr_in *>(item->ai_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)))
      result.push_back(text);
  }
  freeaddrinfo(list);
  return result;
}

std::vector<std::string> runtime::ownAddresses() {
  std::vector<std::string> result;
  ifaddrs *list = nullptr;
  if (getifaddrs(&list) != 0)
    return result;
  for (ifaddrs *item = list; item; item = item->ifa_next) {
    if (!item->ifa_addr || item->ifa_addr->sa_family != AF_INET ||
        (item->ifa_flags & IFF_LOOPBACK) || !(item->ifa_flags & IFF_UP))
      continue;
    char text[INET_ADDRSTRLEN];
    const auto *address = reinterpret_cast<sockaddr_in *>(item->ifa_addr);
    if (inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)))
      result.push_back(text);
  }
  freeifaddrs(list);
  return result;
}

std::string runtime::hostName() {
  char name[256] = "";
  gethostname(name, sizeof(name) - 1);
  std::string text = *name ? name : "unknown";
  // It becomes a word of an address.
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c <= ' '; }, '_');
  return text;
}

std::string runtime::machineIdentity() {
  auto id = readFile("/proc/sys/kernel/random/boot_id", 1 << 10);
  return id ? id->substr(0, id->find('\n')) : hostName();
}

std::string runtime::networkIdentity() {
  char name[64];
  ssize_t length = readlink("/proc/self/ns/net", name, sizeof(name));
  return machineIdentity() + "/" +
         std::string(name, size_t(std::max<ssize_t>(length, 0)));
}
