# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt.py FOLDER: Ctrl-C ends solvers with their best answer, whenever it comes.

soap-solve reads its instance from a pipe, so that a signal comes while it reads, before there is any answer; or when it
has worked for a while, or printed its progress. soap-opt writes its problem into a pipe that is full, and gets the
signal while it waits. Answers have to pass `soap-solve verify`.
"""
import fcntl
import json
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import sys
import time

FOLDER = sys.argv[1]
DEADLINE_S = 300  # of a step that fails, not of one that works
QUICK = ["dpl", "greedy", "pipedream", "scotch", "max-load"]  # end by themselves
F_SETPIPE_SZ = 1031


def path(name):
    return os.path.join(FOLDER, name)


def write_placement(name, nodes=150):
    random.seed(7)
    edges = [(random.randrange(max(0, i - 8), i), i) for i in range(1, nodes) for _ in range(2)]
    costs = [random.randint(1, 9) for _ in range(nodes)]
    with open(path(name), "w") as stream:
        json.dump({"maxSizePerFPGA": nodes * 2, "maxFPGAs": 4, "maxCPUs": 1,
                   "nodes": [{"id": i, "supportedOnFpga": 1, "isBackwardNode": 0, "cpuLatency": random.randint(50, 900),
                              "fpgaLatency": random.randint(1, 60), "size": random.randint(1, 5)} for i in range(nodes)],
                   "edges": [{"sourceId": a, "destId": b, "cost": costs[a]} for a, b in sorted(set(edges))]}, stream)


def write_cost_graph(name, nodes=300, states=8):
    """A random graph of high degree within a capacity: no proof within a minute."""
    random.seed(8)
    pairs = sorted({tuple(sorted(random.sample(range(nodes), 2))) for _ in range(3 * nodes)})
    costs = [[random.randint(0, 99) for _ in range(states)] for _ in range(nodes)]
    with open(path(name), "w") as stream:
        json.dump({"problem": {"name": name, "usage_limit": 10 * nodes,
                               "nodes": {"intervals": [[i, i + 40] for i in range(nodes)], "costs": costs,
                                         "usages": [[100 - c for c in row] for row in costs]},
                               "edges": {"nodes": pairs, "costs": [[random.randint(0, 99) for _ in range(states * states)]
                                                                   for _ in pairs]}}}, stream)


def fail(what, process, *more):
    process.kill()
    sys.exit("%s: %s" % (what, " ".join(str(m) for m in more)))


def cpu_seconds(process):
    """Of a process and its children: HiGHS works in one. Infinite for what is not there any more."""
    total, found = 0, False
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % name) as stream:
                fields = stream.read().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(name) == process.pid or int(fields[1]) == process.pid:
            found = found or int(name) == process.pid
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total if found else float("inf")


def finish(what, process, instance, solution, may_end=False):
    """The end of a process that was interrupted: 130, or 0 with a proof (or without, of those that take no time)."""
    try:
        errors = process.communicate(timeout=DEADLINE_S)[1] or ""
    except subprocess.TimeoutExpired:
        fail(what, process, "did not end after the signal")
    if process.returncode not in (0, 130):
        fail(what, process, "exit status", process.returncode, errors)
    with open(solution) as stream:
        answer = json.load(stream)
    if process.returncode == 0 and not answer["optimal"] and not may_end:
        fail(what, process, "ended without a signal or a proof", errors)
    if process.returncode == 130 and process.stderr and "best answer so far" not in errors:
        fail(what, process, "expected a line that says so, got", errors)
    verdict = subprocess.run(["soap-solve", "verify", instance, solution], capture_output=True, text=True)
    if verdict.returncode != 0:
        fail(what, process, verdict.stderr)
    print("%s: exit status %d, %s" % (what, process.returncode, verdict.stdout.strip()))


def at_once(what, arguments, instance, solution):
    """The signal comes while the instance is read."""
    pipe = path("instance.pipe")
    if os.path.exists(pipe):
        os.remove(pipe)
    os.mkfifo(pipe)
    process = subprocess.Popen(["soap-solve", arguments[0], pipe, "-o", solution, "--time-limit=1000"] + arguments[1:],
                               stderr=subprocess.PIPE, text=True)
    with open(pipe, "wb") as stream, open(instance, "rb") as source:  # waits until the other end is open
        process.send_signal(signal.SIGINT)
        stream.write(source.read())
    finish(what + ", while reading", process, instance, solution)


def while_working(what, arguments, instance, solution):
    process = subprocess.Popen(["soap-solve", arguments[0], instance, "-o", solution, "--time-limit=1000"] + arguments[1:],
                               stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + DEADLINE_S
    while process.poll() is None and cpu_seconds(process) < 0.2:
        if time.monotonic() > end:
            fail(what, process, "did nothing")
        time.sleep(0.05)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    finish(what + ", while working", process, instance, solution, any(name in what for name in QUICK))


def after_progress(what, arguments, instance, solution):
    """On a terminal: the signal comes after the first line of progress that has an answer."""
    terminal, other = pty.openpty()
    process = subprocess.Popen(["soap-solve", arguments[0], instance, "-o", solution, "--time-limit=1000"] + arguments[1:],
                               stderr=other)
    os.close(other)
    text, end, signalled = b"", time.monotonic() + DEADLINE_S, False
    while True:
        if not select.select([terminal], [], [], max(end - time.monotonic(), 0))[0]:
            fail(what, process, "expected progress, got", text)
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        text += part
        if not signalled and b"cost " in text and b"none yet" not in text.rsplit(b"cost ", 1)[1]:
            signalled = True
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
    finish(what + ", after its progress", process, instance, solution)


def place(model):
    """soap-opt --soap-place: goes on with what it has."""
    pipe = path("problem.pipe")
    if os.path.exists(pipe):
        os.remove(pipe)
    os.mkfifo(pipe)
    ours = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    fcntl.fcntl(ours, F_SETPIPE_SZ, 4096)
    for algorithm in sys.argv[3:]:
        what = "soap-place, " + algorithm
        process = subprocess.Popen(
            ["soap-opt", model, "--soap-place=topology=h100-4 microbatches=4 time-limit=1000 algorithm=" + algorithm +
             " instance=" + pipe, "-o", path("placed.mlir")], stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + DEADLINE_S
        problem, signalled = b"", False
        while process.poll() is None:
            if time.monotonic() > end:
                fail(what, process, "did not end")
            if not select.select([ours], [], [], 0.05)[0]:
                continue
            if not signalled:  # it writes, and can not go on, as the problem is larger than the pipe
                process.send_signal(signal.SIGINT)
                signalled = True
            problem += os.read(ours, 1 << 16)
        errors = process.communicate()[1]
        if len(problem) <= 4096:
            fail(what, process, "expected a problem of more than 4096 bytes, got", len(problem))
        if process.returncode != 0 or "interrupted: the best so far" not in errors:
            fail(what, process, "exit status", process.returncode, errors)
        with open(path("placed.mlir")) as stream:
            placed = stream.read()
        if "soap.pipeline" not in placed or "soap.config" not in placed:
            fail(what, process, "expected a placement in the module")
        print(what + ": " + errors.splitlines()[0])
    os.close(ours)


def is_built_with(name):
    probe = subprocess.run(["soap-solve", "placement", path("p.json"), "--contiguous=false", "--algorithm=" + name, "--time-limit=0",
                            "--quiet", "-o", path("s.json")], capture_output=True, text=True)
    if probe.returncode != 0 and "this build has no" not in probe.stderr:
        sys.exit(name + ": " + probe.stderr)
    return probe.returncode == 0


def main():
    os.makedirs(FOLDER, exist_ok=True)
    if sys.argv[2] != "solve":
        place(sys.argv[2])
        return
    write_placement("p.json")
    write_cost_graph("c.json")
    external = [name for name in ("milp", "scotch") if is_built_with(name)]
    commands = [("placement by " + name, ["placement", "--algorithm=" + name])
                for name in ["dp", "dpl", "greedy", "pipedream"] + external[:external.count("milp")]]
    commands += [("placement by " + name + ", any split", ["placement", "--contiguous=false", "--algorithm=" + name])
                 for name in ["local-search"] + external]
    commands += [("latency by " + name, ["placement", "--objective=latency", "--algorithm=" + name])
                 for name in ["greedy", "max-load", "local-search"] + external[:external.count("milp")]]
    commands += [("cost graph by " + name, ["cost-graph", "--algorithm=" + name])
                 for name in ["auto", "elimination", "search"]]
    commands.append(("cost graph with ties", ["cost-graph", "--tie-repeated-blocks"]))
    for what, arguments in commands:
        instance = path("p.json" if arguments[0] == "placement" else "c.json")
        for way in (at_once, while_working):
            way(what, arguments, instance, path("s.json"))
    after_progress("cost graph", ["cost-graph"], path("c.json"), path("s.json"))


main()
