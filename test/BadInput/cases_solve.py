# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instances and flags of soap-solve placement."""

from case import REMOVED, Case, changed, to_json

PROBLEM = {
    "maxSizePerFPGA": 100, "maxFPGAs": 2, "maxCPUs": 0,
    "nodes": [{"id": 10 + i, "supportedOnFpga": 1, "isBackwardNode": 0, "cpuLatency": 10, "fpgaLatency": 1 + i, "size": 60,
               "colorClass": i} for i in range(2)],
    "edges": [{"sourceId": 10, "destId": 11, "cost": 1}],
}
SOLUTION = {
    "version": 1, "max_load": 3, "optimal": False, "bound": 0, "seconds": 0,
    "devices": [{"kind": "accelerator", "load": 2, "nodes": [10]}, {"kind": "accelerator", "load": 3, "nodes": [11]}],
}


def instance(name, path, new, *expect):
    files = {"p.json": to_json(changed(PROBLEM, path, new))}
    return Case("placement: " + name, ["soap-solve", "placement", "{p.json}"], ["p.json"] + list(expect), files)


def solution(name, path, new, *expect):
    files = {"p.json": to_json(PROBLEM), "s.json": to_json(changed(SOLUTION, path, new))}
    return Case("placement solution: " + name, ["soap-solve", "verify", "{p.json}", "{s.json}"], ["s.json"] + list(expect),
                files)


def latency(name, change, *expect, flags=(), status=1):
    return Case("placement for the latency: " + name,
                ["soap-solve", "placement", "{p.json}", "--objective=latency", *flags], list(expect),
                {"p.json": to_json(dict(PROBLEM, **change))}, status)


def claimed(name, problem, solution_, *expect):
    """verify, of an instance and a solution that are given."""
    return Case("verify: " + name, ["soap-solve", "verify", "{p.json}", "{s.json}"], list(expect),
                {"p.json": problem if isinstance(problem, str) else to_json(problem),
                 "s.json": solution_ if isinstance(solution_, str) else to_json(solution_)})


def flags(name, arguments, *expect, status=2):
    return Case("soap-solve: " + name, ["soap-solve"] + arguments, ["soap-solve: error:"] + list(expect),
                {"p.json": to_json(PROBLEM), "s.json": to_json(SOLUTION)}, status)


CYCLE = [{"sourceId": a, "destId": b, "cost": 1} for a, b in [(10, 11), (11, 10)]]
TRAINING = dict(PROBLEM, nodes=PROBLEM["nodes"] + [dict(PROBLEM["nodes"][0], id=12, isBackwardNode=1)],
                edges=PROBLEM["edges"] + [{"sourceId": 11, "destId": 12, "cost": 0}])
LATENCY = {"version": 1, "latency": 5, "optimal": False, "bound": 0, "seconds": 0,
           "devices": [{"kind": "accelerator", "load": 2, "nodes": [10]}, {"kind": "accelerator", "load": 3, "nodes": [11]}]}
STAGES = [{"device": 0, "nodes": [10]}, {"device": 1, "nodes": [11]}]
TASKS = [{"device": 0, "compute": 0, "begin": 0, "end": 1}, {"device": 0, "write": 0, "begin": 1, "end": 2},
         {"device": 1, "read": 0, "begin": 2, "end": 3}, {"device": 1, "compute": 1, "begin": 3, "end": 5}]
SCHEDULE = dict(SOLUTION, pipeline=STAGES, schedule={"period": 3, "tasks": TASKS})
MANY = 1_000_000
# A million nodes in a circle.
CIRCLE = ('{"maxSizePerFPGA":1,"maxFPGAs":1,"maxCPUs":1,"nodes":[%s],"edges":[%s]}' % (
    ",".join('{"id":%d,"supportedOnFpga":1,"isBackwardNode":0,"cpuLatency":1,"fpgaLatency":1,"size":1}' % i for i in range(MANY)),
    ",".join('{"sourceId":%d,"destId":%d,"cost":1}' % (i, (i + 1) % MANY) for i in range(MANY))))

# A split in the format of the published programs.
SPLIT = {"cpus": [{"load": 0, "nodes": []}], "fpgas": [{"load": -1, "nodes": [10]}, {"load": -1, "nodes": [11]}]}


def split(name, problem, split_, *expect):
    return Case("split: " + name, ["soap-solve", "placement", "{p.json}", "--algorithm=expert", "--split={s.json}"], list(expect),
                {"p.json": to_json(problem), "s.json": to_json(split_)})


CASES = [
    split("a node that is nowhere, nor its class", PROBLEM, changed(SPLIT, ["fpgas", 1, "nodes"], []),
          "s.json: at /: expected node 11 on a device, it is on none, and nor is another node of its color class"),
    split("a node twice", PROBLEM, changed(SPLIT, ["fpgas", 1, "nodes"], [11, 10]), "at /fpgas/1/nodes", "node 10 again"),
    split("an unknown node", PROBLEM, changed(SPLIT, ["fpgas", 1, "nodes"], [12]), "at /fpgas/1/nodes/0", "got 12"),
    split("too many accelerators", dict(PROBLEM, maxFPGAs=1), SPLIT, "at /fpgas/1: expected at most 1 devices of this kind"),
    split("a CPU that is not there", PROBLEM, changed(SPLIT, ["cpus", 0, "nodes"], [10]), "at /cpus/0: expected at most 0"),
    split("no CPUs", PROBLEM, {"fpgas": []}, "cpus"),
    split("classes apart", dict(PROBLEM, nodes=[dict(node, colorClass=1) for node in PROBLEM["nodes"]]), SPLIT,
          "node 11: expected it on the device of node 10, which has the same color class 1"),
    split("too much memory", PROBLEM, changed(SPLIT, ["fpgas"], [{"nodes": [10, 11]}]), "expected nodes of at most 100"),
    instance("no nodes", ["nodes"], [], "identifier of a node"),
    Case("placement: empty", ["soap-solve", "placement", "{p.json}"], ["p.json", "expected at least one node"],
         {"p.json": to_json(dict(PROBLEM, nodes=[], edges=[]))}),
    instance("a cycle", ["edges"], [{"sourceId": a, "destId": b, "cost": 1} for a, b in [(10, 11), (11, 10)]],
             "expected a graph without cycles", "10 -> "),
    instance("a node that reads itself", ["edges", 0, "destId"], 10, "10 -> 10"),
    instance("gradients without their classes", ["nodes", 1, "isBackwardNode"], 1, "color class of forward and backward"),
    instance("backward before forward", ["nodes", 0, "isBackwardNode"], 1, "from the backward to the forward pass"),
    instance("a negative time", ["nodes", 1, "fpgaLatency"], -1, "at /nodes/1/fpgaLatency", "-1"),
    instance("a time that is no number", ["nodes", 1, "cpuLatency"], "1", "at /nodes/1/cpuLatency"),
    Case("placement: an infinite time", ["soap-solve", "placement", "{p.json}"], ["p.json", "overflow", "1e999"],
         {"p.json": to_json(PROBLEM).replace('"fpgaLatency": 2', '"fpgaLatency": 1e999')}),
    Case("placement: NaN", ["soap-solve", "placement", "{p.json}"], ["p.json", "invalid JSON"],
         {"p.json": to_json(PROBLEM).replace('"fpgaLatency": 2', '"fpgaLatency": NaN')}),
    instance("times whose sum overflows", ["nodes", 1, "fpgaLatency"], 9e299, "sum of the times on an accelerator overflows"),
    instance("sizes whose sum overflows", ["nodes", 1, "size"], 9e299, "sum of the sizes overflows"),
    instance("a negative cost", ["edges", 0, "cost"], -3, "at /edges/0/cost"),
    instance("costs that contradict", ["edges"], [{"sourceId": 10, "destId": 11, "cost": c} for c in (1, 2)],
             "at /edges/1/cost", "cost of the other edges from node 10"),
    instance("an edge to nowhere", ["edges", 0, "destId"], 99, "at /edges/0/destId", "99"),
    instance("an identifier twice", ["nodes", 1, "id"], 10, "at /nodes/1/id", "duplicate identifier 10"),
    instance("no devices", ["maxFPGAs"], 0, "accelerators or CPUs, got 0 and 0"),
    instance("a missing key", ["nodes", 0, "size"], REMOVED, "at /nodes/0", "size"),
    instance("an unknown key", ["maxTPUs"], 3, "maxTPUs"),
    instance("memory that does not suffice", ["maxSizePerFPGA"], 59, "infeasible", "59 bytes each",
             "smallest memory that would do is 60 bytes"),
    Case("placement: what only CPUs compute, without CPUs", ["soap-solve", "placement", "{p.json}"],
         ["p.json", "infeasible", "node 10 needs a CPU"],
         {"p.json": to_json(changed(PROBLEM, ["nodes", 0, "supportedOnFpga"], 0))}),
    Case("placement: four nodes that provably do not fit, whatever the time limit",
         ["soap-solve", "placement", "{p.json}", "--contiguous=false", "--time-limit=100000"],
         ["p.json: infeasible: accelerators have 15 bytes each; the smallest memory that would do is 20 bytes"],
         {"p.json": to_json(dict(PROBLEM, maxSizePerFPGA=15, edges=[{"sourceId": i, "destId": i + 1, "cost": 1} for i in range(3)],
                                 nodes=[dict(PROBLEM["nodes"][0], id=i, colorClass=i, size=10) for i in range(4)]))}),
    *[Case("placement: what no device computes, " + " ".join(flags_), ["soap-solve", "placement", "{p.json}", *flags_],
           ["p.json: infeasible: node 11 needs a CPU, as accelerators can not compute it, and there is none"],
           {"p.json": to_json(changed(PROBLEM, ["nodes", 1, "supportedOnFpga"], 0))})
      for flags_ in (["--algorithm=scotch"], ["--algorithm=milp"], ["--algorithm=milp", "--contiguous=false"],
                     ["--contiguous=false"], ["--algorithm=pipedream", "--time-limit=0"], ["--time-limit=0"],
                     ["--objective=latency", "--algorithm=milp"])],
    Case("placement: memory that does not suffice, not contiguous",
         ["soap-solve", "placement", "{p.json}", "--contiguous=false", "--time-limit=0"], ["p.json", "infeasible"],
         {"p.json": to_json(dict(PROBLEM, maxSizePerFPGA=59))}),
    Case("placement: no memory at all, not contiguous",
         ["soap-solve", "placement", "{p.json}", "--contiguous=false", "--time-limit=1", "--memory=0"],
         ["p.json", "infeasible", "0 bytes each; the smallest memory that would do is 60 bytes"], {"p.json": to_json(PROBLEM)}),
    *[Case(f"placement: memory that does not suffice, {algorithm}",
           ["soap-solve", "placement", "{p.json}", "--algorithm=" + algorithm],
           ["p.json", "infeasible", "59 bytes each; the smallest memory that would do is "],
           {"p.json": to_json(dict(PROBLEM, maxSizePerFPGA=59))}) for algorithm in ("dpl", "greedy", "pipedream", "local-search")],
    instance("gradients of more than the size", ["nodes", 1, "gradientSize"], 61,
             "node 11: expected a size of gradients from 0 to the size, 60, got 61"),
    instance("negative gradients", ["nodes", 1, "gradientSize"], -1, "at /nodes/1/gradientSize", "-1"),
    instance("a negative memory", ["maxSizePerFPGA"], -1, "at /maxSizePerFPGA", "-1"),
    instance("accelerators that are no integer", ["maxFPGAs"], 1.5, "at /maxFPGAs", "an integer from 0 to 4096, got 1.5"),
    instance("a color class that is no integer", ["nodes", 0, "colorClass"], "red", "at /nodes/0/colorClass", '"red"'),
    instance("nodes that are no list", ["nodes"], {}, "at /nodes: expected an array, got an object"),
    instance("an edge that is no object", ["edges", 0], [10, 11], "at /edges/0: expected an object, got an array"),
    Case("placement: a key twice", ["soap-solve", "placement", "{p.json}"], ["p.json: at /nodes/0: duplicate key \"id\""],
         {"p.json": to_json(PROBLEM).replace('"id": 10,', '"id": 10, "id": 10,')}),
    Case("placement: a million nodes in a circle", ["soap-solve", "placement", "{p.json}"],
         ["p.json: expected a graph without cycles, got ", "... -> "], {"p.json": CIRCLE}),
    latency("empty", {"nodes": [], "edges": []}, "p.json", "at least one node"),
    latency("a cycle", {"edges": CYCLE}, "p.json", "expected a graph without cycles"),
    latency("memory that does not suffice", {"maxSizePerFPGA": 59}, "infeasible", "59 bytes each",
            "smallest memory that would do is 60 bytes"),
    latency("memory that does not suffice, greedily", {"maxSizePerFPGA": 59}, "smallest memory that would do is 60 bytes",
            flags=["--algorithm=greedy"]),
    latency("memory that does not suffice, several subgraphs", {"maxSizePerFPGA": 59}, "infeasible", "would do is 60 bytes",
            flags=["--subgraphs=2"]),
    latency("memory that does not suffice, without time", {"maxSizePerFPGA": 59}, "infeasible", "59 bytes each",
            flags=["--time-limit=0"]),
    latency("what only CPUs compute, without CPUs", {"nodes": [dict(PROBLEM["nodes"][0], supportedOnFpga=0), PROBLEM["nodes"][1]]},
            "infeasible", "node 10 needs a CPU"),
    latency("replicas", {}, "exclude", flags=["--replication", "--all-reduce-bandwidth=1"], status=2),
    latency("no subgraphs", {}, "'--subgraphs'", "from 1 to 64", flags=["--subgraphs=0"], status=2),
    Case("placement: truncated", ["soap-solve", "placement", "{p.json}"], ["p.json", "invalid JSON"],
         {"p.json": to_json(PROBLEM)[:100]}),
    Case("placement: a damaged gzip file", ["soap-solve", "placement", "{p.json}"], ["p.json", "gzip data is truncated"],
         {"p.json": b"\x1f\x8b\x08\0\0\0\0\0\0\3abc"}),
    solution("a wrong maximum", ["max_load"], 2, "expected max_load 3, got 2"),
    solution("a wrong load", ["devices", 0, "load"], 1, "accelerator 0: expected load 2, got 1"),
    solution("a node that is nowhere", ["devices", 1, "nodes"], [], "expected node 11 on a device"),
    solution("a node that is twice", ["devices", 1, "nodes"], [11, 10], "node 10 again"),
    solution("too many accelerators", ["devices"], SOLUTION["devices"] + [SOLUTION["devices"][0]], "at most 2"),
    solution("a CPU that is not there", ["devices", 0, "kind"], "cpu", "at most 0"),
    solution("too much memory", ["devices"], [{"kind": "accelerator", "load": 3, "nodes": [10, 11]}],
             "accelerator 0: expected nodes of at most 100"),
    solution("a bound above the value", ["bound"], 4, "bound of at most 3, got 4"),
    solution("optimal without a bound", ["optimal"], True, "called optimal"),
    solution("a version of the future", ["version"], 2, "version"),
    solution("a bound that is not finite", ["bound"], float("inf"), "invalid JSON"),
    solution("a negative load", ["devices", 0, "load"], -1, "at /devices/0/load", "-1"),
    solution("a node that is not there", ["devices", 0, "nodes"], [12], "at /devices/0/nodes/0", "identifier of a node, got 12"),
    solution("a value of both kinds", ["latency"], 5, "expected 'max_load' or 'latency', got both"),
    solution("no value", ["max_load"], REMOVED, "max_load", "missing"),
    solution("no replicas", ["devices", 0, "replicas"], 0, "at /devices/0/replicas", "got 0"),
    solution("replicas that the objective does not allow", ["devices", 0, "replicas"], 2, "expected one replica, got 2"),
    solution("an objective without its bandwidth", ["objective"], {"replication": True}, "at /objective", "bandwidth"),
    claimed("more replicas than accelerators", PROBLEM,
            dict(SOLUTION, objective={"replication": True, "all_reduce_bytes_per_time": 1},
                 devices=[dict(SOLUTION["devices"][0], replicas=2), SOLUTION["devices"][1]]),
            "expected at most 2 accelerators, got 3 with their replicas"),
    claimed("an empty solution", PROBLEM, "", "s.json", "invalid JSON"),
    claimed("a cyclic instance", dict(PROBLEM, edges=CYCLE), SOLUTION, "p.json", "without cycles"),
    claimed("an instance without nodes", dict(PROBLEM, nodes=[], edges=[]), SOLUTION, "p.json", "at least one node"),
    claimed("an instance of negative times", changed(PROBLEM, ["nodes", 0, "fpgaLatency"], -1), SOLUTION, "p.json",
            "at /nodes/0/fpgaLatency"),
    claimed("a solution of another kind of problem", PROBLEM, {"version": 1, "cost": 3, "solution": [0], "optimal": False,
                                                              "bound": 0, "seconds": 0}, "s.json", "unknown key \"cost\""),
    claimed("a wrong latency", PROBLEM, dict(LATENCY, latency=4), "expected latency 5, got 4"),
    claimed("a bound above the latency", PROBLEM, dict(LATENCY, bound=6), "bound of at most 5, got 6"),
    claimed("a busy time that is wrong", PROBLEM, changed(LATENCY, ["devices", 0, "load"], 1), "expected load 2, got 1"),
    claimed("more subgraphs than the objective allows", dict(PROBLEM, maxSizePerFPGA=200),
            changed(LATENCY, ["devices"], [{"kind": "accelerator", "load": 3, "nodes": [10, 11], "subgraphs": [[10], [11]]}]),
            "node 11: expected it in one of 1 subgraphs"),
    claimed("a subgraph with a node of another device", PROBLEM, changed(LATENCY, ["devices", 0, "subgraphs"], [[11]]),
            "nodes of this device, got node 11"),
    claimed("classes on several devices", TRAINING, changed(SOLUTION, ["devices", 1, "nodes"], [11, 12]), "color class 0"),
    claimed("a node in no stage", PROBLEM, dict(SCHEDULE, pipeline=STAGES[:1]), "s.json"),
    claimed("stages against the edges", PROBLEM, dict(SOLUTION, pipeline=STAGES[::-1]), "stages in an order that edges allow"),
    claimed("a schedule without stages", PROBLEM, {k: v for k, v in SCHEDULE.items() if k != "pipeline"},
            "at /schedule: expected the stages in 'pipeline', too"),
    claimed("rounds that are too short", PROBLEM, changed(SCHEDULE, ["schedule", "period"], 2), "as long as the greatest load"),
    claimed("a task that is not there", PROBLEM, changed(SCHEDULE, ["schedule", "tasks"], TASKS[:3]), "expected it in the schedule"),
    claimed("a task before its input", PROBLEM, changed(SCHEDULE, ["schedule", "tasks", 3], dict(TASKS[3], begin=0, end=2)),
            "expected it after"),
    claimed("two tasks at a time", PROBLEM, changed(SCHEDULE, ["schedule", "tasks", 3], dict(TASKS[3], begin=5, end=7)), "while"),
    flags("nothing", [], "kind of problem"),
    flags("an unknown kind", ["sudoku"], "unknown kind of problem 'sudoku'"),
    flags("no instance", ["placement"], "expected one instance, got 0"),
    flags("an unknown flag", ["placement", "{p.json}", "--fast"], "unknown flag '--fast'"),
    flags("a flag with a typing error", ["placement", "{p.json}", "--objectiv=latency"], "did you mean '--objective'?"),
    flags("a boolean that is none", ["placement", "{p.json}", "--replication=maybe"], "expected 'true' or 'false', got 'maybe'"),
    flags("an empty value", ["placement", "{p.json}", "--threads=", "3"], "expected an integer from 1 to 256, got ''"),
    flags("an unknown algorithm", ["placement", "{p.json}", "--algorithm=magic"], "'dp', 'dpl'", "got 'magic'"),
    flags("a time limit below 0", ["placement", "{p.json}", "--time-limit=-1"], "from 0 to", "got '-1'"),
    flags("dp for what is not contiguous", ["placement", "{p.json}", "--algorithm=dp", "--contiguous=false"], "exclude"),
    flags("expert without a split", ["placement", "{p.json}", "--algorithm=expert"], "needs '--split'"),
    flags("a solver of integer programs for dp", ["placement", "{p.json}", "--milp-solver=cbc"], "needs '--algorithm=milp'"),
    flags("an unknown solver of integer programs", ["placement", "{p.json}", "--algorithm=milp", "--milp-solver=glpk"],
          "'highs' or 'cbc'", "got 'glpk'"),
    flags("replication without a bandwidth", ["placement", "{p.json}", "--replication"], "bandwidth of all-reduces"),
    flags("a schedule of a latency", ["placement", "{p.json}", "--objective=latency", "--show-schedule"], "exclude"),
    flags("latency by dp", ["placement", "{p.json}", "--objective=latency", "--algorithm=dp"], "exclude"),
    flags("verify without a solution", ["verify", "{p.json}"], "an instance and a solution"),
    flags("verify something else", ["verify", "{s.json}", "{s.json}"], "expected an instance", "maxFPGAs", status=1),
    flags("no such file", ["placement", "{missing}"], "no-such-file", status=1),
    flags("output into nowhere", ["placement", "{p.json}", "-o", "{folder}/no/where.json"], "no/where.json", status=1),
]
