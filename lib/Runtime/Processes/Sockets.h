//===- Sockets.h - TCP connections that never block -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The little of TCP that ranks need to find and watch each other, with
// deadlines instead of blocking calls, and with limits of one read.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_PROCESSES_SOCKETS_H
#define SOAP_LIB_RUNTIME_PROCESSES_SOCKETS_H

#include "Soap/Support/Error.h"

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

  /// Appends the bytes that have arrived to `text`, at most `limit`: a peer
  /// that sends without end is to use neither the memory nor the time of this
  /// process. False when the other end has closed the connection.
  bool readSome(std::string &text, size_t limit);
  /// Writes as much as goes at once and returns how much that was.
  size_t writeSome(const std::string &text);
  /// Waits until there is something to read, or to write; false at the
  /// deadline.
  bool waitToRead(std::chrono::steady_clock::time_point deadline) const;
  bool waitToWrite(std::chrono::steady_clock::time_point deadline) const;
  /// The connection is open and nothing has come that was not read.
  bool isQuiet() const;

  /// IPv4 addresses of both ends; empty if they are not known.
  std::string localAddress() const;
  std::string remoteAddress() const;

private:
  int fd = -1;
};

/// The address that stands for all interfaces of this host.
inline constexpr const char *anyAddress = "0.0.0.0";
inline constexpr const char *loopbackAddress = "127.0.0.1";
/// Only processes of this host reach the IPv4 address.
bool isLoopback(const std::string &address);

class ListeningSocket {
public:
  /// On the first of these IPv4 addresses that is one of this host; port 0: a
  /// free one.
  MaybeError listen(const std::vector<std::string> &addresses, int port = 0);
  int port() const { return number; }
  /// Where it listens.
  const std::string &address() const { return host; }
  /// Where others may reach it: its address, or all of this host.
  std::vector<std::string> reachableAt() const;
  int descriptor() const { return socket.descriptor(); }
  /// A connection that has come; none if there is none, or, with `isFull`, if
  /// the process has too many files open.
  Socket accept(bool &isFull);
  void close() { socket = Socket(); }

private:
  Socket socket;
  std::string host;
  int number = 0;
};

/// The addresses of another process, whose `networkIdentity` is
/// `identity`, that reach it from here: loopback addresses do on one host only.
std::vector<std::string> reachable(const std::vector<std::string> &addresses,
                                   const std::string &identity);

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

#endif // SOAP_LIB_RUNTIME_PROCESSES_SOCKETS_H
