# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch, trained by soap.fit on four devices under several plans: losses, weights and buffers after three
steps of SGD equal PyTorch's own. Run by scripts/test-peers.sh.

The last line is "N passed, N failed": one check for each module and plan."""
import inspect
import os
import subprocess
import sys
import tempfile
import traceback
import warnings

import numpy as np
import torch

import soap
import soap.torch
from soap.torch.ops import HANDLERS

STEPS, RATE = 3, 0.05


class Residual(torch.nn.Module):
    """Convolutions with batch norm around a shortcut."""

    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.norm1 = torch.nn.BatchNorm2d(16)
        self.conv = torch.nn.Conv2d(16, 16, 3, padding=1, groups=2)
        self.norm2 = torch.nn.BatchNorm2d(16)
        self.head = torch.nn.Linear(16, 5)

    def forward(self, images):
        x = torch.relu(self.norm1(self.stem(images)))
        x = torch.relu(x + self.norm2(self.conv(x)))
        return self.head(x.mean((2, 3)))

    def data(self):
        return torch.randn(24, 3, 12, 12), torch.randint(0, 5, (24,))


class Transformer(torch.nn.Module):
    """One block of causal attention over tokens, with the weight of the embedding tied to the head's."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(40, 32)
        self.norm1, self.norm2 = torch.nn.LayerNorm(32), torch.nn.LayerNorm(32)
        self.qkv, self.out = torch.nn.Linear(32, 96), torch.nn.Linear(32, 32)
        self.up, self.down = torch.nn.Linear(32, 64), torch.nn.Linear(64, 32)
        self.head = torch.nn.Linear(32, 40, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, tokens):
        x = self.embedding(tokens)
        heads = self.qkv(self.norm1(x)).reshape(8, 16, 3, 4, 8).permute(2, 0, 3, 1, 4)
        q, k, v = heads[0], heads[1], heads[2]
        scores = q @ k.transpose(2, 3) / 8**0.5
        scores = scores.masked_fill(torch.triu(torch.ones(16, 16, dtype=torch.bool), 1), -1e9)
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(8, 16, 32))
        return self.head(x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x)))))

    def data(self):
        return torch.randint(0, 40, (8, 16)), torch.randint(0, 40, (8, 16))


class Unused(torch.nn.Module):
    """A layer that the result does not need: it stays as it is, with a warning."""

    def __init__(self):
        super().__init__()
        self.used, self.unused = torch.nn.Linear(6, 4), torch.nn.Linear(6, 4)

    def forward(self, x):
        return self.used(x)


class Stopped(torch.nn.Module):
    """A branch without a gradient."""

    def __init__(self, way):
        super().__init__()
        self.way = way
        self.a, self.b = torch.nn.Linear(6, 4), torch.nn.Linear(6, 4)

    def forward(self, x):
        if self.way == "no_grad":
            with torch.no_grad():
                y = self.a(x)
        else:
            y = self.a(x).detach()
        return y * self.b(x)

    def data(self):
        return torch.randn(8, 6), torch.randint(0, 4, (8,))


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        return -gradient


class OwnGradient(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(6, 4)

    def forward(self, x):
        return Reversed.apply(self.a(x))


class Graph(torch.nn.Module):
    """Rows are the nodes of one graph."""

    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(6, 4)

    def forward(self, x):
        return self.a(x) + self.a(x).roll(1, 0) * torch.arange(8)[:, None]


class WithoutOp(torch.nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x).real


class Norms(torch.nn.Module):
    """Two batch norms, some of which are in evaluation mode: their statistics stay."""

    def __init__(self, frozen):
        super().__init__()
        self.a, self.b, self.c = torch.nn.Linear(8, 16), torch.nn.Linear(16, 16), torch.nn.Linear(16, 4)
        self.n, self.m = torch.nn.BatchNorm1d(16), torch.nn.BatchNorm1d(16)
        self.n.running_mean.fill_(0.3)
        self.m.running_var.fill_(0.7)
        for name in frozen:
            getattr(self, name).eval()

    def forward(self, x):
        return self.c(torch.relu(self.m(self.b(torch.relu(self.n(self.a(x)))))))

    def data(self):
        return torch.randn(16, 8), torch.randint(0, 4, (16,))


def check_norms():
    single = lambda model: soap.apply_strategy(model, "cpu-2", "data-parallel", learning_rate=RATE)  # noqa: E731
    for frozen in ((), ("n",), ("n", "m")):
        check(lambda: Norms(frozen), single)  # noqa: B023


def check_stopped():
    single = lambda model: soap.apply_strategy(model, "cpu-2", "single", learning_rate=RATE)  # noqa: E731
    for way in ("detach", "no_grad"):
        check(lambda: Stopped(way), single)  # noqa: B023


def refused(text, call):
    try:
        call()
    except (soap.SoapError, ValueError, TypeError) as error:
        assert text in str(error), f"expected {text!r} in {str(error)!r}"
    else:
        raise AssertionError(f"expected an error that says {text!r}")


def check_refusals():
    x = torch.randn(8, 6)
    refused("the gradient of 'a.weight' differs by 2 of", lambda: soap.from_torch(OwnGradient(), x))
    soap.from_torch(OwnGradient(), x, check=False)
    refused("modules.py:", lambda: soap.from_torch(WithoutOp(), x))
    refused("aten._fft_r2c", lambda: soap.from_torch(WithoutOp(), x))
    refused("expected a loss that takes them", lambda: soap.from_torch(Unused(), x, labels=x))
    graph = soap.from_torch(Graph(), x)
    data = (x, torch.randint(0, 4, (8,)))
    plan = soap.apply_strategy(graph, "cpu-1", "single")
    refused("shuffle=False", lambda: soap.fit(graph, data, plan=plan))
    soap.fit(graph, data, plan=plan, shuffle=False)


class Gate(torch.nn.Module):
    """Ops of which one is broken on purpose, and a second result that is 0 except for rounding."""

    def __init__(self):
        super().__init__()
        self.a, self.norm, self.b = torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 4)

    def forward(self, x):
        y = self.norm(self.a(x))
        z = torch.tanh(y)
        return self.b(z * torch.sigmoid(y)), y.mean()


def check_first_op():
    """A difference names the op that makes it and its line: of results, of gradients, of neither."""
    torch.manual_seed(0)
    x, module = torch.randn(8, 6), Gate()
    soap.from_torch(module, x)
    lines, first = inspect.getsourcelines(Gate.forward)
    place = f"modules.py:{first + next(i for i, line in enumerate(lines) if 'tanh' in line)}: aten.tanh"
    right, linear = HANDLERS["aten.tanh"], HANDLERS["aten.linear"]
    try:
        HANDLERS["aten.tanh"] = lambda b, x: b.scale(right(b, x), 1.001)
        refused("the first op that differs, by 0.001 of its largest element, is ", lambda: soap.from_torch(module, x))
        refused(place, lambda: soap.from_torch(module, x))
        # Half of the gradient, and none of a weight.
        HANDLERS["aten.tanh"] = lambda b, x: b.binary("add", b.scale(right(b, x), 0.5), b.scale(b.stop(right(b, x)), 0.5))
        refused("the first op whose gradient differs, by 0.5 of its largest element, is ",
                lambda: soap.from_torch(module, x))
        refused(place, lambda: soap.from_torch(module, x))
        HANDLERS["aten.tanh"] = right
        HANDLERS["aten.linear"] = lambda b, x, weight, bias: linear(b, x, b.stop(weight), bias)
        refused("gradient differs, by 1 of its largest element, is", lambda: soap.from_torch(module, x))
        refused("in 'b': aten.linear", lambda: soap.from_torch(module, x))
    finally:
        HANDLERS["aten.tanh"], HANDLERS["aten.linear"] = right, linear
    assert all(p.grad is None for p in module.parameters())
    refused("torch.export's graph is not the module", lambda: soap.from_torch(OwnGradient(), x))


class Center(torch.nn.Module):
    """A mean over the batch, written by hand."""

    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(6, 3)

    def forward(self, x):
        z = self.a(x)
        return z - z.sum(0, keepdim=True) / x.shape[0]


def check_batch():
    torch.manual_seed(0)
    module, x = Center(), torch.randn(16, 6)
    model = soap.from_torch(module, x[:8], batch=16)
    np.testing.assert_allclose(model.predict(x), module(x).detach(), rtol=1e-5, atol=1e-6)


class Doubled(OwnGradient):
    """A backward pass of one's own between layers of several kinds."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(1, 4, 3, stride=2, padding=1), torch.nn.LayerNorm(6)
        self.head = torch.nn.Linear(8, 3)
        self.head.bias.requires_grad_(False)

    def forward(self, x):
        y = self.conv(self.norm(x).reshape(-1, 1, 4, 6)).flatten(1).reshape(-1, 4, 6)
        return self.head(torch.tanh(super().forward(y).flatten(1).unflatten(1, (2, 8)).sum(1)))

    def data(self):
        return torch.randn(8, 4, 6), torch.randint(0, 3, (8,))


def check_torch_backward():
    """With PyTorch's backward pass in the program, what autograd.Function says is what trains, under several plans."""
    for name in ("single", "data-parallel"):
        torch.manual_seed(0)
        module = Doubled()
        x, y = module.data()
        losses, reference = expected(Doubled, x, y)
        cross_entropy = torch.nn.functional.cross_entropy
        refused("graph is not the module", lambda: soap.from_torch(module, x, loss=cross_entropy, labels=y))  # noqa: B023
        model = soap.from_torch(module, x, loss=cross_entropy, labels=y, backward="torch")
        plan = soap.apply_strategy(model, "cpu-4", name, learning_rate=RATE)
        history = soap.fit(model, (x, y), plan=plan, epochs=STEPS, shuffle=False)
        np.testing.assert_allclose(history.losses, losses, rtol=1e-4)
        for key, value in model.state_dict().items():
            assert difference(value, reference.state_dict()[key]) < 1e-4, key
        assert torch.equal(model.state_dict()["head.bias"], module.head.bias)
        assert all(p.grad is None for p in module.parameters())
    x, y = torch.randn(8, 6), torch.randint(0, 4, (8,))
    refused("expected a module that returns its loss", lambda: soap.from_torch(OwnGradient(), x, backward="torch"))
    refused("a parameter gets no gradient", lambda: soap.from_torch(Unused(), x, loss=cross_entropy, labels=y,
                                                                   backward="torch"))
    refused("a batch norm in training mode is not supported", lambda: soap.from_torch(
        Gate(), x, output=0, loss=cross_entropy, labels=y, backward="torch"))
    refused("backward: expected 'soap' or 'torch'", lambda: soap.from_torch(OwnGradient(), x, backward="jax"))


def check_bf16():
    """A cross-entropy of bf16 logits over more rows than bf16 counts, some of which are left out."""
    torch.manual_seed(0)
    module, x, y = torch.nn.Linear(6, 16).bfloat16(), torch.randn(600, 6).bfloat16(), torch.randint(0, 16, (600,))
    y[:87] = -100
    model = soap.from_torch(module, x, loss=torch.nn.functional.cross_entropy, labels=y)
    loss = torch.nn.functional.cross_entropy(module(x), y).item()
    np.testing.assert_allclose(float(model.predict(x, y)), loss, rtol=2**-7)


def check_meta():
    """A module without numbers: a program, and a plan of it."""
    with torch.device("meta"):
        module = Transformer()
    model = soap.from_torch(module, torch.zeros(8, 16, dtype=torch.int64, device="meta"))
    assert soap.apply_strategy(model, "cpu-4", "data-parallel").milliseconds > 0
    with tempfile.TemporaryDirectory() as folder:
        model.save(os.path.join(folder, "meta.soap"))
        assert os.listdir(folder) == ["meta.soap"]
        refused("no numbers to save", lambda: model.save(os.path.join(folder, "meta.safetensors")))


def check_evaluation_mode():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", soap.SoapWarning)
        soap.from_torch(Norms(()).eval(), torch.randn(16, 8))
    assert any("evaluation mode" in str(w.message) for w in caught), [str(w.message) for w in caught]


def check_command():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "made.py"), "w") as file:
            file.write("import torch\n\n\ndef net():\n    return torch.nn.Linear(6, 4), torch.zeros(8, 6)\n")
        path = os.path.join(folder, "net.soap")
        export = [sys.executable, "-m", "soap.torch", "export", "made:net", "-o"]
        subprocess.run([*export, path], check=True, cwd=folder)
        assert os.path.exists(path.replace(".soap", ".safetensors"))
        done = subprocess.run([*export, "net.bin"], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 2 and "ends in .soap or .mlir, got 'net.bin'" in done.stderr, done.stderr
        assert [a["name"] for a in soap.from_mlir(path).function("forward")["arguments"]] == ["input", "weight", "bias"]


def check_unused():
    torch.manual_seed(0)
    module, x, y = Unused(), torch.randn(8, 6), torch.randint(0, 4, (8,))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", soap.SoapWarning)
        model = soap.from_torch(module, x)
    assert any("['unused.weight', 'unused.bias']" in str(w.message) for w in caught), [str(w.message) for w in caught]
    soap.fit(model, (x, y), plan=soap.apply_strategy(model, "cpu-2", "single", learning_rate=RATE))
    values = model.state_dict()
    assert torch.equal(values["unused.weight"], module.unused.weight)
    assert not torch.equal(values["used.weight"], module.used.weight)
    module.load_state_dict(values)


class Tagger(torch.nn.Module):
    """An embedding with a padding row and a pooled sum, as of a bag of words; a bias that is not trained."""

    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(100, 24, padding_idx=0)
        self.hidden = torch.nn.Linear(24, 32)
        self.head = torch.nn.Linear(32, 3)
        self.hidden.bias.requires_grad_(False)

    def forward(self, words):
        return self.head(torch.tanh(self.hidden(self.words(words).mean(1))))

    def data(self):
        words = torch.randint(0, 100, (16, 10))
        words[:, 7:] = 0
        return words, torch.randint(0, 3, (16,))


def difference(a, b):
    return float((a.double() - b.double()).norm() / b.double().norm().clamp(min=1e-9))


def expected(make, x, y):
    """Losses and state of PyTorch."""
    torch.manual_seed(0)
    module = make()
    optimizer = torch.optim.SGD(module.parameters(), lr=RATE)
    losses = []
    for _ in range(STEPS):
        logits = module(x)
        loss = torch.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, module


def check(make, plan_of):
    torch.manual_seed(0)
    module = make()
    x, y = module.data()
    losses, reference = expected(make, x, y)
    model = soap.from_torch(module, x)
    for key, value in module.state_dict().items():
        assert torch.equal(model.state_dict()[key], value), f"{key}: other first values than the module's"
    history = soap.fit(model, (x, y), plan=plan_of(model), epochs=STEPS, shuffle=False)
    np.testing.assert_allclose(history.losses, losses, rtol=1e-4)
    module.load_state_dict(model.state_dict())
    worst = 0.0
    for (key, ours), theirs in zip(module.state_dict().items(), reference.state_dict().values()):
        if not key.endswith("num_batches_tracked"):
            worst = max(worst, difference(ours, theirs))
    assert worst < 1e-4, f"weights differ by {worst}"
    module.eval()
    with torch.no_grad():
        assert difference(torch.from_numpy(model.predict(x)), module(x)) < 1e-4
    return worst


def main():
    warnings.simplefilter("ignore")
    plans = {
        "single": lambda model: soap.apply_strategy(model, "cpu-4", "single", learning_rate=RATE),
        "data-parallel": lambda model: soap.apply_strategy(model, "cpu-4", "data-parallel", learning_rate=RATE),
        "searched": lambda model: soap.find_strategy(model, "cpu-4", proposals=200, seed=3, learning_rate=RATE),
    }
    passed = failed = 0
    for make in (Residual, Transformer, Tagger):
        for name, plan_of in plans.items():
            row = f"{make.__name__:12} {name:14}"
            try:
                print(f"{row} largest difference {check(make, plan_of):.1e}")
                passed += 1
            except Exception:
                failed += 1
                print(f"{row} FAILED")
                traceback.print_exc(file=sys.stdout)
    for one in (check_unused, check_norms, check_stopped, check_refusals, check_first_op, check_batch,
                check_torch_backward, check_bf16, check_meta, check_evaluation_mode, check_command):
        try:
            one()
            passed += 1
        except Exception:
            failed += 1
            print(f"{one.__name__} FAILED")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
