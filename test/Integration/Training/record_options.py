#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how PyTorch trains with the options of the training step, for options.py.

record_options.py [--folder FOLDER] [--cases a,b]

Every case of options.py has a small network with random weights, a loss and an optimizer of PyTorch. FOLDER/NAME gets
- model.onnx: the network before the first iteration;
- data.npz: the samples of the only iteration of an epoch, and a test set that is no multiple of the batch;
- torch.npz: the loss of every iteration before its update ('losses'), all weights after the last, by name, the loss of
  the test set then ('test_loss'), metrics ('metric.NAME') and the results of the network for the test set ('results').

Needs torch, onnx and numpy, so it is in no suite; the files are committed. Last recorded with torch 2.15.0.
"""

import argparse
import os

import numpy as np
import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F

IN, HIDDEN, OUT, BATCH, ITERATIONS, TESTS = 8, 16, 8, 8, 8, 11


class Net(torch.nn.Module):
    """Two linear layers, along the last dim."""

    def __init__(self, zero=False):
        super().__init__()
        self.fc1, self.norm, self.fc2 = torch.nn.Linear(IN, HIDDEN), torch.nn.LayerNorm(HIDDEN), torch.nn.Linear(HIDDEN, OUT)
        if zero:  # logits of exactly 0
            for parameter in self.fc2.parameters():
                torch.nn.init.zeros_(parameter)

    def forward(self, x):
        return self.fc2(self.norm(torch.tanh(self.fc1(x))))


class Heads(Net):
    def __init__(self):
        super().__init__()
        self.value = torch.nn.Linear(HIDDEN, 4)

    def forward(self, x):
        x = self.norm(torch.tanh(self.fc1(x)))
        return self.fc2(x), self.value(x)


class OwnLoss(Net):
    def forward(self, x, target):
        return ((super().forward(x) - target) ** 2).mean()


class Norms(torch.nn.Module):
    """A convolution with a batch norm."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.fc = torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(4, OUT)

    def forward(self, x):
        return self.fc(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


class Narrow(Net):
    """The layers in another type, cast by hand, as a step with 'precision=' does. In f32 while `narrow` is None."""
    narrow = None

    def linear(self, layer, x):
        return F.linear(x, layer.weight.to(x.dtype)) + layer.bias.to(x.dtype)

    def forward(self, x):
        x = x.to(self.narrow or torch.float32)
        x = torch.tanh(self.linear(self.fc1, x))
        x = F.layer_norm(x.float(), (HIDDEN,), self.norm.weight, self.norm.bias).to(x.dtype)
        return self.linear(self.fc2, x).float()


class LossScale:
    """Dynamic: halved where a gradient is not finite, and doubled after `window` iterations in which all are."""

    def __init__(self, scale=1.0, window=None):
        self.scale, self.window, self.good = scale, window, 0

    def step(self, model, optimizer):
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        for gradient in gradients:
            gradient /= self.scale
        if not self.window:
            return optimizer.step()
        if not all(gradient.isfinite().all() for gradient in gradients):
            self.scale, self.good = self.scale / 2, 0
            return None
        self.good += 1
        if self.good == self.window:
            self.scale, self.good = self.scale * 2, 0
        return optimizer.step()


def classes(*shape):
    return torch.randint(OUT, shape)


def numbers(*shape):
    return torch.randn(*shape)


def bits(*shape):
    return torch.randint(2, shape).float()


def tokens(ignored):
    def make(count):
        labels = classes(count, 4)
        labels[torch.rand(count, 4) < 0.3] = ignored
        return labels
    return make


WEIGHTS = torch.tensor([1, 2, 0.5, 1, 3, 1, 0.25, 1])


def top_k(k, ignored=-100):
    def metric(result, labels):
        result, labels = result.reshape(-1, OUT), labels.reshape(-1)
        result, labels = result[labels != ignored], labels[labels != ignored]
        return (result.topk(k).indices == labels[:, None]).any(1).float().mean()
    return metric


def accuracy(result, labels):
    return ((result > 0) == (labels > 0.5)).float().mean()


def error(result, labels):
    return (result - labels).abs().mean()


def rows(loss):
    """A loss of rows of logits, for logits [.., K]."""
    return lambda result, labels: loss(result.reshape(-1, OUT), labels.reshape(-1))


def warmup(count, after):
    return lambda i: min(1.0, (i + 1) / count) * after(max(0, i - count))


def groups(model, decay):
    """Weight decay of matrices alone."""
    matrices = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    return [{"params": matrices, "weight_decay": decay}, {"params": others, "weight_decay": 0}]


def cosine(i, total):
    return 0.5 * (1 + np.cos(np.pi * min(1.0, i / total)))


class Case:
    """The training in PyTorch; options.py has the options for Soap."""

    def __init__(self, loss, labels=lambda n: classes(n), model=Net, x=lambda n: numbers(n, IN), metrics=None, optimizer=None,
                 factor=None, clip=0, batches=1, batch=BATCH, freeze=(), repeats=False,
                 narrow=None, scale=LossScale):
        self.loss, self.labels, self.model, self.x, self.metrics = loss, labels, model, x, metrics or {}
        self.optimizer = optimizer or (lambda m: torch.optim.SGD(m.parameters(), lr=0.1))
        self.factor, self.clip, self.batches, self.batch, self.freeze = factor, clip, batches, batch, freeze
        # All samples of the training set are the same one: no matter in which batch they are.
        self.repeats = repeats
        # The type of the model's layers, and how the loss is scaled.
        self.narrow, self.scale = narrow, scale


def sgd(rate, **options):
    return lambda model: torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=rate, **options)


class Lion(torch.optim.Optimizer):
    """As published (Chen et al., Symbolic Discovery of Optimization Algorithms, 2023)."""

    def __init__(self, parameters, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(parameters, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            (first, second), rate = group["betas"], group["lr"]
            for parameter in group["params"]:
                mean = self.state[parameter].setdefault("mean", torch.zeros_like(parameter))
                update = (first * mean + (1 - first) * parameter.grad).sign()
                parameter.sub_(rate * (update + group["weight_decay"] * parameter))
                mean.mul_(second).add_(parameter.grad, alpha=1 - second)


def sequences(n):
    return numbers(n, 4, IN)


CASES = {
    "smoothing": Case(lambda r, y: F.cross_entropy(r, y, label_smoothing=0.1), optimizer=sgd(0.2, momentum=0.9),
                      metrics={"top-3": top_k(3)}),
    "weighted": Case(rows(lambda r, y: F.cross_entropy(r, y, weight=WEIGHTS, label_smoothing=0.2, ignore_index=-100)),
                     tokens(-100), x=sequences, metrics={"top-2": top_k(2)},
                     optimizer=lambda m: torch.optim.AdamW(groups(m, 0.1), lr=0.02)),
    "ignored": Case(rows(lambda r, y: F.cross_entropy(r, y, ignore_index=0)), tokens(0), x=sequences, optimizer=sgd(0.3),
                    metrics={"top-2": top_k(2, 0)}),
    "bce": Case(F.binary_cross_entropy_with_logits, lambda n: bits(n, OUT), lambda: Net(zero=True), metrics={"accuracy": accuracy},
                optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=0.02)),
    "mse": Case(F.mse_loss, lambda n: numbers(n, OUT), clip=0.3, optimizer=sgd(0.3, momentum=0.5), metrics={"mean-absolute-error": error}),
    "l1": Case(F.l1_loss, lambda n: numbers(n, OUT), freeze=("fc1.weight", "fc1.bias"),
               optimizer=lambda m: torch.optim.SGD([dict(g, params=[p for p in g["params"] if p.requires_grad]) for g in groups(m, 0.3)], lr=0.3)),
    "huber": Case(lambda r, y: F.huber_loss(r, y, delta=0.5), lambda n: numbers(n, OUT),
                  optimizer=lambda m: torch.optim.AdamW(groups(m, 0.5), lr=0.05), factor=warmup(3, lambda i: 0.1 + 0.9 * cosine(i, 5))),
    "output": Case(None, lambda n: numbers(n, OUT), OwnLoss, optimizer=sgd(0.5), factor=lambda i: 0.5 ** (i // 3)),
    "heads": Case(lambda r, y: F.cross_entropy(r[0], y[0]) + 0.5 * F.mse_loss(r[1], y[1]), lambda n: (classes(n), numbers(n, 4)), Heads,
                  metrics={"top-2@label_0": lambda r, y: top_k(2)(r[0], y[0]), "mean-absolute-error@label_1": lambda r, y: error(r[1], y[1])},
                  optimizer=lambda m: torch.optim.Adam(m.parameters(), lr=0.02), factor=warmup(2, lambda i: max(0, 1 - i / 6))),
    "accumulate": Case(F.mse_loss, lambda n: numbers(n, OUT), batches=3, batch=4, clip=0.5,
                       optimizer=lambda m: torch.optim.AdamW(m.parameters(), lr=0.03, weight_decay=0.1), factor=lambda i: cosine(i, 8)),
    "lion": Case(F.mse_loss, lambda n: numbers(n, OUT), clip=0.5, optimizer=lambda m: Lion(groups(m, 0.3), lr=0.02),
                 factor=warmup(2, lambda i: cosine(i, 6)), metrics={"mean-absolute-error": error}),
    "norms": Case(F.cross_entropy, model=Norms, x=lambda n: numbers(n, 1, 6, 6), batches=2, batch=4, optimizer=sgd(0.2), repeats=True),
    "bf16": Case(F.cross_entropy, model=Narrow, optimizer=lambda m: torch.optim.AdamW(m.parameters(), lr=0.02, weight_decay=0.1),
                 narrow=torch.bfloat16),
    # The first iterations overflow, and the scale grows once.
    "f16": Case(F.cross_entropy, model=Narrow, optimizer=sgd(0.3, momentum=0.9), narrow=torch.float16,
                scale=lambda: LossScale(2.0 ** 20, 3)),
}


def record(name, folder):
    case = CASES[name]
    torch.manual_seed(sum(map(ord, name)))
    model = case.model()
    for key, parameter in model.named_parameters():
        parameter.requires_grad = key not in case.freeze
        if parameter.dim() == 1 and key != "fc2.bias":
            parameter.data += 0.1 * torch.randn_like(parameter)
    os.makedirs(folder, exist_ok=True)
    count = case.batch * case.batches
    # A loss that the model computes has no meaning for a part of a batch.
    tests = 2 * case.batch if case.loss is None else TESTS
    data = {part: (case.x(n), case.labels(n)) for part, n in (("train", count), ("test", tests))}
    if case.repeats:
        data["train"] = tuple(part[:1].repeat(count, *[1] * (part.dim() - 1)) for part in data["train"])
    arrays = {}
    for part, (x, y) in data.items():
        arrays["x_" + part] = x.numpy()
        if case.loss is None:
            arrays["target_" + part] = y.numpy()
        elif isinstance(y, tuple):
            arrays.update({"label_%d_%s" % (i, part): part_y.numpy() for i, part_y in enumerate(y)})
        else:
            arrays["y_" + part] = y.numpy().astype(np.int32) if y.dtype == torch.int64 else y.numpy()
    np.savez(os.path.join(folder, "data.npz"), **arrays)

    def run(x, y):
        return model(x, y) if case.loss is None else case.loss(model(x), y)

    def slice_of(y, part):
        return tuple(one[part] for one in y) if isinstance(y, tuple) else y[part]

    x, y = data["train"]
    first = slice(0, case.batch)
    inputs = (x[first], y[first]) if case.loss is None else (x[first],)
    torch.onnx.export(model, inputs, os.path.join(folder, "model.onnx"), dynamo=False, opset_version=17,
                      training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False,
                      input_names=["x", "target"][:len(inputs)])
    # The exporter runs the network, which updates its statistics: training starts from the statistics of the file.
    state = model.state_dict()
    for tensor in onnx.load(os.path.join(folder, "model.onnx")).graph.initializer:
        if tensor.name in state:
            state[tensor.name].copy_(torch.tensor(onnx.numpy_helper.to_array(tensor)))
    optimizer = case.optimizer(model)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, case.factor) if case.factor else None
    losses, scale = [], case.scale()
    model.narrow = case.narrow
    for _ in range(ITERATIONS):
        optimizer.zero_grad()
        total = 0.0
        for i in range(case.batches):
            part = slice(i * case.batch, (i + 1) * case.batch)
            loss = run(x[part], slice_of(y, part)) / case.batches
            (loss * scale.scale).backward()
            total += loss.item()
        if case.clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), case.clip)
        scale.step(model, optimizer)
        if schedule:
            schedule.step()
        losses.append(total)
    model.eval()
    with torch.no_grad():
        x, y = data["test"]
        recorded = {"losses": np.array(losses)}
        if case.loss is None:
            recorded["test_loss"] = np.mean([model(x[i:i + case.batch], y[i:i + case.batch]) for i in range(0, len(x), case.batch)])
        else:
            result = model(x)
            recorded["test_loss"] = np.array(case.loss(result, y))
            if case.narrow:  # @forward is in f32
                model.narrow = None
                result = model(x)
            if not isinstance(result, tuple):
                recorded["results"] = result.numpy()
            recorded.update({"metric." + key: np.array(metric(result, y)) for key, metric in case.metrics.items()})
    recorded.update({key: value.numpy() for key, value in model.state_dict().items() if value.dim()})
    np.savez(os.path.join(folder, "torch.npz"), **recorded)
    print(name, losses, "scale", scale.scale, {key: value for key, value in recorded.items() if "metric" in key or key == "test_loss"})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "options"))
    parser.add_argument("--cases", default=",".join(CASES))
    options = parser.parse_args()
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    for name in options.cases.split(","):
        record(name, os.path.join(options.folder, name))


if __name__ == "__main__":
    main()
