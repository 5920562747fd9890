//===- Manifest.cpp - Parsing and checking of manifests -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest comes from the compiler, but also out of a file that other
// programs may have edited: everything is checked here, once.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Artifact/Manifest.h"

#include "Plan/ScheduleRows.h"
#include "Support/Json.h"

#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr const char *kindNames[] = {"data",   "label",    "parameter",
                                     "state",  "loss",     "correct",
                                     "output", "positions"};
constexpr const char *dtypeNames[] = {"f32", "f64", "i32",
                                      "i64", "f16", "bf16"};
/// Far beyond any machine, so that sizes never overflow.
constexpr int64_t maxElements = int64_t(1) << 44;
constexpr int64_t maxDevices = 4096;
constexpr int64_t maxTransfers = int64_t(1) << 31;

std::vector<int64_t> integers(const jsonfile::Cursor &cursor, int64_t lo,
                              int64_t hi) {
  std::vector<int64_t> result(cursor.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = cursor[i].integer(lo, hi);
  return result;
}

TensorKind parseKind(const jsonfile::Cursor &cursor) {
  for (size_t i = 0; i < std::size(kindNames); ++i)
    if (cursor.text() == kindNames[i])
      return TensorKind(i);
  cursor.failExpected("one of data, label, parameter, state, loss, correct, "
                      "output, positions");
}

/// Large values are base64: numbers as JSON would take ten times the memory.
std::string decodeBase64(const jsonfile::Cursor &cursor) {
  const std::string &text = cursor.text();
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  int count = 0;
  size_t end = text.size();
  while (end > 0 && text.size() - end < 2 && text[end - 1] == '=')
    --end;
  for (size_t i = 0; i < end; ++i) {
    char c = text[i];
    uint32_t digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                     : c >= 'a' && c <= 'z' ? c - 'a' + 26
                     : c >= '0' && c <= '9' ? c - '0' + 52
                     : c == '+'             ? 62
                     : c == '/'             ? 63
                                            : 64;
    if (digit == 64)
      cursor.fail("expected base64, got a character of value " +
                  std::to_string((unsigned char)c));
    bits = bits << 6 | digit;
    if (++count % 4 == 0)
      for (int shift : {16, 8, 0})
        bytes += char(bits >> shift);
  }
  if (count % 4 == 1 || text.size() % 4)
    cursor.fail("expected base64 of a multiple of 4 characters");
  if (count % 4 == 2)
    bytes += char(bits >> 4);
  if (count % 4 == 3) {
    bytes += char(bits >> 10);
    bytes += char(bits >> 2);
  }
  return bytes;
}

InitRule parseInit(const jsonfile::Cursor &cursor, int64_t volume,
                   DType dtype) {
  InitRule rule;
  if (cursor.isObject()) {
    rule.kind = InitRule::Bytes;
    rule.bytes = decodeBase64(cursor["base64"]);
    int64_t expected = volume * sizeOf(dtype);
    if (int64_t(rule.bytes.size()) != expected)
      cursor["base64"].fail("expected " + std::to_string(expected) +
                            " bytes, got " + std::to_string(rule.bytes.size()));
    return rule;
  }
  if (cursor.isString()) {
    static const std::map<std::string, InitRule::Kind> names = {
        {"default", InitRule::Default},
        {"he", InitRule::He},
        {"glorot", InitRule::Glorot},
        {"zeros", InitRule::Zeros},
        {"ones", InitRule::Ones}};
    auto it = names.find(cursor.text());
    if (it == names.end())
      cursor.failExpected(
          "one of default, he, glorot, zeros, ones, or an array "
          "of values");
    rule.kind = it->second;
    return rule;
  }
  rule.kind = InitRule::Values;
  size_t count = cursor.size();
  if (int64_t(count) != volume && count != 1)
    cursor.fail("expected 1 or " + std::to_string(volume) + " values, got " +
                std::to_string(count));
  rule.values.resize(count);
  for (size_t i = 0; i < count; ++i)
    rule.values[i] = cursor[i].number();
  return rule;
}

/// A number, or pairs of a number of elements of a sample and their number.
void parseClasses(const jsonfile::Cursor &cursor, TensorInfo &info,
                  int64_t volume) {
  if (cursor.isNumber()) {
    info.classes = cursor.integer(-maxElements, maxElements);
    if (info.classes == 0)
      cursor.failExpected("a number of classes, got 0");
    return;
  }
  std::vector<int64_t> numbers = integers(cursor, -maxElements, maxElements);
  int64_t samples =
      info.shape.empty()
          ? 1
          : info.shape[size_t(std::max<int64_t>(0, info.sampleDim))];
  int64_t rest = samples ? volume / samples : 0;
  for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
    if (numbers[i] < 0)
      cursor[i].failExpected("a number of elements");
    info.classRuns.emplace_back(numbers[i], numbers[i + 1]);
    rest -= std::min(rest + 1, numbers[i]);
  }
  if (numbers.size() % 2 || rest != 0)
    cursor.fail("expected pairs of a number of elements and their classes, for "
                "all elements of a sample");
}

TensorInfo parseTensor(const jsonfile::Cursor &cursor) {
  TensorInfo info;
  info.name = cursor["name"].text();
  if (info.name.empty())
    cursor["name"].fail("expected a name, got an empty string");
  info.kind = parseKind(cursor["kind"]);
  info.shape = integers(cursor["shape"], 0, maxElements);
  int64_t volume = 1;
  for (int64_t extent : info.shape)
    if (extent && volume > maxElements / extent)
      cursor["shape"].fail("the tensor is too large");
    else
      volume *= extent;
  auto dtype = dtypeNamed(cursor["dtype"].text());
  if (!dtype)
    cursor["dtype"].failExpected("one of f32, f64, i32, i64, f16, bf16");
  info.dtype = *dtype;
  if (info.kind == TensorKind::Positions &&
      (info.dtype != DType::I32 || info.shape.size() != 1 ||
       volume > std::numeric_limits<int32_t>::max()))
    cursor.fail("expected positions of type i32 in one dimension of at most "
                "2147483647");
  if (cursor.has("sample_dim"))
    info.sampleDim =
        cursor["sample_dim"].integer(-1, int64_t(info.shape.size()) - 1);
  if (cursor.has("init"))
    info.init = parseInit(cursor["init"], volume, info.dtype);
  if (cursor.has("classes"))
    parseClasses(cursor["classes"], info, volume);
  if (cursor.has("memory")) {
    if (cursor["memory"].text() != "host")
      cursor["memory"].failExpected("\"host\"");
    if (info.kind != TensorKind::State)
      cursor["memory"].fail("tensor '" + info.name +
                            "' is no state: only states are in host memory");
    info.inHost = true;
  }
  if (cursor.has("fan_in"))
    info.fanIn = cursor["fan_in"].integer(0);
  if (cursor.has("fan_out"))
    info.fanOut = cursor["fan_out"].integer(0);
  return info;
}

Region parseRegion(const jsonfile::Cursor &cursor, const TensorInfo &tensor) {
  if (cursor.size() != tensor.shape.size())
    cursor.fail("expected " + std::to_string(tensor.shape.size()) +
                " dimensions as tensor '" + tensor.name + "' has, got " +
                std::to_string(cursor.size()));
  std::vector<IndexSet> dims;
  for (size_t d = 0; d < cursor.size(); ++d) {
    jsonfile::Cursor dim = cursor[d];
    std::vector<Interval> intervals;
    int64_t previous = -1;
    for (size_t i = 0; i < dim.size(); ++i) {
      jsonfile::Cursor pair = dim[i];
      if (pair.size() != 2)
        pair.failExpected("an interval [from, to]");
      // Packed order follows the intervals, so they must be canonical.
      int64_t lo = pair[size_t(0)].integer(previous + 1, tensor.shape[d]);
      int64_t hi = pair[size_t(1)].integer(lo + 1, tensor.shape[d]);
      intervals.push_back({lo, hi});
      previous = hi;
    }
    dims.push_back(IndexSet::fromIntervals(std::move(intervals)));
  }
  return Region(std::move(dims));
}

std::vector<TileInfo> parseTiles(const jsonfile::Cursor &cursor,
                                 const Manifest &manifest) {
  std::vector<TileInfo> tiles;
  for (size_t i = 0; i < cursor.size(); ++i) {
    jsonfile::Cursor item = cursor[i];
    TileInfo tile;
    auto tensor = manifest.tensorNamed(item["tensor"].text());
    if (!tensor)
      item["tensor"].failExpected("the name of a tensor of the manifest");
    tile.tensor = *tensor;
    tile.region = parseRegion(item["region"], manifest.tensors[*tensor]);
    if (item.has("updated"))
      tile.updated = item["updated"].boolean();
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

std::vector<ScheduledTask> parseSchedule(const jsonfile::Cursor &cursor) {
  std::vector<ScheduledTask> schedule;
  for (size_t i = 0; i < cursor.size(); ++i) {
    jsonfile::Cursor item = cursor[i];
    ScheduledTask task;
    task.name = item["name"].text();
    task.kind = item["kind"].text();
    if (item.has("start_ns"))
      task.startNs = item["start_ns"].integer();
    if (item.has("end_ns"))
      task.endNs = item["end_ns"].integer();
    if (item.has("shape"))
      task.shape = item["shape"].text();
    schedule.push_back(std::move(task));
  }
  return schedule;
}

std::vector<std::string> texts(const jsonfile::Cursor &cursor) {
  std::vector<std::string> result;
  cursor.forEach(
      [&](const jsonfile::Cursor &item) { result.push_back(item.text()); });
  return result;
}

ScheduleRows::TextOf textsOf(const jsonfile::Cursor &cursor) {
  return [&cursor](const char *key) {
    return cursor.has(key) ? std::optional(cursor[key].text()) : std::nullopt;
  };
}

/// A schedule in rows of tasks that are alike.
ScheduleRows parseRows(const jsonfile::Cursor &cursor, ScheduleLimits &limits) {
  auto rows = ScheduleRows::parse(
      texts(cursor["names"]), texts(cursor["kinds"]), textsOf(cursor), limits);
  if (!rows)
    cursor.fail(rows.error());
  return std::move(*rows);
}

/// All tasks of rows, with the texts of their shapes.
std::vector<ScheduledTask> listTasks(const jsonfile::Cursor &cursor,
                                     const ScheduleRows &rows,
                                     ScheduleLimits &limits) {
  std::vector<std::string> shapes;
  if (cursor.has("shapes"))
    shapes = texts(cursor["shapes"]);
  for (size_t row = 0; row < rows.rowShapes().size(); ++row) {
    int64_t shape = rows.rowShapes()[row];
    if (shape >= int64_t(shapes.size()))
      cursor["shape"].fail("expected numbers of 'shapes', of which there are " +
                           std::to_string(shapes.size()) + ", got " +
                           std::to_string(shape));
    if (shape >= 0 &&
        !limits.takeTexts(rows.rowCounts()[row], shapes[size_t(shape)].size()))
      cursor["shapes"].fail("expected shorter texts for so many tasks");
  }
  ScheduleColumns columns = rows.columns();
  std::vector<ScheduledTask> schedule(columns.names.size());
  for (size_t i = 0; i < schedule.size(); ++i) {
    ScheduledTask &task = schedule[i];
    task.name = std::move(columns.names[i]);
    task.kind = std::move(columns.kinds[i]);
    task.startNs = columns.startNs[i];
    task.endNs = columns.endNs[i];
    if (!columns.shapes.empty() && columns.shapes[i] >= 0)
      task.shape = shapes[size_t(columns.shapes[i])];
  }
  return schedule;
}

/// Groups of devices, each device once in a group.
std::vector<std::vector<int64_t>> parseGroups(const jsonfile::Cursor &cursor,
                                              int64_t devices) {
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i < cursor.size(); ++i) {
    groups.push_back(integers(cursor[i], 0, devices - 1));
    std::set<int64_t> distinct(groups.back().begin(), groups.back().end());
    if (distinct.size() != groups.back().size() || distinct.size() < 2)
      cursor[i].failExpected("at least 2 devices, each once");
  }
  return groups;
}

std::vector<CollectiveInfo>
parseCollectives(const jsonfile::Cursor &cursor,
                 const std::vector<std::vector<int64_t>> &groups) {
  std::vector<CollectiveInfo> collectives;
  for (size_t i = 0; i < cursor.size(); ++i) {
    jsonfile::Cursor item = cursor[i];
    CollectiveInfo info;
    info.group = item["group"].integer(0, int64_t(groups.size()) - 1);
    std::string kind = item["kind"].text();
    constexpr std::pair<const char *, CollectiveKind> known[] = {
        {"all-reduce", CollectiveKind::AllReduce},
        {"reduce", CollectiveKind::Reduce},
        {"reduce-scatter", CollectiveKind::ReduceScatter},
        {"all-gather", CollectiveKind::AllGather},
        {"gather", CollectiveKind::AllToAll},
        {"all-to-all", CollectiveKind::AllToAll},
        {"broadcast", CollectiveKind::Broadcast}};
    for (auto [name, candidate] : known)
      if (kind == name)
        info.kind = candidate;
    if (info.kind == CollectiveKind::Exchange)
      item["kind"].failExpected(
          "all-reduce, reduce, reduce-scatter, all-gather, "
          "gather, all-to-all or broadcast");
    bool hasRoot = info.kind == CollectiveKind::Reduce || kind == "gather" ||
                   info.kind == CollectiveKind::Broadcast;
    auto members = int64_t(groups[size_t(info.group)].size());
    info.root =
        item["root"].integer(hasRoot ? 0 : -1, hasRoot ? members - 1 : -1);
    collectives.push_back(info);
  }
  return collectives;
}

/// Reports at the place of a slot, or, where the column is one text, with it.
[[noreturn]] void failAt(const jsonfile::Cursor &column, size_t slot,
                         const std::string &message) {
  if (column.isString())
    column.fail("slot " + std::to_string(slot) + ": " + message);
  column[slot].fail(message);
}

/// The columns of a device by slot, one number after the other.
SlotColumns parseSlots(const jsonfile::Cursor &cursor, const Manifest &manifest,
                       const EntryInfo &entry) {
  SlotColumns slots;
  slots.tasks =
      integers(cursor["tasks"], 0, int64_t(entry.schedule.size()) - 1);
  slots.peers = integers(cursor["peers"], -1, manifest.devices - 1);
  slots.transfers = integers(cursor["transfers"], -1, maxTransfers);
  if (cursor.has("collectives"))
    slots.collectives = integers(cursor["collectives"], -1,
                                 int64_t(entry.collectives.size()) - 1);
  else
    slots.collectives.assign(slots.tasks.size(), -1);
  for (const char *key : {"peers", "transfers", "collectives"}) {
    if (!cursor.has(key))
      continue;
    size_t size = cursor[key].size();
    if (size != slots.tasks.size())
      cursor[key].fail("expected " + std::to_string(slots.tasks.size()) +
                       " numbers as in 'tasks', got " + std::to_string(size));
  }
  return slots;
}

/// The same of a schedule in rows.
SlotColumns parseSlotRows(const jsonfile::Cursor &cursor,
                          const Manifest &manifest, const EntryInfo &entry,
                          const ScheduleRows &rows, ScheduleLimits &limits) {
  auto slots = rows.parseRank(textsOf(cursor), limits);
  if (!slots)
    cursor.fail(slots.error());
  for (auto [key, column, end] :
       {std::tuple("peers", &slots->peers, manifest.devices),
        std::tuple("transfers", &slots->transfers, maxTransfers + 1),
        std::tuple("collectives", &slots->collectives,
                   int64_t(entry.collectives.size()))})
    for (int64_t number : *column)
      if (number >= end)
        cursor[key].fail("expected numbers below " + std::to_string(end) +
                         ", got " + std::to_string(number));
  return std::move(*slots);
}

RankInfo parseRank(const jsonfile::Cursor &cursor, const Manifest &manifest,
                   const EntryInfo &entry, SlotColumns slots) {
  RankInfo rank;
  rank.device = cursor["device"].integer(0, manifest.devices - 1);
  rank.program = cursor["program"].text();
  rank.arenaBytes = cursor["arena_bytes"].integer(0, maxElements);
  rank.args = parseTiles(cursor["args"], manifest);
  rank.results = parseTiles(cursor["results"], manifest);
  rank.tasks = std::move(slots.tasks);
  rank.peers = std::move(slots.peers);
  rank.transfers = std::move(slots.transfers);
  rank.collectives = std::move(slots.collectives);
  for (size_t slot = 0; slot < rank.tasks.size(); ++slot)
    if (int64_t number = rank.collectives[slot]; number >= 0) {
      const CollectiveInfo &info = entry.collectives[size_t(number)];
      if (std::count(entry.groups[size_t(info.group)].begin(),
                     entry.groups[size_t(info.group)].end(), rank.device) == 0)
        failAt(cursor["collectives"], slot,
               "expected a collective with device " +
                   std::to_string(rank.device) + " in its group, got " +
                   std::to_string(number));
    } else if ((rank.peers[slot] < 0) != (rank.transfers[slot] < 0))
      failAt(cursor["transfers"], slot,
             "expected a peer and a transfer number or neither");
  return rank;
}

/// Every transfer number must belong to two slots that name each other, or a
/// receive would wait forever.
void checkTransfers(const jsonfile::Cursor &cursor, EntryInfo &entry) {
  struct End {
    int64_t device, peer;
  };
  std::map<int64_t, std::vector<End>> ends;
  for (const RankInfo &rank : entry.ranks)
    for (size_t slot = 0; slot < rank.tasks.size(); ++slot)
      if (rank.transfers[slot] >= 0)
        ends[rank.transfers[slot]].push_back({rank.device, rank.peers[slot]});
  int64_t slots = 0;
  for (const RankInfo &rank : entry.ranks)
    slots += int64_t(rank.tasks.size());
  for (auto &[number, pair] : ends) {
    std::string what = "transfer " + std::to_string(number);
    if (pair.size() != 2)
      cursor.fail(what + ": expected 2 ends, got " +
                  std::to_string(pair.size()));
    if (pair[0].device != pair[1].peer || pair[1].device != pair[0].peer)
      cursor.fail(what + ": the ends on devices " +
                  std::to_string(pair[0].device) + " and " +
                  std::to_string(pair[1].device) + " name other peers");
    // Numbers index a table: they must be about as dense as the slots.
    if (number > 1024 + 4 * slots)
      cursor.fail(what + ": the number is too large for " +
                  std::to_string(slots) + " slots");
    entry.transferCount = std::max(entry.transferCount, number + 1);
  }
}

/// Every device of a group must take part once, or the others would wait for
/// it.
void checkCollectives(const jsonfile::Cursor &cursor, const EntryInfo &entry) {
  std::vector<int64_t> seen(entry.collectives.size());
  for (const RankInfo &rank : entry.ranks) {
    std::set<int64_t> mine;
    for (int64_t number : rank.collectives)
      if (number >= 0 && !mine.insert(number).second)
        cursor.fail("collective " + std::to_string(number) + ": device " +
                    std::to_string(rank.device) + " takes part twice");
    for (int64_t number : mine)
      ++seen[size_t(number)];
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    const CollectiveInfo &info = entry.collectives[i];
    size_t members = entry.groups[size_t(info.group)].size();
    if (size_t(seen[i]) != members)
      cursor.fail("collective " + std::to_string(i) + ": expected " +
                  std::to_string(members) + " devices, got " +
                  std::to_string(seen[i]));
  }
}

EntryInfo parseEntry(const jsonfile::Cursor &cursor, const Manifest &manifest,
                     ScheduleLimits &limits) {
  EntryInfo entry;
  entry.name = cursor["name"].text();
  if (cursor.has("batch"))
    entry.batch = cursor["batch"].integer(0, maxElements);
  std::optional<ScheduleRows> rows;
  if (jsonfile::Cursor schedule = cursor["schedule"]; schedule.isObject()) {
    rows = parseRows(schedule, limits);
    entry.schedule = listTasks(schedule, *rows, limits);
  } else {
    entry.schedule = parseSchedule(schedule);
  }
  if (cursor.has("groups"))
    entry.groups = parseGroups(cursor["groups"], manifest.devices);
  if (cursor.has("collectives"))
    entry.collectives = parseCollectives(cursor["collectives"], entry.groups);
  jsonfile::Cursor ranks = cursor["ranks"];
  std::set<int64_t> seen;
  for (size_t i = 0; i < ranks.size(); ++i) {
    SlotColumns slots =
        rows ? parseSlotRows(ranks[i], manifest, entry, *rows, limits)
             : parseSlots(ranks[i], manifest, entry);
    entry.ranks.push_back(
        parseRank(ranks[i], manifest, entry, std::move(slots)));
    if (!seen.insert(entry.ranks.back().device).second)
      ranks[i]["device"].fail("device " +
                              std::to_string(entry.ranks.back().device) +
                              " has more than one program");
  }
  checkTransfers(ranks, entry);
  checkCollectives(ranks, entry);
  return entry;
}

std::vector<KernelBuffer> parseKernelBuffers(const jsonfile::Cursor &cursor) {
  constexpr int64_t maxCount = int64_t(1) << 48;
  std::vector<KernelBuffer> buffers;
  jsonfile::Cursor elements = cursor["elements"], counts = cursor["counts"];
  if (elements.size() != counts.size())
    cursor.fail("expected as many counts as elements");
  for (size_t i = 0; i < elements.size(); ++i) {
    KernelBuffer buffer;
    buffer.dtype = dtypeNamed(elements[i].text());
    if (!buffer.dtype && elements[i].text() != "bytes")
      elements[i].failExpected("a type of elements, or bytes");
    buffer.count = counts[i].integer(0, maxCount);
    buffers.push_back(buffer);
  }
  return buffers;
}

GpuTarget parseGpuTarget(const jsonfile::Cursor &cursor) {
  GpuTarget target;
  target.chip = cursor["chip"].text();
  if (target.chip.rfind("sm_", 0) != 0)
    cursor["chip"].failExpected("the name of a chip, such as sm_90");
  target.format = cursor["format"].text();
  if (target.format != "bin" && target.format != "isa")
    cursor["format"].failExpected("bin or isa");
  target.hostReferences = cursor["host_references"].boolean();
  // Modules of older versions have no list.
  if (cursor.has("kernels"))
    for (const jsonfile::Cursor &kernel : cursor["kernels"].elements())
      target.kernels[kernel["name"].string()] = parseKernelBuffers(kernel);
  return target;
}

Manifest parseRoot(const jsonfile::Cursor &cursor) {
  Manifest manifest;
  // Version 1 has no schedules in rows.
  cursor["version"].integer(1, 2);
  manifest.devices = cursor["devices"].integer(1, maxDevices);
  if (cursor.has("training"))
    manifest.training = cursor["training"].text();
  if (cursor.has("topology"))
    manifest.topology = cursor["topology"].text();
  if (cursor.has("gpu"))
    manifest.gpu = parseGpuTarget(cursor["gpu"]);
  jsonfile::Cursor tensors = cursor["tensors"];
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorInfo info = parseTensor(tensors[i]);
    if (manifest.tensorNamed(info.name))
      tensors[i]["name"].fail("the name '" + info.name + "' is used twice");
    manifest.tensors.push_back(std::move(info));
  }
  ScheduleLimits limits;
  jsonfile::Cursor entries = cursor["entries"];
  for (size_t i = 0; i < entries.size(); ++i) {
    EntryInfo entry = parseEntry(entries[i], manifest, limits);
    if (manifest.entry(entry.name))
      entries[i]["name"].fail("the name '" + entry.name + "' is used twice");
    manifest.entries.push_back(std::move(entry));
  }
  return manifest;
}

} // namespace

int64_t runtime::sizeOf(DType type) {
  switch (type) {
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::F64:
  case DType::I64:
    return 8;
  case DType::F16:
  case DType::BF16:
    return 2;
  }
  return 0;
}

const char *runtime::nameOf(DType type) { return dtypeNames[size_t(type)]; }

std::optional<DType> runtime::dtypeNamed(std::string_view name) {
  for (size_t i = 0; i < std::size(dtypeNames); ++i)
    if (name == dtypeNames[i])
      return DType(i);
  return std::nullopt;
}

const char *runtime::nameOf(TensorKind kind) { return kindNames[size_t(kind)]; }

int64_t TensorInfo::volume() const {
  int64_t volume = 1;
  for (int64_t extent : shape)
    volume *= extent;
  return volume;
}

const EntryInfo *Manifest::entry(std::string_view name) const {
  for (const EntryInfo &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

std::optional<size_t> Manifest::tensorNamed(std::string_view name) const {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name)
      return i;
  return std::nullopt;
}

Expected<Manifest> runtime::parseManifest(std::string_view text,
                                          const std::string &source) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded())
    return Error{source + ": expected JSON"};
  auto manifest = jsonfile::read(json, source, parseRoot);
  if (!manifest)
    return manifest;
  manifest->textBytes = int64_t(text.size());
  manifest->textChecksum = int64_t(
      crc32_z(0, reinterpret_cast<const Bytef *>(text.data()), text.size()));
  return manifest;
}
