#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks what a lowered module's devices say to each other: the first operation of several devices in the training step
of device 0 is missing, comes after the next one, or has the size of the next one that has another.

    mutate_messages.py missing|order|size MODULE.mlir OUTPUT.mlir"""

import re
import sys


def main():
    kind, source, target = sys.argv[1:4]
    lines = open(source).read().split("\n")
    step = next(i for i, line in enumerate(lines) if "llvm.func @train_step__0" in line)
    end = next(i for i in range(step, len(lines)) if "llvm.return" in lines[i])
    calls = [i for i in range(step, end) if "llvm.call @soap_rt_collective(" in lines[i]]
    operands = lambda i: re.search(r"\((%\S+), (%\S+), (%\S+), (%\S+)\)", lines[i]).groups()

    def shape(i):
        """The global that describes a call: its kind, type and sizes."""
        name = operands(i)[2]
        at = next(j for j in range(i, step, -1) if lines[j].strip().startswith(name + " = "))
        return re.search(r"addressof @(\S+)", lines[at]).group(1), at

    sums = [i for i in calls if re.search(r"dense<\[0, ", next(
        line for line in lines if re.search(r"llvm.mlir.global .*@%s\(" % shape(i)[0], line)))]
    first = sums[0]
    if kind == "missing":
        del lines[first]
    elif kind == "order":
        # The slot says which operation it is.
        a, b = operands(first)[1], operands(sums[1])[1]
        lines[first] = lines[first].replace(", %s, " % a, ", %s, " % b, 1)
        lines[sums[1]] = lines[sums[1]].replace(", %s, " % b, ", %s, " % a, 1)
    else:
        own, at = shape(first)
        other = next(name for name in (shape(i)[0] for i in sums) if name != own)
        lines[at] = lines[at].replace("@" + own, "@" + other)
    open(target, "w").write("\n".join(lines))


if __name__ == "__main__":
    main()
