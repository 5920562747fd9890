# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the JSON of an explanation of LeNet's fc1 under data parallelism on four devices (argument: the file)."""

import json
import sys

with open(sys.argv[1]) as stream:
    explanation = json.load(stream)

alternatives = explanation["alternatives"]
assert explanation["op"] == explanation["leader"] == "fc1" and "fc1.weight.sgd" in explanation["group"]
assert not explanation["bounded"]
times = [alternative["makespan_ns"] for alternative in alternatives]
assert times == sorted(times) and times[0] > 0
current = alternatives[explanation["current"]]
assert current["origin"] == "current" and current["degrees"] == {"m": 4} and current["devices"] == [0, 1, 2, 3]
# Every way to split m, n and k into at most four pieces, with copies, on devices in their order.
found = {(tuple(sorted(a["degrees"].items())), a["replicas"], tuple(a["devices"])) for a in alternatives}
assert len(found) == len(alternatives)
for m in range(1, 5):
    for n in range(1, 5):
        for k in range(1, 5):
            for replicas in range(1, 5):
                count = m * n * k * replicas
                if count <= 4:
                    degrees = tuple(sorted((name, d) for name, d in (("m", m), ("n", n), ("k", k)) if d > 1))
                    assert (degrees, replicas, tuple(range(count))) in found, (m, n, k, replicas)
# All copies of an op do all of its work.
work = {(tuple(a["degrees"].items()), a["replicas"]): a["group_compute_ns"] for a in alternatives if len(a["devices"]) in (1, 4)}
assert work[((), 4)] == 4 * work[((), 1)]
for a in alternatives:
    assert a["limit"] and 0 < a["limit_share"] <= 1 and a["excess_bytes"] == 0 and a["bytes_moved"] > 0
for pairing in explanation["pairings"]:
    assert pairing["makespan_ns"] < alternatives[pairing["alternative"]]["makespan_ns"]
    assert pairing["groups"] and all(group["leader"] != "fc1" and group["devices"] for group in pairing["groups"])
