//===- KernelGrids.cpp - Products and attention of a profile --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences are one character each: its place in `digits`, less 32, times the
// step.
//
//===----------------------------------------------------------------------===//

#include "KernelGrids.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

using namespace soap;

static constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static constexpr int middleDigit = 32;
static constexpr size_t maxNodes = 1 << 20;
static constexpr int64_t maxSize = int64_t(1) << 40;
static constexpr double maxTimeNs = 1e15;

static constexpr std::array<std::pair<const char *, double ProductTimes::*>, 7>
    productTimes = {{{"launch", &ProductTimes::launch},
                     {"wave", &ProductTimes::wave},
                     {"row", &ProductTimes::row},
                     {"operand", &ProductTimes::operand},
                     {"cache", &ProductTimes::cache},
                     {"memory", &ProductTimes::memory},
                     {"split", &ProductTimes::split}}};

static std::vector<int64_t> readAxis(const jsonfile::Cursor &at) {
  std::vector<int64_t> axis;
  for (const jsonfile::Cursor &element : at.elements()) {
    int64_t size = element.integer(1, maxSize);
    if (!axis.empty() && size <= axis.back())
      element.failExpected("a larger size than the one before");
    axis.push_back(size);
  }
  if (axis.size() < 2)
    at.fail("expected at least 2 sizes, got " + std::to_string(axis.size()));
  return axis;
}

static size_t nodesOf(const jsonfile::Cursor &at, size_t a, size_t b,
                      size_t c) {
  if (a > maxNodes || b > maxNodes || c > maxNodes || a * b > maxNodes ||
      a * b * c > maxNodes)
    at.fail("expected at most " + std::to_string(maxNodes) +
            " nodes of a grid");
  return a * b * c;
}

static std::vector<double> readDifferences(const jsonfile::Cursor &at,
                                           size_t nodes, double step) {
  std::string text = at.string();
  if (text.size() != nodes)
    at.fail("expected " + std::to_string(nodes) +
            " characters, one a node of the grid, got " +
            std::to_string(text.size()));
  std::vector<double> values;
  for (char c : text) {
    size_t place = digits.find(c);
    if (place == std::string_view::npos)
      at.fail(std::string("expected letters, digits, + and /, got '") + c +
              "'");
    values.push_back((static_cast<double>(place) - middleDigit) * step);
  }
  return values;
}

static void readProducts(const jsonfile::Cursor &at, Profile &profile) {
  at.expectObject({"dtype", "processors", "cache_bytes", "times_ns", "tile_ns",
                   "odd_features", "rows", "columns", "depths", "step",
                   "differences", "odd_differences"});
  ProductGrid grid;
  grid.dtype = at["dtype"].string();
  if (grid.dtype != "bf16" && grid.dtype != "f8" && grid.dtype != "f4")
    at["dtype"].failExpected("one of bf16, f8, f4");
  for (const ProductGrid &other : profile.products)
    if (other.dtype == grid.dtype)
      at["dtype"].fail("duplicate products of " + grid.dtype);
  grid.processors = static_cast<int>(at["processors"].integer(1, 1 << 20));
  grid.cacheBytes = at["cache_bytes"].integer(1, maxSize);
  jsonfile::Cursor times = at["times_ns"];
  times.expectObject(
      {"launch", "wave", "row", "operand", "cache", "memory", "split"});
  for (auto [name, member] : productTimes)
    grid.times.*member = times[name].number(0, maxTimeNs);
  for (const jsonfile::Cursor &tile : at["tile_ns"].elements())
    grid.tileNs.push_back(tile.number(1e-6, maxTimeNs));
  if (grid.tileNs.size() != productTiles.size())
    at["tile_ns"].fail("expected " + std::to_string(productTiles.size()) +
                       " times, one a size of tiles, got " +
                       std::to_string(grid.tileNs.size()));
  grid.oddFeatures = at["odd_features"].number(1, 100);
  grid.rows = readAxis(at["rows"]);
  grid.columns = readAxis(at["columns"]);
  grid.depths = readAxis(at["depths"]);
  size_t nodes =
      nodesOf(at, grid.rows.size(), grid.columns.size(), grid.depths.size());
  grid.step = at["step"].number(1e-6, 1);
  grid.differences = readDifferences(at["differences"], nodes, grid.step);
  grid.oddDifferences =
      readDifferences(at["odd_differences"], nodes, grid.step);
  profile.products.push_back(std::move(grid));
}

static void readAttention(const jsonfile::Cursor &at, Profile &profile) {
  at.expectObject({"causal", "width", "heads", "positions", "key_heads", "ns"});
  AttentionGrid grid;
  grid.isCausal = at["causal"].boolean();
  grid.width = at["width"].integer(1, 1 << 20);
  for (const AttentionGrid &other : profile.attention)
    if (other.width == grid.width && other.isCausal == grid.isCausal)
      at["width"].fail("duplicate attention of heads of " +
                       std::to_string(grid.width));
  grid.heads = readAxis(at["heads"]);
  grid.positions = readAxis(at["positions"]);
  grid.keyHeads = readAxis(at["key_heads"]);
  size_t nodes = nodesOf(at, grid.heads.size(), grid.positions.size(),
                         grid.keyHeads.size());
  for (const jsonfile::Cursor &time : at["ns"].elements())
    grid.ns.push_back(time.integer(1, static_cast<int64_t>(maxTimeNs)));
  if (grid.ns.size() != nodes)
    at["ns"].fail("expected " + std::to_string(nodes) +
                  " times, one a node of the grid, got " +
                  std::to_string(grid.ns.size()));
  profile.attention.push_back(std::move(grid));
}

void soap::readKernelGrids(const jsonfile::Cursor &root, Profile &profile) {
  if (root.has("products"))
    for (const jsonfile::Cursor &element : root["products"].elements())
      readProducts(element, profile);
  if (root.has("attention"))
    for (const jsonfile::Cursor &element : root["attention"].elements())
      readAttention(element, profile);
}

/// Shortest text that reads back.
static std::string show(double value) { return nlohmann::json(value).dump(); }

template <typename T>
static std::string showList(const std::vector<T> &values) {
  return nlohmann::json(values).dump();
}

static std::string showDifferences(const std::vector<double> &values,
                                   double step) {
  std::string text;
  for (double value : values) {
    auto level = static_cast<int>(std::lround(value / step)) + middleDigit;
    text += digits[static_cast<size_t>(
        std::clamp(level, 0, static_cast<int>(digits.size()) - 1))];
  }
  return jsonfile::quote(text);
}

static std::string show(const ProductGrid &grid) {
  std::string text = "{\"dtype\":" + jsonfile::quote(grid.dtype) +
                     ",\"processors\":" + std::to_string(grid.processors) +
                     ",\"cache_bytes\":" + std::to_string(grid.cacheBytes) +
                     ",\"times_ns\":{";
  for (auto [name, member] : productTimes)
    text += (text.back() == '{' ? "\"" : ",\"") + std::string(name) +
            "\":" + show(grid.times.*member);
  return text + "},\"tile_ns\":" + showList(grid.tileNs) +
         ",\"odd_features\":" + show(grid.oddFeatures) +
         ",\n\"rows\":" + showList(grid.rows) +
         ",\n\"columns\":" + showList(grid.columns) +
         ",\n\"depths\":" + showList(grid.depths) +
         ",\n\"step\":" + show(grid.step) +
         ",\n\"differences\":" + showDifferences(grid.differences, grid.step) +
         ",\n\"odd_differences\":" +
         showDifferences(grid.oddDifferences, grid.step) + "}";
}

static std::string show(const AttentionGrid &grid) {
  return std::string("{\"causal\":") + (grid.isCausal ? "true" : "false") +
         ",\"width\":" + std::to_string(grid.width) +
         ",\"heads\":" + showList(grid.heads) +
         ",\"positions\":" + showList(grid.positions) +
         ",\"key_heads\":" + showList(grid.keyHeads) +
         ",\n\"ns\":" + showList(grid.ns) + "}";
}

template <typename T>
static void printList(const char *key, const std::vector<T> &values,
                      std::string &text) {
  if (values.empty())
    return;
  text += std::string(",\n\"") + key + "\":[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ",\n" : "\n") + show(values[i]);
  text += "]";
}

void soap::printKernelGrids(const Profile &profile, std::string &text) {
  printList("products", profile.products, text);
  printList("attention", profile.attention, text);
}
