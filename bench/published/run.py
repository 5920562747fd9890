#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published training runs beside the same plans simulated for the executor that ran them.

    bench/published/run.py BUILD [--runs FILE] [--only TEXT] [--executor NAME=FILE] [--json FILE] [--svg FILE]
    bench/published/run.py BUILD --fit EXECUTOR [--every N]

The table has, by source, how many rows Soap can say, the error |simulated / published - 1| of the time in the median
and at the 90th percentile, Kendall's tau, runs that ran and are said not to fit, and the error of memory where it is
published. A row that Soap cannot say is counted with its reason.

--fit finds the constants of an executor on the rows of FILE (docs/Executors.md): it changes each constant a little,
and solves for the logarithms of the ratios to be 0 (least squares, each constant held near its last value). --every N
takes each N-th row.
"""

import argparse
import collections
import concurrent.futures
import csv
import hashlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import built  # noqa: E402
from rows import Row, Unsaid, megatron_rows  # noqa: E402

RUNS = os.path.join(built.ROOT, "..", "shared", "data", "published", "train-runs.csv")
SECONDS = 600


class Simulations:
    """Runs soap-plan-hybrid on rows; steps of equal models are built once."""

    def __init__(self, build, folder):
        self.translate, self.opt = built.programs(build, "soap-translate", "soap-opt")
        self.folder, self.steps, self.topologies = folder, {}, {}
        self.reports, self.lock = {}, threading.Lock()  # of equal rows: one; by command

    def run(self, command):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            raise Unsaid((errors or [done.stderr[-200:] or f"exit {done.returncode}"])[0].split("error: ")[-1][:200])
        return done

    def path(self, *key):
        return os.path.join(self.folder, hashlib.sha256(repr(key).encode()).hexdigest()[:16])

    def step(self, row):
        key = (*row.generator(), row.step(), row.step_batch())
        if key not in self.steps:
            forward, step = self.path(key) + ".mlir", self.path(key) + "-step.mlirbc"
            self.run([self.translate, *row.generator(), f"--batch={row.step_batch()}", "-o", forward])
            self.run([self.opt, forward, f"--soap-build-training-step={row.step()}", "--emit-bytecode", "-o", step])
            os.remove(forward)
            self.steps[key] = step
        return self.steps[key]

    def topology(self, row):
        name, changes = row.topology(), row.changes()
        if not changes:
            return name
        path = self.path(name, sorted(changes.items())) + ".json"
        if path not in self.topologies:
            text = self.run([self.translate, f"--describe-topology={name}", "--topology-as=json"]).stdout
            made = json.loads(text)
            for kind in made["device_types"]:
                kind.update(changes)
            with open(path, "w") as stream:
                json.dump(made, stream)
            self.topologies[path] = name
        return path

    def executor(self, row, constants):
        """A name, or a file with other constants."""
        changes = {**constants.get(row.executor(), {}), **row.executor_changes()}
        if not changes:
            return row.executor()
        path = self.path(row.executor(), sorted(changes.items())) + ".json"
        with open(path, "w") as stream:
            json.dump({"version": 1, "name": "here", "base": row.executor(), **changes}, stream)
        return path

    def simulate(self, row, constants):
        """The best plan of the report, and bytes that are held; or why not."""
        try:
            reports = [self.report(row, constants, row.plan(samples)) for samples in row.choices()
                       if row.batch * row.tensor * row.stages * row.context % (row.gpus * samples) == 0]
        except Unsaid as why:
            return str(why)
        return min(reports, key=lambda report: (report["best"]["excess_bytes"], report["best"]["makespan_ns"]))

    def report(self, row, constants, plan):
        options = (f"topology={self.topology(row)} executor={self.executor(row, constants)} batch={row.batch} "
                   f"plan={plan} summary=false time-limit={SECONDS}")
        key = (self.step(row), options)
        with self.lock:
            lock = self.reports.setdefault(key, [threading.Lock(), None])
        with lock[0]:
            if lock[1] is None:
                with tempfile.NamedTemporaryFile(suffix=".json", dir=self.folder) as report:
                    self.run([self.opt, key[0], f"--soap-plan-hybrid={options} report={report.name}", "-o", os.devnull])
                    lock[1] = json.load(open(report.name))
            return lock[1]


def kendall(pairs):
    """Tau-b of pairs (published, simulated)."""
    agree = ties = both = 0
    for i, (a, b) in enumerate(pairs):
        for c, d in pairs[:i]:
            left, right = (a > c) - (a < c), (b > d) - (b < d)
            agree += left * right
            ties += left != 0
            both += right != 0
    return agree / math.sqrt(ties * both) if ties and both else float("nan")


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def simulate_all(simulations, rows, constants):
    # Steps first, one at a time: rows share them.
    for row in rows:
        try:
            row.plan()
            simulations.step(row)
        except Unsaid:
            pass
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda row: simulations.simulate(row, constants), rows))


def result_of(row, report):
    result = {"row": row.place, "source": row.source, "what": str(row), "published_ns": row.nanoseconds,
              "published_gib": row.gib}
    if isinstance(report, str):
        return {**result, "unsaid": report}
    best = report["best"]
    return {**result, "simulated_ns": best["makespan_ns"], "ratio": best["makespan_ns"] / row.nanoseconds,
            "gib": best["held_bytes"] / 2 ** 30, "fits": best["excess_bytes"] == 0,
            "excess_gib": best["excess_bytes"] / 2 ** 30, "simulated_microbatches": best["simulated_microbatches"],
            "plan": best["plan"], "bubble": best["bubble"]}


def table(results):
    sources = collections.defaultdict(list)
    for result in results:
        sources[result["source"]].append(result)
    sources["all"] = results
    lines = ["| source | rows | said | median error | 90th percentile | median ratio | tau | do not fit | memory |",
             "|---|---|---|---|---|---|---|---|---|"]
    for source, of in sources.items():
        said = [result for result in of if "ratio" in result]
        if not said:
            lines.append(f"| {source} | {len(of)} | 0 | | | | | | |")
            continue
        errors = [100 * abs(result["ratio"] - 1) for result in said]
        memory = [100 * abs(result["gib"] / result["published_gib"] - 1) for result in said if result["published_gib"]]
        tau = kendall([(result["published_ns"], result["simulated_ns"]) for result in said])
        lines.append(f"| {source} | {len(of)} | {len(said)} | {statistics.median(errors):.1f} % | {quantile(errors, .9):.1f} % | "
                     f"{statistics.median(result['ratio'] for result in said):.2f} | {tau:.2f} | "
                     f"{sum(not result['fits'] for result in said)} | "
                     f"{f'{statistics.median(memory):.0f} %' if memory else ''} |")
    return "\n".join(lines)


def figure(results, path):
    """Published and simulated tokens a second and GPU of all rows, on logarithmic axes."""
    import html
    said = [result for result in results if "ratio" in result]
    points = [(result["published_ns"] * 1e-9, result["simulated_ns"] * 1e-9, result) for result in said]
    low = math.log10(min(min(a, b) for a, b, _ in points)) - .1
    high = math.log10(max(max(a, b) for a, b, _ in points)) + .1
    size, edge = 520, 60
    scale = (size - 2 * edge) / (high - low)
    colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
    families = sorted({result["source"].split(" ")[0] for result in said})
    at = lambda value: edge + (math.log10(value) - low) * scale  # noqa: E731
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>']
    for power in range(math.ceil(low), math.floor(high) + 1):
        x = at(10.0 ** power)
        out.append(f'<path d="M{x:.1f} {edge}V{size - edge}M{edge} {size - x:.1f}H{size - edge}" stroke="#ddd"/>'
                   f'<text x="{x:.1f}" y="{size - edge + 16}" text-anchor="middle">{10.0 ** power:g} s</text>'
                   f'<text x="{edge - 6}" y="{size - x + 4:.1f}" text-anchor="end">{10.0 ** power:g} s</text>')
    out.append(f'<path d="M{edge} {size - edge}L{size - edge} {edge}" stroke="#666"/>')
    for a, b, result in points:
        color = colors[families.index(result["source"].split(" ")[0]) % len(colors)]
        out.append(f'<circle cx="{at(a):.1f}" cy="{size - at(b):.1f}" r="3" fill="{color}" fill-opacity="0.6">'
                   f'<title>{html.escape(result["what"])}: {result["ratio"]:.2f}</title></circle>')
    for i, family in enumerate(families):
        out.append(f'<circle cx="{edge + 12}" cy="{edge + 12 + 18 * i}" r="4" fill="{colors[i % len(colors)]}"/>'
                   f'<text x="{edge + 22}" y="{edge + 16 + 18 * i}">{html.escape(family)}</text>')
    out.append(f'<text x="{size / 2}" y="{size - 14}" text-anchor="middle">an iteration, published</text>'
               f'<text transform="translate(16 {size / 2}) rotate(-90)" text-anchor="middle">simulated</text></svg>')
    with open(path, "w") as stream:
        stream.write("\n".join(out) + "\n")


# Constants, their first values, and how far a fit changes them to see what they do.
CONSTANTS = {"products": 1.0, "attention": 1.0, "others": 1.0, "attention_flops_per_s": 3.5e14, "dispatch_s": 5e-6}


def fit(simulations, rows, executor, steps=3):
    rows = [row for row in rows if row.executor() == executor]
    values = dict(CONSTANTS)
    ratios = lambda changed: [math.log(result["ratio"]) if "ratio" in result else None for result in  # noqa: E731
                              map(result_of, rows, simulate_all(simulations, rows, {executor: changed}))]
    import numpy
    for step in range(steps):
        base = ratios(values)
        said = [i for i, ratio in enumerate(base) if ratio is not None]
        error = [base[i] for i in said]
        print(f"# {values}: {len(said)} rows, median error {100 * statistics.median(abs(math.expm1(e)) for e in error):.1f} %",
              flush=True)
        change = 1.15
        columns = []
        for name in values:
            other = ratios({**values, name: values[name] * change})
            columns.append([(other[i] - base[i]) / math.log(change) for i in said])
        # Iterated weights: near to least absolute errors. The last rows hold constants that nothing tells.
        matrix, wanted = numpy.array(columns).T, -numpy.array(error)
        hold, weights = 0.3, numpy.ones(len(wanted))
        for _ in range(20):
            both = numpy.vstack([matrix * weights[:, None], hold * numpy.eye(len(values))])
            found = numpy.linalg.lstsq(both, numpy.concatenate([wanted * weights, numpy.zeros(len(values))]), rcond=None)[0]
            weights = 1 / numpy.sqrt(numpy.abs(wanted - matrix @ found) + 0.02)
        for name, moved in zip(values, found):
            values[name] *= math.exp(max(min(moved, 0.5), -0.5))
            values[name] = float(f"{values[name]:.3g}")
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--runs", default=RUNS, help="rows as CSV")
    parser.add_argument("--only", default="", help="rows whose source or text has this")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--executor", action="append", default=[], metavar="NAME=FILE", help="JSON with other constants")
    parser.add_argument("--fit", metavar="EXECUTOR")
    parser.add_argument("--json")
    parser.add_argument("--svg")
    options = parser.parse_args()
    try:
        with open(options.runs) as stream:
            rows = [Row(fields, place) for place, fields in enumerate(csv.DictReader(stream), 1)]
        with open(os.path.join(HERE, "megatron.csv")) as stream:
            rows += [Row(fields, f"megatron {i}") for i, fields in enumerate(megatron_rows(csv.DictReader(stream)), 1)]
    except OSError as error:
        sys.exit(f"{error}, expected published runs as CSV: --runs FILE")
    rows = [row for row in rows if options.only in row.source or options.only in str(row)][::options.every]
    constants = {name: json.load(open(file)) for name, file in (entry.split("=", 1) for entry in options.executor)}
    with tempfile.TemporaryDirectory() as folder:
        simulations = Simulations(options.build, folder)
        if options.fit:
            print(json.dumps(fit(simulations, rows, options.fit)))
            return 0
        results = [result_of(row, report) for row, report in zip(rows, simulate_all(simulations, rows, constants))]
    for result in results:
        if "ratio" in result:
            fits = "" if result["fits"] else f", does not fit by {result['excess_gib']:.1f} GiB"
            memory = f" of {result['published_gib']:.0f}" if result["published_gib"] else ""
            print(f"{result['ratio']:.2f}  {result['gib']:.0f}{memory} GiB{fits}  {result['what']}: {result['plan']}")
    reasons = collections.Counter(result["unsaid"] for result in results if "unsaid" in result)
    for why, count in reasons.most_common():
        print(f"# not said, {count}: {why}")
    print()
    print(table(results))
    if options.json:
        with open(options.json, "w") as stream:
            json.dump(results, stream, indent=1)
    if options.svg:
        figure(results, options.svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
