# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scripts/check-gpu.sh prints at its end: the parts, and training iterations beside PyTorch's."""

import statistics


def number(value, form="%.3f"):
    return "-" if value is None else form % value


def label(row):
    return row["network"] + ("+" + row["variant"] if row.get("variant") else "")


def calls(rows):
    """Of soap-run check, none of which differs: how many there are, and the one closest to its tolerance."""
    compared = [row for row in rows if row["result"] == "same"]
    launches = sum(row["call"] == "launch" for row in compared)
    text = "%d library calls, %d launches" % (len(compared) - launches, launches)
    if len(compared) < len(rows):
        text += ", %d left out" % (len(rows) - len(compared))
    inexact = [row for row in compared if row["error"] > 0 and row["tolerance"] > 0]
    if inexact:
        worst = max(inexact, key=lambda row: row["error"] / row["tolerance"])
        text += "; at most %.2f of the tolerance: %s %s %s" % (
            worst["error"] / worst["tolerance"], worst["call"], worst["type"], worst["shape"])
    return text


def torch_of(row, rows):
    """Milliseconds and mode of PyTorch: a variant's row has the figures of the same network."""
    if not row.get("variant"):
        return row.get("torch_ms"), row.get("torch_mode", "-")
    keys = ("network", "batch", "precision", "devices", "strategy")
    plain = next((other for other in rows if not other.get("variant") and all(other[key] == row[key] for key in keys)), {})
    return plain.get("torch_ms"), plain.get("torch_mode", "-")


def training(rows):
    """Iterations beside PyTorch's, and beside what was known of it before."""
    if not rows:
        return
    print("\nms of a training iteration: median (best) of Soap, the faster mode of PyTorch, Soap / PyTorch, and PyTorch 2.11 on an H200 in November 2026")
    print("%-19s %6s %5s %7s %-13s %10s %10s %10s %-14s %6s %9s %6s" % (
        "network", "batch", "", "devices", "strategy", "Soap", "(best)", "PyTorch", "mode", "ratio", "2026-11", "ratio"))
    ratios = []
    for row in rows:
        (torch, mode), known = torch_of(row, rows), row["reference_ms"]
        ratio = row["soap_ms"] / torch if torch else None
        ratios += [ratio] if ratio and not row.get("variant") else []
        print("%-19s %6d %5s %7d %-13s %10.3f %10s %10s %-14s %6s %9s %6s" % (
            label(row), row["batch"], row["precision"], row["devices"], row["strategy"], row["soap_ms"], "(%.3f)" % row["soap_best_ms"],
            number(torch), mode, number(ratio, "%.2f"), number(known), number(row["soap_ms"] / known if known else None, "%.2f")))
    if ratios:
        print("at most PyTorch's time: %d of %d, geometric mean of ratios %.2f" % (
            sum(ratio <= 1 for ratio in ratios), len(ratios), statistics.geometric_mean(ratios)))


def summary(rows, parts):
    print("\n%-11s %7s %7s %10s" % ("part", "passed", "failed", "seconds"))
    for part in parts:
        of = [row for row in rows if row["part"] == part]
        if of:
            good = sum(row["result"] == "passed" for row in of)
            print("%-11s %7d %7d %10.1f" % (part, good, len(of) - good, sum(row.get("seconds", 0) for row in of)))
    training([row for row in rows if "soap_ms" in row])
    timed = [row for row in rows if "gpu_ms" in row]
    if timed:
        ratio = statistics.geometric_mean(row["gpu_ms"] / row["direct_ms"] for row in timed)
        print("an iteration as a CUDA graph takes %.2f of what it takes op by op (geometric mean of %d)" % (ratio, len(timed)))
