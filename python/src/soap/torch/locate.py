# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the first op at which a program and the module that it was part: what a failed comparison says beside its
result.

The exported graph runs in PyTorch node by node, on the operands that the program has, so that a difference belongs to
the node that made it. If all nodes agree, what each gives its operands in the backward pass is compared, from the last
node to the first: a probe, a parameter of zeros, is added to each operand, and has that gradient. If these agree, too,
the exported graph itself computes something else than the module."""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np
import torch
from torch.export.graph_signature import InputKind

from .. import _core
from ..session import Session, as_array
from .importer import Importer, Program, op_name

#: Elements of all results that are kept at once.
_MOST = 1 << 27


def first_difference(importer: Importer, example: Any, weights: dict[str, torch.Tensor],
                     distance: Callable[[np.ndarray, np.ndarray], float], tolerance: float) -> str:
    """The op in words; empty if it cannot be said. `importer` is that of the comparison, which has run."""
    importer.shows = True
    program = importer.run()
    sizes = [math.prod(result.value.shape) for result in program.results]
    if sum(sizes) > _MOST:
        return ""
    graph = _Graph(importer, example)
    session = Session(_core.Session.compile(_core.Module.parse(program.text, "comparison", []), 0, True, False, 0))
    data = graph.enter(session, program, weights)
    results = session.run("forward", data)
    ours = {shown.node: (shown.index, results[shown.name]) for shown in importer.shown}
    graph.check(ours, distance, tolerance)
    if graph.fault:
        return graph.fault
    if importer.b.joint:
        return "each op of the forward pass and of PyTorch's backward pass is as PyTorch's"
    if not program.trains:
        return "each of its ops is as PyTorch's: torch.export's graph is not the module"
    importer.shows, importer.probes = False, True
    return _first_gradient(importer, graph, weights, distance, tolerance)


def _first_gradient(importer: Importer, graph: _Graph, weights: dict[str, torch.Tensor],
                    distance: Callable[[np.ndarray, np.ndarray], float], tolerance: float) -> str:
    program = importer.run()
    core = _core.Module.parse(program.text, "comparison", [])
    core.run_passes(f"soap-build-training-step{{loss={','.join(['output'] + ['none'] * (len(program.results) - 1))} "
                    "momentum=0.5}")
    session = Session(_core.Session.compile(core, 0, True, False, 0))
    session.run("train_step", graph.enter(session, program, weights))
    theirs = graph.gradients(weights, program)
    ours = {key: session[name + ".velocity"] if name + ".velocity" in session.tensors else np.zeros(value.shape)
            for key, (name, value) in importer.probed.items()}
    most = max(map(_largest, theirs.values()), default=0.0)
    for node in reversed(list(importer.exported.graph.nodes)):
        for operand in node.all_input_nodes:
            if (node, operand) not in ours or (node, operand) not in theirs:
                continue
            value = theirs[node, operand]
            scale = max(_largest(value), 1e-3 * most)
            apart = distance(ours[node, operand], as_array(value, node.name))
            if apart > tolerance * scale + 1e-30:
                return f"the first op whose gradient differs, {_size(apart, scale)}, is {_words(importer, node)}"
    return ("all of its ops, and their gradients, are as PyTorch's: torch.export's graph is not the module "
            "(does it have a backward pass of its own?)")


def _size(apart: float, scale: float) -> str:
    return f"by {apart / scale:.2g} of its largest element" if scale else f"by {apart:.2g}"


def _words(importer: Importer, node: torch.fx.Node) -> str:
    return f"{importer.where(node)}: {op_name(node.target)}"


def _largest(value: Any) -> float:
    if not isinstance(value, torch.Tensor) or not value.numel():
        return 0.0
    array = np.abs(as_array(value, "result").astype(np.float64))
    return float(array[np.isfinite(array)].max(initial=0.0))


class _Graph(torch.fx.Interpreter):
    """The exported graph with the numbers of an example. Nothing is dropped."""

    def __init__(self, importer: Importer, example: Any):
        super().__init__(importer.exported.graph_module)
        self.importer, self.example = importer, example
        self.fault = ""
        #: Operands by node, for their gradients.
        self.keeps: dict[tuple[torch.fx.Node, torch.fx.Node], torch.Tensor] | None = None

    def enter(self, session: Session, program: Program, weights: dict[str, torch.Tensor]) -> dict[str, np.ndarray]:
        """Gives a session the module's values; its data."""
        session.initialize()
        inputs = dict(zip(self.example.names, self.example.tensors()))
        inputs.update(weights)
        for argument in program.arguments:
            if argument.key:
                session[argument.name] = as_array(self._stored(self.importer.prefix + argument.key), argument.name)
            elif argument.kind == "parameter":  # a probe
                session[argument.name] = np.zeros(argument.value.shape, np.float32)
        return {a.name: as_array(inputs[a.name], a.name) for a in program.arguments if a.kind == "data"}

    def _stored(self, key: str) -> torch.Tensor:
        exported = self.importer.exported
        return exported.state_dict[key] if key in exported.state_dict else exported.constants[key]

    def _inputs(self) -> list[Any]:
        given = iter(self.example.tensors())
        values = []
        for spec in self.importer.exported.graph_signature.input_specs:
            if spec.kind == InputKind.USER_INPUT:
                known = hasattr(spec.arg, "value")
                values.append(spec.arg.value if known else next(given))
            else:
                values.append(self._stored(spec.target))
        return values

    def _leaves(self) -> list[Any]:
        """The inputs, with gradients of their own: the module's are left alone."""
        leaves: dict[int, Any] = {}
        for value in (inputs := self._inputs()):
            if isinstance(value, torch.Tensor):
                leaves.setdefault(id(value), value.detach().requires_grad_(value.requires_grad))
        return [leaves.get(id(value), value) for value in inputs]

    def check(self, ours: dict[torch.fx.Node, tuple[int, np.ndarray]],
              distance: Callable[[np.ndarray, np.ndarray], float], tolerance: float) -> None:
        """Sets `fault` if a node differs."""
        self._compare = (ours, distance, tolerance)
        with torch.no_grad():
            self.run(*self._inputs())

    def gradients(self, weights: dict[str, torch.Tensor],
                  program: Program) -> dict[tuple[torch.fx.Node, torch.fx.Node], torch.Tensor]:
        """Gradients that each node gives its operands."""
        self._compare, self.keeps = None, {}
        with torch.enable_grad():
            outs = self.run(*self._leaves())
            signature = self.importer.exported.graph_signature
            users = [out for out, spec in zip(outs, signature.output_specs) if spec.kind.name == "USER_OUTPUT"]
            tensors = [out for out in users if isinstance(out, torch.Tensor)]
            total: Any = 0
            for name, weight in weights.items():
                place = program.positions[int(name.removeprefix("compared.weight"))]
                total = total + (tensors[place] * weight).sum()
            total.backward()
        return {key: torch.zeros_like(value) if value.grad is None else value.grad for key, value in self.keeps.items()}

    def fetch_args_kwargs_from_env(self, node: torch.fx.Node) -> Any:
        if self.keeps is None or node.op != "call_function":
            return super().fetch_args_kwargs_from_env(node)

        def fetch(operand: torch.fx.Node) -> Any:
            value = self.env[operand]
            if not isinstance(value, torch.Tensor) or not value.requires_grad:
                return value
            if (node, operand) not in self.keeps:
                self.keeps[node, operand] = value.view_as(value)
                self.keeps[node, operand].retain_grad()
            return self.keeps[node, operand]

        return torch.fx.map_arg((node.args, node.kwargs), fetch)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        name = op_name(target)
        if name == "soap.stop_gradient":
            return args[0].detach()
        if name == "aten.native_dropout":
            return args[0] * 1, torch.ones_like(args[0], dtype=torch.bool)
        if name == "aten.scaled_dot_product_attention":
            args = (*args[:4], 0.0, *args[5:]) if len(args) > 4 else args
            kwargs = {key: value for key, value in kwargs.items() if key != "dropout_p"}
        if name == "aten._native_batch_norm_legit_functional":  # has no gradient of its own
            mean, variance = args[3].clone(), args[4].clone()
            outs = torch.ops.aten._native_batch_norm_legit.default(*args[:3], mean, variance, *args[5:], **kwargs)
            return (*outs, mean, variance)
        return super().call_function(target, args, kwargs)

    def run_node(self, node: torch.fx.Node) -> Any:
        if self.fault:
            return None if node.op != "output" else ()
        result = super().run_node(node)
        if self.keeps is not None:
            return result
        ours, distance, tolerance = self._compare
        if node not in ours:
            return result
        index, value = ours[node]
        theirs = result[index] if isinstance(result, (tuple, list)) else result
        array = as_array(theirs, node.name).astype(np.float64)
        scale = _largest(theirs)
        apart = distance(value.reshape(array.shape), array)
        # A sum of large numbers that is small has their rounding.
        operands = [self.env[operand] for operand in node.all_input_nodes if operand in self.env]
        rounding = 64 * float(np.finfo(value.dtype).eps) * max(map(_largest, operands), default=0.0)
        if apart > tolerance * scale + rounding + 1e-30:
            self.fault = f"the first op that differs, {_size(apart, scale)}, is {_words(self.importer, node)}"
            return None
        mine = torch.from_numpy(np.ascontiguousarray(value.reshape(array.shape))).to(theirs.dtype)
        if not isinstance(result, (tuple, list)):
            return mine
        return type(result)(mine if i == index else part for i, part in enumerate(result))
