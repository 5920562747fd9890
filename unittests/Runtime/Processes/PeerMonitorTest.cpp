//===- PeerMonitorTest.cpp - Peers that die, fall silent or fail ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Monitors of several ranks within one process: what each learns of the others.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/PeerMonitor.h"

#include "gtest/gtest.h"

#include <arpa/inet.h>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;
using namespace std::chrono_literals;

namespace {

/// A monitor and what it has said.
struct Rank {
  std::mutex mutex;
  std::condition_variable changed;
  std::string lost;
  std::atomic<bool> wantsStop{false};
  /// Last, for its thread uses the others.
  std::unique_ptr<PeerMonitor> monitor;

  void create(int rank, int size, std::chrono::milliseconds silence) {
    PeerMonitorOptions options;
    options.silence = silence;
    options.onLost = [this](const std::string &message,
                            const std::vector<int> &) {
      std::lock_guard<std::mutex> lock(mutex);
      lost = message;
      changed.notify_all();
    };
    options.stopRequested = [this] { return wantsStop.load(); };
    auto made = PeerMonitor::create(rank, size, options);
    ASSERT_TRUE(made) << made.error();
    monitor = std::move(*made);
  }
  /// Waits for a loss; "" if none came for a long time.
  std::string waitForLoss() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait_for(lock, 20s, [&] { return !lost.empty(); });
    return lost;
  }
};

struct Ranks {
  std::vector<std::unique_ptr<Rank>> ranks;

  /// `silence` by rank.
  explicit Ranks(std::vector<std::chrono::milliseconds> silence) {
    std::vector<std::string> addresses;
    for (size_t i = 0; i < silence.size(); ++i) {
      ranks.push_back(std::make_unique<Rank>());
      ranks.back()->create(int(i), int(silence.size()), silence[i]);
      addresses.push_back(ranks.back()->monitor->address());
    }
    std::vector<std::thread> threads;
    for (auto &rank : ranks)
      threads.emplace_back([&] {
        MaybeError error = rank->monitor->connect(addresses);
        EXPECT_FALSE(error) << error->message;
      });
    for (std::thread &thread : threads)
      thread.join();
  }
  Rank &operator[](size_t i) { return *ranks[i]; }
};

TEST(PeerMonitor, NamesWhoHasDied) {
  Ranks ranks({60s, 60s, 60s, 60s});
  ranks[2].monitor.reset();
  for (size_t i : {0, 1, 3}) {
    std::string message = ranks[i].waitForLoss();
    EXPECT_EQ(message.find("rank 2 (process " + std::to_string(getpid())), 0u)
        << message;
    EXPECT_NE(message.find(" has died"), std::string::npos) << message;
  }
}

TEST(PeerMonitor, LetsPeersGoThatAreDone) {
  Ranks ranks({60s, 60s, 60s});
  ranks[1].monitor->done();
  ranks[1].monitor.reset();
  // A later death is noticed, so the end of rank 1 had been seen by then.
  ranks[0].monitor.reset();
  std::string message = ranks[2].waitForLoss();
  EXPECT_EQ(message.find("rank 0 ("), 0u) << message;
  EXPECT_EQ(message.find("rank 1 ("), std::string::npos) << message;
}

TEST(PeerMonitor, NamesWhoIsSilent) {
  // Rank 1 gives a sign of life every 500 ms, which is too rare for rank 0.
  Ranks ranks({100ms, 60s});
  std::string message = ranks[0].waitForLoss();
  EXPECT_EQ(message.find("rank 1 ("), 0u) << message;
  EXPECT_NE(message.find(" has given no sign of life for "), std::string::npos)
      << message;
  // A rank that hears why another one ends does not blame that one.
  EXPECT_EQ(ranks[1].waitForLoss(), message);
}

TEST(PeerMonitor, PassesFailuresOn) {
  Ranks ranks({60s, 60s, 60s});
  ranks[1].monitor->fail("rank 1 has no disk");
  ranks[1].monitor.reset();
  EXPECT_EQ(ranks[0].waitForLoss(), "rank 1 has no disk");
  EXPECT_EQ(ranks[2].waitForLoss(), "rank 1 has no disk");
}

TEST(PeerMonitor, TellsTheRootToStop) {
  Ranks ranks({60s, 60s, 60s});
  EXPECT_FALSE(ranks[0].monitor->stopRequested());
  ranks[2].wantsStop.store(true);
  for (int i = 0; i < 2000 && !ranks[0].monitor->stopRequested(); ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(ranks[0].monitor->stopRequested());
}

TEST(PeerMonitor, KnowsWhetherOthersOnlyWait) {
  Ranks ranks({1s, 1s, 1s});
  auto publish = [&](bool second, bool third) {
    ranks[1].monitor->publish(7, second);
    ranks[2].monitor->publish(9, third);
  };
  publish(true, true);
  auto silence = [&] { return ranks[0].monitor->silence(); };
  for (int i = 0; i < 2000 && silence() < 500ms; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_GE(silence(), 500ms);
  publish(true, false);
  for (int i = 0; i < 2000 && silence() > 400ms; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_LE(silence(), 400ms);
}

TEST(PeerMonitor, KnowsWhetherOthersGetOn) {
  Ranks ranks({1s, 1s});
  auto without = [&] { return ranks[0].monitor->withoutProgress(); };
  // Not waiting is no progress.
  ranks[1].monitor->publish(7, false);
  for (int i = 0; i < 2000 && without() < 500ms; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_GE(without(), 500ms);
  EXPECT_LE(ranks[0].monitor->silence(), 400ms);
  ranks[1].monitor->publish(8, false);
  for (int i = 0; i < 2000 && without() > 400ms; ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_LE(without(), 400ms);
}

/// A connection of another program to where a monitor listens.
int strangerAt(const std::string &monitorAddress) {
  std::istringstream words(monitorAddress);
  std::string pid, host, network;
  int port = 0;
  words >> pid >> host >> network >> port;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(uint16_t(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int stranger = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(stranger, reinterpret_cast<sockaddr *>(&address),
                    sizeof(address)),
            0);
  return stranger;
}

/// Strangers at every port, of which most say nothing: they are not waited for
/// one after the other.
TEST(PeerMonitor, DoesNotLetStrangersIn) {
  std::mutex mutex;
  std::string notes;
  std::vector<std::unique_ptr<PeerMonitor>> monitors;
  std::vector<std::string> addresses;
  std::vector<int> strangers;
  for (int rank = 0; rank < 4; ++rank) {
    PeerMonitorOptions options;
    options.connectTimeout = 60s;
    options.secret = "a secret of ours";
    options.note = [&](const std::string &text) {
      std::lock_guard<std::mutex> lock(mutex);
      notes += text + "\n";
    };
    auto made = PeerMonitor::create(rank, 4, options);
    ASSERT_TRUE(made) << made.error();
    monitors.push_back(std::move(*made));
    addresses.push_back(monitors.back()->address());
    for (int i = 0; i < 50; ++i) {
      strangers.push_back(strangerAt(addresses.back()));
      std::string noise(64, 'x');
      if (i % 5 == 0) {
        EXPECT_EQ(
            send(strangers.back(), noise.data(), noise.size(), MSG_NOSIGNAL),
            64);
      }
    }
  }
  std::vector<std::thread> threads;
  for (auto &monitor : monitors)
    threads.emplace_back([&] {
      MaybeError error = monitor->connect(addresses);
      EXPECT_FALSE(error) << error->message;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int stranger : strangers)
    close(stranger);
  EXPECT_NE(notes.find("monitor of rank 0: 50 connections of strangers refused "
                       "(50 from 127.0.0.1)"),
            std::string::npos)
      << notes;
}

/// A monitor of another run, or without the secret, is a stranger.
TEST(PeerMonitor, NeedsTheSecret) {
  std::vector<std::string> addresses;
  std::vector<std::unique_ptr<PeerMonitor>> monitors;
  for (const char *secret : {"a secret of ours", "another one"}) {
    PeerMonitorOptions options;
    options.connectTimeout = 500ms;
    options.secret = secret;
    monitors.push_back(
        std::move(*PeerMonitor::create(int(monitors.size()), 2, options)));
    addresses.push_back(monitors.back()->address());
  }
  std::string why;
  std::thread second([&] {
    MaybeError error = monitors[1]->connect(addresses);
    why = error ? error->message : "no error";
  });
  MaybeError error = monitors[0]->connect(addresses);
  second.join();
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("timed out; 1 connection of a stranger"),
            std::string::npos)
      << error->message;
  EXPECT_NE(why.find("it has another secret"), std::string::npos) << why;
}

TEST(PeerMonitor, SaysWhoDidNotCome) {
  PeerMonitorOptions options;
  options.connectTimeout = 200ms;
  auto first = PeerMonitor::create(0, 2, options);
  ASSERT_TRUE(first) << first.error();
  auto second = PeerMonitor::create(1, 2, options);
  ASSERT_TRUE(second) << second.error();
  MaybeError error =
      (*first)->connect({(*first)->address(), (*second)->address()});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message.find("no connection from rank 1 (process "), 0u)
      << error->message;
  error = (*first)->connect({(*first)->address(), "hello"});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, "'hello' is no address of a rank");
}

} // namespace
