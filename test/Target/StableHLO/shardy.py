#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strategies of Soap, exported as Shardy's shardings and run by JAX, against the unsharded program.

    shardy.py BUILD

Each recorded program (Inputs/) is imported, gets a strategy, and leaves as StableHLO with a mesh; JAX compiles it for
its host devices with the Shardy partitioner and runs it. Results equal the recorded ones, norm-wise within 1e-4. The
collectives of the compiled program are printed. scripts/test-peers.sh runs it; the last line is "N passed, N failed".
Needs jax, and no optax.
"""

import os
import re
import subprocess
import sys
import tempfile

os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import compiler, xla_bridge  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.sharding_impls import GSPMDSharding  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from jaxlib import _jax  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "Inputs")
sys.path.insert(0, os.path.join(HERE, "..", ".."))
from programs import DATA  # noqa: E402
from tally import Tally  # noqa: E402

COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
MESH_2X4 = "topology=cpu-8 strategy=%s function=main" % os.path.join(INPUTS, "mlp.2x4.json")
# Programs and strategies that one mesh has.
CASES = [
    ("mlp", "topology=cpu-8 preset=data-parallel function=main"),
    ("mlp", MESH_2X4),
    ("conv", "topology=cpu-4 preset=data-parallel function=main"),
    ("conv", "topology=cpu-2 preset=zero function=main"),
    ("resnet", "topology=cpu-4 preset=data-parallel function=main"),
    ("transformer", "topology=cpu-2 preset=data-parallel function=main"),
    ("transformer", "topology=cpu-2 preset=zero function=main"),
    ("moe", "topology=cpu-4 preset=data-parallel function=main"),
    ("moe", "topology=cpu-2 preset=zero function=main"),
]


def run(build, tool, *arguments):
    result = subprocess.run([os.path.join(build, "bin", tool), *arguments], capture_output=True, text=True, timeout=600)
    if result.returncode:
        raise RuntimeError("%s: %s" % (tool, result.stderr[-1000:]))


def export(build, folder, name, strategy):
    """The text of the program with the shardings of the strategy."""
    program = os.path.join(INPUTS, name + ".mlir")
    flags, updated = DATA[name]
    flags = flags + (["--updates=1-%d:0-%d" % (updated, updated - 1)] if updated else [])
    module, sharded, exported = (os.path.join(folder, file) for file in ("model.mlir", "sharded.mlir", "exported.mlir"))
    run(build, "soap-translate", "--import-stablehlo", program, *flags, "-o", module)
    run(build, "soap-opt", module, "--soap-apply-strategy=" + strategy, "--soap-export-shard", "-o", sharded)
    run(build, "soap-translate", "--export-shardy", sharded, "--stablehlo", program, *flags, "-o", exported)
    with open(exported) as file:
        return file.read()


def execute(text, inputs):
    """Results of the program on its mesh, and how many collectives the compiled one has."""
    axes = re.findall(r'"(\w+)"=(\d+)', re.search(r"#sdy.mesh<\[(.*?)\]>", text).group(1))
    names, sizes = [axis for axis, _ in axes], [int(size) for _, size in axes]
    count = int(np.prod(sizes))
    devices = jax.devices()[:count]
    mesh = Mesh(np.array(devices).reshape(sizes), names)
    attributes = re.search(r"arg_attrs = \[(.*?)\], function_type", text).group(1)
    arrays = []
    for array, dims in zip(inputs, re.findall(r"#sdy.sharding<@\w+, \[(.*?)\]>", attributes), strict=True):
        spec = [tuple(re.findall(r'"(\w+)"', dim)) or None for dim in re.findall(r"\{(.*?)\}", dims)]
        arrays.append(jax.device_put(array, NamedSharding(mesh, PartitionSpec(*spec))))
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
    options = compiler.get_compile_options(1, count, device_assignment=np.arange(count).reshape(1, count))
    options.executable_build_options.use_spmd_partitioning = True
    options.executable_build_options.use_shardy_partitioner = True
    program = compiler.backend_compile_and_load(
        xla_bridge.get_backend(), module, _jax.DeviceList(tuple(devices)), options, []
    )
    parts = program.execute_sharded(arrays).disassemble_into_single_device_arrays()
    results = []
    for shards, sharding in zip(parts, program.get_output_shardings(), strict=True):
        local = shards[0].shape
        indices = None
        whole = None
        placed = GSPMDSharding(tuple(devices), sharding)
        for shard in shards:
            if whole is None:
                # Extents of the whole tensor, from the extents of a piece.
                pieces = placed.shard_shape(tuple(extent * count for extent in local))
                whole = np.zeros(
                    [extent * (extent * count // piece) for extent, piece in zip(local, pieces)], shard.dtype
                )
                indices = placed.devices_indices_map(whole.shape)
            whole[indices[next(iter(shard.devices()))]] = np.asarray(shard)
        results.append(whole)
    text = program.hlo_modules()[0].to_string()
    return results, {kind: len(re.findall(r" %s(?:-start)?\(" % kind, text)) for kind in COLLECTIVES}


def check(build, name, strategy):
    recorded = np.load(os.path.join(INPUTS, name + ".npz"))

    def arrays(what):
        return [
            recorded[key]
            for key in sorted(
                (key for key in recorded if re.fullmatch(what + r"\d+", key)), key=lambda key: int(key[len(what) :])
            )
        ]

    with tempfile.TemporaryDirectory() as folder:
        text = export(build, folder, name, strategy)
    results, collectives = execute(text, arrays("in"))
    print(
        "%s, %s: %s"
        % (
            name,
            strategy.replace(INPUTS + os.sep, ""),
            ", ".join("%d %s" % (n, kind) for kind, n in collectives.items() if n) or "no collective",
        )
    )
    for i, (expected, got) in enumerate(zip(arrays("out"), results, strict=True)):
        if got.shape != expected.shape:
            return "result %d has shape %s, expected %s" % (i, got.shape, expected.shape)
        error = np.linalg.norm(got.astype("float64") - expected) / max(np.linalg.norm(expected), 1e-30)
        if not error < 1e-4:
            return "result %d has a relative error of %g" % (i, error)
    return None


def main():
    build = os.path.abspath(sys.argv[1])
    tally = Tally()
    for name, strategy in CASES:
        try:
            wrong = check(build, name, strategy)
        except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
            wrong = str(error)
        tally.count("%s, %s" % (name, strategy), wrong)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
