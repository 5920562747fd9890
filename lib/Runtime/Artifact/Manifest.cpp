//===- Manifest.cpp - Parsing and checking of manifests -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest comes from the compiler, but also out of a file that anybody may
// have edited: everything is checked here, once.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Artifact/Manifest.h"

#include "Artifact/Json.h"

#include <limits>
#include <map>
#include <set>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr const char *kindNames[] = {"data",   "label",    "parameter",
                                     "state",  "loss",     "correct",
                                     "output", "positions"};
constexpr const char *dtypeNames[] = {"f32", "f64", "i32", "i64"};
/// Far beyond any machine, so that sizes never overflow.
constexpr int64_t maxElements = int64_t(1) << 44;
constexpr int64_t maxDevices = 4096;

std::vector<int64_t> integers(const JsonCursor &cursor, int64_t lo,
                              int64_t hi) {
  std::vector<int64_t> result(cursor.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = cursor.at(i).integer(lo, hi);
  return result;
}

TensorKind parseKind(const JsonCursor &cursor) {
  for (size_t i = 0; i < std::size(kindNames); ++i)
    if (cursor.string() == kindNames[i])
      return TensorKind(i);
  cursor.expected("one of data, label, parameter, state, loss, correct, "
                  "output, positions");
}

/// Large values are base64: numbers as JSON would take ten times the memory.
std::string decodeBase64(const JsonCursor &cursor) {
  const std::string &text = cursor.string();
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

InitRule parseInit(const JsonCursor &cursor, int64_t volume, DType dtype) {
  InitRule rule;
  if (cursor.json().is_object()) {
    rule.kind = InitRule::Bytes;
    rule.bytes = decodeBase64(cursor.at("base64"));
    int64_t expected = volume * sizeOf(dtype);
    if (int64_t(rule.bytes.size()) != expected)
      cursor.at("base64").fail("expected " + std::to_string(expected) +
                               " bytes, got " +
                               std::to_string(rule.bytes.size()));
    return rule;
  }
  if (cursor.json().is_string()) {
    static const std::map<std::string, InitRule::Kind> names = {
        {"default", InitRule::Default},
        {"he", InitRule::He},
        {"glorot", InitRule::Glorot},
        {"zeros", InitRule::Zeros},
        {"ones", InitRule::Ones}};
    auto it = names.find(cursor.string());
    if (it == names.end())
      cursor.expected("one of default, he, glorot, zeros, ones, or an array "
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
    rule.values[i] = cursor.at(i).number();
  return rule;
}

TensorInfo parseTensor(const JsonCursor &cursor) {
  TensorInfo info;
  info.name = cursor.at("name").string();
  if (info.name.empty())
    cursor.at("name").fail("expected a name, got an empty string");
  info.kind = parseKind(cursor.at("kind"));
  info.shape = integers(cursor.at("shape"), 0, maxElements);
  int64_t volume = 1;
  for (int64_t extent : info.shape)
    if (extent && volume > maxElements / extent)
      cursor.at("shape").fail("the tensor is too large");
    else
      volume *= extent;
  auto dtype = dtypeNamed(cursor.at("dtype").string());
  if (!dtype)
    cursor.at("dtype").expected("one of f32, f64, i32, i64");
  info.dtype = *dtype;
  if (info.kind == TensorKind::Positions &&
      (info.dtype != DType::I32 || info.shape.size() != 1 ||
       volume > std::numeric_limits<int32_t>::max()))
    cursor.fail("expected positions of type i32 in one dimension of at most "
                "2147483647");
  if (cursor.has("sample_dim"))
    info.sampleDim =
        cursor.at("sample_dim").integer(-1, int64_t(info.shape.size()) - 1);
  if (cursor.has("init"))
    info.init = parseInit(cursor.at("init"), volume, info.dtype);
  if (cursor.has("classes"))
    info.classes = cursor.at("classes").integer(1, maxElements);
  if (cursor.has("fan_in"))
    info.fanIn = cursor.at("fan_in").integer(0);
  if (cursor.has("fan_out"))
    info.fanOut = cursor.at("fan_out").integer(0);
  return info;
}

Region parseRegion(const JsonCursor &cursor, const TensorInfo &tensor) {
  if (cursor.size() != tensor.shape.size())
    cursor.fail("expected " + std::to_string(tensor.shape.size()) +
                " dimensions as tensor '" + tensor.name + "' has, got " +
                std::to_string(cursor.size()));
  std::vector<IndexSet> dims;
  for (size_t d = 0; d < cursor.size(); ++d) {
    JsonCursor dim = cursor.at(d);
    std::vector<Interval> intervals;
    int64_t previous = -1;
    for (size_t i = 0; i < dim.size(); ++i) {
      JsonCursor pair = dim.at(i);
      if (pair.size() != 2)
        pair.expected("an interval [from, to]");
      // Packed order follows the intervals, so they must be canonical.
      int64_t lo = pair.at(size_t(0)).integer(previous + 1, tensor.shape[d]);
      int64_t hi = pair.at(size_t(1)).integer(lo + 1, tensor.shape[d]);
      intervals.push_back({lo, hi});
      previous = hi;
    }
    dims.push_back(IndexSet::fromIntervals(std::move(intervals)));
  }
  return Region(std::move(dims));
}

std::vector<TileInfo> parseTiles(const JsonCursor &cursor,
                                 const Manifest &manifest) {
  std::vector<TileInfo> tiles;
  for (size_t i = 0; i < cursor.size(); ++i) {
    JsonCursor item = cursor.at(i);
    TileInfo tile;
    auto tensor = manifest.tensorNamed(item.at("tensor").string());
    if (!tensor)
      item.at("tensor").expected("the name of a tensor of the manifest");
    tile.tensor = *tensor;
    tile.region = parseRegion(item.at("region"), manifest.tensors[*tensor]);
    if (item.has("updated"))
      tile.updated = item.at("updated").boolean();
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

std::vector<ScheduledTask> parseSchedule(const JsonCursor &cursor) {
  std::vector<ScheduledTask> schedule;
  for (size_t i = 0; i < cursor.size(); ++i) {
    JsonCursor item = cursor.at(i);
    ScheduledTask task;
    task.name = item.at("name").string();
    task.kind = item.at("kind").string();
    if (item.has("start_ns"))
      task.startNs = item.at("start_ns").integer();
    if (item.has("end_ns"))
      task.endNs = item.at("end_ns").integer();
    if (item.has("shape"))
      task.shape = item.at("shape").string();
    schedule.push_back(std::move(task));
  }
  return schedule;
}

/// Groups of devices, each device once in a group.
std::vector<std::vector<int64_t>> parseGroups(const JsonCursor &cursor,
                                              int64_t devices) {
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i < cursor.size(); ++i) {
    groups.push_back(integers(cursor.at(i), 0, devices - 1));
    std::set<int64_t> distinct(groups.back().begin(), groups.back().end());
    if (distinct.size() != groups.back().size() || distinct.size() < 2)
      cursor.at(i).expected("at least 2 devices, each once");
  }
  return groups;
}

std::vector<CollectiveInfo>
parseCollectives(const JsonCursor &cursor,
                 const std::vector<std::vector<int64_t>> &groups) {
  std::vector<CollectiveInfo> collectives;
  for (size_t i = 0; i < cursor.size(); ++i) {
    JsonCursor item = cursor.at(i);
    CollectiveInfo info;
    info.group = item.at("group").integer(0, int64_t(groups.size()) - 1);
    std::string kind = item.at("kind").string();
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
      item.at("kind").expected(
          "all-reduce, reduce, reduce-scatter, all-gather, "
          "gather, all-to-all or broadcast");
    bool hasRoot = info.kind == CollectiveKind::Reduce || kind == "gather" ||
                   info.kind == CollectiveKind::Broadcast;
    auto members = int64_t(groups[size_t(info.group)].size());
    info.root =
        item.at("root").integer(hasRoot ? 0 : -1, hasRoot ? members - 1 : -1);
    collectives.push_back(info);
  }
  return collectives;
}

RankInfo parseRank(const JsonCursor &cursor, const Manifest &manifest,
                   const EntryInfo &entry) {
  size_t scheduleSize = entry.schedule.size();
  RankInfo rank;
  rank.device = cursor.at("device").integer(0, manifest.devices - 1);
  rank.program = cursor.at("program").string();
  rank.arenaBytes = cursor.at("arena_bytes").integer(0, maxElements);
  rank.args = parseTiles(cursor.at("args"), manifest);
  rank.results = parseTiles(cursor.at("results"), manifest);
  rank.tasks = integers(cursor.at("tasks"), 0, int64_t(scheduleSize) - 1);
  rank.peers = integers(cursor.at("peers"), -1, manifest.devices - 1);
  rank.transfers = integers(cursor.at("transfers"), -1, int64_t(1) << 31);
  if (cursor.has("collectives"))
    rank.collectives = integers(cursor.at("collectives"), -1,
                                int64_t(entry.collectives.size()) - 1);
  else
    rank.collectives.assign(rank.tasks.size(), -1);
  for (const char *key : {"peers", "transfers", "collectives"}) {
    if (!cursor.has(key))
      continue;
    size_t size = cursor.at(key).size();
    if (size != rank.tasks.size())
      cursor.at(key).fail("expected " + std::to_string(rank.tasks.size()) +
                          " numbers as in 'tasks', got " +
                          std::to_string(size));
  }
  for (size_t slot = 0; slot < rank.tasks.size(); ++slot)
    if (int64_t number = rank.collectives[slot]; number >= 0) {
      const CollectiveInfo &info = entry.collectives[size_t(number)];
      if (std::count(entry.groups[size_t(info.group)].begin(),
                     entry.groups[size_t(info.group)].end(), rank.device) == 0)
        cursor.at("collectives")
            .at(slot)
            .expected("a collective with device " +
                      std::to_string(rank.device) + " in its group");
    } else if ((rank.peers[slot] < 0) != (rank.transfers[slot] < 0))
      cursor.at("transfers")
          .at(slot)
          .fail("expected a peer and a transfer number or neither");
  return rank;
}

/// Every transfer number must belong to two slots that name each other, or a
/// receive would wait forever.
void checkTransfers(const JsonCursor &cursor, EntryInfo &entry) {
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
void checkCollectives(const JsonCursor &cursor, const EntryInfo &entry) {
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

EntryInfo parseEntry(const JsonCursor &cursor, const Manifest &manifest) {
  EntryInfo entry;
  entry.name = cursor.at("name").string();
  if (cursor.has("batch"))
    entry.batch = cursor.at("batch").integer(0, maxElements);
  entry.schedule = parseSchedule(cursor.at("schedule"));
  if (cursor.has("groups"))
    entry.groups = parseGroups(cursor.at("groups"), manifest.devices);
  if (cursor.has("collectives"))
    entry.collectives =
        parseCollectives(cursor.at("collectives"), entry.groups);
  JsonCursor ranks = cursor.at("ranks");
  std::set<int64_t> seen;
  for (size_t i = 0; i < ranks.size(); ++i) {
    entry.ranks.push_back(parseRank(ranks.at(i), manifest, entry));
    if (!seen.insert(entry.ranks.back().device).second)
      ranks.at(i).at("device").fail("device " +
                                    std::to_string(entry.ranks.back().device) +
                                    " has more than one program");
  }
  checkTransfers(ranks, entry);
  checkCollectives(ranks, entry);
  return entry;
}

GpuTarget parseGpuTarget(const JsonCursor &cursor) {
  GpuTarget target;
  target.chip = cursor.at("chip").string();
  if (target.chip.rfind("sm_", 0) != 0)
    cursor.at("chip").expected("the name of a chip, such as sm_90");
  target.format = cursor.at("format").string();
  if (target.format != "bin" && target.format != "isa")
    cursor.at("format").expected("bin or isa");
  target.hostReferences = cursor.at("host_references").boolean();
  return target;
}

Manifest parseRoot(const JsonCursor &cursor) {
  Manifest manifest;
  cursor.at("version").integer(1, 1);
  manifest.devices = cursor.at("devices").integer(1, maxDevices);
  if (cursor.has("training"))
    manifest.training = cursor.at("training").string();
  if (cursor.has("topology"))
    manifest.topology = cursor.at("topology").string();
  if (cursor.has("gpu"))
    manifest.gpu = parseGpuTarget(cursor.at("gpu"));
  JsonCursor tensors = cursor.at("tensors");
  for (size_t i = 0; i < tensors.size(); ++i) {
    TensorInfo info = parseTensor(tensors.at(i));
    if (manifest.tensorNamed(info.name))
      tensors.at(i).at("name").fail("the name '" + info.name +
                                    "' is used twice");
    manifest.tensors.push_back(std::move(info));
  }
  JsonCursor entries = cursor.at("entries");
  for (size_t i = 0; i < entries.size(); ++i) {
    EntryInfo entry = parseEntry(entries.at(i), manifest);
    if (manifest.entry(entry.name))
      entries.at(i).at("name").fail("the name '" + entry.name +
                                    "' is used twice");
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
  try {
    Manifest manifest = parseRoot(JsonCursor(json, ""));
    manifest.textBytes = int64_t(text.size());
    manifest.textChecksum = int64_t(
        crc32_z(0, reinterpret_cast<const Bytef *>(text.data()), text.size()));
    return manifest;
  } catch (const JsonError &error) {
    return Error{source + ": " + error.what()};
  }
}
