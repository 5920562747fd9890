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


def flags(name, arguments, *expect, status=2):
    return Case("soap-solve: " + name, ["soap-solve"] + arguments, ["soap-solve: error:"] + list(expect),
                {"p.json": to_json(PROBLEM), "s.json": to_json(SOLUTION)}, status)


CASES = [
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
         ["p.json", "infeasible", "need a CPU"], {"p.json": to_json(changed(PROBLEM, ["nodes", 0, "supportedOnFpga"], 0))}),
    Case("placement: memory that does not suffice, not contiguous",
         ["soap-solve", "placement", "{p.json}", "--contiguous=false", "--time-limit=0"], ["p.json", "infeasible"],
         {"p.json": to_json(dict(PROBLEM, maxSizePerFPGA=59))}),
    Case("placement: truncated", ["soap-solve", "placement", "{p.json}"], ["p.json", "invalid JSON"],
         {"p.json": to_json(PROBLEM)[:100]}),
    Case("placement: a damaged gzip file", ["soap-solve", "placement", "{p.json}"], ["p.json", "gzip data is damaged"],
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
    flags("nothing", [], "kind of problem"),
    flags("an unknown kind", ["sudoku"], "unknown kind of problem 'sudoku'"),
    flags("no instance", ["placement"], "expected one instance, got 0"),
    flags("an unknown flag", ["placement", "{p.json}", "--fast"], "unknown flag '--fast'"),
    flags("an unknown algorithm", ["placement", "{p.json}", "--algorithm=magic"], "'dp', 'dpl'", "got 'magic'"),
    flags("a time limit below 0", ["placement", "{p.json}", "--time-limit=-1"], "from 0 to", "got '-1'"),
    flags("dp for what is not contiguous", ["placement", "{p.json}", "--algorithm=dp", "--contiguous=false"], "exclude"),
    flags("expert without a split", ["placement", "{p.json}", "--algorithm=expert"], "needs '--split'"),
    flags("replication without a bandwidth", ["placement", "{p.json}", "--replication"], "bandwidth of all-reduces"),
    flags("a schedule of a latency", ["placement", "{p.json}", "--objective=latency", "--show-schedule"], "exclude"),
    flags("latency by dp", ["placement", "{p.json}", "--objective=latency", "--algorithm=dp"], "exclude"),
    flags("verify without a solution", ["verify", "{p.json}"], "an instance and a solution"),
    flags("verify something else", ["verify", "{s.json}", "{s.json}"], "expected an instance", "maxFPGAs", status=1),
    flags("no such file", ["placement", "{missing}"], "no-such-file", status=1),
    flags("output into nowhere", ["placement", "{p.json}", "-o", "{folder}/no/where.json"], "no/where.json", status=1),
]
