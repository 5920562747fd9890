//===- NcclShimTest.cpp - The stand-in for NCCL itself --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Through the table of functions that the transport calls: what it moves, and
// what it does not let pass.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/NcclAbi.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

using namespace soap::runtime;

namespace {

class Shim : public testing::Test {
protected:
  const NcclAbi *nccl = nullptr;
  std::vector<NcclComm> comms;

  void SetUp() override {
    setenv("SOAP_NCCL", SOAP_NCCL_SHIM, 1);
    auto loaded = loadNccl();
    ASSERT_TRUE(loaded) << loaded.error();
    nccl = *loaded;
  }
  void TearDown() override {
    for (NcclComm comm : comms)
      nccl->ncclCommDestroy(comm);
  }

  void connect(int ranks) {
    NcclUniqueId id;
    ASSERT_EQ(nccl->ncclGetUniqueId(&id), ncclSuccess);
    comms.resize(size_t(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      ASSERT_EQ(nccl->ncclCommInitRank(&comms[size_t(rank)], ranks, id, rank),
                ncclSuccess);
  }

  /// The text that each rank's thread returns: "ok", or the library's error.
  std::vector<std::string> run(const std::vector<std::function<int()>> &ranks) {
    std::vector<std::string> texts(ranks.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < ranks.size(); ++i)
      threads.emplace_back([&, i] {
        int result = ranks[i]();
        texts[i] =
            result == ncclSuccess ? "ok" : nccl->ncclGetLastError(comms[i]);
      });
    for (std::thread &thread : threads)
      thread.join();
    return texts;
  }

  int send(int rank, const std::vector<int> &data, size_t count, int peer,
           int type = 2) {
    return nccl->ncclSend(data.data(), count, type, peer, comms[size_t(rank)],
                          nullptr);
  }
  int receive(int rank, std::vector<int> &data, size_t count, int peer,
              int type = 2) {
    return nccl->ncclRecv(data.data(), count, type, peer, comms[size_t(rank)],
                          nullptr);
  }
  using Texts = std::vector<std::string>;
};

TEST_F(Shim, MovesBytes) {
  connect(2);
  std::vector<int> a{1, 2, 3}, b(3);
  EXPECT_EQ(run({[&] { return send(0, a, 3, 1); },
                 [&] { return receive(1, b, 3, 0); }}),
            Texts(2, "ok"));
  EXPECT_EQ(a, b);
}

TEST_F(Shim, GroupsDoNotWait) {
  connect(2);
  std::vector<int> a{1, 2}, b{3, 4}, c(2), d(2);
  auto exchange = [&](int rank, std::vector<int> &from, std::vector<int> &to) {
    nccl->ncclGroupStart();
    int first = send(rank, from, 2, 1 - rank);
    int second = receive(rank, to, 2, 1 - rank);
    int end = nccl->ncclGroupEnd();
    return first ? first : second ? second : end;
  };
  EXPECT_EQ(run({[&] { return exchange(0, a, c); },
                 [&] { return exchange(1, b, d); }}),
            Texts(2, "ok"));
  EXPECT_EQ(c, b);
  EXPECT_EQ(d, a);
}

TEST_F(Shim, Counts) {
  connect(2);
  std::vector<int> a(4), b(4);
  EXPECT_EQ(run({[&] { return send(0, a, 3, 1); },
                 [&] { return receive(1, b, 4, 0); }}),
            Texts(2, "message from rank 0 to rank 1: 3 elements sent, 4 "
                     "expected"));
}

TEST_F(Shim, Types) {
  connect(2);
  std::vector<int> a(4), b(4);
  EXPECT_EQ(run({[&] { return send(0, a, 4, 1, 2); },
                 [&] { return receive(1, b, 4, 0, 7); }}),
            Texts(2, "message from rank 0 to rank 1: sent as type 2, received "
                     "as type 7"));
}

TEST_F(Shim, NobodyCanGoOn) {
  connect(2);
  std::vector<int> a(4), b(4);
  EXPECT_EQ(run({[&] { return receive(0, a, 4, 1); },
                 [&] { return receive(1, b, 4, 0); }}),
            Texts(2, "all ranks wait for messages that no rank gives"));
}

TEST_F(Shim, AbortWakes) {
  connect(2);
  std::vector<int> a(4);
  EXPECT_EQ(run({[&] { return receive(0, a, 4, 1); },
                 [&] { return nccl->ncclCommAbort(comms[1]); }})[0],
            "the communicator was aborted");
}

TEST_F(Shim, Arguments) {
  connect(2);
  std::vector<int> a(4);
  EXPECT_NE(send(0, a, 4, 0), ncclSuccess);
  EXPECT_STREQ(nccl->ncclGetLastError(comms[0]), "rank 0 has no peer 0");
  EXPECT_NE(send(0, a, 4, 1, 99), ncclSuccess);
  EXPECT_STREQ(nccl->ncclGetLastError(comms[0]), "no type has number 99");
  EXPECT_NE(nccl->ncclGroupEnd(), ncclSuccess);
  EXPECT_STREQ(nccl->ncclGetLastError(comms[0]),
               "a group ends that did not begin");
}

} // namespace
