#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small sizes of every network of soap-translate --generate train, on one device, data parallel and searched.

models.py BUILD [--models a,b] [--strategies a,b,..] [--epochs N] [--jobs N]

Checks of every network, all through the tools that a user calls:
- numbers: after some iterations from the same weights on the same batches, every strategy has the loss and the weights
  of one device up to the rounding of sums.
- learning: a training on a few made-up batches learns some of their labels by heart: the loss falls, under every
  strategy.
The translation network also learns to reverse sentences of a made-up language, from two texts, and then knows sentences
that it has not seen; killed and resumed, it has the weights of a run that was left alone.

A network that soap-translate lists and this program does not know is a failure. The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

from soap_tools import Failure, Tools

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from precision import in_f64  # noqa: E402

# Networks so small are fastest on one device: a short search from elsewhere does not get there, and stays a mixture.
STRATEGIES = {
    "single": "--soap-apply-strategy=preset=single topology=cpu-1",
    "data-parallel": "--soap-apply-strategy=preset=data-parallel topology=cpu-2",
    "searched": "--soap-auto-parallel=topology=cpu-4 seed=1 initial=model-parallel proposals=30",
}
# Recipes, which are compared only: of some networks.
RECIPES = {
    "fsdp": "--soap-apply-strategy=preset=fsdp topology=cpu-4",
    "megatron": "--soap-apply-strategy=preset=megatron(tp=2) topology=cpu-4",
    "gshard": "--soap-apply-strategy=preset=gshard(ep=2) topology=cpu-4",
    "megatron-sp": "--soap-apply-strategy=preset=megatron(tp=2,sp) topology=cpu-4",
}
TRANSFORMERS = ("gpt", "bert", "llama", "vit")
RESNET = "image=64,classes=4,width=4,stage1=1,stage2=1,stage3=2,stage4=1"
RECURRENT = "length=6,lstm-chunk=2,hidden=12,vocabulary=9"
TRANSFORMER = "length=6,layers=2,heads=2,head-width=6,vocabulary=9"
MIXTURE = TRANSFORMER + ",kv-heads=2,mlp-width=20,rope-base=100,experts=4,top-k=2,capacity=100"
# Batch, options, learning rate.
MODELS = {
    "lenet": (8, "image=16,classes=4", 0.02),
    "alexnet": (8, "image=63,classes=4,divide=16", 0.02),
    "vgg16": (8, "image=32,classes=4,divide=16", 0.02),
    "inception-v3": (4, "image=107,classes=4,divide=16,a-blocks=1,c-blocks=2,e-blocks=1", 0.02),
    "resnet-18": (4, RESNET, 0.02),
    "resnet-50": (4, RESNET, 0.02),
    "resnet-101": (4, RESNET, 0.02),
    "wide-resnet": (4, RESNET, 0.02),
    "rnntc": (8, RECURRENT + ",layers=2,classes=4", 0.5),
    "rnnlm": (8, RECURRENT, 0.5),
    "nmt": (8, RECURRENT, 0.5),
    "gpt": (8, TRANSFORMER, 0.02),
    "gpt3": (8, TRANSFORMER, 0.02),
    "bert": (8, TRANSFORMER, 0.02),
    "llama": (8, TRANSFORMER.replace("heads=2", "heads=4") + ",kv-heads=2,mlp-width=20,rope-base=100,tied=1", 0.02),
    "mixtral": (8, MIXTURE, 0.02),
    "deepseek": (8, MIXTURE + ",expert-width=10,shared-experts=1", 0.02),
    "vit": (8, "image=16,patch=8,layers=2,heads=2,head-width=6,mlp-width=16,classes=4", 0.02),
    "unet": (4, "image=16,width=4,levels=2,classes=3", 0.02),
}
# Losses and weights of strategies after some iterations in f64, relative. In f32, sums that round otherwise turn a relu
# or a maximum here and there, which is a tenth of a gradient where batch norm sees a few pixels.
ITERATIONS, CLOSE = 3, 1e-9
# How much of the first epoch's loss may be left.
LEFT = 0.95


class ModelTools(Tools):
    def train(self, name, *arguments):
        return self.report(self.path(name + ".mlir"), "--threads-per-device", 1, *arguments)


def listed(tools):
    return re.findall(r"^(\S+): ", tools.run("soap-translate", "--list-models"), re.MULTILINE)


def recipes_of(model):
    # experts.py has more of mixtral.
    mixtures = {"mixtral": ["megatron-sp", "gshard"], "deepseek": []}
    recipes = [recipe for recipe in RECIPES if recipe != "gshard"]
    return mixtures.get(model, recipes if model in TRANSFORMERS else ["fsdp"] if model == "lenet" else [])


def prepare(tools, model, strategies, step=None, suffix=""):
    batch, options, rate = MODELS[model]
    step = step or "optimizer=sgd learning-rate=%g momentum=0.9" % rate
    plain, trained = tools.path(model + ".mlir"), tools.path(model + ".step.mlir")
    tools.run("soap-translate", "--generate=" + model, "--batch=%d" % batch, "--option=" + options, "-o", plain)
    tools.run("soap-opt", plain, "--soap-build-training-step=" + step, "-o", trained)
    for strategy in strategies:
        name = "%s.%s%s" % (model, strategy, suffix)
        chosen, precise = tools.path(name + ".strategy.mlir"), tools.path(name + ".strategy64.mlir")
        tools.run("soap-opt", trained, {**STRATEGIES, **RECIPES}[strategy], "-o", chosen)
        tools.run("soap-opt", chosen, "--soap-partition", "--soap-lower-to-cpu", "-o", tools.path(name + ".mlir"))
        # The same strategy of the same network in f64.
        with open(chosen) as stream:
            text = stream.read()
        with open(precise, "w") as stream:
            stream.write(in_f64(text))
        tools.run("soap-opt", precise, "--soap-partition", "--soap-lower-to-cpu", "-o", tools.path(name + ".f64.mlir"))


def check_numbers(tools, model, strategies, count):
    for strategy in strategies[1:]:
        # So few iterations take less time than optimizing them would.
        report = tools.train("%s.%s.f64" % (model, strategy), "--data=synthetic", "--iterations", ITERATIONS,
                             "--opt-level", 0, "--compare-with", tools.path("%s.%s.f64.mlir" % (model, strategies[0])))
        loss, weights = (report["comparison"][key] for key in ("loss", "weights"))
        # NaN, as the report writes it, is no number.
        good = all(isinstance(number, (int, float)) for number in (loss, weights))
        count(good and loss <= CLOSE and weights <= CLOSE,
              "%s, %s: loss %s and weights %s away from '%s'" % (model, strategy, loss, weights, strategies[0]))


def check_learning(tools, model, strategies, epochs, count):
    for strategy in strategies:
        report = tools.train("%s.%s" % (model, strategy), "--data=synthetic", "--epochs", epochs)
        first, last = report["epochs"][0]["loss"], report["epochs"][-1]["loss"]
        good = all(isinstance(number, (int, float)) for number in (first, last))
        count(good and last <= LEFT * first, "%s, %s: loss %s in the first epoch, %s in epoch %d"
              % (model, strategy, first, last, epochs))


def write_sentences(tools, count):
    """Sentences of three words, and their translations: the words' counterparts in reverse order."""
    chance = random.Random(1)
    with open(tools.path("source.txt"), "w") as source, open(tools.path("target.txt"), "w") as target:
        for _ in range(count):
            words = [chance.randrange(6) for _ in range(3)]
            source.write(" ".join("a%d" % word for word in words) + "\n")
            target.write(" ".join("b%d" % word for word in reversed(words)) + "\n")
    return "text:%s,target=%s" % (tools.path("source.txt"), tools.path("target.txt"))


def check_translation(tools, strategies, epochs, count):
    data = write_sentences(tools, 600)
    prepare(tools, "nmt", strategies, "optimizer=adam learning-rate=0.02", ".translate")
    for strategy in strategies:
        name = "nmt.%s.translate" % strategy
        report = tools.train(name, "--data", data, "--epochs", epochs)
        last = report["epochs"][-1]
        count(last["test_loss"] <= report["unigram_loss"] / 2,
              "nmt, %s: test loss %.4f of translated sentences, %.4f by frequency alone"
              % (strategy, last["test_loss"], report["unigram_loss"]))
    one, other, checkpoint = (tools.path(name) for name in ("one.st", "other.st", "checkpoint.st"))
    tools.train(name, "--data", data, "--iterations", 9, "--save-weights", one)
    tools.train(name, "--data", data, "--iterations", 4, "--checkpoint", checkpoint)
    tools.train(name, "--data", data, "--iterations", 9, "--resume", checkpoint, "--save-weights", other)
    with open(one, "rb") as first, open(other, "rb") as second:
        same = first.read() == second.read()
    count(same, "nmt, %s: interrupted and resumed, weights equal an undisturbed run's, bit for bit" % strategy)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=1, help="models at a time")
    options = parser.parse_args()
    strategies = options.strategies.split(",")
    counts = {True: 0, False: 0}

    def count(good, text):
        counts[bool(good)] += 1
        print(("ok      " if good else "FAILED  ") + text, flush=True)

    def check(model):
        """Checks of a model, which runs in a folder of its own, and whether each holds."""
        checks = []

        def note(good, text):
            checks.append((good, text))

        try:
            with tempfile.TemporaryDirectory() as folder:
                tools = ModelTools(build, folder)
                compared = strategies + recipes_of(model)
                prepare(tools, model, compared)
                check_numbers(tools, model, compared, note)
                check_learning(tools, model, strategies, options.epochs, note)
                if model == "nmt":
                    check_translation(tools, strategies, options.epochs, note)
        except (Failure, subprocess.TimeoutExpired) as failure:
            note(False, "%s: %s" % (model, failure))
        return checks

    build = os.path.abspath(options.build)
    try:
        for model in listed(ModelTools(build, "")):
            count(model in MODELS, "%s is known here" % model)
    except (Failure, subprocess.TimeoutExpired) as failure:
        count(False, str(failure))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for checks in pool.map(check, options.models.split(",")):
            for good, text in checks:
                count(good, text)
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
