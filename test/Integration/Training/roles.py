#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that leave doubt about what is trained: a step is refused, or trains what PyTorch trains.

roles.py BUILD [--only TEXT]

Inputs/roles (make_roles.py) has modules of which exporters fold, rename, merge or copy parameters. Each file is
imported as it is and with the list of its module's parameters. TRAINS says where a step must be built: its four
losses, every parameter and every running statistic must be PyTorch's. All others must be refused, by import or by the
training step. The last line is "N passed, N failed".
"""

import argparse
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from recorded import read_safetensors
from soap_tools import Failure, Tools
from tally import Tally

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "roles")
MODES = ("dyn", "leg", "dyntrain", "legtrain")
RATE, CLOSE = 0.1, 1e-4
# By case and list, the modes in which a step is built.
ALL, KEPT = MODES, ("dyntrain", "legtrain")
TRAINS = {
    ("adapted", "listed"): ("dyn",) + KEPT,
    ("bag", ""): ("dyntrain",), ("bag", "listed"): ALL,
    ("dense", ""): ("leg",) + KEPT, ("dense", "listed"): ALL,
    ("graph", ""): ("leg",) + KEPT, ("graph", "listed"): ALL,
    ("groups", ""): ("dyntrain",), ("groups", "listed"): KEPT,
    ("normed_product", ""): ("leg", "legtrain"), ("normed_product", "listed"): ("leg",) + KEPT,
    ("one_more", "listed"): KEPT,
    ("perceptrons", ""): ("legtrain",), ("perceptrons", "listed"): KEPT,
    ("policy", "listed"): ("leg",) + KEPT,
    ("rounded", ""): ("legtrain",), ("rounded", "listed"): ("legtrain",),
    ("rows", "listed"): KEPT,
    ("scalar", ""): ("leg",) + KEPT, ("scalar", "listed"): ALL,
    ("shared", ""): ("leg", "legtrain"), ("shared", "listed"): ("leg",) + KEPT,
    ("tied", "listed"): ("legtrain",),
}
# Samples of a graph belong together.
FLAGS = {"graph": ["--no-shuffle"]}
REFUSALS = ("does not say what is trained", "--parameters-from: ")


def refusal(tools, path, options):
    """Why no step is built of a file; empty where one is."""
    try:
        tools.run("soap-translate", "--import-onnx", path, *options, "-o", tools.path("model.mlir"))
        tools.run("soap-opt", tools.path("model.mlir"), "--soap-build-training-step=loss=softmax-cross-entropy optimizer=sgd "
                  "learning-rate=%g" % RATE, "-o", tools.path("step.mlir"))
    except Failure as failure:
        if not any(text in str(failure) for text in REFUSALS):
            raise
        return str(failure)
    return ""


def difference(tools, case, mode):
    """How far the training is from PyTorch's; the largest of all losses and tensors."""
    recorded, last = (np.load(os.path.join(FOLDER, case + end)) for end in (".npz", ".last.npz"))
    data, weights = tools.path("data.npz"), tools.path("last.safetensors")
    np.savez(data, **{key: recorded[key] for key in recorded.files if key != "losses"})
    report = tools.report(tools.path("step.mlir"), "--data", "npz:" + data, "--epochs", len(recorded["losses"]), "--threads-per-device",
                          1, "--save-weights", weights, *FLAGS.get(case, []))
    worst = [np.max(np.abs(np.array([epoch["loss"] for epoch in report["epochs"]]) - recorded["losses"]))]
    saved = read_safetensors(weights)
    with open(os.path.join(FOLDER, case + ".names")) as stream:
        trained = [line.split()[0] for line in stream if "frozen" not in line]
    # The older exporter has run a module in training mode, once.
    statistics = [] if mode == "legtrain" else [key for key in last.files if ".running_" in key]
    for key in trained + statistics:
        if key not in saved:
            raise Failure("'%s' is not trained" % key)
        worst.append(np.max(np.abs(saved[key] - last[key])) / max(np.max(np.abs(last[key])), 1e-3))
    if others := sorted(set(saved) - set(last.files)) + [key for key in saved if key in last.files and
                                                         ".running_" not in key and key not in trained]:
        raise Failure("'%s' is trained" % others[0])
    return max(worst)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    tally = Tally()
    cases = sorted(name[:-6] for name in os.listdir(FOLDER) if name.endswith(".names"))
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for case in cases:
            for mode in MODES:
                path = os.path.join(FOLDER, "%s.%s.onnx" % (case, mode))
                for word, flags in (("", []), ("listed", ["--parameters-from=" + os.path.join(FOLDER, case + ".names")])):
                    name = " ".join(filter(None, (case, mode, word)))
                    if options.only not in name or not os.path.exists(path):
                        continue
                    try:
                        why = refusal(tools, path, flags)
                        trains = mode in TRAINS.get((case, word), ())
                        if why:
                            tally.count(name, trains and "refused: " + why[why.index("error: "):][:300])
                            continue
                        apart = difference(tools, case, mode)
                        tally.count(name, not (trains and apart <= CLOSE) and
                                    "a step is built, %.1e from PyTorch's" % apart)
                    except Failure as failure:
                        tally.count(name, str(failure))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
