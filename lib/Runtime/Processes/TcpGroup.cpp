//===- TcpGroup.cpp - Messages between processes over TCP -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TcpGroup.h. A message is a header and its bytes; the last one of a peer
// is a word of leave.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Processes/TcpGroup.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr int64_t byeChannel = -1;
/// More is no message of ours.
constexpr int64_t maxBytes = int64_t(1) << 46;

} // namespace

TcpGroup::TcpGroup(int rank, std::vector<Socket> sockets,
                   std::chrono::milliseconds grace, std::string address)
    : me(rank), grace(grace), ownAddress(std::move(address)),
      peers(sockets.size()), wakeUp(eventfd(0, EFD_CLOEXEC)) {
  for (size_t i = 0; i < sockets.size(); ++i)
    peers[i].socket = std::move(sockets[i]);
  thread = std::thread([this] {
    pthread_setname_np(pthread_self(), "soap-tcp");
    loop();
  });
}

TcpGroup::~TcpGroup() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stop = true;
  }
  wake();
  thread.join();
  ::close(wakeUp);
}

void TcpGroup::wake() const {
  uint64_t one = 1;
  (void)!::write(wakeUp, &one, sizeof(one));
}

MaybeError TcpGroup::send(int to, Channel channel, int64_t tag,
                          const void *data, int64_t bytes) {
  if (to < 0 || to >= size() || to == me)
    return Error{"rank " + std::to_string(to) + " does not exist"};
  Header header{int64_t(channel), tag, bytes};
  std::string text(sizeof(header) + size_t(bytes), '\0');
  std::memcpy(text.data(), &header, sizeof(header));
  if (bytes)
    std::memcpy(text.data() + sizeof(header), data, size_t(bytes));
  {
    std::lock_guard<std::mutex> lock(mutex);
    Peer &peer = peers[size_t(to)];
    if (!peer.closed)
      peer.outbox.push_back(std::move(text));
  }
  wake();
  return std::nullopt;
}

MaybeError TcpGroup::receive(int from, Channel channel, int64_t tag, void *data,
                             int64_t bytes, const std::atomic<bool> *cancel) {
  if (from < 0 || from >= size() || from == me)
    return Error{"rank " + std::to_string(from) + " does not exist"};
  std::string place =
      "message " + std::to_string(tag) + " from rank " + std::to_string(from);
  std::unique_lock<std::mutex> lock(mutex);
  std::deque<std::string> &queue = inbox[{from, int64_t(channel), tag}];
  std::optional<std::chrono::steady_clock::time_point> limit;
  while (queue.empty()) {
    bool closed = peers[size_t(from)].closed;
    auto now = std::chrono::steady_clock::now();
    if (closed && !limit)
      limit = now + grace;
    if (closed && now >= *limit)
      return Error{place + ": it has closed the connection"};
    if (cancel && cancel->load(std::memory_order_relaxed))
      return Error{"stopped because another device failed"};
    // No notification comes for `cancel`.
    if (cancel || closed)
      changed.wait_for(lock, std::chrono::milliseconds(20));
    else
      changed.wait(lock);
  }
  std::string text = std::move(queue.front());
  queue.pop_front();
  if (int64_t(text.size()) != bytes)
    return Error{place + ": expected " + std::to_string(bytes) +
                 " bytes, got " + std::to_string(text.size())};
  if (bytes)
    std::memcpy(data, text.data(), size_t(bytes));
  return std::nullopt;
}

MaybeError TcpGroup::close() {
  Header bye{byeChannel, 0, 0};
  std::unique_lock<std::mutex> lock(mutex);
  for (int i = 0; i < size(); ++i)
    if (i != me)
      peers[size_t(i)].outbox.emplace_back(reinterpret_cast<char *>(&bye),
                                           sizeof(bye));
  wake();
  for (int i = 0; i < size(); ++i) {
    if (i == me)
      continue;
    Peer &peer = peers[size_t(i)];
    changed.wait(lock, [&] {
      return peer.closed || (peer.saidBye && peer.outbox.empty());
    });
    if (!peer.saidBye)
      return Error{"rank " + std::to_string(i) + " has closed the connection"};
  }
  return std::nullopt;
}

void TcpGroup::write(Peer &peer) {
  while (!peer.outbox.empty()) {
    const std::string &text = peer.outbox.front();
    ssize_t count =
        ::send(peer.socket.descriptor(), text.data() + peer.written,
               text.size() - peer.written, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    if (count < 0) {
      peer.closed = true;
      break;
    }
    peer.written += size_t(count);
    if (peer.written < text.size())
      continue;
    peer.outbox.pop_front();
    peer.written = 0;
  }
  changed.notify_all();
}

void TcpGroup::take(int from, const char *data, size_t bytes) {
  Peer &peer = peers[size_t(from)];
  while (!peer.closed) {
    size_t wanted =
        (peer.inPayload ? size_t(peer.header.bytes) : sizeof(Header)) -
        peer.incoming.size();
    size_t part = std::min(wanted, bytes);
    peer.incoming.append(data, part);
    data += part;
    bytes -= part;
    if (part < wanted)
      return;
    if (!peer.inPayload) {
      std::memcpy(&peer.header, peer.incoming.data(), sizeof(Header));
      peer.incoming.clear();
      peer.inPayload = true;
      peer.closed = peer.header.bytes < 0 || peer.header.bytes > maxBytes;
      continue;
    }
    if (peer.header.channel == byeChannel)
      peer.saidBye = true;
    else
      inbox[{from, peer.header.channel, peer.header.tag}].push_back(
          std::move(peer.incoming));
    peer.incoming.clear();
    peer.inPayload = false;
  }
}

void TcpGroup::read(int from) {
  Peer &peer = peers[size_t(from)];
  char buffer[1 << 16];
  for (;;) {
    ssize_t count =
        recv(peer.socket.descriptor(), buffer, sizeof(buffer), MSG_DONTWAIT);
    if (count > 0) {
      take(from, buffer, size_t(count));
      continue;
    }
    if (count < 0 && errno == EINTR)
      continue;
    if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
      peer.closed = true;
    break;
  }
  changed.notify_all();
}

void TcpGroup::loop() {
  for (;;) {
    std::vector<pollfd> items = {{wakeUp, POLLIN, 0}};
    std::vector<int> ranks = {me};
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (stop)
        return;
      for (int i = 0; i < size(); ++i) {
        const Peer &peer = peers[size_t(i)];
        if (i == me || peer.closed)
          continue;
        short events = peer.outbox.empty() ? POLLIN : POLLIN | POLLOUT;
        items.push_back({peer.socket.descriptor(), events, 0});
        ranks.push_back(i);
      }
    }
    poll(items.data(), items.size(), -1);
    if (items[0].revents) {
      uint64_t count;
      (void)!::read(wakeUp, &count, sizeof(count));
    }
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 1; i < items.size(); ++i) {
      if (items[i].revents & POLLOUT)
        write(peers[size_t(ranks[i])]);
      if (items[i].revents & (POLLIN | POLLHUP | POLLERR))
        read(ranks[i]);
    }
  }
}
