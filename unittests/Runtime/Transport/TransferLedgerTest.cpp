//===- TransferLedgerTest.cpp - Matching messages and others --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/TransferLedger.h"

#include "gtest/gtest.h"

#include <chrono>
#include <future>

using namespace soap;
using namespace soap::runtime;

namespace {

Envelope message(int64_t from, int64_t to, int64_t transfer) {
  return {from, to, transfer};
}

std::string text(const MaybeError &error) {
  return error ? error->message : "no error";
}

class Ledger : public testing::Test {
protected:
  TransferLedger ledger{3, {0, 1, 2}};
};

TEST_F(Ledger, MatchesInOrder) {
  EXPECT_FALSE(ledger.give(true, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.give(true, message(0, 1, 5), 16));
  EXPECT_FALSE(ledger.give(false, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.give(false, message(0, 1, 5), 16));
  for (int64_t device : {0, 1, 2})
    EXPECT_FALSE(ledger.ended(device));
}

TEST_F(Ledger, ReceivesMayComeFirst) {
  EXPECT_FALSE(ledger.give(false, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.waits(1));
  EXPECT_FALSE(ledger.ended(2));
  EXPECT_FALSE(ledger.give(true, message(0, 1, 4), 8));
  // Device 1 waits for a message that has come: it goes on.
  EXPECT_FALSE(ledger.ended(0));
  ledger.resumes(1);
  EXPECT_FALSE(ledger.ended(1));
}

TEST_F(Ledger, AnotherOrder) {
  EXPECT_FALSE(ledger.give(true, message(0, 1, 5), 8));
  EXPECT_EQ(text(ledger.give(false, message(0, 1, 4), 8)),
            "messages from device 0 to device 1 are in another order on the "
            "two: sent is transfer 5, expected transfer 4");
}

TEST_F(Ledger, AnotherSize) {
  EXPECT_FALSE(ledger.give(false, message(2, 1, 4), 8));
  EXPECT_EQ(text(ledger.give(true, message(2, 1, 4), 12)),
            "transfer 4 from device 2 to device 1: expected 8 bytes, got 12");
}

TEST_F(Ledger, MissingSend) {
  EXPECT_FALSE(ledger.ended(0));
  EXPECT_FALSE(ledger.give(false, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.waits(1));
  EXPECT_EQ(text(ledger.ended(2)), "transfer 4 from device 0 to device 1 was "
                                   "never sent: no device can go on");
}

TEST_F(Ledger, MissingReceive) {
  EXPECT_FALSE(ledger.give(true, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.ended(0));
  EXPECT_FALSE(ledger.ended(1));
  EXPECT_EQ(text(ledger.ended(2)), "transfer 4 from device 0 to device 1 was "
                                   "never received: no device can go on");
}

TEST_F(Ledger, AllWaitForEachOther) {
  EXPECT_FALSE(ledger.give(false, message(1, 0, 1), 8));
  EXPECT_FALSE(ledger.waits(0));
  EXPECT_FALSE(ledger.give(false, message(2, 1, 2), 8));
  EXPECT_FALSE(ledger.waits(1));
  EXPECT_FALSE(ledger.give(false, message(0, 2, 3), 8));
  EXPECT_EQ(text(ledger.waits(2)), "transfer 3 from device 0 to device 2 was "
                                   "never sent: no device can go on");
}

TEST_F(Ledger, IterationsAreApart) {
  EXPECT_FALSE(ledger.give(true, message(0, 1, 5), 8));
  ledger.start();
  EXPECT_FALSE(ledger.give(false, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.give(true, message(0, 1, 4), 8));
}

TEST_F(Ledger, DevicesThatAreNot) {
  EXPECT_EQ(text(ledger.give(true, message(0, 3, 5), 8)),
            "transfer 5 from device 0 to device 3 does not exist");
  EXPECT_EQ(text(ledger.give(true, message(1, 1, 5), 8)),
            "transfer 5 from device 1 to device 1 does not exist");
}

/// The state of devices of other processes is not known.
TEST(LedgerOfSome, NothingIsSaidOfOthers) {
  TransferLedger ledger(3, {0, 1});
  EXPECT_FALSE(ledger.give(false, message(2, 1, 4), 8));
  EXPECT_FALSE(ledger.waits(1));
  EXPECT_FALSE(ledger.ended(0));
  ledger.resumes(1);
  EXPECT_FALSE(ledger.ended(1));
}

/// A device waits until the other sides of all that it has given are there,
/// whichever came first, or until all stop.
TEST_F(Ledger, DevicesMeet) {
  auto meets = [&](int64_t device) {
    return std::async(std::launch::async,
                      [this, device] { return ledger.meet(device); });
  };
  constexpr auto soon = std::chrono::milliseconds(30);
  EXPECT_TRUE(ledger.meet(0)); // has given nothing
  EXPECT_FALSE(ledger.give(true, message(0, 1, 4), 8));
  EXPECT_FALSE(ledger.give(true, message(0, 2, 5), 8));
  auto met = meets(0);
  EXPECT_FALSE(ledger.give(false, message(0, 1, 4), 8));
  EXPECT_TRUE(ledger.meet(1));
  EXPECT_EQ(met.wait_for(soon), std::future_status::timeout);
  EXPECT_FALSE(ledger.give(false, message(0, 2, 5), 8));
  EXPECT_TRUE(met.get());
  EXPECT_FALSE(ledger.give(false, message(2, 1, 6), 8));
  auto alone = meets(1);
  EXPECT_EQ(alone.wait_for(soon), std::future_status::timeout);
  ledger.stop();
  EXPECT_FALSE(alone.get());
}

} // namespace
