#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes folders of Inputs/: models in which exporters merge weights or leave doubt, and their losses.

make_equal_weights.py INPUTS

equal_dynamo, equal_torchscript: layers of a stack begin as copies of one layer, norms and biases begin with ones and
zeros, the head is tied to the embedding, one linear layer is applied twice, a norm has no scale, a scalar is learned,
and a table of positions is no parameter. blocks_dynamo, blocks_torchscript: two blocks of which one begins as a copy of
the other, two scales of a layer that are equal, and a mean and deviation of the images that are no parameters.

A folder for each of PyTorch's exporters has model.onnx, parameters.txt (named_parameters()), x_train.npy, y_train.npy
and losses.json: what PyTorch's own module loses in four iterations of plain SGD. Needs Python with torch, onnx,
onnxscript and numpy.
"""

import copy
import json
import os
import sys

import numpy
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F

RATE, ITERATIONS = 0.1, 4


class Layer(nn.Module):
    """Attention with one head, and a perceptron. nn.TransformerEncoderLayer has ops that import lacks, from the older
    exporter."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(8), nn.LayerNorm(8)
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))
        self.inner, self.outer = nn.Linear(8, 16), nn.Linear(16, 8)
        for linear in (self.query, self.key, self.value):
            nn.init.zeros_(linear.bias)

    def forward(self, x):
        h = self.norm1(x)
        x = x + torch.softmax(self.query(h) @ self.key(h).transpose(1, 2) / 8 ** 0.5, 2) @ self.value(h)
        return x + self.outer(torch.relu(self.inner(self.norm2(x))))


def library_layer():
    layer = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True, norm_first=True)
    # A bias of zero after a product is left out by the newer exporter.
    nn.init.constant_(layer.self_attn.out_proj.bias, 0.125)
    return layer


class Model(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.emb = nn.Embedding(24, 8)
        self.pos = nn.Parameter(0.1 * torch.randn(1, 6, 8))
        self.layers = nn.Sequential(layer, copy.deepcopy(layer))
        self.plain = nn.LayerNorm(8, elementwise_affine=False)
        self.norm = nn.LayerNorm(8)
        self.twice = nn.Linear(8, 8)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.gamma = nn.Parameter(0.5 * torch.ones(8))
        self.head = nn.Linear(8, 24, bias=False)
        self.head.weight = self.emb.weight
        angles = torch.outer(torch.arange(6.0), 10000 ** (-torch.arange(4.0) / 4))
        self.register_buffer("table", torch.cat([angles.sin(), angles.cos()], 1))

    def forward(self, x):
        h = self.layers(self.emb(x) + self.pos + self.table)
        h = self.norm(self.plain(h)) * self.gamma
        h = self.twice(torch.relu(self.twice(h)))
        return self.head(h) * self.scale


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.spatial, self.norm = nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.LayerNorm(8)
        self.inner, self.outer = nn.Linear(8, 16), nn.Linear(16, 8)
        self.gamma = nn.Parameter(0.125 * torch.ones(8))

    def forward(self, x):
        h = self.norm(self.spatial(x).permute(0, 2, 3, 1))
        return x + (self.outer(F.gelu(self.inner(h))) * self.gamma).permute(0, 3, 1, 2)


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.scale1, self.scale2 = (nn.Parameter(0.125 * torch.ones(8)) for _ in range(2))

    def forward(self, x):
        x = x + self.scale1 * torch.relu(self.first(x))
        return x + self.scale2 * torch.relu(self.second(x))


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.3]).view(1, 3, 1, 1))
        self.register_buffer("deviation", torch.tensor([0.2, 0.3, 0.25]).view(1, 3, 1, 1))
        self.stem, self.block1, self.mixer = nn.Conv2d(3, 8, 2, 2), Block(), Mixer()
        self.block2 = copy.deepcopy(self.block1)
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 24)

    def forward(self, x):
        x = self.stem((x - self.mean) / self.deviation)
        x = self.block2(self.block1(x)).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.mixer(x)).mean(1))


def strip(path):
    """Removes traces of the machine from a file."""
    model = onnx.load(path)
    for node in model.graph.node:
        kept = [p for p in node.metadata_props if p.key == "pkg.torch.onnx.name_scopes"]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        node.doc_string = ""
    for value in list(model.graph.value_info) + list(model.graph.input) + list(model.graph.output):
        del value.metadata_props[:]
    for tensor in model.graph.initializer:
        del tensor.metadata_props[:]
    del model.graph.metadata_props[:], model.metadata_props[:], model.graph.value_info[:]
    onnx.save(model, path)


def write(folder, model, x, y, **options):
    os.makedirs(folder, exist_ok=True)
    path = lambda name: os.path.join(folder, name)
    torch.onnx.export(model, (x,), path("model.onnx"), training=torch.onnx.TrainingMode.PRESERVE, external_data=False, **options)
    strip(path("model.onnx"))
    with open(path("parameters.txt"), "w") as stream:
        stream.write("".join(name + "\n" for name, _ in model.named_parameters()))
    numpy.save(path("x_train.npy"), x.numpy().astype(numpy.float32 if x.is_floating_point() else numpy.int32))
    numpy.save(path("y_train.npy"), y.numpy().astype(numpy.int32))
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=RATE), []
    for _ in range(ITERATIONS):
        loss = F.cross_entropy(model(x).reshape(-1, 24), y.reshape(-1))
        losses.append(round(loss.item(), 6))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with open(path("losses.json"), "w") as stream:
        json.dump({"losses": losses}, stream)
        stream.write("\n")


def main():
    exporters = {"dynamo": {"dynamo": True}, "torchscript": {"dynamo": False, "opset_version": 17}}
    for name, options in exporters.items():
        folder = lambda model: os.path.join(sys.argv[1], model + "_" + name)
        torch.manual_seed(0)
        tokens = lambda: torch.randint(0, 24, (4, 6))
        write(folder("equal"), Model(library_layer() if name == "dynamo" else Layer()), tokens(), tokens(), **options)
        write(folder("blocks"), Blocks(), torch.randn(4, 3, 8, 8), torch.randint(0, 24, (4,)), **options)


if __name__ == "__main__":
    main()
