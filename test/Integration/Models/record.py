#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records how PyTorch trains the networks of networks.py, for compare.py, and exports them by each door.

    record.py FOLDER [NAME...] [--door DOOR]      writes the records into FOLDER
    record.py --check BUILD [NAME...] [--door DOOR] [--json FILE]
                                                  makes them anew, and runs compare.py of BUILD on them

FOLDER/NAME.npz gets
- first.PARAMETER, last.PARAMETER: weights and running statistics before and after three steps, f32;
- losses: the loss of each step, before its update; data.INPUT, target: the only batch;
- how: loss, optimizer and learning rate, as JSON.
FOLDER/NAME.DOOR.onnx.xz is the network as torch.onnx exports it, by the older exporter (torchscript) and the newer one
(dynamo), FOLDER/NAME.linalg.mlir.xz the whole training step (loss, gradients, updates) as torch-mlir lowers it.
First values of all weights are distinct, so compare.py knows each weight again whatever an exporter calls it.

Needs torch, transformers, timm, onnx, onnxscript and numpy; the door linalg torch-mlir, without which it is left out.
`Inputs` has the files. With --check, the last line is "N passed, N failed".
"""

import argparse
import copy
import importlib.util
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import traceback
import warnings

import numpy as np
import torch

import training_step
from networks import NETWORKS, loss_of, values

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 3
DOORS = ("torchscript", "dynamo", "linalg")
MASK = ~0xFF


def make_distinct(module):
    """Random values for biases and scales, the low eight bits of all floats 0, and no value twice."""
    generator = torch.Generator().manual_seed(3)
    tensors = {name: tensor for name, tensor in module.state_dict(keep_vars=True).items() if tensor.is_floating_point()}
    taken, done = set(), set()
    for name, tensor in tensors.items():
        if id(tensor) in done or tensor.data_ptr() in done:
            continue
        done.update((id(tensor), tensor.data_ptr()))
        trained = isinstance(tensor, torch.nn.Parameter) and tensor.requires_grad
        if not trained and "running_" not in name:
            continue
        value = tensor.detach().clone()
        if value.dim() <= 1:
            value += 0.1 * torch.rand(value.shape, generator=generator)
        elif value.abs().max() < 1e-3:
            value += 0.02 * torch.randn(value.shape, generator=generator)
        bits = value.numpy().astype(np.float32).view(np.int32).ravel() & MASK
        for i, b in enumerate(bits):
            while int(b) in taken:
                b += 0x100
            taken.add(int(b))
            bits[i] = b
        tensor.data.copy_(torch.from_numpy(bits.view(np.float32).reshape(tuple(value.shape))))


def make(name):
    """The row with distinct first weights, in training mode."""
    torch.manual_seed(7)
    row = NETWORKS[name]()
    make_distinct(row.module)
    row.module.train()
    for module in row.module.modules():
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm):
            module.num_batches_tracked = None
    return row


def train(row):
    """Three steps of PyTorch: losses, and the values afterwards."""
    parameters = [p for p in row.module.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(parameters, lr=row.rate)
    if row.optimizer == "adamw":
        optimizer = torch.optim.AdamW(parameters, lr=row.rate, weight_decay=training_step.DECAY,
                                      eps=training_step.EPSILON)
    losses = []
    for _ in range(STEPS):
        loss = loss_of(row, row.module(*row.inputs.values()))
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses, values(row.module)


def record(name, folder):
    row = make(name)
    row = copy.deepcopy(row)
    first = values(row.module)
    losses, last = train(row)
    arrays = {"losses": np.array(losses), "target": row.target.numpy()}
    for key, tensor in row.inputs.items():
        arrays["data." + key] = tensor.numpy()
    for key in arrays:
        if arrays[key].dtype == np.int64:
            arrays[key] = arrays[key].astype(np.int32)
    for what, tensors in (("first.", first), ("last.", last)):
        arrays.update((what + key, tensor.numpy()) for key, tensor in tensors.items())
    how = {"loss": row.loss, "optimizer": row.optimizer, "rate": row.rate}
    arrays["how"] = np.frombuffer(json.dumps(how).encode(), np.uint8)
    np.savez_compressed(os.path.join(folder, name + ".npz"), **arrays)
    moved = max(float((last[key] - first[key]).norm() / first[key].norm()) for key in first)
    count = sum(tensor.numel() for tensor in first.values())
    print("%-20s %6d weights, losses %s, largest move %.1e" % (
        name, count, ["%.4f" % loss for loss in losses], moved), flush=True)


def export_onnx(name, door, path):
    import onnx
    row = make(name)
    first = values(row.module)
    more = {"dynamo": True, "optimize": False, "external_data": False}
    if door == "torchscript":
        more = {"dynamo": False, "training": torch.onnx.TrainingMode.TRAINING, "do_constant_folding": False,
                "opset_version": 17}
    torch.onnx.export(row.module, tuple(row.inputs.values()), path, input_names=list(row.inputs),
                      output_names=["result"], **more)
    # The older exporter has run the model, which updated its running statistics.
    model = onnx.load(path)
    for tensor in model.graph.initializer:
        if "running_" in tensor.name and tensor.name in first:
            tensor.CopyFrom(onnx.numpy_helper.from_array(first[tensor.name].numpy(), tensor.name))
    onnx.save(model, path)


def export(name, door, folder):
    """FOLDER/NAME.DOOR.mlir.xz or FOLDER/NAME.DOOR.onnx.xz."""
    file = "%s.%s.%s" % (name, door, "mlir" if door == "linalg" else "onnx")
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, file)
        if door == "linalg":
            training_step.export(make(name), path)
        else:
            export_onnx(name, door, path)
        with open(path, "rb") as source, lzma.open(os.path.join(folder, file + ".xz"), "wb") as target:
            target.write(source.read())


def record_all(folder, names, doors):
    """The number of exports that failed, whose messages are printed."""
    failed = 0
    for name in names:
        record(name, folder)
        for door in doors:
            try:
                export(name, door, folder)
            except Exception:  # of torch, torch-mlir or transformers: the next may work
                failed += 1
                print("FAILED export of %s, %s: %s" % (name, door, traceback.format_exc(limit=-3)[:3000]), flush=True)
    return failed


def check(build, options, doors):
    """Records, and compares with a build. The exit status."""
    with tempfile.TemporaryDirectory() as folder:
        unexported = record_all(folder, options.names or NETWORKS, doors)
        more = ["--json", options.json] if options.json else []
        command = [sys.executable, os.path.join(HERE, "compare.py"), build, "--folder", folder, "--table",
                   "--jobs", str(os.cpu_count()), *more]
        output = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    print(output, end="")
    counts = re.search(r"(\d+) passed, (\d+) failed\n$", output)
    passed, failed = map(int, counts.groups()) if counts else (0, 1)
    print("%d passed, %d failed" % (passed, failed + unexported))
    return int(failed + unexported > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("where", help="the folder of the records; with --check, a build")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--check", action="store_true", help="compares new records instead of keeping them")
    parser.add_argument("--door", choices=DOORS + ("none",), help="this one alone; none: no export")
    parser.add_argument("--json", help="with --check, a file for the rows")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in NETWORKS]
    if unknown:
        parser.error("no network %s, expected %s" % (", ".join(unknown), ", ".join(NETWORKS)))
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    doors = [door for door in DOORS if options.door in (None, door)]
    if "linalg" in doors and not importlib.util.find_spec("torch_mlir"):
        print("skipped: linalg, for torch_mlir is not installed")
        doors.remove("linalg")
    if options.check:
        return check(options.where, options, doors)
    os.makedirs(options.where, exist_ok=True)
    return int(record_all(options.where, options.names or NETWORKS, doors) > 0)


if __name__ == "__main__":
    sys.exit(main())
