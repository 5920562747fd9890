# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans in JAX on two processes with four devices each, which find each other by jax.distributed on the loopback
interface: two steps equal two on one device.

    jax_processes.py

Starts itself twice. The last line is "N passed, N failed"."""
import os
import socket
import subprocess
import sys

PROCESSES, DEVICES = 2, 4
NAMES = ("mlp_adamw_clipped", "llama_grouped_queries")


def member(rank, port):
    import jax

    jax.distributed.initialize(f"localhost:{port}", PROCESSES, rank, local_device_ids=range(DEVICES))
    import logging

    import jax_programs
    import numpy as np

    import soap
    import soap.jax

    logging.getLogger("soap").setLevel(logging.ERROR)
    assert len(jax.devices()) == PROCESSES * DEVICES and len(jax.local_devices()) == DEVICES
    passed = 0
    for name in NAMES:
        function, args, options = jax_programs.PROGRAMS[name]()
        model = soap.from_jax(function, *args, **options)
        for plan in (soap.apply_strategy(model, "h100-2x4", "zero"),
                     soap.jax.find_strategy(model, "h100-2x4", proposals=40)):  # fmt: skip
            step = soap.jax.jit(function, plan)
            found = soap.jax._inner_shardings(function, soap.jax.nearest(plan), soap.jax.mesh(plan), False)
            assert found is not None and found.specs
            one = jax.jit(function)
            placed = soap.jax.put(soap.jax.nearest(plan), *args)
            ours, wanted = placed, args
            for _ in range(2):
                results = step(*ours)
                with jax.default_device(jax.local_devices()[0]):
                    expected = one(*wanted)
                states = len(results) - 1
                ours, wanted = (*results[:states], *placed[states:]), (*expected[:states], *args[states:])
            parts = 0
            for a, b in zip(jax.tree.leaves(results), jax.tree.leaves(expected), strict=True):
                whole = np.asarray(b)
                for shard in a.addressable_shards:
                    np.testing.assert_allclose(np.asarray(shard.data), whole[shard.index], rtol=1e-3, atol=1e-5)
                    parts += 1
            print(f"{name}: process {rank}: {parts} parts are equal, {len(found.specs)} constraints", flush=True)
            passed += 1
    print(f"{passed} passed, 0 failed")


def main():
    if sys.argv[1:]:
        return member(int(sys.argv[1]), int(sys.argv[2]))
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}"}
    members = [subprocess.Popen([sys.executable, __file__, str(rank), str(port)], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE) for rank in range(PROCESSES)]
    passed = failed = 0
    for rank, process in enumerate(members):
        try:
            out, err = process.communicate(timeout=600)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            err += "\ntimeout"
        print(out.strip())
        count = out.count("parts are equal")
        passed += count
        failed += 2 * len(NAMES) - count
        if process.returncode:
            print(f"process {rank} ended with {process.returncode}:\n{err[-3000:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
