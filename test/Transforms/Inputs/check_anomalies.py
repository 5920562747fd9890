# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_anomalies.py STEP.mlir TOPOLOGY.json STRATEGY.json FOLDER SEEDS: strategies that differ from STRATEGY.json in
the order of the devices of each op, one for each number of SEEDS (1,2,7). Whatever --soap-simulate says of a scheduling
anomaly, of the strategy and of the programs that are made of it, is what it simulates on topologies with slower links:
links to switches, which only messages between machines take here, or all links of one machine. Prints how many
anomalies there are."""
import json
import os
import random
import subprocess
import sys

step, topology_file, strategy_file, folder, seeds = sys.argv[1:]
topology, strategy = json.load(open(topology_file)), json.load(open(strategy_file))


def path(name):
    return os.path.join(folder, name)


def opt(*arguments):
    subprocess.run(["soap-opt", *arguments], check=True)


def simulated(module, options):
    opt(module, f"--soap-simulate=compare=single summary=false report={path('report.json')} {options}", "-o", os.devnull)
    return json.load(open(path("report.json")))


switches = {switch["name"] for switch in topology["switches"]}
slow = []
for name, bandwidth, latency in (("half the bandwidth", 0.5, 1), ("100 times the latency", 1, 100)):
    changed = json.loads(json.dumps(topology))
    for link in changed["links"]:
        if not switches or {link["from"], link["to"]} & switches:
            link["bandwidth_bytes_per_s"] *= bandwidth
            link["latency_s"] *= latency
    slow.append((name + (" between machines" if switches else " of all links"), path(f"slow{len(slow)}.json")))
    json.dump(changed, open(slow[-1][1], "w"))

found = 0
for seed in seeds.split(","):
    rng, shuffled = random.Random(int(seed)), json.loads(json.dumps(strategy))
    for op in shuffled["ops"]:
        rng.shuffle(op["devices"])
    json.dump(shuffled, open(path("strategy.json"), "w"))
    opt(step, f"--soap-apply-strategy=strategy={path('strategy.json')} topology={topology_file}", "-o", path("whole.mlir"))
    opt(path("whole.mlir"), "--soap-partition", "-o", path("parts.mlir"))
    for module in (path("whole.mlir"), path("parts.mlir")):
        report = simulated(module, "anomalies=always")
        assert simulated(module, "anomalies=never").get("scheduling_anomaly") is None
        times = [(simulated(module, f"topology={file}")["makespan_ns"], name) for name, file in slow]
        least = min(times)
        said = report.get("scheduling_anomaly")
        if least[0] <= int(0.995 * report["makespan_ns"]):
            assert said == {"links": least[1], "makespan_ns": least[0]}, (seed, module, said, times)
            found += 1
        else:
            assert said is None, (seed, module, said, times)
print("anomalies:", found)
