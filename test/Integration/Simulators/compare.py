#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the simulators full, propagate and delta, task by task and decision by decision.

    test/Integration/Simulators/compare.py BUILD [--random=N] [--proposals=N] [--seconds=S] [--models=NAME,...]
                                           [--jobs=J]
                                             [--fresh=N]

Random proposals on random graphs of up to some 200 tasks (--random of them), and on the training step of built-in
models (--proposals each, at most --seconds each; --fresh=N: what shards touch and cost is found anew for every Nth of
them only, which is most of the time on large models). What is compared is in Compare.cpp; what it says is printed. Each
run of it counts as one test. With --jobs, so many run at once. The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(SOURCE, "test"))
from tally import Tally  # noqa: E402

# Topologies with and without collectives, with shared links, and with copies that occupy the receiver.
MODELS = [
    ("lenet", "", "cpu-4"),
    ("alexnet", "", "p100-1x4"),
    ("vgg16", "", "k80-1x4"),
    ("inception-v3", "", "p100-1x4"),
    ("resnet-50", "", "k80-2x2"),
    ("resnet-101", "", "p100-2x2"),
    ("wide-resnet", "", "h100-1x4"),
    ("rnntc", "", "k80-1x4"),
    ("rnnlm", "", "cpu-4"),
    ("nmt", "", "p100-2x2"),
    ("gpt", "layers=4", "h100-1x4"),
    ("bert", "layers=4", "a100-1x4"),
]
# First seeds of graphs whose proposals were once decided wrongly: values of partial sums with tasks that wait for
# nothing.
REGRESSIONS = [20269443]
QUICK = {"lenet", "alexnet", "rnnlm", "nmt"}


def execute(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace").strip()


def problem(build, folder, name, options):
    """Writes the problem file of a model's training step; its path, or None and what went wrong."""
    model = os.path.join(folder, name + ".mlir")
    path = os.path.join(folder, name + ".json")
    generate = [os.path.join(build, "bin", "soap-translate"), "--generate=" + name, "-o", model]
    if options:
        generate.append("--option=" + options)
    write = [os.path.join(build, "bin", "soap-opt"), model, "--soap-build-training-step",
             "--soap-print-op-graph=problem=" + path, "-o", os.devnull]
    for command in (generate, write):
        status, output = execute(command)
        if status != 0:
            return None, "%s: exit status %d\n%s" % (" ".join(command), status, output)
    return path, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--random", type=int, default=3000)
    parser.add_argument("--proposals", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fresh", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--topology", help="of all models, a name or a file; default: one for each")
    parser.add_argument("--models", help="names with commas, or all; default: %s" % ",".join(sorted(QUICK)))
    arguments = parser.parse_args()
    program = os.path.join(arguments.build, "bin", "soap-simulators")
    wanted = set(arguments.models.split(",")) if arguments.models else QUICK
    if wanted == {"all"}:
        wanted = {name for name, _, _ in MODELS}
    tally = Tally()
    lock = threading.Lock()

    def compare(name, command, seed=arguments.seed):
        begin = time.monotonic()
        status, output = execute([program, "--seed=%d" % seed, *command])
        with lock:
            print("%s: %s; %.0f s" % (name, output, time.monotonic() - begin), flush=True)
            tally.count(name, "" if status == 0 else "exit status %d" % status)

    def compare_model(name, options, topology):
        topology = arguments.topology or topology
        path, error = problem(arguments.build, folder, name, options)
        if not path:
            with lock:
                tally.count(name, error)
            return
        compare("%s on %s" % (name, topology),
                ["--problem=" + path, "--topology=" + topology, "--proposals=%d" % arguments.proposals,
                 "--seconds=%g" % arguments.seconds, "--fresh=%d" % arguments.fresh])

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = []
        if arguments.random > 0:
            runs.append(pool.submit(compare, "random graphs", ["--random=%d" % arguments.random]))
            runs += [pool.submit(compare, "random graph %d" % seed, ["--random=100"], seed) for seed in REGRESSIONS]
        runs += [pool.submit(compare_model, *model) for model in MODELS if model[0] in wanted]
        for run in runs:
            run.result()
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
