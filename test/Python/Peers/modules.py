# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of PyTorch, trained by soap.fit on four devices under several plans: losses, weights and buffers after three
steps of SGD equal PyTorch's own. Run by scripts/test-peers.sh.

The last line is "N passed, N failed": one check for each module and plan."""
import sys
import traceback
import warnings

import numpy as np
import torch

import soap
import soap.torch

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
    """A branch without a gradient, which the program does not say; running it under no_grad is as bad."""

    def __init__(self, way):
        super().__init__()
        self.way = way
        self.a, self.b = torch.nn.Linear(6, 4), torch.nn.Linear(6, 4)

    def forward(self, x):
        if self.way == "no_grad":
            with torch.no_grad():
                y = self.a(x)
        else:
            y = self.a(x).detach() if self.way == "detach" else self.a(x)
        return y * self.b(x)


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
        for exporter in ("torchscript", "dynamo"):
            try:
                check(lambda: Norms(frozen), exporter, single)  # noqa: B023
            except ValueError as error:
                assert (exporter, frozen) == ("dynamo", ("n",)) and "['n'] are frozen and others train" in str(error), error
            else:
                assert (exporter, frozen) != ("dynamo", ("n",))


def check_stopped():
    for way in ("detach", "no_grad", ""):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", soap.SoapWarning)
            soap.from_torch(Stopped(way), torch.randn(8, 6))
        said = [str(w.message) for w in caught if "stops gradients" in str(w.message)]
        assert len(said) == (way != "") and all(f"({way})" in text for text in said), (way, said)


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


def check(make, exporter, plan_of):
    torch.manual_seed(0)
    module = make()
    x, y = module.data()
    losses, reference = expected(make, x, y)
    model = soap.from_torch(module, x, exporter=exporter)
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
        for exporter in ("torchscript", "dynamo"):
            for name, plan_of in plans.items():
                row = f"{make.__name__:12} {exporter:12} {name:14}"
                try:
                    print(f"{row} largest difference {check(make, exporter, plan_of):.1e}")
                    passed += 1
                except Exception:
                    failed += 1
                    print(f"{row} FAILED")
                    traceback.print_exc(file=sys.stdout)
    for one in (check_unused, check_norms, check_stopped):
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
