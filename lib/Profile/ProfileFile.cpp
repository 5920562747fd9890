//===- ProfileFile.cpp - Profiles as JSON ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file format of docs/CostModel.md: reading with every mistake named, and
// writing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/Profile.h"

#include "KernelGrids.h"
#include "Support/Json.h"

#include "Soap/Model/OpShape.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace soap;

OpShape soap::shapeOf(const ProfileTable &table, std::span<const int64_t> row) {
  OpShape shape;
  shape.op = table.op;
  shape.direction = table.direction;
  shape.loops = table.loops;
  size_t loops = table.loops.size();
  shape.extents.assign(row.begin(), row.begin() + loops);
  shape.strides.assign(row.begin() + loops,
                       row.begin() + loops + table.strides);
  shape.bytes = row[loops + table.strides];
  shape.sizes = sizesOf(shape.op, shape.loops, shape.extents, shape.strides,
                        shape.direction, shape.bytes);
  return shape;
}

bool soap::isAligned(const std::vector<double> &sizes,
                     const std::string &dtype) {
  int64_t multiple = dtype == "bf16" || dtype == "f16" ? 8
                     : dtype == "tf32"                 ? 4
                                                       : 1;
  if (sizes.size() <= 2)
    return true;
  return static_cast<int64_t>(sizes[1]) % multiple == 0 &&
         static_cast<int64_t>(sizes[2]) % multiple == 0;
}

namespace {

constexpr size_t maxTables = 4096, maxEntries = 2048, maxLoops = 32,
                 maxTerms = 256;
constexpr int64_t maxExtent = int64_t(1) << 40, maxNs = int64_t(1e15);
constexpr double nsPerSecond = 1e9;
const char *const directions[] = {"forward", "input_grad", "weight_grad",
                                  "backward"};
const char *const dtypes[] = {"f64",  "f32", "tf32", "f16",
                              "bf16", "f8",  "f4",   "i8"};
constexpr CurveResource resources[] = {
    CurveResource::Launch, CurveResource::Memory, CurveResource::Compute};
constexpr CollectiveKind collectives[] = {
    CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
    CollectiveKind::AllGather, CollectiveKind::AllToAll,
    CollectiveKind::Broadcast, CollectiveKind::Reduce};

/// `a` is no larger than `b` in any respect, with the same strides.
bool isWithin(const ProfileTable &table, const ProfileEntry &a,
              const ProfileEntry &b) {
  size_t loops = table.loops.size();
  for (size_t i = 0; i < a.shape.size(); ++i) {
    bool isStride = i >= loops && i < loops + table.strides;
    if (isStride ? a.shape[i] != b.shape[i] : a.shape[i] > b.shape[i])
      return false;
  }
  return true;
}

class ProfileReader {
public:
  Profile read(const jsonfile::Cursor &root) {
    root.expectObject({"version", "device", "source", "flops_per_s",
                       "memory_bandwidth_bytes_per_s", "launch_s",
                       "cache_bytes", "run_spread", "tables", "curves",
                       "collectives", "link_bandwidth_bytes_per_s", "base",
                       "products", "attention"});
    root.expectVersion();
    profile.device = root["device"].string();
    if (root.has("source"))
      profile.source = root["source"].string();
    if (root.has("base")) {
      profile.base = root["base"].string();
      if (!builtinProfileText(profile.base))
        root["base"].failExpected("a built-in profile, one of " +
                                  builtinProfileNames());
    }
    jsonfile::Cursor flops = root["flops_per_s"];
    flops.expectObject({"f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8"});
    flops["f32"]; // the one that must be there
    for (const char *dtype : dtypes)
      if (flops.has(dtype))
        profile.flopsPerSecond[dtype] = flops[dtype].number(1, 1e21);
    profile.memoryBandwidthBytesPerSecond =
        root["memory_bandwidth_bytes_per_s"].number(1, 1e18);
    profile.launchNs = std::max<int64_t>(
        std::llround(root["launch_s"].number(0, 1000) * nsPerSecond), 1);
    if (root.has("cache_bytes"))
      profile.cacheBytes = root["cache_bytes"].integer(1, maxExtent);
    if (root.has("run_spread"))
      profile.runSpread = root["run_spread"].number(0, 1e9);
    if (root.has("link_bandwidth_bytes_per_s"))
      profile.linkBandwidthBytesPerSecond =
          root["link_bandwidth_bytes_per_s"].number(1, 1e18);
    readList(root, "tables", &ProfileReader::readTable);
    readList(root, "curves", &ProfileReader::readCurve);
    readList(root, "collectives", &ProfileReader::readCollective);
    profile.leavesCollectivesToLinks =
        root.has("collectives") && profile.collectives.empty();
    readKernelGrids(root, profile);
    return std::move(profile);
  }

private:
  Profile profile;
  std::set<std::string> names;

  void readList(const jsonfile::Cursor &root, const char *key,
                void (ProfileReader::*readElement)(const jsonfile::Cursor &)) {
    if (!root.has(key))
      return;
    std::vector<jsonfile::Cursor> elements = root[key].elements();
    if (elements.size() > maxTables)
      return root[key].fail("expected at most " + std::to_string(maxTables) +
                            " elements, got " +
                            std::to_string(elements.size()));
    for (const jsonfile::Cursor &element : elements)
      (this->*readElement)(element);
  }

  template <size_t n>
  std::string oneOf(const jsonfile::Cursor &at,
                    const char *const (&values)[n]) {
    std::string text = at.string(), list;
    for (const char *value : values) {
      if (text == value)
        return text;
      list += std::string(list.empty() ? "" : ", ") + value;
    }
    at.failExpected("one of " + list);
  }

  /// Says what a table or a curve is for; there must be one at most.
  template <typename T>
  void readKey(const jsonfile::Cursor &at, T &what, std::string place) {
    what.op = at["op"].string();
    what.direction = oneOf(at["direction"], directions);
    what.dtype = oneOf(at["dtype"], dtypes);
    OpShape shape;
    splitKind(what.op, shape);
    if (shape.op != what.op)
      at["op"].fail("expected op '" + shape.op + "' with direction " +
                    shape.direction + ", got '" + what.op + "'");
    std::string key = place + what.op + " " + what.direction + " " + what.dtype;
    if (!names.insert(key).second)
      at.fail("duplicate entry for op '" + what.op + "', " + what.direction +
              ", " + what.dtype);
  }

  void readTable(const jsonfile::Cursor &at) {
    at.expectObject({"op", "direction", "dtype", "loops", "strides", "lengths",
                     "spread", "noise", "alignment", "entries"});
    ProfileTable table;
    std::vector<jsonfile::Cursor> loops = at["loops"].elements();
    if (loops.size() > maxLoops)
      at["loops"].fail("expected at most " + std::to_string(maxLoops) +
                       " loops, got " + std::to_string(loops.size()));
    std::string list;
    for (const jsonfile::Cursor &loop : loops) {
      std::string name = loop.string();
      if (std::find(table.loops.begin(), table.loops.end(), name) !=
          table.loops.end())
        loop.fail("duplicate loop '" + name + "'");
      list += name + ",";
      table.loops.push_back(std::move(name));
    }
    readKey(at, table, "table " + list);
    if (isCopy(table.op) && !table.loops.empty() &&
        !std::equal(table.loops.begin(), table.loops.end(),
                    copySizeNames.begin(), copySizeNames.end()))
      at["loops"].fail("expected none, or copied, runs, cold_bytes, cold_runs, "
                       "for op '" +
                       table.op + "'");
    if (isByPoints(table) && (table.op == "conv2d" || table.op == "matmul"))
      at["loops"].fail("expected the loops of op '" + table.op +
                       "', got points, by which other ops can be measured");
    if (table.op == "matmul" &&
        table.loops != std::vector<std::string>{"m", "n", "k"})
      at["loops"].fail("expected m, n, k for op 'matmul'");
    if (at.has("strides"))
      table.strides = static_cast<int>(at["strides"].integer(0, maxLoops));
    if (at.has("lengths"))
      readLengths(at["lengths"], table);
    if (at.has("spread"))
      table.spread = at["spread"].number(1e-6, 100);
    if (at.has("noise"))
      table.noise = at["noise"].number(1e-6, 100);
    if (at.has("alignment"))
      table.alignment = at["alignment"].number(0, 100);
    readEntries(at["entries"], table);
    profile.tables.push_back(std::move(table));
  }

  /// One for each size of the op's shapes.
  void readLengths(const jsonfile::Cursor &at, ProfileTable &table) {
    for (const jsonfile::Cursor &length : at.elements())
      table.lengths.push_back(length.number(1e-3, 1e3));
    size_t sizes = sizeCount(table.op, table.loops.size());
    if (table.lengths.size() != sizes)
      at.fail("expected " + std::to_string(sizes) +
              " lengths, one for each size of op '" + table.op + "', got " +
              std::to_string(table.lengths.size()));
  }

  /// Each `[extents..., strides..., bytes, ns]`.
  void readEntries(const jsonfile::Cursor &at, ProfileTable &table) {
    std::vector<jsonfile::Cursor> rows = at.elements();
    if (rows.empty() || rows.size() > maxEntries)
      return at.fail("expected 1 to " + std::to_string(maxEntries) +
                     " entries, got " + std::to_string(rows.size()));
    size_t width = table.loops.size() + table.strides + 2;
    for (const jsonfile::Cursor &row : rows) {
      std::vector<jsonfile::Cursor> numbers = row.elements();
      if (numbers.size() != width)
        return row.fail("expected " + std::to_string(width) +
                        " numbers (loops, strides, bytes, ns), got " +
                        std::to_string(numbers.size()));
      ProfileEntry entry;
      for (size_t i = 0; i + 1 < width; ++i)
        entry.shape.push_back(numbers[i].integer(1, maxExtent));
      entry.ns = numbers.back().integer(1, maxNs);
      table.entries.push_back(std::move(entry));
    }
    for (size_t i = 0; i < table.entries.size(); ++i)
      for (size_t j = 0; j < table.entries.size(); ++j)
        checkOrder(rows, table, i, j);
  }

  void checkOrder(const std::vector<jsonfile::Cursor> &rows,
                  const ProfileTable &table, size_t small, size_t large) {
    const ProfileEntry &a = table.entries[small], &b = table.entries[large];
    if (small == large || !isWithin(table, a, b))
      return;
    if (a.shape == b.shape)
      return rows[std::max(small, large)].fail(
          "duplicate shape, entry " + std::to_string(std::min(small, large)) +
          " has it, too");
    if (static_cast<double>(a.ns) >
        maxProfileDisorder * static_cast<double>(b.ns))
      rows[large].fail(
          "not monotone: expected no less than an eighth of the " +
          std::to_string(a.ns) + " ns of entry " + std::to_string(small) +
          ", which is no larger in any respect, got " + std::to_string(b.ns));
  }

  void readCurve(const jsonfile::Cursor &at) {
    at.expectObject({"op", "direction", "dtype", "terms"});
    CostCurve curve;
    readKey(at, curve, "curve ");
    std::vector<jsonfile::Cursor> terms = at["terms"].elements();
    if (terms.empty() || terms.size() > maxTerms)
      return at["terms"].fail("expected 1 to " + std::to_string(maxTerms) +
                              " terms, got " + std::to_string(terms.size()));
    for (const jsonfile::Cursor &element : terms) {
      element.expectObject({"resource", "ns", "powers"});
      CurveTerm term;
      const char *const names[] = {"launch", "memory", "compute"};
      std::string resource = oneOf(element["resource"], names);
      for (CurveResource candidate : resources)
        if (resource == resourceName(candidate))
          term.resource = candidate;
      term.ns = element["ns"].number(0, 1e15);
      if (element.has("powers"))
        for (const jsonfile::Cursor &power : element["powers"].elements())
          term.powers.push_back(power.number(0, 8));
      // Copies may have the sizes of CopyGeometry.h.
      size_t sizes =
          sizeCount(curve.op, isCopy(curve.op) ? copySizeNames.size() : 0);
      if (term.powers.size() > sizes)
        element["powers"].fail("expected at most " + std::to_string(sizes) +
                               " powers for op '" + curve.op + "', got " +
                               std::to_string(term.powers.size()));
      curve.terms.push_back(std::move(term));
    }
    profile.curves.push_back(std::move(curve));
  }

  void readCollective(const jsonfile::Cursor &at) {
    at.expectObject({"kind", "devices", "nodes", "entries"});
    CollectiveEntries measured;
    const char *const kinds[] = {"all-reduce", "reduce-scatter", "all-gather",
                                 "all-to-all", "broadcast",      "reduce"};
    std::string kind = oneOf(at["kind"], kinds);
    for (CollectiveKind candidate : collectives)
      if (kind == collectiveName(candidate))
        measured.kind = candidate;
    measured.devices = static_cast<int>(at["devices"].integer(2, 1 << 20));
    if (at.has("nodes"))
      measured.nodes =
          static_cast<int>(at["nodes"].integer(1, measured.devices));
    if (!names
             .insert("collective " + kind + " " +
                     std::to_string(measured.devices) + " " +
                     std::to_string(measured.nodes))
             .second)
      at.fail("duplicate entry for " + kind + " of " +
              std::to_string(measured.devices) + " devices on " +
              std::to_string(measured.nodes) + " nodes");
    std::vector<jsonfile::Cursor> rows = at["entries"].elements();
    if (rows.empty() || rows.size() > maxEntries)
      return at["entries"].fail("expected 1 to " + std::to_string(maxEntries) +
                                " entries, got " + std::to_string(rows.size()));
    for (const jsonfile::Cursor &row : rows) {
      std::vector<jsonfile::Cursor> numbers = row.elements();
      if (numbers.size() != 2)
        return row.fail("expected 2 numbers (bytes, ns), got " +
                        std::to_string(numbers.size()));
      std::array<int64_t, 2> entry = {numbers[0].integer(0, int64_t(1) << 60),
                                      numbers[1].integer(1, maxNs)};
      if (!measured.entries.empty()) {
        if (entry[0] <= measured.entries.back()[0])
          numbers[0].failExpected("more bytes than in the entry before");
        if (entry[1] < measured.entries.back()[1])
          numbers[1].fail("not monotone: expected at least the " +
                          std::to_string(measured.entries.back()[1]) +
                          " ns of the entry before, which has fewer bytes, "
                          "got " +
                          std::to_string(entry[1]));
      }
      measured.entries.push_back(entry);
    }
    profile.collectives.push_back(std::move(measured));
  }
};

/// Numbers without the library's trailing `.0`; shortest text that reads back.
std::string show(double value) { return nlohmann::json(value).dump(); }

template <typename T, typename Print>
void printRow(std::string &text, const std::vector<T> &values, Print print) {
  text += '[';
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? "," : "") + print(values[i]);
  text += ']';
}

template <typename T>
std::string key(const T &of) {
  return "\"op\":" + jsonfile::quote(of.op) +
         ",\"direction\":" + jsonfile::quote(of.direction) +
         ",\"dtype\":" + jsonfile::quote(of.dtype);
}

} // namespace

const char *soap::resourceName(CurveResource resource) {
  switch (resource) {
  case CurveResource::Launch:
    return "launch";
  case CurveResource::Memory:
    return "memory";
  case CurveResource::Compute:
    return "compute";
  }
  return "";
}

std::string soap::doubtsOf(const Profile &profile) {
  if (profile.runSpread <= maxRunSpread)
    return "";
  auto percent = [](double share) {
    return std::to_string(std::llround(100 * std::min(share, 1e6))) + " %";
  };
  return "measured times of device type '" + profile.device +
         "' may be too long: slower runs took " + percent(profile.runSpread) +
         " longer than the fastest, expected at most " + percent(maxRunSpread) +
         ", as on a machine that does nothing else; measure again on one";
}

Expected<Profile> soap::parseProfile(const std::string &text,
                                     const std::string &file) {
  Expected<nlohmann::json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [](const jsonfile::Cursor &root) {
    return ProfileReader().read(root);
  });
}

Expected<Profile> soap::loadProfile(const std::string &nameOrFile) {
  if (const char *builtin = builtinProfileText(nameOrFile))
    return parseProfile(builtin, nameOrFile);
  Expected<std::optional<std::string>> text = jsonfile::readFile(nameOrFile);
  if (!text)
    return text.takeError();
  if (*text)
    return parseProfile(**text, nameOrFile);
  return Error{"unknown profile '" + nameOrFile +
               "', expected a file or one of " + builtinProfileNames()};
}

/// One line per entry of a list: large, but to be read and compared.
std::string soap::printProfile(const Profile &profile) {
  auto integer = [](int64_t value) { return std::to_string(value); };
  std::string text =
      "{\"version\":1,\"device\":" + jsonfile::quote(profile.device);
  if (!profile.source.empty())
    text += ",\n\"source\":" + jsonfile::quote(profile.source);
  if (!profile.base.empty())
    text += ",\n\"base\":" + jsonfile::quote(profile.base);
  text += ",\n\"flops_per_s\":{";
  bool first = true;
  for (const auto &[dtype, flops] : profile.flopsPerSecond) {
    text += (first ? "" : ",") + jsonfile::quote(dtype) + ":" + show(flops);
    first = false;
  }
  text += "},\"memory_bandwidth_bytes_per_s\":" +
          show(profile.memoryBandwidthBytesPerSecond) + ",\"launch_s\":" +
          show(static_cast<double>(profile.launchNs) / nsPerSecond);
  if (profile.cacheBytes != defaultCacheBytes)
    text += ",\"cache_bytes\":" + std::to_string(profile.cacheBytes);
  if (profile.runSpread > 0)
    text += ",\"run_spread\":" + show(profile.runSpread);
  if (profile.linkBandwidthBytesPerSecond > 0)
    text += ",\"link_bandwidth_bytes_per_s\":" +
            show(profile.linkBandwidthBytesPerSecond);
  text += ",\n\"tables\":[";
  for (size_t t = 0; t < profile.tables.size(); ++t) {
    const ProfileTable &table = profile.tables[t];
    text += (t ? ",\n{" : "\n{") + key(table) + ",\"loops\":";
    printRow(text, table.loops, jsonfile::quote);
    text += ",\"strides\":" + std::to_string(table.strides);
    if (!table.lengths.empty()) {
      text += ",\"lengths\":";
      printRow(text, table.lengths, show);
    }
    text += ",\"spread\":" + show(table.spread) +
            ",\"noise\":" + show(table.noise) +
            ",\"alignment\":" + show(table.alignment) + ",\"entries\":[";
    for (size_t e = 0; e < table.entries.size(); ++e) {
      std::vector<int64_t> row = table.entries[e].shape;
      row.push_back(table.entries[e].ns);
      text += e ? ",\n" : "\n";
      printRow(text, row, integer);
    }
    text += "]}";
  }
  text += "],\n\"curves\":[";
  for (size_t c = 0; c < profile.curves.size(); ++c) {
    const CostCurve &curve = profile.curves[c];
    text += (c ? ",\n{" : "\n{") + key(curve) + ",\"terms\":[";
    for (size_t t = 0; t < curve.terms.size(); ++t) {
      const CurveTerm &term = curve.terms[t];
      text += (t ? ",\n" : "\n") + std::string("{\"resource\":\"") +
              resourceName(term.resource) + "\",\"ns\":" + show(term.ns);
      if (!term.powers.empty()) {
        text += ",\"powers\":";
        printRow(text, term.powers, show);
      }
      text += "}";
    }
    text += "]}";
  }
  text += "]";
  if (!profile.collectives.empty() || profile.leavesCollectivesToLinks)
    text += ",\n\"collectives\":[";
  for (size_t c = 0; c < profile.collectives.size(); ++c) {
    const CollectiveEntries &measured = profile.collectives[c];
    text += (c ? ",\n{" : "\n{") + std::string("\"kind\":\"") +
            collectiveName(measured.kind) +
            "\",\"devices\":" + std::to_string(measured.devices) +
            ",\"nodes\":" + std::to_string(measured.nodes) + ",\"entries\":[";
    for (size_t e = 0; e < measured.entries.size(); ++e)
      text += (e ? "," : "") + std::string("[") +
              std::to_string(measured.entries[e][0]) + "," +
              std::to_string(measured.entries[e][1]) + "]";
    text += "]}";
  }
  if (!profile.collectives.empty() || profile.leavesCollectivesToLinks)
    text += "]";
  printKernelGrids(profile, text);
  return text + "}\n";
}
