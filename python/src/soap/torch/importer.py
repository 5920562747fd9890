# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of ATen ops as functions of the soap dialect.

What depends on no parameter and no input is computed at import, by PyTorch. All else is translated node by node by the
tables of `ops`."""

from __future__ import annotations

import operator
import os
import re
import traceback
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import torch
from torch.export.graph_signature import InputKind, OutputKind

from ..errors import SoapError
from .builder import FLOATS, Builder, Op, Unsupported, Value, element_type, quoted, tensor_type, text_of
from .ops import HANDLERS
from .ops.norms import UPDATED

#: Where PyTorch's own code is.
_LIBRARY = os.path.dirname(torch.__file__) + os.sep
_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

_NOISE = {"aten._assert_tensor_metadata", "aten._assert_async", "aten._assert_scalar", "aten.sym_constrain_range",
          "aten.sym_constrain_range_for_size", "aten._functional_assert_async"}
_MOVES = {"view", "permute", "unsqueeze", "squeeze", "clone", "alias", "expand", "slice", "select", "_to_copy"}
_RANDOM = {"rand", "randn", "rand_like", "randn_like", "randint", "randint_like", "bernoulli", "normal", "uniform",
           "randperm", "exponential", "multinomial", "normal_functional", "poisson"}


@dataclass
class Argument:
    """An argument of the function: `kind` is data, parameter or state, `key` its name in PyTorch."""

    value: Value
    kind: str
    name: str
    key: str


@dataclass
class Result:
    value: Value
    name: str


@dataclass
class Program:
    """A function with what is known of its arguments; `text` is its IR."""

    text: str
    arguments: list[Argument]
    results: list[Result]
    #: Which of the module's tensors the results are, without the sum of comparisons.
    positions: list[int]
    #: Whether a parameter has a gradient.
    trains: bool


@dataclass
class Shown:
    """A result of the program that is a node's, of several its `index`th."""

    name: str
    node: torch.fx.Node
    index: int


def program_name(key: str) -> str:
    """A key with the characters that Soap's names have."""
    return "".join(c if c.isalnum() or c in "_-." else "_" for c in key.replace("/", ".")) or "x"


def place_of(node: torch.fx.Node) -> tuple[str, int] | None:
    """The line of the user's code: the innermost one outside of PyTorch."""
    frames = re.findall(r'File "([^"]+)", line (\d+)', node.meta.get("stack_trace") or "")
    own = [f for f in frames if not f[0].startswith((_LIBRARY, "<"))]
    return (own[-1][0], int(own[-1][1])) if own else None


def place_of_error(error: BaseException) -> str:
    """The line of the user's code that an error came from."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((_LIBRARY, "<", _PACKAGE))]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def _path(node: torch.fx.Node) -> str:
    """The path of the module that the node belongs to."""
    stack = node.meta.get("nn_module_stack") or {}
    return list(stack.values())[-1][0] if stack else ""


def _own_path(node: torch.fx.Node, prefix: str) -> str:
    """The same in the module that the user gave."""
    path = _path(node)
    return "" if path + "." == prefix else path.removeprefix(prefix)


def op_name(target: Any) -> str:
    if isinstance(target, torch._ops.OpOverload):
        return target._schema.name.replace("::", ".")
    return getattr(target, "__name__", str(target))


@dataclass
class Importer:
    """Translates one exported program. `names` gives parameters and buffers their names, `tables` their first values
    as far as they are known; with `keeps_dropout` off, nothing is dropped."""

    exported: torch.export.ExportedProgram
    input_names: list[str]
    sample_dims: dict[str, int]
    #: The order of the data arguments.
    order: list[str]
    #: What the names of parameters in the exported program begin with, and the module's do not.
    prefix: str = ""
    #: For comparisons: nothing is dropped, norms that train use the batch's statistics in `@forward` too, and the
    #: results are a number, the sum of all results times weights that are data, and then the results.
    compares: bool = False
    #: Further results are what all nodes compute: `shown`.
    shows: bool = False
    #: A parameter is added to what a node reads, whose gradient is what the node gives its operand: `probed`.
    probes: bool = False

    def run(self) -> Program:
        self.b = Builder(compares=self.compares, joint=not isinstance(self.exported, torch.export.ExportedProgram))
        self.env: dict[torch.fx.Node, Any] = {}
        self.arguments: list[Argument] = []
        #: Nodes and what they compute, by SSA name.
        self.values: dict[str, tuple[torch.fx.Node, int, Value]] = {}
        self.shown: list[Shown] = []
        #: By node and operand.
        self.probed: dict[tuple[torch.fx.Node, torch.fx.Node], tuple[str, Value]] = {}
        self._enter_arguments()
        calls = [n for n in self.exported.graph.nodes if n.op == "call_function"]
        alone: dict[str, int] = {}
        for node in calls:
            if self._computes(node):
                alone[_path(node)] = alone.get(_path(node), 0) + 1
        for node in self.exported.graph.nodes:
            if node.op == "call_function":
                self._translate(node, alone)
            elif node.op == "get_attr":
                self.env[node] = getattr(self.exported.graph_module, node.target).detach().cpu()
            elif node.op == "output":
                return self._finish(node)
        raise SoapError("from_torch: the exported program has no output")

    @staticmethod
    def _computes(node: torch.fx.Node) -> bool:
        """Whether the node has floats of its own."""
        value = node.meta.get("val")
        value = value[0] if isinstance(value, (tuple, list)) and value else value
        return (
            node.target is not operator.getitem
            and isinstance(value, torch.Tensor)
            and value.dtype.is_floating_point
            and op_name(node.target).split(".")[-1] not in _MOVES
        )

    # --- Arguments ----------------------------------------------------------------------------------------------------

    def _enter_arguments(self) -> None:
        signature, exported = self.exported.graph_signature, self.exported
        placeholders = {node.name: node for node in exported.graph.nodes if node.op == "placeholder"}
        updated = set(signature.buffers_to_mutate.values())
        inputs = iter(self.input_names)
        seen: dict[Any, Value] = {}
        for spec in signature.input_specs:
            node = placeholders[spec.arg.name]
            value = node.meta.get("val")
            if spec.kind == InputKind.USER_INPUT:
                if not isinstance(value, torch.Tensor):
                    self.env[node] = getattr(spec.arg, "value", value)
                    continue
                self.env[node] = self._argument(next(inputs), "", "data", value)
            elif spec.kind == InputKind.PARAMETER:
                tensor = exported.state_dict[spec.target]
                key = _storage(tensor)
                if key not in seen:
                    seen[key] = self._argument(program_name(self._key(spec)), self._key(spec), "parameter", value)
                # No gradient reaches what does not train, so that no step updates it.
                self.b.base = program_name(self._key(spec))
                self.env[node] = seen[key] if tensor.requires_grad else self.b.stop(seen[key])
            elif spec.kind == InputKind.BUFFER:
                tensor = exported.state_dict.get(spec.target) if spec.persistent else exported.constants[spec.target]
                if tensor is None:
                    tensor = exported.constants[spec.target]
                trained = spec.target in updated and tensor.is_floating_point()
                if trained or (tensor.is_floating_point() and (spec.persistent or tensor.is_meta)):
                    argument = self._argument(program_name(self._key(spec)), self._key(spec), "state", value)
                    self.b.norms[argument.name] = ""
                    self.env[node] = argument
                elif spec.target in updated:
                    # A counter: it stays as it is.
                    self.env[node] = None if tensor.is_meta else tensor.detach().cpu().clone()
                elif tensor.is_meta:
                    raise SoapError(f"from_torch: buffer {spec.target!r} is on meta: its integers are not known")
                else:
                    self.env[node] = tensor.detach().cpu()
            elif spec.kind == InputKind.CONSTANT_TENSOR:
                constant = exported.constants[spec.target]
                if constant.is_meta:
                    raise SoapError(f"from_torch: the tensor {spec.target!r} is on meta: its elements are not known")
                self.env[node] = constant.detach().cpu()
            else:
                raise SoapError(f"from_torch: an input of kind {spec.kind.name} is not supported")

    def _key(self, spec: Any) -> str:
        return self._program_key(spec.target)

    def _argument(self, name: str, key: str, kind: str, value: torch.Tensor) -> Value:
        if value.dtype.is_complex:
            raise SoapError(f"from_torch: {key or name!r}: complex numbers are not supported")
        element = FLOATS.get(value.dtype, "f32" if value.dtype == torch.bool else "i32")
        result = Value(f"%a{len(self.arguments)}", tuple(int(e) for e in value.shape), element, value.dtype)
        self.arguments.append(Argument(result, kind, name, key))
        return result

    # --- Nodes --------------------------------------------------------------------------------------------------------

    def _translate(self, node: torch.fx.Node, alone: Mapping[str, int]) -> None:
        name = op_name(node.target)
        if node.target is operator.getitem:
            source = self.env[node.args[0]]
            self.env[node] = source[node.args[1]] if source is not None else None
            return
        if name in _NOISE:
            return
        args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda n: self._with_probe(node, n))
        short = name.split(".")[-1]
        b = self.b
        path = _own_path(node, self.prefix)
        path = program_name(path) if path else ""
        b.base = path if path and alone.get(_path(node)) == 1 else (f"{path}.{short}" if path else short).strip("_")
        place = place_of(node)
        b.place = f"{quoted(place[0])}:{place[1]}:1" if place else ""
        b.base_op = short
        b.expected = node.meta.get("val")
        try:
            if short in _RANDOM:
                raise Unsupported("random numbers are not supported, except dropout")
            leaves = torch.utils._pytree.tree_leaves((args, kwargs))
            if not any(isinstance(leaf, Value) for leaf in leaves):
                self.env[node] = _computed(node, args, kwargs)
                return
            handler = HANDLERS.get(name)
            if handler is None:
                raise Unsupported("there is no op for it")
            before = len(b.ops)
            result = handler(b, *args, **kwargs)
        except Unsupported as error:
            raise SoapError(f"from_torch: {self.where(node)}: {name}: {error}") from None
        except SoapError:
            raise
        except Exception as error:
            raise SoapError(f"from_torch: {self.where(node)}: {name}: {type(error).__name__}: {error}") from error
        b.finish_node(before, result)
        self._check_shape(node, name, result)
        self.env[node] = result

    def where(self, node: Any) -> str:
        if not isinstance(node, torch.fx.Node):
            return "the forward pass"
        place, path = place_of(node), _own_path(node, self.prefix)
        return (f"{place[0]}:{place[1]}" if place else "the forward pass") + (f": in {path!r}" if path else "")

    def _check_shape(self, node: torch.fx.Node, name: str, result: Any) -> None:
        expected = node.meta.get("val")
        pairs = zip(result, expected) if isinstance(result, (tuple, list)) else [(result, expected)]
        for index, (value, wanted) in enumerate(pairs):
            if isinstance(value, Value) and isinstance(wanted, torch.Tensor):
                if value.shape != tuple(wanted.shape):
                    raise SoapError(
                        f"from_torch: {self.where(node)}: {name}: got shape {list(value.shape)}, expected "
                        f"{list(wanted.shape)}"
                    )
                self.values.setdefault(value.name, (node, index, value))

    def _with_probe(self, node: torch.fx.Node, operand: torch.fx.Node) -> Any:
        value = self.env[operand]
        if not self.probes or not isinstance(value, Value) or not value.dtype.is_floating_point or value.type == "i32":
            return value
        if (node, operand) not in self.probed:
            name = f"compared.probe{len(self.probed)}"
            probe = Value(f"%a{len(self.arguments)}", value.shape, value.type, value.dtype)
            self.arguments.append(Argument(probe, "parameter", name, ""))
            self.b.base = name
            self.probed[node, operand] = (name, self.b.binary("add", value, probe))
        return self.probed[node, operand][1]

    # --- Text ---------------------------------------------------------------------------------------------------------

    def _finish(self, output: torch.fx.Node) -> Program:
        signature = self.exported.graph_signature
        results: list[Result] = []
        self.positions: list[int] = []
        count = 0
        loss: Value | None = None
        gradients: list[tuple[str, Any]] = []
        for spec, node in zip(signature.output_specs, output.args[0]):
            value = self.env[node] if isinstance(node, torch.fx.Node) else node
            if spec.kind == OutputKind.BUFFER_MUTATION:
                buffer = (self.exported.state_dict.get(spec.target) if spec.target in self.exported.state_dict
                          else self.exported.constants.get(spec.target))
                if value is not UPDATED and buffer is not None and buffer.is_floating_point():
                    raise SoapError(
                        f"from_torch: {self.where(node)}: the forward pass changes buffer {spec.target!r}: only running "
                        "statistics of batch norms are supported"
                    )
            elif spec.kind == OutputKind.USER_OUTPUT:
                # A known result depends on no input.
                if isinstance(value, Value) and value.dtype.is_floating_point:
                    results.append(Result(self._as_result(value), ""))
                    self.positions.append(count)
                count += isinstance(node, torch.fx.Node)
            elif spec.kind == OutputKind.LOSS_OUTPUT:
                loss = value
            elif spec.kind == OutputKind.GRADIENT_TO_PARAMETER:
                gradients.append((spec.target, value))
            elif spec.kind == OutputKind.USER_INPUT_MUTATION:
                raise SoapError(f"from_torch: {self.where(node)}: the forward pass changes its input {spec.target!r}")
        if loss is not None:
            results = [Result(self._with_gradients(loss, gradients), "")]
            self.positions = [0]
        if not results:
            raise SoapError("from_torch: no result of the module depends on its inputs and parameters")
        if self.compares:
            results = [Result(self._weighted_sum(results), "sum"), *results]
        if self.shows:
            results += self._shown_results(results)
        for number, result in enumerate(results):
            result.name = result.name or ("output" if len(results) == 1 else f"output{number}")
        return self._program(results)

    def _with_gradients(self, loss: Value, gradients: list[tuple[str, Any]]) -> Value:
        """The loss, whose gradients by Soap's backward pass are these: sums of parameters times their gradients, less
        the same numbers."""
        b = self.b
        b.base, b.place = "gradients", ""
        total = b.stop(loss)
        for key, gradient in gradients:
            parameter = next(a.value for a in self.arguments if a.key == self._program_key(key))
            product = b.binary("mul", b.stop(b.as_type(gradient, parameter.type)), parameter)
            part = b.as_type(b.reduce("sum", product, range(product.rank)) if product.rank else product, total.type)
            total = b.binary("add", total, b.binary("sub", part, b.stop(part)))
        return total

    def _program_key(self, key: str) -> str:
        return key.removeprefix(self.prefix)

    def _shown_results(self, results: list[Result]) -> list[Result]:
        taken = {result.value.name: result for result in results}
        live = {value.name for op in self.b.live_ops(r.value for r in results) for value in op.results}
        more = []
        for name, (node, index, value) in self.values.items():
            result = taken.get(name)
            if result is None and name in live:
                result = Result(self._as_result(value), f"shown{len(more)}")
                more.append(result)
            if result is not None:
                result.name = result.name or f"output{results.index(result)}"
                self.shown.append(Shown(result.name, node, index))
        return more

    def _weighted_sum(self, results: list[Result]) -> Value:
        b, total = self.b, None
        b.base = "compared"
        for number, result in enumerate(results):
            value = result.value
            if not value.dtype.is_floating_point:
                continue
            weight = Value(f"%a{len(self.arguments)}", value.shape, value.type, value.dtype)
            name = f"compared.weight{number}"
            self.arguments.append(Argument(weight, "data", name, ""))
            self.order = [*self.order, name]
            part = b.reduce("sum", b.binary("mul", value, weight), range(value.rank))
            part = b.as_type(part, "f32") if total is not None and total.type != part.type else part
            total = part if total is None else b.binary("add", total, part)
        if total is None:
            raise SoapError("from_torch: no result of the module is a float")
        return total

    def _as_result(self, value: Value) -> Value:
        """A result is no argument, and no two results are one value."""
        if value.type == "i32":
            value = self.b.as_type(value, "f32")
        return value

    def _program(self, results: list[Result]) -> Program:
        ops = self.b.live_ops(result.value for result in results)
        used = {value.name for op in ops for value in op.operands} | {result.value.name for result in results}
        arguments = [a for a in self.arguments if a.value.name in used or a.kind == "data"]
        arguments.sort(key=lambda a: self.order.index(a.name) if a.kind == "data" else len(self.order))
        lines = []
        for argument in arguments:
            attributes = [f"soap.kind = #soap.kind<{argument.kind}>", f"soap.name = {quoted(argument.name)}"]
            if argument.kind == "data" and argument.name in self.sample_dims:
                attributes.append(f"soap.sample_dim = {self.sample_dims[argument.name]} : i64")
            kind = tensor_type(argument.value.shape, argument.value.type)
            lines.append(f"    {argument.value.name}: {kind} {{{', '.join(attributes)}}}")
        outs = [
            f"{tensor_type(r.value.shape, r.value.type)} {{soap.kind = #soap.kind<output>, soap.name = {quoted(r.name)}}}"
            for r in results
        ]
        taken = {argument.name for argument in arguments}
        trains = _trains(ops, arguments, results[0].value)
        text = "module {\n  func.func @forward(\n" + ",\n".join(lines) + "\n  ) -> (" + ", ".join(outs) + ") {\n"
        text += "\n".join(text_of(ops, taken))
        text += "\n    return " + ", ".join(r.value.name for r in results)
        text += " : " + ", ".join(tensor_type(r.value.shape, r.value.type) for r in results) + "\n  }\n}\n"
        return Program(text, arguments, results, self.positions, trains)


def _trains(ops: Sequence[Op], arguments: Sequence[Argument], result: Value) -> bool:
    """Whether a gradient of the result reaches a parameter."""
    reached = {result.name}
    for op in reversed(ops):
        if op.mnemonic != "stop_gradient" and any(value.name in reached for value in op.results):
            reached.update(value.name for value in op.operands)
    return any(a.kind == "parameter" and a.value.name in reached for a in arguments)


def _storage(tensor: torch.Tensor) -> Any:
    """Equal for tensors that are one."""
    if tensor.is_meta or not tensor.numel():
        return id(tensor)
    return (tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()))


def _computed(node: torch.fx.Node, args: Any, kwargs: Any) -> Any:
    """The result of a node whose operands are known."""
    if "device" in kwargs:
        kwargs = {**kwargs, "device": "cpu"}
    if op_name(node.target).split(".")[-1] in ("empty", "empty_permuted", "empty_like", "new_empty", "empty_strided"):
        value = node.meta["val"]
        return torch.zeros(tuple(value.shape), dtype=value.dtype)
    with torch.no_grad():
        return node.target(*args, **kwargs)
