# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pipeline parallelism by `torch.distributed.pipelining`: the module's graph cut before repeated blocks."""

from __future__ import annotations

import copy
import operator
from typing import Any, Callable

import torch
import torch.distributed as dist
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleInterleaved1F1B, SplitPoint, pipeline
from torch.distributed.tensor import DTensor
from torch.fx import Node

from ...planning.errors import PlanError
from .blocks import stage_starts
from .local import whole
from .names import plain
from .recipe import Recipe
from .tensor import Layout

Tensors = tuple[torch.Tensor, ...]


class Pipeline:
    """The stages of this process. The module's weights are in the graph of each stage that reads them."""

    def __init__(self, module: nn.Module, recipe: Recipe, mesh: Any, inputs: Tensors, blocks: list[str]):
        if recipe.microbatches < recipe.shape.stages:
            raise PlanError(f"parallelize: {recipe.microbatches} microbatches in {recipe.shape.stages} pipeline stages: PyTorch's "
                            f"schedules need as many microbatches; the nearest plan has samples="
                            f"{max(recipe.samples // recipe.shape.stages, 1)}")  # fmt: skip
        self._recipe, self._group = recipe, mesh["stage"].get_group()
        first = mesh["stage"].get_local_rank()
        #: Which stages of all they are.
        self.numbers = list(range(first, recipe.stages, recipe.shape.stages))
        starts = stage_starts(blocks, recipe.stages)
        seen: dict[int, str] = {}
        self._names = {name: seen.setdefault(id(parameter), name)
                       for name, parameter in module.named_parameters(remove_duplicate=False)}  # fmt: skip
        self._pipe = _split(module, recipe, inputs, starts)
        if self._pipe.num_stages != recipe.stages:
            raise PlanError(f"parallelize: cuts before {', '.join(starts)} make {self._pipe.num_stages} stages, expected {recipe.stages}: "
                            "blocks run in another order than they are registered in; the nearest plan has no stages")  # fmt: skip
        self._flow = Flow(self._pipe, inputs)
        originals = dict(module.named_parameters(remove_duplicate=False))
        self.modules = [self._stage(number, originals) for number in self.numbers]
        self._tied: list[tuple[list[nn.Parameter], Any, bool]] = []

    def connect(self, layout: Layout | None) -> None:
        """Makes each stage take what the one before sends; DTensors are whole on all members then."""
        for module, number in zip(self.modules, self.numbers):
            self._flow.connect(module, number, layout)

    def is_last(self, number: int) -> bool:
        return number == self._recipe.stages - 1

    def _stage(self, number: int, originals: dict[str, nn.Parameter]) -> nn.Module:
        """A stage's module with the weights of the original, which its graph may have in another precision."""
        stage = self._pipe.get_stage_module(number)
        done: dict[str, nn.Parameter] = {}
        for name, _ in list(stage.named_parameters(remove_duplicate=False)):
            first = self.original(name)
            if first not in done:
                done[first] = nn.Parameter(originals[first].detach().clone(), requires_grad=originals[first].requires_grad)
            path, _, own = name.rpartition(".")
            stage.get_submodule(path).register_parameter(own, done[first])
        for child in stage.modules():
            graph = getattr(child, "graph", None)
            for node in list(graph.nodes) if graph is not None else ():
                # Guards of the trace; none has a result.
                if node.target is torch.ops.aten._assert_tensor_metadata.default:
                    graph.erase_node(node)
            if isinstance(child, torch.fx.GraphModule):
                child.recompile()
        return stage

    def original(self, name: str) -> str:
        """The first name of a stage's weight in the module: a module that is called twice is two in a graph."""
        return self._names.get(plain(name), plain(name))

    def build(self, loss: Callable[..., Any]) -> None:
        """The schedule, when the stages' modules are as they will be."""
        recipe, flow = self._recipe, self._flow
        device = next(self.modules[0].parameters()).device
        stages = [PipelineStage(module, number, recipe.stages, device, input_args=flow.metas(flow.entering(number)),
                                output_args=flow.metas(flow.leaving(number)), group=self._group)
                  for module, number in zip(self.modules, self.numbers)]  # fmt: skip

        def of_target(output: Any, target: tuple[Tensors, Any]) -> torch.Tensor:
            return loss(output, *target)

        if len(stages) == 1:
            self._schedule: Any = Schedule1F1B(stages[0], recipe.microbatches, of_target, scale_grads=False)
        else:
            self._schedule = ScheduleInterleaved1F1B(stages, recipe.microbatches, of_target, scale_grads=False)
        self._share_tied()

    def run(self, inputs: list[Tensors], labels: list[Tensors], scales: list[Any]) -> torch.Tensor:
        """Both passes; the sum of the losses where the last stage is, else 0."""
        losses: list[torch.Tensor] = []
        is_first, is_last = 0 in self.numbers, self.is_last(self.numbers[-1])
        self._schedule.step(arg_mbs=inputs if is_first else None,
                            target_mbs=list(zip(labels, scales)) if is_last else None,
                            losses=losses if is_last else None, return_outputs=False)  # fmt: skip
        total = torch.zeros((), device=labels[0][0].device)
        for value in losses:
            total += whole(value.detach())
        return total

    # Weights that several stages read

    def _share_tied(self) -> None:
        """A group of processes for each such weight. All processes make all groups."""
        stages = self._recipe.shape.stages
        readers: dict[str, list[int]] = {}
        for number in range(self._recipe.stages):
            for name, _ in self._pipe.get_stage_module(number).named_parameters():
                group = readers.setdefault(self.original(name), [])
                if number % stages not in group:
                    group.append(number % stages)
        own: dict[str, list[nn.Parameter]] = {}
        for module in self.modules:
            for name, parameter in module.named_parameters():
                own.setdefault(self.original(name), []).append(parameter)
        ranks = dist.get_process_group_ranks(self._group)
        everyone: list[Any] = [None] * dist.get_world_size()
        shared = {name: group for name, group in readers.items() if len(group) > 1}
        dist.all_gather_object(everyone, ranks)
        groups: dict[tuple[int, ...], Any] = {}
        for column in sorted({tuple(entry) for entry in everyone}):
            for places in sorted({tuple(group) for group in shared.values()}):
                members = [column[place] for place in places]
                group = dist.new_group(members)
                if list(column) == ranks:
                    groups[places] = group
        here = dist.get_rank(self._group)
        for name, parameters in own.items():
            places = tuple(shared.get(name, ()))
            if here in places:
                self._tied.append((parameters, groups[places], here != places[0]))
            elif len(parameters) > 1:
                self._tied.append((parameters, None, False))

    def add_tied_gradients(self) -> None:
        """All copies of a weight get the sum of their gradients."""
        for parameters, group, _ in self._tied:
            if not parameters[0].requires_grad:
                continue
            locals_ = [_local(p.grad) if p.grad is not None else torch.zeros_like(_local(p)) for p in parameters]
            total = torch.stack(locals_).sum(0) if len(locals_) > 1 else locals_[0]
            if group is not None:
                dist.all_reduce(total, group=group)
            for parameter in parameters:
                if parameter.grad is None:
                    parameter.grad = torch.zeros_like(parameter)
                _local(parameter.grad).copy_(total)

    def repeated(self) -> set[int]:
        """The ids of parameters that others of all processes are copies of."""
        found: set[int] = set()
        for parameters, _, is_repeated in self._tied:
            found |= {id(parameter) for parameter in (parameters if is_repeated else parameters[1:])}
        return found


class Flow:
    """Values that stages send. Each sends to the next one alone: values that later ones read go through all between."""

    def __init__(self, pipe: Any, inputs: Tensors):
        graph = pipe.split_gm.graph
        self._calls = [node for node in graph.nodes if node.op == "call_module"]
        self._inputs = [node for node in graph.nodes if node.op == "placeholder"]
        self._made: list[list[Node]] = []
        for call in self._calls:
            items = sorted((user for user in call.users if user.target is operator.getitem), key=lambda user: user.args[1])
            self._made.append(items or [call])
        last: dict[Node, int] = {node: number for number, call in enumerate(self._calls) for node in call.all_input_nodes}
        self._leaving: list[list[Node]] = []
        known = list(self._inputs)
        for number in range(len(self._calls) - 1):
            known += self._made[number]
            self._leaving.append([node for node in known if last.get(node, -1) > number])
        self._leaving.append(self._made[-1])
        self._values = self._run(pipe, inputs)

    def entering(self, number: int) -> list[Node]:
        return self._leaving[number - 1] if number else self._inputs

    def leaving(self, number: int) -> list[Node]:
        return self._leaving[number]

    def metas(self, nodes: list[Node]) -> Tensors:
        return tuple(self._values[node] for node in nodes)

    def _run(self, pipe: Any, inputs: Tensors) -> dict[Node, torch.Tensor]:
        """All values without numbers: their shapes, and which of them have gradients."""
        with FakeTensorMode(allow_non_fake_inputs=True) as mode, torch.enable_grad():
            values = dict(zip(self._inputs, map(mode.from_tensor, inputs)))
            for number, call in enumerate(self._calls):
                stage = pipe.get_stage_module(number)
                state = {name: mode.from_tensor(value) for name, value in
                         (*stage.named_parameters(remove_duplicate=False), *stage.named_buffers())}  # fmt: skip
                result = torch.func.functional_call(stage, state, tuple(values[node] for node in call.args))
                several = result if isinstance(result, (tuple, list)) else [result]
                values.update(zip(self._made[number], several))
        return {node: torch.empty(value.shape, dtype=value.dtype, device="meta", requires_grad=value.requires_grad)
                for node, value in values.items()}  # fmt: skip

    def connect(self, stage: nn.Module, number: int, layout: Layout | None) -> None:
        """Hooks, so that weights keep their names."""
        entering, call, made = self.entering(number), self._calls[number], self._made[number]
        is_last = number == len(self._calls) - 1
        passed: list[torch.Tensor] = []

        def inputs(_: nn.Module, given: Tensors) -> Tensors:
            values = {node: x.to(self._values[node].dtype) for node, x in zip(entering, given)}
            passed[:] = [values[node].view_as(values[node]) for node in self.leaving(number) if node in values]
            found = tuple(values[node] for node in call.args)
            return tuple(map(layout.spread, found)) if layout else found

        def outputs(_: nn.Module, given: Any, result: Any) -> Any:
            if is_last:
                return result
            values = dict(zip(made, result if isinstance(result, (tuple, list)) else [result]))
            kept = iter(list(passed))
            passed.clear()
            several = [whole(values[node]) if node in values else next(kept) for node in self.leaving(number)]
            several = [x.contiguous() for x in several]  # to be sent
            return several[0] if len(several) == 1 else tuple(several)

        stage.register_forward_pre_hook(inputs)
        stage.register_forward_hook(outputs)


def _local(tensor: Any) -> torch.Tensor:
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def _split(module: nn.Module, recipe: Recipe, inputs: Tensors, starts: list[str]) -> Any:
    """The graph in the precision of the passes: casts are part of it."""
    if recipe.precision == "bf16":
        memo = {id(p): nn.Parameter(p.detach().to(torch.bfloat16), requires_grad=p.requires_grad) for p in module.parameters()
                if p.is_floating_point()}  # fmt: skip
        module = copy.deepcopy(module, memo)
        inputs = tuple(x.to(torch.bfloat16) if x.is_floating_point() else x for x in inputs)
    try:
        return pipeline(module, mb_args=inputs, split_spec={path: SplitPoint.BEGINNING for path in starts})
    except Exception as error:
        reason = str(error.__cause__ or error).strip().splitlines()
        raise PlanError(f"parallelize: torch.distributed.pipelining cannot trace the module: {reason[0] if reason else error!r}; "
                        "the nearest plan has no stages") from error  # fmt: skip
