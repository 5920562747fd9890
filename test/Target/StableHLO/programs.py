#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of JAX, imported and run, against JAX's own numbers, or NumPy's (Inputs/make_programs.py).

    programs.py BUILD [--only TEXT] [--inputs FOLDER] [--table]

Each program runs on one device, data-parallel on four, and by a searched strategy on four. Training steps run three
times, each with what the step before returned, and their results after one step and after three are compared: norm-wise
within 1e-4 (bf16: 1e-2 and 5e-2). `--table` prints the largest differences as rows for docs/Status.md. The last line
is "N passed, N failed". Needs nothing but Python's standard library.
"""

import argparse
import glob
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from tally import Tally  # noqa: E402

FORMATS = {"<f4": "f", "<f8": "d", "<i4": "i", "<u4": "I", "<i8": "q"}
# The arguments that are data and labels, after the ones that the step updates.
DATA = {
    "mlp": (["--data=0", "--parameter-arguments=1-4"], 0),
    "conv": (["--data=5", "--labels=6"], 5),
    "resnet": (["--data=6", "--labels=7"], 6),
    "transformer": (["--data=10", "--labels=11"], 10),
    "bfloat16": (["--data=10", "--labels=11"], 10),
    "moe": (["--data=3,4"], 3),
    "lstm": (["--data=4", "--labels=5"], 4),
    "vit": (["--data=40", "--labels=41"], 40),
    "ops": (["--data=0,1"], 0),
    "corners": (["--data=0,1,2,3"], 0),
    "scans": (["--data=0"], 0),
    "vocabulary": (["--data=2", "--labels=3"], 2),
    "placed": (["--data=2", "--labels=3", "--keep-shardings"], 2),
    "gspmd": (["--data=2", "--labels=3", "--keep-shardings"], 2),
    "narrow_sums": (["--data=0"], 0),
    "rnn": (["--data=2"], 2),
    "rnn_bf16": (["--data=2"], 2),
}
STRATEGIES = {
    "one device": [],
    "data-parallel": ["--soap-apply-strategy=topology=cpu-4 preset=data-parallel function=main"],
    "searched": ["--soap-auto-parallel=topology=cpu-4 function=main proposals=200 seed=1 summary=false"],
}


def read_npy(data):
    version = data[6]
    start, size = (10, "<H") if version == 1 else (12, "<I")
    length = struct.unpack(size, data[8:start])[0]
    header = data[start : start + length].decode()
    letter = FORMATS[re.search(r"'descr': '([^']*)'", header).group(1)]
    return list(struct.iter_unpack("<" + letter, data[start + length :]))


def relative_error(expected, got):
    if len(expected) != len(got):
        return float("inf")
    difference = norm = 0.0
    for (e,), (g,) in zip(expected, got):
        if e != g and not (e != e and g != g):
            difference += (e - g) ** 2
        if abs(e) != float("inf") and e == e:
            norm += e * e
    return (difference / max(norm, 1e-60)) ** 0.5


class Program:
    def __init__(self, name, tools, inputs, folder):
        self.name, self.tools, self.inputs, self.folder = name, tools, inputs, folder
        self.flags, self.updated = DATA[name]
        self.worst = 0.0
        if self.updated:
            self.flags = self.flags + ["--updates=1-%d:0-%d" % (self.updated, self.updated - 1)]
        self.arrays = {}
        with zipfile.ZipFile(os.path.join(inputs, name + ".npz")) as archive:
            for entry in archive.namelist():
                self.arrays[entry[:-4]] = archive.read(entry)

    def run(self, tool, *arguments):
        result = subprocess.run(
            [os.path.join(self.tools, tool), *arguments], capture_output=True, text=True, timeout=600
        )
        if result.returncode:
            lines = [line for line in result.stderr.splitlines() if "remark" not in line]
            raise RuntimeError("%s: %s" % (tool, "\n".join(lines)[:1000]))

    def numbered(self, what):
        return sorted(
            (key for key in self.arrays if re.fullmatch(what + r"\d+", key)), key=lambda key: int(key[len(what) :])
        )

    def compare(self, what, outputs):
        """Compares results of a run with the results of JAX; a text if they differ."""
        tolerance = {"out": 1e-2, "last": 5e-2}[what] if self.name in ("bfloat16", "narrow_sums", "rnn_bf16") else 1e-4
        for i, key in enumerate(self.numbered(what)):
            # A result that is the new value of an argument has the argument's name.
            isUpdate = self.updated and 1 <= i <= self.updated
            path = os.path.join(outputs, "arg%d.npy" % (i - 1) if isUpdate else "result%d.npy" % i)
            with open(path, "rb") as file:
                error = relative_error(read_npy(self.arrays[key]), read_npy(file.read()))
            self.worst = max(self.worst, error)
            if not error < tolerance:
                return "%s: relative error %g" % (key, error)
        return None

    def check(self, strategy):
        base = os.path.join(self.folder, self.name)
        os.makedirs(base, exist_ok=True)
        module, lowered = base + ".mlir", base + ".lowered.mlir"
        self.run(
            "soap-translate",
            "--import-stablehlo",
            os.path.join(self.inputs, self.name + ".mlir"),
            *(flag for flag in self.flags if STRATEGIES[strategy] or flag != "--keep-shardings"),
            "-o",
            module
        )
        if STRATEGIES[strategy]:
            self.run(
                "soap-opt", module, *STRATEGIES[strategy], "--soap-partition", "--soap-lower-to-cpu", "-o", lowered
            )
            with open(lowered) as file:
                # One device is best for the smallest; programs of equal shards are one.
                if "@main__3" not in file.read() and self.name not in ("mlp", "corners"):
                    return "runs on less than four devices"
            module = lowered
        files = []
        for i, key in enumerate(self.numbered("in")):
            files.append(os.path.join(base, key + ".npy"))
            with open(files[-1], "wb") as file:
                file.write(self.arrays[key])
        for step in range(3 if self.updated else 1):
            outputs = os.path.join(base, "%s-%d" % (strategy.split()[0], step))
            inputs = [text for i, file in enumerate(files) for text in ("--input", "arg%d=%s" % (i, file))]
            self.run("soap-run", "entry", module, "main", *inputs, "--output", outputs)
            wrong = self.compare("out", outputs) if step == 0 else self.compare("last", outputs) if step == 2 else None
            if wrong:
                return "step %d: %s" % (step + 1, wrong)
            for i in range(self.updated):
                files[i] = os.path.join(outputs, "arg%d.npy" % i)
        return None


def check_exchanges(program, folder, preset):
    """Cross entropy whose samples, or whose classes, are cut: devices add up what is summed and exchange no logits. The
    strategy `preset` cuts samples; without one, the loops over classes are cut, and the rest is computed everywhere."""
    module, strategy, placed = (os.path.join(folder, name) for name in ("m.mlir", "s.json", "p.mlir"))
    text = os.path.join(program.inputs, program.name + ".mlir")
    program.run("soap-translate", "--import-stablehlo", text, *program.flags, "-o", module)
    options = "--soap-apply-strategy=topology=cpu-4 function=main preset=data-parallel export=" + strategy
    program.run("soap-opt", module, options, "-o", placed)
    if not preset:
        tool = os.path.join(program.tools, "soap-opt")
        graph = subprocess.run([tool, module, "--soap-print-op-graph", "-o", os.devnull], capture_output=True, text=True)
        loops = {}
        for line in graph.stdout.splitlines():
            if op := re.match(r"  (\w+): ", line):
                loops[op[1]] = of = []
            elif line.startswith("    "):
                of += [loop for loop, extent in re.findall(r"(\w+)=(\d+)", line) if extent == "256"]
        with open(strategy) as file:
            content = json.load(file)
        for op in content["ops"]:
            cut = loops[op["name"]]
            op.update({"devices": [0, 1, 2, 3], "degrees": {cut[0]: 4} if cut else {}, "replicas": 1 if cut else 4})
        with open(strategy, "w") as file:
            json.dump(content, file)
        STRATEGIES["vocabulary"] = ["--soap-apply-strategy=topology=cpu-4 function=main strategy=" + strategy]
        wrong = program.check("vocabulary")
        if wrong:
            return wrong
        program.run("soap-opt", module, *STRATEGIES.pop("vocabulary"), "-o", placed)
    tool = os.path.join(program.tools, "soap-opt")
    said = subprocess.run([tool, placed, "--soap-simulate=function=main", "-o", os.devnull], capture_output=True, text=True)
    said = said.stdout + said.stderr
    exchanges = re.findall(r"^  ([a-z-]+) +(\d+) exchanges +([\d.]+) KiB", said, re.M)
    moved = re.search(r"moved ([\d.]+) (\w+)", said)
    # Gradients of both weights and the loss, or of one weight, and what is folded over classes. 192 KiB are logits.
    most = {"KiB": 1.0, "MiB": 1024.0}[moved[2]] * float(moved[1]) if moved else 1e9
    expected = 2 * 3 * (16 * 32 + 32 * 256 + 1) * 4 / 1024 if preset else 200
    # A number may go from device to device.
    if [kind for kind, _, size in exchanges if float(size) >= 1] != ["all-reduce"] or most > expected * 1.02:
        return "expected all-reduces of at most %.1f KiB, got:\n%s" % (expected, said)
    return None


def npz(arrays):
    """The bytes of an archive of .npy files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in arrays.items():
            archive.writestr(name + ".npy", data)
    return buffer.getvalue()


def safetensors(arrays):
    """A file of f32 tensors from .npy files, by name."""
    header, data = {}, b""
    for name, array in arrays.items():
        start = 10 + struct.unpack("<H", array[8:10])[0]
        shape = [
            int(dim)
            for dim in re.findall(r"\d+", re.search(r"'shape': \(([^)]*)\)", array[:start].decode("latin1")).group(1))
        ]
        begin = len(data)
        data += array[start:]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def check_training(tools, inputs, folder):
    """soap-run trains a step of JAX on a file of data: the loss of the third epoch of one batch, and the weights."""
    program = Program("lstm", tools, inputs, folder)
    arrays = program.arrays
    module, lowered, weights, data, trained = (
        os.path.join(folder, name) for name in ("m.mlir", "l.mlir", "w.safetensors", "d.npz", "t.safetensors")
    )
    files = {
        weights: safetensors({"arg%d" % i: arrays["in%d" % i] for i in range(4)}),
        data: npz(
            {"x_train": arrays["in4"], "y_train": arrays["in5"], "x_test": arrays["in4"], "y_test": arrays["in5"]}
        ),
    }
    for path, content in files.items():
        with open(path, "wb") as file:
            file.write(content)
    text = os.path.join(inputs, "lstm.mlir")
    program.run("soap-translate", "--import-stablehlo", text, *program.flags, "--train-step", "-o", module)
    strategy = "--soap-apply-strategy=topology=cpu-2 preset=data-parallel"
    program.run("soap-opt", module, strategy, "--soap-partition", "--soap-lower-to-cpu", "-o", lowered)
    command = [os.path.join(tools, "soap-run"), "train", lowered, "--data", "npz:" + data, "--epochs", "3", "--init", weights]
    result = subprocess.run([*command, "--save-weights", trained], capture_output=True, text=True, timeout=600)
    loss = re.search(r"epoch 3: loss ([\d.]+)", result.stdout)
    expected = read_npy(arrays["last0"])[0][0]
    if result.returncode or not loss or abs(float(loss.group(1)) - expected) > 1e-3 * expected:
        return "expected a loss of %g in epoch 3, got: %s" % (expected, (result.stdout + result.stderr)[-500:])
    with open(trained, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + size])
    for i in range(4):
        begin, end = header["arg%d" % i]["data_offsets"]
        got = list(struct.iter_unpack("<f", content[8 + size + begin : 8 + size + end]))
        error = relative_error(read_npy(arrays["last%d" % (i + 1)]), got)
        if not error < 1e-4:
            return "arg%d: relative error %g" % (i, error)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--inputs", default=os.path.join(HERE, "Inputs"))
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    tally, rows = Tally(), {}
    tools = os.path.join(os.path.abspath(arguments.build), "bin")
    for path in sorted(glob.glob(os.path.join(arguments.inputs, "*.npz"))):
        name = os.path.basename(path)[:-4]
        for strategy in STRATEGIES:
            title = "%s, %s" % (name, strategy)
            if arguments.only not in title:
                continue
            with tempfile.TemporaryDirectory() as folder:
                try:
                    program = Program(name, tools, arguments.inputs, folder)
                    wrong = program.check(strategy)
                    rows.setdefault(name, {})[strategy] = "%.1e" % program.worst
                except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                    wrong = str(error)
            tally.count(title, wrong)
    if arguments.only in "lstm, trained by soap-run":
        with tempfile.TemporaryDirectory() as folder:
            try:
                wrong = check_training(tools, arguments.inputs, folder)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                wrong = str(error)
        tally.count("lstm, trained by soap-run", wrong)
    for preset in ("data-parallel", ""):
        title = "vocabulary, exchanges with %s cut" % ("samples" if preset else "classes")
        if arguments.only not in title:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                program = Program("vocabulary", tools, arguments.inputs, folder)
                wrong = check_exchanges(program, folder, preset)
            except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                wrong = str(error)
        tally.count(title, wrong)
    if arguments.table:
        print("| program | %s |" % " | ".join(STRATEGIES))
        for name, row in rows.items():
            print("| %s | %s |" % (name, " | ".join(row.get(strategy, "-") for strategy in STRATEGIES)))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
