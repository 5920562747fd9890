# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which results of a jaxpr keep an argument: its elements, scaled by a number, with something added to them.

`p - 0.1 * g` keeps p, and so do moments and averages, counters and caches that are written in part. A gradient with
respect to p is made of products with other tensors and keeps nothing of it. This tells the new value of a training
state from a gradient, which has the same tree."""

from __future__ import annotations

from typing import Any, Sequence

from jax.extend.core import Literal as _Literal

#: Of these each operand of the result's shape is kept.
_SUMS = {"add", "sub", "add_any", "max", "min", "clamp", "select_n", "neg", "convert_element_type", "copy", "copy_p"}
_SUMS |= {"reduce_precision", "round", "real", "optimization_barrier", "sharding_constraint"}
#: Of these an operand is kept whose other operand is one number.
_SCALES = {"mul", "div"}
#: Elements change their places.
_MOVES = {"reshape", "squeeze", "expand_dims", "transpose", "concatenate", "slice", "dynamic_slice", "split", "rev"}
_MOVES |= {"pad", "broadcast_in_dim"}
#: The first operand is kept where the others are not written.
_WRITES = {"dynamic_update_slice", "scatter", "scatter-add", "scatter_add", "scatter-mul", "scatter-max", "scatter-min"}

_None: frozenset[int] = frozenset()


def kept_arguments(closed: Any) -> list[frozenset[int]]:
    """For every result the numbers of the arguments that it keeps."""
    return _flow(closed.jaxpr, [frozenset([i]) for i in range(len(closed.jaxpr.invars))])


def _flow(jaxpr: Any, inputs: Sequence[frozenset[int]]) -> list[frozenset[int]]:
    kept: dict[Any, frozenset[int]] = dict(zip(jaxpr.invars, inputs))
    numbers: set[Any] = set()  # tensors whose elements are all one number

    def of(atom: Any) -> frozenset[int]:
        return _None if isinstance(atom, _Literal) else kept.get(atom, _None)

    def is_number(atom: Any) -> bool:
        return isinstance(atom, _Literal) or not atom.aval.shape or atom in numbers

    for equation in jaxpr.eqns:
        name, operands, results = equation.primitive.name, equation.invars, equation.outvars
        sets = [_None] * len(results)
        if name == "optimization_barrier":
            sets = [of(atom) for atom in operands]
        elif name in _SUMS:
            shape = results[0].aval.shape
            sets = [frozenset().union(*(of(atom) for atom in operands if atom.aval.shape == shape))]
        elif name in _SCALES:
            a, b = operands
            sets = [(of(a) if is_number(b) else _None) | (of(b) if is_number(a) and name == "mul" else _None)]
        elif name in _MOVES:
            sizes = [atom.aval.size for atom in operands]
            if name != "broadcast_in_dim" or sizes[0] == results[0].aval.size:
                moved = operands if name == "concatenate" else operands[:1]
                sets = [frozenset().union(*map(of, moved))] * len(results)
            elif sizes[0] == 1:
                numbers.add(results[0])
        elif name in _WRITES:
            sets = [of(operands[0])]
        elif name == "cond":
            for branch in equation.params["branches"]:
                sets = [a | b for a, b in zip(sets, _flow(branch.jaxpr, list(map(of, operands[1:]))))]
        elif name == "while":
            constants = equation.params["cond_nconsts"] + equation.params["body_nconsts"]
            own = list(map(of, operands[equation.params["cond_nconsts"] : constants]))
            sets = _loop(equation.params["body_jaxpr"].jaxpr, own, list(map(of, operands[constants:])), [])
        elif name == "scan":
            constants, carried = equation.params["num_consts"], equation.params["num_carry"]
            own = list(map(of, operands))
            first = constants + carried
            sets = _loop(equation.params["jaxpr"].jaxpr, own[:constants], own[constants:first], own[first:])
        else:
            for value in equation.params.values():
                inner = getattr(value, "jaxpr", value)
                fits = hasattr(inner, "eqns") and len(inner.invars) == len(operands)
                if fits and len(inner.outvars) == len(results):
                    sets = _flow(inner, list(map(of, operands)))
                    break
        kept.update(zip(results, sets))
    return [of(atom) for atom in jaxpr.outvars]


def _loop(
    body: Any, constants: list[frozenset[int]], carried: list[frozenset[int]], others: list[frozenset[int]]
) -> list[frozenset[int]]:
    """Results of a loop: what it carries, then what it stacks. What a turn replaces is not kept."""
    while True:
        results = _flow(body, [*constants, *carried, *others])
        found = [a | b for a, b in zip(carried, results)]
        if found == carried:
            return results
        carried = found
