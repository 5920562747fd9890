# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hosts that are network namespaces of this machine, each with a name of its own and a cable to a switch."""

import os
import signal
import stat
import subprocess

from common import skip


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def need_namespaces():
    if os.geteuid() != 0:
        skip("network namespaces need root")


class Hosts:
    """So many namespaces, and one with the switch; removed at the end."""

    def __init__(self, folder, count=2):
        self.names = ["soap%d%s" % (os.getpid(), "abcdefgh"[i]) for i in range(count)]
        self.addresses = ["10.213.77.%d" % (i + 1) for i in range(count)]
        self.cables = ["soap%s%d" % ("abcdefgh"[i], os.getpid() % 100000) for i in range(count)]
        self.switch = "soap%dswitch" % os.getpid()
        self.agent = os.path.join(folder, "agent.sh")
        with open(self.agent, "w") as stream:
            stream.write("#!/bin/sh\n# In place of ssh: ADDRESS COMMAND...\nhost=$1; shift\ncase $host in\n")
            for address, name in zip(self.addresses, self.names):
                stream.write("%s) exec ip netns exec %s unshare --uts sh -c \"hostname %s; exec $*\" ;;\n" % (address, name, name))
            stream.write("esac\nexit 1\n")
        os.chmod(self.agent, stat.S_IRWXU)

    def __enter__(self):
        for name in self.names + [self.switch]:
            if run("ip", "netns", "add", name) != 0:
                self.__exit__()
                skip("network namespaces can not be made here")
        commands = [["ip", "-n", self.switch, "link", "add", "switch", "type", "bridge"],
                    ["ip", "-n", self.switch, "link", "set", "switch", "up"]]
        for name, cable, address in zip(self.names, self.cables, self.addresses):
            port = "p" + cable
            commands += [["ip", "link", "add", cable, "netns", name, "type", "veth", "peer", "name", port, "netns", self.switch],
                         ["ip", "-n", self.switch, "link", "set", port, "master", "switch", "up"],
                         ["ip", "-n", name, "addr", "add", address + "/24", "dev", cable],
                         ["ip", "-n", name, "link", "set", cable, "up"], ["ip", "-n", name, "link", "set", "lo", "up"]]
        for command in commands:
            if run(*command) != 0:
                self.__exit__()
                skip("'%s' does not work here" % " ".join(command))
        return self

    def __exit__(self, *_):
        for i in range(len(self.names)):
            # The daemon of mpirun on a host that was cut off waits for it to come back.
            self.send(i, signal.SIGKILL)
        for name in self.names + [self.switch]:
            run("ip", "netns", "del", name)

    def pull_cable(self, host=0):
        run("ip", "-n", self.names[host], "link", "set", self.cables[host], "down")

    def processes(self, host):
        listed = subprocess.run(["ip", "netns", "pids", self.names[host]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return [int(pid) for pid in listed.stdout.split()]

    def send(self, host, number):
        """A signal to all processes of a host."""
        for pid in self.processes(host):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def write_file(self, folder, slots=1, hosts=None):
        """A host file of soap-launch."""
        path = os.path.join(folder, "hosts")
        with open(path, "w") as stream:
            stream.write("# hosts of a test\n")
            for address in self.addresses[:hosts]:
                stream.write("%s slots=%d  # a namespace\n" % (address, slots))
        return path

    def launch(self, build, folder, *arguments, slots=1, hosts=None):
        """soap-launch over the hosts, from outside of them."""
        return [os.path.join(build, "bin", "soap-launch"), "--hosts", self.write_file(folder, slots, hosts), "--launcher",
                self.agent + " {host} {command}", *arguments]
