# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check-calibrated-tasks.py GRAPH PROFILE: pooling tasks last as long as the profile says that pooling takes."""

import json
import sys

with open(sys.argv[1]) as stream:
    tasks = [task for task in json.load(stream)["tasks"] if task["kind"] == "max_pool2d"]
with open(sys.argv[2]) as stream:
    tables = [table for table in json.load(stream)["tables"] if (table["op"], table["direction"]) == ("max_pool2d", "forward")]
assert len(tables) == 1 and tasks
times = sorted(entry[-1] for entry in tables[0]["entries"])
# Where times are not in order, both get the time halfway between.
assert all(times[0] <= task["duration"] <= times[-1] + 1 for task in tasks), (times, tasks)
