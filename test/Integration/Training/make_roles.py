#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes Inputs/roles: modules whose files leave doubt about what is trained, and what PyTorch's own module loses.

make_roles.py INPUTS [CASE ..]

Each module is exported four times: `dyn` and `leg` are torch.onnx.export as one calls it (newer and older exporter),
`dyntrain` and `legtrain` keep names and norms (docs/ONNX.md). NAME.MODE.onnx are files, NAME.names the parameters
with their shapes, and which are frozen, NAME.npz one batch and the losses of four iterations of plain SGD,
NAME.last.npz all parameters and statistics behind these. Needs Python with torch, onnx, onnxscript and numpy.
"""

import copy
import os
import sys
import warnings

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

from make_equal_weights import strip

RATE, ITERATIONS = 0.1, 4


class Scalar(nn.Module):
    """A Python number multiplies."""

    def __init__(self):
        super().__init__()
        self.a, self.o = nn.Linear(12, 32), nn.Linear(32, 10)

    def forward(self, x):
        return 2 * self.o(torch.tanh(self.a(x)))


class ScaleOfOneMore(nn.Module):
    """Gemma's norm: the scale is 1 + w."""

    def __init__(self):
        super().__init__()
        self.a, self.o, self.weight = nn.Linear(12, 32), nn.Linear(32, 10), nn.Parameter(torch.zeros(32))

    def forward(self, x):
        x = self.a(x)
        return self.o(x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * (1 + self.weight))


class Perceptrons(nn.Module):
    """The paths of nn.Sequential differ from the names of its parameters."""

    def __init__(self):
        super().__init__()
        self.n = nn.ModuleList(nn.LayerNorm(12) for _ in range(2))
        self.f = nn.ModuleList(nn.Sequential(nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 12)) for _ in range(2))
        self.o = nn.Linear(12, 10)

    def forward(self, x):
        for n, f in zip(self.n, self.f):
            x = x + f(n(x))
        return self.o(x)


class Groups(nn.Module):
    """Exporters write a group norm as an instance norm, and a scale and a bias behind it."""

    def __init__(self):
        super().__init__()
        self.c, self.n, self.o = nn.Conv2d(3, 8, 3), nn.GroupNorm(2, 8), nn.Linear(8, 10)

    def forward(self, x):
        return self.o(F.relu(self.n(self.c(x))).mean((2, 3)))


class NormedProduct(nn.Module):
    """The newer exporter folds the norm into the product before it."""

    def __init__(self):
        super().__init__()
        self.a, self.n, self.o = nn.Linear(12, 32), nn.BatchNorm1d(32), nn.Linear(32, 10)

    def forward(self, x):
        return self.o(F.relu(self.n(self.a(x))))


class Rows(nn.Module):
    """One parameter, of which two ops have a row each."""

    def __init__(self):
        super().__init__()
        self.a, self.g, self.o = nn.Linear(12, 8), nn.Parameter(torch.ones(2, 8)), nn.Linear(8, 10)

    def forward(self, x):
        return self.o(torch.tanh(self.a(x) * self.g[0]) * self.g[1])


class Bag(nn.Module):
    """Sums of rows of a table: the older exporter writes a loop that reads the table."""

    def __init__(self):
        super().__init__()
        self.e, self.o = nn.EmbeddingBag(50, 8, mode="sum"), nn.Linear(8, 3)

    def forward(self, x):
        return self.o(self.e(x))


class Policy(nn.Module):
    """A network beside a frozen copy of itself."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 10))
        self.ref = copy.deepcopy(self.policy).requires_grad_(False)

    def forward(self, x):
        return self.policy(x) - 0.5 * self.ref(x)


class Adapted(nn.Module):
    """A low-rank adapter of a frozen product."""

    def __init__(self):
        super().__init__()
        self.base, self.o = nn.Linear(12, 16).requires_grad_(False), nn.Linear(16, 10)
        self.lora_A, self.lora_B = nn.Linear(12, 2, bias=False), nn.Linear(2, 16, bias=False)

    def forward(self, x):
        return self.o(torch.tanh(self.base(x) + 2 * self.lora_B(self.lora_A(x))))


class Tied(nn.Module):
    """The table of the tokens is the weight of the head."""

    def __init__(self):
        super().__init__()
        self.e, self.a, self.head = nn.Embedding(24, 8), nn.Linear(8, 8), nn.Linear(8, 24, bias=False)
        self.head.weight = self.e.weight

    def forward(self, x):
        return self.head(torch.tanh(self.a(self.e(x))))


class Dense(nn.Module):
    """Norms whose first statistics equal their scale and bias, of different widths, on what is concatenated."""

    def __init__(self):
        super().__init__()
        self.n1, self.c1 = nn.BatchNorm2d(3), nn.Conv2d(3, 5, 3, padding=1, bias=False)
        self.n2, self.o = nn.BatchNorm2d(8), nn.Linear(8, 10)

    def forward(self, x):
        x = torch.cat([x, self.c1(F.relu(self.n1(x)))], 1)
        return self.o(F.relu(self.n2(x)).mean((2, 3)))


class Shared(nn.Module):
    """A norm that two branches share updates its statistics twice."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.n, self.o = nn.Linear(12, 16), nn.Linear(12, 16), nn.BatchNorm1d(16), nn.Linear(16, 10)

    def forward(self, x):
        return self.o(torch.tanh(self.n(self.a(x))) * torch.tanh(self.n(self.b(x))))


class Graph(nn.Module):
    """A graph whose nodes are the batch, and whose edges are numbers of nodes."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(8, 10)

    def forward(self, x, e):
        h = self.l(x)
        return h + torch.zeros_like(h).index_add(0, e[:, 1], h[e[:, 0]])


class Rounded(nn.Module):
    """Straight-through rounding: no gradient flows through the detached part."""

    def __init__(self):
        super().__init__()
        self.a, self.o = nn.Linear(12, 16), nn.Linear(16, 10)

    def forward(self, x):
        z = torch.tanh(self.a(x))
        return self.o(z * z.detach() + (torch.round(2 * z) / 2 - z).detach())


CASES = {
    "scalar": (Scalar, lambda: (torch.randn(8, 12),)),
    "one_more": (ScaleOfOneMore, lambda: (torch.randn(8, 12),)),
    "perceptrons": (Perceptrons, lambda: (torch.randn(4, 6, 12),)),
    "groups": (Groups, lambda: (torch.randn(4, 3, 8, 8),)),
    "normed_product": (NormedProduct, lambda: (torch.randn(8, 12),)),
    "rows": (Rows, lambda: (torch.randn(8, 12),)),
    "bag": (Bag, lambda: (torch.randint(0, 50, (4, 5)),)),
    "policy": (Policy, lambda: (torch.randn(8, 12),)),
    "adapted": (Adapted, lambda: (torch.randn(8, 12),)),
    "tied": (Tied, lambda: (torch.randint(0, 24, (4, 6)),)),
    "dense": (Dense, lambda: (torch.randn(4, 3, 8, 8),)),
    "shared": (Shared, lambda: (torch.randn(8, 12),)),
    "rounded": (Rounded, lambda: (torch.randn(8, 12),)),
    "graph": (Graph, lambda: (torch.randn(12, 8), torch.randint(0, 12, (12, 2)))),
}


def export(model, inputs, path, mode):
    training = mode.endswith("train")
    # The older exporter runs a module once, which updates statistics in training mode.
    model = copy.deepcopy(model)
    model.train(training)
    options = {"input_names": ["x"] if len(inputs) == 1 else ["x", "e"], "dynamo": mode.startswith("dyn"), "verbose": False,
               "external_data": False}
    if training and options["dynamo"]:
        options["optimize"] = False
    elif training:
        options.update(opset_version=17, training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
    torch.onnx.export(model, inputs, path, **options)
    strip(path)


def stop_gradient(graph, x):
    return graph.op("soap::StopGradient", x).setType(x.type())


def main():
    torch.onnx.register_custom_op_symbolic("aten::detach", stop_gradient, 17)
    folder = os.path.join(sys.argv[1], "roles")
    os.makedirs(folder, exist_ok=True)
    warnings.simplefilter("ignore")
    for name, (module, inputs_of) in CASES.items():
        if name not in (sys.argv[2:] or CASES):
            continue
        torch.manual_seed(0)
        model, inputs = module(), inputs_of()
        path = os.path.join(folder, name)
        # Only the older exporter can be told to write `detach`.
        for mode in ("legtrain",) if module is Rounded else ("dyn", "leg", "dyntrain", "legtrain"):
            try:
                export(model, inputs, "%s.%s.onnx" % (path, mode), mode)
            except Exception as error:
                print(name, mode, type(error).__name__, str(error).splitlines()[0])
        with open(path + ".names", "w") as stream:
            for key, value in model.named_parameters():
                stream.write("%s %s%s\n" % (key, "x".join(map(str, value.shape)), "" if value.requires_grad else " frozen"))
        model.train()
        shape = model(*inputs).shape
        torch.manual_seed(0)
        model = module()
        inputs = inputs_of()
        target = torch.randint(0, shape[-1], shape[:-1])
        optimizer, losses = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], RATE), []
        for _ in range(ITERATIONS):
            loss = F.cross_entropy(model(*inputs).reshape(-1, shape[-1]), target.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        arrays = {key + "_train": value.numpy() for key, value in zip("xe", inputs)}
        arrays = {key: value.astype(numpy.int32) if value.dtype == numpy.int64 else value for key, value in arrays.items()}
        buffers = {key: value.numpy() for key, value in model.named_buffers() if "num_batches" not in key}
        numpy.savez(path + ".npz", y_train=target.numpy().astype(numpy.int32), losses=losses, **arrays)
        numpy.savez(path + ".last.npz", **{key: value.detach().numpy() for key, value in model.named_parameters()}, **buffers)
        print(name, losses)


if __name__ == "__main__":
    main()
