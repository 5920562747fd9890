# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_traces.py A B: two traces of soap-run have the same tasks of each device in the same order."""
import collections
import json
import sys


def tasks(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    events = data["traceEvents"] if isinstance(data, dict) else data
    rows = collections.defaultdict(list)
    for event in sorted((e for e in events if e.get("ph") == "X"), key=lambda e: e["ts"]):
        rows[event["pid"], event["tid"]].append(event["name"])
    return rows


first, second = map(tasks, sys.argv[1:])
assert sum(map(len, first.values())) > 100, "no tasks"
assert first == second, "tasks differ"
