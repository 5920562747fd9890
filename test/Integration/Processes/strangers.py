#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strangers at the ports of ranks that meet without MPI.

    strangers.py BUILD [--strangers N] [--seconds S] [--memory MIB]

Four ranks meet over loopback, the last one some seconds after the others. Meanwhile strangers connect to every port on
which a rank listens: some send without end, some nothing, some garbage, some half a word and then no more, some words
as ranks have them but with false claims, and some open connection after connection. The run has to end with the weights
of an undisturbed run, byte for byte, in memory near that of the undisturbed ranks, and the ranks have to say how many
strangers there were. With a rank that never comes, all have to end with a message that says both. A last part joins as
a rank itself, with the HMAC of Python's library in place of ours. Connections go to loopback ports of processes that
the test has started, and nowhere else. The last line is "N passed, N failed".
"""

import argparse
import hashlib
import hmac
import os
import random
import re
import resource
import selectors
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from common import ENVIRONMENT, MLP, execute, lower, same_bytes, tool, training_step
from tally import Tally

RANKS = 4
LIMIT_S = 150
SECRET = "what only the ranks of this test know"
MAGIC = b"SoapRdv2"
KINDS = ["endless", "silent", "garbage", "half", "false word", "many"]


def word(text):
    return MAGIC + struct.pack("<I", len(text)) + text


def derive(secret, purpose, run=""):
    return hmac.new(secret.encode(), ("soap %s\n%s" % (purpose, run)).encode(), hashlib.sha256).hexdigest().encode()


def sign(key, role, nonces, text):
    return hmac.new(key, b"\n".join([role, nonces, text]), hashlib.sha256).hexdigest().encode()


class Rank:
    """A process of the run; its messages, and the most memory that it had."""

    def __init__(self, number, command, environment):
        self.number, self.text, self.port, self.status, self.peak_kib = number, "", None, None, 0
        self.known = threading.Event()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, errors="replace", env=environment)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.text += line
            found = re.search(r"the rendezvous is on port (\d+)", line)
            if found:
                self.port = int(found.group(1))
                self.known.set()
        self.known.set()

    def poll(self):
        """Whether it has ended."""
        if self.status is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
                self.process.returncode = self.status
                self.peak_kib = usage.ru_maxrss
        return self.status is not None

    def end(self):
        while not self.poll():
            self.process.kill()
            time.sleep(0.01)
        self.reader.join()


def listening_ports(pids):
    """Loopback ports on which processes listen."""
    inodes = set()
    for pid in pids:
        try:
            for name in os.listdir("/proc/%d/fd" % pid):
                found = re.match(r"socket:\[(\d+)\]", os.readlink("/proc/%d/fd/%s" % (pid, name)))
                if found:
                    inodes.add(found.group(1))
        except OSError:
            pass
    ports = []
    with open("/proc/net/tcp") as stream:
        for line in stream.readlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                ports.append(int(fields[1].split(":")[1], 16))
    return ports


class Stranger:
    """A connection of a kind, and what it still has to say."""

    def __init__(self, kind, port, rng):
        self.kind, self.port = kind, port
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setblocking(False)
        self.socket.connect_ex(("127.0.0.1", port))
        self.patience = time.monotonic() + (0.05 if kind == "many" else 3600)
        nonce = b"0123456789abcdef" * 2
        claim = b"%d 5 4711 stranger nowhere 1 127.0.0.1" % rng.randrange(8)
        self.endless = kind == "endless"
        if kind == "endless":
            self.rest = rng.choice([b"", MAGIC + b"\xff\xff\xff\xff", MAGIC + struct.pack("<I", 4096)])
        elif kind == "garbage":
            self.rest = rng.choice([b"GET / HTTP/1.1\r\n\r\n", rng.randbytes(100), word(rng.randbytes(50)), word(b"hello")])
        elif kind == "half":
            text = word(b"hello " + nonce)
            self.rest = text[:rng.randrange(1, len(text))]
        elif kind == "false word":
            self.rest = word(b"hello " + nonce + b" " + sign(derive("", "join"), b"hello", nonce + nonce, claim) + b" " + claim)
        else:
            self.rest = b""


class Strangers:
    """They are at work from `with` on to its end; `ranks` may grow meanwhile."""

    BYTES = 1 << 28  # of all that send without end

    def __init__(self, count, ranks, seed):
        self.count, self.ranks, self.rng, self.stop = count, ranks, random.Random(seed), False
        self.connections, self.bytes, self.by_port = 0, 0, {}
        self.thread = threading.Thread(target=self.work)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop = True
        self.thread.join()

    def is_there(self, ports):
        """All have connected, to that many ports at least."""
        return self.connections >= 2 * self.count and len(self.by_port) >= ports

    def start(self, number, ports):
        stranger = Stranger(KINDS[number % len(KINDS)], self.rng.choice(ports), self.rng)
        self.connections += 1
        self.by_port[stranger.port] = self.by_port.get(stranger.port, 0) + 1
        return stranger

    def work(self):
        chunk = b"x" * (1 << 16)
        slots = [None] * self.count
        while not self.stop:
            # Some of those without a connection get one, at most 4,000 a second.
            ports = listening_ports([rank.process.pid for rank in list(self.ranks) if rank.status is None])
            free = [number for number, stranger in enumerate(slots) if not stranger]
            for number in self.rng.sample(free, min(40, len(free))) if ports else []:
                slots[number] = self.start(number, ports)
            with selectors.DefaultSelector() as selector:
                for number, stranger in enumerate(slots):
                    if stranger:
                        wants = stranger.rest or (stranger.endless and self.bytes < self.BYTES)
                        selector.register(stranger.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if wants else 0), number)
                events = selector.select(0.01)
            for key, mask in events:
                stranger = slots[key.data]
                try:
                    if mask & selectors.EVENT_READ and not stranger.socket.recv(1 << 12):
                        raise ConnectionResetError
                    if mask & selectors.EVENT_WRITE:
                        sent = stranger.socket.send(stranger.rest or chunk)
                        self.bytes += sent
                        stranger.rest = stranger.rest[sent:]
                except BlockingIOError:
                    continue
                except OSError:
                    stranger.socket.close()
                    slots[key.data] = None
            for number, stranger in enumerate(slots):
                if stranger and time.monotonic() > stranger.patience:
                    stranger.socket.close()
                    slots[number] = None
            time.sleep(0.01)
        for stranger in slots:
            if stranger:
                stranger.socket.close()


class Test:
    def __init__(self, build, folder, options):
        self.build, self.folder, self.options = build, folder, options
        step, self.module = os.path.join(folder, "step.mlir"), os.path.join(folder, "lowered.mlir")
        training_step(build, MLP, step)
        lower(build, step, "preset=data-parallel topology=cpu-4", self.module)
        self.alone, self.together = (os.path.join(folder, name) for name in ("alone.safetensors", "together.safetensors"))
        execute([*self.training(), "--save-weights", self.alone])
        self.secret = os.path.join(folder, "secret")
        with open(self.secret, "w") as stream:
            stream.write(SECRET + "\n")
        self.peaks = None

    def training(self):
        return [tool(self.build, "soap-run"), "train", self.module, "--data=synthetic", "--iterations=50", "--threads-per-device=1"]

    def start(self, number, port, flags):
        command = [*self.training(), "--rendezvous=127.0.0.1:%d" % port, "--rank=%d" % number, "--ranks=%d" % RANKS,
                   "--timeout=60", "--rank-timeout=60", "--join-timeout=30", *flags]
        environment = {name: value for name, value in ENVIRONMENT.items() if name != "SOAP_RENDEZVOUS_SECRET"}
        return Rank(number, command, environment)

    def run(self, flags, strangers, last_comes=True):
        """The ranks, all of which have ended; an error text, or ""; and the strangers."""
        ranks = [self.start(0, 0, flags)]
        crowd = Strangers(strangers, ranks, 1)
        try:
            ranks[0].known.wait(60)
            if not ranks[0].port:
                return ranks, "rank 0 does not listen:\n" + ranks[0].text, crowd
            with crowd:
                for number in range(1, RANKS - 1):
                    ranks.append(self.start(number, ranks[0].port, flags))
                start = time.monotonic()
                while strangers and time.monotonic() < start + 30 and (time.monotonic() < start + self.options.seconds or
                                                                       not crowd.is_there(RANKS - 1)):
                    time.sleep(0.05)
                if last_comes:
                    ranks.append(self.start(RANKS - 1, ranks[0].port, flags))
                deadline = time.monotonic() + LIMIT_S
                # All are asked: what one had of memory is known when it has ended.
                while not all([rank.poll() for rank in ranks]):
                    if time.monotonic() > deadline:
                        return ranks, "the ranks do not end", crowd
                    time.sleep(0.01)
            return ranks, "", crowd
        finally:
            for rank in ranks:
                rank.end()

    def undisturbed(self):
        ranks, wrong, _ = self.run(["--save-weights=" + self.together], 0)
        self.peaks = [rank.peak_kib for rank in ranks]
        return wrong or self.judge(ranks)

    def judge(self, ranks):
        for rank in ranks:
            if rank.status != 0:
                return "rank %d ended with status %s:\n%s" % (rank.number, rank.status, rank.text[-2000:])
            if self.peaks and rank.peak_kib > max(self.peaks) + self.options.memory * 1024:
                return "rank %d had %d KiB, undisturbed ranks have %s" % (rank.number, rank.peak_kib, self.peaks)
        return "" if same_bytes(self.alone, self.together) else "the weights differ from an undisturbed run's"

    def refused(self, rank):
        """How many strangers a rank has spoken of."""
        return sum(int(number) for number in re.findall(r"(\d+) connections? of (?:a stranger|strangers) refused", rank.text))

    def disturbed(self, flags):
        if os.path.exists(self.together):
            os.remove(self.together)
        ranks, wrong, crowd = self.run(["--save-weights=" + self.together, *flags], self.options.strangers)
        wrong = wrong or self.judge(ranks)
        if wrong:
            return wrong
        said = [self.refused(rank) for rank in ranks]
        print("%d connections to %d ports, %d MB; ranks speak of %s strangers; peaks of %s KiB, undisturbed %s" %
              (crowd.connections, len(crowd.by_port), crowd.bytes >> 20, said, [rank.peak_kib for rank in ranks], self.peaks),
              flush=True)
        if not crowd.is_there(RANKS - 1):
            return "too few connections to try anything: %d to %d ports" % (crowd.connections, len(crowd.by_port))
        silent = [rank.number for rank in ranks[:RANKS - 1] if not self.refused(rank)]
        return "ranks %s say nothing of strangers:\n%s" % (silent, ranks[silent[0]].text[-2000:]) if silent else ""

    def missing(self):
        ranks, wrong, _ = self.run(["--rendezvous-secret=" + self.secret, "--join-timeout=%d" % (self.options.seconds + 7)],
                                   self.options.strangers, last_comes=False)
        if wrong:
            return wrong
        for rank in ranks:
            if rank.status != 1 or not re.search(
                    r"error: rendezvous of rank %d: no word from rank 3 of 4 within \d+ ms; \d+ connections of strangers refused "
                    r"\(\d+ from 127\.0\.0\.1\)" % rank.number, rank.text):
                return "rank %d, status %s:\n%s" % (rank.number, rank.status, rank.text[-2000:])
        return ""

    def joined_by_python(self):
        """Rank 0 takes in a rank whose proof another implementation of HMAC has made, whose answer this checks."""
        environment = dict(ENVIRONMENT, SOAP_RENDEZVOUS_SECRET=SECRET)
        rank = Rank(0, [*self.training(), "--rendezvous=127.0.0.1:0", "--rank=0", "--ranks=2", "--join-timeout=30"], environment)
        try:
            rank.known.wait(60)
            key, nonce, claim = derive(SECRET, "join"), b"fedcba9876543210" * 2, b"1 2 4711 python elsewhere 1 127.0.0.1"

            def read(stream):
                header = stream.read(12)
                if header[:8] != MAGIC:
                    raise RuntimeError("no word of a rank: %r" % header)
                return stream.read(struct.unpack("<I", header[8:])[0])

            answers = []
            for own in (derive("another secret than theirs", "join"), key):
                with socket.create_connection(("127.0.0.1", rank.port), 30) as connection, connection.makefile("rb") as stream:
                    kind, theirs = read(stream).split(b" ")
                    if kind != b"challenge" or len(theirs) != 32:
                        return "no challenge"
                    connection.sendall(word(b"hello %s %s %s" % (nonce, sign(own, b"hello", theirs + nonce, claim), claim)))
                    kind, mac, text = read(stream).split(b" ", 2)
                    answers.append((text.split(b" ")[0], hmac.compare_digest(mac, sign(key, b"answer", theirs + nonce, text))))
            return "" if answers == [(b"", False), (b"welcome", True)] else "the answers are %s" % answers
        finally:
            rank.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--strangers", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=3, help="for which strangers have the ports of the first ranks")
    parser.add_argument("--memory", type=int, default=64, help="MiB that strangers may cost a rank")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, options.strangers + 200)), hard))
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        test = Test(os.path.abspath(options.build), folder, options)
        for name, part in (("undisturbed", test.undisturbed), ("strangers, no secret", lambda: test.disturbed([])),
                           ("strangers, a secret", lambda: test.disturbed(["--rendezvous-secret=" + test.secret])),
                           ("strangers, and a rank that never comes", test.missing),
                           ("a rank that is another program", test.joined_by_python)):
            start = time.monotonic()
            try:
                wrong = part()
            except (OSError, RuntimeError, ValueError) as error:
                wrong = repr(error)
            print("tried: %s, %.1f s" % (name, time.monotonic() - start), flush=True)
            tally.count(name, wrong)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
