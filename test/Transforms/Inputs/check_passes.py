# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks reports of runs of pipelines.

    check_passes.py ONE [--gpipe RUN SIMULATION --1f1b RUN SIMULATION] [--runs RUN...] [--same-time SIMULATION...]
                    [--recomputed RUN SIMULATION]

ONE is the report of a run on one device: all runs have its losses. 1F1B needs less memory than GPipe, in the run
(arena) and simulated, and sends the same bytes, as many as were simulated. What recomputes has the losses of --1f1b bit
for bit, sends as many bytes, and its arenas are as much smaller as its simulated memory.
"""

import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("one")
parser.add_argument("--gpipe", nargs=2)
parser.add_argument("--1f1b", dest="alternating", nargs=2)
parser.add_argument("--runs", nargs="*", default=[])
parser.add_argument("--same-time", nargs=2)
parser.add_argument("--recomputed", nargs=2)
options = parser.parse_args()


def read(path):
    with open(path) as stream:
        return json.load(stream)


def check_losses(path):
    mine, other = read(options.one)["epochs"], read(path)["epochs"]
    assert len(mine) == len(other) > 0
    for a, b in zip(mine, other):
        for key in ("loss", "test_loss"):
            assert abs(a[key] - b[key]) <= 1e-5 * abs(a[key]), (path, key, a[key], b[key])


for run in options.runs:
    check_losses(run)
if options.gpipe:
    first, second = (read(path) for path in (options.gpipe[0], options.alternating[0]))
    for path in (options.gpipe[0], options.alternating[0]):
        check_losses(path)
    simulated = [read(path) for path in (options.gpipe[1], options.alternating[1])]
    for less, more in zip(second["arena_bytes"], first["arena_bytes"]):
        assert less < 0.9 * more, (less, more)
    for less, more in zip(simulated[1]["pipeline"]["stages"], simulated[0]["pipeline"]["stages"]):
        assert less["peak_bytes"] < 0.9 * more["peak_bytes"], (less, more)
    assert first["bytes_sent"] == second["bytes_sent"]
    for run, simulation in zip((first, second), simulated):
        assert sum(map(sum, run["bytes_sent"])) == simulation["bytes_moved"], (run["bytes_sent"], simulation["bytes_moved"])
        passes = simulation["pipeline"]["passes"]
        assert len(passes) == 2 * 2 * 4, len(passes)
if options.recomputed:
    run, simulation = map(read, options.recomputed)
    kept, simulated = map(read, options.alternating)
    assert run["epochs"][0]["loss"] == kept["epochs"][0]["loss"], (run["epochs"], kept["epochs"])
    assert run["bytes_sent"] == kept["bytes_sent"]
    for arena, old, device, before in zip(
        run["arena_bytes"], kept["arena_bytes"], simulation["devices"], simulated["devices"]
    ):
        saved = before["peak_bytes"] - device["peak_bytes"]
        assert saved > 0.1 * before["peak_bytes"], (before, device)
        assert abs(old - arena - saved) <= 0.1 * saved, (old, arena, saved)
if options.same_time:
    one, other = (read(path)["makespan_ns"] for path in options.same_time)
    assert one == other, (one, other)
