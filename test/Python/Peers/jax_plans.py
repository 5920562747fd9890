# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of jax_programs.py under plans, in real JAX on eight devices of the host: results equal JAX without
shardings, and the plan found is the plan that runs. test/Python/jax_devices.py runs the part that --core names.

    jax_plans.py [--core] [--page FILE [--write]] [NAME...]

The devices that the search plans for are so slow that these small programs are worth cutting. A plan runs as it is if a
mesh has it, arguments and new values lie where it has them, and no constraint is lost. --page compares the table of
docs/JaxPrograms.md, which has constraints, and collectives of searched plans beside the ones of XLA; --write puts it
there. The last line is "N passed, N failed"."""
import argparse
import difflib
import logging
import re
import sys
import tempfile
import traceback
import warnings

import jax
import numpy as np

import jax_programs
import soap
import soap.jax
from slow_devices import DEVICES, slow_devices

PAGE_BEGIN, PAGE_END = "<!-- jax_plans.py --table -->", "<!-- end of the table -->"
CORE = ("mlp_adamw_clipped", "llama_grouped_queries")
#: What Soap refuses, and the text that says so.
REFUSED = {
    "spectral": "stablehlo.fft",
    "gaussian_process": "cholesky",
    "a_loop_until_it_converges": "has a condition that depends on data",
}
#: What runs, but not as the plan found, and the text that says why. A row goes when its program is mended.
NOT_AS_FOUND = {
    "accumulated_microbatches": "dim 0 is cut into pieces with gaps",
    "logistic_regression": "'batch': dim 1 has pieces within pieces",
}


def is_key(leaf):
    return jax.dtypes.issubdtype(getattr(leaf, "dtype", np.float32), jax.dtypes.prng_key)


def copied(args):
    """Arguments that may be donated."""
    return jax.tree.map(lambda leaf: np.array(leaf) if isinstance(leaf, np.ndarray) else leaf, args)


def distance(got, wanted):
    worst = 0.0
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        a, b = (np.asarray(jax.random.key_data(leaf) if is_key(leaf) else leaf, np.float64) for leaf in (a, b))
        worst = max(worst, np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-9))
    return worst


def regions(sharding, shape):
    return {device.id: index for device, index in sharding.devices_indices_map(shape).items()}


def misplaced(plan, compiled):
    """Arguments and new values that a compiled function has elsewhere than the plan."""
    trees, wanted = plan.model._trees, soap.jax.shardings(plan)
    inputs = jax.tree.leaves(compiled.input_shardings[0])
    outputs = jax.tree.leaves(compiled.output_shardings)
    assert len(inputs) == len(trees.leaves) and len(outputs) == trees.results.num_leaves
    found = []
    for number, (leaf, position, got) in enumerate(zip(trees.leaves, trees.positions, inputs, strict=True)):
        if position < 0:
            continue  # the program does not read it
        expected = regions(wanted[position], leaf.shape)
        new = [outputs[result] for result, argument in trees.updates.items() if argument == number]
        found += [trees.argument_names[number] for one in [got, *new] if regions(one, leaf.shape) != expected]
    return found


def under(function, args, plan, tolerance, expected):
    """Runs a plan: why the plan found is not what runs (none: it is), constraints, the compiled function."""
    nearest = soap.jax.nearest(plan)
    reasons = [] if nearest is plan else ["no mesh has it"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        step = soap.jax.jit(function, plan)
        found = soap.jax._inner_shardings(function, nearest, soap.jax.mesh(nearest), False)
    reasons += sorted({str(one.message) for one in said if issubclass(one.category, soap.SoapWarning)})
    got = distance(step(*copied(args)), expected)
    assert got < tolerance, f"differs by {got}"
    compiled = step.lower(*copied(args)).compile()
    assert not (bad := misplaced(nearest, compiled)), f"lie elsewhere than in the plan: {bad}"
    return reasons, found, compiled


def kinds(table):
    return ", ".join(f"{row['count']} {kind}" for kind, row in sorted(table.items())) or "none"


def total(table):
    return sum(row["bytes"] for row in table.values())


def row_of(plan, found, compiled):
    """Cells of the table: ops that are cut, constraints, collectives and bytes of the plan and of XLA."""
    ours, theirs = plan.collectives(), soap.jax.hlo_collectives(compiled)
    ops = plan.strategy["ops"]
    cut = sum(any(degree > 1 for degree in op["degrees"].values()) for op in ops)
    constraints = f"{len(found.specs)} of {found.exported}" if found else "none"
    return (f"{cut} of {len(ops)}", constraints, kinds(ours), f"{total(ours):,}", kinds(theirs), f"{total(theirs):,}")


def check(name, topology, rows):
    """The outcome of a program. Adds the row of its searched plan."""
    function, args, options = jax_programs.PROGRAMS[name]()
    options = dict(options)
    tolerance = options.pop("tolerance", 1e-4)
    try:
        model = soap.from_jax(function, *args, **options)
    except soap.SoapError as error:
        assert REFUSED.get(name, "no refusal") in str(error), error
        return f"refused: `{REFUSED[name]}`"
    assert name not in REFUSED, f"expected {REFUSED[name]!r}"
    expected = (function if hasattr(function, "trace") else jax.jit(function))(*copied(args))
    under(function, args, soap.apply_strategy(model, topology, "zero"), tolerance, expected)
    plan = soap.jax.find_strategy(model, topology, proposals=40)
    reasons, found, compiled = under(function, args, plan, tolerance, expected)
    cells = row_of(plan, found, compiled)
    assert not cells[0].startswith("0 of"), "the plan cuts nothing"
    rows.setdefault(cells, []).append(name)
    if name in NOT_AS_FOUND:
        assert any(NOT_AS_FOUND[name] in reason for reason in reasons), reasons
        return f"runs otherwise: {NOT_AS_FOUND[name]}"
    assert found is not None and not reasons, reasons
    assert len(found.specs) >= 0.5 * found.exported, cells
    return "equal, as found"


def table_of(rows, outcomes):
    """The text of the page."""
    searched = [name for names in rows.values() for name in names]
    found = sum(outcome == "equal, as found" for outcome in outcomes.values())
    lines = [f"With JAX {jax.__version__}: {len(searched)} of {len(outcomes)} programs are imported. For {found} of these "
             "the plan found is the plan that runs.", "",
             "| program | cut | constraints | plan | bytes | XLA | bytes |", "|---|---|---|---|---|---|---|"]  # fmt: skip
    for cells, names in rows.items():
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | " + " | ".join(cells) + " |")
    return [*lines, "", "| program | why not |", "|---|---|",
            *(f"| `{name}` | {outcome} |" for name, outcome in outcomes.items() if outcome != "equal, as found")]  # fmt: skip


def page_is_current(path, lines, write):
    with open(path, encoding="utf-8") as file:
        before, begin, rest = file.read().partition(PAGE_BEGIN)
    old, end, after = rest.partition(PAGE_END)
    assert begin and end, f"{path}: expected the lines '{PAGE_BEGIN}' and '{PAGE_END}'"
    new = "\n\n" + "\n".join(lines) + "\n\n"
    version = re.search(r"With JAX ([\d.]+):", old)
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + begin + new + end + after)
    elif version and version[1] != jax.__version__:
        print(f"skipped: the table of {path} is of JAX {version[1]}, this is {jax.__version__}")
    elif old != new:
        print(f"{path}: the table differs, --write puts it there:")
        print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "page", "programs", lineterm="", n=0)))
        return False
    return True


def main():
    logging.getLogger("soap").setLevel(logging.ERROR)
    warnings.simplefilter("ignore", soap.SoapWarning)
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--page")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if len(jax.devices()) != DEVICES:
        sys.exit(f"expected {DEVICES} devices of JAX, got {len(jax.devices())}")
    if options.page and (options.names or options.core):
        parser.error("--page: expected all programs")
    passed = failed = 0
    rows, outcomes = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        topology = slow_devices(folder)
        for name in options.names or (CORE if options.core else jax_programs.PROGRAMS):
            try:
                outcomes[name] = check(name, topology, rows)
                print(f"{name}: {outcomes[name]}", flush=True)
                passed += 1
            except Exception:
                failed += 1
                print(f"{name}: FAILED")
                traceback.print_exc(file=sys.stdout)
    if options.page:
        is_current = page_is_current(options.page, table_of(rows, outcomes), options.write)
        passed, failed = passed + is_current, failed + (not is_current)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
