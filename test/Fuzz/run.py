#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fuzz targets of a build: libFuzzer for a while each, or without libFuzzer a replay of the corpora.

    test/Fuzz/run.py BUILD [--seconds N] [--only TEXT] [--keep FOLDER]

Inputs that fail are kept in FOLDER (default: BUILD/fuzz-failures). The last line is "N passed, N failed".
"""

import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from tally import Tally  # noqa: E402


def run(target, corpus, options, keep):
    """None, or what went wrong."""
    environment = dict(os.environ, ASAN_OPTIONS="allow_user_poisoning=0:detect_leaks=0")
    inputs = sorted(os.path.join(corpus, name) for name in os.listdir(corpus)) if os.path.isdir(corpus) else []
    if not inputs:
        return "has no corpus in %s" % corpus
    with open(target, "rb") as stream:
        fuzzer = b"LLVMFuzzerRunDriver" in stream.read()
    with tempfile.TemporaryDirectory() as fresh:
        if fuzzer:
            command = [target, "-max_total_time=%d" % options.seconds, "-timeout=20", "-rss_limit_mb=3000", "-max_len=65536",
                       "-print_final_stats=1", "-verbosity=0", "-artifact_prefix=%s/%s-" % (keep, os.path.basename(target)),
                       fresh, corpus]
        else:
            command = [target] + inputs
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                                  timeout=options.seconds + 300)
        except subprocess.TimeoutExpired:
            return "did not end"
    output = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        return "exit status %d\n    %s" % (done.returncode, "\n    ".join(output.splitlines()[-40:]))
    count = [line.split()[-1] for line in output.splitlines() if "number_of_executed_units" in line]
    print("%s: %s inputs" % (os.path.basename(target), count[0] if count else len(inputs)), flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    folder = os.path.join(options.build, "bin", "fuzz")
    keep = options.keep or os.path.join(options.build, "fuzz-failures")
    os.makedirs(keep, exist_ok=True)
    targets = sorted(name for name in os.listdir(folder) if name.startswith("Fuzz")) if os.path.isdir(folder) else []
    tally = Tally()
    if not targets:
        tally.count("all", "no fuzz targets in %s" % folder)
    for name in targets:
        if options.only in name:
            tally.count(name, run(os.path.join(folder, name), os.path.join(HERE, "corpus", name), options, keep))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
