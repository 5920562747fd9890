# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logs have the learning rates that programs use: the loss is a weight with gradient 1, so it falls by the rate.
Usage: learning_rates.py BUILD FOLDER."""

import csv
import os
import subprocess
import sys

BUILD, FOLDER = sys.argv[1:]
MODEL = """func.func @forward(
    %x: tensor<1xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64},
    %w: tensor<1xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}) -> tensor<1xf32> {
  %0 = soap.sub %x, %x : tensor<1xf32>
  %1 = soap.add %w, %0 : tensor<1xf32>
  return %1 : tensor<1xf32>
}
"""
ITERATIONS = 12
SCHEDULES = ["schedule=constant", "warmup-iterations=4", "schedule=linear total-iterations=10",
             "schedule=linear total-iterations=10 warmup-iterations=3 final-factor=0.25",
             "schedule=cosine total-iterations=10", "schedule=cosine total-iterations=9 warmup-iterations=2 final-factor=0.1",
             "schedule=step decay-every=3", "schedule=step decay-every=4 decay-factor=0.5 warmup-iterations=2"]


def run(tool, *arguments):
    done = subprocess.run([os.path.join(BUILD, "bin", tool), *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{tool} {' '.join(arguments)}: {done.stderr}")


model, step, log = (os.path.join(FOLDER, name) for name in ("one.mlir", "one-step.mlir", "one.csv"))
with open(model, "w", encoding="utf-8") as file:
    file.write(MODEL)
for schedule in SCHEDULES:
    run("soap-opt", model, f"--soap-build-training-step=loss=output learning-rate=0.5 {schedule}", "-o", step)
    run("soap-run", "train", step, "--data", "synthetic", "--epochs", "9", "--iterations", str(ITERATIONS), "--log", log, "--quiet")
    with open(log, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    losses = [float(row["loss"]) for row in rows]
    rates = [float(row["learning_rate"]) for row in rows]
    fell = [before - after for before, after in zip(losses, losses[1:])]
    if len(rows) != ITERATIONS or any(abs(one - other) > 1e-5 for one, other in zip(fell, rates)):
        sys.exit(f"{schedule}: the loss falls by {fell}, the log has {rates}")
