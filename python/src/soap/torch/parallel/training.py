# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module that a plan has spread over processes, and its iteration."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, Mapping

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.tensor import DTensor, distribute_tensor

from ...planning.errors import PlanError
from .data import begin_microbatch
from .local import LocalOps, Tensors, as_tuple, whole
from .names import Names, plain
from .pipeline import Pipeline
from .recipe import Recipe
from .tensor import Layout


class Parallel:
    """The result of `parallelize`: a process's part of a module. An iteration is `backward`, then a step of any
    optimizer of `parameters()`."""

    def __init__(self, recipe: Recipe, mesh: Any, modules: list[nn.Module], names: Names,
                 loss: Callable[..., Any], weight: Callable[..., Any] | None, pipeline: Pipeline | None,
                 layout: Layout | None, cuts_head: bool, notes: list[str]):  # fmt: skip
        #: The module, or of a pipeline the stages of this process.
        self.modules = modules
        self.mesh = mesh
        #: How products are cut, and which stay whole.
        self.notes = notes
        self._recipe, self._names, self._loss, self._weight, self._pipeline = recipe, names, loss, weight, pipeline
        self._layout, self._cuts_head = layout, cuts_head
        self._everyone = mesh._flatten("everyone").get_group()

    def __repr__(self) -> str:
        return f"<soap.torch.Parallel: {self._recipe.in_words()}>"

    @property
    def replica(self) -> int:
        """Which of the `replicas` of the model this process works for: as `rank` of a DistributedSampler."""
        place = dict(zip(self.mesh.mesh_dim_names, self.mesh.get_coordinate()))
        return place.get("replicate", 0) * self.mesh["data"].size() + place["data"]

    @property
    def replicas(self) -> int:
        return self._recipe.shape.data

    def share(self, tensor: torch.Tensor) -> torch.Tensor:
        """This process's samples of the whole batch of an iteration (dim 0), for `backward`."""
        if tensor.shape[0] != self._recipe.batch:
            raise PlanError(f"share: the plan has {self._recipe.batch} samples an iteration, got {tensor.shape[0]}")
        return tensor.chunk(self.replicas)[self.replica]

    def backward(self, inputs: Tensors, labels: Tensors) -> torch.Tensor:
        """Both passes of all microbatches: adds the gradients of the mean loss to `.grad`, and returns that loss, of
        the samples of all replicas, on every process. `inputs` and `labels` are the samples of this process's
        replica."""
        given, wanted = as_tuple(inputs), as_tuple(labels)
        for tensor in (*given, *wanted):
            if tensor.shape[0] != self._recipe.samples:
                raise PlanError(f"backward: the plan has {self._recipe.samples} samples of a replica in an iteration, got a "
                                f"tensor of {tuple(tensor.shape)}; share(...) takes them from the whole batch")  # fmt: skip
        count = self._recipe.microbatches
        pieces, parts = (list(zip(*(tensor.chunk(count) for tensor in tensors))) for tensors in (given, wanted))
        scales = self._scales(parts)
        # Gradients of this iteration are parts until all are there; no sum of parts and wholes.
        before = [(parameter, parameter.grad) for parameter in self.parameters() if parameter.grad is not None]
        for parameter, _ in before:
            parameter.grad = None
        with self._engine():
            if self._pipeline:
                total = self._pipeline.run(pieces, parts, scales)
            else:
                total = self._run(pieces, parts, scales)
        self._finish_gradients()
        with torch.no_grad():
            for parameter, grad in before:
                parameter.grad = grad if parameter.grad is None else parameter.grad.add_(grad)
        # Members and places of a sequence have the same loss; only the last stage has one.
        place = dict(zip(self.mesh.mesh_dim_names, self.mesh.get_coordinate()))
        if place["tensor"] or place["context"]:
            total = torch.zeros_like(total)
        dist.all_reduce(total, group=self._everyone)
        return total

    def _run(self, inputs: list[tuple[torch.Tensor, ...]], labels: list[tuple[torch.Tensor, ...]],
             scales: list[Any]) -> torch.Tensor:  # fmt: skip
        (module,) = self.modules
        total = torch.zeros((), device=labels[0][0].device)
        for i, (given, wanted) in enumerate(zip(inputs, labels)):
            begin_microbatch(module, self._recipe, is_last=i == len(inputs) - 1)
            loss = self.scaled_loss(module(*map(self._spread, given)), wanted, scales[i])
            loss.backward()
            total += whole(loss.detach())
        return total

    def scaled_loss(self, output: Any, labels: tuple[torch.Tensor, ...], scale: Any) -> torch.Tensor:
        loss = self._loss(output, *map(self._spread, labels))
        if not isinstance(loss, torch.Tensor) or loss.ndim:
            raise PlanError("parallelize: loss(output, *labels) is the mean over samples, a scalar tensor; got "
                            + (f"a tensor of {tuple(loss.shape)}" if isinstance(loss, torch.Tensor) else repr(loss)))  # fmt: skip
        return loss * scale

    def _scales(self, labels: list[tuple[torch.Tensor, ...]]) -> list[Any]:
        """The part that each microbatch's mean has in the mean of all."""
        if self._weight is None:
            for tensor in labels[0]:
                if not tensor.is_floating_point() and any(bool((part[0] < 0).any()) for part in labels):
                    raise PlanError("backward: labels below 0, which losses leave out, and so microbatches of different "
                                    "weights: expected weight=, a function of the labels that counts the others")  # fmt: skip
            return [1.0 / (len(labels) * self.replicas)] * len(labels)
        counts = torch.stack([torch.as_tensor(self._weight(*part), dtype=torch.float64, device=part[0].device)
                              for part in labels])  # fmt: skip
        every = counts.sum()
        if self.replicas > 1:
            names = [name for name in self.mesh.mesh_dim_names if name in ("replicate", "data")]
            for name in names:
                dist.all_reduce(every, group=self.mesh[name].get_group())
        return list((counts / every).float())

    def _spread(self, tensor: torch.Tensor) -> torch.Tensor:
        """A tensor of samples as places and members have it."""
        if not self._layout:
            return tensor
        return self._layout.spread(tensor)

    @contextlib.contextmanager
    def _engine(self) -> Iterator[None]:
        """Tensors that a module makes in its forward pass are the same on all members."""
        if not self._layout:
            yield
            return
        from torch.distributed.tensor.experimental import implicit_replication
        from torch.distributed.tensor.parallel import loss_parallel

        # Both passes of the loss of logits that are cut in columns.
        with implicit_replication(), LocalOps(), loss_parallel() if self._cuts_head else contextlib.nullcontext():
            yield

    def _finish_gradients(self) -> None:
        for parameter in self.parameters():
            grad = parameter.grad
            if isinstance(grad, DTensor) and isinstance(parameter, DTensor) and grad.placements != parameter.placements:
                parameter.grad = grad.redistribute(placements=parameter.placements)
        if self._pipeline:
            self._pipeline.add_tied_gradients()

    def parameters(self) -> Iterator[nn.Parameter]:
        """The parameters of this process, for an optimizer."""
        for module in self.modules:
            yield from module.parameters()

    def clip_grad_norm_(self, max_norm: float) -> torch.Tensor:
        """Scales the gradients such that the norm of all of them, of all stages, is at most `max_norm`; the norm."""
        total = torch.zeros((), device=self.mesh.device_type)
        parameters = [parameter for parameter in self.parameters() if parameter.grad is not None]
        repeated = self._pipeline.repeated() if self._pipeline else set()
        for parameter in parameters:
            if id(parameter) not in repeated:
                total += whole(parameter.grad.float().pow(2).sum())
        if self._pipeline:
            dist.all_reduce(total, group=self.mesh["stage"].get_group())
        norm = total.sqrt()
        scale = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
        for parameter in parameters:
            local = parameter.grad.to_local() if isinstance(parameter.grad, DTensor) else parameter.grad
            local.mul_(scale)
        return norm

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Whole weights and buffers by their names in the module, on the CPU of all processes, which all call it."""
        mine: dict[str, torch.Tensor] = {}
        for module in self.modules:
            mine.update(self._names.whole({key: whole(value.detach()).cpu() for key, value in module.state_dict().items()}))
        if not self._pipeline:
            return mine
        every: list[Any] = [None] * self._recipe.shape.stages
        dist.all_gather_object(every, mine, group=self.mesh["stage"].get_group())
        return {key: value for part in every for key, value in part.items()}

    @torch.no_grad()
    def load_state_dict(self, state: Mapping[str, torch.Tensor]) -> None:
        """Takes whole weights, as `state_dict` of the module or of this class returns them; all are expected."""
        found = self._names.parts(state)
        known = set(self._names.parts(dict.fromkeys(self._names.keys, torch.zeros(64, 64))))
        for module in self.modules:
            for key, value in module.state_dict().items():
                name = plain(key)
                if name not in found:
                    if name in known:
                        raise KeyError(f"load_state_dict: {name} is missing")
                    continue  # a buffer that is in no state
                new = found[name].to(value.device, value.dtype)
                if new.shape != value.shape:
                    raise ValueError(f"load_state_dict: {name}: expected {tuple(value.shape)}, got {tuple(new.shape)}")
                if isinstance(value, DTensor):
                    new = distribute_tensor(new, value.device_mesh, value.placements, src_data_rank=None)
                value.copy_(new)
