# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison of a program with the module that it was: results, and gradients of a weighted sum of all results."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import numpy as np
import torch

from .. import _core
from ..errors import SoapError
from ..session import Session, as_array
from .export import unchanged
from .importer import Importer, Program
from .locate import first_difference

#: A gradient is compared relative to its own largest element, but to no less than this part of the largest of all: one
#: that is 0 except for rounding has no digits.
_SMALL = 1e-3


class _WithoutDropout(torch.overrides.TorchFunctionMode):
    """Nothing is dropped, whatever the mode."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(function, "__name__", "")
        if name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout"):
            return args[0] if args else kwargs["input"]
        if name == "scaled_dot_product_attention":
            if len(args) > 4:
                args = (*args[:4], 0.0, *args[5:])
            kwargs.pop("dropout_p", None)
        return function(*args, **kwargs)


@dataclass
class Numbers:
    """Results in their order, and gradients by the parameter's name in the program."""

    results: list[np.ndarray]
    gradients: dict[str, np.ndarray]


@dataclass
class Fault:
    """A difference in words, where it was found, and how far apart all numbers of all batches are."""

    text: str
    importer: Importer
    example: Any
    weights: dict[str, torch.Tensor]
    distances: dict[tuple[int, str], float]


def compare(module: torch.nn.Module, example: Any, trace: Callable[[torch.nn.Module, Any], Importer],
            tolerance: float) -> None:
    """An error if results or gradients differ from the module's, of the program that the importer of `trace` makes.
    Rounding may be the reason, as of norms over equal numbers: so what differs is compared again in double precision,
    where rounding is 2^29 times smaller and a fault is as large as before."""
    if has_no_numbers(module, example):
        return
    example = example.varied()
    fault = _fault(module, example, trace, tolerance, {})
    if fault is not None:
        rounding = {what: 1e-5 * distance for what, distance in fault.distances.items() if np.isfinite(distance)}
        with contextlib.suppress(SoapError, RuntimeError):
            fault = _fault(*_in_double(module, example), trace, tolerance, rounding)
    if fault is not None:
        first = _first_op(fault, tolerance)
        raise SoapError(
            f"from_torch: the program differs from the module: {fault.text}{'; ' + first if first else ''} (tolerance "
            f"{tolerance:g}); check=False imports it nevertheless"
        )


def _first_op(fault: Fault, tolerance: float) -> str:
    with contextlib.suppress(SoapError, RuntimeError, NotImplementedError):
        return first_difference(fault.importer, fault.example, fault.weights, distance, tolerance)
    return ""


def has_no_numbers(module: torch.nn.Module, example: Any) -> bool:
    return any(value.is_meta for value in [*module.parameters(), *module.buffers(), *example.tensors()])


def _fault(module: torch.nn.Module, example: Any, trace: Callable[[torch.nn.Module, Any], Importer], tolerance: float,
           rounding: dict[tuple[int, str], float]) -> Fault | None:
    """The first difference beyond the tolerance and what is `rounding`."""
    importer = trace(module, example)
    program = importer.run()
    weights = _weights(program)
    session = _compiled(program)
    fault: Fault | None = None
    distances: dict[tuple[int, str], float] = {}
    for number, batch in enumerate((example, example.with_other_numbers())):
        theirs = _of_module(module, program, batch, weights)
        for what, a, b, scale in _rows(_of_program(session, module, program, batch, weights), theirs):
            same = a.size == b.size
            apart = distances[number, what] = distance(a, b) if same else np.inf
            if fault is not None or apart <= max(tolerance * scale + 1e-30, rounding.get((number, what), 0.0)):
                continue
            said = f"{what} differs by {apart / scale if scale else np.inf:.2g} of its largest element"
            if not same:
                said = f"{what} has shape {list(a.shape)}, expected {list(b.shape)}"
            fault = Fault(said, importer, batch, weights, distances)
    return fault


def _in_double(module: torch.nn.Module, example: Any) -> tuple[torch.nn.Module, Any]:
    def widen(value: Any) -> Any:
        return value.double() if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    wide = copy.copy(example)
    wide.args, wide.kwargs = torch.utils._pytree.tree_map(widen, (example.args, example.kwargs))
    return copy.deepcopy(module).double(), wide


def _weights(program: Program) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {
        a.name: torch.rand(a.value.shape, generator=generator, dtype=torch.float64).to(a.value.dtype) + 0.5
        for a in program.arguments
        if a.name.startswith("compared.weight")
    }


def _compiled(program: Program) -> Session:
    core = _core.Module.parse(program.text, "comparison", [])
    if program.trains:
        # After the first step the velocity is the gradient.
        losses = ",".join(["output"] + ["none"] * (len(program.results) - 1))
        core.run_passes(f"soap-build-training-step{{loss={losses} momentum=0.5}}")
    return Session(_core.Session.compile(core, 0, True, False, 0))


def _of_program(session: Session, module: torch.nn.Module, program: Program, example: Any,
                weights: dict[str, torch.Tensor]) -> Numbers:
    session.initialize()
    values = {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers())}
    for argument in program.arguments:
        if argument.key:
            session[argument.name] = as_array(_value_of(values, argument.key), argument.name)
    inputs: dict[str, Any] = dict(zip(example.names, example.tensors()))
    inputs.update(weights)
    data = {a.name: as_array(inputs[a.name], a.name) for a in program.arguments if a.kind == "data"}
    results = session.run("forward", data)
    outs = [results[r.name] for r in program.results]
    if not program.trains:
        return Numbers(outs, {})
    session.run("train_step", data)
    gradients = {}
    for argument in program.arguments:
        if argument.kind == "parameter":
            velocity = argument.name + ".velocity"
            # No gradient reaches a parameter without.
            gradients[argument.name] = (
                session[velocity] if velocity in session.tensors else np.zeros(argument.value.shape, np.float32)
            )
    return Numbers(outs, gradients)


def order_matters(module: torch.nn.Module, example: Any) -> bool:
    """Whether another order of the samples gives another result than these in that order."""
    if has_no_numbers(module, example):
        return False
    found = []
    for batch in (example, example.reversed()):
        with unchanged(module), torch.no_grad(), _WithoutDropout():
            out = torch.utils._pytree.tree_leaves(module(*batch.args, **batch.kwargs))
            found.append([leaf for leaf in out if isinstance(leaf, torch.Tensor) and leaf.is_floating_point()])
    batch = example.tensors()[0].shape[0] if example.tensors()[0].ndim else 1
    for a, b in zip(*found):
        a, b = a.double(), b.double()
        turned = b.flip(0) if b.ndim and b.shape[0] == batch else b
        if a.shape != b.shape or (a - turned).abs().max() > 1e-3 * a.abs().max() + 1e-12:
            return True
    return False


def _value_of(values: dict[str, Any], key: str) -> Any:
    return values[key] if key in values else values["module." + key]


def _of_module(module: torch.nn.Module, program: Program, example: Any, weights: dict[str, torch.Tensor]) -> Numbers:
    parameters = dict(module.named_parameters(remove_duplicate=False))
    before = {name: p.grad for name, p in parameters.items()}
    try:
        for p in parameters.values():
            p.grad = None
        with unchanged(module), torch.enable_grad(), _WithoutDropout():
            outs = module(*example.args, **example.kwargs)
            tensors = [leaf for leaf in torch.utils._pytree.tree_leaves(outs) if isinstance(leaf, torch.Tensor)]
            results = [tensors[i] for i in program.positions]
            total: Any = 0
            for name, weight in weights.items():
                total = total + (results[int(name.removeprefix("compared.weight"))] * weight).sum()
            if total.requires_grad:
                total.backward()
        gradients = {}
        for argument in program.arguments:
            if argument.kind == "parameter":
                p = _value_of(parameters, argument.key)
                if p.requires_grad:
                    gradients[argument.name] = as_array(torch.zeros_like(p) if p.grad is None else p.grad, argument.name)
        return Numbers([as_array(total, "sum"), *(as_array(r, "result") for r in results)], gradients)
    finally:
        for name, p in parameters.items():
            p.grad = before[name]


def _largest(array: np.ndarray) -> float:
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def distance(a: np.ndarray, b: np.ndarray) -> float:
    """The largest difference; infinite where one has no number and the other does."""
    a, b = a.astype(np.float64).reshape(-1), b.astype(np.float64).reshape(-1)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        rest = np.abs(a - b)[~same]
    return float(np.nan_to_num(rest, nan=np.inf, posinf=np.inf).max()) if rest.size else 0.0


def _rows(ours: Numbers, theirs: Numbers) -> Iterator[tuple[str, np.ndarray, np.ndarray, float]]:
    for i, (a, b) in enumerate(zip(ours.results, theirs.results)):
        if i:  # the sum follows
            yield f"result {i - 1}" if len(ours.results) > 2 else "its result", a, b, _largest(b)
    most = max((_largest(g) for g in theirs.gradients.values()), default=0.0)
    for name, gradient in theirs.gradients.items():
        yield f"the gradient of {name!r}", ours.gradients[name], gradient, max(_largest(gradient), _SMALL * most)
