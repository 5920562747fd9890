//===- HandshakeTest.cpp - Ranks with and without the secret --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both sides of the handshake, with a stranger in the place of either.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Processes/Handshake.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <future>
#include <thread>

using namespace soap;
using namespace soap::runtime;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 60s;
const std::string secret = "a secret of more than 16 bytes";

std::string word(const std::string &text) {
  auto length = uint32_t(text.size());
  return "SoapRdv2" + std::string(reinterpret_cast<char *>(&length), 4) + text;
}

/// Waits for `size` bytes, or for the end of the connection.
std::string receive(Socket &socket, size_t size) {
  std::string text;
  while (text.size() < size && socket.waitToRead(Clock::now() + patience) &&
         socket.readSome(text, size - text.size()))
    ;
  return text;
}

/// Waits until the other end has closed the connection.
bool isClosed(Socket &socket) {
  std::string text;
  while (socket.waitToRead(Clock::now() + patience))
    if (!socket.readSome(text, 1 << 20))
      return true;
  return false;
}

/// A listener that serves its visitors until the test ends.
struct Listener {
  explicit Listener(const std::string &secret)
      : key(secret, "test"), acceptor(socket, key) {
    EXPECT_FALSE(socket.listen({loopbackAddress}));
    thread = std::thread([this] {
      while (!stop.load())
        for (Acceptor::Guest &guest : acceptor.poll(10)) {
          acceptor.answer(guest, "welcome " + guest.text,
                          Clock::now() + patience);
          guests.push_back(std::move(guest));
        }
    });
  }
  ~Listener() { end(); }
  void end() {
    stop.store(true);
    if (thread.joinable())
      thread.join();
  }
  Socket stranger() {
    auto connected =
        connectTo({loopbackAddress}, socket.port(), Clock::now() + patience);
    EXPECT_TRUE(bool(connected));
    return std::move(*connected);
  }

  ListeningSocket socket;
  HandshakeKey key;
  Acceptor acceptor;
  std::vector<Acceptor::Guest> guests;
  std::atomic<bool> stop{false};
  std::thread thread;
};

Expected<Introduced> join(int port, const std::string &secret,
                          const std::string &text = "rank 3") {
  HandshakeKey key(secret, "test");
  return introduce(Introduction{
      [port]() -> Expected<ListenerPlace> {
        return ListenerPlace{{loopbackAddress}, port};
      },
      key, [&](const Socket &) -> Expected<std::string> { return text; }, 4096,
      Clock::now() + patience});
}

TEST(Handshake, WithTheSecret) {
  Listener listener(secret);
  auto joined = join(listener.socket.port(), secret);
  ASSERT_TRUE(joined) << joined.error();
  EXPECT_EQ(joined->answer, "welcome rank 3");
  listener.end();
  ASSERT_EQ(listener.guests.size(), 1u);
  EXPECT_EQ(listener.guests[0].text, "rank 3");
  EXPECT_EQ(listener.acceptor.strangers().text(), "");
}

TEST(Handshake, WithAnotherOne) {
  Listener listener(secret);
  for (const std::string &other :
       {std::string(), std::string("another secret of ours")}) {
    auto joined = join(listener.socket.port(), other);
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().find("it has another secret: expected the same"),
              0u)
        << joined.error();
  }
  listener.end();
  EXPECT_TRUE(listener.guests.empty());
  EXPECT_EQ(listener.acceptor.strangers().text(),
            "2 connections of strangers refused (2 from 127.0.0.1)");
}

/// A stranger in the place of the listener hears a proof, and uses it.
TEST(Handshake, Replayed) {
  ListeningSocket trap;
  ASSERT_FALSE(trap.listen({loopbackAddress}));
  auto victim = std::async(std::launch::async,
                           [&] { return join(trap.port(), secret, "x"); });
  Socket caught;
  bool isFull;
  while (!caught)
    caught = trap.accept(isFull);
  std::string challenge = word("challenge " + std::string(32, '7'));
  ASSERT_EQ(caught.writeSome(challenge), challenge.size());
  std::string hello = receive(caught, word("hello ").size() + 32 + 1 + 64 + 2);
  ASSERT_EQ(hello.size(), 12u + 6 + 32 + 1 + 64 + 2);
  // It cannot answer: the victim learns that this is no rank of its run.
  std::string answer = word("answer " + std::string(64, '0') + " welcome");
  caught.writeSome(answer);
  auto joined = victim.get();
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().find("it has another secret"), 0u);

  Listener listener(secret);
  Socket replay = listener.stranger();
  receive(replay, challenge.size());
  replay.writeSome(hello);
  EXPECT_TRUE(isClosed(replay));
  listener.end();
  EXPECT_TRUE(listener.guests.empty());
  EXPECT_EQ(listener.acceptor.strangers().count(), 1);
}

/// A word of one kind of connection is none of another.
TEST(Handshake, KeysOfPurposes) {
  std::string nonces(64, '1');
  auto sign = [&](const std::string &purpose, const std::string &run,
                  const std::string &role) {
    return HandshakeKey(secret, purpose, run).sign(role, nonces, "1");
  };
  EXPECT_EQ(sign("peers", "7", "hello"), sign("peers", "7", "hello"));
  EXPECT_NE(sign("peers", "7", "hello"), sign("monitor", "7", "hello"));
  EXPECT_NE(sign("peers", "7", "hello"), sign("peers", "8", "hello"));
  EXPECT_NE(sign("peers", "7", "hello"), sign("peers", "7", "answer"));
  EXPECT_NE(drawNonce(), drawNonce());
}

/// Nothing that strangers send is waited for or kept.
TEST(Handshake, Garbage) {
  Listener listener("");
  std::vector<Socket> refused;
  for (const std::string &text :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(1 << 16, 'x'),
        word("").substr(0, 8) + "\xff\xff\xff\xff", word("hello"), word("abc"),
        word("hello " + std::string(32, 'g') + " " + std::string(64, '0')),
        word("hello " + std::string(32, '0') + " " + std::string(64, '0') +
             " 1")}) {
    Socket stranger = listener.stranger();
    stranger.writeSome(text);
    EXPECT_TRUE(isClosed(stranger)) << text.substr(0, 40);
    refused.push_back(std::move(stranger));
  }
  auto joined = join(listener.socket.port(), "");
  EXPECT_TRUE(joined) << joined.error();
  listener.end();
  EXPECT_EQ(listener.acceptor.strangers().count(), int64_t(refused.size()));
}

/// More silent connections than are kept at a time, from one address, beside
/// halves of words. Ranks come in between.
TEST(Handshake, ManyStrangers) {
  Listener listener(secret);
  std::vector<Socket> strangers;
  for (int i = 0; i < 400; ++i) {
    strangers.push_back(listener.stranger());
    if (i % 2)
      strangers.back().writeSome(word("hello").substr(0, size_t(i % 16)));
    if (i % 100 == 99) {
      auto joined = join(listener.socket.port(), secret);
      ASSERT_TRUE(joined) << joined.error();
    }
  }
  listener.end();
  EXPECT_EQ(listener.guests.size(), 4u);
  // Those that were not accepted yet are unknown.
  int64_t before = listener.acceptor.strangers().count();
  EXPECT_GE(before, 400 - 128 - 64);
  listener.acceptor.finish();
  EXPECT_GT(listener.acceptor.strangers().count(), before);
  EXPECT_LE(listener.acceptor.strangers().count(), 400);
}

TEST(Handshake, StrangersByAddress) {
  Strangers strangers;
  EXPECT_EQ(strangers.suffix(), "");
  strangers.count("10.0.0.9");
  EXPECT_EQ(strangers.text(),
            "1 connection of a stranger refused (1 from 10.0.0.9)");
  for (int i = 0; i < 200; ++i)
    strangers.count("10.0.1." + std::to_string(i));
  strangers.count("10.0.0.9");
  EXPECT_EQ(strangers.suffix(),
            "; 202 connections of strangers refused (2 from 10.0.0.9, 1 from "
            "10.0.1.0, 1 from 10.0.1.1, 1 from 10.0.1.10, 197 from elsewhere)");
}

TEST(Sockets, ListenWhereAsked) {
  ListeningSocket loopback, any, nowhere;
  ASSERT_FALSE(loopback.listen({loopbackAddress}));
  EXPECT_EQ(loopback.address(), loopbackAddress);
  EXPECT_EQ(loopback.reachableAt(),
            std::vector<std::string>({loopbackAddress}));
  ASSERT_FALSE(any.listen({anyAddress}));
  EXPECT_EQ(any.reachableAt().back(), loopbackAddress);
  // An address of documentation, which no host has (RFC 5737).
  auto error = nowhere.listen({"192.0.2.1"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message.find("cannot listen for other ranks on 192.0.2.1: "),
            0u);
  ASSERT_FALSE(nowhere.listen({"192.0.2.1", "127.0.0.2"}));
  EXPECT_EQ(nowhere.address(), "127.0.0.2");
  // Another address of loopback does not reach it.
  EXPECT_FALSE(connectTo({"127.0.0.3"}, loopback.port(), Clock::now() + 200ms));
  auto socket =
      connectTo({loopbackAddress}, loopback.port(), Clock::now() + patience);
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->remoteAddress(), loopbackAddress);
  EXPECT_EQ(socket->localAddress(), loopbackAddress);
}

TEST(Sockets, LoopbackIsOfOneHost) {
  std::vector<std::string> both = {"10.0.0.1", "127.0.0.1"};
  EXPECT_EQ(reachable(both, networkIdentity()), both);
  EXPECT_EQ(reachable(both, "another/host"),
            std::vector<std::string>({"10.0.0.1"}));
}

} // namespace
