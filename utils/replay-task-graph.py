#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the times of a task graph: replays Algorithm 1 of the SOAP paper on it and compares every task.

    soap-opt m.mlir --soap-simulate=task-graph=g.json -o /dev/null
    utils/replay-task-graph.py g.json

Written from section 5.2 of the paper (arXiv 1807.05358) and from the format in docs/Simulator.md, and from nothing
else: of the file it takes resources, durations, predecessors, keys and which tasks are deferred, and finds ready, start
and end anew. Needs nothing but Python's standard library. Exit status: 0 if all times agree, 1 if any differs, 2 if the
file is no task graph.
"""

import argparse
import heapq
import json
import sys


class NoTaskGraph(Exception):
    pass


def number(record, key, place, least=0):
    value = record.get(key)
    if type(value) is not int or value < least:
        raise NoTaskGraph("%s: '%s': expected an integer of at least %d, got %s" % (place, key, least, json.dumps(value)))
    return value


def numbers(record, key, place, below=None):
    values = record.get(key)
    if not isinstance(values, list) or any(type(v) is not int for v in values):
        raise NoTaskGraph("%s: '%s': expected a list of integers" % (place, key))
    for value in values:
        if below is not None and not 0 <= value < below:
            raise NoTaskGraph("%s: '%s': no number %d, there are %d" % (place, key, value, below))
    return values


def check(graph):
    """Checks the properties that the replay relies on."""
    if not isinstance(graph, dict) or graph.get("version") != 1 or graph.get("unit") != "ns":
        raise NoTaskGraph("expected an object with \"version\": 1 and \"unit\": \"ns\"")
    for key in ("resources", "tasks"):
        records = graph.get(key)
        if not isinstance(records, list) or any(not isinstance(record, dict) for record in records):
            raise NoTaskGraph("'%s': expected a list of objects" % key)
        for i, record in enumerate(records):
            if record.get("id") != i:
                raise NoTaskGraph("/%s/%d: expected the id %d, got %s" % (key, i, i, json.dumps(record.get("id"))))
    number(graph, "makespan", "the graph")
    keys = set()
    for i, task in enumerate(graph["tasks"]):
        place = "/tasks/%d" % i
        number(task, "duration", place, least=1)
        for key in ("ready", "start", "end"):
            number(task, key, place)
        if not numbers(task, "resources", place, len(graph["resources"])):
            raise NoTaskGraph(place + ": 'resources': expected at least one")
        numbers(task, "preds", place, len(graph["tasks"]))
        key = tuple(numbers(task, "key", place))
        if key in keys:
            raise NoTaskGraph("%s: 'key': another task has %s, too" % (place, list(key)))
        keys.add(key)
        if type(task.get("deferred", False)) is not bool:
            raise NoTaskGraph(place + ": 'deferred': expected true or false")


def replay(graph):
    """Algorithm 1: (ready, start, end) of every task, None of those that never become ready."""
    tasks = graph["tasks"]
    successors = [[] for _ in tasks]
    missing = [0] * len(tasks)  # predecessors that are not done
    for i, task in enumerate(tasks):
        for pred in set(task["preds"]):
            successors[pred].append(i)
            missing[i] += 1
    ready = [0] * len(tasks)
    times = [None] * len(tasks)
    free = [0] * len(graph["resources"])  # end of the last task of each: preTask.endTime
    queue = []

    def enqueue(i):
        # By ready time, ties by key; deferred tasks behind all others.
        heapq.heappush(queue, (tasks[i].get("deferred", False), ready[i], tasks[i]["key"], i))

    for i, count in enumerate(missing):
        if count == 0:
            enqueue(i)
    while queue:
        i = heapq.heappop(queue)[-1]
        task = tasks[i]
        start = max([ready[i]] + [free[r] for r in task["resources"]])
        end = start + task["duration"]
        times[i] = (ready[i], start, end)
        for r in task["resources"]:
            free[r] = end
        for s in successors[i]:
            ready[s] = max(ready[s], end)
            missing[s] -= 1
            if missing[s] == 0:
                enqueue(s)
    return times


def differences(graph):
    """A line per task whose times differ, and one if the makespan does."""
    times = replay(graph)
    for task, found in zip(graph["tasks"], times):
        said = (task["ready"], task["start"], task["end"])
        if found is None:
            yield "task %d '%s': never ready, its predecessors form a cycle" % (task["id"], task.get("name", ""))
        elif said != found:
            yield "task %d '%s': %s, replayed %s" % (
                task["id"], task.get("name", ""),
                *(", ".join("%s %d" % pair for pair in zip(("ready", "start", "end"), t)) for t in (said, found)))
    makespan = max((end for _, _, end in filter(None, times)), default=0)
    if graph["makespan"] != makespan:
        yield "makespan %d, replayed %d" % (graph["makespan"], makespan)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="task graph that --soap-simulate=task-graph=FILE wrote; '-': standard input")
    parser.add_argument("--most", type=int, default=20, metavar="N", help="print at most this many differences (default 20)")
    options = parser.parse_args()
    try:
        with (sys.stdin if options.file == "-" else open(options.file)) as stream:
            graph = json.load(stream)
        check(graph)
    except (OSError, ValueError, RecursionError, NoTaskGraph) as error:
        print("%s: %s" % (options.file, error), file=sys.stderr)
        return 2
    found = 0
    for line in differences(graph):
        found += 1
        if found <= options.most:
            print(line)
    if found > options.most:
        print("and %d more" % (found - options.most))
    print("%d tasks, makespan %d ns: %s" % (len(graph["tasks"]), graph["makespan"],
                                            "%d differences" % found if found else "all times agree"))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
