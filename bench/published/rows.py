# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of published runs as models, topologies, executors and plans of Soap.

A row is said if a generator writes its network, a built-in topology is its cluster and the hybrid plans have its
strategy; else `Unsaid` says what is missing. Nothing of a row is changed to make it fit. What a source says elsewhere
of its runs is in recipes.csv (recipes.py).
"""

import csv
import functools
import math
import os
import re
import sys


sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "Python"))
import own_planning  # noqa: E402, F401
from soap_planning.catalogue import CATALOGUE  # noqa: E402
from soap_planning.families import read_config  # noqa: E402

# Of rows whose source names the model alone: names of soap-plan.
NAMES = {"Qwen3_30B_a3B": "qwen3-30b-a3b", "Qwen3_235B_a22B": "qwen3-235b-a22b", "GPT OSS 120B": "gpt-oss-120b",
         "GPT OSS 20B": "gpt-oss-20b", "DeepSeekV3": "deepseek-v3", "Kimi_K2": "kimi-k2"}  # fmt: skip


RECIPES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "recipes.csv")
PRECISIONS = {"FP8-CS": "FP8", "FP8-MX": "MXFP8"}


@functools.cache
def recipes():
    with open(RECIPES) as stream:
        return list(csv.DictReader(stream))


class Unsaid(Exception):
    """Why Soap cannot say a row."""


def number(text):
    return int(text) if text else 0


class Row:
    """A published run: `tokens` a second and GPU, and GiB of memory where they are given."""

    def __init__(self, fields, place):
        self.fields, self.place = fields, place
        self.source = fields["source"].split(" (")[0]
        self.model, self.family = fields["model"], fields["family"]
        self.gpus, self.batch = number(fields["gpus"]), number(fields["gbs"])
        self.samples, self.length = number(fields["mbs"]), number(fields["seq"])
        self.tensor, self.stages = number(fields["tp"]), number(fields["pp"])
        self.chunks, self.context, self.experts = (number(fields[name]) or 1 for name in ("vp", "cp", "ep"))
        self.tokens = float(fields["tokens_per_s_per_gpu"])
        self.gib = float(fields["mem_gib"]) if fields["mem_gib"] else None
        self.nanoseconds = self.batch * self.length / (self.tokens * self.gpus) * 1e9

    def __str__(self):
        return (f"{self.model} {self.length} {self.fields['gpu']} x {self.gpus} {self.fields['precision']} "
                f"batch {self.batch}")

    def recipe(self):
        """The recipe of the release that has the row's shape, or the one of the next release that has; else none."""
        if not self.source.startswith("Megatron-Bridge"):
            return {}
        release = self.source.split(" ")[1]
        precision = self.fields["precision"].upper()
        wanted = {"model": self.model.split(" (")[0], "gpu": self.fields["gpu"].replace("DGX-", ""),
                  "precision": PRECISIONS.get(precision, precision), "tensor": self.tensor, "stages": self.stages,
                  "chunks": self.chunks, "context": self.context, "experts": self.experts, "samples": self.samples}
        of = [recipe for recipe in recipes() if all(str(value) == recipe[key] for key, value in wanted.items())]

        def distance(recipe):
            # Release, then devices and batch.
            return (max(0, version(recipe["first"]) > version(release)), max(0, version(release) > version(recipe["last"])),
                    recipe["gpus"] != str(self.gpus), recipe["batch"] != str(self.batch))

        return min(of, key=distance, default={})

    def generator(self):
        """The arguments of soap-translate, without the batch."""
        if self.model in NAMES:
            # Benchmarks of throughput have even loads: each expert takes its share, and drops nothing.
            network = read_config(CATALOGUE[NAMES[self.model]], self.model)
            return [f"--generate={network.generator}", *flags(network.generator_options(self.length))]
        get = {name: number(self.fields[name]) for name in ("layers", "hidden", "heads", "kv_heads", "ffn", "vocab")}
        if not get["layers"]:
            raise Unsaid(f"no sizes of {self.model.split(' ')[0]}")
        options = {"layers": get["layers"], "heads": get["heads"], "head-width": get["hidden"] // get["heads"],
                   "length": self.length, "vocabulary": get["vocab"]}
        if self.family.startswith("mpt"):
            return ["--generate=gpt", *flags({**options, "tied": 1, "biases": 0})]
        if "llama" in self.model.lower():
            return ["--generate=llama", *flags({**options, "kv-heads": get["kv_heads"], "mlp-width": get["ffn"]})]
        raise Unsaid(f"no generator of {self.family or self.model}")

    def step(self):
        """The options of --soap-build-training-step."""
        precision = self.fields["precision"].lower()
        if self.source.startswith("Narayanan"):
            return "optimizer=adamw precision=bf16 fuse-attention=false"
        # Recipes of Megatron-Bridge set grad_reduce_in_fp32 = False, except for Kimi.
        narrow = self.executor() == "torch-fsdp" or (self.source.startswith("Megatron-Bridge") and
                                                     self.model != "Kimi_K2")  # fmt: skip
        sums = " gradient-sums=bf16" if narrow else ""
        if "nvfp4" in precision:
            raise Unsaid("precision nvfp4")
        # Frameworks scale each microbatch by itself; of Soap's precisions that is mxfp8, and the products are the same.
        if "fp8" in precision or "float8" in precision:
            microbatches = self.batch * self.tensor * self.stages * self.context // (self.gpus * max(self.samples, 1))
            gathers = "zero 3" in self.fields["data"]
            if gathers and microbatches > 1:
                raise Unsaid("ZeRO-3 of 8-bit floats with microbatches")
            return f"optimizer=adamw precision={'fp8' if gathers else 'mxfp8'}" + sums
        return "optimizer=adamw precision=bf16" + sums

    def step_batch(self):
        """Samples of the step: plans may have as many as they divide."""
        return math.gcd(self.batch, 64)

    def topology(self):
        gpu, gpus = self.fields["gpu"].lower(), self.gpus
        kind = re.search(r"a100_40gb|a100_80gb|gb300|gb200|b300|b200|h100|h200", gpu)
        if not kind:
            raise Unsaid(f"no device {gpu}")
        name = {"a100_40gb": "a100-40gb", "a100_80gb": "a100"}.get(kind.group(), kind.group())
        inside = 72 if name.startswith("gb") else 8
        if gpus <= inside:
            return f"{name}-1x{gpus}"
        # Recipes leave 8 of 72 GPUs of a rack idle, so that powers of two divide.
        inside = 64 if inside == 72 else inside
        if gpus % inside:
            raise Unsaid(f"{gpus} GPUs in machines of {inside}")
        return f"{name}-{gpus // inside}x{inside}"

    def changes(self):
        """Keys of the device type that differ from the built-in one."""
        if "96GB HBM2e" in self.fields["gpu"]:
            return {"memory_bytes": 96 << 30, "memory_bandwidth_bytes_per_s": 2.4e12}
        return {}

    def executor(self):
        """A built-in name; what of it differs is `executor_changes`."""
        if self.source.startswith("llm-foundry"):
            return "torch-fsdp"
        return "torchtitan" if self.source.startswith("torchtitan") else "megatron-core"

    def executor_changes(self):
        return {"fuses": False} if "eager" in self.fields["precision"] else {}

    def choices(self):
        """Samples of a microbatch; where the source does not say, the fastest that fits of these."""
        return [self.samples] if self.samples else [1, 2, 4, 8]

    def plan(self, samples=None):
        data = self.fields["data"]
        zero = 3 if "zero 3" in data else 2 if "zero 2" in data else 1
        width = self.tensor * self.stages * self.context
        if self.gpus % width:
            raise Unsaid(f"{self.gpus} GPUs in replicas of {width}")
        if self.gpus // width * self.context == 1:
            zero = 0
        parts = [f"stages={self.stages}", f"chunks={self.chunks}", f"tensor={self.tensor}", f"context={self.context}",
                 f"samples={samples or self.choices()[0]}", f"zero={zero}"]
        if self.experts > 1:
            # Megatron's degree counts all devices that share experts, members of tensor-parallel groups too.
            parts.append(f"experts={self.experts // self.tensor}")
        if self.tensor > 1:
            parts.append("sequence")
        if self.context > 1:
            parts.append("zigzag")
        recompute = self.fields["recompute"].split(" ")[0]
        recipe = self.recipe()
        if recipe.get("offloaded", "0") != "0":
            raise Unsaid("activations in host memory")
        if recompute in ("none", "selective", "whole"):
            parts.append(f"recompute={recompute}")
        elif recipe and not recipe["recompute"]:
            parts.append("recompute=none")
        if self.experts > 1 and recipe.get("overlap") == "1":
            parts.append("overlap")
        return ",".join(parts + ["simulate"])


def version(release):
    return [int(part) for part in release.split(".")]


def flags(options):
    return [f"--option={name}={value}" for name, value in options.items()]


def megatron_rows(table):
    """Narayanan et al. (2021), "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (arXiv
    2104.04473), Table 1, as rows: 2,048 tokens, a vocabulary of 51,200, every activation recomputed, attention as
    several kernels. An iteration has 96 B s l h^2 (1 + s / 6h + V / 16lh) operations. It does not say
    the samples of a microbatch."""
    for fields in table:
        get = {name: int(fields[name]) for name in ("layers", "hidden", "heads", "tensor", "stages", "devices", "batch")}
        layers, hidden, length, vocabulary = get["layers"], get["hidden"], 2048, 51200
        flops = 96 * get["batch"] * length * layers * hidden ** 2 * (1 + length / (6 * hidden) +
                                                                     vocabulary / (16 * layers * hidden))
        seconds = flops / get["devices"] / (float(fields["tflops"]) * 1e12)
        yield {"source": "Narayanan 2021 (table 1)", "family": "mpt", "model": fields["parameters"], "layers": layers,
               "hidden": hidden, "heads": get["heads"], "kv_heads": "", "ffn": "", "vocab": vocabulary, "seq": length,
               "gpu": "a100_80gb", "network": "", "gpus": get["devices"], "precision": "bf16", "tp": get["tensor"],
               "pp": get["stages"], "vp": 1, "cp": 1, "ep": 1, "data": "zero 1", "gbs": get["batch"], "mbs": "",
               "recompute": "whole", "tokens_per_s_per_gpu": get["batch"] * length / seconds / get["devices"],
               "tflops_per_gpu": fields["tflops"], "mem_gib": ""}
