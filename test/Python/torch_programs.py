# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded programs of soap.from_torch train as PyTorch trained their modules: losses within 1e-4, the update of every
weight within 1e-2, what PyTorch does not train untouched. Needs NumPy alone; Peers/record_programs.py wrote
Inputs/torch. The last line is "N passed, N failed"."""
import glob
import os
import sys
from pathlib import Path

import numpy as np

import soap

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "torch")


def check(path):
    numbers = np.load(path.replace(".mlir", ".npz"))
    step = soap.from_mlir(Path(path)).build_training_step("sgd", float(numbers["rate"]), loss="output")
    session = step.compile(level=0)
    session.initialize()
    first = {key.removeprefix("first."): numbers[key] for key in numbers.files if key.startswith("first.")}
    for name in session.saved_names():
        session[name] = first[name]
    results = session.entries["train_step"]["results"]
    loss = next(name for name in results if session.tensors[name]["kind"] == "loss")
    arguments = session.names("data", "train_step")
    losses = [
        float(session.run("train_step", {name: numbers[f"data.{i}.{name}"] for name in arguments})[loss])
        for i in range(len(numbers["losses"]))
    ]
    np.testing.assert_allclose(losses, numbers["losses"], rtol=1e-4, err_msg="losses")
    updates = {name: numbers[f"last.{name}"].astype(np.float64) - first[name] for name in session.saved_names()}
    most = max(np.linalg.norm(update) for update in updates.values())
    for name, update in updates.items():
        own, size = session[name].astype(np.float64) - first[name], np.linalg.norm(update)
        if size == 0:
            assert not own.any(), f"{name} is trained by Soap alone"
        else:
            apart = np.linalg.norm(own - update) / max(size, 1e-4 * most)
            assert apart < 1e-2, f"the update of {name} differs by {apart:.1e}"


def main():
    passed = failed = 0
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.mlir"))):
        try:
            check(path)
            passed += 1
        except Exception as error:
            failed += 1
            print(f"{os.path.basename(path)} FAILED: {type(error).__name__}: {error}")
    print(f"{passed} passed, {failed or not passed:d} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
