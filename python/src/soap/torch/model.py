# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`soap.from_torch`: a module as a model, which trains what the module trains."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from dataclasses import dataclass, replace
from typing import Any, Callable, Mapping, Sequence

import numpy as np
import torch

from .. import _core
from ..errors import SoapError, SoapWarning
from ..model import Model
from ..planning.keywords import names_nearest
from ..session import Session, as_array
from .builder import Unsupported
from .check import compare, order_matters
from .export import export
from .importer import Importer, Program, place_of_error, program_name
from .joint import export_joint


class TorchModel(Model):
    """A model that was a module of PyTorch. `state_dict()` has the keys of the module's and tensors of PyTorch, so that
    `module.load_state_dict(model.state_dict())` works."""

    def __init__(self, core: _core.Module, name: str, module: torch.nn.Module, program: Program, computes_loss: bool):
        super().__init__(core, name)
        #: What the module has at import: what the program does not (counters of batch norm) stays as it is.
        self.first_state = {key: value.detach().clone() for key, value in module.state_dict().items()}
        self._module_name = type(module).__name__
        self._names = _names_in_program(module, program)
        self._constants = _constants(module, program)
        self._fixed: dict[str, Any] = {}
        #: Samples depend on their places in the batch, as the nodes of a graph do: `soap.fit` must not shuffle them.
        self.order_matters = False
        if computes_loss:
            self._fixed["loss"] = "output"

    def build_training_step(self, optimizer: str = "sgd", learning_rate: float = 0.01, **options: Any) -> Model:
        """As of every model; the loss is the program's own if it computes one."""
        return super().build_training_step(optimizer, learning_rate, **{**self._fixed, **options})

    def _numbers(self) -> dict[str, np.ndarray]:
        if self._values is None:
            numbers = super()._numbers()
            self._values = {**numbers, **{k: v for k, v in self._first_values().items() if k in numbers}}
        return self._values

    def restore(self, session: Session) -> None:
        if self._values is not None:
            super().restore(session)
            return
        values = self._first_values()
        for name in session.saved_names():
            if name in values:
                session[name] = values[name]

    def _has_numbers(self) -> bool:
        return self._values is not None or not any(value.is_meta for value in self.first_state.values())

    def _first_values(self) -> dict[str, np.ndarray]:
        """The module's values at import, by their names in the program."""
        return {
            self._names.get(key, key): as_array(value, key)
            for key, value in self.first_state.items()
            if value.is_floating_point() and not value.is_meta
        }

    def state_dict(self) -> dict[str, torch.Tensor]:
        numbers = self._numbers()
        result = {}
        for key, original in self.first_state.items():
            name = self._names.get(key, key)
            value = original.clone()
            if name in numbers and not original.is_meta:
                value = torch.from_numpy(numbers[name].copy()).to(original.dtype)
            elif name in numbers:
                value = torch.from_numpy(numbers[name].copy())
            result[key] = value
        return result

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        current = self._numbers()
        wanted = {}
        for key, original in self.first_state.items():
            name = self._names.get(key, key)
            if key not in values:
                raise KeyError(f"expected the keys of state_dict(): {key!r} is missing")
            if name in current:
                wanted[name] = values[key]
            elif key in self._constants and not np.array_equal(as_array(values[key], key), as_array(original, key)):
                raise ValueError(f"{key!r} is a constant of the program: import the module with the other value")
        super().load_state_dict({**current, **wanted})


def _names_in_program(module: torch.nn.Module, program: Program) -> dict[str, str]:
    """The name in the program of every key of the module's state. Tied keys have one."""
    by_key = {a.key: a.name for a in program.arguments if a.key}
    groups: dict[Any, list[str]] = {}
    for key, value in module.state_dict(keep_vars=True).items():
        place: Any = (value.data_ptr(), tuple(value.shape), tuple(value.stride()))
        if value.is_meta or not value.numel():
            place = id(value)
        groups.setdefault(place, []).append(key)
    names = {}
    for keys in groups.values():
        name = next((by_key[key] for key in keys if key in by_key), program_name(keys[0]))
        names.update({key: name for key in keys})
    return names


def _constants(module: torch.nn.Module, program: Program) -> set[str]:
    """Buffers whose elements are constants of the program."""
    arguments = {a.key for a in program.arguments}
    return {key for key, _ in module.named_buffers() if key not in arguments and not key.endswith("num_batches_tracked")}


@dataclass
class Example:
    """Arguments of `forward`: tensors with the program's batch, and their names."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    names: list[str]
    sample_dims: dict[str, int]
    #: The order of the program's arguments, inputs before labels.
    order: list[str]

    def tensors(self) -> list[torch.Tensor]:
        leaves = torch.utils._pytree.tree_leaves((self.args, self.kwargs))
        return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def with_batch(self, batch: int) -> Example:
        """The same with samples repeated, or left out."""
        old = self.tensors()[0].shape[0] if self.tensors() else 0
        named = iter(self.names)

        def change(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            if next(named) not in self.sample_dims:
                return value
            rows = torch.arange(batch) % max(old, 1)
            return value[rows.to(value.device)] if not value.is_meta else value.new_empty((batch, *value.shape[1:]))

        args, kwargs = torch.utils._pytree.tree_map(change, (self.args, self.kwargs))
        return replace(self, args=args, kwargs=kwargs)

    def reversed(self) -> Example:
        """The same samples in the opposite order."""
        named = iter(self.names)

        def change(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            return value.flip(0) if next(named) in self.sample_dims else value

        args, kwargs = torch.utils._pytree.tree_map(change, (self.args, self.kwargs))
        return replace(self, args=args, kwargs=kwargs)

    def varied(self) -> Example:
        """The same with random numbers for floats that are all equal, such as zeros: these meet the corners of
        functions, where rounding decides on a gradient."""
        generator = torch.Generator().manual_seed(2)

        def change(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.numel() < 2:
                return value
            if not bool((value == value.reshape(-1)[0]).all()):
                return value
            noise = torch.randn(value.shape, generator=generator, dtype=torch.float64)
            return value + noise.to(value.device, value.dtype)

        args, kwargs = torch.utils._pytree.tree_map(change, (self.args, self.kwargs))
        return replace(self, args=args, kwargs=kwargs)

    def with_other_numbers(self) -> Example:
        """The same shapes: other floats, and samples in the opposite order."""
        generator = torch.Generator().manual_seed(1)

        def change(value: Any) -> Any:
            if not isinstance(value, torch.Tensor) or not value.is_floating_point():
                return value
            noise = torch.rand(value.shape, generator=generator, dtype=torch.float64)
            return value * (0.5 + noise).to(value.device, value.dtype)

        turned = self.reversed()
        args, kwargs = torch.utils._pytree.tree_map(change, (turned.args, turned.kwargs))
        return replace(self, args=args, kwargs=kwargs)


def _example(forward: Callable[..., Any], example: Any) -> Example:
    if isinstance(example, Mapping):
        # torch.export has keyword arguments in the order of the signature.
        order = list(inspect.signature(forward).parameters)
        args, kwargs = (), dict(sorted(example.items(), key=lambda row: order.index(row[0]) if row[0] in order else -1))
    else:
        args, kwargs = ((example,) if isinstance(example, torch.Tensor) else tuple(example)), {}
    parameters = list(inspect.signature(forward).parameters)
    named = [(parameters[i] if i < len(parameters) else f"input{i}", value) for i, value in enumerate(args)]
    names: list[str] = []
    tensors: list[torch.Tensor] = []
    for name, value in [*named, *kwargs.items()]:
        leaves = torch.utils._pytree.tree_leaves(value)
        found = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        names += [name] if len(found) == 1 else [f"{name}.{i}" for i in range(len(found))]
        tensors += found
    if not tensors:
        raise TypeError("from_torch: example_inputs: expected at least one tensor")
    batch = tensors[0].shape[0] if tensors[0].ndim else None
    dims = {name: 0 for name, tensor in zip(names, tensors) if tensor.ndim and tensor.shape[0] == batch}
    return Example(args, kwargs, names, dims, names)


def _with_labels(example: Example, labels: tuple[Any, ...], names: list[str]) -> Example:
    """Labels come after the positional arguments."""
    count = sum(isinstance(leaf, torch.Tensor) for leaf in torch.utils._pytree.tree_leaves(example.args))
    batch = next((t.shape[0] for n, t in zip(example.names, example.tensors()) if n in example.sample_dims), None)
    dims = {n: 0 for n, label in zip(names, labels) if label.ndim and label.shape[0] == batch}
    return Example(
        (*example.args, *labels),
        example.kwargs,
        [*example.names[:count], *names, *example.names[count:]],
        {**example.sample_dims, **dims},
        [*example.order, *names],
    )


def _label_names(loss: Callable[..., Any] | None, count: int) -> list[str]:
    """The names that the loss gives its labels, where it has one for each."""
    names: list[str] = []
    if loss is not None:
        with contextlib.suppress(TypeError, ValueError):
            names = [p.name for p in list(inspect.signature(loss).parameters.values())[1:]
                     if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return names if len(names) == count else ["label"] if count == 1 else [f"label{i}" for i in range(count)]


def _acts_in_training(module: torch.nn.Module) -> bool:
    kinds = (torch.nn.modules.batchnorm._BatchNorm, torch.nn.modules.dropout._DropoutNd)
    return any(isinstance(child, kinds) and getattr(child, "p", 1) > 0 for child in module.modules())


class Tracer:
    """Exports a module once, for the program and for its comparison."""

    def __init__(self, module: torch.nn.Module, example: Example, backward: str = "soap"):
        self.example = example
        self.prefix = "module." if isinstance(module, _Wrapped) else ""
        exports = {"soap": export, "torch": export_joint}[backward]
        try:
            self.exported = exports(module, example.args, example.kwargs)
        except Unsupported as error:
            raise SoapError(f"from_torch: {error}") from None
        except SoapError:
            raise
        except Exception as error:
            place = place_of_error(error)
            said = str(error).strip().splitlines()[:1] or [""]
            raise SoapError(
                f"from_torch: {place + ': ' if place else ''}torch.export refuses the module: {type(error).__name__}: "
                f"{said[0]}"
            ) from error

        if backward == "torch":
            return
        kwargs_order = list(self.exported.call_spec.in_spec.child(1).context or ())
        if kwargs_order != list(example.kwargs):
            raise SoapError(f"from_torch: expected the inputs {list(example.kwargs)}, torch.export has {kwargs_order}")

    def importer(self, compares: bool = False) -> Importer:
        e = self.example
        return Importer(self.exported, e.names, e.sample_dims, e.order, self.prefix, compares)


def _warn_of_unused(module: torch.nn.Module, model: TorchModel, program: Program) -> None:
    found = {a.name for a in program.arguments}
    unused = [name for name, _ in module.named_parameters() if model._names[name] not in found]
    if unused:
        warnings.warn(
            f"the program of {type(module).__name__} does not have the parameters {unused}: they stay as they are",
            SoapWarning,
            stacklevel=4,
        )


class _Wrapped(torch.nn.Module):
    """A module, and what the program is to have of its result: a part of it, or a loss of it and of labels."""

    def __init__(self, module: torch.nn.Module, result: Callable[..., Any], labels: int):
        super().__init__()
        self.module, self.result, self.labels = module, result, labels

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        inputs = args[: len(args) - self.labels]
        return self.result(self.module(*inputs, **kwargs), *args[len(inputs) :])


def _selection(output: Any) -> Callable[[Any], Any]:
    """The part of a module's result that `output` names."""
    if output is None:
        return lambda out: out
    if callable(output):
        return output
    if isinstance(output, int):
        return lambda out: out[output]
    if isinstance(output, str):
        return lambda out: out[output] if isinstance(out, Mapping) else getattr(out, output)
    raise TypeError(f"from_torch: output: expected a name, a number or a function, got {type(output).__name__}")


@names_nearest
def from_torch(
    module: torch.nn.Module,
    example_inputs: Any,
    *,
    output: str | int | Callable[[Any], Any] | None = None,
    loss: Callable[..., torch.Tensor] | None = None,
    labels: Any = (),
    batch: int | None = None,
    backward: str = "soap",
    check: bool = True,
    tolerance: float = 1e-5,
) -> TorchModel:
    """Imports a module by way of `torch.export`, in the mode that it is in, under the names of its parameters.

    `example_inputs` is a tensor, a tuple of the arguments of `forward`, or a dict of them by name; the first dim of
    each is the batch that the program has, or `batch` is. Python numbers and None among them are constants.

    `output` chooses what the program returns: an attribute or key of the module's result (`"logits"`), the number of
    one of several, or a function of it; else all floats that it has are results.

    With `loss`, a function of the (chosen) result and of `labels` (a tensor or a tuple of example labels), the program
    computes the loss, and labels are data: `soap.fit` takes them after the inputs. Without, the training step has one
    of Soap's losses (docs/TrainingStep.md).

    What trains is what PyTorch trains: `requires_grad=False` is frozen, padding rows of embeddings get no gradient,
    tied parameters are one, `detach` and `no_grad` stop gradients, batch norms update their running statistics if they
    are in training mode, and dropout drops in training mode. What has no op is an error that names it and its line.

    Gradients are by Soap's backward pass, or, with `backward="torch"`, by PyTorch's autograd, whose graph is a part of
    the program: for backward passes of one's own (`torch.autograd.Function`). The program has to compute its loss.

    With `check`, results and all gradients are compared with PyTorch's on the example, and on a batch of other numbers,
    before the model is returned: they differ by at most `tolerance`, relative to the largest element of each, or that
    is an error which names what differs, unless program and module agree in double precision.
    A module on `meta` has no numbers to compare."""
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"from_torch: expected a torch.nn.Module, got {type(module).__name__}")
    label_values = (labels,) if isinstance(labels, torch.Tensor) else tuple(labels)
    if label_values and loss is None:
        raise TypeError("from_torch: labels: expected a loss that takes them")
    if backward not in ("soap", "torch"):
        raise ValueError(f"from_torch: backward: expected 'soap' or 'torch', got {backward!r}")
    example = _example(module.forward, example_inputs)
    traced: torch.nn.Module = module
    if loss is not None or output is not None:
        select = _selection(output)
        result = select if loss is None else lambda out, *given: loss(select(out), *given)
        traced = _Wrapped(module, result, len(label_values))
        traced.training = module.training
        example = _with_labels(example, label_values, _label_names(loss, len(label_values)))
    if batch is not None:
        if batch < 1:
            raise ValueError(f"from_torch: batch: expected at least 1, got {batch}")
        example = example.with_batch(batch)
    if not module.training and _acts_in_training(module):
        warnings.warn(
            f"{type(module).__name__} is in evaluation mode: nothing is dropped and batch norms keep their statistics; "
            "module.train() before from_torch changes that",
            SoapWarning,
            stacklevel=3,  # behind names_nearest
        )
    tracer = Tracer(traced, example, backward)
    program = tracer.importer().run()
    core = _core.Module.parse(program.text, type(module).__name__, [])
    computes_loss = loss is not None or backward == "torch"
    model = TorchModel(core, type(module).__name__, module, program, computes_loss)
    _warn_of_unused(module, model, program)
    if check:

        def trace(m: torch.nn.Module, e: Example) -> Importer:
            return (tracer if m is traced else Tracer(m, e, backward)).importer(compares=True)

        compare(traced, example, trace, tolerance)
        model.order_matters = order_matters(traced, example)
    return model
