#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the seed inputs of the fuzz targets into test/Fuzz/corpus: good files, and the hostile ones of test/BadInput.

    test/Fuzz/make_corpus.py

Inputs that fuzzing found are kept beside them, under names that say what they are.
"""

import json
import os
import re
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "BadInput"))
import cases_cost_graph
import cases_data
import cases_json
import cases_onnx
import cases_solve
from case import INFO, artifact, idx, npy, npz, safetensors, to_json

LIMIT = 4096


def write(target, name, content):
    content = content.encode() if isinstance(content, str) else content
    if len(content) > LIMIT:
        return
    folder = os.path.join(HERE, "corpus", target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")), "wb") as stream:
        stream.write(content)


MANIFEST = to_json({
    "version": 1, "devices": 2, "topology": "cpu-2",
    "tensors": [{"name": "x", "kind": "data", "shape": [4, 2], "dtype": "f32", "sample_dim": 0},
                {"name": "w", "kind": "parameter", "shape": [2], "dtype": "f32", "init": {"base64": "AAAAAAAAAAA="}},
                {"name": "loss", "kind": "loss", "shape": [], "dtype": "f32"}],
    "entries": [{"name": "train_step", "batch": 4,
                 "schedule": [{"name": "a", "kind": "b", "start_ns": 0, "end_ns": 1}],
                 "ranks": [{"device": d, "program": "p", "arena_bytes": 64,
                            "args": [{"tensor": "x", "region": [[[2 * d, 2 * d + 2]], [[0, 2]]]},
                                     {"tensor": "w", "region": [[[0, 2]]], "updated": True}],
                            "results": [{"tensor": "loss", "region": []}],
                            "tasks": [0], "peers": [1 - d], "transfers": [0]} for d in range(2)]}]})




def manifest_in_rows(**columns):
    """Two tasks for each of four microbatches: an op and a message. The schedule has `columns` in place of its own."""
    manifest = json.loads(MANIFEST)
    manifest["version"] = 2
    manifest["entries"][0]["schedule"] = dict({
        "names": ["a[*]", "t:0>1#*.*"], "kinds": ["relu", "transfer"], "shapes": ["relu 5"], "counts": "4 4",
        "durations_ns": "5 2", "shape": "0 -1", "start_ns": "0 3x1+10 4x4+5", "numbers": "0 3x1+1 7 3x1 0 3x1+1",
        "key_block": "1 3x1 2 3x1", "key_task": "0 3x1+1 4x4", "key_step": "0 7x1"}, **columns)
    for d, rank in enumerate(manifest["entries"][0]["ranks"]):
        del rank["tasks"]
        rank.update(slots="%d 1" % (1 - d), peers="0 3x1" if d else "-1 3x1 1 3x1", collectives="-1 3x1" if d else "-1 7x1",
                    transfers="0 3x1+1" if d else "-1 3x1 0 3x1+1")
    return json.dumps(manifest)


def matmul_problem():
    """A product whose weight an update replaces, with a config on its input."""
    def radix(*loops):
        return [{"kind": "radix", "terms": [[loop, 1]]} for loop in loops]

    def node(name, kind, phase, loops, operands, results, linear=False, neutral=0):
        return {"name": name, "kind": kind, "phase": phase, "linear": linear, "allows_empty_operands": False, "flops_per_point": 2,
                "neutral": neutral, "loops": [{"name": n, "extent": e, "type": t, "stage": False} for n, e, t in loops],
                "operands": [{"value": v, "map": m} for v, m in operands],
                "results": [{"value": v, "map": m, "combiner": "sum"} for v, m in results]}
    forward = node("fc", "matmul", "forward", [("m", 8, "parallel"), ("n", 3, "parallel"), ("k", 4, "reduction")],
                   [(0, radix(0, 2)), (1, radix(2, 1))], [(2, radix(0, 1))])
    pool = node("pool", "max_pool2d", "forward", [("n", 8, "parallel"), ("o", 2, "parallel"), ("w", 2, "reduction")],
                [(2, radix(0) + [{"kind": "window", "terms": [[1, 1], [2, 1]], "offset": -1, "clip": 3}])], [(3, radix(0, 1))],
                neutral="-inf")
    update = node("w.sgd", "sgd", "update", [("d0", 4, "parallel"), ("d1", 3, "parallel")], [(1, radix(0, 1))], [(4, radix(0, 1))])
    shapes = [[8, 4], [4, 3], [8, 3], [8, 2], [4, 3]]
    return {"version": 1, "values": [{"name": "v%d" % i, "shape": s, "element_bytes": 4} for i, s in enumerate(shapes)],
            "inputs": [{"value": 0, "config": {"degrees": [2, 1], "replicas": 1, "devices": [0, 1]}},
                       {"value": 1, "update": {"node": 2, "operand": 0, "result": 0}}],
            "nodes": [forward, pool, update],
            "outputs": [{"value": 3, "name": "pool"}, {"value": 4, "name": "w"}],
            "groups": [{"leader": 0, "nodes": [0, 2], "loops": [[0, 1, 2], [2, 1]]}, {"leader": 1, "nodes": [1], "loops": [[0, 1, 2]]}],
            "roles": [["sample", "parameter", "reduction"], ["sample", "attribute", "reduction"], ["reduction", "parameter"]]}


def main():
    by_file = {"train-images-idx3-ubyte": "FuzzIdx", "train-labels-idx1-ubyte": "FuzzIdx", "x_train.npy": "FuzzNpy",
               "d.npz": "FuzzNpz", "w.safetensors": "FuzzSafetensors", "c.safetensors": "FuzzCheckpoint", "t.json": "FuzzTopology", "p.json": "FuzzProfile", "s.json": "FuzzStrategy",
               "m.onnx": "FuzzONNX", "t.txt": "FuzzText"}
    for table in [cases_data, cases_json, cases_onnx]:
        for case in table.CASES:
            for name, content in case.files.items():
                target = by_file.get(os.path.basename(name)) or ("FuzzONNX" if name.endswith(".onnx") else None)
                if target:
                    write(target, case.name, content)
    floats = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
    write("FuzzIdx", "good", idx([2, 3], b"abcdef"))
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    write("FuzzIdx", "good gzip", packer.compress(idx([2, 3], b"abcdef")) + packer.flush())
    for kind, size in [("<f4", 4), ("<f8", 8), ("<i4", 4), ("<i8", 8), ("<u2", 2), ("<u4", 4), ("|u1", 1), ("|i1", 1)]:
        write("FuzzNpy", "good " + kind[1:], npy(floats.replace("<f4", kind), bytes(4 * size)))
    write("FuzzNpz", "good", npz({"x_train": npy(floats, bytes(16)), "y_train": npy(floats, bytes(16))}))
    write("FuzzSafetensors", "good", safetensors({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, bytes(8)))
    write("FuzzTopology", "good", to_json(cases_json.TOPOLOGY))
    write("FuzzProfile", "good", to_json(cases_json.PROFILE))
    write("FuzzStrategy", "good", to_json(cases_json.STRATEGY))
    problem = matmul_problem()
    write("FuzzProblem", "good", json.dumps(problem, separators=(",", ":")))
    for name, path, value in [("a value that no node writes", ["nodes", 0, "operands", 0, "value"], 3),
                              ("a map for a dim too many", ["values", 1, "shape"], [4]),
                              ("an unknown combiner", ["nodes", 1, "results", 0, "combiner"], "mean"),
                              ("a group without its leader", ["groups", 0, "nodes"], [1, 2]),
                              ("a loop of huge extent", ["nodes", 0, "loops", 0, "extent"], 1 << 40),
                              ("a role too few", ["roles", 2], ["parameter"])]:
        write("FuzzProblem", name, json.dumps(cases_json.changed(problem, path, value), separators=(",", ":")))
    write("FuzzPlacement", "good", to_json(cases_solve.PROBLEM))
    for case in cases_solve.CASES:
        if case.name.startswith("placement: ") and not case.name.endswith("gzip file"):
            write("FuzzPlacement", case.name[len("placement: "):], case.files["p.json"])
    write("FuzzCostGraph", "good", to_json(cases_cost_graph.GOOD))
    write("FuzzCostGraph", "a solution", to_json(cases_cost_graph.SOLUTION))
    for case in cases_cost_graph.CASES:
        if list(case.files) == ["i.json"] and len(case.files["i.json"]) < 4000 and case.status == 1:
            write("FuzzCostGraph", case.name, case.files["i.json"])
    write("FuzzText", "good", "Don't panic, 42!\n\nA new paragraph.\n")
    write("FuzzManifest", "good", MANIFEST)
    write("FuzzManifest", "empty", "{}")
    write("FuzzManifest", "rows", manifest_in_rows())
    for name, columns in (("a sequence of 2^60 numbers", {"start_ns": "0 1152921504606846976x1"}),
                          ("a sequence before its begin", {"start_ns": "0 7x2"}),
                          ("a sequence beyond 64 bits", {"key_task": "9223372036854775807 7x1+1"}),
                          ("rows of a million tasks", {"counts": "1048576 1048576", "numbers": "0 3145727x1+1"}),
                          ("rows of too many tasks", {"counts": "4194304 4194304"}),
                          ("rows with many stars", {"names": ["*" * 100, "t"]}),
                          ("tasks at one time", {"start_ns": "0 7x1", "key_block": "0 7x1", "key_task": "0 7x1"})):
        write("FuzzManifest", name, manifest_in_rows(**columns))
    good = artifact([("info", to_json(INFO).encode()), ("manifest", MANIFEST.encode()), ("code", b"\x7fELF\2\1" + bytes(64))])
    write("FuzzArtifact", "good", good)
    write("FuzzArtifact", "version 2", artifact([("info", b"{}")], version=2))
    write("FuzzArtifact", "truncated", good[:100])


if __name__ == "__main__":
    main()
