# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX: functions in, NamedShardings out."""

from __future__ import annotations

import functools
import inspect
import logging
import os
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import jax as _jax
import numpy as np

from . import _core, _jax_inner
from ._jax_flow import kept_arguments
from ._jax_pipeline import Pipeline as Pipeline
from ._jax_pipeline import pipeline as pipeline
from ._jax_state import Part, Roles, find_data, find_updates, is_key, parts_of, type_of
from ._jax_trace import as_shape, evaluate
from ._options import import_options, text_of
from ._versions import check_version
from .errors import SoapError, SoapWarning, keywords_beside
from .model import Model
from .plan import Plan
from .plan import find_strategy as _find_strategy
from .planning.keywords import names_nearest

check_version("jax", _jax.__version__)

_logger = logging.getLogger("soap")

_BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s16": 2, "u16": 2, "f32": 4, "s32": 4, "u32": 4}
_BYTES.update({"f64": 8, "s64": 8, "u64": 8})


class JaxModel(Model):
    """A model that was a function of JAX. It knows the trees of the function's arguments and results, and its program
    with the options of the import."""

    def __init__(self, core: _core.Module, name: str, trees: _Trees, program: str, options: list[str]):
        super().__init__(core, name)
        self._trees = trees
        self._program = program
        self._options = options


@dataclass
class _Trees:
    """Arguments and results of a function as trees, and as the lists of leaves that its program has."""

    #: Of a static argument None, which has no leaves.
    arguments: Any
    results: Any
    argument_names: list[str]
    #: Result number -> number of the argument that it is the new value of.
    updates: dict[int, int]
    #: Number in the program of every argument leaf; -1 where the program does not use it.
    positions: list[int]
    #: Shape and type of every argument leaf.
    leaves: list[Any]
    #: Values of the static arguments, by number.
    static: dict[int, Any] = field(default_factory=dict)
    #: Numbers of the arguments that are donated.
    donated: set[int] = field(default_factory=set)


def generic_stablehlo(lowered: Any) -> str:
    """The text that Soap reads: StableHLO of a lowered function in MLIR's generic form, with the places in the user's
    program."""
    return lowered.compiler_ir("stablehlo").operation.get_asm(print_generic_op_form=True, enable_debug_info=True)


def from_jax(
    function: Callable[..., Any],
    *args: Any,
    data: Sequence[int] | None = None,
    labels: Sequence[int] = (),
    sample_dim: int = 0,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Sequence[str] | None = None,
    **options: Any,
) -> JaxModel:
    """Imports a function with example arguments: arrays, or anything with shape and dtype. A whole training step
    (`value_and_grad` and the update) is one program; Soap differentiates nothing of it. The function may be jitted.
    Arguments that it, or `static_argnums` and `static_argnames` as of `jax.jit`, calls static are part of the program.

    A result is the new value of an argument where `updates` says so (pairs RESULT:ARGUMENT of numbers in the program,
    or "none"); else where the argument is donated, or where a training state goes in and comes out at the same place:
    `params, state, loss = step(params, state, batch)`. Argument i and result i are then trees of the same key paths,
    shapes and types, and some float of the result is the old one with something added, as in `p - 0.1 * g`. All other
    results are results, as gradients are. `data` and `labels` are numbers of arguments of `function` that have samples
    along `sample_dim`; by default these are the arguments without a new value whose arrays have the extent of the last
    one there. What was assumed is one line of the logger `soap`, which stderr has by default; where `updates` and
    `data` are given, nothing is. Arguments that are no data have the values of the example (`model.restore`).
    `soap.from_stablehlo` has further options."""
    jitted = _jitted(function, static_argnums, static_argnames)
    traced = jitted.trace(*args)
    static = _static_of(jitted, args, traced)
    dynamic = tuple(None if number in static else one for number, one in enumerate(args))
    leaves = _leaves_of(traced)
    lowered = _jax.jit(lambda *values: evaluate(traced.jaxpr, values)).lower(*leaves)
    trees = _trees_of(function, dynamic, leaves, traced, lowered)
    trees.static = static
    says_updates = options.get("updates", "auto") != "auto"
    if says_updates:
        leaf_of = {position: leaf for leaf, position in enumerate(trees.positions) if position >= 0}
        trees.updates = {result: leaf_of[argument] for result, argument in _pairs_of(options["updates"], leaf_of)}
    roles, owner = _roles_of(function, len(args), traced, trees, data, labels, sample_dim, says_updates)
    updated = set(trees.updates.values())
    kinds: dict[str, list[int]] = {"data": [], "labels": [], "parameters": []}
    kept = []  # leaves that are no data
    for leaf, position in enumerate(trees.positions):
        if position < 0:
            continue
        about = trees.leaves[leaf]
        if leaf not in updated and owner[leaf] in labels:
            kinds["labels"].append(position)
        elif leaf not in updated and owner[leaf] in roles.data:
            kinds["data"].append(position)
        else:
            kept.append(leaf)
            # Counters and keys that have new values are states.
            if _jax.dtypes.issubdtype(about.dtype, np.floating) and (leaf in updated or about.shape):
                kinds["parameters"].append(position)
    pairs = [f"{result}:{trees.positions[leaf]}" for result, leaf in trees.updates.items() if trees.positions[leaf] >= 0]
    chosen: dict[str, Any] = {kind: numbers for kind, numbers in kinds.items() if numbers}
    chosen["updates"] = pairs or "none"
    if sample_dim:
        chosen["sample_dim"] = sample_dim
    name = getattr(function, "__name__", "step")
    program, words = generic_stablehlo(lowered), import_options({**chosen, **options, "updates": chosen["updates"]})
    with keywords_beside("static_argnums", "static_argnames", "sample_dim"):
        core = _core.Module.import_stablehlo(program, name, words)
    core.name_arguments([n for n, position in zip(trees.argument_names, trees.positions) if position >= 0], None)
    if roles.assumed:
        _logger.warning("soap.from_jax: assumed of %s: %s (updates=, data= and labels= say otherwise)", name,
                        "; ".join(roles.assumed))
    model = JaxModel(core, name, trees, program, words)
    leaves = _jax.tree_util.tree_leaves(dynamic)
    if not any(isinstance(leaf, _jax.ShapeDtypeStruct) for leaf in leaves):
        model._values = {trees.argument_names[i]: _value_of(leaves[i], trees.leaves[i]) for i in kept}
    return model


def _value_of(leaf: Any, about: Any) -> np.ndarray:
    """An argument as an array: the words of a PRNG key, numbers of Python in the type that JAX gives them."""
    if is_key(about):
        return np.asarray(_jax.random.key_data(leaf))
    array = np.asarray(leaf)
    return array if array.dtype == about.dtype else array.astype(about.dtype)


def _pairs_of(updates: Any, arguments: Mapping[int, int]) -> list[tuple[int, int]]:
    """The pairs (result, argument) of the option `updates`: `"0:1"`, `["0-2:1-3"]`, `"none"`."""
    pairs: list[tuple[int, int]] = []
    for item in text_of(updates).split(",") if updates != "none" and updates else []:
        match = re.fullmatch(r"(\d+)(?:-(\d+))?:(\d+)(?:-(\d+))?", item)
        if match is None:
            raise ValueError(f"updates: expected pairs RESULT:ARGUMENT, such as 0-2:1-3, got {item!r}")
        results = range(int(match[1]), int(match[2] or match[1]) + 1)
        numbers = range(int(match[3]), int(match[4] or match[3]) + 1)
        if len(results) != len(numbers) or not {*numbers} <= {*arguments}:
            raise ValueError(f"updates: {item!r}: expected as many results as arguments, which are 0-{len(arguments) - 1}")
        pairs += zip(results, numbers)
    return pairs


def _jitted(function: Callable[..., Any], numbers: Any = None, names: Any = None) -> Any:
    """The function as JAX traces it; one that is jitted already is taken as it is."""
    if hasattr(function, "trace") and hasattr(function, "lower"):
        if numbers is not None or names is not None:
            raise ValueError("static_argnums, static_argnames: the function is jitted already, and says them itself")
        return function
    return _jax.jit(function, static_argnums=numbers, static_argnames=names)


def _static_of(jitted: Any, args: Sequence[Any], traced: Any) -> dict[int, Any]:
    """The static arguments, by number."""
    about = getattr(jitted, "_jit_info", None)
    numbers = {number % len(args) for number in getattr(about, "static_argnums", ()) if -len(args) <= number < len(args)}
    if len(args) - len(numbers) != len(traced.args_info[0]):
        raise ValueError(
            f"from_jax: the function has {len(traced.args_info[0])} arguments that are not static, got {len(args)} in all"
        )
    return {number: args[number] for number in sorted(numbers)}


def _leaves_of(traced: Any) -> list[Any]:
    """Shape and type of every leaf of the arguments."""
    return [as_shape(leaf) for leaf in _jax.tree_util.tree_leaves(traced.in_avals)]


def _trees_of(
    function: Callable[..., Any], args: Sequence[Any], leaves: list[Any], traced: Any, lowered: Any
) -> _Trees:
    """The trees of a function, without updates. `args` has None for static arguments."""
    paths, structure = _jax.tree_util.tree_flatten_with_path(tuple(args))
    if len(leaves) != len(paths):
        raise ValueError(f"from_jax: expected {len(leaves)} arrays in the arguments, got {len(paths)}")
    names = _names_of(function, [path for path, _ in paths])
    kept = getattr(lowered._lowering, "compile_args", {}).get("kept_var_idx")
    positions, next_position = [], 0
    for leaf in range(len(names)):
        if kept is None or leaf in kept:
            positions.append(next_position)
            next_position += 1
        else:
            positions.append(-1)
    return _Trees(structure, _jax.tree_util.tree_structure(traced.out_info), names, {}, positions, leaves)


def _roles_of(
    function: Callable[..., Any],
    count: int,
    traced: Any,
    trees: _Trees,
    data: Sequence[int] | None,
    labels: Sequence[int],
    sample_dim: int,
    says_updates: bool,
) -> tuple[Roles, list[int]]:
    """The roles of arguments and results, where no option says them, and the number of the argument of each leaf. Sets
    the updates of the trees."""
    for what, numbers in (("data", data or ()), ("labels", labels)):
        if bad := [number for number in numbers if not 0 <= number < count]:
            raise ValueError(f"{what}: expected numbers of arguments, 0 to {count - 1}, got {bad[0]}")
    avals = _jax.tree_util.tree_unflatten(trees.arguments, trees.leaves)
    names = _names_of(function, [(_jax.tree_util.SequenceKey(i),) for i in range(count)])
    found = parts_of(avals)
    arguments = [found.get(i, Part(names[i], -1, [], [])) for i in range(count)]
    for name, part in zip(names, arguments):
        part.name = name
    batches = {*labels, *(data or ())}
    flags = [info.donated for info in _jax.tree_util.tree_leaves(traced.args_info, is_leaf=_is_argument)]
    donated = {i for i, part in enumerate(arguments) if part.types and all(flags[leaf] for leaf in part.leaves)}
    trees.donated = donated
    roles = Roles()
    if not says_updates:
        roles = find_updates(
            arguments, donated, batches, traced.out_info, functools.cache(lambda: kept_arguments(traced.jaxpr))
        )
        trees.updates = roles.updates
    owner = [i for i, part in enumerate(arguments) for _ in part.types]
    if data is None:
        keys = {i for i, leaf in enumerate(trees.leaves) if is_key(leaf)}
        updated = {owner[leaf] for leaf in trees.updates.values()}
        unread = {i for i, part in enumerate(arguments) if all(trees.positions[leaf] < 0 for leaf in part.leaves)}
        find_data(arguments, {*updated, *labels, *unread}, keys, sample_dim, roles)
    else:
        roles.data = list(data)
    return roles, owner


def _is_argument(node: Any) -> bool:
    return hasattr(node, "donated")


def _names_of(function: Callable[..., Any], paths: Sequence[Any]) -> list[str]:
    """`params.layer.w` for leaf `['layer']['w']` of the argument `params`."""
    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for path in paths:
        first, rest = path[0].idx, path[1:]
        parts = [parameters[first] if first < len(parameters) else f"arg{first}"]
        for key in rest:
            parts.append(str(next(getattr(key, a) for a in ("key", "name", "idx") if hasattr(key, a))))
        name = ".".join(parts)
        names.append(name if name not in names else f"{name}.{len(names)}")
    return names


@names_nearest
def mesh(plan: Plan, devices: Sequence[Any] | None = None) -> Any:
    """The plan's mesh over devices of JAX, in the order of the plan's devices."""
    _refuse_stages(plan)
    layout = plan.layout()
    devices = list(devices if devices is not None else _jax.devices())
    if len(devices) < plan.devices:
        raise ValueError(f"the plan has {plan.devices} devices, got {len(devices)}")
    grid = np.array(devices[: plan.devices], dtype=object).reshape(layout.mesh_shape or (1,))
    return _jax.sharding.Mesh(grid, tuple(layout.axes) or ("axis0",))


def _refuse_stages(plan: Plan) -> None:
    """An error for a pipeline."""
    if plan.pipeline is None:
        return
    raise ValueError(
        f"{plan._pipeline_in_words()}, and no mesh of all devices describes it: its stages are runs of the "
        "program's ops (of a differentiated step, forward or backward ones), while shard_map needs groups of devices that "
        "repeat one block; soap.jax.find_strategy gives plans of a mesh, soap.jax.pipeline(block, soap.plan(...)) runs "
        "stages of repeated blocks, and soap.fit runs this plan"
    )


@names_nearest
def shardings(plan: Plan, devices: Sequence[Any] | None = None, *, strict: bool = False) -> dict[int, Any]:
    """NamedSharding of every argument of the plan's function, by its number in the program.

    JAX cuts a dim of an argument into equal pieces only. A dim that the plan cuts otherwise is whole; a warning names
    it, with `strict` an error."""
    _refuse_stages(plan)
    layout = plan.layout()
    grid = mesh(plan, devices)
    faults = dict(layout.inexact)
    trees = getattr(plan.model, "_trees", None)
    ranks = {p: len(leaf.shape) for p, leaf in zip(trees.positions, trees.leaves)} if trees is not None else {}
    result = {}
    for tensor in layout.tensors.values():
        if tensor.argument < 0:
            continue
        spec = []
        for dim, axes in enumerate(tensor.dims):
            pieces = int(np.prod([layout.axes[axis] for axis in axes], dtype=int))
            if tensor.shape[dim] % pieces:
                faults.setdefault(tensor.name, f"dim {dim} of {tensor.shape[dim]} is cut into {pieces} uneven pieces")
                axes = ()
            spec.append(axes if axes else None)
        # A PRNG key is one element, whose words are a dim of the program alone.
        rank = ranks.get(tensor.argument, len(spec))
        if any(spec[rank:]):
            faults.setdefault(tensor.name, "the words of a PRNG key are cut")
        del spec[rank:]
        result[tensor.argument] = _jax.sharding.NamedSharding(grid, _jax.sharding.PartitionSpec(*spec))
    named = {t.name for t in layout.tensors.values() if t.argument >= 0}
    faults = {name: fault for name, fault in faults.items() if name in named}
    if faults:
        reasons = "; ".join(f"{name!r}: {fault}" for name, fault in faults.items())
        text = "some NamedShardings differ from the plan: " + reasons
        if strict:
            raise ValueError(text)
        warnings.warn(text, SoapWarning, stacklevel=3)  # behind names_nearest
    return result


def find_strategy(model: Model, topology: str | os.PathLike[str], **search: Any) -> Plan:
    """`soap.find_strategy` among the strategies that shardings of one mesh describe, which `soap.jax.jit` runs as they
    are, priced as XLA runs them (`executor="jax"`, `algorithm="mesh"`)."""
    if search.get("proposals") is None and search.get("time_limit") is None:
        search["time_limit"] = 10
    return _find_strategy(model, topology, **{"executor": "jax", "algorithm": "mesh", **search})


def nearest(plan: Plan) -> Plan:
    """The nearest plan that shardings of one mesh describe. It is the plan itself if they describe that, or if the
    nearest one takes more than 1 % longer by simulation or does not fit, which a warning says."""
    snapped = plan.model.run_passes("soap-snap-to-grid{function=" + plan.function + "}")
    other = Plan(snapped, plan.report, plan._function)
    return plan if other.strategy["ops"] == plan.strategy["ops"] else other


def put(plan: Plan, *args: Any, devices: Sequence[Any] | None = None) -> tuple[Any, ...]:
    """Arguments of the function of a plan as arrays of JAX that lie where the plan has them. Each process gives whole
    arguments, and holds its parts."""
    trees = getattr(plan.model, "_trees", None)
    if trees is None:
        raise TypeError("soap.jax.put: expected a plan of a model that soap.from_jax made")
    by_number = shardings(plan, devices)
    whole = _jax.sharding.NamedSharding(mesh(plan, devices), _jax.sharding.PartitionSpec())
    dynamic = tuple(None if number in trees.static else one for number, one in enumerate(args))
    leaves, structure = _jax.tree_util.tree_flatten(dynamic)
    if structure != trees.arguments:
        raise ValueError(f"soap.jax.put: expected arguments of the form {trees.arguments}, got {structure}")
    placed = []
    for leaf, about, position in zip(leaves, trees.leaves, trees.positions):
        sharding = by_number.get(position, whole)
        if is_key(about) or sharding.is_fully_addressable:
            placed.append(_jax.device_put(leaf, sharding))
        else:
            array = _value_of(leaf, about)
            placed.append(_jax.make_array_from_callback(array.shape, sharding, lambda index, array=array: array[index]))
    arguments = list(_jax.tree_util.tree_unflatten(structure, placed))
    for number, value in trees.static.items():
        arguments[number] = value
    return tuple(arguments)


def jit(
    function: Callable[..., Any],
    plan: Plan,
    devices: Sequence[Any] | None = None,
    *,
    strict: bool = False,
    inner: bool = True,
    **options: Any,
) -> Any:
    """`jax.jit` of a function with the shardings that a plan of it has
    (`soap.jax.find_strategy(from_jax(function, ...), ...)`): arguments lie where the plan has them, new values where
    their arguments do. With `inner` the results of equations are constrained to lie as the plan computes them, inside
    of loops and calls, too; XLA's partitioner derives the rest, without `inner` all of it.

    A plan that no mesh has runs as the nearest one that a mesh has where that takes at most 1 % longer by simulation,
    which the logger `soap` says. Else the ops that are on no mesh have no constraints; a warning counts and names them,
    with `strict` an error. What is computed does not depend on the plan. Arguments are static and donated as in
    `from_jax`. `jax.jit` has further options."""
    trees = getattr(plan.model, "_trees", None)
    if trees is None:
        raise TypeError("soap.jax.jit: expected a plan of a model that soap.from_jax made")
    _refuse_stages(plan)
    if inner and not strict and plan.devices > 1:
        plan = _snapped(plan)
    grid = mesh(plan, devices)
    whole = _jax.sharding.NamedSharding(grid, _jax.sharding.PartitionSpec())
    by_number = shardings(plan, devices, strict=strict)
    inputs = [by_number.get(position, whole) for position in trees.positions]
    outputs: list[Any] = [None] * trees.results.num_leaves
    for result, argument in trees.updates.items():
        outputs[result] = inputs[argument]
    inside = _inner_shardings(function, plan, grid, strict) if inner else None

    def constrained(*arguments: Any) -> Any:
        dynamic = [None if number in trees.static else one for number, one in enumerate(arguments)]
        static = {number: arguments[number] for number in trees.static if number < len(arguments)}
        leaves = _jax.tree_util.tree_leaves(tuple(dynamic))
        if inside is None or [*map(type_of, leaves)] != [*map(type_of, trees.leaves)] or static != trees.static:
            return function(*arguments)  # shapes and static arguments that the plan is not for
        return _jax.tree_util.tree_unflatten(trees.results, inside(*leaves))

    # None is a leaf here, but an empty tree for JAX.
    unflatten = _jax.tree_util.tree_unflatten
    outputs = [whole if sharding is None else sharding for sharding in outputs]
    arguments = [one for number, one in enumerate(unflatten(trees.arguments, inputs)) if number not in trees.static]
    if trees.donated and not options.keys() & {"donate_argnums", "donate_argnames"}:
        options["donate_argnums"] = tuple(sorted(trees.donated))
    return _jax.jit(
        constrained if inside is not None else function,
        in_shardings=tuple(arguments),
        out_shardings=unflatten(trees.results, outputs),
        **{"static_argnums": tuple(trees.static) or None, **options},
    )


def _snapped(plan: Plan) -> Plan:
    """The nearest plan of a mesh, if it is fast enough."""
    other = nearest(plan)
    if other is not plan:
        ops = list(zip(other.strategy["ops"], plan.strategy["ops"]))
        _logger.warning(
            "soap.jax.jit: the plan runs as the nearest one that a mesh has: %d of %d ops have other configs, "
            "%.3f ms an iteration instead of %.3f ms by simulation",
            sum(a != b for a, b in ops), len(ops), other.milliseconds, plan.milliseconds,
        )
    return other


def _inner_shardings(function: Callable[..., Any], plan: Plan, grid: Any, strict: bool) -> Any:
    """The constraints inside of a function; None, after a warning, where there are none."""
    model = plan.model
    if plan.devices == 1:
        return None
    try:
        with warnings.catch_warnings():
            if strict:
                warnings.simplefilter("error", SoapWarning)
            sharded = model.run_passes("soap-export-shard{function=" + plan.function + " partial=true}")
        exported = sharded._core.export_shardy(model._core, model._program, model._options)
        return _jax_inner.find(_closed_of(function, model), model._trees.leaves, exported, grid.devices.flatten())
    except SoapWarning as warning:
        raise SoapError(str(warning)) from None
    except SoapError as error:
        if strict:
            raise
        text = f"XLA derives the shardings of intermediate values: {error}"
        warnings.warn(text, SoapWarning, stacklevel=3)
        return None


def _closed_of(function: Callable[..., Any], model: JaxModel) -> Any:
    """The jaxpr of a function for the arguments of the import."""
    trees = model._trees
    jitted = function
    if not hasattr(function, "trace"):
        jitted = _jax.jit(function, static_argnums=tuple(trees.static) or None)
    arguments = list(_jax.tree_util.tree_unflatten(trees.arguments, trees.leaves))
    for number, value in trees.static.items():
        arguments[number] = value
    closed = jitted.trace(*arguments).jaxpr
    if len(closed.jaxpr.invars) != len(trees.leaves):
        raise SoapError("the function has other arguments than the one that the plan is of")
    return closed


_SHAPE = re.compile(r"(\w+)\[([\d,]*)\]")
_COLLECTIVE = re.compile(
    r"=\s*(?P<shape>\(.*?\)|\S+)\s+(?P<kind>all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)"
    r"(?P<start>-start)?\((?P<rest>.*)"
)
_GROUPS = re.compile(r"replica_groups=(?:\{\{(?P<lists>[\d,{} ]*)\}\}|\[(?P<count>\d+),(?P<size>\d+)\])")
_PAIRS = re.compile(r"source_target_pairs=\{\{([\d,{} ]*)\}\}")


def hlo_collectives(compiled: Any) -> dict[str, dict[str, int]]:
    """Collectives of a compiled function (`jitted.lower(...).compile()`), or of HLO text, by kind: how many, and the
    bytes that all devices together send, as `Plan.collectives` counts them: an all-reduce of S bytes on n devices is
    2 (n - 1) S, other collectives of a whole of S bytes are (n - 1) S. The body of a loop counts once. Permutations are
    the pattern `point-to-point`."""
    text = compiled if isinstance(compiled, str) else compiled.as_text()
    devices = max([int(n) for n in re.findall(r"num_partitions=(\d+)", text)] or [1])
    table: dict[str, dict[str, int]] = {}
    for match in _COLLECTIVE.finditer(text):
        kind, rest = match["kind"], match["rest"]
        shapes = [_bytes_of(dtype, dims) for dtype, dims in _SHAPE.findall(match["shape"])]
        if match["start"] and kind != "all-reduce":
            shapes = shapes[len(shapes) // 2 :]  # operands stand before results
        size, groups = _groups_of(rest, devices)
        result = sum(shapes)  # of one device
        if kind == "collective-permute":
            pairs = _PAIRS.search(rest)
            sent = result * (pairs[1].count("},{") + 1 if pairs else devices)
        else:
            # A group's whole: an all-to-all splits the part of each device, a reduce-scatter leaves a part.
            whole = result * size if kind in ("reduce-scatter", "all-to-all") else result
            sent = groups * (size - 1) * (whole if kind != "all-to-all" else whole // size)
            sent *= 2 if kind == "all-reduce" else 1
        row = table.setdefault("point-to-point" if kind == "collective-permute" else kind, {"count": 0, "bytes": 0})
        row["count"] += 1
        row["bytes"] += sent
    return table


def _bytes_of(dtype: str, dims: str) -> int:
    if dtype not in _BYTES:
        raise ValueError(f"unknown element type {dtype!r} in HLO")
    return _BYTES[dtype] * int(np.prod([int(extent) for extent in dims.split(",") if extent], dtype=np.int64))


def _groups_of(rest: str, devices: int) -> tuple[int, int]:
    """Devices of a group, and the number of groups."""
    groups = _GROUPS.search(rest)
    if groups is None:
        return devices, 1
    if groups["size"]:
        return int(groups["size"]), int(groups["count"])
    lists = groups["lists"].split("},{")
    return len(lists[0].split(",")), len(lists)


def compare_collectives(plan: Plan, compiled: Any) -> str:
    """A table: exchanges that the plan has, beside the collectives that XLA made of its shardings, with the bytes that
    all devices send. A line behind a row that differs says why."""
    ours, theirs = plan.collectives(), hlo_collectives(compiled)
    lines = [f"{'pattern':16}  {'plan':>6}  {'bytes':>14}  {'XLA':>6}  {'bytes':>14}"]
    none = {"count": 0, "bytes": 0}
    for kind in sorted(set(ours) | set(theirs)):
        a, b = ours.get(kind, none), theirs.get(kind, none)
        lines.append(f"{kind:16}  {a['count']:6}  {a['bytes']:14}  {b['count']:6}  {b['bytes']:14}")
        if a != b:
            lines.append("    " + (_scattered(ours, theirs, kind) or _difference(plan, kind, a, b)))
    return "\n".join(lines)


def _scattered(ours: dict[str, dict[str, int]], theirs: dict[str, dict[str, int]], kind: str) -> str | None:
    """The reason why reductions differ, where it is that XLA writes all of them as all-reduces: the partitioner for
    CPUs does, and a scalar result is on all devices."""
    bytes_of = {name: ours.get(name, {"bytes": 0})["bytes"] for name in ("all-reduce", "reduce-scatter", "reduce")}
    if kind not in bytes_of or "reduce-scatter" in theirs:
        return None
    halves = bytes_of["reduce-scatter"] + bytes_of["reduce"]
    if not halves or theirs.get("all-reduce", {"bytes": 0})["bytes"] != bytes_of["all-reduce"] + 2 * halves:
        return None
    how = " and scatters" if bytes_of["reduce-scatter"] else ""
    return f"XLA reduces all and takes a slice, where the plan reduces{how}: twice the bytes"


def _difference(plan: Plan, kind: str, ours: dict[str, int], theirs: dict[str, int]) -> str:
    """Why a row of the table differs."""
    if ours["bytes"] == theirs["bytes"]:
        return "the same bytes: XLA puts several exchanges into one"
    values = sorted(
        (exchange for exchange in plan.simulation["exchanges"] if exchange["pattern"] == kind),
        key=lambda exchange: -exchange["bytes"],
    )
    names = ", ".join(str(exchange["value"]) for exchange in values[:3]) + (", ..." if len(values) > 3 else "")
    if not theirs["bytes"]:
        return f"XLA has none: it brings the values into place by other patterns; the plan has {names}"
    if not ours["bytes"]:
        return "the plan has none: XLA brings values into place by this pattern, the plan by others"
    return f"other values: the plan has {names}; XLA chooses the shardings between constraints itself"
