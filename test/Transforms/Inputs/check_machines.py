# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_machines.py REPORT.json NETWORK...: reports of strategies on two hosts, devices 0 and 1 and devices 2 and 3.
The bytes between them are those on the links to the switch NETWORK, and those between pairs of devices of both."""
import json
import sys

for name, network in zip(sys.argv[1::2], sys.argv[2::2]):
    report = json.load(open(name))
    on_links = sum(link["bytes"] for link in report["links"] if link["name"].endswith("->" + network))
    between = report["bytes_between"]
    pairs = sum(between[a][b] for a in range(4) for b in range(4) if a // 2 != b // 2)
    # Pairs of a ring do not share the last bytes evenly.
    for bytes_between in (pairs, report["bytes_between_machines"]):
        assert abs(bytes_between - on_links) < 1e-3 * on_links > 0, (bytes_between, on_links)
    assert sum(map(sum, between)) == report["bytes_moved"]
