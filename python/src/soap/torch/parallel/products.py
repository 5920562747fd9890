# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which products with weights members of a tensor-parallel group share, from the graph of the module.

A product is cut in *rows* (of its input's width) if all products that its input is computed from are cut in *columns*,
and nothing else reads what these compute. So attention's output follows queries, keys and values, the product down
follows those up and of the gate; the next block reads a sum that a product in rows is part of, and begins anew."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Mapping

import torch
from torch import nn
from torch.fx import Node

from ...planning.errors import PlanError, listed
from ..export import unchanged

_aten = torch.ops.aten
_SPLITS = (_aten.split.Tensor, _aten.split_with_sizes.default, _aten.chunk.default)
_RESHAPES = (_aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.unflatten.int)


@dataclass
class Product:
    """A product with a weight in a module of its own."""

    path: str
    node: Node
    #: More than one: its result is taken apart at once, as one product for queries, keys and values is.
    parts: int = 1

    @property
    def input(self) -> Node:
        """Behind the reshape that products of transposed weights do."""
        given = _input_of(self.node)
        return _input_of(given) if given.target in _RESHAPES and self.node.target is _aten.addmm.default else given


@dataclass
class Cuts:
    """Paths of modules, by how their weights are cut."""

    columns: list[Product] = field(default_factory=list)
    rows: list[Product] = field(default_factory=list)
    #: Embeddings by tokens of the input, cut in their vocabulary.
    embeddings: list[str] = field(default_factory=list)
    #: The product whose result is the module's, cut in columns.
    head: Product | None = None
    #: Everything else with a product.
    whole: list[str] = field(default_factory=list)
    #: Modules whose result products in columns read.
    shared_inputs: list[str] = field(default_factory=list)


def trace(module: nn.Module, example: tuple[torch.Tensor, ...]) -> torch.export.ExportedProgram:
    """The module's graph of ATen ops, on the example's shapes."""
    try:
        with unchanged(module):
            return torch.export.export(module, example, strict=False)
    except Exception as error:
        reason = str(error).strip().splitlines()
        raise PlanError(f"parallelize: torch.export refuses the module, whose products a plan with tensor parallelism or stages "
                        f"has to know: {reason[0] if reason else type(error).__name__}; the nearest plan has replicas alone"
                        ) from error  # fmt: skip


def find_cuts(module: nn.Module, program: torch.export.ExportedProgram, members: int, cut_head: bool = True) -> Cuts:
    graph = program.graph
    weights = program.graph_signature.inputs_to_parameters
    # Of tied weights the graph has one name.
    first: dict[str, list[str]] = {}
    tied_names: dict[int, list[str]] = {}
    for name, weight in module.named_parameters(remove_duplicate=False):
        first[name] = tied_names.setdefault(id(weight), [])
        first[name].append(name)
    users = set(program.graph_signature.user_inputs)
    products: dict[Node, Product] = {}
    others: dict[str, None] = {}
    cuts = Cuts()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        parameter = _weight_of(node, weights, first)
        if node.target is _aten.embedding.default and parameter:
            path = parameter.rpartition(".")[0]
            if _is_plain(_at(module, path)) and _reads(node.args[1], users):
                cuts.embeddings.append(path)
        elif parameter and node.target in _PRODUCTS:
            path = parameter.rpartition(".")[0]
            if is_product(_at(module, path), parameter.rpartition(".")[2]):
                products[node] = Product(path, node, _parts(node))
            else:
                others[parameter] = None
    calls: dict[str, int] = {}
    for product in products.values():
        calls[product.path] = calls.get(product.path, 0) + 1
    once = {node: product for node, product in products.items() if calls[product.path] == 1}
    results = {node for node in graph.output_node().all_input_nodes}
    rows: dict[Node, set[Node]] = {}
    for node, product in once.items():
        feeders = _feeders(product.input, products)
        if feeders and not any(f in rows or f not in once for f in feeders):
            if all(_reach(f, products, results, feeders) for f in feeders):
                rows[node] = feeders
    columns = {feeder for feeders in rows.values() for feeder in feeders} - set(rows)
    cuts.rows = [once[node] for node in rows if rows[node] <= columns]
    cuts.columns = [once[node] for node in once if node in columns]
    taken = {product.path for product in (*cuts.rows, *cuts.columns)}
    for node, product in once.items():
        if cut_head and node in results and product.path not in taken and _extent(node) % members == 0 and _extent(node) >= 8 * members:
            cuts.head = product
    cuts.embeddings = [path for path in dict.fromkeys(cuts.embeddings) if _at(module, path).num_embeddings % members == 0]
    # Tied weights are all cut in one way, or not at all.
    readers = [name.rpartition(".")[0] for name in first.get(f"{cuts.head.path}.weight", ())] if cuts.head else []
    if cuts.head and any(path not in (*cuts.embeddings, cuts.head.path) for path in readers):
        cuts.head, readers = None, []
    products_read = {name for product in products.values() for name in first.get(f"{product.path}.weight", ())}
    cuts.embeddings = [path for path in cuts.embeddings if path in readers or f"{path}.weight" not in products_read]
    cuts.whole = [product.path for product in products.values()
                  if product.path not in taken and (not cuts.head or product.path != cuts.head.path)]  # fmt: skip
    cuts.whole = [*dict.fromkeys(cuts.whole), *others]
    makers = [_made_by(product.input) for product in (*cuts.columns, *([cuts.head] if cuts.head else []))]
    cuts.shared_inputs = [path for path in dict.fromkeys(makers) if path and path not in taken]
    _check(cuts, members)
    return cuts


def _is_plain(module: nn.Module) -> bool:
    return isinstance(module, nn.Embedding) and module.padding_idx is None and module.max_norm is None and not module.sparse \
        and not module.scale_grad_by_freq  # fmt: skip


_PRODUCTS = (_aten.linear.default, _aten.addmm.default)


def is_product(module: nn.Module | None, weight: str = "weight") -> bool:
    """Whether a module is x Wᵀ + b, or x W + b, of its own weights: of other classes than Linear it is tried."""
    if type(module) is nn.Linear:
        return weight == "weight"
    own = dict(module.named_parameters(recurse=False)) if module is not None else {}
    if weight != "weight" or not set(own) <= {"weight", "bias"} or own["weight"].ndim != 2:
        return False
    return transposed(module) is not None


def transposed(module: Any) -> bool | None:
    """Whether the weight is input x output; None where the module computes something else."""
    if type(module) is nn.Linear:
        return False
    weight, bias = module.weight, getattr(module, "bias", None)
    if next(module.children(), None) is not None or weight.is_meta:
        return None
    for is_transposed, matrix in ((True, weight), (False, weight.t())):
        x = torch.linspace(-1, 1, matrix.shape[0], dtype=weight.dtype, device=weight.device)[None]
        try:
            with torch.no_grad():
                if torch.allclose(module(x), x @ matrix + (0 if bias is None else bias), rtol=1e-4, atol=1e-5):
                    return is_transposed
        except (RuntimeError, TypeError):
            continue
    return None


def _weight_of(node: Node, weights: Mapping[str, str], names: Mapping[str, list[str]]) -> str:
    """The name of the parameter that is the op's weight, in the module that calls the op."""
    index = {_aten.embedding.default: 0, _aten.linear.default: 1, _aten.addmm.default: 2}.get(node.target)
    argument = node.args[index] if index is not None else None
    name = weights.get(argument.name, "") if isinstance(argument, Node) else ""
    stack = [_path(entry[0]) for entry in (node.meta.get("nn_module_stack") or {}).values()]
    caller = stack[-1] if stack else ""
    return next((other for other in names.get(name, []) if other.rpartition(".")[0] == caller), name)


def _input_of(node: Node) -> Node:
    given = node.args[1] if node.target is _aten.addmm.default else node.args[0]
    assert isinstance(given, Node)
    return given


def _at(module: nn.Module, path: str) -> Any:
    return module.get_submodule(path)


def _extent(node: Node) -> int:
    return int(node.meta["val"].shape[-1])


def _result_of(node: Node) -> Node:
    """Behind the reshape that products of transposed weights do."""
    users = list(node.users)
    if node.target is _aten.addmm.default and len(users) == 1 and users[0].target in _RESHAPES:
        return users[0]
    return node


def _parts(node: Node) -> int:
    """Into how many equal parts the result is taken at once."""
    node = _result_of(node)
    users, extent = list(node.users), _extent(node)
    if len(users) != 1:
        return 1
    user = users[0]
    if user.target in _SPLITS:
        pieces = user.meta["val"]
        dim = (user.args[2] if len(user.args) > 2 else user.kwargs.get("dim", 0)) % node.meta["val"].ndim
        sizes = {piece.shape[-1] for piece in pieces}
        return len(pieces) if dim == node.meta["val"].ndim - 1 and sizes == {extent // len(pieces)} else 1
    if user.target in _RESHAPES:
        old, new = node.meta["val"].shape, user.meta["val"].shape
        # batch x positions x 3 x heads x width: the parts are outside of heads.
        if len(new) == len(old) + 2 and new[: len(old) - 1] == old[:-1] and _is_taken_apart(user, len(old) - 1):
            return int(new[len(old) - 1])
    return 1


def _is_taken_apart(node: Node, dim: int) -> bool:
    """Whether the only thing that happens to a dim is that its places are taken one by one."""
    users = list(node.users)
    if len(users) == 1 and users[0].target is _aten.permute.default:
        order = [d % len(users[0].args[1]) for d in users[0].args[1]]  # type: ignore[arg-type, union-attr]
        return _is_taken_apart(users[0], order.index(dim))
    ops = (_aten.unbind.int, _aten.select.int)
    return bool(users) and all(user.target in ops and (user.args[1] if len(user.args) > 1 else 0) % node.meta["val"].ndim == dim
                               for user in users)  # fmt: skip


def _reads(node: Any, names: set[str]) -> bool:
    """Whether a value is computed from inputs of the user."""
    seen, stack = set(), [node]
    while stack:
        found = stack.pop()
        if found.name in names:
            return True
        stack += [argument for argument in found.all_input_nodes if argument not in seen]
        seen.update(found.all_input_nodes)
    return False


def _feeders(node: Node, products: dict[Node, Product]) -> set[Node]:
    """The products that a value is computed from without other products between."""
    found, seen, stack = set(), {node}, [node]
    while stack:
        value = stack.pop()
        if value in products:
            found.add(value)
            continue
        stack += [argument for argument in value.all_input_nodes if argument not in seen]
        seen.update(value.all_input_nodes)
    return found


def _reach(feeder: Node, products: dict[Node, Product], results: set[Node], feeders: set[Node]) -> bool:
    """Whether all that is computed from a product enters products with the same feeders."""
    seen, stack = {feeder}, [feeder]
    while stack:
        value = stack.pop()
        if value in results:
            return False
        for user in value.users:
            if user in products:
                if _feeders(products[user].input, products) != feeders:
                    return False
            elif user not in seen:
                seen.add(user)
                stack.append(user)
    return True


def _made_by(node: Node) -> str:
    """The path of the module whose result a value is; empty where none is."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path = _path(stack[-1][0]) if stack else ""
    inside = [user for user in node.users if any(_path(entry[0]) == path for entry in (user.meta.get("nn_module_stack") or {}).values())]
    return "" if inside or len(stack) < 2 else path


def _path(name: str) -> str:
    return name.removeprefix("L['self']").removeprefix(".")


def _check(cuts: Cuts, members: int) -> None:
    if not cuts.rows:
        raise PlanError(f"parallelize: tensor parallelism over {members} devices: no products were found that follow each other "
                        "with nothing else between that reads them (queries, keys and values before attention's output, up "
                        f"before down); the products are {listed(cuts.whole[:6], 'and') or 'none'}; the nearest plan has "
                        "replicas instead")  # fmt: skip
    for product in cuts.columns:
        extent = _extent(product.node) // product.parts
        pieces, what = extent, "columns"
        # Heads are a dim of their own right behind the product.
        for user in _result_of(product.node).users:
            if user.target in _RESHAPES and product.parts == 1:
                shape = user.meta["val"].shape
                tail = next((i for i in range(len(shape)) if math.prod(shape[i:]) == extent), None)
                if tail is not None and len(shape) - tail == 2:
                    pieces, what = int(shape[tail]), "heads"
        if pieces % members:
            near = max(n for n in range(1, members) if members % n == 0 and pieces % n == 0)
            raise PlanError(f"parallelize: {product.path}: {pieces} {what} over {members} devices; expected a multiple; the nearest "
                            f"plan has tensor={near}")  # fmt: skip
