# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans in JAX on two processes with four devices each, which find each other by jax.distributed on the loopback
interface: two steps equal two on one device, and the collectives that XLA writes have the plan's kinds and bytes.

    jax_processes.py

Starts itself twice. The last line is "N passed, N failed"."""
import functools
import os
import socket
import subprocess
import sys
import tempfile
import time

PROCESSES, DEVICES = 2, 4
NAMES = ("mlp_adamw_clipped", "llama_grouped_queries")
#: Seconds for all of it; alone it takes 20.
LIMIT = 240


def on_loopback():
    """Collectives of JAX's CPUs listen where the name of the machine leads, which may be nowhere: here at localhost."""
    from jax._src.lib import _jax

    _jax.make_gloo_tcp_collectives = functools.partial(_jax.make_gloo_tcp_collectives, hostname="127.0.0.1")


def member(rank, port):
    import jax

    on_loopback()
    jax.distributed.initialize(f"127.0.0.1:{port}", PROCESSES, rank, local_device_ids=range(DEVICES))
    import logging

    import jax_programs
    import numpy as np
    from slow_devices import slow_devices

    import soap
    import soap.jax

    logging.getLogger("soap").setLevel(logging.ERROR)
    assert len(jax.devices()) == PROCESSES * DEVICES and len(jax.local_devices()) == DEVICES
    folder = tempfile.TemporaryDirectory()
    topology = slow_devices(folder.name, machines=PROCESSES)
    passed = 0
    for name in NAMES:
        function, args, options = jax_programs.PROGRAMS[name]()
        model = soap.from_jax(function, *args, **options)
        for kind, plan in (("zero", soap.apply_strategy(model, topology, "zero")),
                           ("searched", soap.jax.find_strategy(model, topology, proposals=40))):  # fmt: skip
            step = soap.jax.jit(function, plan)
            found = soap.jax._inner_shardings(function, soap.jax.nearest(plan), soap.jax.mesh(plan), False)
            assert found is not None and found.specs
            one = jax.jit(function)
            placed = soap.jax.put(soap.jax.nearest(plan), *args)
            compiled = step.lower(*placed).compile()
            moved = soap.jax.hlo_collectives(compiled)
            check_collectives(plan.collectives(), moved)
            ours, wanted = placed, args
            for _ in range(2):
                results = compiled(*ours)
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
            print(f"{name}, {kind}: process {rank}: {parts} parts are equal, {len(found.specs)} constraints", flush=True)
            print(f"  plan {plan.collectives()}\n  XLA  {moved}", flush=True)
            passed += 1
    print(f"{passed} passed, 0 failed")


def check_collectives(ours, theirs):
    """Within 1 % as many bytes, where XLA writes every reduction as an all-reduce, as its partitioner for CPUs does."""

    def of(table, *kinds):
        return sum(table.get(kind, {"bytes": 0})["bytes"] for kind in kinds)

    assert {*theirs} <= {"all-reduce", "all-gather"}, theirs
    reduced = of(ours, "all-reduce") + 2 * of(ours, "reduce", "reduce-scatter")
    assert 0 < reduced and abs(of(theirs, "all-reduce") - reduced) <= 0.01 * reduced, (ours, theirs)
    gathered = of(ours, "all-gather")
    assert abs(of(theirs, "all-gather") - gathered) <= 0.01 * gathered, (ours, theirs)


def statuses_of(members, seconds):
    """The exit status of each process. Where one fails, or time is over, the others are ended."""
    end = time.monotonic() + seconds
    while any(process.poll() is None for process in members) and time.monotonic() < end:
        if any(process.poll() not in (None, 0) for process in members):
            end = min(end, time.monotonic() + 5)  # of what the others say of it
        time.sleep(0.1)
    for process in members:
        if process.poll() is None:
            process.kill()
    return [process.wait() for process in members]


def main():
    if sys.argv[1:]:
        return member(int(sys.argv[1]), int(sys.argv[2]))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "XLA_FLAGS": f"--xla_force_host_platform_device_count={DEVICES}"}
    logs = [tempfile.TemporaryFile("w+") for _ in range(PROCESSES)]
    members = [subprocess.Popen([sys.executable, __file__, str(rank), str(port)], env=environment, text=True,
                                stdout=logs[rank], stderr=subprocess.STDOUT) for rank in range(PROCESSES)]  # fmt: skip
    passed = failed = 0
    for rank, status in enumerate(statuses_of(members, LIMIT)):
        logs[rank].seek(0)
        text = logs[rank].read()
        count = text.count("parts are equal")
        passed += count
        failed += 2 * len(NAMES) - count
        print("\n".join(line for line in text.splitlines() if line.startswith((*NAMES, "  plan", "  XLA"))))
        if status:
            failed += count == 2 * len(NAMES)
            print(f"process {rank} ended with {status}{f', after {LIMIT} s' if status == -9 else ''}:\n{text[-3000:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
