# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured kernels of GPUs: CSV files or a package, and which of their rows no profile is fitted to."""
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


class CsvFolder:
    """Files gemm, attention, encoder_attention and comm, as .csv or .csv.gz, with a column `gpu` and times in us."""

    def __init__(self, folder):
        self.folder = folder

    def gemm(self):
        """{(gpu, dtype): rows (m, n, k, us)} of C[m, n] = A[m, k] B[k, n]."""
        return tables((row["gpu"], DTYPES[row["dtype"]], int(row["m"]), int(row["n"]), int(row["k"]), float(row["us"]))
                      for row in rows_of(self.folder, "gemm"))

    def attention(self, name):
        """{gpu: rows (samples, positions, heads, heads of keys, width, us)}, causal or of `encoder_attention`."""
        found = {}
        for row in rows_of(self.folder, name):
            heads = int(row["num_heads"])
            found.setdefault(row["gpu"], []).append((int(row["batch_size"]), int(row["isl"]), heads, int(row.get("num_key_value_heads") or heads),
                                                     int(row["head_dim"]), float(row["us"])))
        return found

    def windows(self, gpu):
        """None are in these files."""
        return []

    def comm(self, gpu):
        """Rows (operation, devices, bytes as nccl-tests counts them, us) of elements of 16 bits."""
        return [(row["op_name"], int(row["num_gpus"]), 2 * int(row["elements"]), float(row["us"]))
                for row in rows_of(self.folder, "comm") if row["gpu"] == gpu]


class Package:
    """The same of the package `aiconfigurator-core` of PyPI, of its newest measurements with vLLM and NCCL. Needs
    pyarrow."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "systems", "data")

    def rows(self, gpu, kind, framework, name):
        from pyarrow import parquet
        folder = os.path.join(self.folder, gpu, kind, framework)
        if not os.path.isdir(folder):
            return
        versions = sorted((v for v in os.listdir(folder) if os.path.exists(os.path.join(folder, v, name + "_perf.parquet"))),
                          key=lambda v: [int(part) for part in v.split(".") if part.isdigit()])
        yield from parquet.read_table(os.path.join(folder, versions[-1], name + "_perf.parquet")).to_pylist()

    def gpus(self):
        return sorted(os.listdir(self.folder))

    def gemm(self):
        return tables((gpu, DTYPES[row["gemm_dtype"]], row["m"], row["n"], row["k"], 1000 * row["latency"])
                      for gpu in self.gpus() for row in self.rows(gpu, "gemm", "vllm", "gemm") if row["gemm_dtype"] in DTYPES)

    def attention_rows(self, gpu, name):
        """(window or 0, row as in `attention`)."""
        for row in self.rows(gpu, name, "vllm", "context_attention" if name == "attention" else name):
            if row.get("kv_cache_dtype", "bfloat16") == row["attn_dtype"] == "bfloat16":
                yield row.get("window_size") or 0, (row["batch_size"], row["isl"], row["num_heads"],
                                                    row.get("num_key_value_heads") or row["num_heads"], row["head_dim"], 1000 * row["latency"])

    def attention(self, name):
        found = {}
        for gpu in self.gpus():
            for window, row in self.attention_rows(gpu, name):
                if not window:
                    found.setdefault(gpu, []).append(row)
        return found

    def windows(self, gpu):
        """(window, row) of causal attention whose window is less than the positions."""
        return [(window, row) for window, row in self.attention_rows(gpu, "attention") if 0 < window < row[1]]

    def comm(self, gpu):
        return [(row["op_name"], row["num_gpus"], 2 * row["message_size"], 1000 * row["latency"])
                for row in self.rows(gpu, "comm", "nccl", "nccl") if row["nccl_dtype"] == "half"]


DTYPES = {"bfloat16": "bf16", "fp8": "f8", "nvfp4": "f4"}


def tables(rows):
    """{(gpu, dtype): [rest]}."""
    found = {}
    for gpu, dtype, *rest in rows:
        found.setdefault((gpu, dtype), []).append(tuple(rest))
    return found


def kernels(folder):
    """The reader of a folder: of CSV files, or of the package (.../site-packages/aiconfigurator_core)."""
    return Package(folder) if os.path.isdir(os.path.join(folder, "systems", "data")) else CsvFolder(folder)
