# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the line that a search prints with its report and with what soap-simulate says of the result.

    check-summary.py LINE REPORT SIMULATED
"""

import json
import re
import sys

TIME = r"([0-9]+\.[0-9]{3}) (s|ms|us)"
NS = {"s": 1e9, "ms": 1e6, "us": 1e3}


def check_time(number, unit, ns):
    """Whether a printed time is that many ns, rounded, in the largest unit of which there is at least one."""
    value = ns / NS[unit]
    assert abs(float(number) - value) <= 0.000501 and 1 <= value < (1e9 if unit == "s" else 1000), (number, unit, ns)


line = open(sys.argv[1]).read()
report, simulated = (json.load(open(path)) for path in sys.argv[2:])
found = re.fullmatch(rf"@train_step on p100-1x4: {TIME} an iteration, before: {TIME} \((.*?)\); ([0-9.]+)x as fast as data parallelism; "
                     r"at most ([0-9.]+) MiB on a device; ([0-9]+) proposals in [0-9.]+ s\n", line)
assert found, line
check_time(found[1], found[2], simulated["makespan_ns"])
check_time(found[3], found[4], report["initial"]["single" if found[5] == "one device" else "current"])
assert found[6] == "%.2f" % (report["initial"]["data-parallel"] / report["best_makespan_ns"]), (line, report["initial"])
peak = max(device["peak_bytes"] for device in simulated["devices"])
assert found[7] == "%.1f" % (peak / 2**20), (line, peak)
assert peak == report["peak_bytes"], (peak, report)
assert int(found[8]) == report["proposals"], line
