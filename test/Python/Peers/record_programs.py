# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes test/Python/Inputs/torch: programs of soap.from_torch, and how PyTorch trains the modules.

    record_programs.py            write the folder
    record_programs.py --check    fail if a program or a number is not what would be written

NAME.mlir is the program with its loss. NAME.npz has the data of each step (data.STEP.ARGUMENT), first values
(first.PARAMETER), PyTorch's losses and its last values (last.PARAMETER)."""
import os
import sys
import warnings

import numpy as np
import torch
from zoo import MODELS
from zoo_training import STEPS, run

import soap

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Inputs", "torch")
PROGRAMS = {"LLaMA": "llama", "LoRA": "lora", "DPO pair": "dpo", "target network": "target", "GCN": "graph",
            "straight-through rounding": "rounding", "bags of any size, mean": "bags", "DeepFM": "deepfm",
            "what exporters fold": "folds", "tied grouped attention": "tied", "mean by hand": "center",
            "padding row and frozen norm": "frozen"}
#: Programs with the backward pass of PyTorch.
JOINT = {"straight-through rounding": "rounding_by_torch", "tied grouped attention": "tied_by_torch"}


def record(name, **options):
    """Program and numbers."""
    torch.manual_seed(0)
    entry = MODELS[name]()
    batches = [(entry.inputs(), *([entry.labels()] if entry.labels else [])) for _ in range(STEPS)]
    model = soap.from_torch(entry.module, batches[0][0], loss=entry.loss, labels=tuple(batches[0][1:]), **options)
    arguments = [a["name"] for a in model.function("forward")["arguments"] if a["kind"] == "data"]
    numbers = {"rate": np.float64(entry.rate)}
    for key, value in model._first_values().items():
        numbers[f"first.{key}"] = value.copy()
    optimizer = torch.optim.SGD([p for p in entry.module.parameters() if p.requires_grad], lr=entry.rate)
    losses = []
    for i, (inputs, *labels) in enumerate(batches):
        values = list(inputs.values() if isinstance(inputs, dict) else inputs) + labels
        for argument, value in zip(arguments, values):
            numbers[f"data.{i}.{argument}"] = soap.session.as_array(value, argument)
        loss = run(entry, entry.module, inputs, *labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    numbers["losses"] = np.array(losses)
    for key, value in entry.module.state_dict().items():
        program_key = model._names.get(key, key)
        if f"first.{program_key}" in numbers:
            numbers[f"last.{program_key}"] = value.detach().numpy()
    return model.ir, numbers


def main():
    warnings.simplefilter("ignore")
    check = sys.argv[1:] == ["--check"]
    passed = failed = 0
    os.makedirs(FOLDER, exist_ok=True)
    rows = [(name, short, "soap") for name, short in PROGRAMS.items()]
    for name, short, backward in rows + [(name, short, "torch") for name, short in JOINT.items()]:
        program, numbers = record(name, backward=backward)
        path = os.path.join(FOLDER, short)
        if check:
            old = np.load(path + ".npz")
            with open(path + ".mlir") as file:
                same = file.read() == program and set(old.files) == set(numbers)
            same = same and all(np.allclose(old[key], numbers[key], rtol=1e-4, atol=1e-6) for key in old.files)
            print(f"{name:28} {'same' if same else 'FAILED: differs from what is recorded'}", flush=True)
            passed, failed = passed + same, failed + (not same)
            continue
        with open(path + ".mlir", "w") as file:
            file.write(program)
        np.savez_compressed(path + ".npz", **numbers)
        print(f"{name:28} {len(program)} bytes", flush=True)
        passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
