#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of linalg, partitioned by random configs and run, against upstream's lowering of the whole.

    test/Linalg/Equivalence/run.py BUILD [--cases=N] [--first=SEED] [--llvm=BIN] [--keep=FOLDER]

Each program runs four ways: as upstream lowers it (the right value), by soap-run on one device, and partitioned by two
random strategies on 1 to 4 devices. f32 is compared within 1e-5 of the largest element, f64 within 1e-12, integers
exactly. The last line is "N passed, N failed"; a program and its strategies are one check.
"""

import argparse
import collections
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from programs import draw, with_configs
from reference import Reference

FORMATS = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i")}
TOLERANCE = {"f32": 1e-5, "f64": 1e-12, "i32": 0}
BATCH = 25


def write_npy(path, dtype, shape, elements):
    descr, letter = FORMATS[dtype]
    dims = "(" + "".join(f"{d}," for d in shape) + ")"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {dims}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(elements)}{letter}", *elements))


def read_npy(path, dtype):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    letter = FORMATS[dtype][1]
    return list(struct.unpack(f"<{(len(data) - start) // struct.calcsize(letter)}{letter}", data[start:]))


def differs(dtype, expected, got):
    """Why two lists of elements are not the same; None if they are."""
    if len(expected) != len(got):
        return f"{len(got)} elements, expected {len(expected)}"
    finite = [abs(e) for e in expected if e == e and abs(e) != float("inf")]
    scale = max([1.0] + finite)
    for i, (e, g) in enumerate(zip(expected, got)):
        if e == g or (e != e and g != g):
            continue
        if not abs(e - g) <= TOLERANCE[dtype] * scale:
            return f"element {i} is {g}, expected {e}"
    return None


class Tools:
    def __init__(self, build, llvm):
        self.build, self.llvm = build, llvm
        self.environment = dict(os.environ, SOAP_CACHE_DIR=os.path.join(build, "test-cache"), OMP_NUM_THREADS="1")

    def run(self, tool, *arguments):
        result = subprocess.run([os.path.join(self.build, "bin", tool), *arguments], capture_output=True, text=True,
                                timeout=600, env=self.environment)
        if result.returncode != 0:
            raise RuntimeError(f"{tool} {' '.join(arguments)}: exit status {result.returncode}\n{result.stderr[:4000]}")
        return result.stdout


def read_loops(graph):
    """Extents of the loops that may be split, by op, in order, from --soap-print-op-graph."""
    loops, op = {}, None
    for line in graph.splitlines():
        if match := re.match(r"  ([\w.]+): ", line):
            op = match[1]
            loops[op] = {}
        elif line.startswith("    ") and "=" in line:
            for name, extent, role in re.findall(r"(\w+)=(\d+) (\w+)", line):
                if role != "serial":
                    loops[op][name] = int(extent)
    return loops


def draw_config(rng, loops, devices):
    degrees, pieces = {}, 1
    for name in rng.sample(sorted(loops), len(loops)):
        degree = rng.choice([1, 1, 2, 3, 4])
        if 1 < degree <= loops[name] and pieces * degree <= 6:
            degrees[name] = degree
            pieces *= degree
    replicas = rng.choice([1, 1, 1, 2]) if pieces <= 3 else 1
    text = ", ".join(f"{name} = {degree}" for name, degree in sorted(degrees.items()))
    extra = f", replicas = {replicas}" if replicas > 1 else ""
    # Replicas of a piece run on different devices.
    places = [rng.randrange(devices) for _ in range(pieces)]
    if replicas > 1:
        if devices < 2:
            extra = ""
        else:
            places += [(p + 1) % devices for p in places]
    return f"#soap.config<{{{text}}}{extra}, devices = {places}>"


def data_of(rng, dtype, shape):
    count = 1
    for extent in shape:
        count *= extent
    numbers = [rng.randint(-16, 16) for _ in range(count)]
    return numbers if dtype == "i32" else [n / 8 for n in numbers]


def run_batch(tools, seeds, folder, counts):
    """Failures of the programs of one module, by name."""
    # Most programs take longer to optimize than to run.
    level = 1 if seeds[0] // BATCH % 5 == 0 else 0
    programs = {f"f{seed}": draw(f"f{seed}", seed) for seed in seeds}
    module = "module {\n  " + "  ".join(p.text() for p in programs.values()) + "}\n"
    plain = os.path.join(folder, "plain.mlir")
    with open(plain, "w", encoding="utf-8") as file:
        file.write(with_configs(module, {}))
    graph = tools.run("soap-opt", plain, "-o", os.devnull,
                      *[f"--soap-print-op-graph=function={name}" for name in programs])
    loops = read_loops(graph)
    upstream = "module {\n  " + "  ".join(
        p.text("attributes {llvm.emit_c_interface} ") for p in programs.values()) + "}\n"
    reference = Reference(tools.llvm, with_configs(upstream, {}), folder)
    artifacts = []
    single = os.path.join(folder, "single.mlir")
    tools.run("soap-opt", plain, "--soap-lower-to-cpu=library=none fuse=false", "-o", single)
    artifacts.append(single)
    for strategy in range(2):
        rng = random.Random(seeds[0] * 2 + strategy)
        devices = {name: rng.choice([1, 2, 3, 4, 4]) for name in programs}
        configs = {op: draw_config(rng, found, devices[op.split(".")[0]]) for op, found in loops.items()}
        counts["split"] += sum("=" in c.split("}")[0] for c in configs.values())
        counts["ops"] += len(configs)
        path, lowered = (os.path.join(folder, f"{what}{strategy}.mlir") for what in ("configs", "lowered"))
        with open(path, "w", encoding="utf-8") as file:
            file.write(with_configs(module, configs))
        tools.run("soap-opt", path, "--soap-partition=topology=cpu-4",
                  "--soap-lower-to-cpu" + ("=library=none fuse=false" if strategy else ""), "-o", lowered)
        artifacts.append(lowered)
    for i, path in enumerate(artifacts):
        tools.run("soap-translate", "--emit-artifact", path, f"--artifact-opt-level={level}", "-o", path + ".soapx")
        artifacts[i] = path + ".soapx"

    failures = {}
    for name, program in programs.items():
        counts.update("kind " + kind for kind in program.kinds)
        rng = random.Random(name)
        inputs, arguments = [], []
        for argument, value in program.args:
            elements = data_of(rng, program.dtype, value.shape)
            path = os.path.join(folder, argument + ".npy")
            write_npy(path, program.dtype, value.shape, elements)
            inputs += ["--input", f"{argument}={path}"]
            arguments.append((value.shape, elements))
        expected = reference.call(name, program.dtype, arguments, [r.shape for r in program.results])
        for way, artifact in zip(["one device", "strategy 0", "strategy 1"], artifacts):
            output = os.path.join(folder, "output")
            try:
                tools.run("soap-run", "entry", artifact, name, "--quiet", "--threads-per-device", "1",
                          "--output", output, *inputs)
                for i, elements in enumerate(expected):
                    path = os.path.join(output, f"{name}.r{i}.npy")
                    why = differs(program.dtype, elements, read_npy(path, program.dtype))
                    os.remove(path)
                    if why:
                        raise RuntimeError(f"result {i}: {why}")
            except (RuntimeError, OSError) as error:
                failures.setdefault(name, f"{way}: {error}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--keep", help="folder for the modules of the last batch")
    options = parser.parse_args()
    tools = Tools(os.path.abspath(options.build), options.llvm)
    passed = failed = 0
    counts = collections.Counter()
    for first in range(options.first, options.first + options.cases, BATCH):
        seeds = range(first, min(first + BATCH, options.first + options.cases))
        with tempfile.TemporaryDirectory() as scratch:
            folder = options.keep or scratch
            os.makedirs(folder, exist_ok=True)
            try:
                failures = run_batch(tools, seeds, folder, counts)
            except RuntimeError as error:
                print(f"programs {seeds[0]} to {seeds[-1]}: {error}", flush=True)
                failed += len(seeds)
                continue
        for name, why in failures.items():
            print(f"{name}: {why}", flush=True)
        failed += len(failures)
        passed += len(seeds) - len(failures)
    print("kinds of ops: " + ", ".join(f"{kind[5:]} {n}" for kind, n in sorted(counts.items())
                                       if kind.startswith("kind ")))
    print(f"configs that split a loop: {counts['split']} of {counts['ops']}")
    if options.cases >= 100 and 2 * counts["split"] < counts["ops"]:
        print("too few configs split a loop")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
