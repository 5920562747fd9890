//===- MinimumCut.cpp - Maximum flows -------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MinimumCut.h.
//
//===----------------------------------------------------------------------===//

#include "MinimumCut.h"

#include <algorithm>
#include <cassert>

using namespace soap;
using namespace soap::placement;

int FlowNetwork::addArc(int from, int to, int64_t capacity) {
  assert(from != to && capacity >= 0 && "a negative capacity");
  int arc = static_cast<int>(head.size());
  arcsOf[from].push_back(arc);
  head.push_back(to);
  initial.push_back(capacity);
  arcsOf[to].push_back(arc + 1);
  head.push_back(from);
  initial.push_back(0);
  return arc;
}

bool FlowNetwork::findLevels(int source, int sink) {
  level.assign(arcsOf.size(), -1);
  level[source] = 0;
  std::vector<int> queue = {source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (int arc : arcsOf[queue[i]])
      if (residual[arc] > 0 && level[head[arc]] < 0) {
        level[head[arc]] = level[queue[i]] + 1;
        queue.push_back(head[arc]);
      }
  return level[sink] >= 0;
}

/// A blocking flow, by one path after the other; paths can be long, so there is
/// no recursion.
int64_t FlowNetwork::push(int source, int sink, int64_t enough) {
  next.assign(arcsOf.size(), 0);
  std::vector<int> path; // arcs
  int64_t total = 0;
  int at = source;
  while (total < enough) {
    if (at == sink) {
      int64_t amount = unlimited;
      for (int arc : path)
        amount = std::min(amount, residual[arc]);
      total += amount;
      size_t keep = path.size();
      for (size_t i = path.size(); i-- > 0;) {
        residual[path[i]] -= amount;
        residual[path[i] ^ 1] += amount;
        if (residual[path[i]] == 0)
          keep = i;
      }
      at = head[path[keep] ^ 1];
      path.resize(keep);
      continue;
    }
    bool advanced = false;
    for (int &i = next[at]; i < static_cast<int>(arcsOf[at].size()); ++i) {
      int arc = arcsOf[at][i];
      if (residual[arc] > 0 && level[head[arc]] == level[at] + 1) {
        path.push_back(arc);
        at = head[arc];
        advanced = true;
        break;
      }
    }
    if (advanced)
      continue;
    if (path.empty())
      break;
    at = head[path.back() ^ 1];
    path.pop_back();
    ++next[at];
  }
  return total;
}

int64_t FlowNetwork::minimumCut(int source, int sink, int64_t enough) {
  assert(source != sink && "two vertices");
  residual = initial;
  int64_t total = 0;
  while (total < enough && findLevels(source, sink))
    total += push(source, sink, enough - total);
  return total;
}
