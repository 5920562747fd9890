#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frontiers of memory and time: the experiments of section 5 of the TensorOpt paper (Cai et al., 2020).

    bench/frontier/run.py BUILD FOLDER [--only transformer ...] [--parts speed spaces limits topologies fewest]
                          [--threads 2] [--reuse]

speed       each network on 4 to 32 devices: seconds of all parts, how exact, peak memory (Table 3, Figure 8);
            "CPU s" is of all threads and the reading of the file, for machines that are not idle
spaces      on 16 devices, beside data parallelism, OptCNN, ToFu and Mesh-TensorFlow as restrictions (Figure 6)
limits      the least time within limits of memory, on 16 devices
topologies  the transformer on faster and slower networks (Figure 7 b and c)
fewest      the fewest devices for a limit, checked against every smaller number
Tables go to standard output, drawings (SVG) and figures (JSON) to FOLDER. Programs of BUILD are brought up to date
first.
Exits with 1 if a restricted space has a point that is better in both than all of the whole space.
"""

import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402

# Network, generator, batch, options. The batch is that of the paper; the sizes are those at which one device of 16 GB
# is not enough.
NETWORKS = {
    "rnn": ("rnnlm", 256, "hidden=8192,vocabulary=32000"),
    "wide-resnet": ("wide-resnet", 256, "factor=8"),
    "transformer": ("gpt", 128, "layers=24,heads=32,length=128"),
    "vgg16": ("vgg16", 256, ""),
}
SIZES = ["v100-1x4", "v100-1x8", "v100-2x8", "v100-4x8"]
LIMITS = [2, 4, 6, 8, 12, 16]
failures = []


def problem(args, name):
    """Writes the training step of a network as a problem; the path."""
    path = os.path.join(args.folder, f"{name}.problem.json")
    model, batch, options = NETWORKS[name]
    command = [os.path.join(args.build, "bin", "soap-translate"), f"--generate={model}", f"--batch={batch}"]
    if options:
        command.append(f"--option={options}")
    forward = subprocess.run(command, check=True, capture_output=True).stdout
    subprocess.run([os.path.join(args.build, "bin", "soap-opt"), "-", "--soap-build-training-step",
                    f"--soap-print-op-graph=problem={path}", "-o", os.devnull], input=forward, check=True)
    return path


def frontier(args, path, *options):
    command = [os.path.join(args.build, "bin", "bench", "Frontier"), path, *options, f"--threads={args.threads}", *(["--reuse"] if args.reuse else [])]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def cell(point):
    memory, time = (point["memory_bytes"], point["time_ns"]) if isinstance(point, dict) else point
    return f"{memory * 1e-9:.2f} GB, {time * 1e-6:.1f} ms"


def speed(args, name, path):
    for topology in SIZES:
        found = frontier(args, path, topology)["results"][0]
        one = found["frontiers"][-1]
        exact = "exact" if one["guaranteed"] and one["error_bound"] == 0 else \
            f"within {one['error_bound']:.2g}" if one["guaranteed"] else "heuristic"
        tied = ", layers tied" if one["tied_layers"] else ""
        points = one["points"]
        print(f"| {name} | {topology} | {one['nodes']} | {one['configs']} | {one['priced_pairs']} of {one['pairs']} | {one['price_seconds']:.2f} | "
              f"{one['track_seconds']:.2f} | {one['simulate_seconds']:.2f} | {found['seconds']:.2f} | {found['cpu_seconds']:.2f} | {exact}{tied} | "
              f"{one['peak_bytes'] * 1e-6:.0f} / {found['process_peak_bytes'] * 1e-6:.0f} | {one['tracked']} | {len(points)} | {cell(points[0])} | "
              f"{cell(points[-1])} | {found['data_parallel_ns'] * 1e-6:.1f} |", flush=True)
        yield {"network": name, **found}


def spaces(args, name, path):
    svg = os.path.join(args.folder, f"{name}.spaces.svg")
    found = frontier(args, path, "v100-2x8", "--spaces", f"--svg={svg}", f"--title={name} on v100-2x8, by search space")
    whole = found["curves"][0]["points"]
    for curve in found["curves"]:
        points = curve["points"]
        for memory, time in points:
            if not any(own[0] <= memory and own[1] <= time for own in whole):
                failures.append(f"{name}: {cell((memory, time))} of {curve['label']} is better than all of the whole space")
        print(f"| {name} | {curve['label']} | {len(points)} | {cell(points[0])} | {cell(points[-1])} |", flush=True)
        yield {"network": name, **curve}


def limits(args, name, path):
    points = frontier(args, path, "v100-2x8")["results"][0]["frontiers"][-1]["points"]
    row = []
    for limit in LIMITS:
        fitting = [point["time_ns"] for point in points if point["memory_bytes"] <= limit * 1e9]
        row.append(f"{min(fitting) * 1e-6:.1f}" if fitting else "-")
    print(f"| {name} | " + " | ".join(row) + " |", flush=True)
    yield {"network": name, "limits_gb": LIMITS, "ms": row}


def topologies(args, name, path):
    if name != "transformer":
        return
    for title, names in (("network", ["p3-2x8", "v100-2x8", "dgx1-2x8"]), ("intra-machine", ["pcie-1x8", "v100-1x8"])):
        svg = os.path.join(args.folder, f"{name}.{title}.svg")
        for curve in frontier(args, path, *names, f"--svg={svg}", f"--title={name}, by topology ({title})")["curves"]:
            points = curve["points"]
            print(f"| {title} | {curve['label']} | {len(points)} | {cell(points[0])} | {cell(points[-1])} |", flush=True)
            yield {"network": name, "title": title, **curve}


def fewest(args, name, path):
    for limit in (4, 8, 16):
        found = frontier(args, path, "v100-4x8", "--mode=mini-parallelism", f"--limit={limit * 10 ** 9}")["results"][0]
        smaller = [one for one in found["frontiers"] if one["devices"] < found["devices"]]
        least = ", ".join(f"{one['devices']}: {one['points'][0]['memory_bytes'] * 1e-9:.2f}" if one["points"] else
                          f"{one['devices']}: > {one['least_bytes'] * 1e-9:.2f}" for one in smaller)
        print(f"| {name} | {limit} GB | {found['devices'] or '-'} | {least} | {found['seconds']:.1f} |", flush=True)
        yield {"network": name, **found}


HEADS = {
    "speed": ["network", "topology", "nodes", "configs", "priced pairs", "pricing s", "tracking s", "simulating s", "all s", "CPU s", "frontier",
              "tables / process MB", "tracked", "points", "least memory", "least time", "data parallel ms"],
    "spaces": ["network", "space", "points", "least memory", "least time"],
    "limits": ["network"] + [f"{limit} GB, ms" for limit in LIMITS],
    "topologies": ["what", "topology", "points", "least memory", "least time"],
    "fewest": ["network", "limit", "devices", "least GB of fewer devices", "seconds"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="*", default=list(NETWORKS))
    parser.add_argument("--parts", nargs="*", default=list(HEADS))
    parser.add_argument("--reuse", action="store_true", help="search tensor reuse, too (soap.keep)")
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    unknown = (set(args.only) - set(NETWORKS)) | (set(args.parts) - set(HEADS))
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}")
    built.programs(args.build, "soap-translate", "soap-opt", "bench/Frontier")
    paths = {name: problem(args, name) for name in args.only}
    for part in args.parts:
        print("\n| " + " | ".join(HEADS[part]) + " |\n" + "|---" * len(HEADS[part]) + "|", flush=True)
        rows = [row for name in args.only for row in globals()[part](args, name, paths[name])]
        with open(os.path.join(args.folder, f"{part}.json"), "w") as stream:
            json.dump(rows, stream, indent=1)
    return "\n".join(failures) or 0


if __name__ == "__main__":
    sys.exit(main())
