#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_reductions.py REPORT PATTERN COUNT BYTES: a report of soap-simulate has COUNT exchanges of a pattern, of BYTES
bytes of values together, and no other sums over devices but of scalars."""

import json
import sys

report, pattern, count, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(report) as file:
    exchanges = json.load(file)["exchanges"]
found = [e for e in exchanges if e["pattern"] == pattern]
# A ring sends all but one part of the value, on each device; an all-reduce does so twice.
moved = sum(size * (len(e["devices"]) - 1) * (2 if pattern == "all-reduce" else 1) for e in found[:1])
others = [e for e in exchanges if "reduce" in e["pattern"] and e["pattern"] != pattern and e["bytes"] > 1024]
assert len(found) == count, "%d exchanges: %s" % (len(found), [e["value"] for e in found])
assert sum(e["bytes"] for e in found) == moved, (sum(e["bytes"] for e in found), moved)
assert not others, others
