# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: modules in, trained weights and DTensor placements out."""

from __future__ import annotations

import contextlib
import inspect
import os
import tempfile
import warnings
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
import torch

from . import _core
from ._options import import_options
from ._versions import check_version
from .errors import SoapError, SoapWarning
from .model import Model
from .plan import Plan
from .session import Session, as_array

check_version("torch", torch.__version__)


class TorchModel(Model):
    """A model that was a module of PyTorch. `state_dict()` has the keys of the module's and tensors of PyTorch, so that
    `module.load_state_dict(model.state_dict())` works."""

    def __init__(self, core: _core.Module, name: str, module: torch.nn.Module):
        super().__init__(core, name)
        #: What the module has at import: what the program does not (counters of batch norm) stays as it is.
        self._original = {key: value.detach().clone() for key, value in module.state_dict().items()}
        self._module_name = type(module).__name__
        forward = self.function("forward")
        found = {a["name"]: a.get("kind") for a in forward["arguments"]} if forward else {}
        self._names = _names_in_program(module, set(found))
        self._fixed = _fixed_parameters(module, self._names, found)
        # A parameter that goes back nowhere would be a training without effect.
        lost = [name for name, kind in found.items() if kind == "parameter" and name not in self._names.values()]
        if lost:
            raise SoapError(f"from_torch: the program trains {lost}, which no parameter of {self._module_name} is")
        unused = [name for name, _ in module.named_parameters() if self._names[name] not in found]
        if unused:
            warnings.warn(
                f"the program of {self._module_name} does not have the parameters {unused}: they stay as they are",
                SoapWarning,
                stacklevel=3,
            )

    def build_training_step(self, optimizer: str = "sgd", learning_rate: float = 0.01, **options: Any) -> Model:
        """As of every model. Parameters that do not require a gradient are frozen, and padding rows of embeddings get
        none, as in PyTorch; the options `freeze` and `padding_rows` replace what the module says."""
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
        # An export in training mode runs the module, and has the running statistics after that.
        values = self._first_values()
        for name in session.saved_names():
            if name in values:
                session[name] = values[name]

    def _first_values(self) -> dict[str, np.ndarray]:
        """The module's values at import, by their names in the program."""
        return {
            self._names.get(key, key): as_array(value, key)
            for key, value in self._original.items()
            if value.is_floating_point()
        }

    def state_dict(self) -> dict[str, torch.Tensor]:
        numbers = self._numbers()
        result = {}
        for key, original in self._original.items():
            name = self._names.get(key, key)
            value = original.clone()
            if name in numbers:
                value = torch.from_numpy(numbers[name].copy()).to(original.dtype)
                if value.shape != original.shape:
                    raise ValueError(
                        f"{key!r} has shape {list(value.shape)} in the program, {list(original.shape)} in "
                        f"{self._module_name}: export it with do_constant_folding=False"
                    )
            result[key] = value
        return result

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        current = self._numbers()
        wanted = {}
        for key in self._original:
            name = self._names.get(key, key)
            if key not in values:
                raise KeyError(f"expected the keys of state_dict(): {key!r} is missing")
            if name in current:
                wanted[name] = values[key]
        super().load_state_dict({**current, **wanted})


def _fixed_parameters(module: torch.nn.Module, names: Mapping[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    """Options of the training step that keep what PyTorch does not train: `freeze` and `padding_rows`. A warning names
    embeddings whose gradient Soap does not have."""
    trained = {names[key] for key, value in module.named_parameters(remove_duplicate=False) if value.requires_grad}
    frozen = sorted({names[key] for key, _ in module.named_parameters()} - trained)
    rows, other = {}, []
    for path, child in module.named_modules():
        if not isinstance(child, (torch.nn.Embedding, torch.nn.EmbeddingBag)):
            continue
        name = names.get(f"{path}.weight" if path else "weight")  # None: it is computed of other parameters
        if child.scale_grad_by_freq or child.max_norm is not None:
            other.append(path)
        if child.padding_idx is not None and name is None:
            other.append(path)
        if child.padding_idx is not None and name in trained and found.get(name) == "parameter":
            rows[name] = child.padding_idx
    if other:
        warnings.warn(
            f"the embeddings {other} have scale_grad_by_freq, max_norm or a computed weight with padding_idx: Soap "
            "trains them without",
            SoapWarning,
            stacklevel=4,
        )
    options: dict[str, Any] = {}
    if frozen_here := [name for name in frozen if found.get(name) == "parameter"]:
        options["freeze"] = frozen_here
    if rows:
        options["padding_rows"] = [f"{name}={row}" for name, row in rows.items()]
    return options


def _program_name(key: str) -> str:
    """A key with the characters that Soap's names have."""
    return "".join(c if c.isalnum() or c in "_-." else "_" for c in key.replace("/", "."))


def _tied_keys(module: torch.nn.Module) -> list[list[str]]:
    """The keys of the module's state; keys with the same storage are in one list."""
    groups: dict[Any, list[str]] = {}
    for key, value in module.state_dict(keep_vars=True).items():
        place = (value.data_ptr(), tuple(value.shape), tuple(value.stride())) if value.numel() else key
        groups.setdefault(place, []).append(key)
    return list(groups.values())


def _names_in_program(module: torch.nn.Module, found: set[str]) -> dict[str, str]:
    """The name in the program of every key of the module's state. Of tied keys exporters write one: the one that is in
    the program."""
    names = {}
    for keys in _tied_keys(module):
        name = next((_program_name(key) for key in keys if _program_name(key) in found), _program_name(keys[0]))
        names.update({key: name for key in keys})
    return names


@contextlib.contextmanager
def _unchanged(module: torch.nn.Module) -> Iterator[None]:
    """Restores modes and buffers, which an export in training mode changes by running the module."""
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
                if name in buffers:
                    buffer.copy_(buffers[name])


class _StoppedGradients(torch.overrides.TorchFunctionMode):
    """Notes what of a forward pass autograd does not follow, which an exported program does not say."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        tensors = [value for value in torch.utils._pytree.tree_leaves(args) if isinstance(value, torch.Tensor)]
        if any(tensor.requires_grad and tensor.is_floating_point() for tensor in tensors):
            if function in (torch.Tensor.detach, torch.detach, torch.Tensor.detach_, torch.Tensor.data.__get__):
                self.found.add("detach")
            elif not torch.is_grad_enabled():
                self.found.add("no_grad")
        return function(*args, **(kwargs or {}))


def _as_it_trains(module: torch.nn.Module) -> torch.nn.Module:
    """The module in training mode, without the parts that are in evaluation mode although the module is not."""
    return module if module.training else module.train()


def _frozen_norms(module: torch.nn.Module, exporter: str) -> bool:
    """Whether batch norms keep their running statistics while the module trains. The newer exporter writes all norms in
    evaluation mode: an error where some are frozen and others train."""
    kind = torch.nn.modules.batchnorm._BatchNorm
    norms = {path: child for path, child in module.named_modules() if isinstance(child, kind)}
    frozen = [path for path, child in norms.items() if not child.training and child.track_running_stats]
    if not module.training or not frozen:
        return False
    if exporter == "dynamo" and len(frozen) < len(norms):
        raise ValueError(
            f"from_torch: the batch norms {frozen} are frozen and others train, which exporter='dynamo' does not say: "
            "expected exporter='torchscript'"
        )
    return True


def _warn_of_stopped_gradients(module: torch.nn.Module, inputs: Sequence[Any]) -> None:
    with _unchanged(module), torch.enable_grad(), _StoppedGradients() as stopped:
        _as_it_trains(module)(*inputs)
    if stopped.found:
        warnings.warn(
            f"the forward pass of {type(module).__name__} stops gradients ({', '.join(sorted(stopped.found))}), which "
            "an exported program does not say: Soap computes the gradient of the whole",
            SoapWarning,
            stacklevel=3,
        )


def from_torch(
    module: torch.nn.Module,
    example_inputs: torch.Tensor | Sequence[Any],
    *,
    exporter: str = "torchscript",
    opset: int | None = None,
    **options: Any,
) -> TorchModel:
    """Imports a module by way of `torch.onnx.export`, as it trains: with batch norm and dropout, and under the names
    of its parameters. `example_inputs` is a tensor or a tuple of the arguments of `forward`; the first dim of each is
    the batch that the program has. A module in evaluation mode is taken as in training mode; of one in training mode,
    batch norms in evaluation mode keep their running statistics. `exporter` is `torchscript` (PyTorch's older one) or
    `dynamo`. `options` are as for `soap.from_onnx`: `batch=64` gives the program another batch. The module stays as
    it is. What PyTorch does not train (`requires_grad=False`, `padding_idx`) is not trained; a warning says where the
    forward pass stops gradients (`detach`, `no_grad`), which Soap does not."""
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"from_torch: expected a torch.nn.Module, got {type(module).__name__}")
    if exporter not in ("torchscript", "dynamo"):
        raise ValueError(f"from_torch: exporter: expected 'torchscript' or 'dynamo', got {exporter!r}")
    inputs = (example_inputs,) if isinstance(example_inputs, torch.Tensor) else tuple(example_inputs)
    for i, value in enumerate(inputs):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"from_torch: example_inputs[{i}]: expected a tensor, got {type(value).__name__}")
    parameters = list(inspect.signature(module.forward).parameters)
    names = [parameters[i] if i < len(parameters) else f"input{i}" for i in range(len(inputs))]
    _warn_of_stopped_gradients(module, inputs)
    if _frozen_norms(module, exporter):
        options.setdefault("freeze_norms", True)
    with tempfile.TemporaryDirectory(prefix="soap-") as folder:
        path = os.path.join(folder, f"{type(module).__name__}.onnx")
        with _unchanged(module), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            export: dict[str, Any] = {"input_names": names, "dynamo": exporter == "dynamo", "verbose": False}
            if opset is not None:
                export["opset_version"] = opset
            if exporter == "dynamo":
                export["optimize"] = False
            else:
                export["training"] = torch.onnx.TrainingMode.PRESERVE
                export["do_constant_folding"] = False
                export.setdefault("opset_version", 17)
            torch.onnx.export(_as_it_trains(module), inputs, path, **export)
        if "parameters_from" not in options and "parameters" not in options:
            options["parameters_from"] = os.path.join(folder, "parameters.txt")
            parameters_of = {name for name, _ in module.named_parameters()}
            trained = [key for keys in _tied_keys(module) if parameters_of & set(keys) for key in keys]
            with open(options["parameters_from"], "w", encoding="utf-8") as file:
                file.write("".join(name + "\n" for name in trained))
        core = _core.Module.import_onnx(path, import_options(options))
    return TorchModel(core, type(module).__name__, module)


def mesh(plan: Plan, device_type: str = "cpu", *, stage: int | None = None) -> Any:
    """The plan's mesh as a DeviceMesh of torch.distributed, whose ranks are the plan's devices; of a pipeline, the mesh
    of a `stage`. Every rank calls it, for every stage in the same order."""
    from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

    layout = plan.layout(stage)
    shape, names = layout.mesh_shape or (1,), tuple(layout.axes) or ("axis0",)
    if stage is None:
        return init_device_mesh(device_type, shape, mesh_dim_names=names)
    return DeviceMesh(device_type, torch.tensor(plan.stage_devices(stage)).reshape(shape), mesh_dim_names=names)


def placements(plan: Plan, *, strict: bool = False, stage: int | None = None) -> dict[str, list[Any]]:
    """DTensor placements of every argument of the plan's function by name, parameters by that of the module: one
    `Shard(dim)` or `Replicate()` for each dim of `mesh(plan)`.

    DTensor splits a dim by the mesh dims from the first to the last. A tensor that the plan splits in another order, or
    that no mesh describes, is split over fewer devices; a warning names it, with `strict` an error. Of a pipeline,
    `stage` chooses the stage whose parameters and states are placed, on `mesh(plan, stage=stage)`."""
    from torch.distributed.tensor import Replicate, Shard

    layout = plan.layout(stage)
    order = list(layout.axes) or ["axis0"]
    faults = dict(layout.inexact)
    result = {}
    for tensor in layout.tensors.values():
        if tensor.argument < 0:
            continue
        row: list[Any] = [Replicate()] * len(order)
        for dim, axes in enumerate(tensor.dims):
            numbers = [order.index(axis) for axis in axes]
            if numbers != sorted(numbers):
                faults.setdefault(tensor.name, f"dim {dim} is split by axes in the order {axes}")
                numbers = numbers[:1]
            for number in numbers:
                row[number] = Shard(dim)
        result[tensor.name] = row
    faults = {name: fault for name, fault in faults.items() if name in result}
    if faults:
        reasons = "; ".join(f"{name!r}: {fault}" for name, fault in faults.items())
        text = "some DTensor placements differ from the plan: " + reasons
        if strict:
            raise ValueError(text)
        warnings.warn(text, SoapWarning, stacklevel=2)
    names = getattr(plan.model, "_names", None)
    if names:
        for key, name in names.items():
            if key != name and name in result:
                result.setdefault(key, result[name])
    return result


def distribute(
    module: torch.nn.Module, plan: Plan, device_mesh: Any = None, *, stage: int | None = None
) -> torch.nn.Module:
    """Makes a DTensor of every parameter of a module, where the plan has it, and returns the module. Buffers are
    replicated. Inputs are DTensors too: `distribute_input`. Of a pipeline, the module is that of a `stage`, with the
    names of the whole: an error if it has parameters that the stage has not."""
    from torch.distributed.tensor import Replicate, distribute_tensor

    device_mesh = device_mesh if device_mesh is not None else mesh(plan, stage=stage)
    rows = placements(plan, stage=stage)
    if stage is not None:
        others = [name for name, _ in module.named_parameters() if name not in rows]
        if others:
            raise KeyError(f"distribute: stage {stage} of the plan has no parameters {others}")
    whole = [Replicate()] * device_mesh.ndim
    for child_name, child in module.named_modules():
        prefix = child_name + "." if child_name else ""
        for name, value in list(child.named_parameters(recurse=False)):
            spec = rows.get(prefix + name, whole)
            tensor = distribute_tensor(value.data, device_mesh, spec)
            child.register_parameter(name, torch.nn.Parameter(tensor, requires_grad=value.requires_grad))
        for name, value in list(child.named_buffers(recurse=False)):
            child.register_buffer(name, distribute_tensor(value, device_mesh, whole))
    return module


def distribute_input(value: torch.Tensor, name: str, plan: Plan, device_mesh: Any) -> Any:
    """An input of the plan's function, by name, as a DTensor where the plan has it."""
    from torch.distributed.tensor import distribute_tensor

    rows = placements(plan)
    if name not in rows:
        raise KeyError(f"no argument {name!r}, expected one of {', '.join(map(repr, rows))}")
    return distribute_tensor(value, device_mesh, rows[name])


def distribute_like(value: torch.Tensor, like: Any) -> Any:
    """A whole tensor as a DTensor on the mesh and with the placements of another: weights for a module that
    `distribute` has made."""
    from torch.distributed.tensor import distribute_tensor

    return distribute_tensor(value, like.device_mesh, like.placements)
