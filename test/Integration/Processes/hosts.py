#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks on two to four hosts, which are network namespaces of this machine with names and cables of their own.

    hosts.py BUILD

A training on two has to end with the weights of one in a single process; when the cable is pulled, every rank has to
end within 10 s, and the ranks that can still be heard have to name the ranks that they lost. Ranks that meet without
MPI listen on the addresses between the hosts and nowhere else; where they listen on loopback, they say so. soap-launch
runs pipelines over the hosts, and elastic runs, which go on when a host is killed and when another one is stopped.
Needs root and `ip netns`; skipped otherwise. The last line is "N passed, N failed".
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import faults
from common import ENVIRONMENT, MLP, execute, lower, need_mpi, same_bytes, tool, training_step
from namespaces import Hosts, need_namespaces
from tally import Tally

LIMIT_S = 10.0


def mpirun(hosts, *arguments):
    """Two ranks on each host, started from the first one."""
    launch = ["mpirun", "--oversubscribe", "-np", "4", "--host", ",".join(a + ":2" for a in hosts.addresses),
              "--mca", "plm_rsh_agent", hosts.agent, "-x", "ASAN_OPTIONS", *arguments]
    return ["ip", "netns", "exec", hosts.names[0], "unshare", "--uts", "sh", "-c",
            "hostname %s; exec \"$@\"" % hosts.names[0], "sh", *launch]


def ranks_running(marker):
    """Process ids of the ranks of this test, on both hosts: their command line has the marker, a file of the test."""
    result = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open("/proc/%s/cmdline" % name, "rb") as stream:
                words = stream.read().split(b"\0")
            with open("/proc/%s/stat" % name) as stream:
                zombie = stream.read().split(")")[-1].split()[0] == "Z"
        except OSError:
            continue
        if words[0].endswith(b"soap-run") and marker.encode() in words and not zombie:
            result.append(int(name))
    return result


def equal(build, folder, hosts, module):
    alone, together = (os.path.join(folder, name) for name in ("alone.safetensors", "together.safetensors"))
    command = [tool(build, "soap-run"), "train", module, "--data=synthetic", "--iterations=30", "--quiet", "--threads-per-device=1"]
    execute(command + ["--save-state", alone])
    execute(mpirun(hosts, *command, "--save-state", together))
    return "" if same_bytes(alone, together) else "the weights differ"


def cut_off(build, folder, hosts, module):
    log = os.path.join(folder, "log")
    with open(log, "wb") as stream:
        job = subprocess.Popen(mpirun(hosts, tool(build, "soap-run"), "train", module, "--data=synthetic", "--iterations=100000000",
                                            "--checkpoint=" + os.path.join(folder, "c.safetensors"),
                                            "--checkpoint-every=20"), stdin=subprocess.DEVNULL, stdout=stream,
                               stderr=subprocess.STDOUT, start_new_session=True, env=ENVIRONMENT)
    ranks = []
    try:
        # A checkpoint says that all ranks are at work.
        deadline = time.monotonic() + 120
        while not os.path.exists(os.path.join(folder, "c.safetensors")) and time.monotonic() < deadline:
            if job.poll() is not None:
                break
            time.sleep(0.05)
        ranks = ranks_running(module)
        if len(ranks) != 4:
            with open(log, errors="replace") as stream:
                return "expected 4 ranks, got %d:\n%s" % (len(ranks), stream.read())
        hosts.pull_cable()
        start = time.monotonic()
        while ranks_running(module):
            if time.monotonic() - start > LIMIT_S:
                return "%d ranks still run after %.0f s" % (len(ranks_running(module)), LIMIT_S)
            time.sleep(0.05)
        with open(log, errors="replace") as stream:
            text = stream.read()
        for rank in (0, 1):
            if not re.search(r"^soap-run: rank %d: error: .*rank [23] \(process \d+ on '%s'\) has given no sign" %
                             (rank, hosts.names[1]), text, re.M):
                return "rank %d does not name a rank of the other host:\n%s" % (rank, text)
        return ""
    finally:
        for pid in ranks_running(module):
            os.kill(pid, signal.SIGKILL)
        try:
            os.killpg(job.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        job.wait()


class Meeting:
    """Four ranks without MPI, two on each host."""

    def __init__(self, build, folder, hosts, module):
        self.hosts, self.weights = hosts, os.path.join(folder, "met.safetensors")
        self.command = [tool(build, "soap-run"), "train", module, "--data=synthetic", "--iterations=30", "--threads-per-device=1",
                        "--save-weights=" + self.weights, "--ranks=4"]
        self.ranks = []

    def start(self, number, *flags, environment=None):
        command = ["ip", "netns", "exec", self.hosts.names[number // 2], *self.command, "--rank=%d" % number, *flags]
        self.ranks.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                           text=True, env=dict(ENVIRONMENT, **(environment or {}))))

    def listening(self):
        """Addresses, as hexadecimal digits, on which ranks on the hosts listen."""
        found = set()
        for name in self.hosts.names:
            text = subprocess.run(["ip", "netns", "exec", name, "cat", "/proc/net/tcp"], stdout=subprocess.PIPE, text=True).stdout
            found |= {line.split()[1].split(":")[0] for line in text.splitlines()[1:] if line.split()[3] == "0A"}
        return found

    def end(self, timeout):
        """Exit statuses and messages by rank."""
        result = []
        for rank in self.ranks:
            try:
                result.append((rank.wait(timeout), rank.stderr.read()))
            except subprocess.TimeoutExpired:
                rank.kill()
                rank.wait()
                result.append((None, rank.stderr.read()))
            rank.stderr.close()
        return result


def meets(build, folder, hosts, module):
    alone = os.path.join(folder, "alone.safetensors")
    meeting = Meeting(build, folder, hosts, module)
    execute([tool(build, "soap-run"), "train", module, "--data=synthetic", "--iterations=30", "--threads-per-device=1",
             "--save-weights", alone])
    where = "--rendezvous=%s:29555" % hosts.addresses[0]
    secret = {"SOAP_RENDEZVOUS_SECRET": "what only the ranks of this test know"}
    for number in range(3):
        meeting.start(number, where, environment=secret)
    wanted = {"".join("%02X" % int(part) for part in reversed(address.split("."))) for address in hosts.addresses}
    deadline = time.monotonic() + 30
    while meeting.listening() != wanted and time.monotonic() < deadline:
        time.sleep(0.05)
    listening = meeting.listening()
    meeting.start(3, where, environment=secret)
    ended = meeting.end(60)
    if listening != wanted:
        return "ranks listen on %s, expected %s" % (sorted(listening), sorted(wanted))
    wrong = [end for end in ended if end != (0, "")]
    return str(wrong) if wrong else "" if same_bytes(alone, meeting.weights) else "the weights differ"


def on_loopback(build, folder, hosts, module):
    """A file names no host: rank 0 listens on loopback, and others are told why they do not reach it."""
    path = os.path.join(folder, "rendezvous")
    meeting = Meeting(build, folder, hosts, module)
    for number in (0, 2):
        meeting.start(number, "--rendezvous=file:" + path, "--join-timeout=8")
    (_, first), (_, other) = meeting.end(30)
    expected = "it listens on 127.0.0.1 only, which this host cannot reach: expected '--listen' with an address of its host"
    if expected not in other or "no word from rank 1, 2, 3 of 4" not in first:
        return first + other
    meeting = Meeting(build, folder, hosts, module)
    meeting.start(0, "--rendezvous=file:" + path, "--listen=" + hosts.addresses[0])
    for number in (1, 2, 3):
        meeting.start(number, "--rendezvous=file:" + path)
    ended = meeting.end(60)
    if [status for status, _ in ended] != [0, 0, 0, 0] or "warning: no secret protects port" not in ended[0][1]:
        return str(ended)
    return ""


def pipelines(folder, hosts, test):
    """Over 2 to 4 hosts: the weights of one process, and each line with its rank."""
    for count, plan in ((2, "interleaved"), (3, "1f1b"), (4, "gpipe")):
        flags = [*test.flags(plan), "--topology=cpu-%d" % count, "--iterations=12"]
        alone, together = (os.path.join(folder, name) for name in ("alone.safetensors", "together.safetensors"))
        execute(test.run(*flags, "--save-state", alone))
        execute(hosts.launch(test.build, folder, *test.run(*flags, "--save-state", together), hosts=count))
        if not same_bytes(alone, together):
            return "%s over %d hosts: the weights differ" % (plan, count)
    return ""


def lost_hosts(folder, hosts, test):
    """The first of four hosts is killed, then another one is stopped: the run goes on with three and with two."""
    flags = [*test.flags("1f1b"), "--topology=cpu-4"]
    command = test.run(*flags, "--iterations=120", "--checkpoint=" + test.checkpoint, "--checkpoint-every=10", "--elastic",
                       "--elastic-min=2", "--save-state=" + test.weights, "--inject-delays=100")
    job = faults.Job(hosts.launch(test.build, folder, "--host-timeout=3", *command))
    try:
        for number, (host, kind) in enumerate(((0, signal.SIGKILL), (2, signal.SIGSTOP))):
            job.wait_for(lambda number=number: test.is_written(number, job))
            hosts.send(host, kind)
            if not job.wait_for(lambda number=number: "start %d with" % (number + 2) in job.text()):
                job.thread.join()
                return "ended with status %s:\n%s" % (job.process.returncode, job.text())
        status = job.wait(300)
        starts = [(int(match[1]), match[3], int(match[4] or 0)) for match in faults.ENDING.finditer(job.text())]
        if status != 0 or [start[:2] for start in starts] != [(2, "cpu-3"), (3, "cpu-2")] or not all(start[2] for start in starts):
            return "exit status %d:\n%s" % (status, job.text())
        for line in ("host '%s' is lost: its connection has ended" % hosts.addresses[0],
                     "host '%s' is lost: it has given no sign of life for 3000 ms" % hosts.addresses[2],
                     "start 2 with 3 of 4 ranks: 1, 2, 3 of the first start", "start 3 with 2 of 4 ranks: 1, 3 of the first start"):
            if line not in job.text():
                return "expected '%s':\n%s" % (line, job.text())
        wrong = test.replay("1f1b", flags, starts, 120)
        return wrong and wrong + ":\n" + job.text()
    except faults.Problem as error:
        return str(error)
    finally:
        job.close()


def cut_hosts(folder, hosts, test):
    """The cable of the second of three hosts is pulled, which soap-launch still reaches: the others go on."""
    flags = [*test.flags("1f1b"), "--topology=cpu-3"]
    command = test.run(*flags, "--iterations=60", "--checkpoint=" + test.checkpoint, "--checkpoint-every=10", "--elastic",
                       "--rank-timeout=2", "--save-state=" + test.weights, "--inject-delays=100")
    job = faults.Job(hosts.launch(test.build, folder, *command, hosts=3))
    try:
        job.wait_for(lambda: test.is_written(0, job))
        hosts.pull_cable(1)
        status = job.wait(300)
        starts = [(int(match[1]), match[3], int(match[4] or 0)) for match in faults.ENDING.finditer(job.text())]
        if status != 0 or [start[:2] for start in starts] != [(2, "cpu-2")]:
            return "exit status %d:\n%s" % (status, job.text())
        for line in ("rank 1 on '%s' is out of reach of rank 0: the network between them is cut" % hosts.addresses[1],
                     "start 2 with 2 of 3 ranks: 0, 2 of the first start"):
            if line not in job.text():
                return "expected '%s':\n%s" % (line, job.text())
        wrong = test.replay("1f1b", flags, starts, 60)
        return wrong and wrong + ":\n" + job.text()
    except faults.Problem as error:
        return str(error)
    finally:
        job.close()


def cut_while_joining(folder, hosts, test):
    """The fourth of four hosts is killed, and the cable of the second one is pulled as soon as its rank has ended: the
    rank does not come to the second start, and the others go on in a third one."""
    flags = [*test.flags("1f1b"), "--topology=cpu-4"]
    command = test.run(*flags, "--iterations=60", "--checkpoint=" + test.checkpoint, "--checkpoint-every=10", "--elastic",
                       "--rank-timeout=5", "--join-timeout=8", "--save-state=" + test.weights, "--inject-delays=100")
    job = faults.Job(hosts.launch(test.build, folder, *command))
    try:
        job.wait_for(lambda: test.is_written(0, job))
        hosts.send(3, signal.SIGKILL)
        job.wait_for(lambda: "[1] soap-run: rank 1: error: rank 3" in job.text())
        hosts.pull_cable(1)
        status = job.wait(300)
        starts = [(int(match[1]), match[3], int(match[4] or 0)) for match in faults.ENDING.finditer(job.text())]
        if status != 0 or not starts or starts[-1][:2] != (3, "cpu-2"):
            return "exit status %d:\n%s" % (status, job.text())
        for line in ("start 2 with 3 of 4 ranks: 0, 1, 2 of the first start",
                     "no word from rank 1 of 3 within 8000 ms",
                     "rank 1 on '%s' is out of reach of rank 0: the network between them is cut" % hosts.addresses[1],
                     "start 3 with 2 of 4 ranks: 0, 2 of the first start"):
            if line not in job.text():
                return "expected '%s':\n%s" % (line, job.text())
        return ""
    except faults.Problem as error:
        return str(error)
    finally:
        job.close()


def cores(folder, hosts, test):
    """Two hosts that are two machines, one with two cores and one with one of them: all devices use one thread."""
    if len(os.sched_getaffinity(0)) < 2:
        return ""
    core, other = sorted(os.sched_getaffinity(0))[:2]
    identity = os.path.join(folder, "identity")
    with open(identity, "w") as stream:
        stream.write("another machine\n")
    agent = os.path.join(folder, "machine.sh")
    with open(agent, "w") as stream:
        stream.write("#!/bin/sh\nif [ $1 = %s ]; then exec taskset -c %d,%d %s \"$@\"; fi\n" %
                     (hosts.addresses[0], core, other, hosts.agent))
        stream.write("exec unshare -m sh -c 'mount --bind %s /proc/sys/kernel/random/boot_id && exec taskset -c %d %s \"$@\"' sh \"$@\"\n" %
                     (identity, core, hosts.agent))
    os.chmod(agent, 0o700)
    alone, together = (os.path.join(folder, name) for name in ("alone.safetensors", "together.safetensors"))
    command = [tool(test.build, "soap-run"), "train", test.step, "--data=synthetic", "--iterations=5", "--topology=cpu-2",
               "--preset=data-parallel", "--save-state"]
    execute(command + [alone, "--threads-per-device=1"])
    done = subprocess.run([tool(test.build, "soap-launch"), "--hosts", hosts.write_file(folder, hosts=2), "--launcher",
                           agent + " {host} {command}", *command, together], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, env=ENVIRONMENT)
    expected = "note: hosts differ in cores: 2 a device on '%s', 1 on '%s'; all devices use the fewest" % tuple(hosts.names[:2])
    if done.returncode != 0 or expected not in done.stdout:
        return "exit status %d, expected '%s':\n%s" % (done.returncode, expected, done.stdout)
    return "" if same_bytes(alone, together) else "the weights differ"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    need_mpi(build)
    need_namespaces()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        step, module = os.path.join(folder, "step.mlir"), os.path.join(folder, "lowered.mlir")
        training_step(build, MLP, step)
        lower(build, step, "preset=data-parallel topology=cpu-4", module)
        for name, test in (("the weights of one process", equal), ("ranks that meet", meets),
                           ("loopback and files", on_loopback), ("the cable is pulled", cut_off)):
            with Hosts(folder) as hosts:
                try:
                    wrong = test(build, folder, hosts, module)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    wrong = str(error)
            print("tried: " + name, flush=True)
            tally.count(name, wrong)
        launched = faults.Test(build, folder)
        for name, test in (("pipelines over hosts", pipelines), ("hosts are lost", lost_hosts),
                           ("the network is cut", cut_hosts), ("the network is cut while ranks join", cut_while_joining), ("cores of hosts", cores)):
            launched.forget()
            with Hosts(folder, 4) as hosts:
                try:
                    wrong = test(folder, hosts, launched)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    wrong = str(error)
            print("tried: " + name, flush=True)
            tally.count(name, wrong)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
