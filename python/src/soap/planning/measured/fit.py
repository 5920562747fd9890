# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A topology, a profile and an executor that meet measurements, and how well they do.

What was measured of collectives is taken as it is; other groups on several machines follow from links that are scaled.
Of iterations, one factor of the speed of kernels is fitted."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable

from ..cluster import find_cluster
from ..errors import PlanError
from ..hybrid import Shape
from ..planner import Planner, Problem, Progress
from ..tools import Tools
from .links import Links, check_pairs
from .read import Collective, Measurements, Run

#: Speeds of kernels that the measured iterations imply may be that far apart.
SPREAD = 1.5
#: The fit ends where the median run is met so well, or after so many steps.
NEAR, STEPS = 0.002, 6
KERNELS = (0.05, 20.0)
PROFILE = "measured.profile.json"


@dataclass
class Fitted:
    """The cluster and the executor to plan with instead of the ones that were named."""

    cluster: str
    executor: str = ""
    #: The file with the executor's constants; empty: they are the built-in ones.
    constants: str = ""
    notes: list[str] = field(default_factory=list)

    def apply(self, problem: Problem) -> Problem:
        return replace(problem, executor=self.constants or problem.executor, assumed=[*self.notes, *problem.assumed])


#: The problem and the shape of a run, and the executor that it is of.
JobReader = Callable[[Run, str], tuple[Problem, Shape, str]]


def fit(tools: Tools, measured: Measurements, cluster: str, executor: str, folder: Path, read_job: JobReader,
        progress: Progress) -> Fitted:  # fmt: skip
    """Writes the files to a folder."""
    fitted = Fitted(cluster, executor)
    topology = json.loads(_describe(tools, cluster, "json"))
    if measured.pairs:
        fitted.notes.append(check_pairs(topology, measured.pairs, measured.pairs_where))
    if measured.collectives:
        progress("fitting links to measured collectives")
        fitted.cluster = str(folder / "measured.topology.json")
        fitted.notes += _fit_collectives(tools, measured.collectives, topology, folder, cluster)
    if measured.runs:
        _fit_runs(tools, measured.runs, fitted, folder, read_job, progress)
    return fitted


def _describe(tools: Tools, cluster: str, form: str, *flags: str) -> str:
    try:
        return tools.run("soap-translate", f"--describe-topology={cluster}", f"--topology-as={form}", *flags)
    except PlanError as error:
        raise PlanError(f"--cluster {cluster}: " + str(error).removeprefix("--describe-topology: ")) from None


# Collectives


def _prices(tools: Tools, cluster: str, one: Collective) -> dict[int, float]:
    """Seconds by bytes, as Soap prices them."""
    text = _describe(tools, cluster, "collectives", f"--collective-devices={one.devices}",
                     "--collective-bytes=" + ",".join(map(str, one.seconds)))  # fmt: skip
    rows = [line.split() for line in text.splitlines()[1:]]
    return {int(row[2]): float(row[3]) * 1e-6 for row in rows if row[0] == one.kind}


def _of_base(tools: Tools, cluster: str, collectives: list[Collective], per_machine: int) -> list[Collective]:
    """Curves that the cluster has already of groups in one machine that were not measured: a profile that says a kind
    says all groups of it."""
    sizes = sorted({per_machine, *(1 << i for i in range(1, per_machine.bit_length()))} - {1})
    text = _describe(tools, cluster, "collectives", "--collective-devices=" + ",".join(map(str, sizes)),
                     "--collective-bytes=" + ",".join(str(1 << i) for i in range(9, 31)))  # fmt: skip
    own = {(one.kind, one.devices) for one in collectives if one.machines == 1}
    found: dict[tuple[str, int], dict[int, float]] = {}
    for row in (line.split() for line in text.splitlines()[1:]):
        group = (row[0], int(row[1]))
        if row[-1] == "measured" and group not in own and any(row[0] == one.kind for one in collectives):
            found.setdefault(group, {})[int(row[2])] = float(row[3]) * 1e-6
    return [Collective(kind, devices, 1, (), seconds, cluster) for (kind, devices), seconds in found.items()]


def _fit_collectives(tools: Tools, collectives: list[Collective], topology: dict[str, Any], folder: Path,
                     cluster: str) -> list[str]:  # fmt: skip
    where = find_cluster(tools, cluster)
    for one in collectives:
        _check_cluster(one, where.device, where.devices, where.machines, where.per_machine)
    kind = next(entry for entry in topology["device_types"] if entry["name"] == topology["devices"][0]["type"])
    links = Links(topology)
    base, kind["profile"] = kind.get("profile", ""), PROFILE
    if base.endswith(".json"):
        raise PlanError(f"--measured: {cluster} has a profile of its own, {base}; expected a built-in one")
    notes, path = [], folder / "measured.topology.json"
    topology["name"] = f"{topology['name']} as measured"
    inside = [one for one in collectives if one.machines == 1]
    across = [one for one in collectives if one.machines > 1]
    before = {id(one): _prices(tools, cluster, one) for one in collectives}
    others = _of_base(tools, cluster, collectives, where.per_machine)
    # Links first, beside curves of one machine.
    _write_profile(kind, base, links, [*inside, *others], folder)
    path.write_text(links.scaled(1, 1), encoding="utf-8")
    whole = [one for one in across if one.devices == one.machines * where.per_machine]
    if whole:
        notes.append(_fit_links(tools, links, path, max(whole, key=lambda one: max(one.seconds))))
    elif across:
        notes.append("links between machines are as they were: no group of whole machines was measured")
    _write_profile(kind, base, links, [*collectives, *others], folder)
    for one in collectives:
        ratios = sorted(one.seconds[size] / price for size, price in before[id(one)].items())
        now = _prices(tools, str(path), one)
        left = max(abs(now[size] / time - 1) for size, time in one.seconds.items())
        machines = f" on {one.machines} machines" if one.machines > 1 else ""
        notes.append(f"{one.kind} of {one.devices} devices{machines}, {len(ratios)} sizes: measured at "
                     f"{ratios[0]:.2f} to {ratios[-1]:.2f} times the price; prices now are within {100 * left:.0f} %")  # fmt: skip
    return [f"measured: {note}" for note in notes]


def _check_cluster(one: Collective, device: str, devices: int, machines: int, per_machine: int) -> None:
    def plain(text: str) -> str:
        return "".join(letter for letter in text.lower() if letter.isalnum())

    for gpu in one.gpus:
        family = device.split("-")[0]
        names = [plain(device)] + ([plain(family)] if any(letter.isdigit() for letter in family) else [])
        if not any(name in plain(gpu) for name in names):
            raise PlanError(f"--measured {one.where}: measured on '{gpu}', the cluster has {device}")
    if one.devices > devices or one.machines > machines or one.devices > one.machines * per_machine:
        raise PlanError(f"--measured {one.where}: measured {one.devices} devices in {one.machines} machines, the cluster has "
                        f"{machines} machines of {per_machine}")  # fmt: skip


def _write_profile(kind: dict[str, Any], base: str, links: Links, collectives: list[Collective], folder: Path) -> None:
    """The profile of the device type: measured collectives, and its base for all else."""
    groups: dict[tuple[str, int, int], dict[int, float]] = {}
    for one in collectives:
        groups.setdefault((one.kind, one.devices, one.machines), {}).update(one.seconds)
    entries = []
    for (name, devices, machines), seconds in groups.items():
        # Fewer bytes take no longer: what noise makes longer is cut.
        times, least = [], math.inf
        for size in sorted(seconds, reverse=True):
            least = min(least, seconds[size])
            # An all-to-all counts the bytes of all devices.
            times.append([size * devices if name == "all-to-all" else size, max(round(least * 1e9), 1)])
        entries.append({"kind": name, "devices": devices, "nodes": machines, "entries": times[::-1]})
    profile = {"version": 1, "device": kind["name"], "source": "collectives as measured", "flops_per_s": kind["flops_per_s"],
               "launch_s": kind["launch_s"], "memory_bandwidth_bytes_per_s": kind["memory_bandwidth_bytes_per_s"],
               "link_bandwidth_bytes_per_s": links.device_bandwidth(), "collectives": entries,
               **({"base": base} if base else {})}  # fmt: skip
    (folder / PROFILE).write_text(json.dumps(profile), encoding="utf-8")


def _fit_links(tools: Tools, links: Links, path: Path, one: Collective) -> str:
    """Scales the links between machines so that the most bytes, then the fewest, take as long as measured."""
    bandwidth = latency = 1.0
    sizes = sorted(one.seconds)
    for size, is_bandwidth in ((sizes[-1], True), (sizes[0], False), (sizes[-1], True)):
        for _ in range(STEPS):
            path.write_text(links.scaled(bandwidth, latency), encoding="utf-8")
            ratio = _prices(tools, str(path), one)[size] / one.seconds[size]
            if abs(ratio - 1) < 0.01:
                break
            if is_bandwidth:
                bandwidth = min(max(bandwidth * ratio, 0.05), 20.0)
            else:
                latency = min(max(latency / ratio, 0.05), 20.0)
    path.write_text(links.scaled(bandwidth, latency), encoding="utf-8")
    met = sorted(price / one.seconds[size] for size, price in _prices(tools, str(path), one).items())
    return (f"links between machines: bandwidth x {bandwidth:.2f}, latency x {latency:.2f}, from {one.kind} over "
            f"{one.machines} machines; by these links it takes {met[0]:.2f} to {met[-1]:.2f} times the measured time")  # fmt: skip


# Iterations


def _fit_runs(tools: Tools, runs: list[Run], fitted: Fitted, folder: Path, read_job: JobReader, progress: Progress) -> None:
    progress("building the measured jobs")
    jobs = []
    for run in runs:
        problem, shape, executor = read_job(run, fitted.cluster)
        if fitted.executor and executor != fitted.executor:
            raise PlanError(f"--measured {run.where}: '{run.name}' is a job of {executor}, expected {fitted.executor}")
        fitted.executor = executor
        planner = Planner(tools, problem, progress)
        planner.build_step()
        jobs.append((planner, shape))
    file = folder / "measured.executor.json"

    def ratios(kernels: float, reach: list[float] | None = None) -> list[float]:
        """Measured over simulated times, with kernels so many times as fast."""
        file.write_text(json.dumps({"version": 1, "name": f"{fitted.executor}-measured", "base": fitted.executor,
                                    "kernels": kernels, **({"range": reach} if reach else {})}), encoding="utf-8")  # fmt: skip
        found = []
        for run, (planner, shape) in zip(runs, jobs):
            planner.problem = replace(planner.problem, executor=str(file))
            try:
                found.append(run.seconds / planner.price(shape, simulate=True).seconds)
            except PlanError as error:
                raise PlanError(f"--measured {run.where}: '{run.name}' is no plan of Soap: {error}") from None
        return found

    progress("simulating the measured jobs")
    before = now = ratios(1)
    least, most = min(range(len(runs)), key=before.__getitem__), max(range(len(runs)), key=before.__getitem__)
    if before[most] > SPREAD * before[least]:
        raise PlanError(f"--measured: runs contradict each other: '{runs[least].name}' takes {before[least]:.2f} times its "
                        f"simulated time, '{runs[most].name}' {before[most]:.2f} times; expected factors at most "
                        f"{SPREAD} apart")  # fmt: skip
    kernels = 1.0
    for _ in range(STEPS):
        if abs(statistics.median(now) - 1) < NEAR:
            break
        progress(f"fitting the speed of kernels: {kernels:.3f}")
        kernels = min(max(kernels / statistics.median(now), KERNELS[0]), KERNELS[1])
        now = ratios(kernels)
    reach = [min(now), max(now)] if len(runs) > 1 else None
    ratios(kernels, reach)
    fitted.constants = str(file)
    fitted.notes.append(f"measured: kernels of {fitted.executor} are {kernels:.3f} times as fast as by its constants")
    fitted.notes += [f"measured: '{run.name}': {run.seconds:.4g} s; simulated {run.seconds / first:.4g} s before, "
                     f"{run.seconds / last:.4g} s now" for run, first, last in zip(runs, before, now)]  # fmt: skip
