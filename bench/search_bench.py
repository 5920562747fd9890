# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks of the search share: the networks of the SOAP paper as training steps, and searches with their
reports."""

import json
import os
import re
import subprocess
import sys
import tempfile

import built  # beside this file


def devices(cluster):
    """Devices of a topology called TYPE-NxM or TYPE-NxM-p2p."""
    nodes, per_node = re.search(r"-(\d+)x(\d+)(-p2p)?$", cluster).group(1, 2)
    return int(nodes) * int(per_node)


class Tools:
    """The programs of a build."""

    def __init__(self, build):
        self.translate, self.opt = built.programs(build, "soap-translate", "soap-opt")

    def step(self, folder, network, batch, cluster, option=""):
        """Writes the training step of a network with `batch` samples on each device, and an option of its generator;
        the path."""
        forward, module = os.path.join(folder, "forward.mlir"), os.path.join(folder, "step.mlir")
        generate = [self.translate, f"--generate={network}", f"--batch={batch * devices(cluster)}", "-o", forward]
        subprocess.run(generate + ([f"--option={option}"] if option else []), check=True)
        subprocess.run([self.opt, forward, "--soap-build-training-step", "-o", module], check=True)
        return module

    def search(self, module, options):
        """Runs soap-auto-parallel, Markov chains unless `options` say otherwise; its report."""
        if "algorithm=" not in options:
            options += " algorithm=mcmc"
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            result = subprocess.run([self.opt, module, f"--soap-auto-parallel={options} report={report.name}", "-o", os.devnull],
                                    capture_output=True, text=True)
            if result.returncode != 0:
                sys.exit(result.stderr)
            return json.load(open(report.name))

    def simulate(self, module, choose, may_not_fit=False):
        """The report of soap-simulate on the strategy that a pass chooses; None if none fits into memory and that may
        be."""
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            result = subprocess.run([self.opt, module, choose, f"--soap-simulate=compare=none report={report.name} summary=false", "-o", os.devnull],
                                    capture_output=True, text=True)
            if result.returncode != 0:
                if may_not_fit and "memory" in result.stderr:
                    return None
                sys.exit(result.stderr)
            return json.load(open(report.name))


def timed(command):
    """Runs a command; its processor seconds and most memory, in GB."""
    result = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", *command], stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit(result.stderr[:2000])
    user, system, kilobytes = re.search(r"([\d.]+) ([\d.]+) (\d+)\s*$", result.stderr).groups()
    return float(user) + float(system), int(kilobytes) * 1024e-9


def write(path, rows):
    """Writes what was measured so far; nothing without a path."""
    if path:
        with open(path + ".new", "w") as stream:
            json.dump(rows, stream, indent=1)
        os.replace(path + ".new", path)
