//===- Algorithm1Simulator.cpp - The paper's full simulation --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Algorithm1.h on a task graph that is written out. Keys are ranked once, so
// that the queue compares two integers.
//
//===----------------------------------------------------------------------===//

#include "Soap/Simulator/Algorithm1Simulator.h"

#include "Simulator/Algorithm1.h"

#include <algorithm>
#include <cassert>
#include <numeric>

using namespace soap;

/// Position of each task's key among all keys.
static std::vector<int> rankKeys(const TaskGraph &graph,
                                 std::vector<int> &byRank) {
  byRank.resize(graph.tasks.size());
  std::iota(byRank.begin(), byRank.end(), 0);
  std::sort(byRank.begin(), byRank.end(), [&](int a, int b) {
    return graph.tasks[a].key < graph.tasks[b].key;
  });
  std::vector<int> rank(byRank.size());
  for (size_t i = 0; i < byRank.size(); ++i)
    rank[byRank[i]] = static_cast<int>(i);
  return rank;
}

namespace {

/// A task graph that is written out. The key of a queue entry is the rank of a
/// task's key.
class WrittenGraph {
public:
  explicit WrittenGraph(TaskGraph &graph)
      : tasks(graph.tasks), rank(rankKeys(graph, byRank)), states(tasks.size()),
        freeNs(graph.resources.size()) {
    // O(t) of all tasks in one array.
    start.resize(tasks.size() + 1);
    for (const Task &task : tasks)
      for (int pred : task.preds) {
        assert(pred >= 0 && static_cast<size_t>(pred) < tasks.size() &&
               "no such task");
        ++start[pred + 1];
      }
    std::partial_sum(start.begin(), start.end(), start.begin());
    successors.resize(static_cast<size_t>(start.back()));
    std::vector<int> next(start.begin(), start.end());
    for (size_t t = 0; t < tasks.size(); ++t) {
      states[t] = {0, static_cast<int>(tasks[t].preds.size())};
      for (int pred : tasks[t].preds)
        successors[next[pred]++] = static_cast<int>(t);
    }
    assert(std::equal(next.begin(), next.end() - 1, start.begin() + 1) &&
           "each list is full");
  }

  template <typename Visit>
  void forEachRoot(Visit visit) {
    for (size_t t = 0; t < tasks.size(); ++t)
      if (tasks[t].preds.empty())
        visit(static_cast<uint64_t>(rank[t]));
  }
  bool isDeferred(uint64_t key) const { return tasks[byRank[key]].deferred; }
  bool schedule(const TaskQueue::Entry &entry, int64_t &endNs) {
    Task &task = tasks[byRank[entry.key]];
    assert(states[byRank[entry.key]].waiting == 0 && "it waits for others");
    task.readyNs = task.startNs = entry.readyNs;
    for (int resource : task.resources)
      task.startNs = std::max(task.startNs, freeNs[resource]);
    endNs = task.endNs = task.startNs + std::max<int64_t>(task.durationNs, 1);
    for (int resource : task.resources)
      freeNs[resource] = endNs;
    return true;
  }
  template <typename Visit>
  void forEachSuccessor(const TaskQueue::Entry &entry, Visit visit) {
    int t = byRank[entry.key];
    for (int i = start[t]; i < start[t + 1]; ++i)
      visit(states[successors[i]], static_cast<uint64_t>(rank[successors[i]]));
  }

private:
  std::vector<Task> &tasks;
  std::vector<int> byRank, rank; ///< `rank` is made from the graph and sets it
  std::vector<TaskRun> states;   ///< by task
  std::vector<int64_t> freeNs;   ///< d.last.endTime, by resource
  std::vector<int> start, successors;
};

} // namespace

int64_t soap::simulateFull(TaskGraph &graph) {
  WrittenGraph tasks(graph);
  ReadyQueue readyQueue;
  graph.makespanNs = runAlgorithm1(tasks, readyQueue);
  assert(std::all_of(graph.tasks.begin(), graph.tasks.end(),
                     [](const Task &task) { return task.endNs > 0; }) &&
         "the graph must be acyclic");
  return graph.makespanNs;
}

std::vector<int> soap::scheduleOrder(const TaskGraph &graph) {
  std::vector<int> order(graph.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Task &ta = graph.tasks[a], &tb = graph.tasks[b];
    return ta.startNs != tb.startNs ? ta.startNs < tb.startNs : ta.key < tb.key;
  });
  return order;
}
