# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what presets decide: LeNet, NMT and GPT under `expert`, LeNet under `zero` (arguments: strategy files)."""

import json
import sys


def read(path):
    """By op: degrees, replicas, devices."""
    with open(path) as stream:
        return {op["name"]: (op.get("degrees", {}), op.get("replicas", 1), op["devices"]) for op in json.load(stream)["ops"]}


lenet, nmt, gpt, zero = map(read, sys.argv[1:])
FOUR = [0, 1, 2, 3]

assert lenet["conv1"] == ({"n": 4}, 1, FOUR)
assert lenet["conv1.weight.sgd"] == ({}, 4, FOUR)
for name in "fc1", "fc2":
    assert lenet[name] == ({"n": 4}, 1, FOUR), lenet[name]
    assert lenet[name + ".weight.sgd"] == ({"d0": 4}, 1, FOUR)
assert lenet["fc1.bias_add"] == ({"d1": 4}, 1, FOUR)
assert lenet["loss"] == ({"n": 4}, 1, FOUR)

# Two machines, one device of each, at the same place; all steps of a layer on the same.
place = {name: devices for name, (degrees, replicas, devices) in nmt.items()}
for name, (degrees, replicas, devices) in nmt.items():
    assert len(devices) == 2 and devices[0] < 4 and devices[1] == devices[0] + 4, (name, devices)
for layer in "lstm1", "lstm2":
    assert nmt["encoder.%s.0" % layer][0] and set(nmt["encoder.%s.0" % layer][0].values()) == {2}
    assert place["encoder.%s.0" % layer] == place["encoder.%s.1" % layer] == place["decoder.%s.0" % layer]
    assert place["encoder.%s.weight.sgd" % layer] == place["encoder.%s.0.input" % layer]
assert place["encoder.lstm1.0"][0] <= place["encoder.lstm2.0"][0] <= place["softmax.0"][0]
assert len({tuple(devices) for devices in place.values()}) > 2

samples = {"embedding": "i0", "block0.norm1": "d0", "block0.attention.mixed": "n", "loss": "n0"}
for name, loop in {"embedding": "v", "block0.norm1": None, "block0.attention.query": "n", "block0.attention.key": "n",
                   "block0.attention.mixed": "h",
                   "block0.attention.output": "k", "block0.norm2": None, "block0.mlp.up": "n", "block0.mlp.down": "k",
                   "norm": None, "head": "n", "loss": "k"}.items():
    degrees, replicas, devices = gpt[name]
    expected = {samples.get(name, "d0" if "norm" in name else "b0"): 2}
    if loop:
        expected[loop] = 2
    assert degrees == expected and replicas == (1 if loop else 2), (name, gpt[name])
    # Samples over machines (of two devices), the other split in them.
    assert sorted(devices) == FOUR
    assert devices == ([0, 2, 1, 3] if not loop else FOUR) or name == "loss" and devices in (FOUR, [0, 2, 1, 3]), (name, devices)
assert gpt["block0.mlp.gelu"][0] == {"d0": 2, "d2": 2}
assert gpt["block0.mlp.up.weight.sgd"][0] == {"d0": 2} and gpt["block0.mlp.down.weight.sgd"][0] == {"d1": 2}

assert zero["fc1"] == ({"m": 4}, 1, FOUR) and zero["conv1"] == ({"n": 4}, 1, FOUR)
assert zero["fc1.weight.sgd"] == ({"d1": 4}, 1, FOUR)  # 120 x 400: the longer dim
assert zero["fc3.bias.sgd"] == ({"d0": 4}, 1, FOUR)
