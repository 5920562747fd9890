//===- ProgramTables.cpp - Entries of `soap.programs` in rows -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgramTables.h. Plan/ScheduleRows.h has the columns.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/ProgramTables.h"

#include "Plan/ScheduleRows.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

DictionaryAttr scheduleOf(DictionaryAttr entry) {
  return entry.getAs<DictionaryAttr>("schedule");
}

std::vector<int64_t> numbersOf(DictionaryAttr table, StringRef key) {
  auto list = table.getAs<DenseI64ArrayAttr>(key);
  return list ? list.asArrayRef().vec() : std::vector<int64_t>();
}

/// The strings of a list; none if it is another attribute, or has others.
std::optional<std::vector<std::string>> textsOf(DictionaryAttr table,
                                                StringRef key) {
  auto list = table.getAs<ArrayAttr>(key);
  if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return std::nullopt;
  std::vector<std::string> texts;
  for (auto text : list.getAsRange<StringAttr>())
    texts.push_back(text.str());
  return texts;
}

ArrayAttr textsAttr(Builder &builder, const std::vector<std::string> &texts) {
  SmallVector<Attribute> list;
  for (const std::string &text : texts)
    list.push_back(builder.getStringAttr(text));
  return builder.getArrayAttr(list);
}

/// An entry with another schedule and other ranks.
DictionaryAttr withTables(DictionaryAttr entry, const NamedAttrList &schedule,
                          ArrayRef<Attribute> ranks) {
  MLIRContext *context = entry.getContext();
  NamedAttrList result(entry);
  result.set("schedule", schedule.getDictionary(context));
  result.set("ranks", ArrayAttr::get(context, ranks));
  return result.getDictionary(context);
}

std::optional<std::string> textOf(DictionaryAttr table, const char *key) {
  auto text = table.getAs<StringAttr>(key);
  return text ? std::optional(text.str()) : std::nullopt;
}

} // namespace

bool mlir::soap::hasScheduleRows(DictionaryAttr entry) {
  DictionaryAttr schedule = scheduleOf(entry);
  return schedule && schedule.contains("counts");
}

DictionaryAttr mlir::soap::writeScheduleRows(DictionaryAttr entry) {
  DictionaryAttr schedule = scheduleOf(entry);
  auto ranks = entry.getAs<ArrayAttr>("ranks");
  if (!schedule || !ranks || hasScheduleRows(entry))
    return entry;
  auto names = textsOf(schedule, "names"), kinds = textsOf(schedule, "kinds");
  auto joins = schedule.getAs<DenseBoolArrayAttr>("joins");
  if (!names || !kinds || !joins)
    return entry;
  ::soap::ScheduleColumns columns;
  columns.names = std::move(*names);
  columns.kinds = std::move(*kinds);
  columns.startNs = numbersOf(schedule, "start_ns");
  columns.endNs = numbersOf(schedule, "end_ns");
  columns.keys = numbersOf(schedule, "keys");
  columns.shapes = numbersOf(schedule, "shape");
  columns.registerBytes = numbersOf(schedule, "register_bytes");
  columns.joins.assign(joins.asArrayRef().begin(), joins.asArrayRef().end());
  columns.waits = numbersOf(schedule, "waits");
  std::vector<::soap::SlotColumns> slots;
  for (auto rank : ranks.getAsRange<DictionaryAttr>())
    slots.push_back({numbersOf(rank, "tasks"), numbersOf(rank, "peers"),
                     numbersOf(rank, "transfers"),
                     numbersOf(rank, "collectives")});
  std::optional<::soap::ScheduleTexts> texts =
      ::soap::writeScheduleRows(columns, slots);
  if (!texts)
    return entry;
  Builder builder(entry.getContext());
  NamedAttrList newSchedule(schedule);
  for (StringRef key : {"end_ns", "keys"})
    newSchedule.erase(key);
  newSchedule.set("names", textsAttr(builder, texts->names));
  newSchedule.set("kinds", textsAttr(builder, texts->kinds));
  for (const auto &[key, text] : texts->schedule)
    newSchedule.set(key, builder.getStringAttr(text));
  SmallVector<Attribute> newRanks;
  for (auto [rank, columns] :
       llvm::zip(ranks.getAsRange<DictionaryAttr>(), texts->ranks)) {
    NamedAttrList newRank(rank);
    newRank.erase("tasks");
    for (const auto &[key, text] : columns)
      newRank.set(key, builder.getStringAttr(text));
    newRanks.push_back(newRank.getDictionary(entry.getContext()));
  }
  return withTables(entry, newSchedule, newRanks);
}

::soap::Expected<DictionaryAttr> mlir::soap::listTasks(DictionaryAttr entry) {
  if (!hasScheduleRows(entry))
    return entry;
  DictionaryAttr schedule = scheduleOf(entry);
  auto names = textsOf(schedule, "names"), kinds = textsOf(schedule, "kinds");
  auto ranks = entry.getAs<ArrayAttr>("ranks");
  if (!names || !kinds)
    return ::soap::Error{"schedule: expected 'names' and 'kinds' of texts"};
  if (!ranks || !llvm::all_of(ranks, llvm::IsaPred<DictionaryAttr>))
    return ::soap::Error{"expected 'ranks' of tables"};
  ::soap::ScheduleLimits limits;
  auto rows = ::soap::ScheduleRows::parse(
      std::move(*names), std::move(*kinds),
      [&](const char *key) { return textOf(schedule, key); }, limits);
  if (!rows)
    return ::soap::Error{"schedule: " + rows.error()};
  ::soap::ScheduleColumns columns = rows->columns();
  Builder builder(entry.getContext());
  NamedAttrList newSchedule(schedule);
  for (StringRef key : {"counts", "durations_ns", "numbers", "key_block",
                        "key_task", "key_step"})
    newSchedule.erase(key);
  newSchedule.set("names", textsAttr(builder, columns.names));
  newSchedule.set("kinds", textsAttr(builder, columns.kinds));
  auto setNumbers = [&](NamedAttrList &table, StringRef key,
                        const std::vector<int64_t> &numbers) {
    table.set(key, builder.getDenseI64ArrayAttr(numbers));
  };
  setNumbers(newSchedule, "start_ns", columns.startNs);
  setNumbers(newSchedule, "end_ns", columns.endNs);
  setNumbers(newSchedule, "keys", columns.keys);
  if (newSchedule.get("shape"))
    setNumbers(newSchedule, "shape", columns.shapes);
  if (newSchedule.get("register_bytes"))
    setNumbers(newSchedule, "register_bytes", columns.registerBytes);
  if (newSchedule.get("joins"))
    newSchedule.set("joins", builder.getDenseBoolArrayAttr(SmallVector<bool>(
                                 columns.joins.begin(), columns.joins.end())));
  if (newSchedule.get("waits"))
    setNumbers(newSchedule, "waits", columns.waits);
  SmallVector<Attribute> newRanks;
  for (auto rank : ranks.getAsRange<DictionaryAttr>()) {
    auto slots = rows->parseRank(
        [&](const char *key) { return textOf(rank, key); }, limits);
    if (!slots)
      return ::soap::Error{"a rank: " + slots.error()};
    NamedAttrList newRank(rank);
    newRank.erase("slots");
    setNumbers(newRank, "tasks", slots->tasks);
    setNumbers(newRank, "peers", slots->peers);
    setNumbers(newRank, "transfers", slots->transfers);
    setNumbers(newRank, "collectives", slots->collectives);
    newRanks.push_back(newRank.getDictionary(entry.getContext()));
  }
  return withTables(entry, newSchedule, newRanks);
}
