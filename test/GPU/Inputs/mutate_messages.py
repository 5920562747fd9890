#!/usr/bin/env python3
"""Breaks the messages of a lowered module: the first send of its training step is missing, or has another size.

    mutate_messages.py missing|size MODULE.mlir OUTPUT.mlir"""

import re
import sys


def main():
    kind, source, target = sys.argv[1:4]
    lines = open(source).read().split("\n")
    step = next(i for i, line in enumerate(lines) if "llvm.func @train_step__" in line)
    at = next(i for i in range(step, len(lines)) if "llvm.call @soap_rt_send(" in lines[i])
    if kind == "missing":
        del lines[at]
    else:
        # Another number of the program in place of the size: that of the slot.
        context, slot, data, size = re.search(r"\((%\S+), (%\S+), (%\S+), (%\S+)\)", lines[at]).groups()
        lines[at] = lines[at].replace("%s, %s)" % (data, size), "%s, %s)" % (data, slot))
    open(target, "w").write("\n".join(lines))


if __name__ == "__main__":
    main()
