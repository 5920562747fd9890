//===- PeerMonitor.cpp - Whether the other ranks are alive ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PeerMonitor.h. A connection begins with the handshake of Handshake.h,
// under a key of this run, whose number rank 0 draws. Then come frames: a type,
// a length and a payload.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/PeerMonitor.h"

#include "Runtime/Processes/Handshake.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <random>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

namespace {

/// The payload of `Lost` is the ranks, as "2,3", a space, and a message.
enum FrameType : uint8_t { Sign = 1, Stop, Failed, Done, Lost };

struct SignPayload {
  uint64_t progress;
  uint8_t waiting;
};

constexpr size_t headerBytes = 5, largestPayload = 1 << 16;
/// Bytes that one read of a peer takes at most.
constexpr size_t maxRead = 2 * largestPayload;
/// Words of an address before the IPv4 addresses: process, host, network, port,
/// number of the run.
constexpr size_t addressWords = 5;

std::string frame(FrameType type, const void *payload, size_t bytes) {
  auto length = uint32_t(std::min(bytes, largestPayload));
  std::string text(1, char(type));
  text.append(reinterpret_cast<const char *>(&length), 4);
  text.append(static_cast<const char *>(payload), length);
  return text;
}

struct Peer {
  Socket socket;
  /// "rank 2 (process 4711 on 'host')".
  std::string name;
  std::string inbox, outbox;
  bool done = false;
  Clock::time_point lastSeen;
  /// When it last got on, or did something else than waiting.
  std::atomic<Clock::rep> lastActive{0};
  std::atomic<Clock::rep> lastProgress{0};
  uint64_t progress = 0;
};

/// Why this process ends: ranks that are lost, or, without any, one that has
/// failed.
struct Loss {
  std::string message;
  std::vector<int> ranks;
};

std::string listOf(const std::vector<int> &ranks) {
  std::string text;
  for (int rank : ranks)
    text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text;
}

/// -1 if the text is no number.
int toInt(const std::string &text) {
  int number = -1;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

int64_t toMs(Clock::duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

} // namespace

struct PeerMonitor::Impl {
  int rank = 0, size = 1;
  PeerMonitorOptions options;
  milliseconds interval{500};
  ListeningSocket listener;
  std::string cookie;

  /// Around sockets and outboxes, which `fail` and `done` use, too.
  std::mutex mutex;
  std::vector<std::unique_ptr<Peer>> peers;
  std::thread thread;
  std::atomic<bool> end{false}, stop{false};
  std::atomic<uint64_t> progress{0};
  std::atomic<bool> waiting{false};
  bool stopSent = false, lost = false;

  /// How long ago the latest of all peers' times is.
  milliseconds since(std::atomic<Clock::rep> Peer::*what) const;

  MaybeError connectTo(int peer, const std::vector<std::string> &words,
                       const HandshakeKey &key, Clock::time_point deadline);
  MaybeError acceptPeers(const HandshakeKey &key, Clock::time_point deadline);
  int numberOf(const Peer &peer) const {
    int number = 0;
    while (peers[size_t(number)].get() != &peer)
      ++number;
    return number;
  }
  void sendTo(Peer &peer, const std::string &text);
  void sendToAll(const std::string &text);
  void loop();
  void sign();
  /// Reads the bytes that have arrived; false when the peer has closed the
  /// connection.
  bool read(Peer &peer, Loss &failure);
  void take(Peer &peer, FrameType type, const char *payload, size_t bytes,
            Loss &failure);
  void lose(const Loss &loss);
};

PeerMonitor::PeerMonitor() : impl(std::make_unique<Impl>()) {}

Expected<std::unique_ptr<PeerMonitor>>
PeerMonitor::create(int rank, int size, PeerMonitorOptions options) {
  std::unique_ptr<PeerMonitor> monitor(new PeerMonitor());
  Impl &impl = *monitor->impl;
  impl.rank = rank;
  impl.size = size;
  impl.interval =
      std::clamp(options.silence / 10, milliseconds(1), milliseconds(500));
  impl.options = std::move(options);
  impl.cookie = drawNonce();
  for (int i = 0; i < size; ++i)
    impl.peers.push_back(std::make_unique<Peer>());
  if (MaybeError error = impl.listener.listen({impl.options.address}))
    return *error;
  return monitor;
}

std::string PeerMonitor::address() const {
  std::ostringstream text;
  text << getpid() << ' ' << hostName() << ' ' << networkIdentity() << ' '
       << impl->listener.port() << ' ' << impl->cookie;
  for (const std::string &ip : impl->listener.reachableAt())
    text << ' ' << ip;
  return text.str();
}

MaybeError PeerMonitor::connect(const std::vector<std::string> &addresses) {
  Clock::time_point deadline = Clock::now() + impl->options.connectTimeout;
  std::vector<std::vector<std::string>> words;
  for (const std::string &address : addresses) {
    std::istringstream stream(address);
    words.emplace_back(std::istream_iterator<std::string>(stream),
                       std::istream_iterator<std::string>());
    if (words.back().size() <= addressWords)
      return Error{"'" + address + "' is no address of a rank"};
    impl->peers[words.size() - 1]->name =
        "rank " + std::to_string(words.size() - 1) + " (process " +
        words.back()[0] + " on '" + words.back()[1] + "')";
  }
  HandshakeKey key(impl->options.secret, "monitor", words[0][4]);
  // Peers of lower rank listen already; peers of higher rank connect to us.
  for (int i = 0; i < impl->rank; ++i)
    if (MaybeError error = impl->connectTo(i, words[size_t(i)], key, deadline))
      return error;
  if (MaybeError error = impl->acceptPeers(key, deadline))
    return error;
  impl->listener.close();
  for (auto &peer : impl->peers) {
    peer->lastSeen = Clock::now();
    peer->lastActive.store(Clock::now().time_since_epoch().count());
  }
  impl->thread = std::thread([raw = impl.get()] {
    pthread_setname_np(pthread_self(), "soap-monitor");
    raw->loop();
  });
  return std::nullopt;
}

MaybeError PeerMonitor::Impl::connectTo(int peer,
                                        const std::vector<std::string> &words,
                                        const HandshakeKey &key,
                                        Clock::time_point deadline) {
  auto where = [&]() -> Expected<ListenerPlace> {
    return ListenerPlace{
        reachable({words.begin() + addressWords, words.end()}, words[2]),
        toInt(words[3])};
  };
  auto text = [&](const Socket &) -> Expected<std::string> {
    return std::to_string(rank);
  };
  auto answer =
      introduce(Introduction{where, key, text, largestPayload, deadline});
  if (!answer)
    return Error{"cannot reach " + peers[size_t(peer)]->name + ": " +
                 answer.error()};
  peers[size_t(peer)]->socket = std::move(answer->socket);
  return std::nullopt;
}

MaybeError PeerMonitor::Impl::acceptPeers(const HandshakeKey &key,
                                          Clock::time_point deadline) {
  Acceptor acceptor(listener, key);
  for (;;) {
    std::string missing;
    for (int i = rank + 1; i < size; ++i)
      if (!peers[size_t(i)]->socket)
        missing += (missing.empty() ? "" : ", ") + peers[size_t(i)]->name;
    if (missing.empty())
      break;
    auto rest = toMs(deadline - Clock::now());
    if (rest <= 0)
      return Error{"no connection from " + missing + ": timed out" +
                   acceptor.strangers().suffix()};
    for (Acceptor::Guest &guest :
         acceptor.poll(int(std::clamp<int64_t>(rest, 1, 200)))) {
      int peer = toInt(guest.text);
      if (peer <= rank || peer >= size || peers[size_t(peer)]->socket ||
          !acceptor.answer(guest, "welcome", deadline))
        acceptor.turnAway(guest);
      else
        peers[size_t(peer)]->socket = std::move(guest.socket);
    }
  }
  acceptor.finish();
  if (options.note && acceptor.strangers().count())
    options.note("monitor of rank " + std::to_string(rank) + ": " +
                 acceptor.strangers().text());
  return std::nullopt;
}

PeerMonitor::~PeerMonitor() {
  impl->end.store(true);
  if (impl->thread.joinable())
    impl->thread.join();
}

void PeerMonitor::publish(uint64_t progress, bool waiting) {
  impl->progress.store(progress, std::memory_order_relaxed);
  impl->waiting.store(waiting, std::memory_order_relaxed);
}

milliseconds
PeerMonitor::Impl::since(std::atomic<Clock::rep> Peer::*what) const {
  Clock::rep latest = Clock::rep(0);
  for (int i = 0; i < size; ++i)
    if (i != rank)
      latest = std::max(latest, (*peers[size_t(i)].*what).load());
  Clock::duration ago =
      Clock::now() - Clock::time_point(Clock::duration(latest));
  // Their state since their last heartbeat is not known.
  return std::max(milliseconds(0),
                  std::chrono::duration_cast<milliseconds>(ago - 2 * interval));
}

milliseconds PeerMonitor::silence() const {
  return impl->since(&Peer::lastActive);
}

milliseconds PeerMonitor::withoutProgress() const {
  return impl->since(&Peer::lastProgress);
}

void PeerMonitor::fail(const std::string &message) {
  impl->sendToAll(frame(Failed, message.data(), message.size()));
}

bool PeerMonitor::stopRequested() const {
  return impl->stop.load() ||
         (impl->options.stopRequested && impl->options.stopRequested());
}

void PeerMonitor::done() { impl->sendToAll(frame(Done, nullptr, 0)); }

void PeerMonitor::Impl::sendTo(Peer &peer, const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!peer.socket)
    return;
  // A peer that takes nothing is silent, which is noticed elsewhere.
  if (peer.outbox.size() < 4 * largestPayload)
    peer.outbox += text;
  peer.outbox.erase(0, peer.socket.writeSome(peer.outbox));
}

void PeerMonitor::Impl::sendToAll(const std::string &text) {
  for (auto &peer : peers)
    sendTo(*peer, text);
}

void PeerMonitor::Impl::sign() {
  SignPayload payload{};
  payload.progress = progress.load(std::memory_order_relaxed);
  payload.waiting = waiting.load(std::memory_order_relaxed);
  sendToAll(frame(Sign, &payload, sizeof(payload)));
  bool stopHere = options.stopRequested && options.stopRequested();
  if (rank == 0 || stopSent || !stopHere)
    return;
  stopSent = true;
  sendTo(*peers[0], frame(Stop, nullptr, 0));
}

void PeerMonitor::Impl::take(Peer &peer, FrameType type, const char *payload,
                             size_t bytes, Loss &failure) {
  peer.lastSeen = Clock::now();
  SignPayload sign{};
  switch (type) {
  case Sign:
    std::memcpy(&sign, payload, std::min(bytes, sizeof(sign)));
    if (!sign.waiting || sign.progress != peer.progress)
      peer.lastActive.store(Clock::now().time_since_epoch().count());
    if (sign.progress != peer.progress)
      peer.lastProgress.store(Clock::now().time_since_epoch().count());
    peer.progress = sign.progress;
    break;
  case Stop:
    stop.store(true);
    break;
  case Failed:
    failure = {std::string(payload, bytes), {}};
    break;
  case Lost: {
    std::string text(payload, bytes);
    size_t space = std::min(text.find(' '), text.size());
    failure = {text.substr(std::min(space + 1, text.size())), {}};
    std::istringstream list(text.substr(0, space));
    for (std::string number; std::getline(list, number, ',');)
      failure.ranks.push_back(toInt(number));
    break;
  }
  case Done:
    peer.done = true;
    break;
  }
}

bool PeerMonitor::Impl::read(Peer &peer, Loss &failure) {
  bool open = true;
  {
    std::lock_guard<std::mutex> lock(mutex);
    open = peer.socket.readSome(peer.inbox, maxRead);
  }
  size_t at = 0;
  while (peer.inbox.size() - at >= headerBytes) {
    uint32_t length;
    std::memcpy(&length, peer.inbox.data() + at + 1, 4);
    if (length > largestPayload)
      return false;
    if (peer.inbox.size() - at < headerBytes + length)
      break;
    take(peer, FrameType(peer.inbox[at]), peer.inbox.data() + at + headerBytes,
         length, failure);
    at += headerBytes + length;
  }
  peer.inbox.erase(0, at);
  return open;
}

void PeerMonitor::Impl::lose(const Loss &loss) {
  if (lost)
    return;
  lost = true;
  // The others may not have noticed yet, and are not to blame us.
  std::string text = loss.ranks.empty()
                         ? loss.message
                         : listOf(loss.ranks) + " " + loss.message;
  sendToAll(
      frame(loss.ranks.empty() ? Failed : Lost, text.data(), text.size()));
  if (options.onLost)
    options.onLost(loss.message, loss.ranks);
}

void PeerMonitor::Impl::loop() {
  Clock::time_point nextSign = Clock::now(), before = nextSign;
  while (!end.load()) {
    std::vector<pollfd> descriptors;
    std::vector<Peer *> polled;
    for (auto &peer : peers)
      if (peer->socket) {
        descriptors.push_back({peer->socket.descriptor(), POLLIN, 0});
        polled.push_back(peer.get());
      }
    auto rest = toMs(nextSign - Clock::now());
    poll(descriptors.data(), descriptors.size(),
         int(std::clamp<int64_t>(rest, 0, 100)));
    Clock::time_point now = Clock::now();
    // A process that was stopped itself has not heard the others.
    if (Clock::duration gap = now - before; gap > milliseconds(1000))
      for (auto &peer : peers)
        peer->lastSeen += gap;
    before = now;
    Loss failure, dead, silent;
    auto add = [](Loss &loss, int rank, const std::string &text) {
      loss.message += (loss.message.empty() ? "" : "; ") + text;
      loss.ranks.push_back(rank);
    };
    auto silenceOf = [&](const Peer &peer) { return now - peer.lastSeen; };
    // Those that a cut cable takes away fall silent one after the other.
    bool isCut =
        std::any_of(polled.begin(), polled.end(), [&](const Peer *peer) {
          return !peer->done && silenceOf(*peer) > options.silence;
        });
    // Reads all peers before any conclusion: a dead rank may have ended others,
    // and a failure says more than a closed connection.
    for (Peer *peer : polled) {
      if (!read(*peer, failure)) {
        std::lock_guard<std::mutex> lock(mutex);
        peer->socket = Socket();
        if (!peer->done)
          add(dead, numberOf(*peer), peer->name + " has died");
      } else if (isCut && !peer->done &&
                 silenceOf(*peer) > options.silence / 2) {
        add(silent, numberOf(*peer),
            peer->name + " has given no sign of life for " +
                std::to_string(toMs(silenceOf(*peer))) + " ms");
      }
    }
    if (!failure.message.empty())
      lose(failure);
    else if (!dead.message.empty())
      lose(dead);
    else if (!silent.message.empty())
      lose(silent);
    if (now >= nextSign) {
      nextSign = now + interval;
      sign();
    }
  }
}
