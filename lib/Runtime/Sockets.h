//===- Sockets.h - TCP connections that never block -------------*- C++ -*-===//
//
// The little of TCP that the peer monitor needs, with deadlines instead of
// blocking calls.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_SOCKETS_H
#define SOAP_LIB_RUNTIME_SOCKETS_H

#include "Soap/Core/Error.h"

#include <chrono>
#include <string>
#include <vector>

namespace soap::runtime {

class Socket {
public:
  Socket() = default;
  explicit Socket(int fd) : fd(fd) {}
  Socket(Socket &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~Socket();

  explicit operator bool() const { return fd >= 0; }
  int descriptor() const { return fd; }

  /// Appends what is there to `text`; false when the other end has closed.
  bool readSome(std::string &text);
  /// Writes as much as goes at once and returns how much that was.
  size_t writeSome(const std::string &text);
  /// False if not all of it came in time.
  bool readAll(char *data, size_t bytes,
               std::chrono::steady_clock::time_point deadline);

private:
  int fd = -1;
};

class ListeningSocket {
public:
  /// On all interfaces; port 0: a free one.
  MaybeError listen(int backlog, int port = 0);
  int port() const { return number; }
  int descriptor() const { return socket.descriptor(); }
  Expected<Socket> accept(std::chrono::steady_clock::time_point deadline);
  void close() { socket = Socket(); }

private:
  Socket socket;
  int number = 0;
};

/// Tries the IPv4 addresses one after the other until the deadline.
Expected<Socket> connectTo(const std::vector<std::string> &addresses, int port,
                           std::chrono::steady_clock::time_point deadline);

/// IPv4 addresses of a host by its name or as they are written; none if it is
/// not known.
std::vector<std::string> addressesOf(const std::string &host);
/// IPv4 addresses of this host, loopback excluded.
std::vector<std::string> ownAddresses();
std::string hostName();
/// Processes for which it is equal run on one machine.
std::string machineIdentity();
/// Processes for which it is equal reach each other at 127.0.0.1.
std::string networkIdentity();

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_SOCKETS_H
