# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured kernels of GPUs: CSV files, and which of their rows no profile is fitted to."""
import csv
import gzip
import hashlib
import os


def rows_of(folder, name):
    """The rows of NAME.csv or NAME.csv.gz as dictionaries of text."""
    for path, opened in ((os.path.join(folder, name + ".csv"), open), (os.path.join(folder, name + ".csv.gz"), gzip.open)):
        if os.path.exists(path):
            with opened(path, "rt", newline="") as stream:
                yield from csv.DictReader(stream)
            return
    raise FileNotFoundError("%s: expected %s.csv or %s.csv.gz" % (folder, name, name))


FOLDS = 5


def fold(*key):
    """Which fifth a measurement is in: by a hash of what was measured, for ever the same."""
    return min(hashlib.sha256(" ".join(map(str, key)).encode()).digest()[0] // (255 // FOLDS), FOLDS - 1)


def is_held(*key):
    """Whether it is in the fifth that no profile of products and attention is fitted to."""
    return fold(*key) == 0


def known(kind, device, rows):
    """The rows (what was measured ..., us) that profiles are fitted to."""
    return [row for row in rows if not is_held(kind, device, *row[:-1])]


def held(kind, device, rows):
    """The others."""
    return [row for row in rows if is_held(kind, device, *row[:-1])]


def comm(folder, gpu):
    """Rows (operation, devices, bytes as nccl-tests counts them, us)."""
    return [(row["op_name"], int(row["num_gpus"]), 2 * int(row["elements"]), float(row["us"]))
            for row in rows_of(folder, "comm") if row["gpu"] == gpu]


def gemm(folder):
    """{(gpu, dtype): rows (m, n, k, us)} of C[m, n] = A[m, k] B[k, n]."""
    tables = {}
    for row in rows_of(folder, "gemm"):
        dtype = {"bfloat16": "bf16", "fp8": "f8", "nvfp4": "f4"}[row["dtype"]]
        tables.setdefault((row["gpu"], dtype), []).append((int(row["m"]), int(row["n"]), int(row["k"]), float(row["us"])))
    return tables


def attention(folder, name):
    """{gpu: rows (samples, positions, heads, heads of keys, width, us)}."""
    tables = {}
    for row in rows_of(folder, name):
        heads = int(row["num_heads"])
        tables.setdefault(row["gpu"], []).append((int(row["batch_size"]), int(row["isl"]), heads, int(row.get("num_key_value_heads") or heads),
                                                  int(row["head_dim"]), float(row["us"])))
    return tables
