# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_loops.py SOAP-OPT STEP: lowered programs do not grow with microbatches.

Lowers a training step as a pipeline of two stages with 4, 16 and 64 microbatches, and counts lines of the programs and
their calls of shared tasks: rounds are loops, so 64 microbatches have at most 5 % more than 4."""
import re
import subprocess
import sys


def count(soap_opt, step, microbatches):
    pipeline = "--soap-pipeline=topology=cpu-2 stages=2 microbatches=%d summary=false" % microbatches
    text = subprocess.run([*soap_opt, step, pipeline, "--soap-partition", "--soap-lower-to-cpu"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    lines = sum(line.startswith("    ") for line in text.splitlines())
    steps = re.findall(r"^  llvm\.func @\w+__\d+\([^\n]*{\n(.*?)^  }$", text, re.MULTILINE | re.DOTALL)
    return lines, text.count("call @tasks"), sum("llvm.cond_br" in program for program in steps)


def main():
    *soap_opt, step = sys.argv[1:]
    counts = {microbatches: count(soap_opt, step, microbatches) for microbatches in (4, 16, 64)}
    print("microbatches: (lines, calls, programs with loops): %s" % counts)
    for many in (16, 64):
        assert counts[many][0] <= 1.05 * counts[4][0], "lines grow with microbatches"
        assert counts[many][1] <= counts[4][1] + 4, "calls grow with microbatches"
        assert counts[many][2] == 6, "each device has a loop for each of three functions"


if __name__ == "__main__":
    main()
