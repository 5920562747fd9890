# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of a profile from measured ones: bytes and ns, both rising."""
import itertools
import math

KINDS = {"all_reduce": "all-reduce", "all_gather": "all-gather", "reduce_scatter": "reduce-scatter", "alltoall": "all-to-all"}


def rising(values):
    """The nearest values that never fall, of least squares of logarithms: neighbours that do are pooled."""
    pools = []
    for value in values:
        pools.append([math.log(value), 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, count = pools.pop()
            pools[-1] = [(pools[-1][0] * pools[-1][1] + mean * count) / (pools[-1][1] + count), pools[-1][1] + count]
    return [math.exp(mean) for mean, count in pools for _ in range(count)]


def whole_bytes(operation, devices, size):
    """Bytes of the whole tensor, as Soap counts: of an all-to-all, of the buffers of all devices."""
    return size * devices if operation == "alltoall" else size


def collectives(rows):
    """The profile's list, of rows (operation, devices, bytes as nccl-tests counts them, us)."""
    groups = {}
    for operation, devices, size, us in rows:
        groups.setdefault((operation, devices), {})[whole_bytes(operation, devices, size)] = us * 1000
    times = {}
    for key, by_bytes in groups.items():
        sizes = sorted(by_bytes)
        times[key] = dict(zip(sizes, rising([by_bytes[size] for size in sizes])))
    # An all-reduce gives each device what its halves give.
    for (operation, devices), by_bytes in times.items():
        if operation == "all_reduce":
            for half in ("all_gather", "reduce_scatter"):
                for size, ns in times.get((half, devices), {}).items():
                    if size in by_bytes:
                        by_bytes[size] = max(by_bytes[size], ns)
            for before, size in itertools.pairwise(sorted(by_bytes)):
                by_bytes[size] = max(by_bytes[size], by_bytes[before])
    return [{"kind": KINDS[operation], "devices": devices, "nodes": 1,
             "entries": [[size, round(ns)] for size, ns in sorted(by_bytes.items())]}
            for (operation, devices), by_bytes in sorted(times.items())]
