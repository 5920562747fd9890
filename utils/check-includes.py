#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that includes between the folders of lib/ and include/Soap point downwards.

    utils/check-includes.py [--graph]

The folders of the core build on each other in the order of CORE, and on nothing else. The folders of the runtime build
on each other in the order of RUNTIME, on the core, and on the folders of BELOW_RUNTIME. Other folders may include each
other as long as there is no cycle. A folder of lib/ and the one of the same name in include/Soap are one. A header of
include/Soap is of use outside of its folder and that folder's unit tests, or a header there needs it; the others belong
to lib/. --graph prints the includes between folders.
The last line is "N passed, N failed": one check per folder.
"""
import os
import re
import sys
from collections import defaultdict

CORE = ["Support", "Model", "Profile", "Topology", "Cost", "Plan", "Bounds", "Simulator", "Memory", "Mesh", "Mesh/Symmetry", "Pipeline"]
BELOW_RUNTIME = ["ABI", "Artifact"]
RUNTIME = ["Runtime/" + name for name in ("Artifact", "Data", "Processes", "Kernels", "Backend", "Transport", "Execution", "Training", "MPI", "CuDNN", "CUDA")]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"')


def sources():
    """Path of every header and source, relative to the root."""
    for base in ("include/Soap", "lib"):
        for folder, _, names in os.walk(os.path.join(ROOT, base)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp", ".c", ".cu")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def folder_of(path):
    """`Search/MCMC` of both include/Soap/Search/MCMC/MCMC.h and lib/Search/MCMC/MCMC.cpp."""
    return os.path.dirname(path).removeprefix("include/Soap").removeprefix("lib").strip("/")


def edges_of(files):
    """(folder, folder) -> places, as "file: includes file"."""
    known = set(files)
    edges = defaultdict(list)
    for path in files:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            for line in file:
                match = INCLUDE.match(line)
                if not match:
                    continue
                name = match[1]
                candidates = (os.path.normpath(os.path.join(os.path.dirname(path), name)), "include/" + name, "lib/" + name)
                target = next((c for c in candidates if c in known), None)
                if target and folder_of(target) != folder_of(path):
                    edges[folder_of(path), folder_of(target)].append(f"{path}: includes {name}")
    return edges


def private_headers(files):
    """Headers of include/Soap that only their own folder and its unit tests include."""
    users = defaultdict(set)
    for base in ("include", "lib", "tools", "unittests", "bench", "examples", "test"):
        for folder, _, names in os.walk(os.path.join(ROOT, base)):
            for name in names:
                if not name.endswith((".h", ".cpp", ".c", ".cu")):
                    continue
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
                    for match in map(INCLUDE.match, file):
                        if match:
                            users[match[1]].add(path)
    found = []
    for header in files:
        part = folder_of(header).split("/")[0]
        own = tuple(f"{base}/{part}/" for base in ("lib", "unittests"))
        if header.startswith("include/") and part and all(
                user.startswith(own) for user in users[header.removeprefix("include/")]):
            found.append(header)
    return found


def points_up(source, target):
    """Whether the order of folders forbids an include."""
    if source in CORE:
        return target not in CORE or CORE.index(target) > CORE.index(source)
    if source in RUNTIME:
        if target in RUNTIME:
            return RUNTIME.index(target) > RUNTIME.index(source)
        return target not in CORE + BELOW_RUNTIME
    return False


def components(nodes, successors):
    """Strongly connected components (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in successors[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            found.append(sorted(component))

    for node in nodes:
        if node not in index:
            visit(node)
    return found


def main():
    files = list(sources())
    edges = edges_of(files)
    folders = sorted({folder_of(path) for path in files} - {""})
    if "--graph" in sys.argv[1:]:
        for folder in folders:
            print(f"{folder}: {' '.join(b for a, b in sorted(edges) if a == folder)}")
    failures = defaultdict(list)
    for folder in folders:
        if folder.split("/")[0] == "Runtime" and folder not in RUNTIME:
            failures[folder].append(f"{folder}: expected one of {', '.join(RUNTIME)}")
    for (source, target), places in sorted(edges.items()):
        if points_up(source, target):
            failures[source] += [f"{place}, which is above" for place in places]
    successors = {folder: [b for a, b in sorted(edges) if a == folder and b] for folder in folders}
    for component in components(folders, successors):
        for source in component:
            for target in component:
                if (source, target) in edges and source != target:
                    failures[source] += [f"{place}, in a cycle of {', '.join(component)}" for place in edges[source, target]]
    for header in private_headers(files):
        failures[folder_of(header)].append(
            f"{header}: nothing outside of its folder includes it, expected it in lib/")
    for folder in folders:
        for failure in failures[folder]:
            print(f"check-includes: {failure}")
    failed = sum(1 for folder in folders if failures[folder])
    print(f"{len(folders) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
