# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings of a plan inside of a function of JAX.

`--soap-export-shard` and `--export-shardy` say how the ops of the plan hold what they compute, as constraints in the
StableHLO of the function. The function is lowered once more, with a scope for each equation of its jaxpr, so that each
constraint is of an equation. Then the jaxpr is evaluated with `with_sharding_constraint` behind these equations."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Sequence

import jax as _jax
import numpy as np
from jax._src.interpreters import mlir as _mlir
from jaxlib.mlir import ir as _ir

from ._jax_state import is_key
from ._jax_trace import Path, equations, evaluate
from .errors import SoapError

_FLOW = ("stablehlo.while", "stablehlo.case", "stablehlo.if")
_SCOPE = re.compile(r"soap_equation_([\d_]*\d)\b")
_MESH = re.compile(r"#sdy\.mesh<\[(.*?)\]>")
_AXIS = re.compile(r'"(\w+)"=(\d+)')
_SHARDING = re.compile(r"#sdy\.sharding<@\w+, \[(.*)\]>")


class InnerShardings:
    """Specs of the results of equations, and the mesh that they are for."""

    def __init__(self, closed: Any, mesh: Any, specs: dict[tuple[Path, int], Any], exported: int):
        self.closed = closed
        self.mesh = mesh
        #: By path of the equation and number of its result: the PartitionSpec.
        self.specs = specs
        #: Values of the program whose shardings the plan says.
        self.exported = exported

    def __call__(self, *leaves: Any) -> list[Any]:
        """The function on leaves, with constraints."""

        def constrain(path: Path, _equation: Any, results: list[Any]) -> list[Any]:
            return [self._placed(one, self.specs.get((path, i))) for i, one in enumerate(results)]

        return evaluate(self.closed, leaves, constrain)

    def _placed(self, value: Any, spec: Any) -> Any:
        if spec is None:
            return value
        return _jax.lax.with_sharding_constraint(value, _jax.sharding.NamedSharding(self.mesh, spec))


@dataclass
class _Op:
    """An op of a program. Plain data: ops live with their module."""

    name: str
    location: str
    #: Types of the results.
    results: list[str]
    #: By number of the result, the sharding of the constraint behind the op.
    shardings: dict[int, str]
    #: Whether it is in the region of an op that works on tensors: the sum of a reduction.
    is_inner: bool


def _ops_of(module: Any) -> list[_Op]:
    """The ops of all functions, and of their regions, in the order of the text. Constraints are of the op before."""
    rows: list[_Op] = []

    def visit(block: Any, is_inner: bool) -> None:
        last: _Op | None = None
        for one in block.operations:
            op = one.operation
            if op.name == "sdy.sharding_constraint":
                # JAX writes some around PRNG keys, on no mesh.
                if last is not None:
                    number = _ir.OpResult(op.operands[0]).result_number
                    last.shardings[number] = str(op.attributes["sharding"])
                continue
            last = _Op(op.name, str(op.location), [str(result.type) for result in op.results], {}, is_inner)
            rows.append(last)
            for region in op.regions:
                for inner in region:
                    visit(inner, is_inner or op.name not in _FLOW)

    for function in module.body.operations:
        if function.operation.name == "func.func":
            for block in function.regions[0]:
                visit(block, False)
    return rows


def find(closed: Any, avals: Sequence[Any], exported: str, devices: Sequence[Any]) -> InnerShardings:
    """The constraints of an exported program, by equation of the jaxpr that it was lowered from. `avals` are its
    arguments."""
    lowered = _jax.jit(lambda *leaves: evaluate(closed, leaves, scoped=True)).lower(*avals)
    with _mlir.make_ir_context():
        constrained = _ops_of(_ir.Module.parse(exported))
    scoped = _ops_of(lowered.compiler_ir("stablehlo"))
    # Order and names of ops tell whether both are the same program.
    if [op.name for op in constrained] != [op.name for op in scoped]:
        raise SoapError("the function lowers to another program than the one that the plan is of")
    axes = [(name, int(extent)) for name, extent in _AXIS.findall(_MESH.search(exported)[1])]
    used = math.prod(extent for _, extent in axes)
    if used != len(devices):
        raise SoapError(f"the ops of the plan are on {used} devices of {len(devices)}")
    grid = np.array(list(devices), dtype=object).reshape([extent for _, extent in axes] or [1])
    mesh = _jax.sharding.Mesh(grid, [name for name, _ in axes] or ["axis0"])
    known = equations(closed)
    # Of the ops of an equation the last one makes its results; of a loop, ops of its body have its scope, too.
    last: dict[Path, int] = {}
    for place, op in enumerate(scoped):
        if not op.is_inner and (scope := _SCOPE.findall(op.location)):
            path = tuple(map(int, scope[-1].split("_")))
            if known[path].primitive.name not in ("scan", "while", "cond") or op.name in _FLOW:
                last[path] = place
    specs: dict[tuple[Path, int], Any] = {}
    for path, place in last.items():
        results = known[path].outvars
        # A loop has its counter and its constants before the results of the equation.
        before = len(scoped[place].results) - len(results)
        for number, sharding in constrained[place].shardings.items():
            if not 0 <= number - before < len(results):
                continue
            aval = results[number - before].aval
            if not is_key(aval) and _shape_of(scoped[place].results[number]) == tuple(aval.shape):
                if (spec := _spec_of(sharding, dict(axes), aval.shape)) is not None:
                    specs[path, number - before] = spec
    return InnerShardings(closed, mesh, specs, sum(len(op.shardings) for op in constrained))


def _spec_of(sharding: str, axes: dict[str, int], shape: Sequence[int]) -> Any:
    """The PartitionSpec of a sharding of Shardy; None where JAX has none: its pieces are equal."""
    found = _SHARDING.search(sharding)
    dims = [tuple(re.findall(r'"(\w+)"', dim)) for dim in re.findall(r"\{(.*?)\}", found[1] if found else "")]
    pieces = [math.prod(axes[axis] for axis in dim) for dim in dims]
    if len(dims) != len(shape) or any(extent % count for extent, count in zip(shape, pieces)):
        return None
    return _jax.sharding.PartitionSpec(*(dim or None for dim in dims))


def _shape_of(type_text: str) -> tuple[int, ...] | None:
    """(2, 3) of `tensor<2x3xf32>`."""
    match = re.match(r"tensor<((?:\d+x)*)[a-z]", type_text)
    return tuple(int(extent) for extent in match[1].split("x") if extent) if match else None
