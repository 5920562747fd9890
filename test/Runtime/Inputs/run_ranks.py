#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command as several ranks that meet over TCP, as a user would in as many terminals.

  run_ranks.py [--kill RANK] [--flag RANK FLAG]... [--replace RANK OLD NEW] RANKS HOW COMMAND...

HOW is file: (they meet through a file), port (rank 0 takes a free port, which the others are told), or environment (a
port, and rank and ranks from RANK and WORLD_SIZE). --kill ends a rank with SIGKILL when rank 0 has printed its first
line. --flag adds a flag to the command of one rank, --replace gives one rank another argument. Prints what the ranks
print, each line with its rank, sorted by rank; the exit status is the largest of those that ended by themselves."""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading

LIMIT_S = 600  # far beyond what any of it takes


class Rank:
    """One process, whose output threads collect."""

    def __init__(self, number, command, environment):
        self.number, self.lines, self.first, self.port = number, [], threading.Event(), None
        self.listening = threading.Event()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.threads = [threading.Thread(target=self.read, args=(stream,)) for stream in (self.process.stdout, self.process.stderr)]
        for thread in self.threads:
            thread.start()

    def read(self, stream):
        for line in stream:
            self.lines.append(line.rstrip("\n"))
            found = re.search(r"the rendezvous is on port (\d+)", line)
            if found:
                self.port = int(found.group(1))
                self.listening.set()
            elif stream is self.process.stdout:
                self.first.set()
        # A waiting thread must not wait for a rank that has ended.
        self.listening.set()
        if stream is self.process.stdout:
            self.first.set()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ranks", type=int)
    parser.add_argument("how", choices=("file", "port", "environment"))
    parser.add_argument("--kill", type=int)
    parser.add_argument("--flag", nargs=2, action="append", default=[])
    parser.add_argument("--replace", nargs=3, action="append", default=[])
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:

        def start(number, endpoint):
            extra = ["--rendezvous", endpoint]
            environment = dict(os.environ)
            if options.how == "environment":
                environment.update(RANK=str(number), WORLD_SIZE=str(options.ranks))
            else:
                extra += ["--rank", str(number), "--ranks", str(options.ranks)]
            extra += [flag for rank, text in options.flag if int(rank) == number for flag in text.split()]
            command = list(options.command)
            for rank, old, new in options.replace:
                if int(rank) == number:
                    command = [new if argument == old else argument for argument in command]
            return Rank(number, command + extra, environment)

        if options.how == "file":
            endpoint = "file:" + os.path.join(folder, "rendezvous")
            ranks = [start(number, endpoint) for number in range(options.ranks)]
        else:
            ranks = [start(0, "127.0.0.1:0")]
            ranks[0].listening.wait(LIMIT_S)
            # No process listens on port 1.
            endpoint = f"127.0.0.1:{ranks[0].port or 1}"
            ranks += [start(number, endpoint) for number in range(1, options.ranks)]
        if options.kill is not None:
            ranks[0].first.wait(LIMIT_S)
            os.kill(ranks[options.kill].process.pid, signal.SIGKILL)
        status = 0
        for rank in ranks:
            try:
                rank.process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                print(f"rank {rank.number} has not ended")
                status = 99
                rank.process.kill()
            for thread in rank.threads:
                thread.join()
            if rank.number != options.kill:
                status = max(status, abs(rank.process.returncode))
            for line in rank.lines:
                print(f"[{rank.number}] {line}")
    return status


sys.exit(main())
