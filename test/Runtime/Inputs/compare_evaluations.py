# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compare_evaluations.py TRAINING REPORT..: the reports of soap-run evaluate have the numbers of the test set that the
report of a training has for its last epoch."""

import json
import sys


def read(path):
    with open(path) as stream:
        return json.load(stream)


epoch = read(sys.argv[1])["epochs"][-1]
for path in sys.argv[2:]:
    report = read(path)
    (found,) = report["evaluations"]
    assert found["iteration"] == 0 and report["epochs"] == [] and report["bytes_sent"], report
    for name in ("test_loss", "test_accuracy"):
        assert abs(found[name] - epoch[name]) < 1e-6, (path, name, found[name], epoch[name])
    assert found["metrics"].keys() == epoch["metrics"].keys(), found
