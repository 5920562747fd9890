#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills ranks of pipelines at random moments, of runs that end then, and of elastic ones, which go on.

    faults.py BUILD [--rounds N] [--elastic N] [--first N] [--seed N]

Each round draws a pipeline (GPipe, 1F1B or interleaved 1F1B, over 2 to 4 ranks of soap-launch), a rank and a moment,
and kills the rank (SIGKILL). Of a run that is not elastic, every process has to end within 10 s of that, with the
signal as exit status, and every rank that had joined has to name the one that was lost. An elastic run loses one or
two ranks, or one rank and later a stopped one, and has to end with the bytes of a run in one process that has the same
plans and checkpoints, one after the other. The last line is "N passed, N failed": rounds. Before it: how long the
slowest round took to end, and how many runs went on.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

from common import ENVIRONMENT, execute, same_bytes, tool, training_step

LIMIT_S = 10.0
PLANS = {"gpipe": "soap-pipeline stages={devices} microbatches=4 schedule=gpipe summary=false",
         "1f1b": "soap-pipeline stages={devices} microbatches=12 schedule=1f1b summary=false",
         "interleaved": "soap-pipeline stages={devices} chunks=2 microbatches=12 schedule=1f1b summary=false"}
# Plans of elastic runs that are no pipelines: a preset, and a search with the same result each time.
OTHER_PLANS = {"data-parallel": ["--preset=data-parallel"], "searched": ["--search=proposals=50 seed=1 time-limit=100"]}
ENDING = re.compile(r"start (\d+), (\d) of \d ranks, on (\S+), plan: .*; (?:goes on after iteration (\d+) of|there is no checkpoint)")


def chain(layers=8, batch=12, width=16):
    """Products one after the other, which compile fast. The first and the last one have the same weight, which stages
    of a pipeline exchange."""
    tensor = "tensor<%dx%dxf32>" % (batch, width)
    weight = "tensor<%dx%dxf32>" % (width, width)
    kind = "{soap.kind = #soap.kind<%s>, soap.name = \"%s\"%s}"
    arguments = ["%%h0: %s %s" % (tensor, kind % ("data", "x", ", soap.sample_dim = 0 : i64"))]
    body = []
    for i in range(layers):
        if i < layers - 1:
            arguments.append("%%w%d: %s %s" % (i, weight, kind % ("parameter", "w%d" % i, ", soap.init = #soap.init<glorot>, "
                                                                 "soap.fan_in = %d : i64, soap.fan_out = %d : i64" % (width, width))))
        body.append("%%p%d = soap.matmul %%h%d, %%w%d {soap.name = \"p%d\", transpose_b} : (%s, %s) -> %s" %
                    (i, i, i % (layers - 1), i, tensor, weight, tensor))
        body.append("%%h%d = soap.tanh %%p%d {soap.name = \"h%d\"} : (%s) -> %s" % (i + 1, i, i, tensor, tensor))
    body[-1] = "return %%p%d : %s" % (layers - 1, tensor)
    return "func.func @forward(%s) -> (%s %s) {\n%s\n}\n" % (
        ", ".join(arguments), tensor, kind % ("output", "y", ""), "\n".join(body))


class Problem(Exception):
    pass


class Job:
    """A run under soap-launch, whose output is read while it runs."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, errors="replace", env=ENVIRONMENT)
        self.lines = []
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def text(self):
        return "\n".join(self.lines)

    def ranks(self):
        """Process ids by rank of the last start, as far as they run."""
        found = {pid: int(words[words.index("--rank") + 1]) for pid, words in processes()
                 if os.path.basename(words[0]) == "soap-run" and "--rank" in words and self.is_above(pid)}
        # A rank that starts soap-opt is there twice for a moment.
        return {rank: pid for pid, rank in found.items() if parent(pid) not in found}

    def is_above(self, pid):
        while pid > 1 and pid != self.process.pid:
            pid = parent(pid)
        return pid == self.process.pid

    def wait_for(self, what, timeout=120):
        """Waits until `what()` is true; its value. None if the run ends before."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            value = what()
            if value:
                return value
            if self.process.poll() is not None:
                return None
            time.sleep(0.005)
        raise Problem("nothing happened within %d s of the last event:\n%s" % (timeout, self.text()))

    def wait(self, timeout):
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise Problem("did not end within %.0f s:\n%s" % (timeout, self.text())) from None
        self.thread.join()
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.thread.join()
        self.process.stdout.close()


def parent(pid):
    try:
        with open("/proc/%d/stat" % pid) as stream:
            text = stream.read()
        return int(text[text.rindex(")") + 2:].split()[1])
    except (OSError, ValueError):
        return 0


def processes():
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/cmdline" % name, "rb") as stream:
                    words = stream.read().decode(errors="replace").split("\0")[:-1]
            except OSError:
                continue
            if words:
                yield int(name), words


def is_running(pid):
    try:
        with open("/proc/%d/stat" % pid) as stream:
            return stream.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


class Test:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.step = self.path("step.mlir")
        with open(self.path("chain.mlir"), "w") as stream:
            stream.write(chain())
        training_step(build, self.path("chain.mlir"), self.step)
        self.seen, self.since = None, 0
        self.checkpoint, self.weights = self.path("checkpoint.safetensors"), self.path("weights.safetensors")

    def path(self, name):
        return os.path.join(self.folder, name)

    def forget(self):
        """Removes what an earlier run has written."""
        for path in (self.checkpoint, self.weights):
            if os.path.exists(path):
                os.remove(path)

    def run(self, *flags):
        return [tool(self.build, "soap-run"), "train", self.step, "--data=synthetic", "--quiet", "--threads-per-device=1",
                "--rank-timeout=2", "--join-timeout=6", *flags]

    def launch(self, ranks, *flags):
        return Job([tool(self.build, "soap-launch"), "-n", str(ranks), *self.run(*flags)])

    def flags(self, plan):
        return OTHER_PLANS[plan] if plan in OTHER_PLANS else ["--plan=" + PLANS[plan]]

    def kill(self, rng):
        """One round of a run that ends; seconds until all processes had ended, and a text on the round."""
        name, ranks, victim = rng.choice(sorted(PLANS)), rng.randint(2, 4), None
        moment = rng.choice([rng.uniform(0, 0.3), rng.uniform(0.3, 1.5)])
        job = self.launch(ranks, *self.flags(name), "--topology=cpu-%d" % ranks, "--iterations=1000000000",
                          *(["--inject-delays=300"] if rng.random() < 0.3 else []))
        try:
            found = job.wait_for(lambda: (lambda all: all if len(all) == ranks else None)(job.ranks()))
            time.sleep(moment)
            victim = rng.randrange(ranks)
            text = "%s over %d ranks, SIGKILL to rank %d after %.3f s" % (name, ranks, victim, moment)
            if not found or not is_running(found[victim]):
                raise Problem("%s: the run ended before:\n%s" % (text, job.text()))
            os.kill(found[victim], signal.SIGKILL)
            start = time.monotonic()
            status = job.wait(LIMIT_S + 20)
            while any(is_running(pid) for pid in found.values()):
                if time.monotonic() - start > LIMIT_S:
                    break
                time.sleep(0.01)
            seconds = time.monotonic() - start
            if seconds > LIMIT_S:
                raise Problem("%s: ended after %.1f s:\n%s" % (text, seconds, job.text()))
            if status != 137:
                raise Problem("%s: exit status %d, expected 137:\n%s" % (text, status, job.text()))
            if "rank %d (process %d on 'localhost') is lost: signal 9" % (victim, found[victim]) not in job.text():
                raise Problem("%s: soap-launch does not name the rank:\n%s" % (text, job.text()))
            # Ranks that have joined the others watch them. One that has not joined may only see that rank 0 has gone.
            for rank in range(ranks):
                own = re.compile(r"^\[%d\] soap-run: rank %d: error: (.*)$" % (rank, rank), re.M).findall(job.text())
                if rank != victim and own and not any("rank %d" % victim in line for line in own):
                    raise Problem("%s: rank %d says:\n%s" % (text, rank, job.text()))
            return seconds, text
        finally:
            job.close()

    def elastic(self, rng):
        """One round of a run that goes on; 0 and a text on the round."""
        name = rng.choice(sorted(PLANS) + sorted(OTHER_PLANS))
        losses = [signal.SIGKILL] + rng.choice([[], [signal.SIGKILL], [signal.SIGSTOP]])
        iterations, every = rng.choice([(200, 7), (300, 16)])
        self.forget()
        flags = [*self.flags(name), "--topology=cpu-4"]
        job = self.launch(4, *flags, "--iterations=%d" % iterations, "--checkpoint=" + self.checkpoint,
                          "--checkpoint-every=%d" % every, "--elastic", "--elastic-min=2", "--save-state=" + self.weights,
                          "--inject-delays=30")
        text = "%s, elastic" % name
        try:
            for number, kind in enumerate(losses):
                ranks = 4 - number
                found = job.wait_for(lambda ranks=ranks: (lambda all: all if len(all) == ranks else None)(job.ranks()))
                # Mostly in the middle of the training; sometimes before it has begun.
                if found and rng.random() < 0.75:
                    job.wait_for(lambda number=number: self.is_written(number, job))
                time.sleep(rng.uniform(0, 0.2))
                victim = rng.randrange(ranks)
                text += ", %s to rank %d of %d" % (kind.name, victim, ranks)
                if not found or not is_running(found[victim]):
                    return 0, text + " (it had ended)"
                os.kill(found[victim], kind)
                # A stopped rank that has not joined yet is missed after the time limit for joining.
                if not job.wait_for(lambda number=number: "start %d with" % (number + 2) in job.text()):
                    job.thread.join()
                    if job.process.returncode == 0:
                        return 0, text + " (it had ended)"
                    raise Problem("%s: exit status %s:\n%s" % (text, job.process.returncode, job.text()))
            status = job.wait(300)
            if status != 0:
                raise Problem("%s: exit status %d:\n%s" % (text, status, job.text()))
            # A start whose rank was lost before all had joined says nothing.
            starts = [(int(match[1]), match[3], int(match[4] or 0)) for match in ENDING.finditer(job.text())]
            if not starts or starts[-1][:2] != (len(losses) + 1, "cpu-%d" % (4 - len(losses))):
                raise Problem("%s: expected a last start on the devices that are left:\n%s" % (text, job.text()))
            wrong = self.replay(name, flags, starts, iterations)
            if wrong:
                raise Problem("%s: %s:\n%s" % (text, wrong, job.text()))
            return 0, text + ", from iterations %s" % [start[2] for start in starts]
        finally:
            job.close()

    def is_written(self, number, job):
        """This start, the first one after so many losses, has written a checkpoint."""
        if number and not re.search(r"elastic: start %d, " % (number + 1), job.text()):
            return False
        if not os.path.exists(self.checkpoint):
            return False
        if self.seen != (number, job.process.pid):
            self.seen, self.since = (number, job.process.pid), time.time()
            return number == 0
        return os.stat(self.checkpoint).st_mtime > self.since

    def replay(self, name, flags, starts, iterations):
        """The same plans and checkpoints in one process; what is wrong."""
        expected, before = self.path("expected.safetensors"), self.path("before.safetensors")
        ends = [start[2] for start in starts] + [iterations]
        topologies = ["cpu-4"] + [start[1] for start in starts]
        resume = []
        for end, topology in zip(ends, topologies):
            plan = [flag for flag in flags if not flag.startswith(("--topology", "--search"))]
            if name == "searched":
                plan.append("--plan=soap-auto-parallel " + OTHER_PLANS[name][0][len("--search="):])
            if end == 0:
                continue  # nothing was kept: the next start begins anew
            execute(self.run(*plan, "--topology=" + topology, "--iterations=%d" % end, *resume, "--checkpoint=" + before,
                             "--save-state=" + expected))
            resume = ["--resume=" + before]
        return "" if same_bytes(expected, self.weights) else "the weights differ from a run with the same plans and checkpoints"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=6, help="of runs that end")
    parser.add_argument("--elastic", type=int, default=2, help="of runs that go on")
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("seed %d, %d rounds that end, %d that go on" % (options.seed, options.rounds, options.elastic), flush=True)
    passed = failed = slowest = went_on = 0
    with tempfile.TemporaryDirectory() as folder:
        test = Test(os.path.abspath(options.build), folder)
        for kind, count in ((Test.kill, options.rounds), (Test.elastic, options.elastic)):
            for i in range(options.first, options.first + count):
                # Each round has its own numbers, so that it can be repeated alone.
                rng = random.Random((options.seed * 1000003 + i) * 2 + (kind is Test.elastic))
                try:
                    seconds, text = kind(test, rng)
                    print("round %d: %s%s" % (i, text, ", all ended after %.2f s" % seconds if seconds else ""), flush=True)
                    slowest = max(slowest, seconds)
                    went_on += "from iterations" in text
                    passed += 1
                except (Problem, RuntimeError, subprocess.TimeoutExpired) as error:
                    print("FAILED round %d: %s" % (i, error), flush=True)
                    failed += 1
    print("the slowest end took %.2f s; %d runs went on" % (slowest, went_on))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
