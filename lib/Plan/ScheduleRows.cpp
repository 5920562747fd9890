//===- ScheduleRows.cpp - Tasks of a schedule that are alike --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ScheduleRows.h. Columns are by row, or by task row after row. The columns
// of a device are by row, then by op of a task, then by task of the row.
//
//===----------------------------------------------------------------------===//

#include "Plan/ScheduleRows.h"

#include "Support/NumberSequence.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

using namespace soap;

namespace {

constexpr const char *keyColumns[] = {"key_block", "key_task", "key_step"};
constexpr int64_t maxNumber = std::numeric_limits<int64_t>::max();
/// Times whose sums have 64 bits.
constexpr int64_t maxTimeNs = maxNumber / 2;
/// Of the name of a task: three numbers of a key, and one.
constexpr size_t maxStars = 4;
/// Ops of one task on one device.
constexpr int64_t maxSlotsOfTask = 1 << 16;

size_t starsOf(const std::string &name) {
  return static_cast<size_t>(std::count(name.begin(), name.end(), '*'));
}

/// Slots of a device in the order of its columns. `firstTask` and `counts` are
/// by row, `slots` the ops of each task of a row, `places` by task.
std::vector<size_t> slotOrder(const std::vector<size_t> &firstTask,
                              const std::vector<int64_t> &counts,
                              const std::vector<size_t> &places,
                              const std::vector<int64_t> &slots) {
  std::vector<size_t> first(places.size() + 1);
  for (size_t row = 0; row < counts.size(); ++row)
    for (size_t k = 0; k < static_cast<size_t>(counts[row]); ++k)
      first[places[firstTask[row] + k] + 1] = static_cast<size_t>(slots[row]);
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<size_t> order;
  order.reserve(first.back());
  for (size_t row = 0; row < counts.size(); ++row)
    for (size_t op = 0; op < static_cast<size_t>(slots[row]); ++op)
      for (size_t k = 0; k < static_cast<size_t>(counts[row]); ++k)
        order.push_back(first[places[firstTask[row] + k]] + op);
  assert(order.size() == first.back() && "every slot once");
  return order;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A name with stars for the numbers behind its last '[' or '#', which say
/// which shard or which message of a value it is.
std::string splitName(const std::string &name, std::vector<int64_t> &numbers) {
  size_t at = name.find_last_of("[#");
  if (at == std::string::npos)
    return name;
  std::string pattern = name.substr(0, at);
  while (at < name.size()) {
    size_t end = at;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9')
      ++end;
    constexpr size_t maxDigits = 18;
    bool isNumber = end > at && end - at <= maxDigits &&
                    (name[at] != '0' || end == at + 1) &&
                    numbers.size() < maxStars;
    if (isNumber) {
      numbers.push_back(std::stoll(name.substr(at, end - at)));
      pattern += '*';
    } else {
      end = std::max(end, at + 1);
      pattern.append(name, at, end - at);
    }
    at = end;
  }
  return pattern;
}

class Writer {
public:
  Writer(const ScheduleColumns &schedule, const std::vector<SlotColumns> &ranks)
      : schedule(schedule), ranks(ranks), count(schedule.names.size()) {}

  std::optional<ScheduleTexts> run() {
    if (!isComplete() || isTooLarge() || !isInOrder() || !findRows() ||
        count < 3 * rows.size())
      return std::nullopt;
    ScheduleTexts texts;
    writeSchedule(texts);
    for (size_t rank = 0; rank < ranks.size(); ++rank)
      texts.ranks.push_back(rankText(rank));
    return texts;
  }

private:
  const ScheduleColumns &schedule;
  const std::vector<SlotColumns> &ranks;
  size_t count;
  /// Places of the tasks of each row, in order.
  std::vector<std::vector<size_t>> rows;
  /// By row: the name with stars.
  std::vector<std::string> patterns;
  /// By task: numbers of its name; rank and number of its ops there.
  std::vector<std::vector<int64_t>> numbers;
  std::vector<std::vector<std::pair<size_t, int64_t>>> ops;

  bool isComplete() const {
    for (const std::vector<int64_t> *column :
         {&schedule.startNs, &schedule.endNs, &schedule.shapes,
          &schedule.registerBytes, &schedule.joins})
      if (column->size() != count)
        return false;
    for (const SlotColumns &rank : ranks)
      for (const std::vector<int64_t> *column :
           {&rank.peers, &rank.transfers, &rank.collectives})
        if (column->size() != rank.tasks.size())
          return false;
    for (int64_t place : schedule.waits)
      if (place < 0 || place >= static_cast<int64_t>(count))
        return false;
    return schedule.kinds.size() == count && schedule.keys.size() == 3 * count;
  }

  /// Modules have a few schedules, which share the limits.
  bool isTooLarge() const {
    ScheduleLimits limits;
    size_t slots = 0, characters = 0;
    for (const SlotColumns &rank : ranks)
      slots += rank.tasks.size();
    for (size_t place = 0; place < count; ++place)
      characters += schedule.names[place].size() + schedule.kinds[place].size();
    return count > static_cast<size_t>(limits.tasks / 4) ||
           slots > static_cast<size_t>(limits.slots / 4) ||
           characters > static_cast<size_t>(limits.characters / 16);
  }

  std::array<int64_t, 4> orderOf(size_t place) const {
    return {schedule.startNs[place], schedule.keys[3 * place],
            schedule.keys[3 * place + 1], schedule.keys[3 * place + 2]};
  }

  bool isInOrder() const {
    for (size_t place = 0; place < count; ++place)
      if (schedule.startNs[place] < 0 ||
          schedule.endNs[place] < schedule.startNs[place] ||
          schedule.endNs[place] > maxTimeNs ||
          (place > 0 && orderOf(place - 1) >= orderOf(place)))
        return false;
    return true;
  }

  /// Tasks of a row have all in common except times and numbers.
  bool findRows() {
    ops.resize(count);
    for (size_t r = 0; r < ranks.size(); ++r) {
      int64_t before = 0;
      for (int64_t task : ranks[r].tasks) {
        if (task < before || task >= static_cast<int64_t>(count))
          return false;
        before = task;
        auto &at = ops[static_cast<size_t>(task)];
        if (at.empty() || at.back().first != r)
          at.emplace_back(r, 0);
        if (++at.back().second > maxSlotsOfTask)
          return false;
      }
    }
    numbers.resize(count);
    using Alike = std::tuple<std::string, std::string, std::array<int64_t, 4>,
                             std::vector<std::pair<size_t, int64_t>>>;
    std::map<Alike, size_t> known;
    for (size_t place = 0; place < count; ++place) {
      if (schedule.names[place].find('*') != std::string::npos)
        return false;
      std::string pattern = splitName(schedule.names[place], numbers[place]);
      auto [row, isNew] = known.try_emplace(
          Alike(pattern, schedule.kinds[place],
                {schedule.endNs[place] - schedule.startNs[place],
                 schedule.shapes[place], schedule.registerBytes[place],
                 schedule.joins[place]},
                ops[place]),
          rows.size());
      if (isNew) {
        rows.emplace_back();
        patterns.push_back(pattern);
      }
      rows[row->second].push_back(place);
    }
    return true;
  }

  template <typename ValueOf>
  std::string rowColumn(const ValueOf &valueOf) const {
    std::vector<int64_t> values;
    for (const std::vector<size_t> &row : rows)
      values.push_back(static_cast<int64_t>(valueOf(row)));
    return printSequence(values);
  }

  template <typename ValueOf>
  std::string taskColumn(const ValueOf &valueOf) const {
    std::vector<int64_t> values;
    for (const std::vector<size_t> &row : rows)
      for (size_t place : row)
        values.push_back(valueOf(place));
    return printSequence(values);
  }

  std::string numberColumn() const {
    std::vector<int64_t> values;
    for (const std::vector<size_t> &row : rows)
      for (size_t star = 0; star < numbers[row[0]].size(); ++star)
        for (size_t place : row)
          values.push_back(numbers[place][star]);
    return printSequence(values);
  }

  std::string waitColumn() const {
    std::vector<int64_t> taskAt(count);
    int64_t next = 0;
    for (const std::vector<size_t> &row : rows)
      for (size_t place : row)
        taskAt[place] = next++;
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (size_t i = 0; i + 1 < schedule.waits.size(); i += 2)
      pairs.emplace_back(taskAt[static_cast<size_t>(schedule.waits[i])],
                         taskAt[static_cast<size_t>(schedule.waits[i + 1])]);
    std::sort(pairs.begin(), pairs.end());
    std::vector<int64_t> values;
    for (auto [before, task] : pairs)
      values.push_back(before);
    for (auto [before, task] : pairs)
      values.push_back(task);
    return printSequence(values);
  }

  void writeSchedule(ScheduleTexts &texts) const {
    texts.names = patterns;
    for (const std::vector<size_t> &row : rows)
      texts.kinds.push_back(schedule.kinds[row[0]]);
    auto ofFirst = [](const std::vector<int64_t> &column) {
      return
          [&column](const std::vector<size_t> &row) { return column[row[0]]; };
    };
    auto size = [](const std::vector<size_t> &row) { return row.size(); };
    auto duration = [&](const std::vector<size_t> &row) {
      return schedule.endNs[row[0]] - schedule.startNs[row[0]];
    };
    texts.schedule = {
        {"counts", rowColumn(size)},
        {"durations_ns", rowColumn(duration)},
        {"shape", rowColumn(ofFirst(schedule.shapes))},
        {"register_bytes", rowColumn(ofFirst(schedule.registerBytes))},
        {"joins", rowColumn(ofFirst(schedule.joins))},
        {"start_ns",
         taskColumn([&](size_t place) { return schedule.startNs[place]; })},
        {"numbers", numberColumn()},
        {"waits", waitColumn()}};
    for (size_t i = 0; i < 3; ++i)
      texts.schedule.emplace_back(keyColumns[i], taskColumn([&](size_t place) {
                                    return schedule.keys[3 * place + i];
                                  }));
  }

  TextColumns rankText(size_t rank) const {
    std::vector<int64_t> counts, slots;
    std::vector<size_t> firstTask, places;
    for (const std::vector<size_t> &row : rows) {
      counts.push_back(static_cast<int64_t>(row.size()));
      firstTask.push_back(places.size());
      places.insert(places.end(), row.begin(), row.end());
      slots.push_back(0);
      for (auto [r, opCount] : ops[row[0]])
        if (r == rank)
          slots.back() = opCount;
    }
    std::vector<size_t> order = slotOrder(firstTask, counts, places, slots);
    auto column = [&](const std::vector<int64_t> &bySlot) {
      std::vector<int64_t> values;
      for (size_t slot : order)
        values.push_back(bySlot[slot]);
      return printSequence(values);
    };
    return {{"slots", printSequence(slots)},
            {"peers", column(ranks[rank].peers)},
            {"transfers", column(ranks[rank].transfers)},
            {"collectives", column(ranks[rank].collectives)}};
  }
};

} // namespace

std::optional<ScheduleTexts>
soap::writeScheduleRows(const ScheduleColumns &schedule,
                        const std::vector<SlotColumns> &ranks) {
  return Writer(schedule, ranks).run();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace soap {

class ScheduleRowsReader {
public:
  ScheduleRowsReader(ScheduleRows &rows, const ScheduleRows::TextOf &textOf)
      : rows(rows), textOf(textOf) {}

  MaybeError run(ScheduleLimits &limits) {
    size_t rowCount = rows.names.size();
    if (rows.kinds.size() != rowCount)
      return Error{"'kinds': expected " + std::to_string(rowCount) +
                   " texts as in 'names', got " +
                   std::to_string(rows.kinds.size())};
    if (MaybeError error =
            read("counts", rowCount, 1, limits.tasks, rows.counts))
      return error;
    size_t taskCount = 0, numberCount = 0;
    for (size_t row = 0; row < rowCount; ++row) {
      rows.firstTask.push_back(taskCount);
      auto count = static_cast<size_t>(rows.counts[row]);
      taskCount += count;
      if (taskCount > static_cast<size_t>(limits.tasks))
        return Error{"'counts': expected at most " +
                     std::to_string(limits.tasks) + " tasks"};
      size_t stars = starsOf(rows.names[row]);
      if (stars > maxStars)
        return Error{"'names': expected at most " + std::to_string(maxStars) +
                     " stars, got '" + rows.names[row] + "'"};
      numberCount += stars * count;
      if (!limits.takeTexts(rows.counts[row],
                            rows.names[row].size() + rows.kinds[row].size()))
        return Error{"'names': expected shorter names of so many tasks"};
    }
    limits.tasks -= static_cast<int64_t>(taskCount);
    if (MaybeError error =
            read("durations_ns", rowCount, 0, maxTimeNs, rows.durations))
      return error;
    if (MaybeError error =
            readIfThere("shape", rowCount, -1, maxNumber, rows.shapes))
      return error;
    if (MaybeError error = readIfThere("register_bytes", rowCount, 0, maxNumber,
                                       rows.registerBytes))
      return error;
    if (MaybeError error = readIfThere("joins", rowCount, 0, 1, rows.joins))
      return error;
    if (MaybeError error =
            read("start_ns", taskCount, 0, maxTimeNs, rows.starts))
      return error;
    if (MaybeError error =
            read("numbers", numberCount, 0, maxNumber, rows.numbers))
      return error;
    for (size_t i = 0; i < 3; ++i)
      if (MaybeError error = read(keyColumns[i], taskCount,
                                  std::numeric_limits<int64_t>::min(),
                                  maxNumber, rows.keys[i]))
        return error;
    if (MaybeError error = readWaits(taskCount))
      return error;
    return orderTasks(taskCount);
  }

  MaybeError read(const char *key, size_t count, int64_t low, int64_t high,
                  std::vector<int64_t> &column) const {
    std::optional<std::string> text = textOf(key);
    if (!text)
      return Error{"expected a text of numbers '" + std::string(key) +
                   "', as 'counts' is one"};
    auto parsed = parseSequence(*text, count, low, high);
    if (!parsed)
      return Error{"'" + std::string(key) + "': " + parsed.error()};
    column = std::move(*parsed);
    return std::nullopt;
  }

  MaybeError readIfThere(const char *key, size_t count, int64_t low,
                         int64_t high, std::vector<int64_t> &column) const {
    return textOf(key) ? read(key, count, low, high, column) : std::nullopt;
  }

private:
  ScheduleRows &rows;
  const ScheduleRows::TextOf &textOf;

  MaybeError readWaits(size_t taskCount) {
    std::optional<std::string> text = textOf("waits");
    if (!text)
      return std::nullopt;
    // A task waits for few others that it reads nothing of.
    constexpr size_t maxNumbers = 32;
    auto parsed = parseSequenceUpTo(*text, maxNumbers * taskCount, 0,
                                    static_cast<int64_t>(taskCount) - 1);
    if (!parsed)
      return Error{"'waits': " + parsed.error()};
    if (parsed->size() % 2)
      return Error{"'waits': expected as many tasks that wait as tasks that "
                   "are waited for, got " +
                   std::to_string(parsed->size()) + " numbers"};
    rows.waits = std::move(*parsed);
    return std::nullopt;
  }

  /// Tasks start in their order; of tasks that start at one time, the one with
  /// the smaller key comes first.
  MaybeError orderTasks(size_t taskCount) {
    auto orderOf = [&](size_t task) {
      return std::array{rows.starts[task], rows.keys[0][task],
                        rows.keys[1][task], rows.keys[2][task]};
    };
    std::vector<size_t> order(taskCount);
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return orderOf(a) < orderOf(b); });
    rows.places.resize(taskCount);
    for (size_t place = 0; place < taskCount; ++place) {
      if (place > 0 && orderOf(order[place - 1]) == orderOf(order[place]))
        return Error{"expected tasks of different times or keys, got two that "
                     "start at " +
                     std::to_string(rows.starts[order[place]]) + " ns"};
      rows.places[order[place]] = place;
    }
    return std::nullopt;
  }
};

} // namespace soap

Expected<ScheduleRows> ScheduleRows::parse(std::vector<std::string> names,
                                           std::vector<std::string> kinds,
                                           const TextOf &textOf,
                                           ScheduleLimits &limits) {
  ScheduleRows rows;
  rows.names = std::move(names);
  rows.kinds = std::move(kinds);
  if (MaybeError error = ScheduleRowsReader(rows, textOf).run(limits))
    return *error;
  return rows;
}

ScheduleColumns ScheduleRows::columns() const {
  ScheduleColumns result;
  size_t taskCount = places.size();
  result.names.resize(taskCount);
  result.kinds.resize(taskCount);
  result.startNs.resize(taskCount);
  result.endNs.resize(taskCount);
  result.keys.resize(3 * taskCount);
  for (auto [from, to] : {std::pair(&shapes, &result.shapes),
                          std::pair(&registerBytes, &result.registerBytes),
                          std::pair(&joins, &result.joins)})
    if (!from->empty())
      to->resize(taskCount);
  size_t firstNumber = 0;
  for (size_t row = 0; row < names.size(); ++row) {
    auto count = static_cast<size_t>(counts[row]);
    for (size_t k = 0; k < count; ++k) {
      size_t task = firstTask[row] + k, place = places[task], star = 0;
      for (char c : names[row])
        if (c == '*')
          result.names[place] +=
              std::to_string(numbers[firstNumber + count * star++ + k]);
        else
          result.names[place] += c;
      result.kinds[place] = kinds[row];
      result.startNs[place] = starts[task];
      result.endNs[place] = starts[task] + durations[row];
      for (size_t i = 0; i < 3; ++i)
        result.keys[3 * place + i] = keys[i][task];
      for (auto [from, to] : {std::pair(&shapes, &result.shapes),
                              std::pair(&registerBytes, &result.registerBytes),
                              std::pair(&joins, &result.joins)})
        if (!from->empty())
          (*to)[place] = (*from)[row];
    }
    firstNumber += starsOf(names[row]) * count;
  }
  assert(firstNumber == numbers.size() && "a number for every star");
  size_t pairCount = waits.size() / 2;
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < pairCount; ++i)
    pairs.emplace_back(places[static_cast<size_t>(waits[i])],
                       places[static_cast<size_t>(waits[pairCount + i])]);
  std::sort(pairs.begin(), pairs.end());
  for (auto [before, task] : pairs) {
    result.waits.push_back(static_cast<int64_t>(before));
    result.waits.push_back(static_cast<int64_t>(task));
  }
  return result;
}

Expected<SlotColumns> ScheduleRows::parseRank(const TextOf &textOf,
                                              ScheduleLimits &limits) const {
  ScheduleRows unused;
  ScheduleRowsReader reader(unused, textOf);
  std::vector<int64_t> slots;
  if (MaybeError error =
          reader.read("slots", names.size(), 0, maxSlotsOfTask, slots))
    return *error;
  int64_t slotCount = 0;
  for (size_t row = 0; row < slots.size(); ++row) {
    slotCount += slots[row] * counts[row]; // of at most 16 and 22 bits
    if (slotCount > limits.slots)
      return Error{"'slots': expected at most " + std::to_string(limits.slots) +
                   " slots"};
  }
  limits.slots -= slotCount;
  std::vector<size_t> order = slotOrder(firstTask, counts, places, slots);
  SlotColumns result;
  result.tasks.resize(order.size());
  size_t next = 0;
  for (size_t row = 0; row < slots.size(); ++row)
    for (int64_t op = 0; op < slots[row]; ++op)
      for (size_t k = 0; k < static_cast<size_t>(counts[row]); ++k)
        result.tasks[order[next++]] =
            static_cast<int64_t>(places[firstTask[row] + k]);
  for (auto [key, column] : {std::pair("peers", &result.peers),
                             std::pair("transfers", &result.transfers),
                             std::pair("collectives", &result.collectives)}) {
    std::vector<int64_t> values;
    if (MaybeError error =
            reader.read(key, order.size(), -1, maxNumber, values))
      return *error;
    column->resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      (*column)[order[i]] = values[i];
  }
  return result;
}
