#!/usr/bin/env python3
"""The checks of scripts/check-gpu.sh, once the runtime is built: artifacts on one GPU, beside their twins on the CPU, and what else there is in the
folder. Prints a row per check and a table at the end; --json keeps all of it.

    check-gpu.py SOAP_RUN DIR [--json=FILE] [--only=PART,..] [--iterations=3] [--timed=20] [--tolerance=1e-3] [--fashion-mnist=DIR]
                 [--epochs=5] [--accuracy=0.88] [--sanitizer=PROGRAM] [--flags=TEXT] [--calibration=NAME] [--calibration-work=N]
                 [--networks=NAME,..] [--training-iterations=100] [--python=PYTHON] [--torch-flags=TEXT]

Parts, each left out with a line where what it needs is not there:
  artifacts  DIR/*.soapx: weights after a few iterations against those of the twins; with and without CUDA graphs the same bits; milliseconds
  cases      DIR/cases/*.soapx (utils/gpu-cases.py): weights against those of the unsharded reference, which were computed where it was made
  memcheck   compute-sanitizer on the small artifacts: memory, races between host and device, uninitialized reads
  memory     DIR/memory/*.soapx, which no GPU holds: a message with the table of the largest tensors, in bounded time
  calibration  soap-run --calibrate --backend cuda -o NAME (default: what --json is called, without .json), the peaks that it finds
  training   DIR/training/*.soapx (utils/gpu-training.py): milliseconds of a training iteration in tf32 and bf16, the median and the best; of
             those of one device beside the same network in PyTorch (bench/training/torch_step.py, which says how), where PYTHON (default: this
             one) has it and it sees a GPU. Each artifact is a row, so --networks=alexnet,rnnlm takes part of them where time is short
  accuracy   DIR/lenet-1.soapx on the Fashion-MNIST files of --fashion-mnist, up to --epochs: at least --accuracy of the test set
The last line is "N passed, N failed", the exit status 0 if none failed and some passed."""

import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
LIMIT_S = 1800  # of one run
PARTS = ["artifacts", "cases", "memcheck", "memory", "calibration", "training", "accuracy"]
TORCH_STEP = os.path.join(os.path.dirname(HERE), "bench", "training", "torch_step.py")
NO_TORCH = 3  # exit status of torch_step.py
GPU = ["--backend", "cuda", "--virtual-devices"]


class Failure(Exception):
    pass


def last_line(text):
    lines = [line for line in text.strip().split("\n") if line and not line.startswith("fake cuda:")]
    return lines[-1] if lines else "no output"


class Checks:
    def __init__(self, options, folder):
        self.options, self.folder, self.rows, self.left_out = options, folder, [], {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, artifact, name, flags, wrapper=(), data="synthetic"):
        """One run of soap-run: its report; a failure with its last line."""
        report = self.path(name + ".json")
        command = list(wrapper) + [self.options.run, artifact, "--data", data, "--quiet", "--timeout", "600", "--report", report]
        command += flags + self.options.flags.split()
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            raise Failure("did not end within %d s" % LIMIT_S)
        if done.returncode != 0:
            raise Failure(last_line(done.stdout))
        notes = [line for line in done.stdout.split("\n") if "note:" in line]
        return json.load(open(report)), notes

    def weights(self, artifact, name, flags, iterations, wrapper=()):
        out = self.path(name + ".safetensors")
        report, notes = self.run(artifact, name, flags + ["--iterations", str(iterations), "--save-weights", out], wrapper)
        return out, report, notes

    def difference(self, ours, expected, tolerance):
        done = subprocess.run([sys.executable, os.path.join(HERE, "compare-weights.py"), ours, expected, str(tolerance)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Failure("weights differ: " + last_line(done.stdout))
        return last_line(done.stdout)

    def check(self, part, name, body):
        start, row = time.monotonic(), {"part": part, "name": name}
        try:
            row.update(body(), result="passed")
        except Failure as failure:
            row.update(result="failed", detail=str(failure))
        row["seconds"] = round(time.monotonic() - start, 3)
        self.rows.append(row)
        times = "".join("  %s %.3f ms" % (key, row[key + "_ms"]) for key in ("cpu", "gpu", "direct", "soap", "torch") if key + "_ms" in row)
        print("%-11s %-20s %-6s %s%s" % (part, name, row["result"], row.get("detail", ""), times))
        sys.stdout.flush()

    def leave_out(self, part, why):
        self.left_out[part] = why
        print("%-11s left out: %s" % (part, why))

    def small(self):
        """Artifacts that make a few megabytes of tensors."""
        return [path for path in self.files("*.soapx") if re.search(r"small|lenet", os.path.basename(path))]

    def files(self, pattern):
        return sorted(glob.glob(os.path.join(self.options.directory, pattern)))

    # The parts.

    def artifacts(self):
        found = self.files("*.soapx")
        if not found:
            return self.leave_out("artifacts", "no *.soapx in %s" % self.options.directory)
        for artifact in found:
            self.check("artifacts", os.path.basename(artifact)[:-6], lambda: self.artifact(artifact))

    def artifact(self, artifact):
        few, timed = self.options.iterations, self.options.timed
        expected, cpu, _ = self.weights(artifact, "cpu", [], few)
        ours, _, notes = self.weights(artifact, "gpu", GPU, few)
        row = {"detail": self.difference(ours, expected, self.options.tolerance)}
        direct, _, _ = self.weights(artifact, "direct", GPU + ["--no-cuda-graph"], few)
        if open(ours, "rb").read() != open(direct, "rb").read():
            raise Failure("with CUDA graphs the weights have other bits than without")
        row["cpu_ms"] = cpu["milliseconds_per_iteration"]["median"]
        for name, flags in (("gpu", GPU), ("direct", GPU + ["--no-cuda-graph"])):
            report, _ = self.run(artifact, "timed", flags + ["--iterations", str(timed)])
            row[name + "_ms"] = report["milliseconds_per_iteration"]["median"]
        if notes:
            row["detail"] += "; " + notes[0]
        return row

    def cases(self):
        found = self.files("cases/*.soapx")
        if not found:
            return self.leave_out("cases", "no cases/*.soapx in %s" % self.options.directory)
        for artifact in found:
            base = artifact[:-6]

            def body():
                try:
                    how = json.load(open(base + ".json"))
                    iterations, tolerance = how["iterations"], how["tolerance"]
                except (OSError, ValueError, KeyError) as error:
                    raise Failure("%s.json: %s" % (base, error))
                ours, _, _ = self.weights(artifact, "case", GPU, iterations)
                return {"detail": self.difference(ours, base + ".safetensors", tolerance)}

            self.check("cases", os.path.basename(base), body)

    def memcheck(self):
        program = self.options.sanitizer
        for folder in ("", "/usr/local/cuda/bin"):
            program = program or shutil.which("compute-sanitizer", path=folder or None)
        if not program:
            return self.leave_out("memcheck", "no compute-sanitizer on PATH or in /usr/local/cuda/bin")
        if not self.small():
            return self.leave_out("memcheck", "no small artifact in %s" % self.options.directory)
        for artifact in self.small():
            for tool in ("memcheck", "initcheck"):
                wrapper = [program, "--tool", tool, "--error-exitcode", "9", "--target-processes", "all"]
                name = "%s %s" % (os.path.basename(artifact)[:-6], tool)
                self.check("memcheck", name, lambda: self.run(artifact, "memcheck", GPU + ["--iterations", "3"], wrapper) and {})

    def memory(self):
        found = self.files("memory/*.soapx")
        if not found:
            return self.leave_out("memory", "no memory/*.soapx in %s" % self.options.directory)
        for artifact in found:

            def body():
                try:
                    self.run(artifact, "memory", GPU + ["--iterations", "1"])
                except Failure:
                    pass
                else:
                    raise Failure("it ran: expected an end for lack of memory")
                done = subprocess.run([self.options.run, artifact, "--data", "synthetic", "--quiet"] + GPU + self.options.flags.split(),
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
                table = re.search(r"out of memory.*\n\s*bytes on device \d+, largest first:\n((?:\s*\d+  .*\n)+)", done.stdout)
                if not table:
                    raise Failure("expected 'out of memory' and a table of the largest tensors, got: " + last_line(done.stdout))
                return {"detail": table.group(1).strip().split("\n")[0], "table": table.group(1)}

            self.check("memory", os.path.basename(artifact)[:-6], body)

    def calibration(self):
        name = self.options.calibration or re.sub(r"\.json$", "", self.options.json)
        if not name:
            return self.leave_out("calibration", "no --calibration or --json, which names its files")

        def body():
            command = [self.options.run, "--calibrate", "--backend", "cuda", "--quiet", "-o", name]
            if self.options.calibration_work:
                command += ["--calibrate-work", str(self.options.calibration_work)]
            try:
                done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                raise Failure("did not end within %d s" % LIMIT_S)
            if done.returncode != 0:
                raise Failure(last_line(done.stdout))
            with open(name + ".profile.json") as stream:
                profile = json.load(stream)
            peaks = ["%s %.1f TFLOP/s" % (dtype, rate / 1e12) for dtype, rate in sorted(profile["flops_per_s"].items()) if dtype != "f64"]
            shapes = sum(len(table["entries"]) for table in profile["tables"])
            return {"detail": "%d shapes, %s, %.0f GB/s" % (shapes, ", ".join(peaks), profile["memory_bandwidth_bytes_per_s"] / 1e9)}

        self.check("calibration", os.path.basename(name), body)

    def training(self):
        found = [path for path in self.files("training/*.soapx")
                 if not self.options.networks or os.path.basename(path).rsplit("-", 2)[0] in self.options.networks.split(",")]
        if not found:
            return self.leave_out("training", "no training/*.soapx in %s%s" % (
                self.options.directory, self.options.networks and " of " + self.options.networks))
        for artifact in found:
            self.check("training", os.path.basename(artifact)[:-6], lambda: self.trained(artifact))

    def trained(self, artifact):
        base = artifact[:-6]
        try:
            with open(base + ".json") as stream:
                how = json.load(stream)
            row = {key: how[key] for key in ("network", "batch", "sizes", "precision", "devices", "strategy", "reference_ms")}
            parameters = how["parameters"]
        except (OSError, ValueError, KeyError) as error:
            raise Failure("%s.json: %s" % (base, error))
        # Another process before, which measures algorithms and leaves them in the file.
        self.run(artifact, "warm", GPU + ["--iterations", "3"], data="synthetic:fixed")
        report, notes = self.run(artifact, "training", GPU + ["--iterations", str(self.options.training_iterations)], data="synthetic:fixed")
        row["soap_ms"] = report["milliseconds_per_iteration"]["median"]
        row["soap_best_ms"] = report["milliseconds_per_iteration"]["min"]
        row["detail"] = notes[0] if notes else ""
        if how["devices"] == 1 and "pytorch" not in self.left_out:
            self.beside(row, parameters)
        return row

    def beside(self, row, parameters):
        """The same in PyTorch. What goes wrong there is told, and is no failure of ours."""
        command = [self.options.python, TORCH_STEP, row["network"], "--batch", str(row["batch"]), "--precision", row["precision"]]
        command += ["--sizes", ",".join("%s=%d" % pair for pair in row["sizes"].items())] + self.options.torch_flags.split()
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            row["detail"] += "PyTorch: %s" % error
            return
        if done.returncode == NO_TORCH:
            return self.leave_out("pytorch", last_line(done.stderr))
        try:
            row["torch"] = result = json.loads(last_line(done.stdout))
            best = result["modes"].get(result.get("best"))
        except (ValueError, KeyError, AttributeError):
            row["detail"] += "PyTorch: " + last_line(done.stderr)
            return
        if not best:
            row["detail"] += "PyTorch: " + "; ".join("%s: %s" % (mode, numbers.get("error")) for mode, numbers in result["modes"].items())
            return
        if result["parameters"] != parameters:
            raise Failure("PyTorch's network has %d parameters, expected %d: not the same network" % (result["parameters"], parameters))
        row.update(torch_ms=best["ms"], torch_mode=" ".join([result["best"]] + ([best["layout"]] if "layout" in best else [])))

    def accuracy(self):
        data, artifact = self.options.fashion_mnist, os.path.join(self.options.directory, "lenet-1.soapx")
        if not data:
            return self.leave_out("accuracy", "no --fashion-mnist")
        if not os.path.exists(artifact):
            return self.leave_out("accuracy", "no lenet-1.soapx in %s" % self.options.directory)

        def body():
            report, _ = self.run(artifact, "accuracy", GPU + ["--epochs", str(self.options.epochs)], data="idx:" + data)
            best = max((epoch["test_accuracy"] or 0) for epoch in report["epochs"])
            if best < self.options.accuracy:
                raise Failure("test accuracy %.4f after %d epochs, expected at least %.4f" %
                              (best, len(report["epochs"]), self.options.accuracy))
            return {"detail": "test accuracy %.4f" % best}

        self.check("accuracy", "lenet-1", body)

    @staticmethod
    def table(rows):
        """Iterations beside PyTorch's, and beside what was known of it before."""
        if not rows:
            return
        number = lambda value, form="%.3f": "-" if value is None else form % value
        print("\nms of a training iteration: median (best) of Soap, the faster mode of PyTorch, Soap / PyTorch, and PyTorch 2.11 on an H200 in November 2026")
        print("%-13s %6s %5s %7s %-13s %10s %10s %10s %-14s %6s %9s %6s" % (
            "network", "batch", "", "devices", "strategy", "Soap", "(best)", "PyTorch", "mode", "ratio", "2026-11", "ratio"))
        ratios = []
        for row in rows:
            torch, known = row.get("torch_ms"), row["reference_ms"]
            ratio = row["soap_ms"] / torch if torch else None
            ratios += [ratio] if ratio else []
            print("%-13s %6d %5s %7d %-13s %10.3f %10s %10s %-14s %6s %9s %6s" % (
                row["network"], row["batch"], row["precision"], row["devices"], row["strategy"], row["soap_ms"], "(%.3f)" % row["soap_best_ms"],
                number(torch), row.get("torch_mode", "-"), number(ratio, "%.2f"), number(known),
                number(row["soap_ms"] / known if known else None, "%.2f")))
        if ratios:
            print("at most PyTorch's time: %d of %d, geometric mean of ratios %.2f" % (
                sum(ratio <= 1 for ratio in ratios), len(ratios), statistics.geometric_mean(ratios)))

    def summary(self):
        print("\n%-11s %7s %7s %10s" % ("part", "passed", "failed", "seconds"))
        for part in PARTS:
            rows = [row for row in self.rows if row["part"] == part]
            if rows:
                good = sum(row["result"] == "passed" for row in rows)
                print("%-11s %7d %7d %10.1f" % (part, good, len(rows) - good, sum(row["seconds"] for row in rows)))
        self.table([row for row in self.rows if "soap_ms" in row])
        timed = [row for row in self.rows if "gpu_ms" in row]
        if timed:
            ratio = statistics.geometric_mean(row["gpu_ms"] / row["direct_ms"] for row in timed)
            print("an iteration as a CUDA graph takes %.2f of what it takes op by op (geometric mean of %d)" % (ratio, len(timed)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run")
    parser.add_argument("directory")
    parser.add_argument("--json", default="")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--timed", type=int, default=20)
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--fashion-mnist", default="")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--accuracy", type=float, default=0.88)
    parser.add_argument("--sanitizer", default="")
    parser.add_argument("--calibration", default="")
    parser.add_argument("--calibration-work", type=int, default=0)
    parser.add_argument("--flags", default="")
    parser.add_argument("--networks", default="")
    parser.add_argument("--training-iterations", type=int, default=100)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--torch-flags", default="")
    options = parser.parse_args()
    for part in options.only.split(","):
        if part not in PARTS:
            parser.error("unknown part '%s', expected %s" % (part, ", ".join(PARTS)))
    if not os.path.isdir(options.directory):
        sys.exit("check-gpu: %s: expected a folder of artifacts" % options.directory)
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(options, folder)
        for part in options.only.split(","):
            getattr(checks, part)()
    checks.summary()
    failed = sum(row["result"] == "failed" for row in checks.rows)
    passed = len(checks.rows) - failed
    if options.json:
        json.dump({"version": 1, "passed": passed, "failed": failed, "left_out": checks.left_out, "checks": checks.rows},
                  open(options.json, "w"), indent=1)
    print("%d passed, %d failed" % (passed, failed))
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
