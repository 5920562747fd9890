# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt-calibration.py SOAP_RUN NAME [--early]: interrupts a calibration and checks its end.

The calibration is interrupted once there are files, with --early before there are any."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

program, name, early = shutil.which(sys.argv[1]) or sys.argv[1], sys.argv[2], "--early" in sys.argv
with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, TMPDIR=folder)
    process = subprocess.Popen([program, "calibrate", "-o", name], stderr=subprocess.PIPE, text=True, env=environment)
    # The first thing that it measures is a module in a temporary file.
    while process.poll() is None and not (os.listdir(folder) if early else os.path.exists(name + ".topology.json")):
        time.sleep(0.01)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    errors = process.communicate()[1]
if early:
    assert process.returncode == 130, errors
    assert "interrupted before there was enough for a topology; nothing was written" in errors, errors
    assert not os.path.exists(name + ".topology.json") and not os.path.exists(name + ".profile.json")
else:
    # On a fast machine all may have been measured.
    assert process.returncode in (130, 0), errors
    assert process.returncode == 0 or "the times measured so far are in " + name + ".topology.json" in errors, errors
    for device in json.load(open(name + ".topology.json"))["device_types"]:
        assert device["memory_bandwidth_bytes_per_s"] > 1e6 and device["flops_per_s"]["f32"] > 1e6, device
