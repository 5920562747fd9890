# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as graphs of ATen ops: `torch.export`, and decompositions that keep what the dialect has an op for."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any, Iterator, Mapping

import torch

from .builder import Unsupported

#: Kept whole: the dialect has an op, or a composition that is exact where PyTorch's is not.
_KEPT = [
    "linear", "matmul", "layer_norm", "rms_norm", "group_norm", "scaled_dot_product_attention", "cross_entropy_loss",
    "silu", "softplus", "mish", "log_sigmoid", "log_sigmoid_forward", "leaky_relu", "elu", "hardtanh", "relu6",
    "hardsigmoid", "hardswish", "gelu", "embedding", "_embedding_bag", "masked_fill", "logsumexp", "index_add",
    "index_copy", "index_select", "linalg_vector_norm", "std", "std_mean", "var", "var_mean", "erfc", "atan2",
    "pixel_shuffle", "pixel_unshuffle", "square", "addcmul", "addcdiv", "lerp", "tril", "triu", "diag_embed", "stack",
    "unbind", "roll", "flip", "scatter", "scatter_add", "scatter_reduce", "logical_and", "logical_or", "logical_not",
    "logical_xor", "remainder", "fmod", "floor_divide", "nan_to_num", "clamp", "clamp_min", "clamp_max",
    "nll_loss_forward", "nll_loss2d_forward", "_softmax", "_log_softmax", "native_layer_norm", "native_group_norm",
    "native_dropout", "expm1", "_prelu_kernel", "baddbmm", "addmm", "repeat", "frac", "sinh", "cosh", "tan",
    "log2", "log10", "log1p", "exp2", "isinf", "isnan", "unfold", "slice_scatter", "select_scatter", "new_zeros",
    "new_ones", "new_full", "zeros_like", "ones_like", "full_like", "split_with_sizes", "_adaptive_avg_pool2d",
]  # fmt: skip

_library = torch.library.Library("soap", "FRAGMENT")
_library.define("stop_gradient(Tensor x) -> Tensor")
_library.impl("stop_gradient", lambda x: x.clone(), "CompositeExplicitAutograd")
_library.impl("stop_gradient", lambda x: torch.empty_like(x), "Meta")


def decompositions() -> dict[Any, Any]:
    """PyTorch's, except of what is kept whole."""
    table = torch.export.default_decompositions()
    for op in list(table):
        if isinstance(op, torch._ops.OpOverload) and op.namespace == "aten" and op._schema.name[6:] in _KEPT:
            table.pop(op)
    return table


@contextlib.contextmanager
def unchanged(module: torch.nn.Module) -> Iterator[None]:
    """Restores modes, buffers and the state of random numbers, which running a module changes."""
    modes = {child: child.training for child in module.modules()}
    buffers = {name: buffer.detach().clone() for name, buffer in module.named_buffers()}
    random = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(random)
        for child, mode in modes.items():
            child.training = mode
        with torch.no_grad():
            for name, buffer in module.named_buffers():
                if name in buffers and not buffer.is_meta:
                    buffer.copy_(buffers[name])


def export(module: torch.nn.Module, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> torch.export.ExportedProgram:
    """The module on the example's shapes as a graph of ATen ops without mutations. What autograd does not follow
    (`detach`, `no_grad`) is `soap.stop_gradient`."""
    is_meta = any(p.is_meta for p in module.parameters())
    # Tensors that the forward pass creates have to be where the parameters are.
    place = torch.device("meta") if is_meta else contextlib.nullcontext()
    with unchanged(module), warnings.catch_warnings(), place:
        warnings.simplefilter("ignore")
        # A refusal prints the graph so far.
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            program = torch.export.export(module, args, dict(kwargs), strict=False)
        _mark_stopped_gradients(program.graph_module)
        return program.run_decompositions(decompositions())


def _mark_stopped_gradients(graph_module: torch.fx.GraphModule) -> None:
    """Decomposition drops the regions of `no_grad` and makes aliases of `detach`: both are marked before."""
    graph = graph_module.graph
    stop = torch.ops.soap.stop_gradient.default
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        if node.target in (torch.ops.aten.detach.default, torch.ops.aten.detach_.default):
            _stop_uses(graph, node, stop)
        elif node.target is torch.ops.higher_order.wrap_with_set_grad_enabled:
            inner = getattr(graph_module, node.args[1].target)
            _mark_stopped_gradients(inner)
            if node.args[0]:
                continue
            if any(
                n.target is torch.ops.higher_order.wrap_with_set_grad_enabled and n.args[0]
                for n in inner.graph.nodes
            ):
                raise Unsupported("enable_grad within no_grad is not supported")
            for user in list(node.users):
                if isinstance(user.meta.get("val"), torch.Tensor):
                    _stop_uses(graph, user, stop)
    graph_module.recompile()


def _stop_uses(graph: torch.fx.Graph, node: torch.fx.Node, stop: Any) -> None:
    with graph.inserting_after(node):
        stopped = graph.call_function(stop, (node,))
    stopped.meta = dict(node.meta)
    node.replace_all_uses_with(stopped, delete_user_cb=lambda user: user is not stopped)
