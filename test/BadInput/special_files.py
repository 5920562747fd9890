#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives every reader of every tool special files, which have to be refused in bounded time and memory.

A special file is a device, a pipe without a writer, one without an end, a folder, an empty file, a file larger than any
memory, or a compressed file that unpacks to gigabytes. Each run has to end by itself, with a message that names the
input, in at most a gigabyte of memory.

    test/BadInput/special_files.py BUILD [--only TEXT] [--jobs N]

The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import os
import platform
import struct
import subprocess
import sys
import tempfile
import threading
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, ".."))
from case import INFO, artifact, field, idx, model, node, tensor, to_json, value_info  # noqa: E402
from cases_data import SEQUENCES, Y  # noqa: E402
from cases_json import FORWARD  # noqa: E402
from tally import Tally  # noqa: E402

MEMORY = 1 << 30
# Far beyond what a loaded machine takes: what hangs, hangs for ever.
SECONDS = 60
UNPACKED = 5 << 28

STEP = "--soap-apply-strategy=preset=single topology="
TRAIN = ["soap-run", "train", "{step}", "--iterations=1"]
SEARCH = "--soap-auto-parallel=topology=cpu-2 proposals=1 "
LABELS = {"train-labels-idx1-ubyte": idx([16])}
# Its weight is in a file of its own.
EXTERNAL = model([node("MatMul", ["x", "w"], ["y"], name="fc")], [value_info("x", [2, 3])], [value_info("y", [2, 4])],
                 [field(1, 3) + field(1, 4) + field(2, 1) + field(8, "w") +
                  field(13, field(1, "location") + field(2, "w.bin")) + field(14, 1)])

# Of each reader: its name, the name that the input gets, the command ({input} is its path, {folder} that of its
# folder), and files beside it.
READERS = [
    ("soap-opt: module", "m.mlir", ["soap-opt", "{input}"], {}),
    ("soap-opt: topology", "t.json", ["soap-opt", "{step}", STEP + "{input}"], {}),
    ("soap-opt: profile", "p.json", ["soap-opt", "{step}", STEP + "cpu-2 profile={input}"], {}),
    ("soap-opt: strategy", "s.json", ["soap-opt", "{step}", "--soap-apply-strategy=strategy={input} topology=cpu-2"], {}),
    ("soap-opt: initial", "s.json", ["soap-opt", "{step}", SEARCH + "initial={input}"], {}),
    ("soap-opt: checkpoint", "c.json", ["soap-opt", "{step}", SEARCH + "checkpoint={input}"], {}),
    ("soap-opt: hybrid checkpoint", "c.json",
     ["soap-opt", "{step}", "--soap-plan-hybrid=topology=cpu-2 checkpoint={input}"], {}),
    ("soap-opt: solution", "s.json", ["soap-opt", "{step}", "--soap-cost-graph=topology=cpu-2 solution={input}"], {}),
    ("soap-translate: onnx", "m.onnx", ["soap-translate", "--import-onnx", "{input}"], {}),
    ("soap-translate: external data", "w.bin", ["soap-translate", "--import-onnx", "{folder}/m.onnx"], {"m.onnx": EXTERNAL}),
    ("soap-translate: weights", "w.safetensors", ["soap-translate", "--update-onnx", "{onnx}", "--weights={input}"], {}),
    ("soap-translate: artifact", "m.mlir", ["soap-translate", "--emit-artifact", "{input}"], {}),
    ("soap-translate: drawing", "m.mlir", ["soap-translate", "--strategy-to-svg", "{input}"], {}),
    ("soap-translate: describe", "t.json", ["soap-translate", "--describe-topology={input}"], {}),
    ("soap-run: module", "m.mlir", ["soap-run", "train", "{input}", "--data=synthetic"], {}),
    ("soap-run: comparison", "m.mlir", ["soap-run", "check", "{step}", "--data=synthetic", "--iterations=1", "--compare-with={input}"], {}),
    ("soap-run: topology", "t.json", ["soap-run", "train", "{step}", "--data=synthetic", "--topology={input}"], {}),
    ("soap-run: strategy", "s.json", ["soap-run", "train", "{step}", "--data=synthetic", "--topology=cpu-2", "--strategy={input}"], {}),
    ("soap-run: images", "train-images-idx3-ubyte", TRAIN + ["--data=idx:{folder}"], LABELS),
    ("soap-run: npy", "x_train.npy", TRAIN + ["--data=npy:{folder}"], {"y_train.npy": Y}),
    ("soap-run: npz", "d.npz", TRAIN + ["--data=npz:{input}"], {}),
    ("soap-run: text", "t.txt", ["soap-run", "train", "{sequences}", "--data=text:{input}"], {}),
    ("soap-run: tokens", "t.bin", ["soap-run", "train", "{sequences}", "--data=tokens:{input}"], {}),
    ("soap-run: weights", "w.safetensors", TRAIN + ["--data=synthetic", "--init={input}"], {}),
    ("soap-run: checkpoint", "c.safetensors", TRAIN + ["--data=synthetic", "--resume={input}"], {}),
    ("soap-run: input", "x.npy", ["soap-run", "entry", "{forward}", "forward", "--input", "x={input}"], {}),
    ("soap-solve: placement", "p.json", ["soap-solve", "placement", "{input}"], {}),
    ("soap-solve: cost graph", "g.json", ["soap-solve", "cost-graph", "{input}"], {}),
    ("soap-solve: split", "s.json", ["soap-solve", "placement", "{placement}", "--algorithm=expert", "--split={input}"], {}),
    ("soap-solve: instance", "p.json", ["soap-solve", "verify", "{input}", "{placement}"], {}),
    ("soap-solve: solution", "s.json", ["soap-solve", "verify", "{placement}", "{input}"], {}),
]
# Empty text is IR without ops.
EMPTY_IS_GOOD = ["soap-opt: module"]
# The bytes behind the weight may be the next weight.
LARGE_IS_GOOD = ["soap-translate: external data"]

# Readers of compressed files, with what unpacks to UNPACKED bytes.
BOMBS = [
    ("soap-run: images", "gzip", idx([UNPACKED >> 16, 256, 256], b"")),
    ("soap-run: text", "gzip", b""),
    ("soap-solve: placement", "gzip", b"["),
    ("soap-solve: cost graph", "gzip", b"["),
    ("soap-solve: instance", "gzip", b"["),
    ("soap-solve: solution", "gzip", b"["),
    ("soap-run: npz", "npz", b""),
    ("soap-run: module", "artifact", b""),
]


def gzipped(start):
    """A gzip file of `start` and zeros: one deflated block of zeros, again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    chunk = bytes(1 << 24)
    parts = [packer.compress(start)] + [packer.compress(chunk) for _ in range(UNPACKED >> 24)]
    return b"".join(parts) + packer.flush()


def zlib_zeros(window):
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    chunk = bytes(1 << 24)
    return b"".join(packer.compress(chunk) for _ in range(UNPACKED >> 24)) + packer.flush()


class Bombs:
    """Made once each; what they share is the work."""

    def __init__(self):
        self.made = {}
        self.lock = threading.Lock()

    def get(self, kind, start):
        with self.lock:
            if (kind, start) not in self.made:
                self.made[kind, start] = self.make(kind, start)
            return self.made[kind, start]

    @staticmethod
    def make(kind, start):
        if kind == "gzip":
            return gzipped(start)
        if kind == "artifact":
            info = to_json(dict(INFO, architecture=platform.machine())).encode()
            packed = struct.pack("<Q", UNPACKED) + zlib_zeros(15)
            return artifact([("info", info), ("manifest", packed), ("code", b"")], encodings={"manifest": 1})
        packed = zlib_zeros(-15)
        name = b"x_train.npy"
        common = struct.pack("<HHHIIIIHH", 20, 0, 8, 0, 0, len(packed), UNPACKED, len(name), 0)
        body = b"PK\3\4" + common + name + packed
        directory = b"PK\1\2" + struct.pack("<H", 20) + common + bytes(10) + struct.pack("<I", 0) + name
        return body + directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), len(body), 0)


def write_forever(path, stop):
    """Writes to a pipe whenever it has a reader."""
    chunk = b"y" * (1 << 16)
    while not stop.is_set():
        try:
            file = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # no reader
            stop.wait(0.01)
            continue
        os.set_blocking(file, True)
        try:
            while True:
                os.write(file, chunk)
        except OSError:
            pass
        os.close(file)


class Suite:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.bombs = Bombs()
        self.inputs = {}

    def tool(self, command):
        return [os.path.join(self.build, "bin", command[0])] + command[1:]

    def prepare(self):
        """Good files that commands need beside what they are given."""
        def path(name, content=None):
            result = os.path.join(self.folder, name)
            if content is not None:
                with open(result, "wb") as stream:
                    stream.write(content.encode() if isinstance(content, str) else content)
            return result

        def run(*command):
            subprocess.run(self.tool(list(command)), check=True, stdout=subprocess.DEVNULL)

        self.inputs["forward"] = path("forward.mlir", FORWARD)
        self.inputs["step"] = path("step.mlir")
        run("soap-opt", self.inputs["forward"], "--soap-build-training-step=learning-rate=0.1", "-o", self.inputs["step"])
        self.inputs["sequences"] = path("sequences.mlir")
        run("soap-opt", path("tokens.mlir", SEQUENCES), "--soap-build-training-step=learning-rate=0.1", "-o",
            self.inputs["sequences"])
        self.inputs["placement"] = path("placement.json")
        run("soap-opt", self.inputs["step"], "--soap-place=topology=h100-2 microbatches=1 instance=" + self.inputs["placement"], "-o", os.devnull)
        self.inputs["onnx"] = path("good.onnx", model(
            [node("MatMul", ["x", "w"], ["y"], name="fc")], [value_info("x", [2, 3])], [value_info("y", [2, 4])],
            [tensor("w", [3, 4])]))

    def problem(self, reader, kind, content=None):
        """None, or what is wrong with how a reader treats an input of a kind."""
        name, file_name, command, files = reader
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            place = os.path.join(folder, file_name)
            for other, bytes_ in files.items():
                with open(os.path.join(folder, other), "wb") as stream:
                    stream.write(bytes_)
            stop, writer = threading.Event(), None
            if kind == "a device":
                os.symlink("/dev/zero", place)
            elif kind == "a file of 8 TiB":
                with open(place, "wb") as stream:
                    stream.truncate(8 << 40)
            elif kind == "a folder":
                os.mkdir(place)
            elif kind in ("a pipe without a writer", "a pipe without an end"):
                os.mkfifo(place)
                if kind == "a pipe without an end":
                    writer = threading.Thread(target=write_forever, args=(place, stop))
                    writer.start()
            else:
                with open(place, "wb") as stream:
                    stream.write(content or b"")
            filled = []
            for argument in self.tool(command):
                argument = argument.replace("{input}", place).replace("{folder}", folder)
                for key, path in self.inputs.items():
                    argument = argument.replace("{%s}" % key, path)
                filled.append(argument)
            try:
                return self.execute(filled, place)
            finally:
                stop.set()
                if writer:
                    writer.join()

    def execute(self, command, place):
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                       cwd=os.path.dirname(place))
            timer = threading.Timer(SECONDS, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            killed = not timer.is_alive()
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            errors.seek(0)
            message = errors.read().decode(errors="replace")
        shown = "\n    " + "\n    ".join(message[:2000].splitlines()[:8])
        if killed:
            return "still running after %d s" % SECONDS
        if process.returncode != 1:
            return "exit status %d, expected 1%s" % (process.returncode, shown)
        if os.path.basename(place) not in message:
            return "the message does not name '%s':%s" % (os.path.basename(place), shown)
        if usage.ru_maxrss << 10 > MEMORY:
            return "took %d MiB of memory%s" % (usage.ru_maxrss >> 10, shown)
        return None

    def standard_input(self, source):
        """soap-opt reads standard input until a limit."""
        with open(os.devnull, "wb") as nothing, subprocess.Popen(
                ["cat", source] if source != "yes" else ["yes"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as endless:
            process = subprocess.Popen(self.tool(["soap-opt", "-"]), stdin=endless.stdout, stdout=nothing, stderr=subprocess.PIPE)
            endless.stdout.close()
            message = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            process.stderr.close()
        if process.returncode != 1 or "standard input: expected at most" not in message:
            return "exit status %d:\n    %s" % (process.returncode, message[:500])
        return "took %d MiB of memory" % (usage.ru_maxrss >> 10) if usage.ru_maxrss << 10 > MEMORY else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=8, help="most of which sleep")
    options = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        suite = Suite(os.path.abspath(options.build), folder)
        suite.prepare()
        results = {}

        def start(name, function, *arguments):
            if options.only in name:
                results[name] = pool.submit(function, *arguments)

        for reader in READERS:
            for kind in ("a device", "a folder", "an empty file", "a file of 8 TiB", "a pipe without a writer", "a pipe without an end"):
                good = {"an empty file": EMPTY_IS_GOOD, "a file of 8 TiB": LARGE_IS_GOOD}.get(kind, [])
                if reader[0] not in good:
                    start("%s: %s" % (reader[0], kind), suite.problem, reader, kind)
        for name, kind, content in BOMBS:
            reader = next(row for row in READERS if row[0] == name)
            start(name + ": a bomb", lambda reader, kind, content: suite.problem(reader, "a bomb", suite.bombs.get(kind, content)),
                  reader, kind, content)
        for source in ("/dev/zero", "yes"):
            start("soap-opt: standard input of " + source, suite.standard_input, source)
        for name, result in results.items():
            tally.count(name, result.result())
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
