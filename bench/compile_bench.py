# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks of compiling share: commands with their times, and the seconds of passes."""

import resource
import statistics
import subprocess
import sys
import time


def measure(command, environment=None):
    """Runs a command; its seconds by the clock, of the processor and there outside the kernel, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit("%s failed:\n%s" % (" ".join(command), done.stderr.decode(errors="replace")[-2000:]))
    user = after.ru_utime - before.ru_utime
    return {"wall": wall, "user": user, "cpu": user + after.ru_stime - before.ru_stime}, done


def passes(report):
    """Seconds by pass from -mlir-timing-display=list."""
    result = {}
    for line in report.splitlines():
        fields = line.split()
        if len(fields) == 3 and fields[1].startswith("(") or len(fields) == 4 and fields[1] == "(":
            if fields[-1] not in ("Total", "root"):
                result[fields[-1]] = result.get(fields[-1], 0) + float(fields[0])
    return result


def summary(samples):
    """Median and range of what `measure` gave."""
    return {key: {"median": statistics.median(sample[key] for sample in samples),
                  "min": min(sample[key] for sample in samples), "max": max(sample[key] for sample in samples)}
            for key in ("wall", "user", "cpu")}
