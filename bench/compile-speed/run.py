#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long compiling takes: an ONNX file to a lowered module for some devices, and the module to machine code.

    bench/compile-speed/run.py BUILD MODEL.onnx... [--devices 4] [--batch N] [--runs 3] [--json FILE]

Prints a table and, with --json, the numbers, after every model. Times are medians over the runs with their range.
"lower" is one process: soap-opt from imported IR through training step, data-parallel strategy, partition and lowering
to lowered IR as text; "import" is soap-translate, "code" soap-translate --emit-artifact, "cached" and "start" soap-run
of one iteration without and with the code in the cache. On a busy machine the processor time (cpu) says more than the
clock (wall).
"""

import argparse
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import built  # noqa: E402
from compile_bench import measure, passes, summary  # noqa: E402


def bench(model, options):
    tool = lambda name: os.path.join(options.build, "bin", name)
    with tempfile.TemporaryDirectory() as folder:
        imported, lowered, artifact = (os.path.join(folder, name) for name in ("m.mlir", "l.mlir", "m.soapx"))
        batch = ["--batch=%d" % options.batch] if options.batch else []
        stages = {
            "import": [tool("soap-translate"), "--import-onnx", model, *batch, "-o", imported],
            "lower": [tool("soap-opt"), imported, "--soap-build-training-step=learning-rate=0.1",
                      "--soap-apply-strategy=preset=data-parallel topology=cpu-%d" % options.devices, "--soap-partition",
                      "--soap-lower-to-cpu", "-mlir-timing", "-mlir-timing-display=list", "-o", lowered],
            "code": [tool("soap-translate"), "--emit-artifact", lowered, "-o", artifact],
        }
        row = {"model": os.path.basename(model), "devices": options.devices}
        for stage, command in stages.items():
            samples = []
            for _ in range(options.runs):
                sample, done = measure(command)
                samples.append(sample)
            row[stage] = summary(samples)
            if stage == "lower":
                row["passes"] = passes(done.stderr.decode(errors="replace"))
                row["lowered_bytes"] = os.path.getsize(lowered)
        row["artifact_bytes"] = os.path.getsize(artifact)
        environment = dict(os.environ, SOAP_CACHE_DIR=os.path.join(folder, "cache"))
        train = [tool("soap-run"), "train", lowered, "--data=synthetic", "--iterations=1", "--quiet", "--init=he",
                 "--timeout=600", "--allow-nonfinite"]
        row["start"] = summary([measure(train + ["--no-cache"], environment)[0] for _ in range(options.runs)])
        measure(train, environment)
        row["cached"] = summary([measure(train, environment)[0] for _ in range(options.runs)])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    options = parser.parse_args()
    built.programs(options.build, "soap-translate", "soap-opt", "soap-run")
    options.build = os.path.abspath(options.build)
    stages = ["import", "lower", "code", "start", "cached"]
    print("| model | devices | " + " | ".join(stages) + " |\n|---|---|" + "---|" * len(stages))
    rows = []
    for model in options.models:
        row = bench(model, options)
        rows.append(row)
        cells = ["%.2f (%.2f)" % (row[stage]["wall"]["median"], row[stage]["cpu"]["median"]) for stage in stages]
        print("| %s | %d | %s |" % (row["model"], row["devices"], " | ".join(cells)), flush=True)
        if options.json:
            with open(options.json, "w") as stream:
                json.dump({"version": 1, "unit": "s", "runs": options.runs, "rows": rows}, stream, indent=1)
    print("\nSeconds of the clock, in brackets of the processor; medians of %d runs." % options.runs)
    for row in rows:
        print("\n%s, passes: " % row["model"] +
              ", ".join("%s %.3f" % item for item in sorted(row["passes"].items(), key=lambda item: -item[1])[:8]))


if __name__ == "__main__":
    main()
