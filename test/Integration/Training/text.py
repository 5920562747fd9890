#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the RNNLM and the GPT of examples/ on a real text under several strategies.

text.py BUILD [--models a,b] [--epochs N] [--text FILE] [--strategies a,b,..] [--seed N]

Three checks of every model, all through the tools that a user calls:
- numbers: after some iterations of SGD from the same weights on the same batches, every strategy has the loss and the
  weights of one device up to the rounding of sums.
- learning: after some epochs with Adam, the losses of the training text and of its last tenth, which is not trained on,
  are well below what guessing by frequency gives (computed here), perplexities are the exponentials of losses, and all
  strategies end at about the same loss.
- nothing lost: a training that is killed and resumed from its last checkpoint has the weights, bit for bit, of one that
  was left alone.

The text is a license that every Debian system has (base-files). The last line is "N passed, N failed".
"""

import argparse
import collections
import gzip
import json
import math
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

from soap_tools import Failure, Tools

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TEXT = "/usr/share/common-licenses/GPL-3"
STRATEGIES = {
    "single": "--soap-apply-strategy=preset=single topology=cpu-1",
    "data-parallel": "--soap-apply-strategy=preset=data-parallel topology=cpu-2",
    "model-parallel": "--soap-apply-strategy=preset=model-parallel topology=cpu-2",
    "searched": "--soap-auto-parallel=topology=cpu-4 seed=1 time-limit=3",
}
# Options of import (the RNNLM has time first) and the learning rate of Adam.
MODELS = {"rnnlm": (["--sample-dim=1"], 0.01), "gpt": ([], 0.003)}
# Nats below guessing by frequency that are asked for.
LEARNED = 0.3
# Losses and weights of strategies, relative. Sums round otherwise; nothing else differs.
CLOSE_LOSS, CLOSE_WEIGHTS = 1e-5, 1e-4
# Trained losses: rounding grows over many iterations of Adam, which divides small gradients by their own size.
CLOSE_TRAINED = 0.05


class TextTools(Tools):
    def __init__(self, build, folder, text):
        super().__init__(build, folder)
        self.text = text

    def training(self, name, *arguments):
        # One thread makes sums repeatable.
        return [self.path(name + ".mlir"), "--data", "text:%s,level=byte" % self.text, "--quiet", "--timeout", "120",
                "--threads-per-device", "1"] + [str(a) for a in arguments]

    def train(self, name, *arguments):
        return self.report(*self.training(name, *arguments))


def prepare(tools, model, strategies):
    """MODEL.STRATEGY.sgd.mlir and MODEL.STRATEGY.adam.mlir, lowered."""
    tools.run("soap-translate", "--import-onnx", os.path.join(SOURCE, "examples", model + ".onnx"), *MODELS[model][0], "-o",
              tools.path(model + ".mlir"))
    for optimizer, options in (("sgd", "optimizer=sgd learning-rate=0.1 momentum=0.9"), ("adam", "optimizer=adam learning-rate=%g" % MODELS[model][1])):
        step = tools.path("%s.%s.step.mlir" % (model, optimizer))
        tools.run("soap-opt", tools.path(model + ".mlir"), "--soap-build-training-step=loss=softmax-cross-entropy " + options,
                  "-o", step)
        for strategy in strategies:
            tools.run("soap-opt", step, STRATEGIES[strategy], "--soap-partition", "--soap-lower-to-cpu", "-o",
                      tools.path("%s.%s.%s.mlir" % (model, strategy, optimizer)))


def guessing(path):
    """The losses of guessing bytes by their frequency in the training part, there and in the last tenth: nats per
    byte."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as stream:
        content = stream.read()
    train, test = content[:len(content) * 9 // 10], content[len(content) * 9 // 10:]
    counts = collections.Counter(train)
    # Bytes that were never seen are taken for as frequent as one that was seen once.
    loss = lambda part: -sum(math.log(max(1, counts[byte]) / len(train)) for byte in part) / len(part)
    return loss(train), loss(test)


def check_numbers(tools, model, strategies, count):
    for strategy in strategies[1:]:
        report = tools.train("%s.%s.sgd" % (model, strategy), "--compare-with",
                             tools.path("%s.%s.sgd.mlir" % (model, strategies[0])), "--iterations", 10)
        loss, weights = (report["comparison"][key] for key in ("loss", "weights"))
        # NaN, as the report writes it, is no number.
        good = all(isinstance(number, (int, float)) for number in (loss, weights))
        count(good and loss <= CLOSE_LOSS and weights <= CLOSE_WEIGHTS,
              "%s, %s: loss %s and weights %s away from '%s'" % (model, strategy, loss, weights, strategies[0]))


def check_learning(tools, model, strategies, epochs, count):
    train_guess, test_guess = guessing(tools.text)
    losses = {}
    for strategy in strategies:
        report = tools.train("%s.%s.adam" % (model, strategy), "--epochs", epochs)
        name = "%s, %s: " % (model, strategy)
        last = report["epochs"][-1]
        losses[strategy] = last["test_loss"]
        count(abs(report["unigram_loss"] - train_guess) < 0.01,
              name + "guessing by frequency has loss %.4f (%.4f by the test's own count)" % (report["unigram_loss"], train_guess))
        count(all(math.isclose(math.exp(last[prefix + "loss"]), last[prefix + "perplexity"], rel_tol=1e-9)
                  for prefix in ("", "test_")), name + "perplexities are exponentials of losses")
        count(last["loss"] <= train_guess - LEARNED,
              name + "loss %.4f, perplexity %.2f after %d epochs, %.2f ms per iteration"
              % (last["loss"], last["perplexity"], epochs, report["milliseconds_per_iteration"]["median"]))
        count(last["test_loss"] <= test_guess - LEARNED,
              name + "test loss %.4f, test perplexity %.2f (guessing: %.4f)"
              % (last["test_loss"], last["test_perplexity"], test_guess))
    spread = max(losses.values()) - min(losses.values())
    count(spread <= CLOSE_TRAINED, "%s: trained losses of %d strategies are %.2g apart" % (model, len(losses), spread))


def step_of(checkpoint):
    with open(checkpoint, "rb") as stream:
        size, = struct.unpack("<Q", stream.read(8))
        return json.loads(json.loads(stream.read(size))["__metadata__"]["state"])["step"]


def check_kill(tools, model, strategy, chance, count):
    """Kills a training that would never end some time after its first checkpoint."""
    name = "%s.%s.adam" % (model, strategy)
    checkpoint, resumed, alone = (tools.path(file) for file in ("kill.st", "resumed.st", "alone.st"))
    if os.path.exists(checkpoint):
        os.remove(checkpoint)
    command = [os.path.join(tools.build, "bin", "soap-run"), "train"] + tools.training(
        name, "--iterations", 10 ** 9, "--checkpoint", checkpoint, "--checkpoint-every", 3)
    victim = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + 120
        while not os.path.exists(checkpoint) and victim.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.3))
        if victim.poll() is not None or not os.path.exists(checkpoint):
            raise Failure("no checkpoint of '%s': %s" % (" ".join(command), victim.poll()))
    finally:
        victim.send_signal(signal.SIGKILL)
        victim.communicate()
    step = step_of(checkpoint)
    tools.train(name, "--iterations", step + 5, "--resume", checkpoint, "--save-weights", resumed)
    tools.train(name, "--iterations", step + 5, "--save-weights", alone)
    with open(resumed, "rb") as one, open(alone, "rb") as other:
        same = one.read() == other.read()
    count(same, "%s, %s: killed after iteration %d, resumed: weights equal an undisturbed run's, bit for bit"
          % (model, strategy, step))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    strategies = options.strategies.split(",")
    chance = random.Random(options.seed)
    counts = {True: 0, False: 0}

    def count(good, text):
        counts[bool(good)] += 1
        print(("ok      " if good else "FAILED  ") + text, flush=True)

    if not os.path.isfile(options.text):
        print("FAILED  no text '%s'\n0 passed, 1 failed" % options.text)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        tools = TextTools(os.path.abspath(options.build), folder, options.text)
        for model in options.models.split(","):
            try:
                prepare(tools, model, strategies)
                check_numbers(tools, model, strategies, count)
                check_learning(tools, model, strategies, options.epochs, count)
                for strategy in strategies[:2]:
                    check_kill(tools, model, strategy, chance, count)
            except (Failure, subprocess.TimeoutExpired) as failure:
                count(False, str(failure))
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
