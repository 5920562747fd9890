# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings of a plan inside of a function of JAX.

`--soap-export-shard` and `--export-shardy` say how the ops of the plan hold what they compute, as constraints in the
StableHLO of the function. The function is lowered once more, with a scope for each equation of its jaxpr, so that each
constraint is of an equation. Then the jaxpr is evaluated with `with_sharding_constraint` behind these equations."""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Sequence

import jax as _jax
import numpy as np
from jax._src.interpreters import mlir as _mlir
from jax.extend.core import Literal as _Literal
from jaxlib.mlir import ir as _ir

from ._jax_state import is_key
from .errors import SoapError

_SCOPE = re.compile(r"soap_equation_(\d+)\b")
_MESH = re.compile(r'#sdy\.mesh<\[(.*?)\]>')
_AXIS = re.compile(r'"(\w+)"=(\d+)')
_SHARDING = re.compile(r"#sdy\.sharding<@\w+, \[(.*)\]>")


class InnerShardings:
    """Specs of the results of equations, and the mesh that they are for."""

    def __init__(self, closed: Any, mesh: Any, specs: dict[int, Any]):
        self.closed = closed
        self.mesh = mesh
        #: By number of the equation: the PartitionSpec of its only result.
        self.specs = specs

    def __call__(self, *leaves: Any) -> list[Any]:
        """The function on leaves, with constraints."""

        def constrain(number: int, results: list[Any]) -> list[Any]:
            if number not in self.specs:
                return results
            sharding = _jax.sharding.NamedSharding(self.mesh, self.specs[number])
            return [_jax.lax.with_sharding_constraint(results[0], sharding)]

        return _evaluate(self.closed, leaves, constrain)


def _evaluate(closed: Any, leaves: Sequence[Any], behind: Callable[[int, list[Any]], list[Any]]) -> list[Any]:
    """Evaluates a jaxpr; equation i is in the scope `soap_equation_i`, and `behind` takes its results."""
    jaxpr = closed.jaxpr
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts))
    values.update(zip(jaxpr.invars, leaves))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, _Literal) else values[atom]

    for number, equation in enumerate(jaxpr.eqns):
        bound = equation.primitive.get_bind_params(equation.params)
        # Before 0.9 functions come apart from the other parameters.
        functions, parameters = bound if isinstance(bound, tuple) else ((), bound)
        with _jax.named_scope(f"soap_equation_{number}"), equation.ctx.manager:
            results = equation.primitive.bind(*functions, *map(read, equation.invars), **parameters)
        results = list(results) if equation.primitive.multiple_results else [results]
        values.update(zip(equation.outvars, behind(number, results)))
    return [read(atom) for atom in jaxpr.outvars]


def _main_ops(module: Any) -> list[tuple[str, str, list[str], str]]:
    """Ops of the function `main`: name, location, types of results, sharding. Plain data: ops live with the module."""
    for function in module.body.operations:
        if function.operation.name != "func.func":
            continue
        if _ir.StringAttr(function.operation.attributes["sym_name"]).value != "main":
            continue
        rows = []
        for one in function.regions[0].blocks[0].operations:
            op = one.operation
            sharding = str(op.attributes["sharding"]) if op.name == "sdy.sharding_constraint" else ""
            rows.append((op.name, str(op.location), [str(result.type) for result in op.results], sharding))
        return rows
    raise SoapError("the program has no function 'main'")


def find(
    function: Callable[..., Any], avals: Sequence[Any], structure: Any, exported: str, devices: Sequence[Any]
) -> InnerShardings:
    """The constraints of an exported program, by equation of the function. `avals` are the leaves of its arguments."""
    arguments = _jax.tree_util.tree_unflatten(structure, avals)
    # Of a function that is jitted already, its own equations.
    closed = (function if hasattr(function, "trace") else _jax.jit(function)).trace(*arguments).jaxpr
    lowered = _jax.jit(lambda *leaves: _evaluate(closed, leaves, lambda _, results: results)).lower(*avals)
    with _mlir.make_ir_context():
        module = _ir.Module.parse(exported)
        constrained = _main_ops(module)
    traced = lowered.compiler_ir("stablehlo")
    scopes: list[tuple[str, int | None, list[str]]] = []
    for name, location, results, sharding in _main_ops(traced):
        if sharding:  # of PRNG keys, on no mesh
            continue
        found = _SCOPE.search(location)
        scopes.append((name, int(found[1]) if found else None, results))
    # Order and names of ops tell whether both are the same program.
    constraints: dict[int, str] = {}
    names: list[str] = []
    for name, _, _, sharding in constrained:
        if sharding:
            constraints[len(names) - 1] = sharding
        else:
            names.append(name)
    if names != [name for name, _, _ in scopes]:
        raise SoapError("the function lowers to another program than the one that the plan is of")
    axes = [(name, int(extent)) for name, extent in _AXIS.findall(_MESH.search(exported)[1])]
    used = math.prod(extent for _, extent in axes)
    if used != len(devices):
        raise SoapError(f"the ops of the plan are on {used} devices of {len(devices)}")
    grid = np.array(list(devices), dtype=object).reshape([extent for _, extent in axes] or [1])
    mesh = _jax.sharding.Mesh(grid, [name for name, _ in axes] or ["axis0"])
    specs: dict[int, Any] = {}
    for place, sharding in constraints.items():
        _, equation, results = scopes[place]
        if equation is None or len(closed.jaxpr.eqns[equation].outvars) != 1:
            continue
        # Of the ops of an equation the one that makes its result.
        aval = closed.jaxpr.eqns[equation].outvars[0].aval
        last = max(i for i, (_, own, _) in enumerate(scopes) if own == equation)
        if place != last or len(results) != 1 or is_key(aval) or _shape_of(results[0]) != tuple(aval.shape):
            continue
        dims = [tuple(re.findall(r'"(\w+)"', dim)) for dim in re.findall(r"\{(.*?)\}", _SHARDING.search(sharding)[1])]
        pieces = [math.prod(dict(axes)[axis] for axis in dim) for dim in dims]
        # JAX has equal pieces only.
        if len(dims) == len(aval.shape) and not any(extent % count for extent, count in zip(aval.shape, pieces)):
            specs[equation] = _jax.sharding.PartitionSpec(*(dim or None for dim in dims))
    return InnerShardings(closed, mesh, specs)


def _shape_of(type_text: str) -> tuple[int, ...] | None:
    """(2, 3) of `tensor<2x3xf32>`."""
    match = re.match(r"tensor<((?:\d+x)*)[a-z]", type_text)
    return tuple(int(extent) for extent in match[1].split("x") if extent) if match else None
