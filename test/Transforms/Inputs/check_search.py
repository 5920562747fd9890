# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the report and the progress curve of a search with 200 proposals from all presets (arguments: both files)."""

import json
import sys
import xml.etree.ElementTree

with open(sys.argv[1]) as stream:
    report = json.load(stream)
assert {"data-parallel", "single", "model-parallel", "expert", "zero", "random"} <= set(report["initial"]), report["initial"]
best = report["best_makespan_ns"]
assert 0 < best <= min(report["initial"].values())
assert 0 < report["proposals"] <= 200 and 0 <= report["accepted"] <= report["proposals"]
assert report["seed"] == 1 and report["seconds"] > 0 and report["proposals_per_second"] > 0
assert report["tasks"] >= report["ops"] > report["groups"] > 0
assert 0 < report["resimulated_tasks_per_proposal"]
assert report["optimal"] is False and 0 <= report["bound_ns"] <= best
curve = report["curve"]
assert curve[-1]["best_ns"] == best and curve[-1]["proposals"] == report["proposals"]
assert all(a["seconds"] <= b["seconds"] and a["proposals"] <= b["proposals"] and a["best_ns"] >= b["best_ns"]
           for a, b in zip(curve, curve[1:]))
svg = "{http://www.w3.org/2000/svg}"
root = xml.etree.ElementTree.parse(sys.argv[2]).getroot()
assert root.tag == svg + "svg" and root.find(svg + "polyline") is not None
texts = [text.text for text in root.iter(svg + "text")]
assert any("%d proposals" % report["proposals"] in text for text in texts) and any(text.startswith("time of the search (") for text in texts)
