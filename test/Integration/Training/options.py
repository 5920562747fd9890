#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains with every option of the training step as PyTorch did (record_options.py), and compares.

options.py BUILD [--cases a,b] [--strategies a,b]

Every case is trained on one device and under strategies on four. Checked are the loss of every iteration, all weights
after the last, the loss and the metrics of a test set that is no multiple of the batch, and the results that
'soap-run predict ' gives for it. A training that is interrupted and goes on from its checkpoint ends with the same
bits. The last line is "N passed, N failed".
"""

import argparse
import os
import sys
import tempfile

import numpy as np

from recorded import read_safetensors
from soap_tools import Counter, Failure, Tools

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "options")
DECAY = "weight-decay-of=*.bias=0,norm.*=0"
# Options of the training step, and flags of soap-run.
CASES = {
    "smoothing": ("loss=softmax-cross-entropy label-smoothing=0.1 learning-rate=0.2 momentum=0.9 metrics=top-3", []),
    "weighted": ("loss=softmax-cross-entropy class-weights=1,2,0.5,1,3,1,0.25,1 label-smoothing=0.2 ignore-index=-100 optimizer=adamw "
                 "learning-rate=0.02 weight-decay=0.1 metrics=top-2,perplexity " + DECAY, ["--ignore-index", "-100"]),
    "ignored": ("loss=softmax-cross-entropy ignore-index=0 learning-rate=0.3 metrics=top-2", []),
    "bce": ("loss=bce-with-logits optimizer=adam learning-rate=0.02 metrics=accuracy", []),
    "mse": ("loss=mse clip-norm=0.3 learning-rate=0.3 momentum=0.5 metrics=mean-absolute-error", []),
    "l1": ("loss=l1 freeze=fc1.* weight-decay=0.3 learning-rate=0.3 " + DECAY, []),
    "huber": ("loss=huber huber-delta=0.5 optimizer=adamw learning-rate=0.05 weight-decay=0.5 schedule=cosine warmup-iterations=3 "
              "total-iterations=8 final-factor=0.1 " + DECAY, []),
    "output": ("loss=output learning-rate=0.5 schedule=step decay-every=3 decay-factor=0.5", []),
    "heads": ("loss=softmax-cross-entropy,mse loss-weights=1,0.5 optimizer=adam learning-rate=0.02 schedule=linear warmup-iterations=2 "
              "total-iterations=8 metrics=top-2,mean-absolute-error", []),
    "accumulate": ("loss=mse accumulate=true clip-norm=0.5 optimizer=adamw learning-rate=0.03 weight-decay=0.1 schedule=cosine "
                   "total-iterations=8", ["--accumulate", 3]),
    "lion": ("loss=mse clip-norm=0.5 optimizer=lion learning-rate=0.02 weight-decay=0.3 schedule=cosine warmup-iterations=2 "
             "total-iterations=8 metrics=mean-absolute-error " + DECAY, []),
    # Batch norm updates its running statistics after every batch.
    "norms": ("accumulate=true learning-rate=0.2", ["--accumulate", 2]),
    "bf16": ("precision=bf16 optimizer=adamw learning-rate=0.02 weight-decay=0.1", []),
    # The steps that PyTorch leaves out are those whose gradients of weights, which it has in f16, overflow.
    "f16": ("precision=f16 gradient-sums=f16 loss-scale=1048576 loss-scale-window=3 learning-rate=0.3 momentum=0.9", []),
}
STRATEGIES = {name: "preset=%s topology=cpu-%d" % (name, count)
              for name, count in (("single", 1), ("data-parallel", 4), ("model-parallel", 4), ("zero", 4))}
TOLERANCE = 1e-4
# Of a few roundings: half a unit in the last place of a number of the type.
NARROW = {"bf16": 4 * 2**-8, "f16": 4 * 2**-11}


def apart(got, want):
    """Norm-wise, of tensors that are not zero."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    if got.shape != want.shape:
        return np.inf
    return np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-3)


class Case:
    def __init__(self, tools, name, strategy, count):
        self.tools, self.name, self.strategy, self.report_count = tools, name, strategy, count
        self.folder = os.path.join(FOLDER, name)
        self.step, self.flags = CASES[name]
        self.recorded = np.load(os.path.join(self.folder, "torch.npz"))

    def count(self, good, text):
        self.report_count(good, "%s, %s: %s" % (self.name, self.strategy, text))

    def close(self, what, got, want):
        self.count(apart(got, want) <= NARROW.get(self.name, TOLERANCE), "%s %.1e from PyTorch's" % (what, apart(got, want)))

    def train(self, epochs, *more):
        data = "npz:" + os.path.join(self.folder, "data.npz")
        return self.tools.report(self.lowered, "--data", data, "--epochs", epochs, "--threads-per-device", 1, *self.flags, *more)

    def check(self):
        path, recorded = self.tools.path, self.recorded
        self.lowered, saved = path("lowered.mlir"), path("weights.safetensors")
        self.tools.run("soap-translate", "--import-onnx", os.path.join(self.folder, "model.onnx"), "-o", path("model.mlir"))
        self.tools.run("soap-opt", path("model.mlir"), "--soap-build-training-step=" + self.step,
                       "--soap-apply-strategy=" + STRATEGIES[self.strategy], "--soap-partition", "--soap-lower-to-cpu", "-o", self.lowered)
        losses = recorded["losses"]
        # An iteration takes the whole data set: it is an epoch.
        report = self.train(len(losses), "--save-weights", saved, "--save-state", path("state.safetensors"))
        self.close("losses", [epoch["loss"] for epoch in report["epochs"]], losses)
        last = report["epochs"][-1]
        self.close("test loss", last["test_loss"], recorded["test_loss"])
        for key in recorded.files:
            if key.startswith("metric."):
                self.close(key, last["metrics"].get(key[7:], np.nan), recorded[key])
        if "perplexity" in self.step:
            self.close("perplexity", last["metrics"].get("perplexity", np.nan), np.exp(recorded["test_loss"]))
        weights = read_safetensors(saved)
        for key in recorded.files:
            if "." in key and not key.startswith("metric."):
                self.close("weight " + key, weights.get(key, np.nan), recorded[key])
        self.check_results(saved)
        self.check_resuming(len(losses), read_safetensors(path("state.safetensors")))

    def check_results(self, saved):
        if "results" not in self.recorded:
            return
        samples = np.load(os.path.join(self.folder, "data.npz"))["x_test"]
        np.save(self.tools.path("x.npy"), samples)
        self.tools.run("soap-run", "predict", self.lowered, "--quiet", "--data", "npy:" + self.tools.path("x.npy"), "--init", saved,
                       "--out", self.tools.path("y.npy"))
        self.close("results", np.load(self.tools.path("y.npy")), self.recorded["results"])

    def check_resuming(self, epochs, whole):
        checkpoint = self.tools.path("checkpoint.safetensors")
        self.train(epochs // 2, "--checkpoint", checkpoint)
        self.train(epochs, "--resume", checkpoint, "--save-state", self.tools.path("resumed.safetensors"))
        resumed = read_safetensors(self.tools.path("resumed.safetensors"))
        same = whole.keys() == resumed.keys() and all(np.array_equal(whole[key], resumed[key]) for key in whole)
        self.count(same, "a training that goes on from its checkpoint %s" % ("is the same" if same else "differs"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--cases", default=",".join(CASES))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    options = parser.parse_args()
    count = Counter()
    if sorted(os.listdir(FOLDER)) != sorted(CASES):
        count(False, "recorded are %s, expected %s" % (sorted(os.listdir(FOLDER)), sorted(CASES)))
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.path.abspath(options.build), folder)
        for name in options.cases.split(","):
            for strategy in options.strategies.split(","):
                try:
                    Case(tools, name, strategy, count).check()
                except (Failure, OSError, KeyError) as failure:
                    count(False, "%s, %s: %s" % (name, strategy, failure))
    return count.status()


if __name__ == "__main__":
    sys.exit(main())
