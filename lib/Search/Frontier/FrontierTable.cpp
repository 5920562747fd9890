//===- FrontierTable.cpp - Frontiers by configs, and their traces ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierTable.h.
//
//===----------------------------------------------------------------------===//

#include "FrontierTable.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <thread>

using namespace soap;

//===----------------------------------------------------------------------===//
// TraceArena
//===----------------------------------------------------------------------===//

uint32_t TraceArena::Writer::pair(uint32_t left, uint32_t right,
                                  int leftSlots) {
  // An entry that covers no slots takes no place.
  if (right == nothing)
    return left;
  if (left == nothing && leftSlots == 0)
    return right;
  if (next == end) {
    std::lock_guard lock(arena->mutex);
    if (arena->chunks.size() == maxChunks) {
      arena->full = true;
      return nothing;
    }
    next = static_cast<uint32_t>(arena->chunks.size()) * chunkSize;
    end = next + chunkSize;
    arena->chunks.push_back(std::make_unique_for_overwrite<Pair[]>(chunkSize));
    chunk = arena->chunks.back().get();
    arena->bytesUsed += int64_t(chunkSize) * int64_t(sizeof(Pair));
    if (next == nothing)
      ++next;
  }
  chunk[next % chunkSize] = {left, right, static_cast<uint32_t>(leftSlots)};
  return next++;
}

void TraceArena::unroll(
    uint32_t trace,
    const std::function<void(int slot, int config)> &visit) const {
  std::vector<std::pair<uint32_t, int>> pending = {{trace, 0}};
  while (!pending.empty()) {
    auto [top, slot] = pending.back();
    pending.pop_back();
    if (top == nothing)
      continue;
    if (top & leafBit) {
      visit(slot, static_cast<int>(top & ~leafBit));
      continue;
    }
    const Pair &pair = chunks[top / chunkSize][top % chunkSize];
    pending.emplace_back(pair.left, slot);
    pending.emplace_back(pair.right, slot + static_cast<int>(pair.leftSlots));
  }
}

//===----------------------------------------------------------------------===//
// TableBuilder
//===----------------------------------------------------------------------===//

/// Unites the scratch's candidates with `points` moved by another point.
void TableBuilder::addShifted(Points points, const FrontierPoint &by,
                              bool byIsLeft, int64_t maxBytes,
                              Scratch &scratch) {
  std::vector<Candidate> &united = scratch.united, &other = scratch.other;
  int64_t least = points.front().memoryBytes + by.memoryBytes,
          fastest = points.back().timeNs + by.timeNs;
  if (least > maxBytes)
    return;
  // Nothing new if some candidate is at least as good as the best of both.
  auto beyond = std::partition_point(
      united.begin(), united.end(),
      [&](const Candidate &c) { return c.memoryBytes <= least; });
  if (beyond != united.begin() && (beyond - 1)->timeNs <= fastest)
    return;
  other.clear();
  other.reserve(united.size() + points.size());
  size_t a = 0, b = 0;
  // Points with less memory than all new points stay as they are. One with as
  // much memory as the least of them may be slower: it is compared.
  if (beyond != united.begin() && (beyond - 1)->memoryBytes == least)
    --beyond;
  a = static_cast<size_t>(beyond - united.begin());
  other.insert(other.end(), united.begin(), beyond);
  while (a < united.size() || b < points.size()) {
    Candidate next = {};
    if (b < points.size()) {
      next.memoryBytes = points[b].memoryBytes + by.memoryBytes;
      next.timeNs = points[b].timeNs + by.timeNs;
    }
    bool takeOld =
        b == points.size() ||
        (a < united.size() && (united[a].memoryBytes != next.memoryBytes
                                   ? united[a].memoryBytes < next.memoryBytes
                                   : united[a].timeNs <= next.timeNs));
    if (takeOld) {
      next = united[a++];
    } else {
      if (next.memoryBytes > maxBytes) {
        b = points.size();
        continue;
      }
      next.left = byIsLeft ? by.trace : points[b].trace;
      next.right = byIsLeft ? points[b].trace : by.trace;
      ++b;
    }
    if (other.empty() || next.timeNs < other.back().timeNs)
      other.push_back(next);
  }
  united.swap(other);
}

void TableBuilder::addProduct(const Product &product, int64_t maxBytes,
                              Scratch &scratch) {
  if (product.left.empty() || product.right.empty())
    return; // forbidden
  if (product.left.size() < product.right.size())
    for (const FrontierPoint &point : product.left)
      addShifted(product.right, point, true, maxBytes, scratch);
  else
    for (const FrontierPoint &point : product.right)
      addShifted(product.left, point, false, maxBytes, scratch);
}

std::shared_ptr<const FrontierTable>
TableBuilder::build(int rows, int columns, const FrontierTable &left,
                    const FrontierTable &right, double workPerEntry,
                    const ListProducts &list) {
  auto table = std::make_shared<FrontierTable>();
  table->rows = rows;
  table->columns = columns;
  table->slots = left.slots + right.slots;
  table->leastBytes = left.leastBytes + right.leastBytes;
  int64_t maxBytes = std::numeric_limits<int64_t>::max();
  if (limits.limitBytes >= 0)
    maxBytes = limits.limitBytes - (limits.leastBytes - table->leastBytes);

  size_t count = static_cast<size_t>(rows) * static_cast<size_t>(columns);
  std::vector<Frontier> entries(count);
  std::vector<double> tolerances(count);
  std::atomic<size_t> next{0};
  std::atomic<bool> isStopped{false};
  auto work = [&](TraceArena::Writer &writer) {
    Scratch scratch;
    for (size_t e; (e = next++) < count && !isStopped;) {
      if (stopped()) {
        isStopped = true;
        return;
      }
      scratch.products.clear();
      scratch.united.clear();
      list(static_cast<int>(e / static_cast<size_t>(columns)),
           static_cast<int>(e % static_cast<size_t>(columns)),
           scratch.products);
      for (const Product &product : scratch.products)
        addProduct(product, maxBytes, scratch);
      Frontier &entry = entries[e];
      entry.resize(scratch.united.size());
      for (size_t i = 0; i < entry.size(); ++i)
        entry[i] = {scratch.united[i].memoryBytes, scratch.united[i].timeNs,
                    static_cast<uint32_t>(i)};
      if (limits.tolerance > 0 && trimFrontier(entry, limits.tolerance))
        tolerances[e] = limits.tolerance;
      if (limits.maxPoints > 0 &&
          entry.size() > static_cast<size_t>(limits.maxPoints)) {
        double tolerance =
            toleranceFor(entry, static_cast<size_t>(limits.maxPoints));
        trimFrontier(entry, tolerance);
        tolerances[e] = (1 + tolerances[e]) * (1 + tolerance) - 1;
      }
      for (FrontierPoint &point : entry) {
        const Candidate &from = scratch.united[point.trace];
        point.trace = writer.pair(from.left, from.right, left.slots);
      }
      assert(isFrontier(entry) && "memory rises, time falls");
      entry.shrink_to_fit();
    }
  };
  // A thread takes some tens of microseconds to start.
  constexpr double workOfThread = 2e5;
  int helpers = static_cast<int>(
      std::min({static_cast<double>(threads - 1), static_cast<double>(count),
                workPerEntry * static_cast<double>(count) / workOfThread}));
  std::vector<std::thread> pool;
  for (int t = 0; t < helpers; ++t)
    pool.emplace_back(work, std::ref(writers[static_cast<size_t>(t) + 1]));
  work(writers[0]);
  for (std::thread &thread : pool)
    thread.join();
  if (isStopped || arena.isFull())
    return nullptr;

  table->error = 0;
  table->start.reserve(count + 1);
  size_t total = 0;
  for (const Frontier &entry : entries) {
    table->start.push_back(total);
    total += entry.size();
    largest = std::max(largest, static_cast<int64_t>(entry.size()));
  }
  table->start.push_back(total);
  assert(table->start.size() == count + 1 && "a start an entry, and the end");
  table->points.reserve(total);
  for (Frontier &entry : entries) {
    table->points.insert(table->points.end(), entry.begin(), entry.end());
    Frontier().swap(entry);
  }
  double trim = *std::max_element(tolerances.begin(), tolerances.end());
  table->error = (1 + std::max(left.error, right.error)) * (1 + trim) - 1;
  return table;
}
