# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cost graphs: instances, solutions and flags that soap-solve refuses."""

import gzip

from case import Case, changed, to_json

GOOD = {"problem": {"name": "pair",
                    "nodes": {"intervals": [[0, 2], [1, 3]], "costs": [[1, 5], [2, 3]], "usages": [[10, 4], [7, 6]]},
                    "edges": {"nodes": [[0, 1]], "costs": [[0, 9, 8, 10**18]]}, "usage_limit": 17}}
SOLUTION = {"version": 1, "cost": 3, "solution": [0, 0], "optimal": True, "bound": 3, "seconds": 0.5}


def instance(name, content, *expect, flags=(), status=1):
    content = content if isinstance(content, (bytes, str)) else to_json(content)
    return Case("cost graph: " + name, ["soap-solve", "cost-graph", "{i.json}", *flags], list(expect), {"i.json": content}, status)


def graph(name, path, value, *expect, flags=()):
    return instance(name, changed(GOOD, ["problem"] + path, value), *expect, flags=flags)


def solution(name, path, value, *expect):
    return Case("cost graph solution: " + name, ["soap-solve", "verify", "{i.json}", "{s.json}"], list(expect),
                {"i.json": to_json(GOOD), "s.json": to_json(changed(SOLUTION, path, value))})


PACKED = gzip.compress(to_json(GOOD).encode(), mtime=0)
MANY = 1_000_000
# A million nodes, of which all fit but three bytes.
CHAIN = ('{"problem":{"nodes":{"intervals":[%s],"costs":[%s],"usages":[%s]},"edges":{"nodes":[],"costs":[]},"usage_limit":%d}}' %
         (",".join(["[0,1]"] * MANY), ",".join(["[1]"] * MANY), ",".join(["[3]"] * MANY), 3 * MANY - 1))

CASES = [
    instance("an empty file", "", "i.json", "line 1"),
    instance("no JSON", "hello", "i.json: line 1, column"),
    instance("truncated", to_json(GOOD)[:-9], "i.json: line"),
    instance("a truncated gzip file", PACKED[:-12], "i.json"),
    instance("a gzip file with a changed byte", PACKED[:40] + bytes([PACKED[40] ^ 255]) + PACKED[41:], "i.json"),
    instance("an unknown key", changed(GOOD, ["problem", "colour"], 1), "at /problem: unknown key", "colour"),
    instance("another outermost key", {"graph": {}}, "unknown key \"graph\""),
    graph("a negative cost", ["nodes", "costs", 0, 1], -5, "at /problem/nodes/costs/0/1", "-5"),
    graph("a cost that is no integer", ["nodes", "costs", 0, 1], 2.5, "at /problem/nodes/costs/0/1", "2.5"),
    graph("a cost that is not finite", ["nodes", "costs", 0, 1], float("inf"), "syntax error"),
    graph("a cost of 2^63", ["edges", "costs", 0, 1], 2**63, "expected an integer of 0 to 2^63 - 1"),
    graph("costs that overflow when added", ["edges", "costs"], [[10**18 - 1] * 4] * 5, "i.json", "edges/costs"),
    graph("memory that overflows when added", ["nodes", "usages", 0], [2**63 - 1, 1], "at time 1", "2^63"),
    graph("a usage too few", ["nodes", "usages", 0], [10], "node 0", "a memory for each of its 2 costs, got 1"),
    graph("an interval too few", ["nodes", "intervals"], [[0, 2]], "/nodes/intervals", "got 1"),
    graph("an interval of three", ["nodes", "intervals", 0], [0, 1, 2], "at /problem/nodes/intervals/0", "two integers"),
    graph("a node without configs", ["nodes", "costs", 0], [], "node 0", "at least one config"),
    graph("edge costs that do not match", ["edges", "costs", 0], [1, 2, 3], "edge 0", "2 * 2 costs"),
    graph("an edge to nowhere", ["edges", "nodes", 0], [0, 2], "at /problem/edges/nodes/0", "below 2"),
    graph("an edge from a node to itself", ["edges", "nodes", 0], [1, 1], "two different nodes"),
    graph("a capacity that nothing meets", ["usage_limit"], 10, "infeasible", "the smallest capacity that would do is 11 bytes"),
    graph("nothing allowed", ["edges", "costs", 0], [10**18] * 4, "infeasible", "no config of node"),
    graph("nothing allowed in any memory", ["edges", "costs", 0], [10**18] * 4, "no capacity would do"),
    instance("no nodes", {"problem": {"nodes": {"intervals": [], "costs": [], "usages": []}, "edges": {"nodes": [], "costs": []}}},
             "at least one node"),
    instance("a negative interval", changed(GOOD, ["problem", "nodes", "intervals", 0, 0], -1), "/nodes/intervals/0/0", "-1"),
    graph("a capacity that nothing meets, without time", ["usage_limit"], 10, "infeasible", "11 bytes", flags=["--time-limit=0"]),
    graph("a capacity that nothing meets, with ties", ["usage_limit"], 10, "infeasible", "11 bytes", flags=["--tie-repeated-blocks"]),
    instance("a million nodes that do not fit", CHAIN, "infeasible", "the smallest capacity that would do is 3000000 bytes"),
    instance("no instance", GOOD, "expected one instance, got 2", flags=["{i.json}"], status=2),
    instance("an unknown algorithm", GOOD, "--algorithm", "'auto', 'elimination' or 'search'", flags=["--algorithm=dp"], status=2),
    instance("a negative time limit", GOOD, "--time-limit", "-1", flags=["--time-limit=-1"], status=2),
    instance("two capacities", GOOD, "exclude each other", flags=["--capacity=4", "--ignore-capacity"], status=2),
    Case("cost graph: no such file", ["soap-solve", "cost-graph", "{missing}"], ["no-such-file", "No such file"]),
    solution("too few choices", ["solution"], [0], "s.json", "a choice for each of 2 nodes, got 1"),
    solution("a choice that is none", ["solution"], [0, 2], "node 1", "a choice of 0 to 1, got 2"),
    solution("a forbidden pair", ["solution"], [1, 1], "edge 0", "forbidden"),
    solution("another cost", ["cost"], 4, "costs 3, not 4"),
    solution("a bound above the cost", ["bound"], 4, "bound 4"),
    solution("an optimum that is none", ["bound"], 2, "called optimal"),
    solution("a negative cost", ["cost"], -3, "s.json", "/cost", "-3"),
    solution("a choice that is no integer", ["solution"], [0, 0.5], "s.json", "/solution/1", "0.5"),
    solution("no choices", ["solution"], [], "a choice for each of 2 nodes, got 0"),
    Case("cost graph solution: of a damaged instance", ["soap-solve", "verify", "{i.json}", "{s.json}"],
         ["i.json", "at /problem/nodes/costs/0/1", "-5"],
         {"i.json": to_json(changed(GOOD, ["problem", "nodes", "costs", 0, 1], -5)), "s.json": to_json(SOLUTION)}),
    Case("cost graph solution: more than the capacity", ["soap-solve", "verify", "{i.json}", "{s.json}"], ["s.json", "16"],
         {"i.json": to_json(changed(GOOD, ["problem", "usage_limit"], 16)), "s.json": to_json(SOLUTION)}),
    solution("another version", ["version"], 2, "s.json", "/version"),
]
