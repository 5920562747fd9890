# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made-up results of scripts/check-gpu.sh for the artifacts of a folder: an hour an iteration, or with the JSON of
bench/gpu-fidelity what it simulated, less 5 % on one device and half of it on several. And a calibration whose products
take 2 us in tf32, 1 us in bf16.

    gpu_results.py FOLDER NAME [FIDELITY.json]"""

import glob
import json
import os
import sys

folder, name = sys.argv[1:3]
simulated = {row["name"]: row["simulated_ms"] for row in json.load(open(sys.argv[3]))["rows"]} if len(sys.argv) > 3 else {}
checks = []
for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
    how, base = json.load(open(path)), os.path.basename(path)[:-5]
    # Variants are not simulated.
    ms = simulated[base] / (1.05 if how["devices"] == 1 else 2) if base in simulated else 3.6e6
    row = {key: how[key] for key in ("network", "batch", "sizes", "precision", "devices", "strategy", "variant", "reference_ms")}
    checks.append({"part": "training", "name": base, "result": "passed", "soap_ms": ms, **row})
json.dump({"version": 1, "checks": checks}, open(name + ".json", "w"))

flops = {"f32": 6e13, "tf32": 4e14, "bf16": 8e14}
shape, small, odd = [8, 64, 64], [8, 16, 16], [4, 10, 10]
tables = [{"op": "matmul", "direction": direction, "dtype": dtype, "loops": ["m", "n", "k"], "strides": 0,
           "entries": [odd + [wide * 180, ns], small + [wide * 512, ns], shape + [wide * 5120, ns + 10]]}
          for direction in ("forward", "input_grad", "weight_grad") for dtype, wide, ns in (("tf32", 4, 2000), ("bf16", 2, 1000))]
tables.append({"op": "assemble", "direction": "forward", "dtype": "f32", "loops": [], "strides": 0, "entries": [[4096, 2000], [65536, 2100]]})
json.dump({"version": 1, "device": "gpu", "source": "made up", "flops_per_s": flops, "memory_bandwidth_bytes_per_s": 4e12, "launch_s": 2e-6,
           "tables": tables, "curves": [], "collectives": []}, open(name + ".profile.json", "w"))
kind = {"name": "gpu", "memory_bytes": 1 << 37, "memory_bandwidth_bytes_per_s": 4e12, "flops_per_s": flops, "launch_s": 2e-6,
        "collectives": True, "profile": os.path.basename(name) + ".profile.json"}
link = {"from": "gpu0", "to": "switch", "bandwidth_bytes_per_s": 4e11, "latency_s": 1e-6, "bidirectional": True}
json.dump({"version": 1, "name": "calibrated", "device_types": [kind], "devices": [{"name": "gpu0", "type": "gpu"}],
           "switches": [{"name": "switch"}], "links": [link]}, open(name + ".topology.json", "w"))
