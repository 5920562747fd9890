# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_norm_groups.py FORWARD.mlir FOLDER

A step of SGD with batch-norm=groups(2) on a batch against two steps with batch-norm=batch on its halves, from the same
parameters: new parameters and running statistics are the means of the two, the loss as well. Under two strategies.
"""
import os
import re
import subprocess
import sys

import numpy

model, folder = sys.argv[1:]
text = open(model).read()
text = text[text.index("func.func @forward"):]
os.makedirs(folder, exist_ok=True)
random = numpy.random.default_rng(3)
arguments = {"x": random.normal(size=(4, 2, 3, 3)), "w": random.normal(size=(3, 2, 1, 1)),
             "gamma": random.normal(size=3), "beta": random.normal(size=3), "bn.mean": random.normal(size=3),
             "bn.var": random.uniform(0.5, 2, size=3)}
arguments = {name: value.astype(numpy.float32) for name, value in arguments.items()}
arguments["label"] = numpy.array([0, 2, 1, 1], dtype=numpy.int32)


def run(name, norm, strategy, samples):
    """The tensors of a step on some of the samples."""
    count = samples.stop - samples.start
    source, lowered, results = (os.path.join(folder, name + end) for end in (".mlir", ".lowered.mlir", ""))
    with open(source, "w") as stream:
        stream.write(re.sub(r"tensor<4x", "tensor<%dx" % count, text))
    subprocess.run(["soap-opt", source, "--soap-build-training-step=learning-rate=0.5 momentum=0 batch-norm=" + norm,
                    "--soap-apply-strategy=preset=%s topology=cpu-2" % strategy, "--soap-partition",
                    "--soap-lower-to-cpu", "-o", lowered], check=True)
    command = ["soap-run", "entry", lowered, "train_step", "--quiet", "--output", results]
    for argument, value in arguments.items():
        path = os.path.join(folder, name + "." + argument + ".npy")
        numpy.save(path, value[samples] if argument in ("x", "label") else value)
        command += ["--input", argument + "=" + path]
    subprocess.run(command, check=True)
    return {file[:-4]: numpy.load(os.path.join(results, file)) for file in sorted(os.listdir(results))}


halves = [run("half%d" % i, "batch", "single", slice(2 * i, 2 * i + 2)) for i in range(2)]
whole = run("whole", "batch", "single", slice(0, 4))
for strategy in ("single", "data-parallel", "spatial"):
    got = run(strategy, "groups(2)", strategy, slice(0, 4))
    assert {"w", "gamma", "beta", "bn.mean", "bn.var", "loss"} <= set(got), sorted(got)
    for name in ("w", "gamma", "beta", "bn.mean", "bn.var", "loss"):
        want = (halves[0][name] + halves[1][name]) / 2
        assert numpy.abs(got[name] - want).max() < 1e-5, (strategy, name, got[name], want)
    assert numpy.abs(got["w"] - whole["w"]).max() > 1e-3, "groups make no difference"
