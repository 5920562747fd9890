# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_monotony.py REPORT.json...: reports of one iteration on links that get slower from report to report. None is
shorter than one before it by more than 0.5 %, unless the report of that one says that it is an anomaly."""
import json
import sys

reports = [json.load(open(name)) for name in sys.argv[1:]]
for later, slow in enumerate(reports):
    for fast in reports[:later]:
        assert (slow["makespan_ns"] >= 0.995 * fast["makespan_ns"] or "scheduling_anomaly" in fast), (
            fast["makespan_ns"], slow["makespan_ns"])
for report in reports:
    anomaly = report.get("scheduling_anomaly")
    assert not anomaly or anomaly["makespan_ns"] <= 0.995 * report["makespan_ns"], anomaly
print("times:", *(report["makespan_ns"] for report in reports))
