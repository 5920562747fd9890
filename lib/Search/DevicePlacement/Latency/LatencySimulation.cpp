//===- LatencySimulation.cpp - One sample on many devices -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LatencySimulation.h.
//
//===----------------------------------------------------------------------===//

#include "LatencySimulation.h"

using namespace soap;
using namespace soap::placement;

static std::vector<std::pair<int, int>> edgePairs(const Problem &problem) {
  std::vector<std::pair<int, int>> pairs;
  for (const Edge &edge : problem.edges)
    pairs.emplace_back(edge.source, edge.target);
  return pairs;
}

LatencySimulation::LatencySimulation(const Problem &problem)
    : problem(problem), successors(problem.nodes.size(), edgePairs(problem)),
      taskOf(problem.nodes.size()), nextNode(problem.nodes.size()) {}

void LatencySimulation::makeTasks(const LatencyPlacement &placement) {
  size_t used = 0;
  auto addTask = [&]() -> Task & {
    if (used == tasks.size())
      tasks.emplace_back();
    return tasks[used++] = Task();
  };
  auto addNode = [&](int task, size_t node) {
    taskOf[node] = task;
    nextNode[node] = tasks[task].firstNode;
    tasks[task].firstNode = static_cast<int>(node);
  };
  // Subgraphs first: at most a few per accelerator.
  std::vector<std::vector<int>> subgraphs(problem.accelerators);
  for (size_t i = 0; i < taskOf.size(); ++i) {
    int device = placement.deviceOf[i];
    if (!problem.isAccelerator(device))
      continue;
    size_t number = placement.subgraphOf.empty() ? 0 : placement.subgraphOf[i];
    if (subgraphs[device].size() <= number)
      subgraphs[device].resize(number + 1, -1);
    int &task = subgraphs[device][number];
    if (task < 0) {
      task = static_cast<int>(used);
      addTask();
    }
    addNode(task, i);
    tasks[task].duration += problem.nodes[i].acceleratorTime;
  }
  for (const std::vector<int> &list : subgraphs) {
    int last = -1;
    for (int task : list)
      if (task >= 0) {
        if (last >= 0) {
          tasks[last].next = task;
          ++tasks[task].waiting;
        }
        last = task;
      }
  }
  for (size_t i = 0; i < taskOf.size(); ++i)
    if (!problem.isAccelerator(placement.deviceOf[i])) {
      Task &task = addTask();
      task.onCpu = true;
      task.duration = problem.nodes[i].cpuTime;
      addNode(static_cast<int>(used) - 1, i);
    }
  tasks.resize(used);
}

/// Charges what leaves a subgraph, and what it reads, once each.
void LatencySimulation::chargeTransfers() {
  seen.assign(tasks.size(), -1);
  for (size_t i = 0; i < taskOf.size(); ++i) {
    int node = static_cast<int>(i);
    for (int to : successors[i]) {
      int reader = taskOf[to];
      if (reader == taskOf[i])
        continue;
      ++tasks[reader].waiting;
      for (int task : {reader, taskOf[i]})
        if (!tasks[task].onCpu && seen[task] != node) {
          seen[task] = node;
          tasks[task].duration += problem.transferTime[i];
        }
    }
  }
}

void LatencySimulation::makeReady(int task, double now) {
  if (tasks[task].onCpu && tasks[task].duration > 0)
    queued.emplace(now, tasks[task].firstNode);
  else
    running.emplace(now + tasks[task].duration, task);
}

void LatencySimulation::complete(int task, double now) {
  auto release = [&](int other) {
    if (--tasks[other].waiting == 0)
      makeReady(other, now);
  };
  if (tasks[task].onCpu && tasks[task].duration > 0)
    ++freeCpus;
  if (tasks[task].next >= 0)
    release(tasks[task].next);
  for (int node = tasks[task].firstNode; node >= 0; node = nextNode[node])
    for (int to : successors[node])
      if (taskOf[to] != task)
        release(taskOf[to]);
}

void LatencySimulation::startCpus(double now) {
  while (freeCpus > 0 && !queued.empty()) {
    int task = taskOf[queued.top().second];
    queued.pop();
    --freeCpus;
    running.emplace(now + tasks[task].duration, task);
  }
}

double LatencySimulation::run(const LatencyPlacement &placement, double limit) {
  makeTasks(placement);
  chargeTransfers();
  running = {};
  queued = {};
  freeCpus = problem.cpus;
  for (size_t task = 0; task < tasks.size(); ++task)
    if (tasks[task].waiting == 0)
      makeReady(static_cast<int>(task), 0);
  size_t done = 0;
  double now = 0;
  for (;;) {
    // All that ends at one time ends before CPUs choose what is next.
    while (!running.empty() && running.top().first == now) {
      int task = running.top().second;
      running.pop();
      complete(task, now);
      ++done;
    }
    startCpus(now);
    if (running.empty())
      break;
    now = running.top().first;
    if (now > limit)
      break;
  }
  return done == tasks.size() ? now : std::numeric_limits<double>::infinity();
}
