# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of today, imported by soap.from_torch, train four steps of SGD as PyTorch does: losses within 1e-4, the update
of every weight within 1e-2, frozen ones untouched; or they are refused by name. Run by scripts/test-peers.sh.

    zoo_training.py [NAME...]     only the models whose names contain one of the texts

The last line is "N passed, N failed"."""
import copy
import sys
import time
import traceback
import warnings

import numpy as np
import torch
from zoo import MODELS

import soap
import soap.torch

STEPS = 4


def run(entry, module, inputs, *labels):
    """The loss of a batch in PyTorch."""
    out = module(**inputs) if isinstance(inputs, dict) else module(*inputs)
    return entry.loss(out, *labels)


def check(name):
    """The finding as text; an error if the two differ."""
    torch.manual_seed(0)
    entry = MODELS[name]()
    batches = [(entry.inputs(), *([entry.labels()] if entry.labels else [])) for _ in range(STEPS)]
    module, first = copy.deepcopy(entry.module), batches[0]
    before = {key: value.clone() for key, value in module.state_dict().items()}
    begin = time.time()
    try:
        model = soap.from_torch(module, first[0], loss=entry.loss, labels=tuple(first[1:]))
    except (soap.SoapError, ValueError, TypeError) as error:
        if entry.refused and entry.refused in str(error):
            return "refused: " + str(error).splitlines()[0][:120]
        raise
    imported = time.time() - begin
    assert not entry.refused, f"expected a refusal that says {entry.refused!r}"
    for key, value in module.state_dict().items():
        assert torch.equal(value, before[key]), f"from_torch changes {key}"

    step = model.build_training_step("sgd", entry.rate)
    session = step.compile(level=0)
    session.initialize()
    step.restore(session)
    arguments = session.names("data", "train_step")
    results = session.entries["train_step"]["results"]
    loss_name = next(n for n in results if session.tensors[n]["kind"] == "loss")
    losses = []
    for inputs, *labels in batches:
        values = list(inputs.values() if isinstance(inputs, dict) else inputs) + labels
        data = dict(zip(arguments, (soap.session.as_array(v, "data") for v in values)))
        losses.append(float(session.run("train_step", data)[loss_name]))
    model._values = {key: session[key] for key in session.saved_names()}
    ours = model.state_dict()

    torch.manual_seed(0)
    optimizer = torch.optim.SGD([p for p in entry.module.parameters() if p.requires_grad], lr=entry.rate)
    expected = []
    for inputs, *labels in batches:
        loss = run(entry, entry.module, inputs, *labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        expected.append(loss.item())
    np.testing.assert_allclose(losses, expected, rtol=1e-4, err_msg="losses")
    worst, trained = ("", 0.0), 0
    theirs = entry.module.state_dict()
    sizes = [(theirs[key].double() - before[key].double()).norm().item() for key, p in entry.module.named_parameters()]
    for key, value in theirs.items():
        if not value.is_floating_point():
            continue
        update, own = value.double() - before[key].double(), ours[key].double() - before[key].double()
        size = update.norm().item()
        if size == 0:
            assert torch.equal(ours[key], before[key]), f"{key} is trained by Soap alone"
            continue
        trained += 1
        # An update of rounding alone has no digits.
        distance = (update - own).norm().item() / max(size, 1e-4 * max(sizes))
        worst = max(worst, (key, distance), key=lambda pair: pair[1])
    assert worst[1] < 1e-2, f"the update of {worst[0]} differs by {worst[1]:.1e}"
    return f"{trained} tensors trained, losses {losses[0]:.4f} .. {losses[-1]:.4f}, updates within {worst[1]:.0e}, " \
           f"imported in {imported:.1f} s"


def main():
    warnings.simplefilter("ignore")
    names = [n for n in MODELS if not sys.argv[1:] or any(text in n for text in sys.argv[1:])]
    passed = failed = 0
    for name in names:
        try:
            print(f"{name:28} {check(name)}", flush=True)
            passed += 1
        except Exception as error:
            failed += 1
            print(f"{name:28} FAILED: {type(error).__name__}: {str(error)[:600]}", flush=True)
            if len(names) == 1:
                traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
