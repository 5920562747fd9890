#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills and stops ranks of a training at random, and resumes it.

    kill.py BUILD [--rounds N] [--first N] [--seed N] [--model mlp|lenet]

Each round starts a training on 4 ranks that writes checkpoints, and at a random moment kills (SIGKILL) or stops
(SIGSTOP) a random rank, or asks it to end (SIGTERM). Whatever happened, every process has to end within 10 s. After a
kill or a stop, every other rank has to say which rank was lost; after SIGTERM the run has to end in good order, if it
had begun. The training then goes on from the checkpoint, in processes or in one, and has to end with the weights of an
undisturbed run, byte for byte. Ranks write their messages to files of their own: mpirun, when it ends a run, may drop
what it has not passed on yet. The last line is "N passed, N failed": rounds. Before it: how long the slowest process
took to end.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from common import ENVIRONMENT, LENET, MLP, execute, lower, mpirun, need_mpi, same_bytes, tool, training_step

RANKS = 4
LIMIT_S = 10.0


class Problem(Exception):
    pass


def parent(pid):
    try:
        with open("/proc/%d/stat" % pid) as stream:
            text = stream.read()
        fields = text[text.rindex(")") + 2:].split()
        return None if fields[0] == "Z" else int(fields[1])
    except (OSError, ValueError):
        return None


def is_running(pid, mpirun_pid):
    return parent(pid) == mpirun_pid


def ranks_of(mpirun_pid):
    """Process ids by rank of what mpirun has started."""
    result = {}
    for name in os.listdir("/proc"):
        if not name.isdigit() or parent(int(name)) != mpirun_pid:
            continue
        try:
            with open("/proc/%s/environ" % name, "rb") as stream:
                found = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)\0", stream.read())
        except OSError:
            continue
        if found:
            result[int(found.group(1))] = int(name)
    return result


def watches(pid):
    """The process has joined the others: its monitor thread runs."""
    try:
        for task in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/comm" % (pid, task)) as stream:
                if stream.read().strip() == "soap-monitor":
                    return True
    except OSError:
        pass
    return False


class Job:
    """A training under mpirun."""

    def __init__(self, command, log):
        self.log = log
        for path in self.logs():
            if os.path.exists(path):
                os.remove(path)
        self.stream = open(log, "wb")
        # The shell becomes the rank.
        command = ["sh", "-c", 'exec "$@" 2>"$0.$OMPI_COMM_WORLD_RANK"', log, *command]
        self.process = subprocess.Popen(mpirun(RANKS, *command), stdin=subprocess.DEVNULL, stdout=self.stream,
                                        stderr=subprocess.STDOUT, start_new_session=True, env=ENVIRONMENT)

    def logs(self):
        return [self.log] + ["%s.%d" % (self.log, rank) for rank in range(RANKS)]

    def text(self):
        text = ""
        for path in self.logs():
            if os.path.exists(path):
                with open(path, "r", errors="replace") as stream:
                    text += stream.read()
        return text

    def wait_for_ranks(self):
        """Process ids by rank once all have joined; None if the training ended first."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            ranks = ranks_of(self.process.pid)
            if len(ranks) == RANKS and all(watches(pid) for pid in ranks.values()):
                return ranks
            status = self.process.poll()
            if status == 0:
                return None
            if status is not None:
                raise Problem("the ranks did not start; the output is\n" + self.text())
            time.sleep(0.01)
        raise Problem("the ranks did not start within 120 s")

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.stream.close()


class Test:
    def __init__(self, build, folder, model):
        self.build, self.folder = build, folder
        step, self.module = os.path.join(folder, "step.mlir"), os.path.join(folder, "lowered.mlir")
        training_step(build, LENET if model == "lenet" else MLP, step)
        lower(build, step, "preset=data-parallel topology=cpu-4", self.module)
        self.checkpoint = os.path.join(folder, "checkpoint.safetensors")
        self.weights = os.path.join(folder, "weights.safetensors")
        self.undisturbed = os.path.join(folder, "undisturbed.safetensors")
        self.iterations, self.every = (300, 20) if model == "lenet" else (2000, 100)
        execute(self.training() + ["--save-state", self.undisturbed])
        self.run_s = self.duration()

    def training(self):
        return [tool(self.build, "soap-run"), "train", self.module, "--data=synthetic", "--iterations=%d" % self.iterations, "--quiet"]

    def checkpointed(self):
        return self.training() + ["--checkpoint=" + self.checkpoint, "--checkpoint-every=%d" % self.every]

    def duration(self):
        """From the moment when all ranks have joined to the end."""
        job = Job([*self.training(), "--save-state", self.weights], os.path.join(self.folder, "first.log"))
        try:
            start = time.monotonic()
            if job.wait_for_ranks():
                start = time.monotonic()
            if job.process.wait(300) != 0:
                raise Problem("the undisturbed training failed:\n" + job.text())
        finally:
            job.close()
        if not same_bytes(self.weights, self.undisturbed):
            raise Problem("four processes compute other weights than one")
        return time.monotonic() - start

    def end_of(self, job, stopped):
        """Exit status of mpirun, all of whose ranks but perhaps a stopped one have ended."""
        try:
            return job.process.wait(10)
        except subprocess.TimeoutExpired:
            # It waits for a rank that was stopped when it had nothing left to do: the others ended in good order, else
            # mpirun would have killed it. Then it only has to be woken up.
            if stopped:
                os.kill(stopped, signal.SIGCONT)
        try:
            status = job.process.wait(10)
        except subprocess.TimeoutExpired:
            status = None
        if not stopped or status != 0:
            raise Problem("mpirun does not end%s; its output is\n%s" %
                          ("" if status is None else " before the stopped rank is woken up, with status %d" % status, job.text()))
        return status

    def disturb(self, kind, victim, moment):
        """Seconds until the last process had ended; None if the training ended before the rank was disturbed."""
        job = Job(self.checkpointed(), os.path.join(self.folder, "disturbed.log"))
        victim_pid = None
        try:
            ranks = job.wait_for_ranks()
            time.sleep(moment)
            if not ranks or victim not in ranks or not is_running(ranks[victim], job.process.pid):
                return None
            victim_pid = ranks[victim]
            os.kill(victim_pid, kind)
            start = time.monotonic()
            others = {rank: pid for rank, pid in ranks.items() if rank != victim}
            while others:
                others = {rank: pid for rank, pid in others.items() if is_running(pid, job.process.pid)}
                if time.monotonic() - start > LIMIT_S:
                    raise Problem("after %.1f s, ranks %s still run; the output is\n%s" %
                                  (LIMIT_S, sorted(others), job.text()))
                time.sleep(0.01)
            seconds = time.monotonic() - start
            status = self.end_of(job, victim_pid if kind == signal.SIGSTOP else None)
            text = job.text()
            # It may have ended by itself in the last moment: what the disturbed rank had to do was done.
            if status == 0:
                return None
            if kind == signal.SIGTERM:
                # After its last iteration one signal ends a rank at once, and others may still wait for its farewell.
                if re.search(r"rank %d \(process %d on '.*'\) has died, after iteration %d$" %
                             (victim, victim_pid, self.iterations), text, re.M):
                    return None
                if not ((status == 130 and "interrupted after" in text) or "interrupted before the first iteration" in text):
                    raise Problem("SIGTERM: exit status %d, output\n%s" % (status, text))
                return seconds
            for rank in ranks:
                if rank != victim and not re.search(r"^soap-run: rank %d: error: .*rank %d \(process %d on '.*'\) has (died|given)" %
                                                    (rank, victim, victim_pid), text, re.M):
                    raise Problem("rank %d does not name rank %d; the output is\n%s" % (rank, victim, text))
            return seconds
        finally:
            if victim_pid:
                try:
                    os.kill(victim_pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            job.close()

    def resume(self, in_processes):
        command = self.checkpointed() + ["--save-state", self.weights]
        if os.path.exists(self.checkpoint):
            command += ["--resume", self.checkpoint]
        execute(mpirun(RANKS, *command) if in_processes else command)
        if not same_bytes(self.weights, self.undisturbed):
            raise Problem("the resumed training ends with other weights")

    def round(self, rng):
        """One round; seconds until every process had ended, and a text that describes the round."""
        kind = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP, signal.SIGSTOP, signal.SIGTERM])
        victim, in_processes = rng.randrange(RANKS), rng.random() < 0.5
        for _ in range(20):
            for path in (self.checkpoint, self.weights):
                if os.path.exists(path):
                    os.remove(path)
            moment = rng.uniform(0, self.run_s)
            text = "%s to rank %d after %.3f s" % (kind.name, victim, moment)
            try:
                seconds = self.disturb(kind, victim, moment)
                if seconds is not None:
                    had = os.path.exists(self.checkpoint)
                    self.resume(in_processes)
                    return seconds, "%s, all ended after %.2f s, resumed %s in %s" % (
                        text, seconds, "from a checkpoint" if had else "from the start",
                        "processes" if in_processes else "one process")
            except (Problem, RuntimeError, subprocess.TimeoutExpired) as error:
                raise Problem("%s: %s" % (text, error))
        raise Problem("the training always ended before the disturbance")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", choices=["mlp", "lenet"], default="mlp")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    need_mpi(build)
    print("seed %d, %d rounds on %s" % (options.seed, options.rounds, options.model), flush=True)
    passed = failed = slowest = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            test = Test(build, folder, options.model)
        except (Problem, RuntimeError) as error:
            print("FAILED %s" % error)
            print("0 passed, 1 failed")
            return 1
        for i in range(options.first, options.first + options.rounds):
            # Each round has its own numbers, so that it can be repeated alone.
            rng = random.Random(options.seed * 1000003 + i)
            try:
                seconds, text = test.round(rng)
                print("round %d: %s" % (i, text), flush=True)
                slowest = max(slowest, seconds)
                passed += 1
            except Problem as error:
                print("FAILED round %d: %s" % (i, error), flush=True)
                failed += 1
    print("the slowest end took %.2f s" % slowest)
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
