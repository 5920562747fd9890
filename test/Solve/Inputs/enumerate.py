# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random small problems through soap-solve, against a search through all answers and rules written down again:

    enumerate.py FOLDER KIND CASES

KIND is throughput, latency or cost-graph. Prints what disagrees, and a line at the end. Nothing here knows of the
solvers: loads, contiguity, latencies and memory follow docs/Placement.md and docs/CostGraph.md.
"""

import itertools
import json
import math
import os
import random
import subprocess
import sys

NEVER = math.inf
folder, kind, cases = sys.argv[1], sys.argv[2], int(sys.argv[3])
os.makedirs(folder, exist_ok=True)
failures = 0


def solve(name, problem, flags):
    """The solution, and what soap-solve said; the solution is None if there is none, False if there is no solver."""
    instance, output = os.path.join(folder, "problem.json"), os.path.join(folder, "solution.json")
    with open(instance, "w") as file:
        json.dump(problem, file)
    if not any(flag.startswith("--time-limit") for flag in flags):
        flags = flags + ["--time-limit=100000"]  # busy machines are no reason
    run = subprocess.run(["soap-solve", name, instance, "-o", output, "--quiet"] + flags, capture_output=True, text=True)
    if "this build has no" in run.stderr:
        return False, ""
    if run.returncode:
        return None, f"exit status {run.returncode}: {run.stderr.strip()}"
    verified = subprocess.run(["soap-solve", "verify", instance, output], capture_output=True, text=True)
    if verified.returncode:
        return None, "verify: " + verified.stderr
    with open(output) as file:
        return json.load(file), ""


def judge(seed, name, problem, flags, best, smallest, exact, key):
    """Compares an answer with the best value and, where nothing fits, the smallest memory."""
    def fail(message):
        global failures
        failures += 1
        print(f"{kind} {seed} {' '.join(flags)}: {message}\n{json.dumps(problem)}")

    found, said = solve(name, problem, flags)
    if found is False:
        return
    if found is None:
        if "within the time limit" in said and "--time-limit=0.02" in flags:
            return
        if best < NEVER or "infeasible: " not in said:
            return fail(f"{said}, expected {best}")
        if "would do is " in said:
            bytes_needed = float(said.split("would do is ")[1].replace("at most ", "").split()[0])
            wrong = bytes_needed < smallest if "at most" in said else bytes_needed != smallest
            if wrong:
                fail(f"{said}, expected {smallest} bytes")
        return
    value, bound = found[key], found["bound"]
    # Cost graphs are integers.
    rounding = 0 if kind == "cost-graph" else 1e-6 if "--algorithm=milp" in flags else 1e-9
    above, below = best, best
    if rounding:
        above, below = best * (1 + rounding) + (1e-6 if "--algorithm=milp" in flags else 0), best * (1 - 1e-9)
    if best == NEVER:
        fail("an answer to what is infeasible")
    elif value < below:
        fail(f"{value} is less than the best, {best}")
    elif bound > above:
        fail(f"a bound of {bound} above the best, {best}")
    elif value > above and (exact or found["optimal"]):
        fail(f"{value}, expected {best}")


# Placement


def draw_placement(draw, most):
    accelerators, cpus = draw.choice([(1, 0), (2, 0), (3, 0), (2, 1), (1, 1), (2, 2), (0, 1), (0, 2)])
    training = draw.random() < 0.5
    count = draw.randint(1, min(most, 4) if training else most)
    identifiers = draw.sample(range(-500, 500), 2 * count)
    nodes, edges, costs = [], [], {}

    def time():
        return draw.choice([0, draw.randint(1, 9), draw.randint(1, 9) / 4, draw.random() * 10])

    def add(backward):
        node = {"id": identifiers[len(nodes)], "supportedOnFpga": cpus == 0 or draw.random() > 0.1,
                "isBackwardNode": int(backward), "fpgaLatency": time(), "cpuLatency": time(), "size": draw.randint(0, 4)}
        costs[node["id"]] = draw.choice([0, draw.randint(1, 6) / 2, draw.random() * 3])
        nodes.append(node)
        return node

    forward = []
    for i in range(count):
        forward.append(add(False))
        edges += [(other["id"], forward[i]["id"]) for other in forward[:i] if draw.random() < 0.4]
        if draw.random() < 0.25:
            forward[i]["colorClass"] = draw.randint(0, 2)
    if training:
        backward = {}
        for i in reversed(range(count)):
            if i < count - 1 and draw.random() < 0.25:
                continue
            backward[i] = add(True)
            if i == count - 1 or draw.random() < 0.8:
                backward[i]["colorClass"] = forward[i].setdefault("colorClass", 50 + i)
            elif draw.random() < 0.5:
                backward[i]["colorClass"] = 90 + draw.randint(0, 1)  # of gradients alone
            if draw.random() < 0.4:
                edges.append((forward[i]["id"], backward[i]["id"]))
            if draw.random() < 0.3:
                backward[i]["gradientSize"] = draw.randint(0, backward[i]["size"])
        for i, j in itertools.combinations(sorted(backward), 2):
            if (forward[i]["id"], forward[j]["id"]) in edges:
                edges.append((backward[j]["id"], backward[i]["id"]))
    total = sum(node["size"] for node in nodes)
    draw.shuffle(nodes)
    draw.shuffle(edges)
    return {"maxSizePerFPGA": draw.choice([total, total, total * draw.random(), total / 2 + 1, total / 3 + 1, 0]),
            "maxFPGAs": accelerators, "maxCPUs": cpus, "nodes": nodes,
            "edges": [{"sourceId": a, "destId": b, "cost": costs[a]} for a, b in edges]}


class Rules:
    """A problem by index, and what its rules say of devices per node."""

    def __init__(self, problem):
        self.nodes, self.accelerators, self.cpus = problem["nodes"], problem["maxFPGAs"], problem["maxCPUs"]
        self.memory = problem["maxSizePerFPGA"]
        index = {node["id"]: i for i, node in enumerate(self.nodes)}
        self.edges = [(index[edge["sourceId"]], index[edge["destId"]]) for edge in problem["edges"]]
        self.cost = {index[edge["sourceId"]]: edge["cost"] for edge in problem["edges"]}
        self.readers = {a: {y for x, y in self.edges if x == a} for a, _ in self.edges}
        self.color = [node.get("colorClass") for node in self.nodes]
        self.backward = [bool(node["isBackwardNode"]) for node in self.nodes]
        forward = {c for c, b in zip(self.color, self.backward) if not b} - {None}
        trained = {c for c, b in zip(self.color, self.backward) if b} - {None}
        self.gradients = [node.get("gradientSize", node["size"]) if c in trained else 0
                          for node, c in zip(self.nodes, self.color)]
        alone = [b and c not in forward for c, b in zip(self.color, self.backward)]
        self.order = []  # of devices: forward edges, and mirrored ones of gradients alone
        for a, b in self.edges:
            if not self.backward[a] and not self.backward[b]:
                self.order.append((a, b))
            elif self.backward[a] and (alone[a] or alone[b]):
                self.order.append((b, a))

    def held(self, devices):
        return max([sum(node["size"] for node, at in zip(self.nodes, devices) if at == device)
                    for device in range(self.accelerators)], default=0)

    def is_legal(self, devices):
        places = {}
        return all((at >= self.accelerators or node["supportedOnFpga"]) and
                   (color is None or places.setdefault(color, at) == at)
                   for node, color, at in zip(self.nodes, self.color, devices))

    def is_contiguous(self, devices):
        left = set(devices)
        while left:
            waiting = {devices[b] for a, b in self.order if devices[a] != devices[b] and devices[a] in left}
            if left <= waiting:
                return False
            left &= waiting
        return True

    def splits(self, hosts):
        """All splits; devices that are alike are told apart by where they come first, except for hosts."""
        def extend(devices, used, cpus):
            if len(devices) == len(self.nodes):
                yield devices
                return
            for at in range(self.accelerators if hosts else min(used + 1, self.accelerators)):
                yield from extend(devices + [at], max(used, at + 1), cpus)
            for at in range(min(cpus + 1, self.cpus)):
                yield from extend(devices + [self.accelerators + at], used, max(cpus, at + 1))
        return (devices for devices in extend([], 0, 0) if self.is_legal(devices))

    def load(self, devices, full=False, gpipe=False, per_host=0, factor=1, replicas=None, bandwidth=1):
        compute = [[0, 0] for _ in range(self.accelerators + self.cpus)]
        transfer = [[0, 0] for _ in compute]
        for i, (node, at) in enumerate(zip(self.nodes, devices)):
            compute[at][self.backward[i]] += node["fpgaLatency" if at < self.accelerators else "cpuLatency"]
        for a, readers in self.readers.items():
            net = {devices[b] for b in readers} | {devices[a]}
            for at in net if len(net) > 1 else ():
                if at < self.accelerators:
                    others = net if at == devices[a] else {devices[a]}
                    inside = per_host and all(x < self.accelerators and x // per_host == at // per_host for x in others)
                    transfer[at][self.backward[a]] += self.cost[a] * (factor if inside else 1)
        worst = [0, 0]
        both = max if full else lambda x, y: x + y
        for at in range(len(compute)):
            parts = [both(c, t) for c, t in zip(compute[at], transfer[at])] if gpipe else [
                both(sum(compute[at]), sum(transfer[at])), 0]
            count = replicas[at] if replicas and at < self.accelerators else 1
            if count > 1:
                parts = [part / count for part in parts]
                parts[1 if gpipe else 0] += 2 * (count - 1) / count / bandwidth * sum(
                    bytes_ for bytes_, other in zip(self.gradients, devices) if other == at)
            worst = [max(x, y) for x, y in zip(worst, parts)]
        return sum(worst)

    def replications(self, devices):
        used = sorted({at for at in devices if at < self.accelerators})
        for counts in itertools.product(range(1, self.accelerators + 1), repeat=len(used)):
            if sum(counts) <= self.accelerators:
                yield {**dict.fromkeys(range(self.accelerators), 1), **dict(zip(used, counts))}

    def latency(self, devices, subgraphs):
        """Of devices where all CPUs are one: event by event."""
        place = [("accelerator", at, subgraph) if at < self.accelerators else ("cpu", i)
                 for i, (at, subgraph) in enumerate(zip(devices, subgraphs))]
        members = {}
        for i, piece in enumerate(place):
            members.setdefault(piece, []).append(i)
        time, before = {}, {}
        for piece, nodes in members.items():
            before[piece] = {place[a] for a, b in self.edges if place[b] == piece} - {piece}
            if piece[0] == "cpu":
                time[piece] = self.nodes[nodes[0]]["cpuLatency"]
                continue
            moved = {a for a, b in self.edges if (place[a] == piece) != (place[b] == piece)}
            time[piece] = sum(self.nodes[i]["fpgaLatency"] for i in nodes) + sum(self.cost[a] for a in moved)
            earlier = [other for other in members if other[:2] == piece[:2] and other[2] < piece[2]]
            if earlier:
                before[piece].add(max(earlier))
        now, done, queue, running, left = 0, set(), [], [], set(members)
        while True:
            while ready := [p for p in left if before[p] <= done]:
                for piece in ready:
                    left.remove(piece)
                    if piece[0] == "cpu" and time[piece] > 0:
                        queue.append((now, piece))
                    else:
                        running.append((now + time[piece], piece))
                ended = [piece for end, piece in running if end <= now]
                done |= set(ended)
                running = [(end, piece) for end, piece in running if piece not in done]
            queue.sort()
            busy = sum(piece[0] == "cpu" for _, piece in running)
            while queue and busy < self.cpus:
                piece = queue.pop(0)[1]
                running.append((now + time[piece], piece))
                busy += 1
            if not running:
                return NEVER if left else now
            now = min(end for end, _ in running)
            done |= {piece for end, piece in running if end <= now}
            running = [(end, piece) for end, piece in running if piece not in done]


def is_well_formed(rules):
    """A training step has a class of both passes."""
    both = [{c for c, b in zip(rules.color, rules.backward) if b == backward} - {None} for backward in (False, True)]
    return not any(rules.backward) or bool(both[0] & both[1])


def throughput(seed, draw):
    problem = draw_placement(draw, 5)
    rules = Rules(problem)
    if not is_well_formed(rules):
        return
    objective = {"full": bool(seed & 1), "gpipe": bool(seed & 2)}
    flags = ["--overlap=full"] * objective["full"] + ["--schedule=gpipe"] * objective["gpipe"]
    variant = seed % 3 if rules.accelerators > 1 else 0
    if variant == 1:
        objective.update(per_host=2, factor=draw.choice([0, 0.5, 0.9]))
        flags += ["--accelerators-per-host=2", f"--inside-host-factor={objective['factor']}"]
    if variant == 2:
        objective.update(bandwidth=draw.choice([0.5, 2, 100]))
        flags += ["--replication", f"--all-reduce-bandwidth={objective['bandwidth']}"]
    best, smallest = {True: NEVER, False: NEVER}, {True: NEVER, False: NEVER}
    for devices in rules.splits(variant == 1):
        held, values = rules.held(devices), [NEVER]
        if held <= rules.memory:
            values = [rules.load(devices, replicas=replicas, **objective)
                      for replicas in (rules.replications(devices) if variant == 2 else [None])]
        for contiguous in (True, False):
            if not contiguous or rules.is_contiguous(devices):
                best[contiguous] = min([best[contiguous]] + values)
                smallest[contiguous] = min(smallest[contiguous], held)
    for name in ["dp", "dpl", "greedy", "pipedream"] + ["milp"] * (variant == 0 and seed % 4 == 0):
        judge(seed, "placement", problem, ["--algorithm=" + name] + flags, best[True], smallest[True],
              name == "milp" or (name == "dp" and variant != 1), "max_load")
    if variant == 2:
        return
    for name in ["local-search"] + ["milp"] * (variant == 0 and seed % 4 == 0):
        limit = ["--time-limit=0.02"] * (name == "local-search")
        judge(seed, "placement", problem, ["--algorithm=" + name, "--contiguous=false"] + limit + flags, best[False],
              smallest[False], name == "milp", "max_load")


def latency(seed, draw):
    problem = draw_placement(draw, 4)
    rules = Rules(problem)
    count, subgraphs = len(rules.nodes), 1 + seed % 2
    slots = subgraphs * (2 if any(rules.backward) else 1)
    places = [(at, slot) for at in range(rules.accelerators) for slot in range(slots)]
    places += [(rules.accelerators, 0)] * (rules.cpus > 0)
    if not is_well_formed(rules) or len(places)**count > 8000:
        return
    best = smallest = NEVER
    for choice in itertools.product(places, repeat=count):
        devices = [at for at, _ in choice]
        if rules.is_legal(devices):
            held, time = rules.held(devices), rules.latency(devices, [slot for _, slot in choice])
            if time < NEVER:
                smallest = min(smallest, held)
            if held <= rules.memory:
                best = min(best, time)
    flags = ["--objective=latency", f"--subgraphs={subgraphs}"]
    for name in ("greedy", "max-load", "local-search"):
        judge(seed, "placement", problem, flags + ["--algorithm=" + name, "--time-limit=0.02"], best, smallest, False, "latency")
    # The program knows no queues for CPUs.
    judge(seed, "placement", problem, flags + ["--algorithm=milp"], best, smallest,
          rules.cpus == 0 or rules.cpus >= count, "latency")


# Cost graphs


def cost_graph(seed, draw):
    forbidden, count, end = 10**18, draw.randint(1, 6), draw.randint(1, 6)
    configs = [draw.randint(1, 4) for _ in range(count)]
    # At most 18 costs are added, to less than 4 * 10^18; doubles tell 10^17 and 10^17 + 1 not apart.
    low, high = draw.choice([(0, 10**12), (0, 2 * 10**17), (10**17, 10**17 + 20)])

    def cost():
        return forbidden if draw.random() < 0.1 else draw.choice([0, draw.randint(0, 9), draw.randint(low, high)])

    intervals = [[draw.randint(0, end), draw.randint(0, end + 1)] for _ in range(count)]
    costs = [[cost() for _ in range(number)] for number in configs]
    usages = [[draw.choice([0, draw.randint(0, 9), draw.randint(0, 10**10)]) for _ in range(number)] for number in configs]
    edges, edge_costs = [], []
    for _ in range(draw.randint(0, 2 * count) if count > 1 else 0):
        edges.append(draw.sample(range(count), 2))
        edge_costs.append([cost() for _ in range(configs[edges[-1][0]] * configs[edges[-1][1]])])
    found = []
    for choice in itertools.product(*map(range, configs)):
        parts = [costs[i][c] for i, c in enumerate(choice)]
        parts += [table[choice[a] * configs[b] + choice[b]] for (a, b), table in zip(edges, edge_costs)]
        if max(parts) < forbidden:
            found.append((max(sum(usages[i][c] for i, c in enumerate(choice) if intervals[i][0] <= time < intervals[i][1])
                              for time in range(end + 1)), sum(parts)))
    problem = {"nodes": {"intervals": intervals, "costs": costs, "usages": usages}, "edges": {"nodes": edges, "costs": edge_costs}}
    capacity = draw.choice([None, draw.choice(found)[0], min(found)[0], min(found)[0] - 1]) if found else 5
    if capacity is not None:
        problem["usage_limit"] = capacity = max(capacity, 0)
    best = min((value for peak, value in found if capacity is None or peak <= capacity), default=NEVER)
    smallest = min(found, default=(NEVER, 0))[0]
    for flags in ([], ["--algorithm=elimination"], ["--algorithm=search", "--rounds=3"], ["--tie-repeated-blocks", "--rounds=3"]):
        if "--rounds=3" not in flags or best < NEVER and "ties" not in str(flags):
            judge(seed, "cost-graph", {"problem": problem}, flags, best, smallest, "--rounds=3" not in flags, "cost")


for case in range(cases):
    {"throughput": throughput, "latency": latency, "cost-graph": cost_graph}[kind](case, random.Random(case))
print(f"{kind}: {cases} cases, {failures} disagree")
