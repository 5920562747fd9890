# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Evaluation of a jaxpr equation by equation, in calls, rematerialized blocks and loops, too.

The program that Soap imports, the program whose locations say which op is of which equation, and the function that
runs with constraints are this evaluation of one jaxpr, so they are the same program. An equation has a path: the
numbers of the equations whose jaxprs it is in, then its own."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Callable, Sequence

import jax as _jax
from jax._src import source_info_util as _source
from jax.extend.core import Literal as _Literal

# Frames of this package are no places of a user's program.
_source.register_exclusion(os.path.dirname(__file__))

#: Numbers of equations, the outermost first.
Path = tuple[int, ...]
#: What becomes of the results of an equation.
Behind = Callable[[Path, Any, list[Any]], list[Any]]

_SCOPE = "soap_equation_"


def keep(_path: Path, _equation: Any, results: list[Any]) -> list[Any]:
    return results


def scope_of(path: Path) -> str:
    return _SCOPE + "_".join(map(str, path))


def evaluate(
    closed: Any,
    arguments: Sequence[Any],
    behind: Behind = keep,
    scoped: bool = False,
    path: Path = (),
    place: Any = None,
) -> list[Any]:
    """The results of a closed jaxpr; `behind` takes the results of each equation. With `scoped` the ops of an equation
    are in the scope of its path. Locations are in the user's program, as before; `place` is the one of equations that
    have none, as in cached jaxprs of jitted functions."""
    jaxpr = closed.jaxpr
    values: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts))
    values.update(zip(jaxpr.invars, arguments))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, _Literal) else values[atom]

    for number, equation in enumerate(jaxpr.eqns):
        own = (*path, number)
        names = _source.current_name_stack() + equation.source_info.name_stack
        inlined = _inlined(equation)
        here = equation.source_info.traceback or place
        with contextlib.ExitStack() as stack:
            stack.enter_context(_source.user_context(here, name_stack=names))
            stack.enter_context(equation.ctx.manager)
            if scoped and inlined is None:
                stack.enter_context(_jax.named_scope(scope_of(own)))
            operands = list(map(read, equation.invars))
            if inlined is not None:
                results = evaluate(inlined, _barred(equation, operands), behind, scoped, own, here)
            else:
                results = _bind(equation, operands, behind, scoped, own)
            results = behind(own, equation, results)
        values.update(zip(equation.outvars, results))
    return [read(atom) for atom in jaxpr.outvars]


def equations(closed: Any, path: Path = ()) -> dict[Path, Any]:
    """All equations that `evaluate` meets, by path."""
    found: dict[Path, Any] = {}
    for number, equation in enumerate(closed.jaxpr.eqns):
        own = (*path, number)
        found[own] = equation
        inlined = _inlined(equation)
        inner = [inlined] if inlined is not None else [jaxpr for _, _, jaxpr in _bodies(equation)]
        for place, jaxpr in enumerate(inner):
            found.update(equations(jaxpr, own if inlined is not None else (*own, place)))
    return found


def _inlined(equation: Any) -> Any:
    """The jaxpr of a call that is inlined; None for other equations."""
    name, parameters = equation.primitive.name, equation.params
    if name in ("jit", "pjit"):
        places = [*parameters.get("in_shardings", ()), *parameters.get("out_shardings", ())]
        free = all(type(place).__name__ == "UnspecifiedValue" for place in places)
        return parameters["jaxpr"] if free else None
    if name == "closed_call":
        return parameters["call_jaxpr"]
    # One that was not differentiated is left for a caller that differentiates it.
    if name in ("checkpoint", "remat2") and parameters["differentiated"]:
        return _jax.extend.core.ClosedJaxpr(parameters["jaxpr"], ())
    return None


def _barred(equation: Any, operands: list[Any]) -> list[Any]:
    """The operands of a rematerialized block: behind a barrier, so that XLA does not take what was computed before."""
    if equation.primitive.name not in ("checkpoint", "remat2"):
        return operands
    bars = equation.params["prevent_cse"]
    bars = [bars] * len(operands) if isinstance(bars, bool) else list(bars)
    barred = iter(_jax.lax.optimization_barrier([one for one, bar in zip(operands, bars) if bar]) if any(bars) else [])
    return [next(barred) if bar else one for one, bar in zip(operands, bars)]


def _bodies(equation: Any) -> list[tuple[str, int | None, Any]]:
    """Jaxprs of loops and branches: name of the parameter, place in it if it is a list, jaxpr."""
    name, parameters = equation.primitive.name, equation.params
    if name == "scan":
        return [("jaxpr", None, parameters["jaxpr"])]
    if name == "while":
        return [("body_jaxpr", None, parameters["body_jaxpr"])]
    if name == "cond":
        return [("branches", i, branch) for i, branch in enumerate(parameters["branches"])]
    return []


def _bind(equation: Any, operands: list[Any], behind: Behind, scoped: bool, path: Path) -> list[Any]:
    parameters = dict(equation.params)
    for place, (name, index, body) in enumerate(_bodies(equation)):
        own = (*path, place)

        def run(*arguments: Any, body: Any = body, own: Path = own) -> list[Any]:
            return evaluate(body, arguments, behind, scoped, own)

        traced = _jax.make_jaxpr(run)(*map(as_shape, body.in_avals))
        if index is None:
            parameters[name] = traced
        else:
            parameters[name] = (*parameters[name][:index], traced, *parameters[name][index + 1 :])
    bound = equation.primitive.get_bind_params(parameters)
    # Before 0.9 functions come apart from the other parameters.
    functions, parameters = bound if isinstance(bound, tuple) else ((), bound)
    results = equation.primitive.bind(*functions, *operands, **parameters)
    return list(results) if equation.primitive.multiple_results else [results]


def as_shape(aval: Any) -> Any:
    return _jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=getattr(aval, "weak_type", False))
