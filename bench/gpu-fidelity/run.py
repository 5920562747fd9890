#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares simulated iterations with the iterations of a GPU that scripts/check-gpu.sh measured.

run.py BUILD DIR RESULTS.json [--calibration NAME] [--within 0.1] [--json FILE]

DIR is the folder of scripts/make-gpu-artifacts.sh; RESULTS.json what check-gpu.sh wrote with --json, with its parts
calibration and training: NAME.topology.json and NAME.profile.json (default: RESULTS) lie beside it. For each row of the
part `training` that is no variant, the training step with its strategy (DIR/training/steps) is simulated with
--soap-simulate on that GPU. A table of both, and how many are within 10 %; exit status 1 if there is nothing to
compare.

Precisions: the step gets the row's precision (--soap-set-precision), so products are priced by its times. What bf16
rounds on the way has no price. Devices that are virtual ones of one GPU share it: all kernels of all devices one after
the other, and messages as the transport makes them there - copies of the device: two of each message, and of a
collective the copies of its parts, with the additions (docs/GPUChecks.md)."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def load(path):
    try:
        with open(path) as stream:
            return json.load(stream)
    except OSError as error:
        raise Failure("%s: %s" % (path, error.strerror))
    except ValueError as error:
        raise Failure("%s: expected JSON: %s" % (path, error))


class Gpu:
    """The calibrated device: topologies of several of it, and what its copies take."""

    def __init__(self, name):
        self.topology = load(name + ".topology.json")
        self.type = dict(self.topology["device_types"][0])
        self.profile = None
        if self.type.get("profile"):
            self.profile = load(os.path.join(os.path.dirname(name), self.type["profile"]))

    def write(self, folder, devices):
        """Topology and profile of as many such devices, as files."""
        kind = dict(self.type)
        if self.profile:
            kind["profile"] = os.path.join(folder, "gpu.profile.json")
            with open(kind["profile"], "w") as stream:
                json.dump(self.profile, stream)
        link = dict(self.topology["links"][0]) if self.topology["links"] else {"bandwidth_bytes_per_s": 4.5e11, "latency_s": 1e-6}
        names = ["gpu%d" % i for i in range(devices)]
        links = [{"from": a, "to": b, "bandwidth_bytes_per_s": link["bandwidth_bytes_per_s"], "latency_s": link["latency_s"]}
                 for name in names for a, b in ((name, "switch"), ("switch", name))]
        path = os.path.join(folder, "gpu.topology.json")
        with open(path, "w") as stream:
            json.dump({"version": 1, "name": "gpu-%d" % devices, "device_types": [kind],
                       "devices": [{"name": name, "type": kind["name"]} for name in names], "switches": [{"name": "switch"}], "links": links}, stream)
        return path

    def copy_ns(self, size):
        """A copy of so many bytes on the device: between the measured ones linear, beyond them by their last
        bandwidth."""
        tables = [table["entries"] for table in (self.profile or {}).get("tables", []) if table["op"] == "assemble"]
        points = sorted([entry[-2], entry[-1]] for entry in tables[0]) if tables else []
        if not points:
            return self.type.get("launch_s", 0) * 1e9 + 2e9 * size / self.type["memory_bandwidth_bytes_per_s"]
        if size <= points[0][0] or len(points) == 1:
            return points[0][1]
        upper = next((i for i, point in enumerate(points) if point[0] >= size), len(points) - 1)
        (x0, y0), (x1, y1) = points[upper - 1], points[upper]
        return y0 + (y1 - y0) * (size - x0) / (x1 - x0)

    def add_ns(self, size):
        """to += from: three accesses for two."""
        return 1.5 * self.copy_ns(size)

    def exchange_ns(self, exchange):
        """All copies of an exchange between virtual devices, as the device's transport makes them
        (lib/Runtime/Transport/DeviceCollectives.cpp)."""
        n, moved, pattern = len(exchange["devices"]), exchange["bytes"], exchange["pattern"]
        copy, add = self.copy_ns, self.add_ns
        fold = lambda size: copy(size) + (n - 1) * add(size) + (n - 2) * copy(size)
        if n < 2:
            return 0
        if pattern == "all-reduce":
            part = moved / (2 * (n - 1)) / n
            return n * (fold(part) + n * copy(part))
        if pattern == "reduce-scatter":
            return n * fold(moved / (n - 1) / n)
        if pattern == "reduce":
            return fold(moved / (n - 1))
        if pattern == "all-gather":
            return n * n * copy(moved / (n - 1) / n)
        if pattern == "broadcast":
            return (n - 1) * copy(moved / (n - 1))
        return 2 * n * copy(moved / n)


def simulate(options, gpu, row, how):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [os.path.join(options.build, "bin", "soap-opt"), os.path.join(options.directory, "training", how["step"]),
                   "--soap-set-precision=precision=" + row["precision"],
                   "--soap-simulate=report=%s compare=none topology=%s" % (report, gpu.write(folder, row["devices"])),
                   "-o", os.devnull]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failure("%s: %s" % (" ".join(command), done.stdout[-1500:]))
        numbers = load(report)
    if row["devices"] == 1:
        return numbers["makespan_ns"] * 1e-6
    return (numbers["compute_ns"] + numbers["movement_ns"] + sum(map(gpu.exchange_ns, numbers["exchanges"]))) * 1e-6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("directory")
    parser.add_argument("results")
    parser.add_argument("--calibration", default="")
    parser.add_argument("--within", type=float, default=0.1)
    parser.add_argument("--json", default="")
    options = parser.parse_args()
    if not os.access(os.path.join(options.build, "bin", "soap-opt"), os.X_OK):
        raise Failure("%s: expected a build with bin/soap-opt" % options.build)
    measured = [row for row in load(options.results).get("checks", []) if row.get("part") == "training" and "soap_ms" in row and not row.get("variant")]
    if not measured:
        raise Failure("%s: no milliseconds of the part 'training', expected what check-gpu.sh --json wrote" % options.results)
    gpu = Gpu(options.calibration or options.results.removesuffix(".json"))
    print("%-13s %5s %7s %-13s %13s %12s %8s" % ("network", "", "devices", "strategy", "simulated ms", "measured ms", "error"))
    rows = []
    for row in measured:
        simulated = simulate(options, gpu, row, load(os.path.join(options.directory, "training", row["name"] + ".json")))
        error = simulated / row["soap_ms"] - 1
        rows.append({**{key: row[key] for key in ("name", "network", "precision", "devices", "strategy")}, "simulated_ms": simulated,
                     "measured_ms": row["soap_ms"], "error": error})
        print("%-13s %5s %7d %-13s %13.3f %12.3f %+7.1f%%" % (row["network"], row["precision"], row["devices"], row["strategy"], simulated,
                                                           row["soap_ms"], 100 * error), flush=True)
    errors = [abs(row["error"]) for row in rows]
    close = sum(error <= options.within for error in errors)
    print("error: median %.1f%%, worst %.1f%%; %d of %d within %g%%" % (
        100 * statistics.median(errors), 100 * max(errors), close, len(errors), 100 * options.within))
    if options.json:
        with open(options.json, "w") as stream:
            json.dump({"version": 1, "within": options.within, "close": close, "rows": rows}, stream, indent=1)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit("gpu-fidelity: %s" % failure)
