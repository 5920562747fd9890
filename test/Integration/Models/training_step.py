# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole training step of PyTorch as linalg: loss, gradients and updates, traced by torch and lowered by torch-mlir.

torch-mlir has no linalg for some gradients, or an op of a dialect of its own (scatter, sort, topk): the decompositions
below compute these with products, comparisons and convolutions. Needs torch and torch-mlir.
"""

import unittest.mock

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from networks import loss_of, values

aten = torch.ops.aten
# Of AdamW; the betas are PyTorch's defaults, and Soap's.
DECAY, EPSILON, BETAS = 0.01, 1e-8, (0.9, 0.999)


def one_hot(index, count):
    """1.0 where the new last dim is the index."""
    return (index.unsqueeze(-1) == torch.arange(count)).to(torch.float32)


def zeros(size, *more, dtype=None, **options):
    return torch.zeros(size, dtype=dtype)


def cumsum(x, dim, dtype=None):
    x = x.to(dtype if dtype is not None else torch.int64 if not x.is_floating_point() else x.dtype)
    extent = x.shape[dim]
    triangle = torch.arange(extent).unsqueeze(1) <= torch.arange(extent)
    return (x.movedim(dim, -1).unsqueeze(-1) * triangle.to(x.dtype)).sum(-2).movedim(-1, dim)


def topk(x, k, dim=-1, largest=True, sorted=True):
    assert largest
    x = x.movedim(dim, -1)
    count, places = x.shape[-1], torch.arange(x.shape[-1])
    earlier = places.unsqueeze(0) < places.unsqueeze(1)
    before = (x.unsqueeze(-2) > x.unsqueeze(-1)) | ((x.unsqueeze(-2) == x.unsqueeze(-1)) & earlier)
    chosen = before.to(torch.int64).sum(-1).unsqueeze(-2) == torch.arange(k).unsqueeze(-1)
    taken = torch.where(chosen, x.unsqueeze(-2), torch.zeros(())).sum(-1)
    index = (chosen.to(torch.int64) * torch.arange(count)).sum(-1)
    return taken.movedim(-1, dim), index.movedim(-1, dim)


def nll_loss_forward(x, target, weight, reduction, ignore_index):
    assert weight is None and reduction == 1
    return -(x * one_hot(target, x.shape[1])).sum() / x.shape[0], torch.full((), float(x.shape[0]))


def nll_loss_backward(gradient, x, target, weight, reduction, ignore_index, total_weight):
    return one_hot(target, x.shape[1]) * (-gradient / x.shape[0])


def embedding_dense_backward(gradient, indices, count, padding_index, scale):
    assert not scale
    rows = one_hot(indices.reshape(-1), count)
    if padding_index >= 0:
        rows = rows * (torch.arange(count) != padding_index).to(torch.float32)
    return rows.t() @ gradient.reshape(-1, gradient.shape[-1])


def scatter_add(x, dim, index, source):
    moved, index, source = (t.movedim(dim, -1) for t in (x, index, source))
    return (moved + (one_hot(index, moved.shape[-1]) * source.unsqueeze(-1)).sum(-2)).movedim(-1, dim)


def scatter(x, dim, index, source):
    """Values into places of which none is named twice."""
    moved, index, source = (t.movedim(dim, -1) for t in (x, index, source))
    places = one_hot(index, moved.shape[-1])
    return (moved * (1 - places.sum(-2)) + (places * source.unsqueeze(-1)).sum(-2)).movedim(-1, dim)


def roll(x, shifts, dims=()):
    for shift, dim in zip(shifts, dims):
        extent = x.shape[dim]
        if shift % extent:
            kept = extent - shift % extent
            x = torch.cat([x.narrow(dim, kept, extent - kept), x.narrow(dim, 0, kept)], dim)
    return x


def index_put(x, indices, new, accumulate=False):
    """Sums into places of neighboring dims."""
    assert accumulate
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    assert dims == list(range(dims[0], dims[-1] + 1))
    places = torch.zeros((), dtype=torch.int64)
    for dim in dims:
        index = indices[dim]
        places = places * x.shape[dim] + torch.where(index < 0, index + x.shape[dim], index)
    extents = [x.shape[dim] for dim in dims]
    count, first = 1, dims[0]
    for extent in extents:
        count *= extent
    rank = places.dim()
    rows = one_hot(places.reshape(-1), count)
    before, after = x.shape[:first], x.shape[dims[-1] + 1:]
    new = new.expand(*before, *places.shape, *after) if rank else new
    a = b = 1
    for extent in before:
        a *= extent
    for extent in after:
        b *= extent
    sums = rows.t() @ new.reshape(a, places.numel(), b)
    return x + sums.reshape(x.shape)


def weight_gradient(x, gradient, size, stride, padding, dilation, groups):
    """The gradient of the weight of a convolution, as a convolution of groups * batch channels."""
    batch, inputs, outputs = x.shape[0], x.shape[1] // groups, gradient.shape[1] // groups
    space, extents = range(3, x.dim() + 1), x.shape[2:]
    x = x.reshape(batch, groups, inputs, *extents).permute(2, 1, 0, *space).reshape(inputs, groups * batch, *extents)
    gradient = gradient.reshape(batch, groups, outputs, *gradient.shape[2:]).permute(1, 2, 0, *space)
    gradient = gradient.reshape(groups * outputs, batch, *gradient.shape[3:])
    result = convolve(x, gradient, dilation, padding, stride, groups)
    for dim, extent in enumerate(size, 2):
        result = result.narrow(dim, 0, extent)
    return result.permute(1, 0, *range(2, result.dim()))


def convolve(x, weight, stride, padding, dilation, groups):
    """Groups one after another: torch-mlir has none in one and three dims."""
    parts = [aten.convolution(a, b, None, stride, padding, dilation, False, [0] * len(stride), 1)
             for a, b in zip(x.chunk(groups, 1), weight.chunk(groups, 0))]
    return torch.cat(parts, 1) if groups > 1 else parts[0]


def spread(x, stride):
    """Zeros between elements."""
    for dim, step in enumerate(stride, 2):
        if step > 1:
            before, extent, after = x.shape[:dim], x.shape[dim], x.shape[dim + 1:]
            gap = torch.zeros(*before, extent, step - 1, *after)
            x = torch.cat([x.unsqueeze(dim + 1), gap], dim + 1).reshape(*before, extent * step, *after)
            x = x.narrow(dim, 0, (extent - 1) * step + 1)
    return x


def input_gradient(gradient, weight, extents, stride, padding, dilation, groups):
    """The gradient of the input of a convolution: one of the weight reversed, inputs and outputs exchanged."""
    gradient, amounts = spread(gradient, stride), []
    for dim, (extent, pad, step) in enumerate(zip(extents, padding, dilation), 2):
        amounts = [step * (weight.shape[dim] - 1) - pad, extent + pad - gradient.shape[dim]] + amounts
    parts = [part.transpose(0, 1) for part in weight.flip(list(range(2, weight.dim()))).chunk(groups, 0)]
    weight = torch.cat(parts, 0) if groups > 1 else parts[0]
    none = [0] * len(stride)
    return convolve(aten.constant_pad_nd(gradient, amounts), weight, [1] * len(stride), none, dilation, groups)


def convolution_backward(gradient, x, weight, bias_sizes, stride, padding, dilation, transposed, output_padding,
                         groups, mask):
    dx = dw = db = None
    if mask[0]:
        dx = (convolve(gradient, weight, stride, padding, dilation, groups) if transposed
              else input_gradient(gradient, weight, x.shape[2:], stride, padding, dilation, groups))
    if mask[1]:
        large, small = (gradient, x) if transposed else (x, gradient)
        dw = weight_gradient(large, small, weight.shape[2:], stride, padding, dilation, groups)
    if mask[2]:
        db = gradient.sum([0, *range(2, gradient.dim())])
    return dx, dw, db


def max_pool_backward(gradient, x, kernel, stride, padding, dilation, ceil_mode, indices):
    """`indices` are positions in the flat image."""
    extents = x.shape[2:]
    count = extents.numel()
    flat = x.shape[:2]
    sums = (one_hot(indices.reshape(*flat, -1), count) * gradient.reshape(*flat, -1, 1)).sum(-2)
    return sums.reshape(x.shape)


def batch_norm(x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5):
    """torch.nn.functional.batch_norm in training; torch-mlir loses how PyTorch's own updates running statistics."""
    assert training
    dims, count = [0, *range(2, x.dim())], x.numel() // x.shape[1]
    mean = x.mean(dims, keepdim=True)
    variance = ((x - mean) ** 2).mean(dims, keepdim=True)
    with torch.no_grad():
        running_mean.copy_((1 - momentum) * running_mean + momentum * mean.reshape(-1))
        running_var.copy_((1 - momentum) * running_var + momentum * count / (count - 1) * variance.reshape(-1))
    shape = [1, -1] + [1] * (x.dim() - 2)
    return (x - mean) * torch.rsqrt(variance + eps) * weight.reshape(shape) + bias.reshape(shape)


DECOMPOSITIONS = {
    aten.empty_permuted.default: zeros,
    aten.cumsum.default: cumsum,
    aten.topk.default: topk,
    aten.nll_loss_forward.default: nll_loss_forward,
    aten.nll_loss_backward.default: nll_loss_backward,
    aten.embedding_dense_backward.default: embedding_dense_backward,
    aten.roll.default: roll,
    aten.scatter.src: scatter,
    aten.scatter_add.default: scatter_add,
    aten.index_put.default: index_put,
    aten._unsafe_index_put.default: index_put,
    aten.convolution_backward.default: convolution_backward,
    aten.max_pool2d_with_indices_backward.default: max_pool_backward,
    aten.max_pool3d_with_indices_backward.default: max_pool_backward,
}


class Step(torch.nn.Module):
    """A training step as a function of weights, states of the optimizer and batch: loss and new values."""

    def __init__(self, row):
        super().__init__()
        self.row, self.names = row, list(values(row.module))
        self.trained = [name for name in self.names if "running_" not in name]

    def arguments(self):
        first = values(self.row.module)
        # Two ones, for a trace takes one tensor for one argument.
        states = [torch.zeros_like(first[name]) for name in self.trained for _ in range(2)]
        states += [torch.ones(()), torch.ones(())]
        return [*(first[name] for name in self.names), *(states if self.row.optimizer == "adamw" else []),
                *self.row.inputs.values(), self.row.target]

    def forward(self, *arguments):
        row, count = self.row, len(self.names)
        kept = dict(zip(self.names, arguments))
        inputs, row.target = arguments[-1 - len(row.inputs):-1], arguments[-1]
        variables = {name: kept[name] for name in self.trained}

        def compute(variables):
            statistics = {name: kept[name].clone() for name in self.names if name not in variables}
            result = torch.func.functional_call(row.module, {**variables, **statistics}, tuple(inputs))
            return loss_of(row, result), statistics

        gradients, (loss, statistics) = torch.func.grad_and_value(compute, has_aux=True)(variables)
        new, states = {}, []
        if row.optimizer == "sgd":
            for name in self.trained:
                new[name] = kept[name] - row.rate * gradients[name]
        else:
            power1, power2 = (p * beta for p, beta in zip(arguments[count + 2 * len(self.trained):][:2], BETAS))
            for i, name in enumerate(self.trained):
                gradient, (m, v) = gradients[name], arguments[count + 2 * i:][:2]
                m = BETAS[0] * m + (1 - BETAS[0]) * gradient
                v = BETAS[1] * v + (1 - BETAS[1]) * gradient * gradient
                move = (m / (1 - power1)) / (torch.sqrt(v / (1 - power2)) + EPSILON)
                new[name] = kept[name] * (1 - row.rate * DECAY) - row.rate * move
                states += [m, v]
            states += [power1, power2]
        new.update(statistics)
        return (loss, *(new[name] for name in self.names), *states)


def export(row, path):
    """Writes the step of a row to a file: function @main of `Step.arguments()`."""
    from torch_mlir import fx
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table
    step = Step(row)
    table = {**torch._decomp.core_aten_decompositions(), **get_decomposition_table(), **DECOMPOSITIONS}
    # PyTorch's own gives gradients by strides, which torch-mlir does not read.
    own = {"adaptive_avg_pool2d": lambda x, size: x.mean((2, 3), keepdim=True), "batch_norm": batch_norm}
    with sdpa_kernel(SDPBackend.MATH), unittest.mock.patch.multiple("torch.nn.functional", **own):
        trace = make_fx(torch.func.functionalize(step), decomposition_table=table, tracing_mode="real")
        graph = trace(*step.arguments())
    for node in graph.graph.nodes:
        if getattr(getattr(node.target, "_schema", None), "is_mutable", False) or "batch_norm" in str(node.target):
            raise RuntimeError("%s changes an operand, which torch-mlir does not see" % node.target)
    module = fx.stateless_fx_import(graph, output_type="linalg-on-tensors", model_name="main")
    text = str(module)
    if "tm_tensor." in text:
        start = text.index("tm_tensor.")
        raise RuntimeError("torch-mlir has lowered an op to one of its own dialect: %s" % text[start:start + 40])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
