# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The forward and the backward pass of a module as one graph, by PyTorch's autograd: every convention of gradients is
PyTorch's, and so is a backward pass of one's own (`torch.autograd.Function`)."""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import dataclass
from typing import Any, Mapping

import torch
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)

from .builder import Unsupported
from .export import decompositions, unchanged


@dataclass
class JointProgram:
    """As much of an ExportedProgram as the importer reads."""

    graph_module: torch.fx.GraphModule
    graph_signature: ExportGraphSignature
    state_dict: dict[str, torch.Tensor]
    constants: dict[str, torch.Tensor]

    @property
    def graph(self) -> torch.fx.Graph:
        return self.graph_module.graph


class _Loss(torch.nn.Module):
    """The module's loss as a function of tensors alone. Tied parameters are one."""

    def __init__(self, module: torch.nn.Module, args: Any, kwargs: Any):
        super().__init__()
        leaves, self.spec = torch.utils._pytree.tree_flatten((args, kwargs))
        self.leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.tensors = [leaves[i] for i in self.places]
        self.inner = [module]  # no child, whose parameters would count again
        #: Own names, and the module's.
        self.keys: dict[str, str] = {}
        for key, value in [*module.named_parameters(), *module.named_buffers()]:
            name = f"tensor{len(self.keys)}"
            self.keys[name] = key
            if isinstance(value, torch.nn.Parameter):
                self.register_parameter(name, value)
            else:
                self.register_buffer(name, value)

    def forward(self, *tensors: torch.Tensor) -> Any:
        leaves = list(self.leaves)
        for place, tensor in zip(self.places, tensors):
            leaves[place] = tensor
        args, kwargs = torch.utils._pytree.tree_unflatten(leaves, self.spec)
        values = {key: getattr(self, name) for name, key in self.keys.items()}
        out = torch.func.functional_call(self.inner[0], values, args, kwargs)
        if not isinstance(out, torch.Tensor) or out.numel() != 1:
            raise Unsupported("backward='torch': expected a module that returns its loss, or loss=")
        return (out.reshape(()),)


def export_joint(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> JointProgram:
    """The module, whose result is its loss, as a graph of the loss and of all gradients."""
    # Modules that look at numbers do not where a graph is traced.
    from torch._export.utils import _compiling_state_context as compiling
    from torch._functorch.aot_autograd import aot_export_module

    own = _Loss(module, args, dict(kwargs))
    own.training = module.training
    place = torch.device("meta") if any(p.is_meta for p in module.parameters()) else contextlib.nullcontext()
    # Attention in ops of its own, as there is no op for the backward pass of a kernel.
    plain = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)
    with unchanged(module), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), place, plain, \
            compiling():
        warnings.simplefilter("ignore")
        try:
            graph_module, signature = aot_export_module(
                own, own.tensors, trace_joint=True, output_loss_index=0, decompositions=decompositions()
            )
        except AssertionError as error:
            if "did not receive a gradient" in str(error):
                raise Unsupported("backward='torch': a parameter gets no gradient: freeze it, or take it out") from None
            raise
    inputs, persistent = [], set(module.state_dict())
    for node in graph_module.graph.nodes:
        if node.op != "placeholder":
            continue
        kind, target = InputKind.USER_INPUT, None
        if node.name in signature.inputs_to_parameters:
            kind, target = InputKind.PARAMETER, own.keys[signature.inputs_to_parameters[node.name]]
        elif node.name in signature.inputs_to_buffers:
            kind, target = InputKind.BUFFER, own.keys[signature.inputs_to_buffers[node.name]]
        inputs.append(InputSpec(kind, TensorArgument(node.name), target,
                                target in persistent if kind == InputKind.BUFFER else None))
    backward = signature.backward_signature
    outputs = []
    for node in graph_module.graph.output_node().args[0]:
        name = node.name if isinstance(node, torch.fx.Node) else ""
        kind, target = OutputKind.GRADIENT_TO_USER_INPUT, None
        if name in signature.buffers_to_mutate:
            kind, target = OutputKind.BUFFER_MUTATION, own.keys[signature.buffers_to_mutate[name]]
        elif name == backward.loss_output:
            kind = OutputKind.LOSS_OUTPUT
        elif name in backward.gradients_to_parameters:
            kind, target = OutputKind.GRADIENT_TO_PARAMETER, own.keys[backward.gradients_to_parameters[name]]
        outputs.append(OutputSpec(kind, TensorArgument(name), target))
    values = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    stored = {key: value for key, value in values.items() if key in persistent or isinstance(value, torch.nn.Parameter)}
    constants = {key: value for key, value in values.items() if key not in stored}
    return JointProgram(graph_module, ExportGraphSignature(inputs, outputs), stored, constants)
