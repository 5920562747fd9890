# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of fsdp on n devices: every device sends or receives (n - 1) / n of each parameter that both passes read three
times (all-gather, all-gather, reduce-scatter), of others twice: all devices together send n times that.

    check_fsdp.py REPORT STRATEGY"""
import json
import sys

report, strategy = (json.load(open(path)) for path in sys.argv[1:3])
DEVICES = 4
kept = {entry["value"] for entry in strategy["keep"]}
assert any(name.endswith("mlp.up.weight") for name in kept), kept
assert "embedding.weight" not in kept  # its gradient does not read it
times, sizes = {}, {}
for exchange in report["exchanges"]:
    name = exchange["value"].removesuffix("'again")
    if not name.endswith(".weight"):
        continue
    assert exchange["pattern"] == "all-gather", exchange
    times[name] = times.get(name, 0) + 1
    sizes.setdefault(name, set()).add(exchange["bytes"])
assert len(times) > 10, times
for name, count in times.items():
    assert count == (2 if name in kept else 1), (name, count)
    assert len(sizes[name]) == 1, name
# 16 x 64 floats, from each device to three others.
assert sizes["block0.mlp.up.weight"] == {16 * 64 * 4 * (DEVICES - 1)}, sizes["block0.mlp.up.weight"]
rows = {row["name"]: row for row in report["compared"]}
once = sum(next(iter(sizes[name])) for name in kept if name in sizes)
extra = rows["this strategy"]["bytes_moved"] - rows["zero"]["bytes_moved"]
assert extra == once, (extra, once)
# Gathered and scattered once each is the bytes of an all-reduce.
assert rows["zero"]["bytes_moved"] == rows["data-parallel"]["bytes_moved"]
assert rows["this strategy"]["peak_bytes"] < rows["zero"]["peak_bytes"] < rows["data-parallel"]["peak_bytes"]
assert rows["this strategy"]["gain"] == 1
for row in rows.values():
    assert row["fits"]
    shares = row["compute"] + row["movement"] + row["exposed_communication"] + row["idle"]
    assert abs(shares - 1) < 1e-9, row
