# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_scatters.py REPORT.json LAYERS: of a LLaMA under tensor and sequence parallelism, activations and gradients that
are reduced and scattered: in each layer one behind attention and one behind the MLP, either way (Korthikanti et al.,
2022, section 4.2.2)."""
import json
import sys

report = json.load(open(sys.argv[1]))
layers = int(sys.argv[2])
scattered = sorted({e["value"] for e in report["exchanges"] if e["pattern"] == "reduce-scatter"})
for layer in range(layers):
    own = [value for value in scattered if value.startswith(f"layers.{layer}.")]
    gradients = [value for value in own if "grad" in value]
    assert len(gradients) == 2 and len(own) == 4, own
