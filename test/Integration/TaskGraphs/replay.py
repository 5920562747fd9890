#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays Algorithm 1 over task graphs of many models, strategies and topologies: every time has to agree.

    test/Integration/TaskGraphs/replay.py BUILD

utils/replay-task-graph.py was written from the paper and the file format alone. That it can fail is checked, too: with
times, durations and the makespan altered, one at a time. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(SOURCE, "test"))
from tally import Tally  # noqa: E402

REPLAY = os.path.join(SOURCE, "utils", "replay-task-graph.py")
# Small, but with all that their large versions have.
MODELS = [
    ("lenet", 64, ""),
    ("alexnet", 16, "divide=8"),
    ("inception-v3", 4, "divide=8"),
    ("resnet-50", 4, "stage1=1,stage2=2,stage3=1,stage4=1"),
    ("rnnlm", 8, "length=8,lstm-chunk=2,hidden=64,vocabulary=100"),
    ("nmt", 8, "length=8,lstm-chunk=2,hidden=32,vocabulary=100"),
    ("gpt", 2, "layers=2,heads=4,head-width=16,length=32,vocabulary=100"),
]
# GPUs that copy beside kernels, shared links, and CPUs whose copies occupy the receiver (deferred tasks).
TOPOLOGIES = ["p100-1x4", "k80-2x4", "cpu-3"]
PRESETS = ["data-parallel", "model-parallel", "spatial"]


class Failed(Exception):
    pass


def execute(build, tool, *arguments):
    done = subprocess.run([os.path.join(build, "bin", tool), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise Failed("%s %s: exit status %d\n%s" % (tool, " ".join(arguments), done.returncode,
                                                  done.stderr.decode(errors="replace")))


def replay(path):
    """Exit status and what was printed."""
    done = subprocess.run([sys.executable, REPLAY, path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode(errors="replace")


def alterations(graph):
    """Copies of a graph with one number changed, each with what it is called; tasks from the whole run."""
    tasks = graph["tasks"]
    places = {len(tasks) // 7, len(tasks) // 2, len(tasks) - 1}
    for i in sorted(places):
        for key in ("ready", "start", "end"):
            altered = json.loads(json.dumps(graph))
            altered["tasks"][i][key] += 1
            yield "%s of task %d" % (key, i), altered
        altered = json.loads(json.dumps(graph))
        altered["tasks"][i]["duration"] += 1
        yield "duration of task %d" % i, altered
    altered = json.loads(json.dumps(graph))
    altered["makespan"] -= 1
    yield "makespan", altered
    # A file that is no task graph is neither right nor wrong.
    for name, change in [("a predecessor that is not there", {"preds": [len(tasks)]}), ("no duration", {"duration": 0}),
                         ("no resource", {"resources": []}), ("a key twice", {"key": tasks[-2]["key"]})]:
        altered = json.loads(json.dumps(graph))
        altered["tasks"][-1].update(change)
        yield name, altered


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        graph_file = os.path.join(folder, "g.json")
        for model, batch, sizes in MODELS:
            forward, step = os.path.join(folder, "forward.mlir"), os.path.join(folder, "step.mlir")
            try:
                execute(options.build, "soap-translate", "--generate=" + model, "--batch=%d" % batch,
                        *(["--option=" + sizes] if sizes else []), "-o", forward)
                execute(options.build, "soap-opt", forward, "--soap-build-training-step", "-o", step)
            except Failed as error:
                tally.count(model, str(error))
                continue
            for topology in TOPOLOGIES:
                # Of the search, what it draws at random is the interesting part: it is short.
                for strategy in [*("--soap-apply-strategy=preset=%s topology=%s" % (preset, topology) for preset in PRESETS),
                                 "--soap-auto-parallel=proposals=10 seed=3 topology=" + topology]:
                    problem = None
                    try:
                        execute(options.build, "soap-opt", step, strategy,
                                "--soap-simulate=summary=false task-graph=" + graph_file, "-o", os.devnull)
                        status, text = replay(graph_file)
                        if status != 0:
                            problem = "exit status %d\n%s" % (status, text)
                    except Failed as error:
                        problem = str(error)
                    tally.count("%s, %s" % (model, strategy), problem)
        # The last graph, altered.
        with open(graph_file) as stream:
            graph = json.load(stream)
        for name, altered in alterations(graph):
            with open(graph_file, "w") as stream:
                json.dump(altered, stream)
            status, text = replay(graph_file)
            expected = 1 if name.split()[0] in ("ready", "start", "end", "duration", "makespan") else 2
            tally.count("altered: " + name, status != expected and "exit status %d, expected %d\n%s" % (status, expected, text))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
