#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the order of streams in every way: a copy of a module for each wait for an event, without that wait.

    mutate_streams.py MODULE.mlir OUTPUT.mlir

The module comes from --soap-order-streams. Prints how many copies there are."""

import sys

SEPARATOR = "\n// -----\n\n"


def main():
    lines = open(sys.argv[1]).read().split("\n")
    # Data of weights stand behind the module, and nothing here needs them.
    end = next((i for i, line in enumerate(lines) if line.startswith("{-#")), len(lines))
    lines = lines[:end]
    waits = [i for i, line in enumerate(lines) if "soap.wait_event" in line]
    copies = ["\n".join(lines[:i] + lines[i + 1:]) for i in waits]
    open(sys.argv[2], "w").write(SEPARATOR.join(copies))
    print("%d waits" % len(waits))


if __name__ == "__main__":
    main()
