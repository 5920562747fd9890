#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of the language models of examples/ beside PyTorch: same first weights, same batches, same optimizer.

text_torch.py BUILD [--models a,b] [--optimizers a,b] [--iterations N] [--text FILE] [--tolerance T]

Needs Python with torch, onnx and numpy, so it is in no suite; its figures are in docs/LanguageModels.md. Every epoch's
mean loss is printed; the last line is "N passed, N failed". Adam on the GPT is compared less closely: the gradient of
the keys' bias is zero up to rounding, and Adam divides it by its own size.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
OPTIMIZERS = {
    "sgd": ("optimizer=sgd learning-rate=0.5 momentum=0.9", lambda p: torch.optim.SGD(p, lr=0.5, momentum=0.9)),
    "adam": ("optimizer=adam learning-rate=0.003", lambda p: torch.optim.Adam(p, lr=0.003)),
    "adamw": ("optimizer=adamw learning-rate=0.003 weight-decay=0.1",
              lambda p: torch.optim.AdamW(p, lr=0.003, weight_decay=0.1)),
}
CLOSE = {("gpt", "adam"): 1e-2, ("gpt", "adamw"): 1e-2}
MASK = (1 << 64) - 1


class Random:
    """Soap's SplitMix64 (lib/Runtime/Data/Random.h)."""

    def __init__(self, seed, name):
        self.state, hash = seed, 0xcbf29ce484222325
        for byte in name.encode():
            hash = ((hash ^ byte) * 0x100000001b3) & MASK
        self.state = self.next() ^ hash
        self.next()

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xbf58476d1ce4e5b9) & MASK
        z = ((z ^ (z >> 27)) * 0x94d049bb133111eb) & MASK
        return z ^ (z >> 31)


def shuffled(size, epoch):
    random, order = Random(0, "epoch %d" % epoch), list(range(size))
    for i in range(size, 1, -1):
        j = random.next() * i >> 64
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


class Model:
    """The networks of utils/make-language-model-onnx.py, with the weights of a file."""

    def __init__(self, name, path):
        graph = onnx.load(path).graph
        arrays = {i.name: onnx.numpy_helper.to_array(i).copy() for i in graph.initializer}
        dims = [d.dim_value for d in graph.input[0].type.tensor_type.shape.dim]
        self.recurrent = name == "rnnlm"
        self.length, self.batch = dims if self.recurrent else dims[::-1]
        self.heads = None if self.recurrent else int(arrays["heads.shape"][3])
        self.p = {k: torch.nn.Parameter(torch.tensor(v)) for k, v in arrays.items() if v.dtype == np.float32 and v.ndim}

    def __call__(self, tokens):
        return self.rnnlm(tokens.T).transpose(0, 1) if self.recurrent else self.gpt(tokens)

    def rnnlm(self, tokens):
        x, layer = self.p["embedding.weight"][tokens], 0
        while "lstm%d.weight" % layer in self.p:
            w, r, b = (self.p["lstm%d.%s" % (layer, part)][0] for part in ("weight", "recurrent", "bias"))
            width = r.shape[1]
            gates = x @ w.T + b[:4 * width] + b[4 * width:]
            h = c = torch.zeros(x.shape[1], width)
            steps = []
            for gate in gates:
                i, o, f, new = (gate + h @ r.T).chunk(4, 1)
                c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(new)
                h = torch.sigmoid(o) * torch.tanh(c)
                steps.append(h)
            x, layer = torch.stack(steps), layer + 1
        return x @ self.p["output.weight"] + self.p["output.bias"]

    def gpt(self, tokens):
        linear = lambda x, name: x @ self.p[name + ".weight"] + self.p[name + ".bias"]
        norm = lambda x, name: F.layer_norm(x, x.shape[-1:], self.p[name + ".weight"], self.p[name + ".bias"])
        x, layer = self.p["embedding.weight"][tokens] + self.p["positions.weight"], 0
        samples, length, width = x.shape
        while "block%d.norm1.weight" % layer in self.p:
            block = "block%d." % layer
            qkv = linear(norm(x, block + "norm1"), block + "attention.qkv")
            q, k, v = qkv.reshape(samples, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + linear(mixed.transpose(1, 2).reshape(samples, length, width), block + "attention.proj")
            x = x + linear(F.gelu(linear(norm(x, block + "norm2"), block + "mlp1")), block + "mlp2")
            layer += 1
        return norm(x, "norm") @ self.p["output.weight"]


def train_torch(model, optimizer, tokens, iterations):
    """The mean loss of every epoch."""
    train = tokens[:len(tokens) * 9 // 10]
    count = (len(train) - 1) // model.length
    x = torch.tensor(train[:count * model.length].reshape(count, model.length)).long()
    y = torch.tensor(train[1:count * model.length + 1].reshape(count, model.length)).long()
    optimizer, epochs, epoch, order = optimizer(model.p.values()), [], 0, []
    for _ in range(iterations):
        if len(order) < model.batch:
            epoch, order = epoch + 1, shuffled(count, epoch + 1)
            epochs.append([])
        picked, order = order[:model.batch], order[model.batch:]
        optimizer.zero_grad()
        logits = model(x[picked])
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y[picked].reshape(-1))
        loss.backward()
        optimizer.step()
        epochs[-1].append(loss.item())
    return [float(np.mean(losses)) for losses in epochs]


def train_soap(build, name, path, optimizer, tokens, iterations):
    run = lambda tool, *arguments: subprocess.run([os.path.join(build, "bin", tool), *arguments], check=True)
    with tempfile.TemporaryDirectory() as folder:
        file = lambda end: os.path.join(folder, end)
        np.save(file("tokens.npy"), tokens)
        run("soap-translate", "--import-onnx", path, "-o", file("model.mlir"), *(["--sample-dim=1"] if name == "rnnlm" else []))
        run("soap-opt", file("model.mlir"), "--soap-build-training-step=" + optimizer, "-o", file("step.mlir"))
        run("soap-run", "train", file("step.mlir"), "--data", "tokens:" + file("tokens.npy"), "--iterations", str(iterations), "--quiet",
            "--report", file("report.json"))
        with open(file("report.json")) as stream:
            return [epoch["loss"] for epoch in json.load(stream)["epochs"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--models", default="rnnlm,gpt")
    parser.add_argument("--optimizers", default=",".join(OPTIMIZERS))
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--text", default="/usr/share/common-licenses/GPL-3")
    parser.add_argument("--tolerance", type=float, default=1e-4)
    options = parser.parse_args()
    with open(options.text, "rb") as stream:
        tokens = np.unique(np.frombuffer(stream.read(), np.uint8), return_inverse=True)[1].astype(np.int32)
    counts = {True: 0, False: 0}
    for name in options.models.split(","):
        path = os.path.join(SOURCE, "examples", name + ".onnx")
        for optimizer in options.optimizers.split(","):
            text, make = OPTIMIZERS[optimizer]
            want = train_torch(Model(name, path), make, tokens, options.iterations)
            got = train_soap(options.build, name, path, text, tokens, options.iterations)
            worst = max(abs(a - b) / a for a, b in zip(want, got))
            good = len(want) == len(got) and worst <= CLOSE.get((name, optimizer), options.tolerance)
            counts[good] += 1
            print("%s %s %s: %.1e apart; PyTorch %s, Soap %s" % (
                "ok     " if good else "FAILED ", name, optimizer, worst, *(" ".join("%.6f" % v for v in l) for l in (want, got))),
                flush=True)
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return 1 if counts[False] else 0


if __name__ == "__main__":
    sys.exit(main())
