//===- ReduceTime.cpp - Memory and the time points that matter ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of Reducer. What a node holds in any case is taken off the capacity;
// time points at which even the largest states fit, or at which another one
// holds all that is held and more, go.
//
//===----------------------------------------------------------------------===//

#include "Reducer.h"

using namespace soap;
using namespace soap::costgraph;

namespace {

/// Sums over ranges of time points: added as differences, then summed up.
class RangeSums {
public:
  explicit RangeSums(size_t points) : sums(points + 1) {}
  void add(int from, int to, int64_t value) {
    sums[from] += value;
    sums[to] -= value;
  }
  std::vector<int64_t> take() {
    for (size_t t = 1; t < sums.size(); ++t)
      sums[t] += sums[t - 1];
    sums.pop_back();
    return std::move(sums);
  }

private:
  std::vector<int64_t> sums;
};

/// The least value of any range, by tables over ranges of powers of two.
class RangeMinimum {
public:
  explicit RangeMinimum(std::vector<int64_t> values) {
    levels.push_back(std::move(values));
    for (size_t width = 1; 2 * width <= levels[0].size(); width *= 2) {
      const std::vector<int64_t> &last = levels.back();
      std::vector<int64_t> next(last.size() - width);
      for (size_t i = 0; i < next.size(); ++i)
        next[i] = std::min(last[i], last[i + width]);
      levels.push_back(std::move(next));
    }
  }
  int64_t operator()(int from, int to) const {
    int level = 31 - __builtin_clz(static_cast<unsigned>(to - from));
    return std::min(levels[level][from], levels[level][to - (1 << level)]);
  }

private:
  std::vector<std::vector<int64_t>> levels;
};

} // namespace

/// Makes pieces disjoint and ordered: what overlaps is added up, what is equal
/// and adjacent becomes one.
void Reducer::mergePieces(Node &node) {
  size_t states = node.costs.size();
  bool isOrdered = true;
  for (size_t i = 1; i < node.pieces.size(); ++i)
    isOrdered &= node.pieces[i - 1].to < node.pieces[i].from;
  if (isOrdered)
    return;
  struct Event {
    int time;
    int sign;
    const std::vector<int64_t> *bytes;
  };
  std::vector<Event> events;
  for (const Piece &piece : node.pieces) {
    events.push_back({piece.from, 1, &piece.bytes});
    events.push_back({piece.to, -1, &piece.bytes});
  }
  // Ends come first, so that no sum exceeds what is held at a time.
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return std::pair(a.time, a.sign) < std::pair(b.time, b.sign);
  });
  std::vector<Piece> merged;
  std::vector<int64_t> sum(states);
  int open = 0;
  for (size_t i = 0; i < events.size();) {
    int time = events[i].time;
    for (; i < events.size() && events[i].time == time; ++i) {
      open += events[i].sign;
      for (size_t s = 0; s < states; ++s)
        sum[s] += events[i].sign * (*events[i].bytes)[s];
    }
    if (open == 0)
      continue;
    if (!merged.empty() && merged.back().to == time &&
        merged.back().bytes == sum)
      merged.back().to = events[i].time;
    else
      merged.push_back({time, events[i].time, sum});
  }
  node.pieces = std::move(merged);
}

bool Reducer::reduceTime(bool &changed) {
  if (capacity.empty())
    return true;
  size_t points = capacity.size();
  RangeSums fixed(points), varying(points);
  std::vector<int64_t> begins(points + 1), ends(points + 1);
  for (Node &node : nodes) {
    if (isInterrupted())
      return true;
    mergePieces(node);
    size_t kept = 0;
    for (Piece &piece : node.pieces) {
      auto [low, high] =
          std::minmax_element(piece.bytes.begin(), piece.bytes.end());
      int64_t least = *low, range = *high - *low;
      fixed.add(piece.from, piece.to, least);
      if (range == 0)
        continue;
      varying.add(piece.from, piece.to, range);
      ++begins[piece.from];
      ++ends[piece.to];
      if (least > 0)
        for (int64_t &bytes : piece.bytes)
          bytes -= least;
      if (&node.pieces[kept] != &piece)
        node.pieces[kept] = std::move(piece);
      ++kept;
    }
    node.pieces.resize(kept);
  }
  std::vector<int64_t> least = fixed.take(), range = varying.take();
  for (size_t t = 0; t < points; ++t) {
    capacity[t] -= least[t];
    if (capacity[t] < 0)
      return fail("the least memory of all nodes exceeds the capacity by " +
                  std::to_string(-capacity[t]) + " bytes");
  }

  // Points that matter. Between the last that was kept and t, `begun` says
  // whether something began to be held, `ended` whether something was freed.
  std::vector<int> kept;
  for (size_t t = 0, begun = 0, ended = 0; t < points; ++t) {
    begun += begins[t];
    ended += ends[t];
    if (range[t] <= capacity[t])
      continue;
    while (!kept.empty() && ended == 0 &&
           capacity[t] <= capacity[kept.back()]) {
      // Bytes that are held at the point before are held here.
      int gone = kept.back();
      kept.pop_back();
      if (kept.empty())
        break;
      for (int u = kept.back() + 1; u <= gone; ++u) {
        begun += begins[u];
        ended += ends[u];
      }
    }
    if (!kept.empty() && begun == 0 && capacity[kept.back()] <= capacity[t])
      continue;
    kept.push_back(static_cast<int>(t));
    begun = ended = 0;
  }
  std::vector<int> newIndex(points + 1);
  for (size_t t = 0, next = 0; t <= points; ++t) {
    newIndex[t] = static_cast<int>(next);
    if (next < kept.size() && kept[next] == static_cast<int>(t))
      ++next;
  }
  changed |= kept.size() < points;
  std::vector<int64_t> left;
  std::vector<int> leftMoments;
  for (int t : kept) {
    left.push_back(capacity[t]);
    leftMoments.push_back(moments[t]);
  }
  capacity = std::move(left);
  moments = std::move(leftMoments);

  RangeMinimum room(capacity);
  std::vector<char> keep;
  for (size_t n = 0; n < nodes.size(); ++n) {
    Node &node = nodes[n];
    size_t count = 0;
    keep.assign(node.costs.size(), 1);
    for (Piece &piece : node.pieces) {
      piece.from = newIndex[piece.from];
      piece.to = newIndex[piece.to];
      if (piece.from == piece.to)
        continue;
      int64_t most = room(piece.from, piece.to);
      for (size_t s = 0; s < keep.size(); ++s)
        keep[s] = keep[s] && piece.bytes[s] <= most;
      if (&node.pieces[count] != &piece)
        node.pieces[count] = std::move(piece);
      ++count;
    }
    node.pieces.resize(count);
    mergePieces(node);
    if (std::find(keep.begin(), keep.end(), 0) == keep.end())
      continue;
    changed = true;
    if (!keepStates(static_cast<int>(n), keep))
      return false;
  }
  return true;
}
