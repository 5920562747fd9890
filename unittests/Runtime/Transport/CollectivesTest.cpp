//===- CollectivesTest.cpp - Operations of several devices ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind, on groups in any order, within a process, between processes and
// over a stand-in for NCCL: the same bits as sums in the order of the group.
// Then what does not fit.
//
//===----------------------------------------------------------------------===//

#include "Runtime/ThreadGroup.h"
#include "Runtime/Transport/NcclTransport.h"
#include "Runtime/Transport/Transport.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr int64_t devices = 5;

/// A collective of a group, with the elements that each member has, and what
/// each must get.
struct Case {
  CollectiveKind kind;
  int64_t number;
  std::vector<int64_t> group;
  int64_t root = -1;
  /// Or one number: the elements. Of an all-to-all, what any device gives to
  /// the device.
  std::vector<int64_t> pieces;
  std::vector<std::vector<float>> given, expected;
};

std::vector<float> sumOf(const Case &c, size_t begin, size_t count) {
  std::vector<float> sum(count);
  for (size_t i = 0; i < count; ++i) {
    sum[i] = c.given[0][begin + i];
    for (size_t p = 1; p < c.given.size(); ++p)
      sum[i] += c.given[p][begin + i];
  }
  return sum;
}

/// Numbers whose sums depend on their order.
std::vector<float> numbers(std::mt19937 &random, int64_t count) {
  std::vector<float> result;
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(normal(random) * float(1 << (random() % 12)));
  return result;
}

Case makeCase(std::mt19937 &random, CollectiveKind kind, int64_t number,
              const std::vector<int64_t> &group, bool equalPieces,
              bool hasRoot) {
  Case c{kind, number, group, -1, {}, {}, {}};
  size_t n = group.size();
  constexpr int64_t sizes[] = {1, 3, 100, 5000};
  int64_t size = sizes[random() % 4];
  bool scatters = kind == CollectiveKind::ReduceScatter;
  bool exchanges = kind == CollectiveKind::AllToAll && !hasRoot;
  if (scatters || exchanges || kind == CollectiveKind::AllGather)
    for (size_t p = 0; p < n; ++p)
      c.pieces.push_back(equalPieces ? size : size + int64_t(p));
  else
    c.pieces = {size};
  if (kind == CollectiveKind::Reduce || kind == CollectiveKind::Broadcast ||
      (kind == CollectiveKind::AllToAll && hasRoot))
    c.root = int64_t(random() % n);
  int64_t total = 0;
  for (int64_t piece : c.pieces)
    total += piece;
  for (size_t p = 0; p < n; ++p)
    c.given.push_back(numbers(
        random, kind == CollectiveKind::AllGather ? c.pieces[p] : total));
  size_t begin = 0;
  for (size_t p = 0; p < n; ++p) {
    std::vector<float> result;
    if (exchanges)
      for (const std::vector<float> &given : c.given)
        result.insert(result.end(), given.begin() + ptrdiff_t(begin),
                      given.begin() + ptrdiff_t(begin) + c.pieces[p]);
    else if (kind == CollectiveKind::AllReduce ||
             (kind == CollectiveKind::Reduce && int64_t(p) == c.root))
      result = sumOf(c, 0, size_t(total));
    else if (scatters)
      result = sumOf(c, begin, size_t(c.pieces[p]));
    else if (kind == CollectiveKind::AllGather ||
             (kind == CollectiveKind::AllToAll && int64_t(p) == c.root))
      for (const std::vector<float> &piece : c.given)
        result.insert(result.end(), piece.begin(), piece.end());
    else if (kind == CollectiveKind::Broadcast && int64_t(p) != c.root)
      result = c.given[size_t(c.root)];
    c.expected.push_back(result);
    if (scatters || exchanges)
      begin += size_t(c.pieces[p]);
  }
  return c;
}

/// One member's part: the call, and what it got.
struct Part {
  Collective call;
  std::vector<float> given, got;

  Part(const Case &c, size_t p, bool contiguous)
      : given(c.given[p]), got(c.expected[p].size(), -1) {
    call.kind = c.kind;
    call.number = c.number;
    call.group = &c.group;
    call.root = c.root;
    call.place = int64_t(p);
    call.elementType = SOAP_F32;
    bool exchanges = call.isAllToAll();
    bool inPlace = c.kind == CollectiveKind::AllReduce ||
                   (c.kind == CollectiveKind::Reduce && call.isRoot());
    if (inPlace)
      got = given;
    auto add = [&](std::vector<void *> &buffers, std::vector<int64_t> &counts,
                   std::vector<float> &data, bool byPiece) {
      if (data.empty())
        return;
      if (!byPiece || contiguous) {
        buffers = {data.data()};
        counts = {int64_t(data.size())};
        return;
      }
      float *at = data.data();
      for (int64_t piece : &data == &got && exchanges
                               ? std::vector(c.pieces.size(), c.pieces[p])
                               : c.pieces) {
        buffers.push_back(at);
        counts.push_back(piece);
        at += piece;
      }
    };
    bool gives =
        !inPlace && !(c.kind == CollectiveKind::Broadcast && !call.isRoot());
    if (gives)
      add(call.inputs, call.inputCounts, given,
          c.kind == CollectiveKind::ReduceScatter || exchanges);
    add(call.outputs, call.outputCounts, got,
        c.kind == CollectiveKind::AllGather || exchanges);
    if (contiguous || c.kind == CollectiveKind::AllToAll)
      call.splitPieces();
  }
};

std::vector<Case> makeCases(unsigned seed, bool sorted) {
  std::mt19937 random(seed);
  std::vector<std::vector<int64_t>> groups = {
      {0, 1, 2, 3, 4}, {3, 1, 4}, {0, 2}};
  if (sorted)
    groups[1] = {1, 3, 4};
  std::vector<Case> cases;
  for (int i = 0; i < 42; ++i)
    cases.push_back(makeCase(
        random,
        std::vector{CollectiveKind::AllReduce, CollectiveKind::Reduce,
                    CollectiveKind::ReduceScatter, CollectiveKind::AllGather,
                    CollectiveKind::AllToAll, CollectiveKind::Broadcast,
                    CollectiveKind::AllToAll}[size_t(i % 7)],
        i, groups[random() % 3], random() % 2, i % 7 == 4));
  return cases;
}

/// Runs all cases on the devices of a placement, a thread each.
void runCases(Transport &transport, const Placement &placement,
              const std::vector<Case> &cases) {
  for (int64_t iteration = 0; iteration < 2; ++iteration) {
    transport.start(iteration);
    std::vector<std::thread> threads;
    for (int64_t device : placement.devicesHere())
      threads.emplace_back([&, device] {
        for (const Case &c : cases) {
          auto place = std::find(c.group.begin(), c.group.end(), device);
          if (place == c.group.end())
            continue;
          auto p = size_t(place - c.group.begin());
          bool equal =
              std::all_of(c.pieces.begin(), c.pieces.end(),
                          [&](int64_t piece) { return piece == c.pieces[0]; });
          Part part(c, p, c.pieces.size() > 1 && equal && c.number % 2 == 0);
          EXPECT_EQ(part.call.check(), "");
          MaybeError error = transport.collective(part.call);
          EXPECT_FALSE(error) << error->message;
          if (error)
            return;
          EXPECT_EQ(part.got, c.expected[p])
              << part.call.describe() << " on device " << device;
        }
        MaybeError error = transport.ended(device);
        EXPECT_FALSE(error) << error->message;
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_FALSE(transport.finish());
  }
}

TEST(Collectives, WithinAProcess) {
  Placement placement{nullptr, devices};
  std::vector<Case> cases = makeCases(1, false);
  auto transport = makeTransport(placement, 0, int64_t(cases.size()));
  runCases(*transport, placement, cases);
}

TEST(Collectives, BetweenProcesses) {
  std::vector<Case> cases = makeCases(2, false);
  for (int size : {2, 3, 5}) {
    auto mail = std::make_shared<ThreadMail>();
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < size; ++rank)
      ranks.emplace_back([&, rank] {
        ThreadGroup group(mail, rank, size);
        Placement placement{&group, devices};
        auto transport = makeTransport(placement, 7, int64_t(cases.size()));
        runCases(*transport, placement, cases);
      });
    for (std::thread &rank : ranks)
      rank.join();
  }
}

TEST(Collectives, OverNccl) {
  setenv("SOAP_NCCL", SOAP_NCCL_SHIM, 1);
  // NCCL's ranks are in the order of the devices, and so the sums.
  std::vector<Case> cases = makeCases(3, true);
  std::vector<std::vector<int64_t>> groups;
  for (const Case &c : cases)
    groups.push_back(c.group);
  Placement placement{nullptr, devices};
  auto world = NcclWorld::create(placement, nullptr, groups);
  ASSERT_TRUE(world) << world.error();
  auto transport = (*world)->transport();
  runCases(*transport, placement, cases);
}

/// The errors of two devices for their calls.
std::vector<std::string> failures(Transport &transport,
                                  std::vector<Collective> calls) {
  std::vector<std::string> texts(calls.size());
  std::vector<std::thread> threads;
  transport.start(0);
  for (size_t i = 0; i < calls.size(); ++i)
    threads.emplace_back([&, i] {
      MaybeError error = transport.collective(calls[i]);
      if (!error)
        error = transport.ended(calls[i].me());
      texts[i] = error ? error->message : "ok";
      if (error)
        transport.abort();
    });
  for (std::thread &thread : threads)
    thread.join();
  return texts;
}

class BadCollectives : public testing::TestWithParam<bool> {
protected:
  const std::vector<int64_t> group = {0, 1};
  float data[2][4] = {};
  std::shared_ptr<NcclWorld> world;
  std::unique_ptr<Transport> transport;

  void SetUp() override {
    if (!GetParam()) {
      transport = makeLocalTransport(2, 0, 2);
      return;
    }
    setenv("SOAP_NCCL", SOAP_NCCL_SHIM, 1);
    auto made = NcclWorld::create({nullptr, 2}, nullptr, {group});
    ASSERT_TRUE(made) << made.error();
    world = *made;
    transport = world->transport();
  }

  Collective allReduce(int64_t place) {
    Collective call;
    call.group = &group;
    call.place = place;
    call.elementType = SOAP_F32;
    call.outputs = {data[place]};
    call.outputCounts = {4};
    return call;
  }

  void expectFailure(const Collective &a, const Collective &b,
                     const std::string &first, const std::string &second) {
    std::vector<std::string> texts = failures(*transport, {a, b});
    EXPECT_TRUE(texts[0] == first || texts[1] == second) << texts[0] << "\n"
                                                         << texts[1];
  }
};

TEST_P(BadCollectives, Counts) {
  Collective other = allReduce(1);
  other.outputCounts = {3};
  expectFailure(allReduce(0), other,
                "all-reduce 0 of 2 devices: 3 elements on device 1 and 4 on "
                "device 0",
                "all-reduce 0 of 2 devices: 4 elements on device 0 and 3 on "
                "device 1");
}

TEST_P(BadCollectives, Types) {
  Collective other = allReduce(1);
  other.elementType = SOAP_F64;
  other.outputCounts = {2};
  expectFailure(allReduce(0), other,
                "all-reduce 0 of 2 devices: elements have type 2 on device 1 "
                "and type 1 on device 0",
                "all-reduce 0 of 2 devices: elements have type 1 on device 0 "
                "and type 2 on device 1");
}

TEST_P(BadCollectives, Kinds) {
  Collective other = allReduce(1);
  other.kind = CollectiveKind::Broadcast;
  other.root = 0;
  expectFailure(allReduce(0), other,
                "broadcast 0 of 2 devices: on device 0 it is all-reduce",
                "all-reduce 0 of 2 devices: on device 1 it is broadcast");
}

TEST_P(BadCollectives, Pieces) {
  auto allToAll = [&](int64_t place, int64_t theirs) {
    Collective call = allReduce(place);
    call.kind = CollectiveKind::AllToAll;
    call.inputs = call.outputs = {data[place], data[place]};
    call.inputCounts = call.outputCounts = {1, 1};
    call.outputCounts[size_t(1 - place)] = theirs;
    return call;
  };
  std::string expected = "all-to-all 0 of 2 devices: device 1 expects 2 "
                         "elements of device 0, which gives 1";
  expectFailure(allToAll(0, 1), allToAll(1, 2), expected, expected);
}

INSTANTIATE_TEST_SUITE_P(Transports, BadCollectives, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Nccl" : "Local";
                         });

TEST_P(BadCollectives, Order) {
  if (!GetParam())
    GTEST_SKIP() << "within a process collectives are found by their number";
  Collective other = allReduce(1);
  other.number = 1;
  expectFailure(allReduce(0), other,
                "collectives of a group are in another order on device 1 and "
                "device 0: all-reduce 1 of 2 devices meets all-reduce 0 of 2 "
                "devices",
                "collectives of a group are in another order on device 0 and "
                "device 1: all-reduce 0 of 2 devices meets all-reduce 1 of 2 "
                "devices");
}

TEST_P(BadCollectives, NobodyComes) {
  if (!GetParam())
    GTEST_SKIP() << "the launcher's watchdog ends it";
  transport->start(0);
  std::string first, second;
  std::thread waiting([&] {
    MaybeError error = transport->collective(allReduce(0));
    first = error ? error->message : "ok";
    transport->abort();
  });
  MaybeError error = transport->ended(1);
  second = error ? error->message : "ok";
  if (error)
    transport->abort();
  waiting.join();
  std::string expected = "all-reduce 0 of 2 devices: device 1 never takes "
                         "part: no device can go on";
  EXPECT_TRUE(first == expected || second == expected) << first << second;
}

TEST(Collective, ChecksItsBuffers) {
  const std::vector<int64_t> group = {4, 7};
  float data[4] = {};
  Collective call;
  call.group = &group;
  call.elementType = SOAP_F32;
  call.kind = CollectiveKind::AllGather;
  call.inputs = {data};
  call.inputCounts = {2};
  call.outputs = {data, data};
  call.outputCounts = {3, 1};
  EXPECT_EQ(call.check(), "all-gather 0 of 2 devices: expected an input of 3 "
                          "elements, got 2");
  call.kind = CollectiveKind::AllReduce;
  EXPECT_EQ(call.check(), "all-reduce 0 of 2 devices: expected 0 inputs and 1 "
                          "outputs, got 1 and 2");
  call.inputs.clear();
  call.outputs = {data};
  EXPECT_EQ(call.check(), "");
  Collective pieces = call;
  pieces.kind = CollectiveKind::AllToAll;
  EXPECT_EQ(pieces.check(),
            "all-to-all 0 of 2 devices: expected 2 inputs and 2 "
            "outputs, got 0 and 1");
  pieces.inputs = pieces.outputs = {data, data};
  pieces.inputCounts = {2, 1};
  pieces.outputCounts = {3, 1};
  EXPECT_EQ(pieces.check(), "all-to-all 0 of 2 devices: the device's own piece "
                            "has 2 elements as input and 3 as output");
  call.elementType = SOAP_BYTES;
  EXPECT_EQ(call.check(),
            "all-reduce 0 of 2 devices: expected elements of f32, "
            "f64, f16 or bf16, got bytes");
}

} // namespace
