//===- RendezvousTest.cpp - Processes that meet over TCP ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks as threads, on ports that are free: groups that come about, and all
// that keeps one from it.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/Rendezvous.h"

#include "Runtime/Processes/Handshake.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <fstream>
#include <future>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

using Group = Expected<std::unique_ptr<ProcessGroup>>;

/// For what must come about, and for what must end without it.
constexpr std::chrono::milliseconds patience(120000), impatience(300);
constexpr const char *ourSecret = "a secret of the ranks";

RendezvousOptions optionsOf(int rank, int ranks, const std::string &endpoint,
                            std::chrono::milliseconds timeout = patience) {
  RendezvousOptions options;
  options.endpoint = endpoint;
  options.rank = rank;
  options.ranks = ranks;
  options.timeout = timeout;
  return options;
}

/// Rank 0 in a thread of its own, on a free port.
struct Root {
  explicit Root(int ranks, std::chrono::milliseconds timeout = patience,
                const std::string &secret = "") {
    auto listening = std::make_shared<std::promise<int>>();
    group = std::async(std::launch::async, [=, this] {
      RendezvousOptions options = optionsOf(0, ranks, "localhost:0", timeout);
      options.secret = secret;
      options.onListening = [=](int port) { listening->set_value(port); };
      options.note = [this](const std::string &text) {
        std::lock_guard<std::mutex> lock(mutex);
        notes += text + "\n";
      };
      return rendezvous(options);
    });
    port = listening->get_future().get();
    endpoint = "127.0.0.1:" + std::to_string(port);
  }
  Root(const Root &) = delete;
  Root &operator=(const Root &) = delete;
  int port;
  std::string endpoint;
  std::mutex mutex;
  std::string notes;
  /// Last: its thread uses the others.
  std::future<Group> group;
};

std::future<Group> joins(const RendezvousOptions &options) {
  return std::async(std::launch::async,
                    [options] { return rendezvous(options); });
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

std::string errorOf(Group group) { return group ? "no error" : group.error(); }

/// All send to all, in both channels and with sizes from none to a lot.
void talk(ProcessGroup &group) {
  std::vector<int64_t> sizes = {0, 1, 100, 3 << 20};
  for (int to = 0; to < group.size(); ++to)
    for (size_t i = 0; to != group.rank() && i < sizes.size(); ++i) {
      std::string text(size_t(sizes[i]), char('a' + group.rank()));
      ASSERT_FALSE(
          group.send(to, Channel::Device, int64_t(i), text.data(), sizes[i]));
    }
  for (int from = 0; from < group.size(); ++from)
    // In another order than they were sent.
    for (size_t i = sizes.size(); from != group.rank() && i-- > 0;) {
      std::string text(size_t(sizes[i]), '?');
      auto error = group.receive(from, Channel::Device, int64_t(i), text.data(),
                                 sizes[i]);
      ASSERT_FALSE(error) << error->message;
      EXPECT_EQ(text, std::string(size_t(sizes[i]), char('a' + from)));
    }
  auto texts = exchangeTexts(group, "rank " + std::to_string(group.rank()));
  ASSERT_TRUE(bool(texts));
  for (int i = 0; i < group.size(); ++i)
    EXPECT_EQ((*texts)[size_t(i)], "rank " + std::to_string(i));
  auto error = group.close();
  EXPECT_FALSE(error) << error->message;
}

/// With a secret, and without one.
TEST(Rendezvous, AllMeet) {
  for (auto [ranks, secret] :
       {std::pair{1, ""}, {2, ""}, {5, ""}, {1, ourSecret}, {4, ourSecret}}) {
    Root root(ranks, patience, secret);
    std::vector<std::thread> threads;
    for (int rank = 1; rank < ranks; ++rank)
      threads.emplace_back([&, rank, ranks = ranks, secret = secret] {
        RendezvousOptions options = optionsOf(rank, ranks, root.endpoint);
        options.secret = secret;
        Group group = rendezvous(options);
        ASSERT_TRUE(bool(group)) << group.error();
        talk(**group);
      });
    Group group = root.group.get();
    ASSERT_TRUE(bool(group)) << group.error();
    EXPECT_EQ((*group)->size(), ranks);
    talk(**group);
    for (std::thread &thread : threads)
      thread.join();
  }
}

/// The others are there first, and find the file of an earlier run.
TEST(Rendezvous, ByFile) {
  std::string path =
      testing::TempDir() + "soap-rendezvous." + std::to_string(getpid());
  // No process listens on port 1.
  std::ofstream(path) << "0 2 1 host " << networkIdentity() << " 1 127.0.0.1\n";
  auto other = joins(optionsOf(1, 2, "file:" + path));
  Group root = rendezvous(optionsOf(0, 2, "file:" + path));
  ASSERT_TRUE(bool(root)) << root.error();
  Group group = other.get();
  ASSERT_TRUE(bool(group)) << group.error();
  std::thread thread([&] { talk(**group); });
  talk(**root);
  thread.join();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(Rendezvous, MissingRanksAreNamed) {
  Root root(4, impatience);
  auto second = joins(optionsOf(2, 4, root.endpoint, impatience));
  std::string why = errorOf(root.group.get());
  // Rank 2 may be late.
  EXPECT_TRUE(contains(why, "rendezvous of rank 0: no word from rank 1, "))
      << why;
  EXPECT_TRUE(contains(why, "3 of 4 within 300 ms")) << why;
  EXPECT_NE(errorOf(second.get()), "no error");
}

TEST(Rendezvous, NoRoot) {
  std::string endpoint = "127.0.0.1:1";
  std::string why = errorOf(rendezvous(optionsOf(1, 2, endpoint, impatience)));
  EXPECT_TRUE(contains(why, "rendezvous of rank 1: cannot reach rank 0 at " +
                                endpoint + " within 300 ms: "))
      << why;
  why =
      errorOf(rendezvous(optionsOf(1, 2, "file:/nowhere/at/all", impatience)));
  EXPECT_TRUE(contains(why, "cannot reach rank 0 at file:/nowhere/at/all "
                            "within 300 ms: /nowhere/at/all: "))
      << why;
}

RendezvousOptions withSecret(RendezvousOptions options) {
  options.secret = ourSecret;
  return options;
}

/// A process with the secret is a rank with wrong flags: all end at once.
TEST(Rendezvous, AnotherNumberOfRanks) {
  Root root(3, patience, ourSecret);
  auto wrong = joins(withSecret(optionsOf(2, 5, root.endpoint)));
  std::string expected =
      " is rank 2 of 5, expected one of 3 ranks, as rank 0 says";
  EXPECT_TRUE(contains(errorOf(root.group.get()), expected));
  EXPECT_TRUE(contains(errorOf(wrong.get()), expected));
}

/// A process without the secret may be any: it is told so, and the others meet.
TEST(Rendezvous, StrangersWithFalseWords) {
  Root root(2);
  EXPECT_TRUE(
      contains(errorOf(joins(optionsOf(2, 5, root.endpoint)).get()),
               " is rank 2 of 5, expected one of 2 ranks, as rank 0 says"));
  auto second = joins(optionsOf(1, 2, root.endpoint));
  Group group = root.group.get();
  ASSERT_TRUE(bool(group)) << group.error();
  EXPECT_TRUE(bool(second.get()));
  EXPECT_TRUE(contains(root.notes, "rendezvous of rank 0: process "))
      << root.notes;
  EXPECT_TRUE(contains(root.notes, " is rank 2 of 5, expected one of 2 ranks, "
                                   "as rank 0 says; waiting on for the others"))
      << root.notes;
  EXPECT_TRUE(contains(root.notes, "1 connection of a stranger refused (1 from "
                                   "127.0.0.1)"))
      << root.notes;
}

/// A process that answers as a rank does, with any hello.
Expected<Introduced> introduceAs(const std::string &text, int port,
                                 const std::string &secret,
                                 std::chrono::milliseconds timeout = patience) {
  HandshakeKey key(secret, "join");
  return introduce(Introduction{
      [port]() -> Expected<ListenerPlace> {
        return ListenerPlace{{loopbackAddress}, port};
      },
      key, [&](const Socket &) -> Expected<std::string> { return text; },
      1 << 16, std::chrono::steady_clock::now() + timeout});
}

TEST(Rendezvous, TwiceTheSameRank) {
  // Rank 0 a second time cannot connect by itself: it would listen.
  {
    Root root(3, patience, ourSecret);
    auto answer =
        introduceAs("0 3 4711 host net 1 127.0.0.1", root.port, ourSecret);
    std::string why = errorOf(root.group.get());
    EXPECT_TRUE(contains(why, "two processes say they are rank 0: rank 0 "
                              "(process "))
        << why;
    EXPECT_TRUE(contains(why, "and process 4711 on 'host'")) << why;
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->answer.find("refused two processes say"), 0u);
  }
  Root root(3, patience, ourSecret);
  auto first = joins(withSecret(optionsOf(1, 3, root.endpoint)));
  auto second = joins(withSecret(optionsOf(1, 3, root.endpoint)));
  std::string why = errorOf(root.group.get());
  EXPECT_TRUE(contains(why, "two processes say they are rank 1: process "))
      << why;
  // A rank that came first is told so, too.
  EXPECT_TRUE(contains(errorOf(first.get()), "two processes say"));
  EXPECT_TRUE(contains(errorOf(second.get()), "two processes say"));
}

/// A rank that leaves while others are waited for may return.
TEST(Rendezvous, ComesAgain) {
  Root root(3);
  // It does not wait for the answer.
  auto left =
      introduceAs("1 3 4711 host net 1 127.0.0.1", root.port, "", impatience);
  EXPECT_FALSE(left);
  auto first = joins(optionsOf(1, 3, root.endpoint));
  auto second = joins(optionsOf(2, 3, root.endpoint));
  Group group = root.group.get();
  EXPECT_TRUE(bool(group)) << group.error();
  EXPECT_TRUE(bool(first.get()));
  EXPECT_TRUE(bool(second.get()));
  EXPECT_TRUE(contains(root.notes, "rank 1 (process 4711 on 'host') has left "
                                   "before all were there; waiting on"))
      << root.notes;
}

TEST(Rendezvous, AnotherSecret) {
  Root root(2, impatience, ourSecret);
  std::string why = errorOf(rendezvous(optionsOf(1, 2, root.endpoint)));
  EXPECT_TRUE(contains(why, "rendezvous of rank 1: cannot reach rank 0 at " +
                                root.endpoint + ": it has another secret: "))
      << why;
  why = errorOf(root.group.get());
  EXPECT_TRUE(contains(why, "no word from rank 1 of 2 within 300 ms; 1 "
                            "connection of a stranger refused (1 from "
                            "127.0.0.1)"))
      << why;
}

/// A rank that others cannot connect to is named, not waited for.
TEST(Rendezvous, LoopbackOfAnotherHost) {
  Root root(3);
  auto first = std::async(std::launch::async, [&] {
    return introduceAs("1 3 4711 one net1 1 127.0.0.1", root.port, "");
  });
  auto second = std::async(std::launch::async, [&] {
    return introduceAs("2 3 4712 two net2 1 10.0.0.2", root.port, "");
  });
  std::string why = errorOf(root.group.get());
  EXPECT_TRUE(contains(why, "rank 1 (process 4711 on 'one') listens on "
                            "127.0.0.1 only, which rank 2 (process 4712 on "
                            "'two') on another host cannot reach: expected "
                            "'--listen' with an address of its host"))
      << why;
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

/// The ports are where the endpoint says.
TEST(Rendezvous, ListensWhereAsked) {
  auto start = [](const std::string &endpoint, const std::string &listen) {
    RendezvousOptions options = optionsOf(0, 2, endpoint, impatience);
    options.listen = listen;
    auto notes = std::make_shared<std::string>();
    options.note = [=](const std::string &text) { *notes += text; };
    std::string reached;
    options.onListening = [&](int port) {
      for (const char *address : {"127.0.0.1", "127.0.0.2"})
        if (connectTo({address}, port,
                      std::chrono::steady_clock::now() + impatience))
          reached += std::string(address) + " ";
    };
    std::string why = errorOf(rendezvous(options));
    return reached + "| " + *notes + "| " + why;
  };
  std::string text = start("127.0.0.2:0", "");
  EXPECT_EQ(text.find("127.0.0.2 | | rendezvous of rank 0: no word"), 0u)
      << text;
  text = start("127.0.0.2:0", "localhost");
  EXPECT_EQ(text.find("127.0.0.1 | | "), 0u) << text;
  text = start("0.0.0.0:0", "");
  EXPECT_EQ(text.find("127.0.0.1 127.0.0.2 | rendezvous of rank 0: warning: no "
                      "secret protects port "),
            0u)
      << text;
  // Of the network for documentation (RFC 5737).
  text = start("192.0.2.1:0", "");
  EXPECT_TRUE(contains(text, "cannot listen for other ranks on 192.0.2.1: "))
      << text;
  EXPECT_TRUE(contains(text, "expected an address of this host, or '--listen'"))
      << text;
  std::string path =
      testing::TempDir() + "soap-listens." + std::to_string(getpid());
  text = start("file:" + path, "");
  EXPECT_EQ(text.find("127.0.0.1 | | "), 0u) << text;
}

/// Other connections that may come to a port: nothing at all, bytes, half a
/// word, a word that says nothing. None of it keeps the ranks from meeting, and
/// it is said.
TEST(Rendezvous, Garbage) {
  Root root(2);
  std::vector<Socket> strangers;
  for (const std::string &text :
       {std::string(), std::string("GET / HTTP/1.1\r\n\r\n"),
        std::string("SoapRdv2\xff\xff\xff\xff", 12),
        std::string("SoapRdv2\x03\0\0\0abc", 15),
        std::string("SoapRdv2\x03\0\0", 11), std::string(1 << 16, 'x')}) {
    auto socket = connectTo({"127.0.0.1"}, root.port,
                            std::chrono::steady_clock::now() + patience);
    ASSERT_TRUE(bool(socket));
    socket->writeSome(text);
    strangers.push_back(std::move(*socket));
  }
  auto other = joins(optionsOf(1, 2, root.endpoint));
  Group group = root.group.get();
  ASSERT_TRUE(bool(group)) << group.error();
  EXPECT_TRUE(bool(other.get()));
  EXPECT_TRUE(contains(root.notes, "6 connections of strangers refused (6 from "
                                   "127.0.0.1)"))
      << root.notes;
}

TEST(Rendezvous, BadInput) {
  EXPECT_EQ(errorOf(rendezvous(optionsOf(0, 1, "nowhere"))),
            "rendezvous of rank 0: expected HOST:PORT or file:PATH, got "
            "'nowhere'");
  for (const char *endpoint :
       {"", ":1", "a:", "a:x", "a:-1", "a:65536", "file:"})
    EXPECT_TRUE(checkEndpoint(endpoint).has_value()) << endpoint;
  EXPECT_FALSE(checkEndpoint("host:0").has_value());
  EXPECT_EQ(errorOf(rendezvous(optionsOf(2, 2, "a:1"))),
            "rendezvous of rank 2: there is no such rank of 2");
  EXPECT_TRUE(contains(errorOf(rendezvous(optionsOf(1, 2, "a:0"))),
                       "only rank 0 can take a free port"));
  EXPECT_TRUE(contains(errorOf(rendezvous(optionsOf(0, 2, "file:/no/where"))),
                       "/no/where: cannot write: "));
}

/// A rank that goes away is told of where it is waited for.
TEST(Rendezvous, LostPeer) {
  Root root(2);
  auto other = joins(optionsOf(1, 2, root.endpoint));
  Group group = root.group.get();
  Group lost = other.get();
  ASSERT_TRUE(group && lost);
  lost->reset();
  char word = 0;
  auto error = (*group)->receive(1, Channel::Control, 7, &word, 1);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->message,
            "message 7 from rank 1: it has closed the connection");
}

} // namespace
