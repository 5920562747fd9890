//===- ScheduleRowsTest.cpp - Schedules in rows and back ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random pipelines are read as they were, their texts hardly grow with
// microbatches, and wrong columns are refused.
//
//===----------------------------------------------------------------------===//

#include "Plan/ScheduleRows.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>
#include <random>

using namespace soap;

namespace {

struct Pipeline {
  ScheduleColumns schedule;
  std::vector<SlotColumns> ranks;
};

/// A task of a made-up pipeline, before tasks are in order.
struct MadeTask {
  std::string name, kind;
  std::array<int64_t, 4> order; ///< start and key
  int64_t durationNs, shape, device, receiver, transfer, microbatch;
};

/// Stages one after the other, each of `ops` ops and a message to the next one;
/// `noise` numbers are drawn for starts.
Pipeline makePipeline(std::mt19937 &random, int64_t stages, int64_t ops,
                      int64_t microbatches, int64_t noise) {
  std::vector<MadeTask> tasks;
  std::vector<int64_t> durations;
  for (int64_t i = 0; i < ops; ++i)
    durations.push_back(1000 + static_cast<int64_t>(random() % 1000));
  for (int64_t m = 0; m < microbatches; ++m)
    for (int64_t stage = 0; stage < stages; ++stage) {
      int64_t begin = (m + stage) * 100000 +
                      (noise ? static_cast<int64_t>(random()) % noise : 0);
      for (int64_t op = 0; op < ops; ++op) {
        bool sends = op + 1 == ops && stage + 1 < stages;
        std::string name = "s" + std::to_string(stage) + ".op" +
                           std::to_string(op) +
                           (sends ? ":0>1#7." + std::to_string(m)
                                  : "[" + std::to_string(m) + "]");
        tasks.push_back({name,
                         sends ? "transfer" : "relu",
                         {begin, stage * ops + op, m, op % 2},
                         durations[static_cast<size_t>(op)],
                         sends ? -1 : op,
                         stage,
                         sends ? stage + 1 : -1,
                         sends ? stage * microbatches + m : -1,
                         m});
        begin += durations[static_cast<size_t>(op)];
      }
    }
  std::sort(tasks.begin(), tasks.end(),
            [](const auto &a, const auto &b) { return a.order < b.order; });
  Pipeline made;
  made.ranks.resize(static_cast<size_t>(stages));
  std::map<std::pair<int64_t, int64_t>, int64_t> before;
  for (const MadeTask &task : tasks) {
    auto place = static_cast<int64_t>(made.schedule.names.size());
    made.schedule.names.push_back(task.name);
    made.schedule.kinds.push_back(task.kind);
    made.schedule.startNs.push_back(task.order[0]);
    made.schedule.endNs.push_back(task.order[0] + task.durationNs);
    made.schedule.keys.insert(made.schedule.keys.end(), task.order.begin() + 1,
                              task.order.end());
    made.schedule.shapes.push_back(task.shape);
    made.schedule.registerBytes.push_back(std::max<int64_t>(task.shape, 0) *
                                          64);
    made.schedule.joins.push_back(task.shape == 1);
    // Passes wait for the pass before them.
    auto [wait, isNew] =
        before.try_emplace({task.device, task.order[1]}, place);
    if (!isNew) {
      made.schedule.waits.insert(made.schedule.waits.end(),
                                 {wait->second, place});
      wait->second = place;
    }
    auto add = [&](int64_t device, int64_t peer) {
      SlotColumns &slots = made.ranks[static_cast<size_t>(device)];
      // Two ops of a task, such as a copy and a message.
      for (int64_t op = 0; op < (task.shape == 0 ? 2 : 1); ++op) {
        slots.tasks.push_back(place);
        slots.peers.push_back(peer);
        slots.transfers.push_back(task.transfer);
        slots.collectives.push_back(-1);
      }
    };
    add(task.device, task.receiver);
    if (task.receiver >= 0)
      add(task.receiver, task.device);
  }
  return made;
}

ScheduleRows::TextOf textsOf(const TextColumns &columns) {
  return [&columns](const char *key) -> std::optional<std::string> {
    for (const auto &[name, text] : columns)
      if (std::string_view(name) == key)
        return text;
    return std::nullopt;
  };
}

Expected<ScheduleRows> parse(const ScheduleTexts &texts,
                             ScheduleLimits limits = {}) {
  return ScheduleRows::parse(texts.names, texts.kinds, textsOf(texts.schedule),
                             limits);
}

std::string &column(TextColumns &columns, std::string_view key) {
  for (auto &[name, text] : columns)
    if (key == name)
      return text;
  ADD_FAILURE() << key;
  return columns[0].second;
}

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs sortedPairs(const std::vector<int64_t> &numbers) {
  Pairs pairs;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    pairs.emplace_back(numbers[i], numbers[i + 1]);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

void expectRead(const Pipeline &made, const ScheduleTexts &texts) {
  auto rows = parse(texts);
  ASSERT_TRUE(rows) << rows.error();
  ScheduleColumns read = rows->columns();
  EXPECT_EQ(read.names, made.schedule.names);
  EXPECT_EQ(read.kinds, made.schedule.kinds);
  EXPECT_EQ(read.startNs, made.schedule.startNs);
  EXPECT_EQ(read.endNs, made.schedule.endNs);
  EXPECT_EQ(read.keys, made.schedule.keys);
  EXPECT_EQ(read.shapes, made.schedule.shapes);
  EXPECT_EQ(read.registerBytes, made.schedule.registerBytes);
  EXPECT_EQ(read.joins, made.schedule.joins);
  EXPECT_EQ(sortedPairs(read.waits), sortedPairs(made.schedule.waits));
  ASSERT_EQ(texts.ranks.size(), made.ranks.size());
  ScheduleLimits limits;
  for (size_t r = 0; r < made.ranks.size(); ++r) {
    auto slots = rows->parseRank(textsOf(texts.ranks[r]), limits);
    ASSERT_TRUE(slots) << slots.error();
    EXPECT_EQ(slots->tasks, made.ranks[r].tasks);
    EXPECT_EQ(slots->peers, made.ranks[r].peers);
    EXPECT_EQ(slots->transfers, made.ranks[r].transfers);
    EXPECT_EQ(slots->collectives, made.ranks[r].collectives);
  }
}

TEST(ScheduleRows, ReadsAsWritten) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    Pipeline made = makePipeline(
        random, 1 + random() % 4, 1 + random() % 6, 3 + random() % 12,
        random() % 2 ? 0 : 1 + static_cast<int64_t>(random() % 300000));
    auto texts = writeScheduleRows(made.schedule, made.ranks);
    ASSERT_TRUE(texts);
    ASSERT_NO_FATAL_FAILURE(expectRead(made, *texts));
  }
}

size_t charactersOf(const ScheduleTexts &texts) {
  size_t count = 0;
  for (size_t row = 0; row < texts.names.size(); ++row)
    count += texts.names[row].size() + texts.kinds[row].size();
  for (const auto &[key, text] : texts.schedule)
    count += text.size();
  for (const TextColumns &rank : texts.ranks)
    for (const auto &[key, text] : rank)
      count += text.size();
  return count;
}

TEST(ScheduleRows, DoesNotGrowWithMicrobatches) {
  std::mt19937 random(1);
  auto few = makePipeline(random, 4, 20, 4, 0);
  random.seed(1);
  auto many = makePipeline(random, 4, 20, 256, 0);
  auto fewTexts = writeScheduleRows(few.schedule, few.ranks),
       manyTexts = writeScheduleRows(many.schedule, many.ranks);
  ASSERT_TRUE(fewTexts && manyTexts);
  EXPECT_EQ(manyTexts->names.size(), 4u * 20);
  // By digits.
  EXPECT_LT(charactersOf(*manyTexts), charactersOf(*fewTexts) * 5 / 4);
}

TEST(ScheduleRows, WritesOnlyWhatItReads) {
  std::mt19937 random(1);
  const Pipeline good = makePipeline(random, 2, 3, 8, 0);
  auto isWritten = [&](auto change) {
    Pipeline made = good;
    change(made);
    return writeScheduleRows(made.schedule, made.ranks).has_value();
  };
  EXPECT_TRUE(isWritten([](Pipeline &) {}));
  EXPECT_FALSE(isWritten([](Pipeline &p) { p.schedule.names[0] = "a*[0]"; }));
  EXPECT_FALSE(isWritten([](Pipeline &p) { p.schedule.kinds.pop_back(); }));
  // Not in the order of times and keys, or of tasks.
  EXPECT_FALSE(isWritten([](Pipeline &p) { p.schedule.startNs[0] = 1 << 20; }));
  EXPECT_FALSE(isWritten([](Pipeline &p) {
    std::swap(p.ranks[0].tasks.front(), p.ranks[0].tasks.back());
  }));
  // Tasks that are all different.
  EXPECT_FALSE(isWritten([](Pipeline &p) {
    for (size_t i = 0; i < p.schedule.names.size(); ++i)
      p.schedule.names[i] = std::string(1 + i, 'a');
  }));
  // Numbers that digits do not say as they are stay text.
  Pipeline made = good;
  for (std::string &name : made.schedule.names)
    if (name == "s0.op0[1]")
      name = "s0.op0[01]";
  auto texts = writeScheduleRows(made.schedule, made.ranks);
  ASSERT_TRUE(texts);
  expectRead(made, *texts);
}

TEST(ScheduleRows, RefusesWrongColumns) {
  std::mt19937 random(1);
  Pipeline made = makePipeline(random, 2, 3, 8, 0);
  auto good = writeScheduleRows(made.schedule, made.ranks);
  ASSERT_TRUE(good);
  auto errorWith = [&](const char *key, const char *text) {
    ScheduleTexts texts = *good;
    column(texts.schedule, key) = text;
    auto rows = parse(texts);
    return rows ? "no error" : rows.error();
  };
  EXPECT_EQ(errorWith("counts", "8"), "'counts': expected 6 numbers, got 1");
  EXPECT_EQ(errorWith("counts", "8 4x1 0"),
            "'counts': expected numbers from 1 to 4194304, got 0");
  EXPECT_EQ(errorWith("counts", "4000000 5x1"),
            "'counts': expected at most 4194304 tasks");
  EXPECT_EQ(errorWith("counts", "8 4x1 9"),
            "'start_ns': expected 49 numbers, got 48");
  EXPECT_EQ(errorWith("durations_ns", "-1 5x1"),
            "'durations_ns': expected numbers from 0 to 4611686018427387903, "
            "got -1");
  EXPECT_EQ(errorWith("joins", "2 5x1"),
            "'joins': expected numbers from 0 to 1, got 2");
  EXPECT_EQ(errorWith("numbers", "0 3x1"),
            "'numbers': expected 56 numbers, got 4");
  EXPECT_EQ(errorWith("key_step", "0"),
            "'key_step': expected 48 numbers, got 1");
  EXPECT_EQ(errorWith("waits", "0 1 2"),
            "'waits': expected as many tasks that wait as tasks that are "
            "waited for, got 3 numbers");
  EXPECT_EQ(errorWith("waits", "0 48"),
            "'waits': expected numbers from 0 to 47, got 48");
  ScheduleTexts texts = *good;
  for (const char *key : {"start_ns", "key_block", "key_task", "key_step"})
    column(texts.schedule, key) = "5 47x1";
  EXPECT_EQ(parse(texts).error(),
            "expected tasks of different times or keys, got two that start at "
            "5 ns");
  texts = *good;
  texts.names[0] = "[*****]";
  EXPECT_EQ(parse(texts).error(),
            "'names': expected at most 4 stars, got '[*****]'");
  texts = *good;
  texts.kinds.pop_back();
  EXPECT_EQ(parse(texts).error(),
            "'kinds': expected 6 texts as in 'names', got 5");
  // A long name of many tasks.
  ScheduleLimits limits;
  limits.characters = 100;
  EXPECT_EQ(parse(*good, limits).error(),
            "'names': expected shorter names of so many tasks");
  texts = *good;
  texts.schedule.erase(texts.schedule.begin());
  EXPECT_EQ(parse(texts).error(),
            "expected a text of numbers 'counts', as 'counts' is one");
}

TEST(ScheduleRows, RefusesWrongSlots) {
  std::mt19937 random(1);
  Pipeline made = makePipeline(random, 2, 3, 8, 0);
  auto texts = writeScheduleRows(made.schedule, made.ranks);
  ASSERT_TRUE(texts);
  auto rows = parse(*texts);
  ASSERT_TRUE(rows) << rows.error();
  auto errorWith = [&](const char *key, const char *text,
                       ScheduleLimits limits = {}) {
    TextColumns columns = texts->ranks[0];
    column(columns, key) = text;
    auto slots = rows->parseRank(textsOf(columns), limits);
    return slots ? "no error" : slots.error();
  };
  EXPECT_EQ(errorWith("slots", "1"), "'slots': expected 6 numbers, got 1");
  EXPECT_EQ(errorWith("slots", "-1 5x1"),
            "'slots': expected numbers from 0 to 65536, got -1");
  ScheduleLimits limits;
  limits.slots = 40;
  EXPECT_EQ(errorWith("slots", "1 5x1", limits),
            "'slots': expected at most 40 slots");
  EXPECT_EQ(errorWith("peers", "-2 31x1"),
            "'peers': expected numbers from -1 to 9223372036854775807, got -2");
  EXPECT_EQ(errorWith("transfers", "-1"),
            "'transfers': expected 32 numbers, got 1");
}

} // namespace
