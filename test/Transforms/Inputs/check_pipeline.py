"""check_pipeline.py REPORT SOLUTION: the simulated pace is the predicted greatest load, up to the rounding of times to ns."""
import json
import sys

report = json.load(open(sys.argv[1]))["pipeline"]
solution = json.load(open(sys.argv[2]))
assert solution["optimal"], solution
predicted = solution["max_load"] * 1e6
ops = max(len(device["nodes"]) for device in solution["devices"])
assert abs(report["load_ns"] - predicted) <= ops, (report["load_ns"], predicted)
assert report["steady_ns"] == report["load_ns"], report
assert len(report["stages"]) == 4
for stage in report["stages"]:
    assert stage["peak_bytes"] == stage["weight_bytes"] + stage["in_flight"] * stage["activation_bytes"], stage
