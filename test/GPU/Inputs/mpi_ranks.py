#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command as ranks of mpirun, and shows what each of them has written.

  mpi_ranks.py [--kill RANK] [--replace RANK OLD NEW]... RANKS COMMAND...

Ranks write to files of their own: mpirun, when it ends a run, may drop what it has not passed on yet. --kill ends a
rank with SIGKILL when rank 0 has printed its first line, --replace gives one rank another argument. Prints what ranks
print, each line with its rank, and last the exit status of mpirun, which is this one's, too."""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

LIMIT_S = 600  # far beyond what any of it takes
# A rank gets: folder, ranks whose arguments are replaced, command. The shell becomes the rank.
RANK = """
import os, sys
folder, replaced, command = sys.argv[1], eval(sys.argv[2]), sys.argv[3:]
rank = os.environ["OMPI_COMM_WORLD_RANK"]
for number, old, new in replaced:
    if number == rank:
        command = [new if argument == old else argument for argument in command]
with open(os.path.join(folder, "starting." + rank), "w") as stream:
    stream.write(str(os.getpid()))
os.rename(os.path.join(folder, "starting." + rank), os.path.join(folder, "pid." + rank))
for descriptor, name in ((1, "out."), (2, "err.")):
    os.dup2(os.open(os.path.join(folder, name + rank), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), descriptor)
os.execvp(command[0], command)
"""


def text_of(path):
    try:
        with open(path, errors="replace") as stream:
            return stream.read()
    except FileNotFoundError:
        return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ranks", type=int)
    parser.add_argument("--kill", type=int)
    parser.add_argument("--replace", nargs=3, action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    # Ranks may be more than cores.
    mpirun = ["mpirun", "--oversubscribe", "-np", str(options.ranks)]
    deadline = time.monotonic() + LIMIT_S
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.Popen([*mpirun, sys.executable, "-c", RANK, folder, repr(options.replace), *options.command],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if options.kill is not None:
            while not text_of(os.path.join(folder, "out.0")) and job.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            victim = text_of(os.path.join(folder, "pid.%d" % options.kill))
            if victim and job.poll() is None:
                os.kill(int(victim), signal.SIGKILL)
        try:
            said, _ = job.communicate(timeout=max(1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            job.terminate()
            said, _ = job.communicate()
            said += "mpirun has not ended"
        for rank in range(options.ranks):
            for stream in ("out", "err"):
                for line in text_of(os.path.join(folder, "%s.%d" % (stream, rank))).splitlines():
                    print("[%d] %s" % (rank, line))
        print(said)
        print("mpirun: exit status %d" % job.returncode)
    return job.returncode


sys.exit(main())
