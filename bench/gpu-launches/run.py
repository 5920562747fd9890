#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a training step's launches move on a GPU, and an estimate of the step, by counting: networks in tf32 and bf16.

    bench/gpu-launches/run.py BUILD [--networks gpt,resnet-50] [--precisions tf32,bf16,bf16-types] [--chip h200]
                                    [--rows 0] [--check] [--assembled 10] [--json FILE]

For each network on one device: soap-opt lowers the training step up to its launches
(--soap-lower-to-cuda='until=launches') and --soap-audit-launches counts (docs/GPUChecks.md, Audit). A row has launches,
library calls, their estimated times, how many times as long as their bytes the launches take, the kernel that is
furthest above its bytes' time with at least 1 % of the step, the largest uncoalesced access, and PyTorch's measured
time, where there is one. No GPU is used, and no time is measured. --rows prints so many rows of each audit. --check
holds the networks to LIMITS and ends with "N passed, N failed".

--assembled assembles the kernels for sm_90 and reads the code of so many of the dearest of each network (assembled.py):
registers, spills, and bytes that loads of a thread have under way. What a kernel would take with these, beside what the
audit takes it to have, is held to MAX_SLOWER, and spills to none. Needs ptxas and nvdisasm.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
import assembled  # noqa: E402
import built  # noqa: E402

# Name, model of --generate, batch, options of the model. A chunk of an LSTM is its whole sequence, as in
# utils/gpu-training.py: on one device nothing is to be gained from more.
NETWORKS = {
    "gpt2-small": ("gpt", 8, ""),
    "gpt2-small-50304": ("gpt", 8, "vocabulary=50304"),
    "resnet-50": ("resnet-50", 64, ""),
    "resnet-101": ("resnet-101", 64, ""),
    "inception-v3": ("inception-v3", 64, ""),
    "vgg16": ("vgg16", 64, ""),
    "alexnet": ("alexnet", 256, ""),
    "alexnet-64": ("alexnet", 64, ""),
    "lenet": ("lenet", 64, ""),
    "rnnlm": ("rnnlm", 64, "lstm-chunk=40"),
    "nmt": ("nmt", 64, "lstm-chunk=40"),
    "rnntc": ("rnntc", 64, "lstm-chunk=40"),
    "llama-small": ("llama", 8, "layers=12,heads=12,kv-heads=4,head-width=64,mlp-width=2048,length=1024,vocabulary=32000"),
    "vit": ("vit", 64, "layers=2"),
    "bert": ("bert", 8, "layers=2"),
    "unet": ("unet", 4, ""),
    "mixtral": ("mixtral", 2, "layers=2,length=512"),
    "deepseek": ("deepseek", 2, "layers=2,length=512"),
}
# Products of tf32 or bf16 in a step of f32, and a step whose tensors are bf16: precision= of
# --soap-build-training-step, soap.precision.
PRECISIONS = {"tf32": ("", "tf32"), "bf16": ("", "bf16"), "bf16-types": ("bf16", "f32")}
# PyTorch on an H200, ms, the better of torch.compile and eager in a CUDA graph (measured 2026-11): tf32, bf16.
# Its bf16 is autocast. GPT-2 has a vocabulary of 50,304 there, whose rows are whole multiples of 16 bytes.
PYTORCH = {"alexnet": (9.2, 6.1), "alexnet-64": (3.31, 2.98), "lenet": (0.266, 0.305), "resnet-101": (34.3, 20.0), "rnnlm": (10.5, 6.2), "gpt2-small-50304": (None, 19.4)}
# Limits of --check: launches and copies of a step by precision; None where it is beyond the others. A launch of 1 % of
# the step may take at most so many times as long as its bytes, all launches together, too; an uncoalesced access may
# move this share of the bytes.
MAX_LAUNCHES = {
    "gpt2-small": (400, 127, None),
    "resnet-50": (230, 230, 230),
    "resnet-101": (440, 440, 440),
    "inception-v3": (380, 390, 385),
    "vgg16": (60, 75, 82),
    "alexnet": (30, 45, 40),
    "rnnlm": (185, 195, None),
    "nmt": (360, 370, 370),
    "rnntc": (345, 355, 345),
    "llama-small": (565, 385, 315),
    "bert": (55, None, None),
    "mixtral": (125, 125, 125),
    "deepseek": (110, 110, 110),
}
TOOLS = ("ptxas", "nvdisasm")
# Of a launch, by registers and loads of its assembled code beside the audit's estimate.
MAX_SLOWER = 1.1
RATIOS = "max-ratio=2 max-share=0.01 max-total-ratio=1.5 max-uncoalesced=0.01"
LIMITS = {(name, precision): "max-launches=%d %s" % (launches, RATIOS)
          for name, counts in MAX_LAUNCHES.items() for precision, launches in zip(PRECISIONS, counts) if launches}


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lower(build, folder, name, precision):
    """The file with the program's launches."""
    model, batch, options = NETWORKS[name]
    types, products = PRECISIONS[precision]
    paths = [os.path.join(folder, part) for part in ("model.mlir", "step.mlir", "launches.mlir")]
    tool = lambda tool_name: os.path.join(build, "bin", tool_name)
    generate = [tool("soap-translate"), "--generate=" + model, "--batch=%d" % batch, "-o", paths[0]]
    if options:
        generate.append("--option=" + options)
    for command in [
            generate,
            [tool("soap-opt"), paths[0], "--soap-build-training-step=fuse-attention=true precision=" + types, "--soap-apply-strategy=preset=single topology=h100-1x1", "-o", paths[1]],
            [tool("soap-opt"), paths[1], "--soap-set-precision=precision=" + products, "--soap-partition",
             "--soap-lower-to-cuda=chip=sm_90 until=launches", "-o", paths[2]]]:
        done = run(command)
        if done.returncode != 0:
            raise SystemExit("%s ended with %d:\n%s" % (" ".join(command), done.returncode, done.stderr[-2000:]))
    return paths[2]


def audit(options, path, limits):
    """Status, messages and report of the audit."""
    report = path + ".json"
    done = run([os.path.join(options.build, "bin", "soap-opt"), path,
                "--soap-audit-launches=chip=%s program=train_step rows=%d report=%s %s" % (options.chip, options.rows, report, limits),
                "-o", os.devnull])
    if not os.path.exists(report):
        raise SystemExit("soap-opt --soap-audit-launches wrote no report:\n" + done.stderr[-2000:])
    with open(report) as stream:
        return done.returncode, done.stderr, json.load(stream)["programs"][0]


def assemble(options, path):
    """Code of the kernels, by (part, extent)."""
    ptxas, nvdisasm = (assembled.program(tool, options.build) for tool in TOOLS)
    image, named = path + ".cubin", path + ".gpu.mlir"
    done = run([os.path.join(options.build, "bin", "soap-opt"), path, "--soap-kernels-to-gpu=kernels=launches",
                "--soap-lower-gpu-kernels=chip=sm_90 format=bin toolkit=%s image=%s" % (
                    os.path.dirname(os.path.dirname(os.path.realpath(ptxas))), image), "-o", named])
    if done.returncode != 0:
        raise SystemExit("soap-opt --soap-lower-gpu-kernels ended with %d:\n%s" % (done.returncode, done.stderr[-2000:]))
    kernels, found = assembled.read(image, nvdisasm), {}
    with open(named) as stream:
        for line in stream:
            if call := re.search(r"soap\.parallel_call @(\S+) extent (\d+).*soap\.gpu_kernel = @\w+::@(\w+)", line):
                found[call[1], int(call[2])] = kernels[call[3]]
    return found


def slower(row, kernel):
    """How many times as long as the audit says the launch takes with the code's loads and registers."""
    chain, times = row["chain"], row["estimate_s"]
    # A multiprocessor has 65,536 registers, of which a warp gets multiples of 256, and 64 warps in blocks of eight.
    warps = min(64, 65536 // (32 * 8 * -(-kernel.registers // 8)) // 8 * 8)
    near = times["chain"] - max(chain["longest_rounds"], chain["rounds"] / chain["resident_warps"]) * chain["latency_s"]
    longest = max(chain["longest_rounds"], chain["rounds"] / (chain["max_warps"] * warps / 64))
    # A load is of several elements, or of less than 4 bytes.
    waits = max(1, min(chain["load_bytes_at_once"] / kernel.in_flight, chain["loads_at_once"] / kernel.loads)) if kernel.loads else 1
    body = max(longest * chain["latency_s"] * waits + near, *(times[limit] for limit in ("memory", "cache", "instructions")), times.get("host", 0))
    return (body + times.get("tail", 0) + times["gap"]) / (row["seconds"] / row["count"])


def check_assembled(options, path, program):
    """Rows of the dearest kernels; faults in words."""
    code, rows, faults = assemble(options, path), [], []
    dearest = [row for row in program["rows"] if row["kind"] == "kernel"][:options.assembled]
    for row in dearest:
        kernel = code[row["name"], row["extent"]]
        rows.append({"kernel": row["name"], "share": row["share"], "registers": kernel.registers, "spills": kernel.spills,
                     "instructions": kernel.instructions, "bytes_in_flight": kernel.in_flight,
                     "assumed_bytes_in_flight": row["chain"]["load_bytes_at_once"], "slower": slower(row, kernel)})
        if kernel.spills:
            faults.append("'%s' spills registers: %d loads and stores of local memory" % (row["name"], kernel.spills))
        if rows[-1]["slower"] > MAX_SLOWER:
            faults.append("'%s' has %d registers and %d bytes of loads in flight where the audit assumes %g, and takes %.2f times as "
                          "long: expected at most %g" % (row["name"], kernel.registers, kernel.in_flight,
                                                         row["chain"]["load_bytes_at_once"], rows[-1]["slower"], MAX_SLOWER))
    return rows, faults


def summary(name, precision, program):
    kernels = [row for row in program["rows"] if row["kind"] == "kernel"]
    worst = max((row for row in kernels if row["share"] >= 0.01), key=lambda row: row["ratio"], default=None)
    uncoalesced = [(row["count"] * access["moved_bytes"] / program["moved_bytes"], row["name"]) for row in kernels
                   for access in row["accesses"] if access["uncoalesced"]]
    return {
        "network": name, "precision": precision, "batch": NETWORKS[name][1], "launches": program["launches"] + program["copies"],
        "library_calls": program["library_calls"], "launches_ms": program["launches_s"] * 1e3, "library_ms": program["library_s"] * 1e3,
        "estimated_step_ms": program["estimated_step_s"] * 1e3, "ratio": program["ratio"],
        "worst": {"kernel": worst["name"], "share": worst["share"], "ratio": worst["ratio"]} if worst else None,
        "uncoalesced": max(uncoalesced, default=(0, "")),
        "pytorch_ms": PYTORCH.get(name, (None, None))[precision != "tf32"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--networks", default="")
    parser.add_argument("--precisions", default=",".join(PRECISIONS))
    parser.add_argument("--chip", default="h200")
    parser.add_argument("--rows", type=int, default=0, help="print so many rows of each audit")
    parser.add_argument("--check", action="store_true", help="hold the networks with limits to them")
    parser.add_argument("--assembled", type=int, default=0, help="read the code of so many of the dearest kernels")
    parser.add_argument("--json", help="write the rows here")
    options = parser.parse_args()
    built.programs(options.build, "soap-translate", "soap-opt")
    names = options.networks.split(",") if options.networks else list(NETWORKS)
    precisions = options.precisions.split(",")
    for given, known in [(names, NETWORKS), (precisions, PRECISIONS)]:
        for name in given:
            if name not in known:
                parser.error("unknown: %s; expected some of %s" % (name, ", ".join(known)))
    cases = [(name, precision) for name in names for precision in precisions]
    if options.check:
        cases = [case for case in cases if case in LIMITS]
    missing = [tool for tool in TOOLS if options.assembled and not assembled.program(tool, options.build)]
    if missing:
        print("skipped: reading assembled kernels: there is no %s" % " and no ".join(missing))
        options.assembled = 0
    rows, failed = [], 0
    print("%-14s %-10s %8s %7s %11s %10s %9s %6s %8s  %s" % ("network", "", "launches", "calls", "launches ms", "calls ms", "step ms",
                                                          "ratio", "PyTorch", "furthest above its bytes (share, ratio)"))
    for name, precision in cases:
        with tempfile.TemporaryDirectory() as folder:
            path = lower(options.build, folder, name, precision)
            status, messages, program = audit(options, path, LIMITS[name, precision] if options.check else "")
            code, faults = check_assembled(options, path, program) if options.assembled else ([], [])
        row = summary(name, precision, program)
        if code:
            row["assembled"] = code
        rows.append(row)
        worst = row["worst"]
        print("%-14s %-10s %8d %7d %11.2f %10.2f %9.2f %6.2f %8s  %s" % (
            name, precision, row["launches"], row["library_calls"], row["launches_ms"], row["library_ms"], row["estimated_step_ms"],
            row["ratio"], row["pytorch_ms"] or "", "%s (%.1f %%, %.2f)" % (worst["kernel"], 100 * worst["share"], worst["ratio"]) if worst else ""),
            flush=True)
        if options.rows or status != 0:
            print(messages, end="")
        for kernel in code if not options.check else []:
            print("    %(share)6.2f%% %(registers)4d registers, %(spills)d spills, %(instructions)5d instructions, "
                  "%(bytes_in_flight)4d of %(assumed_bytes_in_flight)4g bytes in flight, %(slower).2f  %(kernel)s" %
                  dict(kernel, share=100 * kernel["share"]))
        for fault in faults:
            print("    " + fault)
        failed += status != 0 or len(faults) > 0
        if options.json:
            with open(options.json, "w") as stream:
                json.dump({"version": 1, "chip": options.chip, "is_estimate": True, "rows": rows}, stream, indent=1)
                stream.write("\n")
    if options.check:
        print("%d passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
