//===- FrontierTable.h - Frontiers by configs, and their traces -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of frontier tracking: a frontier per config of a node, or per
// pair of configs of two nodes, and a compact record of how each point was
// made. Traces are relative: a leaf says a config, and the place of the leaf
// says of which node. So identical layers share one table.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_FRONTIER_FRONTIERTABLE_H
#define SOAP_LIB_SEARCH_FRONTIER_FRONTIERTABLE_H

#include "Soap/Search/Frontier/Frontier.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <functional>
#include <memory>
#include <mutex>

namespace soap {

/// Traces of points: nothing, one config, or two traces side by side. Numbers
/// are 32 bits; memory is taken in chunks, one after the other per writer.
class TraceArena {
public:
  static constexpr uint32_t nothing = 0;
  static constexpr uint32_t leafBit = 0x80000000U;
  struct Pair {
    uint32_t left, right, leftSlots;
  };
  static uint32_t leaf(int config) {
    assert(config >= 0 && "no config");
    return leafBit | static_cast<uint32_t>(config);
  }

  /// Adds traces from one thread at a time.
  class Writer {
  public:
    explicit Writer(TraceArena &arena) : arena(&arena) {}
    /// `left` covers `leftSlots` slots, `right` those after them. `nothing` if
    /// the arena is full, which `isFull` says.
    uint32_t pair(uint32_t left, uint32_t right, int leftSlots);

  private:
    TraceArena *arena;
    Pair *chunk = nullptr;
    uint32_t next = 0, end = 0;
  };

  bool isFull() const { return full; }
  int64_t bytes() const { return bytesUsed; }
  /// Calls `visit(slot, config)` for every leaf.
  void unroll(uint32_t trace,
              const std::function<void(int slot, int config)> &visit) const;

private:
  static constexpr uint32_t chunkSize = 1U << 16;
  static constexpr uint32_t maxChunks = leafBit / chunkSize;

  std::vector<std::unique_ptr<Pair[]>> chunks;
  std::mutex mutex; ///< of `chunks`, while there are writers
  std::atomic<bool> full{false};
  std::atomic<int64_t> bytesUsed{0};
};

/// A frontier per row and column. Immutable once built.
struct FrontierTable {
  int rows = 0, columns = 1;
  int slots = 0; ///< that each trace covers
  /// Every strategy has a point with at most its memory and at most (1 + error)
  /// times its time.
  double error = 0;
  /// The least memory of all nodes and edges that are in the table, each alone.
  int64_t leastBytes = 0;
  std::vector<size_t> start;
  std::vector<FrontierPoint> points;

  std::span<const FrontierPoint> at(int row, int column = 0) const {
    assert(row >= 0 && row < rows && column >= 0 && column < columns &&
           "no such entry");
    size_t entry = static_cast<size_t>(row) * static_cast<size_t>(columns) +
                   static_cast<size_t>(column);
    return {points.data() + start[entry], start[entry + 1] - start[entry]};
  }
  int64_t bytes() const {
    return static_cast<int64_t>(points.size() * sizeof(FrontierPoint) +
                                start.size() * sizeof(size_t));
  }
};

/// Computes tables entry by entry, on several threads.
class TableBuilder {
public:
  struct Limits {
    double tolerance = 0;    ///< of one trim
    int64_t maxPoints = 0;   ///< per entry; 0: any number
    int64_t limitBytes = -1; ///< per strategy; negative: any
    int64_t leastBytes = 0;  ///< of all nodes and edges
  };
  TableBuilder(TraceArena &arena, int threads, const Limits &limits,
               std::function<bool()> stopped)
      : arena(arena), threads(std::max(threads, 1)), limits(limits),
        stopped(std::move(stopped)),
        writers(static_cast<size_t>(this->threads), TraceArena::Writer(arena)) {
  }

  using Points = std::span<const FrontierPoint>;
  /// Two frontiers whose product is part of an entry's union.
  struct Product {
    Points left, right;
  };
  /// Lists the products of an entry.
  using ListProducts =
      std::function<void(int row, int column, std::vector<Product> &products)>;

  /// A table whose entries are unions of products of two tables' entries; the
  /// slots of `left` come first. Null if stopped.
  std::shared_ptr<const FrontierTable> build(int rows, int columns,
                                             const FrontierTable &left,
                                             const FrontierTable &right,
                                             double workPerEntry,
                                             const ListProducts &list);

  int64_t largestFrontier() const { return largest; }

private:
  /// A point with how it was made, until it is known to stay.
  struct Candidate {
    int64_t memoryBytes, timeNs;
    uint32_t left, right;
  };
  struct Scratch {
    std::vector<Product> products;
    std::vector<Candidate> united, other;
  };

  TraceArena &arena;
  int threads;
  Limits limits;
  std::function<bool()> stopped;
  std::vector<TraceArena::Writer> writers; ///< by thread
  int64_t largest = 0;

  static void addProduct(const Product &product, int64_t maxBytes,
                         Scratch &scratch);
  static void addShifted(Points points, const FrontierPoint &by, bool byIsLeft,
                         int64_t maxBytes, Scratch &scratch);
};

} // namespace soap

#endif // SOAP_LIB_SEARCH_FRONTIER_FRONTIERTABLE_H
