#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of scripts/check-gpu.sh, once the runtime is built: artifacts on one GPU, beside their host references.

    check-gpu.py SOAP_RUN DIR [--json=FILE] [--resume] [--minutes=N] [--limit=600] [--jobs=N] [--only=PART,..]
                 [--iterations=3] [--timed=20] [--tolerance=1e-3] [--fashion-mnist=DIR] [--epochs=8] [--accuracy=0.88]
                 [--sanitizer=PROGRAM] [--flags=TEXT] [--calibration=NAME] [--calibration-work=N] [--networks=NAME,..]
                 [--training-iterations=100] [--python=PYTHON] [--torch-flags=TEXT] [--check-work=N]

Prints a row per check and a table at the end; --json keeps all of it, after every row. Parts, in this order, each left
out with a line where its means are missing; where one fails, the next one begins:

  kernel       DIR/kernel.soapx: one launch of one generated kernel, compared with its host reference
  calls        the first iteration of DIR/*.soapx and, at the sizes of the networks, of DIR/training/*.soapx on one
               device (--networks as below): each library call of a shape, and each launch that has a host reference,
               is computed on the host, too (soap-run check --check-calls; --check-work). The row names the op, the call
               and the error of the first one that differs; --json has all of them
  accuracy     DIR/lenet-1.soapx on the Fashion-MNIST files of --fashion-mnist (default: DIR/fashion-mnist), up to
               --epochs: at least --accuracy of the test set
  artifacts    DIR/*.soapx, small files first: weights after a few iterations against the host references' (--iterations
               and --tolerance, or "iterations" and "tolerance" of a .json beside it); with and without CUDA graphs the
               same bits; milliseconds
  training     DIR/training/*.soapx (utils/gpu-training.py): milliseconds of a training iteration in tf32 and bf16, the
               median and the best; rows of one device beside the same network in PyTorch
               (bench/training/torch_step.py), where PYTHON (default: this one) has it and it sees a GPU. Both
               precisions have about the same loss. Each artifact is a row; --networks=alexnet,rnnlm takes part of them
  cases        DIR/cases/*.soapx (utils/gpu-cases.py): weights against the unsharded reference's
  memcheck     compute-sanitizer on the small artifacts: memory, races between host and device, uninitialized reads
  calibration  soap-run calibrate --backend cuda -o NAME (default: the name of --json without .json), and its peaks
  memory       DIR/memory/*.soapx, which no GPU holds: a message with the table of the largest tensors, in bounded time

--jobs: so many cases, and artifacts under compute-sanitizer, at a time; times are taken with nothing beside them.
--minutes: no check begins after so many. --resume: passed checks and other parts of the file of --json stay; the rest
is run. --limit: seconds that one command may take. The last line is "N passed, N failed", the exit status 0 if all
have begun, none failed and some passed."""

import argparse
import glob
import json
import math
import os
import re
import shutil
import signal
import sys

import check_gpu_tables
import processes
from check_rows import Failure, Rows, read

HERE = os.path.dirname(os.path.realpath(__file__))
PARTS = ["kernel", "calls", "accuracy", "artifacts", "training", "cases", "memcheck", "calibration", "memory"]
TORCH_STEP = os.path.join(os.path.dirname(HERE), "bench", "training", "torch_step.py")
NO_TORCH = 3  # exit status of torch_step.py
CPU, GPU = ["--backend", "cpu"], ["--backend", "cuda", "--virtual-devices"]
# Elements of tensors that are smaller count as if they were this large: the gradient of the bias of attention's keys is
# 0, and what it comes to is rounding, some 1e-8 in every order of sums.
FLOOR = 1e-3
# Mean losses of the same iterations in two precisions.
PRECISIONS_APART = 0.05


def lines_of(text):
    return [line for line in text.strip().split("\n") if line and not line.startswith("fake cuda:")]


def last_line(text):
    return (lines_of(text) or ["no output"])[-1]


def last_object(text):
    """The last line that is a JSON object: PyTorch's numbers grow with each mode."""
    for line in reversed(lines_of(text)):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return None


def name_of(artifact):
    return os.path.basename(artifact)[:-6]


class Checks:
    def __init__(self, options, rows):
        self.options, self.rows = options, rows

    def command(self, artifact, data, flags, command="train"):
        return [self.options.run, command, artifact, "--data", data, "--quiet", "--timeout", str(1 + self.options.limit * 2 // 3)] + flags + self.options.flags.split()

    def execute(self, command, environment=None):
        """The output of a command that ends with 0; a failure with its last line."""
        done = processes.run(command, self.options.limit, environment and {**os.environ, **environment})
        if done.status is None:
            raise Failure("did not end within %d s: %s" % (self.options.limit, last_line(done.out)))
        if done.status != 0:
            raise Failure(last_line(done.out))
        return done.out

    def run(self, artifact, folder, flags, wrapper=(), data="synthetic", environment=None):
        """One run of soap-run: its report, and its notes."""
        report = os.path.join(folder, "report.json")
        out = self.execute(list(wrapper) + self.command(artifact, data, flags + ["--report", report]), environment)
        with open(report) as stream:
            return json.load(stream), [line for line in out.split("\n") if "note:" in line]

    def weights(self, artifact, folder, name, flags, iterations, environment=None):
        out = os.path.join(folder, name + ".safetensors")
        report, notes = self.run(artifact, folder, flags + ["--iterations", str(iterations), "--save-weights", out], environment=environment)
        return out, report, notes

    def difference(self, ours, expected, tolerance):
        done = processes.run([sys.executable, os.path.join(HERE, "compare-weights.py"), ours, expected, str(tolerance), str(FLOOR)], self.options.limit)
        if done.status != 0:
            raise Failure("weights differ: " + last_line(done.out))
        return last_line(done.out)

    def small(self):
        """Artifacts that make a few megabytes of tensors."""
        return [path for path in self.files("*.soapx") if re.search(r"small|lenet", os.path.basename(path))]

    def files(self, pattern):
        return sorted(glob.glob(os.path.join(self.options.directory, pattern)))

    def training_files(self):
        """The artifacts of training that --networks names, in the order of their files, with what is known of each."""
        wanted = self.options.networks.split(",") if self.options.networks else []
        found = []
        for path in self.files("training/*.soapx"):
            try:
                with open(path[:-6] + ".json") as stream:
                    how = json.load(stream)
                network, order = how["network"], how.get("order", 0)
            except (OSError, ValueError, KeyError, TypeError):
                how, network, order = {}, name_of(path).rsplit("-", 2)[0], 0
            if not wanted or network in wanted:
                found.append((order, path, how))
        return [(path, how) for _, path, how in sorted(found, key=lambda row: row[:2])]

    # The parts.

    def kernel(self):
        artifact = os.path.join(self.options.directory, "kernel.soapx")
        if not os.path.exists(artifact):
            return self.rows.leave_out("kernel", "no kernel.soapx in %s" % self.options.directory)

        def body(folder):
            command = [self.options.run, "check", artifact, "--entry", "forward", "--check-calls", "all", "--timeout", str(1 + self.options.limit * 2 // 3)]
            out = self.execute(command + GPU + self.options.flags.split())
            return {"detail": next(line for line in lines_of(out) if "beside the host's" in line)}

        self.rows.check("kernel", "kernel", body)

    def calls(self):
        found = [path for path in sorted(self.files("*.soapx"), key=os.path.getsize) if name_of(path) != "kernel"]
        found += [path for path, how in self.training_files() if how.get("devices") == 1]
        if not found:
            return self.rows.leave_out("calls", "no *.soapx and no training/*.soapx of one device in %s" % self.options.directory)
        self.rows.check_all("calls", [(name_of(path), lambda folder, path=path: self.checked(path, folder)) for path in found])

    def checked(self, artifact, folder):
        report = os.path.join(folder, "report.json")
        flags = GPU + ["--iterations", "1", "--check-calls", "distinct", "--report", report]
        if self.options.check_work:
            flags += ["--check-work", str(self.options.check_work)]
        done = processes.run(self.command(artifact, "synthetic:fixed", flags, "check"), self.options.limit)
        calls = []
        if os.path.exists(report):
            with open(report) as stream:
                calls = json.load(stream)["calls"]
        if done.status is None:
            raise Failure("did not end within %d s: %s" % (self.options.limit, last_line(done.out)))
        if done.status != 0:
            raise Failure(last_line(done.out), calls=calls)
        return {"detail": check_gpu_tables.calls(calls), "calls": calls}

    def artifacts(self):
        found = [path for path in sorted(self.files("*.soapx"), key=os.path.getsize) if name_of(path) != "kernel"]
        if not found:
            return self.rows.leave_out("artifacts", "no *.soapx in %s" % self.options.directory)
        self.rows.check_all("artifacts", [(name_of(path), lambda folder, path=path: self.artifact(path, folder)) for path in found])

    def artifact(self, artifact, folder):
        few, timed = self.options.iterations, self.options.timed
        how = {"iterations": few, "tolerance": self.options.tolerance}
        if os.path.exists(artifact[:-6] + ".json"):
            with open(artifact[:-6] + ".json") as stream:
                how.update(json.load(stream))
        expected, cpu, _ = self.weights(artifact, folder, "cpu", CPU, how["iterations"])
        ours, _, notes = self.weights(artifact, folder, "gpu", GPU, how["iterations"])
        row = {"detail": self.difference(ours, expected, how["tolerance"])}
        if how["iterations"] != few:
            ours, _, notes = self.weights(artifact, folder, "gpu", GPU, few)
        direct, _, _ = self.weights(artifact, folder, "direct", GPU + ["--no-cuda-graph"], few)
        with open(ours, "rb") as first, open(direct, "rb") as second:
            if first.read() != second.read():
                raise Failure("with CUDA graphs the weights have other bits than without")
        row["cpu_ms"] = cpu["milliseconds_per_iteration"]["median"]
        for name, flags in (("gpu", GPU), ("direct", GPU + ["--no-cuda-graph"])):
            report, _ = self.run(artifact, folder, flags + ["--iterations", str(timed)])
            row[name + "_ms"] = report["milliseconds_per_iteration"]["median"]
        if notes:
            row["detail"] += "; " + notes[0]
        return row

    def cases(self):
        found = self.files("cases/*.soapx")
        if not found:
            return self.rows.leave_out("cases", "no cases/*.soapx in %s" % self.options.directory)
        self.rows.check_all("cases", [(name_of(path), lambda folder, path=path: self.case(path, folder)) for path in found], self.options.jobs)

    def case(self, artifact, folder):
        base = artifact[:-6]
        try:
            with open(base + ".json") as stream:
                how = json.load(stream)
            iterations, tolerance = how["iterations"], how["tolerance"]
        except (OSError, ValueError, KeyError) as error:
            raise Failure("%s.json: %s" % (base, error))
        # Algorithms are measured beside other cases: the choice is for this case alone, and no other case waits for it.
        alone = {"SOAP_GPU_ALGORITHMS": os.path.join(folder, "algorithms.json")}
        ours, _, _ = self.weights(artifact, folder, "case", GPU, iterations, alone)
        return {"detail": self.difference(ours, base + ".safetensors", tolerance)}

    def memcheck(self):
        program = self.options.sanitizer
        for folder in ("", "/usr/local/cuda/bin"):
            program = program or shutil.which("compute-sanitizer", path=folder or None)
        if not program:
            return self.rows.leave_out("memcheck", "no compute-sanitizer on PATH or in /usr/local/cuda/bin")
        if not self.small():
            return self.rows.leave_out("memcheck", "no small artifact in %s" % self.options.directory)
        checks = []
        for artifact in self.small():
            for tool in ("memcheck", "initcheck"):
                wrapper = [program, "--tool", tool, "--error-exitcode", "9", "--target-processes", "all"]
                # Times mean nothing here, so algorithms are the first ones.
                flags = GPU + ["--no-autotune", "--iterations", "3"]
                checks.append(("%s %s" % (name_of(artifact), tool), lambda folder, artifact=artifact, wrapper=wrapper, flags=flags:
                               self.run(artifact, folder, flags, wrapper) and {}))
        self.rows.check_all("memcheck", checks, self.options.jobs)

    def memory(self):
        found = self.files("memory/*.soapx")
        if not found:
            return self.rows.leave_out("memory", "no memory/*.soapx in %s" % self.options.directory)
        self.rows.check_all("memory", [(name_of(path), lambda folder, path=path: self.lacking(path)) for path in found])

    def lacking(self, artifact):
        done = processes.run(self.command(artifact, "synthetic", GPU + ["--iterations", "1"]), self.options.limit)
        if done.status is None:
            raise Failure("did not end within %d s" % self.options.limit)
        if done.status == 0:
            raise Failure("it ran: expected an end for lack of memory")
        table = re.search(r"out of memory.*\n\s*bytes on device \d+, largest first:\n((?:\s*\d+  .*\n)+)", done.out)
        if not table:
            raise Failure("expected 'out of memory' and a table of the largest tensors, got: " + last_line(done.out))
        return {"detail": table.group(1).strip().split("\n")[0], "table": table.group(1)}

    def calibration(self):
        name = self.options.calibration or re.sub(r"\.json$", "", self.options.json)
        if not name:
            return self.rows.leave_out("calibration", "no --calibration or --json, which names its files")

        def body(folder):
            command = [self.options.run, "calibrate", "--backend", "cuda", "--quiet", "-o", name]
            if self.options.calibration_work:
                command += ["--calibrate-work", str(self.options.calibration_work)]
            self.execute(command)
            with open(name + ".profile.json") as stream:
                profile = json.load(stream)
            peaks = ["%s %.1f TFLOP/s" % (dtype, rate / 1e12) for dtype, rate in sorted(profile["flops_per_s"].items()) if dtype != "f64"]
            shapes = sum(len(table["entries"]) for table in profile["tables"])
            return {"detail": "%d shapes, %s, %.0f GB/s" % (shapes, ", ".join(peaks), profile["memory_bandwidth_bytes_per_s"] / 1e9)}

        self.rows.check("calibration", os.path.basename(name), body)

    def training(self):
        found = self.training_files()
        if not found:
            return self.rows.leave_out("training", "no training/*.soapx in %s%s" % (
                self.options.directory, self.options.networks and " of " + self.options.networks))
        self.rows.check_all("training", [(name_of(path), lambda folder, path=path: self.trained(path, folder)) for path, _ in found])
        self.rows.check_all("training", self.losses())

    def trained(self, artifact, folder):
        base = artifact[:-6]
        try:
            with open(base + ".json") as stream:
                how = json.load(stream)
            row = {key: how[key] for key in ("network", "batch", "sizes", "precision", "devices", "strategy", "variant", "reference_ms")}
            parameters = how["parameters"]
        except (OSError, ValueError, KeyError) as error:
            raise Failure("%s.json: %s" % (base, error))
        # Another process before, which measures algorithms and leaves them in the file.
        self.run(artifact, folder, GPU + ["--iterations", "3"], data="synthetic:fixed")
        report, notes = self.run(artifact, folder, GPU + ["--iterations", str(self.options.training_iterations)], data="synthetic:fixed")
        row["loss"] = report["epochs"][-1]["loss"]
        if row["loss"] is None or not math.isfinite(row["loss"]):
            raise Failure("the loss after %d iterations is %s, expected a number" % (self.options.training_iterations, row["loss"]))
        row["soap_ms"] = report["milliseconds_per_iteration"]["median"]
        row["soap_best_ms"] = report["milliseconds_per_iteration"]["min"]
        row["arena_bytes"] = report["arena_bytes"]
        row["detail"] = notes[0] if notes else ""
        if how["devices"] == 1 and not how["variant"] and "pytorch" not in self.rows.left_out:
            self.beside(row, parameters)
        return row

    def losses(self):
        """Of networks that have a row in both precisions."""
        losses = {}
        for row in self.rows.of("training"):
            if "loss" in row:
                losses.setdefault((check_gpu_tables.label(row), row["devices"], row["strategy"]), {})[row["precision"]] = row["loss"]

        def body(folder, tf32, bf16):
            if abs(bf16 - tf32) > PRECISIONS_APART * abs(tf32):
                raise Failure("mean loss %.5g in tf32, %.5g in bf16: expected to be within %g %%" % (tf32, bf16, 100 * PRECISIONS_APART))
            return {"detail": "mean loss %.5g in tf32, %.5g in bf16" % (tf32, bf16)}

        return [("%s losses" % key[0], lambda folder, of=of: body(folder, of["tf32"], of["bf16"]))
                for key, of in losses.items() if {"tf32", "bf16"} <= of.keys()]

    def beside(self, row, parameters):
        """The same in PyTorch. What goes wrong there is told, and is no failure of ours."""
        command = [self.options.python, TORCH_STEP, row["network"], "--batch", str(row["batch"]), "--precision", row["precision"]]
        command += ["--sizes", ",".join("%s=%d" % pair for pair in row["sizes"].items())] + self.options.torch_flags.split()
        try:
            done = processes.run(command, self.options.limit, merged=False)
        except OSError as error:
            row["detail"] += "PyTorch: %s" % error
            return
        if done.status == NO_TORCH:
            return self.rows.leave_out("pytorch", last_line(done.err))
        result = last_object(done.out)
        if done.status is None:
            row["detail"] += "PyTorch did not end within %d s; " % self.options.limit
        if not result or "modes" not in result:
            row["detail"] += "PyTorch: " + last_line(done.err)
            return
        row["torch"] = result
        best = result["modes"].get(result.get("best"))
        if not best:
            row["detail"] += "PyTorch: " + "; ".join("%s: %s" % (mode, numbers.get("error")) for mode, numbers in result["modes"].items())
            return
        if result["parameters"] != parameters:
            raise Failure("PyTorch's network has %d parameters, expected %d: not the same network" % (result["parameters"], parameters))
        row.update(torch_ms=best["ms"], torch_mode=" ".join([result["best"]] + ([best["layout"]] if "layout" in best else [])))

    def accuracy(self):
        data, artifact = self.options.fashion_mnist, os.path.join(self.options.directory, "lenet-1.soapx")
        carried = os.path.join(self.options.directory, "fashion-mnist")
        data = data or (carried if os.path.isdir(carried) else "")
        if not data:
            return self.rows.leave_out("accuracy", "no --fashion-mnist, and no %s" % carried)
        if not os.path.exists(artifact):
            return self.rows.leave_out("accuracy", "no lenet-1.soapx in %s" % self.options.directory)

        def body(folder):
            report, _ = self.run(artifact, folder, GPU + ["--epochs", str(self.options.epochs)], data="idx:" + data)
            best = max((epoch["test_accuracy"] or 0) for epoch in report["epochs"])
            if best < self.options.accuracy:
                raise Failure("test accuracy %.4f after %d epochs, expected at least %.4f" %
                              (best, len(report["epochs"]), self.options.accuracy))
            return {"detail": "test accuracy %.4f" % best}

        self.rows.check("accuracy", "lenet-1", body)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run")
    parser.add_argument("directory")
    parser.add_argument("--json", default="")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--jobs", type=int, default=max(1, min(8, (os.cpu_count() or 1) // 2)))
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--timed", type=int, default=20)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--fashion-mnist", default="")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--accuracy", type=float, default=0.88)
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--calibration", default="")
    parser.add_argument("--calibration-work", type=int, default=0)
    parser.add_argument("--flags", default="")
    parser.add_argument("--networks", default="")
    parser.add_argument("--training-iterations", type=int, default=100)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--torch-flags", default="")
    parser.add_argument("--check-work", type=int, default=0)
    options = parser.parse_args()
    for part in options.only.split(","):
        if part not in PARTS:
            parser.error("unknown part '%s', expected %s" % (part, ", ".join(PARTS)))
    for flag in ("limit", "jobs", "iterations", "timed", "epochs", "training_iterations"):
        if getattr(options, flag) < 1:
            parser.error("--%s: expected a positive number, got %d" % (flag.replace("_", "-"), getattr(options, flag)))
    if options.resume and not options.json:
        parser.error("--resume needs --json, whose file it reads")
    return options


def main():
    options = parse()
    if not os.path.isdir(options.directory):
        sys.exit("check-gpu: %s: expected a folder of artifacts" % options.directory)
    try:
        kept = read(options.json) if options.resume else []
    except Failure as failure:
        sys.exit("check-gpu: %s" % failure)
    rows = Rows(options.json, options.minutes, kept, ("cpu", "gpu", "direct", "soap", "torch"))
    if kept:
        print("%d checks of %s passed before and are not run again" % (len(rows.known), options.json), flush=True)

    def stop(number, frame):
        rows.stop()
        processes.end_all()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    checks = Checks(options, rows)
    for part in options.only.split(","):
        getattr(checks, part)()
    rows.write()
    check_gpu_tables.summary(rows.rows, PARTS)
    if rows.missed:
        print("%d checks have not begun%s" % (rows.missed, "; --resume goes on with them" if options.json else ""))
    passed, failed = rows.count("passed"), rows.count("failed")
    print("%d passed, %d failed" % (passed, failed))
    return 0 if passed and not failed and not rows.missed else 1


if __name__ == "__main__":
    sys.exit(main())
