# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the tiles of a plan to a mesh of devices.

A plan says for every device which region of a tensor it holds. JAX and PyTorch say it with a mesh: devices as a grid
with named axes, and for every dim of a tensor the axes that cut it. The mesh here has an axis for each prime factor of
the number of devices; axes that no tensor tells apart are one. A tensor that no list of axes describes is in `inexact`,
with the reason: it lies elsewhere than in the plan, which changes nothing that is computed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence


@dataclass
class TensorLayout:
    """How a tensor lies on the mesh."""

    name: str
    kind: str
    shape: list[int]
    #: Number of the function's argument; -1 for results.
    argument: int
    #: For every dim the axes that cut it, the outermost first.
    dims: list[tuple[str, ...]]


@dataclass
class Layout:
    """A mesh of devices and how every tensor of a function lies on it. Device d of the topology has the coordinates of
    position d, row-major."""

    axes: dict[str, int]
    tensors: dict[str, TensorLayout]
    #: What the mesh does not express, by name of the tensor.
    inexact: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(placement: Mapping[str, Any], group: Sequence[int] | None = None) -> Layout:
        """The layout of a placement (`Plan.placement`) that describes most tensors. With `group`, of the parameters and
        states that lie on these devices, which are positions 0, 1, ... of the mesh."""
        if group is not None:
            placement = _on_group(placement, group)
        devices = placement["devices"]
        cuts = {row["name"]: _cuts(row, devices) for row in placement["tensors"] if row["kind"] != "positions"}
        best: tuple[int, list[int], dict[str, list[tuple[int, ...]]], dict[str, str]] | None = None
        for factors in sorted(set(itertools.permutations(_primes(devices))), reverse=True):
            found: dict[str, list[tuple[int, ...]]] = {}
            faults: dict[str, str] = {}
            for name, (dims, fault) in cuts.items():
                lists = [_axes_of(indices, factors) for indices in dims]
                for dim, axes in enumerate(lists):
                    if axes is None:
                        lists[dim] = _axes_of_count(max(dims[dim]) + 1, factors, lists)
                        where = "lie on other devices" if lists[dim] else "fit no axes of the mesh, it is whole"
                        fault = fault or f"the pieces of dim {dim} {where}"
                if fault is not None:
                    faults[name] = fault
                found[name] = [axes or () for axes in lists]
            if best is None or len(faults) < best[0]:
                best = (len(faults), list(factors), found, faults)
        assert best is not None
        sizes, found = _merged(best[1], best[2])
        names = [f"axis{i}" for i in range(len(sizes))]
        tensors = {
            row["name"]: TensorLayout(
                row["name"],
                row["kind"],
                row["shape"],
                row["argument"],
                [tuple(names[axis] for axis in axes) for axes in found[row["name"]]],
            )
            for row in placement["tensors"]
            if row["name"] in found
        }
        return Layout(dict(zip(names, sizes)), tensors, best[3])

    @property
    def mesh_shape(self) -> tuple[int, ...]:
        return tuple(self.axes.values())

    def __str__(self) -> str:
        mesh = " x ".join(f"{name} {extent}" for name, extent in self.axes.items())
        lines = [f"mesh: {mesh or 'one device'}"]
        for tensor in self.tensors.values():
            dims = ", ".join("+".join(axes) if axes else "whole" for axes in tensor.dims)
            note = f"  ({self.inexact[tensor.name]})" if tensor.name in self.inexact else ""
            lines.append(f"  {tensor.name}: [{dims}]{note}")
        return "\n".join(lines)


def _on_group(placement: Mapping[str, Any], group: Sequence[int]) -> Mapping[str, Any]:
    """The parameters and states on a group of devices, which are numbered by their places in the group."""
    place = {device: i for i, device in enumerate(group)}
    tensors = []
    for row in placement["tensors"]:
        tiles = [{**tile, "device": place[tile["device"]]} for tile in row["tiles"] if tile["device"] in place]
        if tiles and row["kind"] in ("parameter", "state"):
            tensors.append({**row, "tiles": tiles})
    return {"devices": len(group), "tensors": tensors}


def _primes(number: int) -> list[int]:
    factors, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors


#: For every dim its intervals.
Region = tuple[tuple[tuple[int, int], ...], ...]


def _size_of(region: Region) -> int:
    elements = 1
    for intervals in region:
        elements *= sum(end - begin for begin, end in intervals)
    return elements


def _joined(regions: Sequence[Region], dim: int) -> list[Region]:
    """Regions that differ in one dim alone, by intervals that touch or overlap, are joined."""
    rows: list[Region] = []
    for region in sorted(regions, key=lambda one: (one[:dim], one[dim + 1 :], one[dim])):
        last = rows[-1] if rows else None
        alike = last is not None and (last[:dim], last[dim + 1 :]) == (region[:dim], region[dim + 1 :])
        if last is not None and alike and len(last[dim]) == len(region[dim]) == 1 and region[dim][0][0] <= last[dim][0][1]:
            end = max(last[dim][0][1], region[dim][0][1])
            rows[-1] = (*last[:dim], ((last[dim][0][0], end),), *last[dim + 1 :])
        else:
            rows.append(region)
    return rows


def _held(tiles: Sequence[Mapping[str, Any]]) -> Region:
    """The region that a device keeps: the tile that is updated; else the largest one that its tiles make together, as
    where ops read slices of an argument."""
    own = [tile for tile in tiles if tile.get("updated")] or tiles
    regions: list[Region] = [tuple(tuple(map(tuple, intervals)) for intervals in tile["region"]) for tile in own]
    count = 0
    while count != len(regions):
        count = len(regions)
        for dim in range(len(regions[0])):
            regions = _joined(regions, dim)
    return max(regions, key=_size_of)


def _cuts(row: Mapping[str, Any], devices: int) -> tuple[list[list[int]], str | None]:
    """For every dim of a tensor, which of its pieces each device has, and what is no even cut. A whole dim is a list of
    zeros."""
    rank = len(row["shape"])
    whole: list[list[int]] = [[0] * devices for _ in range(rank)]
    by_device: dict[int, list[Mapping[str, Any]]] = {}
    for tile in row["tiles"]:
        by_device.setdefault(tile["device"], []).append(tile)
    if not by_device:
        return whole, None
    if len(by_device) < devices:
        # All devices have what some need.
        return whole, f"only {len(by_device)} of {devices} devices hold it"
    regions = [_held(by_device[device]) for device in range(devices)]
    dims, fault = [], None
    for dim in range(rank):
        pieces = sorted({region[dim] for region in regions})
        if any(len(piece) != 1 for piece in pieces):
            fault = f"dim {dim} is cut into pieces with gaps"
            dims.append(whole[dim])
            continue
        ends = [piece[0] for piece in pieces]
        if ends[0][0] != 0 or any(b[0] < a[0] or b[1] <= a[1] for a, b in zip(ends, ends[1:])):
            fault = f"dim {dim} has pieces within pieces"
            dims.append(whole[dim])
            continue
        overlaps = any(b[0] < a[1] for a, b in zip(ends, ends[1:]))
        gaps = any(b[0] > a[1] for a, b in zip(ends, ends[1:])) or ends[-1][1] != row["shape"][dim]
        if overlaps or gaps:
            # Halos of a window: without them it is an even cut.
            fault = f"dim {dim} has pieces that {'overlap' if overlaps else 'leave out elements'}"
        if len(pieces) > 1 and gaps:
            dims.append(whole[dim])
            continue
        position = {piece: i for i, piece in enumerate(pieces)}
        dims.append([position[region[dim]] for region in regions])
    return dims, fault


def _axes_of(indices: Sequence[int], factors: Sequence[int]) -> tuple[int, ...] | None:
    """The axes, the outermost first, whose coordinates as a mixed-radix number are `indices` of all devices; None if
    there are none."""
    strides = [1] * len(factors)
    for axis in range(len(factors) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * factors[axis + 1]
    weights = [indices[stride] if factor > 1 else 0 for stride, factor in zip(strides, factors)]
    axes = sorted((axis for axis in range(len(factors)) if weights[axis] > 0), key=lambda axis: -weights[axis])
    unit = 1
    for axis in reversed(axes):
        if weights[axis] != unit:
            return None
        unit *= factors[axis]
    for device, index in enumerate(indices):
        value = sum(device // strides[axis] % factors[axis] * weights[axis] for axis in axes)
        if value != index:
            return None
    return tuple(axes)


def _axes_of_count(
    count: int, factors: Sequence[int], others: Sequence[tuple[int, ...] | None]
) -> tuple[int, ...]:
    """Neighbouring axes that make as many pieces and that no other dim uses; none if there are none."""
    used = {axis for axes in others if axes for axis in axes}
    for first in range(len(factors)):
        product = 1
        for last in range(first, len(factors)):
            if last in used:
                break
            product *= factors[last]
            if product == count:
                return tuple(range(first, last + 1))
    return ()


def _merged(
    factors: list[int], found: dict[str, list[tuple[int, ...]]]
) -> tuple[list[int], dict[str, list[tuple[int, ...]]]]:
    """Joins neighbouring axes that stand side by side in every list that has one of them."""
    axis = 0
    while axis + 1 < len(factors):
        lists = [axes for dims in found.values() for axes in dims if axis in axes or axis + 1 in axes]
        together = all(
            axis in axes and axes.index(axis) + 1 < len(axes) and axes[axes.index(axis) + 1] == axis + 1
            for axes in lists
        )
        if not together:
            axis += 1
            continue
        factors = factors[:axis] + [factors[axis] * factors[axis + 1]] + factors[axis + 2 :]
        found = {
            name: [tuple(a if a <= axis else a - 1 for a in axes if a != axis + 1) for axes in dims]
            for name, dims in found.items()
        }
    return factors, found
