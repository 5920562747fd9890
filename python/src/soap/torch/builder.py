# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text of a function in the soap dialect, op by op.

A value of PyTorch is either a `Value`, which the program computes, or a `torch.Tensor`, whose elements are known at
import. Floats keep their type. The dialect computes with floats alone, so integers and truth values of a program are
whole numbers in f32 (exact up to 2^24), except arguments and rows of tables, which are i32."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Sequence

import torch

FLOATS = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16"}
_TORCH = {**{text: dtype for dtype, text in FLOATS.items()}, "i32": torch.int32}
_BITS = {"f32": torch.int32, "f64": torch.int64, "bf16": torch.int16, "f16": torch.int16}

#: Known tensors with more elements are kept as rows of intervals, if they are such masks.
_SMALL_MASK = 1024


class Unsupported(Exception):
    """A program has no op for something; the importer adds the op and its line."""


@dataclass(frozen=True)
class Value:
    """A tensor that the program computes: `type` is its element type in the program, `dtype` that in PyTorch."""

    name: str
    shape: tuple[int, ...]
    type: str
    dtype: torch.dtype

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass
class Op:
    """A line of the program."""

    mnemonic: str
    operands: list[Value]
    results: list[Value]
    attributes: list[str]
    name: str
    place: str


def element_type(dtype: torch.dtype) -> str:
    """The type that the program computes with for a dtype."""
    if dtype.is_complex:
        raise Unsupported("complex numbers are not supported")
    return FLOATS.get(dtype, "f32")


def tensor_type(shape: Sequence[int], element: str) -> str:
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + element + ">"


def quoted(text: str) -> str:
    """A string of MLIR."""
    return '"' + "".join(c if c.isprintable() and c not in '"\\' and ord(c) < 128 else f"\\{ord(c) & 255:02X}" for c in text) + '"'


def number(value: float) -> str:
    """An f64 attribute."""
    import struct

    if math.isfinite(value):
        text = repr(float(value))
        return (text if "." in text or "e" not in text else text.replace("e", ".0e")) + " : f64"
    return f"0x{struct.unpack('>Q', struct.pack('>d', value))[0]:016X} : f64"


def array(numbers: Iterable[int]) -> str:
    numbers = list(numbers)
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


def dim_of(dim: int, rank: int) -> int:
    return dim + max(rank, 1) if dim < 0 else dim


def is_known(value: Any) -> bool:
    return isinstance(value, (torch.Tensor, bool, int, float))


def shape_of(value: Any) -> tuple[int, ...]:
    return tuple(value.shape) if isinstance(value, (Value, torch.Tensor)) else ()


@dataclass
class Builder:
    """Collects the ops of a function. `base` and `place` are name and line of the ops to come; `expected` is what
    PyTorch says of the results of the node at hand."""

    ops: list[Op] = field(default_factory=list)
    base: str = "op"
    base_op: str = ""
    place: str = ""
    expected: Any = None
    #: The program is compared with PyTorch: nothing is dropped, and norms use the batch's statistics everywhere.
    compares: bool = False
    #: The program has PyTorch's backward pass.
    joint: bool = False
    seeds: int = 0
    #: SSA names of running statistics, and the number of the norms that update them.
    norms: dict[str, Any] = field(default_factory=dict)
    _count: int = 0
    _cached: dict[Any, Value] = field(default_factory=dict)
    #: Large known tensors, which many nodes read, and what was found of them, by their place in memory.
    _found: dict[Any, tuple[torch.Tensor, Any]] = field(default_factory=dict)
    _causal: dict[tuple[int, int], torch.Tensor] = field(default_factory=dict)

    # --- Values -------------------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> torch.dtype:
        """The dtype of the (first) result of the node at hand."""
        return self._first().dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(int(extent) for extent in self._first().shape)

    def _first(self) -> Any:
        return self.expected[0] if isinstance(self.expected, (tuple, list)) else self.expected

    def new_value(self, shape: Sequence[int], element: str, dtype: torch.dtype) -> Value:
        self._count += 1
        return Value(f"%v{self._count}", tuple(int(extent) for extent in shape), element, dtype)

    def emit(
        self,
        mnemonic: str,
        operands: Sequence[Value],
        shape: Sequence[int],
        element: str,
        dtype: torch.dtype | None = None,
        attributes: Sequence[str] = (),
        more: Sequence[tuple[Sequence[int], str]] = (),
        name: str = "",
    ) -> Value:
        """An op; its first result. `more` are shapes and types of its further results."""
        results = [self.new_value(shape, element, dtype if dtype is not None else _TORCH[element])]
        results += [self.new_value(s, e, _TORCH[e]) for s, e in more]
        for extent in (e for value in results for e in value.shape):
            if extent == 0:
                raise Unsupported("a tensor without elements is not supported")
        self.ops.append(Op(mnemonic, list(operands), results, list(attributes), name, self.place))
        if not name:
            self.ops[-1].name = f"{self.base}.{mnemonic.split()[0]}"
        return results[0]

    def constant(self, value: Any, element: str, dtype: torch.dtype | None = None) -> Value:
        """A tensor or a number whose elements are known."""
        # A number of Python has double precision, which a program in f64 keeps.
        tensor = torch.as_tensor(value, dtype=torch.float64 if isinstance(value, float) else None).detach()
        if dtype is None:
            dtype = _TORCH[element] if isinstance(value, float) else tensor.dtype
        if tensor.numel() > _SMALL_MASK:
            small = self.narrowed(tensor)
            if small.numel() * 2 <= tensor.numel() and element != "i32":
                return self._retyped(self.expand(self.constant(small, element, dtype), tensor.shape), dtype)
        tensor = self.found(tensor, ("exact", element), lambda t: _exact(t, element))
        if tensor.numel() == 0:
            raise Unsupported("a constant without elements is not supported")
        if tensor.numel() > 1:
            first = tensor.reshape(-1)[0]
            if tensor.ndim and self.found(tensor, "repeats", lambda t: bool((t == first).all())):
                return self._constant(tuple(tensor.shape), self._splat(first, element), element, dtype)
            if tensor.numel() > _SMALL_MASK and element != "i32":
                if (mask := self._intervals(tensor, element)) is not None:
                    return self._retyped(mask, dtype)
            data = tensor.contiguous()
            raw = data.view(torch.uint8).reshape(-1) if data.ndim else data
            text = f'"0x{bytes(raw.numpy().tobytes()).hex().upper()}"'
            return self._constant(tuple(tensor.shape), text, element, dtype)
        return self._constant(tuple(tensor.shape), self._splat(tensor.reshape(()), element), element, dtype)

    def found(self, tensor: torch.Tensor, what: Any, compute: Callable[[torch.Tensor], Any]) -> Any:
        """The answer of `compute` on a known tensor, computed once if it is large."""
        if tensor.numel() <= _SMALL_MASK:
            return compute(tensor)
        key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype, what)
        if key not in self._found:
            self._found[key] = (tensor, compute(tensor))
        return self._found[key][1]

    def causal_mask(self, rows: int, columns: int) -> torch.Tensor:
        """True where a column is at most the row."""
        if (rows, columns) not in self._causal:
            self._causal[rows, columns] = torch.ones(rows, columns, dtype=torch.bool).tril()
        return self._causal[rows, columns]

    def narrowed(self, tensor: torch.Tensor) -> torch.Tensor:
        """A known tensor with extent 1 in dims along which it repeats."""
        return self.found(tensor, "narrowed", _without_repeats)

    def _splat(self, element: torch.Tensor, kind: str) -> str:
        if kind == "i32":
            return str(int(element))
        bits = element.reshape(1).view(_BITS[kind])
        width = {"f32": 8, "f64": 16}.get(kind, 4)
        return f"0x{int(bits) & ((1 << 4 * width) - 1):0{width}X}"

    def _constant(self, shape: tuple[int, ...], text: str, element: str, dtype: torch.dtype) -> Value:
        key = ("constant", shape, text, element, dtype, self.base)
        if key not in self._cached:
            kind = tensor_type(shape, element)
            self._cached[key] = self.emit("constant", [], shape, element, dtype, [f"dense<{text}> : {kind}"])
        return self._cached[key]

    def _intervals(self, tensor: torch.Tensor, element: str) -> Value | None:
        """A large mask of two numbers whose rows have one run of the larger: comparisons of positions."""
        runs = self.found(tensor, "runs", _runs)
        if runs is None:
            return None
        low, high, begins, counts = runs
        rows, columns = tensor.shape[-2:]
        column = self.constant(torch.arange(columns).reshape(1, columns), element)
        mask = None
        if bool((begins + counts < columns).any()):
            mask = self.compare("greater_equal", self.constant((begins + counts - 1).reshape(rows, 1), element), column)
        if bool((begins > 0).any()):
            after = self.compare("greater_equal", column, self.constant(begins.reshape(rows, 1), element))
            mask = after if mask is None else self.binary("mul", mask, after)
        assert mask is not None
        if (float(low), float(high)) != (0.0, 1.0):
            mask = self.emit(
                "where",
                [mask, self.constant(high, element), self.constant(low, element)],
                mask.shape,
                element,
            )
        return self.reshape(mask, tensor.shape)

    def _retyped(self, value: Value, dtype: torch.dtype) -> Value:
        return Value(value.name, value.shape, value.type, dtype)

    def as_type(self, value: Any, element: str) -> Value:
        """The value with an element type of the program."""
        if is_known(value):
            return self.constant(value, element)
        if not isinstance(value, Value):
            raise Unsupported(f"expected a tensor, got {type(value).__name__}")
        if value.type == element:
            return value
        key = ("cast", value.name, element)
        if key not in self._cached:
            self._cached[key] = self.emit("cast", [value], value.shape, element, value.dtype)
        return self._cached[key]

    def compute(self, value: Any) -> Value:
        """The value with the type that the program computes with."""
        if isinstance(value, Value):
            return self.as_type(value, element_type(value.dtype) if value.type == "i32" else value.type)
        return self.constant(value, element_type(torch.as_tensor(value).dtype))

    def tensor(self, value: Any, dtype: torch.dtype | None = None) -> Value:
        """The value as one of `dtype`, by default that of the node's result."""
        dtype = self.dtype if dtype is None else dtype
        result = self.as_type(value, element_type(dtype))
        return result if result.dtype == dtype else self._retyped(result, dtype)

    def rows(self, value: Any) -> Value:
        """The value as i32, for tables."""
        return self.as_type(value, "i32")

    # --- Ops ----------------------------------------------------------------------------------------------------------

    def unary(self, mnemonic: str, x: Value, attributes: Sequence[str] = ()) -> Value:
        return self.emit(mnemonic, [x], x.shape, x.type, x.dtype, attributes)

    def scale(self, x: Value, factor: float) -> Value:
        return x if factor == 1 else self.unary("scale", x, [f"factor = {number(factor)}"])

    def binary(self, mnemonic: str, x: Any, y: Any, dtype: torch.dtype | None = None) -> Value:
        """An op with broadcasting on values of one type; a number takes the type of the other operand."""
        element = x.type if isinstance(x, Value) else y.type
        a, b = self.as_type(x, element), self.as_type(y, element)
        if dtype is None:
            dtype = x.dtype if isinstance(x, Value) else y.dtype
        return self.emit(mnemonic, [a, b], torch.broadcast_shapes(a.shape, b.shape), element, dtype)

    def compare(self, mnemonic: str, x: Any, y: Any) -> Value:
        return self.binary(mnemonic, x, y, torch.bool)

    def negated(self, mask: Value) -> Value:
        """1 where the mask is 0."""
        return self.binary("sub", 1.0, mask, torch.bool)

    def where(self, mask: Any, x: Any, y: Any) -> Value:
        """Of `x` or `y`, one of which is a value."""
        kind = x if isinstance(x, Value) else y
        a, b, m = self.as_type(x, kind.type), self.as_type(y, kind.type), self.as_type(mask, kind.type)
        shape = torch.broadcast_shapes(m.shape, a.shape, b.shape)
        return self.emit("where", [m, a, b], shape, kind.type, kind.dtype)

    def stop(self, x: Value) -> Value:
        return self.unary("stop_gradient", x)

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        shape = tuple(int(extent) for extent in shape)
        if shape == x.shape:
            return x
        return self.emit("reshape", [x], shape, x.type, x.dtype)

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        if list(permutation) == list(range(x.rank)):
            return x
        x = self.compute(x)
        shape = [x.shape[dim] for dim in permutation]
        return self.emit("transpose", [x], shape, x.type, x.dtype, [f"permutation = {array(permutation)}"])

    def move_dim(self, x: Value, source: int, target: int) -> Value:
        order = [dim for dim in range(x.rank) if dim != source]
        order.insert(target, source)
        return self.transpose(x, order)

    def reduce(self, kind: str, x: Value, axes: Sequence[int], keep: bool = False) -> Value:
        axes = sorted(axes)
        result = x
        if axes:
            shape = [extent for dim, extent in enumerate(x.shape) if dim not in axes]
            result = self.emit(f"reduce {kind}", [x], shape, x.type, x.dtype, [f"axes = {array(axes)}"])
        if keep:
            return self.reshape(result, [1 if dim in axes else extent for dim, extent in enumerate(x.shape)])
        return result

    def mean(self, x: Value, axes: Sequence[int], keep: bool = False) -> Value:
        count = math.prod(x.shape[axis] for axis in axes)
        return self.scale(self.reduce("sum", x, axes, keep), 1.0 / count)

    def broadcast(self, x: Value, shape: Sequence[int], axes: Sequence[int]) -> Value:
        if not axes:
            return x
        return self.emit("broadcast", [x], shape, x.type, x.dtype, [f"axes = {array(axes)}"])

    def expand(self, x: Value, shape: Sequence[int]) -> Value:
        """Repeats dims of extent 1, and new dims in front."""
        shape = tuple(int(extent) for extent in shape)
        if x.shape == shape:
            return x
        x = self.compute(x)
        padded = (1,) * (len(shape) - x.rank) + x.shape
        axes = [dim for dim, extent in enumerate(padded) if extent != shape[dim]]
        return self.broadcast(self.reshape(x, [e for dim, e in enumerate(padded) if dim not in axes]), shape, axes)

    def slice(self, x: Value, dim: int, start: int, size: int, step: int = 1) -> Value:
        if start == 0 and size == x.shape[dim] and step == 1:
            return x
        x = self.compute(x)
        offsets, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
        offsets[dim], sizes[dim], strides[dim] = start, size, step
        attributes = [f"offsets = {array(offsets)}", f"sizes = {array(sizes)}", f"strides = {array(strides)}"]
        return self.emit("slice", [x], sizes, x.type, x.dtype, attributes)

    def pad(self, x: Value, low: Sequence[int], shape: Sequence[int], interior: Sequence[int] | None = None,
            value: float = 0.0) -> Value:
        x = self.compute(x)
        interior = [0] * x.rank if interior is None else interior
        attributes = [f"low = {array(low)}", f"interior = {array(interior)}", f"value = {number(value)}"]
        return self.emit("pad", [x], shape, x.type, x.dtype, attributes)

    def concat(self, xs: Sequence[Value], dim: int) -> Value:
        if len(xs) == 1:
            return xs[0]
        shape = list(xs[0].shape)
        shape[dim] = sum(x.shape[dim] for x in xs)
        return self.emit("concat", xs, shape, xs[0].type, xs[0].dtype, [f"axis = {dim} : i64"])

    def matmul(self, a: Value, b: Value, transpose_a: bool = False, transpose_b: bool = False) -> Value:
        """Products of matrices; `b` has none, or the first, of the batch dims of `a`."""
        m = a.shape[-1] if transpose_a else a.shape[-2]
        n = b.shape[-2] if transpose_b else b.shape[-1]
        attributes = ["transpose_a"] * transpose_a + ["transpose_b"] * transpose_b
        return self.emit("matmul", [a, b], (*a.shape[:-2], m, n), a.type, a.dtype, attributes)

    def gather(self, table: Value, rows: Any, wraps: bool = True) -> Value:
        """Rows of a table. Computed rows may count from the end if `wraps`."""
        extent = table.shape[0]
        if is_known(rows):
            rows = torch.as_tensor(rows)
            if rows.numel() and (int(rows.min()) < -extent or int(rows.max()) >= extent):
                raise Unsupported(f"an index is out of range for extent {extent}")
            rows, wraps = torch.where(rows < 0, rows + extent, rows), False
        index = self.rows(rows)
        table = self.compute(table)
        attributes = [f"wrap = {extent} : i64"] if wraps else []
        return self.emit("gather", [table, index], index.shape + table.shape[1:], table.type, table.dtype, attributes)

    def positions(self, extent: int, dim: int, rank: int, element: str = "f32") -> Value:
        """0, 1, .. along a dim, extent 1 in the others."""
        shape = [1] * rank
        shape[dim] = extent
        return self.constant(torch.arange(extent).reshape(shape), element)

    def one_hot(self, index: Value, extent: int, element: str) -> Value:
        """1 where the new last dim equals the index, which may count from the end."""
        index = self.as_type(index, "f32")
        index = self.where(self.compare("greater_equal", index, 0.0), index, self.binary("add", index, float(extent)))
        mask = self.compare("equal", self.reshape(index, index.shape + (1,)), self.positions(extent, 0, 1))
        return self.as_type(mask, element)

    # --- Text ---------------------------------------------------------------------------------------------------------

    def finish_node(self, before: int, results: Any) -> None:
        """Gives the op that computes a result of the node the node's name."""
        first = results[0] if isinstance(results, (tuple, list)) and results else results
        if not isinstance(first, Value):
            return
        for op in reversed(self.ops[before:]):
            if op.results[0].name == first.name:
                op.name = self.base
                return

    def live_ops(self, results: Iterable[Value]) -> list[Op]:
        """The ops that the results need."""
        needed = {value.name for value in results}
        kept = []
        for op in reversed(self.ops):
            if any(value.name in needed for value in op.results):
                needed.update(value.name for value in op.operands)
                kept.append(op)
        return kept[::-1]


def text_of(ops: Sequence[Op], taken: set[str]) -> list[str]:
    """Lines of the ops, with names that are unique among them and `taken`."""
    lines, taken = [], set(taken)
    for op in ops:
        name, count = op.name, 1
        while name in taken:
            name, count = f"{op.name}_{count}", count + 1
        taken.add(name)
        attributes = ", ".join([*op.attributes[op.mnemonic == "constant" :], f"soap.name = {quoted(name)}"])
        results = [tensor_type(value.shape, value.type) for value in op.results]
        left = ", ".join(value.name for value in op.results)
        place = f" loc({op.place})" if op.place else ""
        if op.mnemonic == "constant":
            lines.append(f"    {left} = soap.constant {{{attributes}}} {op.attributes[0]}{place}")
            continue
        operands = ", ".join(value.name for value in op.operands)
        types = [tensor_type(value.shape, value.type) for value in op.operands]
        right = results[0] if len(results) == 1 else f"({', '.join(results)})"
        if not types or {right, *types} != {right}:  # One type is that of all operands and the result.
            right = f"({', '.join(types)}) -> {right}"
        lines.append(f"    {left} = soap.{op.mnemonic} {operands} {{{attributes}}} : {right}{place}")
    return lines


def _exact(tensor: torch.Tensor, element: str) -> torch.Tensor:
    """A known tensor in an element type of the program."""
    kept = tensor if tensor.dtype != torch.bool else tensor.to(torch.int8)
    exact = kept.to(_TORCH[element])
    if element == "i32" and not torch.equal(exact.to(kept.dtype), kept):
        raise Unsupported("a constant has integers beyond 32 bits")
    if element == "f32" and not kept.is_floating_point() and kept.numel() and int(kept.abs().max()) > 1 << 24:
        # The largest integers stand for "all": no computed one is near them.
        limit = (1 << 24) - 1
        if bool(((kept.abs() > limit) & (kept.abs() < (1 << 31) - 1)).any()):
            raise Unsupported("a constant has integers beyond 24 bits, which f32 does not count")
        exact = kept.clamp(-limit, limit).to(torch.float32)
    return exact


def _runs(tensor: torch.Tensor) -> Any:
    """Of a matrix of two numbers whose rows have one run of the larger: both numbers, begins and lengths."""
    if tensor.ndim < 2 or math.prod(tensor.shape[:-2]) != 1:
        return None
    low, high = tensor.min(), tensor.max()
    ones = (tensor == high).reshape(tensor.shape[-2:])
    if not bool((ones | (tensor == low).reshape(ones.shape)).all()):
        return None
    counts = ones.sum(1)
    begins = ones.to(torch.int8).argmax(1)
    places = torch.arange(ones.shape[1])
    if not torch.equal(ones, (places >= begins[:, None]) & (places < (begins + counts)[:, None])):
        return None
    return low, high, begins, counts


def _without_repeats(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor with extent 1 in dims along which it repeats."""
    for dim in range(tensor.ndim):
        if tensor.shape[dim] > 1:
            first = tensor.narrow(dim, 0, 1)
            if tensor.stride(dim) == 0 or bool((tensor == first).all()):
                tensor = first
    return tensor
