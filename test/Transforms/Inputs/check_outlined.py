# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_outlined.py SOAP-OPT FEWER MORE: ops of the programs of a step with fewer and with more microbatches.

Counts lines of partitioned and of lowered programs, without their tables. Between FEWER and MORE, outlined programs may
grow by half of what those written out do, and they are never the longer ones. Counts calls, so that there are some."""
import subprocess
import sys

PASSES = {"partitioned": ["--soap-partition=outline-tasks=%d"],
          "lowered": ["--soap-partition", "--soap-lower-to-cpu=outline-tasks=%d"]}


def lines(soap_opt, path, passes, outline):
    text = subprocess.run([*soap_opt, path, *[p % outline if "%" in p else p for p in passes]], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    body = [line for line in text.splitlines() if line.startswith("    ")]
    return len(body), sum("call @tasks" in line for line in body)


def main():
    *soap_opt, fewer, more = sys.argv[1:]
    for name, passes in PASSES.items():
        counts = {(path, outline): lines(soap_opt, path, passes, outline)
                  for path in (fewer, more) for outline in (0, 16)}
        plain = counts[more, 0][0] - counts[fewer, 0][0]
        grown = counts[more, 16][0] - counts[fewer, 16][0]
        print("%s: %s; grows by %d lines, written out by %d" % (name, sorted(counts.values()), grown, plain))
        assert plain > 0 and grown <= plain / 2, "outlined programs grow with microbatches"
        assert all(counts[path, 16][0] <= counts[path, 0][0] for path in (fewer, more)), "outlined programs are longer"
        assert min(counts[path, 16][1] for path in (fewer, more)) > 0 and counts[more, 0][1] == 0, "no calls"


if __name__ == "__main__":
    main()
