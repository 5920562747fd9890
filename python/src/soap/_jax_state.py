# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which results of a function of JAX are new values of its arguments, and which arguments have samples.

A result is the new value of an argument in two cases, where the option `updates` of `from_jax` says nothing:

- The argument is donated, and the result has its form: the same key paths, shapes and types of leaves.
- A training state goes in and comes out at the same place: argument number i and result number i have the same form,
  and some leaf of floats keeps its old value in the sense of `_jax_flow`, which a gradient does not.

All else is a result of its own. The first case is known, the second one an assumption, and so is what has samples where
the option `data` does not say it: `Roles.assumed` has the words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import jax as _jax
import numpy as np

#: Shape and type of a leaf.
Type = tuple[tuple[int, ...], str]


@dataclass
class Part:
    """Leaves in a row: an argument, or a part of the results. Leaves have numbers over all arguments or all results."""

    name: str
    first: int
    #: Key path of every leaf, within the part.
    paths: list[tuple[Any, ...]]
    types: list[Type]

    def has_form_of(self, other: Part) -> bool:
        return bool(self.types) and (self.paths, self.types) == (other.paths, other.types)

    @property
    def leaves(self) -> range:
        return range(self.first, self.first + len(self.types))

    @property
    def is_number(self) -> bool:
        """A float alone: a loss, or a learning rate."""
        return len(self.types) == 1 and self.types[0][0] == () and is_float(self.types[0])


@dataclass
class Roles:
    #: Leaf of the results -> leaf of the arguments that it is the new value of.
    updates: dict[int, int] = field(default_factory=dict)
    #: Numbers of the arguments with samples.
    data: list[int] = field(default_factory=list)
    #: What was assumed, in words.
    assumed: list[str] = field(default_factory=list)


def is_float(type: Type) -> bool:
    return "float" in type[1]


def is_key(leaf: Any) -> bool:
    """Whether a leaf has elements of a typed PRNG key."""
    return _jax.dtypes.issubdtype(leaf.dtype, _jax.dtypes.extended)


def is_raw_key(type: Type) -> bool:
    """Whether a leaf looks like a key of `jax.random.PRNGKey`."""
    return type in (((2,), "uint32"), ((4,), "uint32"))


def type_of(leaf: Any) -> Type:
    return tuple(leaf.shape), str(leaf.dtype) if is_key(leaf) else np.dtype(leaf.dtype).name


def _key_of(key: Any) -> Any:
    return next((getattr(key, a) for a in ("key", "name", "idx") if hasattr(key, a)), key)


def parts_of(tree: Any) -> dict[Any, Part]:
    """The children of a tree of avals, by their keys."""
    parts: dict[Any, Part] = {}
    for number, (path, leaf) in enumerate(_jax.tree_util.tree_flatten_with_path(tree)[0]):
        first, *rest = map(_key_of, path)
        part = parts.setdefault(first, Part(str(first), number, [], []))
        part.paths.append(tuple(rest))
        part.types.append(type_of(leaf))
    return parts


def find_updates(
    arguments: Sequence[Part], donated: set[int], batches: set[int], results: Any, kept: Callable[[], Sequence[Any]]
) -> Roles:
    """The updates of a function. `donated` and `batches` are numbers of arguments, of which the latter have samples;
    `kept` gives the arguments that each result keeps (`_jax_flow`)."""
    leaves = _jax.tree_util.tree_flatten_with_path(results)[0]
    whole = Part("the result", 0, [tuple(map(_key_of, path)) for path, _ in leaves], [type_of(x) for _, x in leaves])
    is_list = isinstance(results, (tuple, list)) and not hasattr(results, "_fields")
    if whole.paths == [()] or (arguments and whole.has_form_of(arguments[0])):
        places, parts = {0: 0}, [whole]
    else:
        children = parts_of(results)
        for key, part in children.items():
            part.name = f"result {key}" if is_list else f"result {key!r}"
        parts = list(children.values())
        names = [key if is_list else next((i for i, a in enumerate(arguments) if a.name == key), -1) for key in children]
        places = {i: number for i, number in enumerate(names) if 0 <= number < len(arguments)}
    roles = Roles()
    of_part: dict[int, int] = {}

    def keeps(part: Part, argument: Part) -> bool:
        floats = [k for k, type in enumerate(part.types) if is_float(type)]
        # Numbers that are no floats have no gradient.
        return not floats or any(argument.first + k in kept()[part.first + k] for k in floats)

    for i, number in places.items():
        part, argument = parts[i], arguments[number]
        if number in batches or not part.has_form_of(argument):
            continue
        if number not in donated:
            if part.paths == [()] and (part is whole or part.is_number) or not keeps(part, argument):
                continue
            roles.assumed.append(f"{part.name} is the new value of {argument.name!r}")
        of_part[i] = number
    _pair_donated(arguments, donated - batches, parts, of_part)
    for i, part in enumerate(parts):
        if i in of_part:
            argument = arguments[of_part[i]]
            roles.updates.update(zip(part.leaves, argument.leaves))
            continue
        like = [a.name for number, a in enumerate(arguments) if number not in batches and part.has_form_of(a)]
        if like and any(map(is_float, part.types)) and not part.is_number and not (part is whole and len(leaves) == 1):
            roles.assumed.append(f"{part.name} has the form of {like[0]!r} and is no new value")
    return roles


def _pair_donated(
    arguments: Sequence[Part], donated: set[int], parts: Sequence[Part], of_part: dict[int, int]
) -> None:
    """Pairs donated arguments that have no new value yet with results of their form, in order."""
    waiting = sorted(donated - set(of_part.values()))
    while waiting:
        argument = arguments[waiting[0]]
        alike = [number for number in waiting if arguments[number].has_form_of(argument)]
        fitting = [i for i, part in enumerate(parts) if i not in of_part and part.has_form_of(argument)]
        waiting = [number for number in waiting if number not in alike] if argument.types else waiting[1:]
        if not fitting:
            continue
        if len(fitting) != len(alike):
            names = " and ".join(repr(arguments[number].name) for number in alike)
            found = " and ".join(parts[i].name for i in fitting)
            raise ValueError(
                f"from_jax: {names} {'is' if len(alike) == 1 else 'are'} donated, and {found} "
                f"{'has' if len(fitting) == 1 else 'have'} that form: say by updates=[...] which is the new value of "
                "which (docs/StableHLO.md)"
            )
        of_part.update(zip(fitting, alike))


def find_data(arguments: Sequence[Part], others: set[int], keys: set[int], sample_dim: int, roles: Roles) -> None:
    """The arguments with samples, where the option `data` says nothing: of the arguments that are not among `others`
    and hold no PRNG keys (leaves `keys`), the ones whose arrays all have one extent along `sample_dim`, that of the
    last of them. Numbers are data without samples."""
    extents: dict[int, set[int]] = {}
    numbers = []
    for i, argument in enumerate(arguments):
        if i in others or not argument.types or keys & {*argument.leaves} or any(map(is_raw_key, argument.types)):
            continue
        ranked = [shape for shape, _ in argument.types if shape]
        if not ranked:
            numbers.append(i)
        elif all(len(shape) > sample_dim for shape in ranked):
            extents[i] = {shape[sample_dim] for shape in ranked}
    single = {i: found.pop() for i, found in extents.items() if len(found) == 1}
    batch = list(single.values())[-1] if single else None
    samples = [i for i, extent in single.items() if extent == batch]
    roles.data = sorted([*samples, *numbers])
    if samples:
        names = ", ".join(repr(arguments[i].name) for i in samples)
        have = "has" if len(samples) == 1 else "have"
        roles.assumed.append(f"{names} {have} {batch} samples along dim {sample_dim}")
    taken = {*roles.data, *others}
    rest = [repr(a.name) for i, a in enumerate(arguments) if i not in taken and a.types]
    if rest:
        roles.assumed.append(f"{', '.join(rest)} {'has' if len(rest) == 1 else 'have'} no samples")
