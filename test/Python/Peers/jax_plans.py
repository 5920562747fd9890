# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of jax_programs.py under plans, in real JAX on eight devices of the host: what runs equals JAX without
shardings, and no op of the plan loses its constraint. test/Python/jax_devices.py runs the part that --core names.

    jax_plans.py [--core] [--table] [NAME...]

--table prints rows for each program: constraints, and bytes of the plan beside the bytes of XLA. The last line is
"N passed, N failed"."""
import logging
import sys
import traceback
import warnings

import jax
import numpy as np

import jax_programs
import soap
import soap.jax

DEVICES = 8
CORE = ("mlp_adamw_clipped", "llama_grouped_queries")
#: What Soap refuses, and the text that says so.
REFUSED = {
    "spectral": "stablehlo.fft",
    "gaussian_process": "cholesky",
    "a_loop_until_it_converges": "has a condition that depends on data",
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


def total(table):
    return sum(row["bytes"] for row in table.values())


def under(function, args, plan, tolerance, expected):
    """Runs a plan: constraints, what was warned of, bytes of the plan and of XLA."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        step = soap.jax.jit(function, plan)
        found = soap.jax._inner_shardings(function, soap.jax.nearest(plan), soap.jax.mesh(plan), False)
    got = distance(step(*copied(args)), expected)
    assert got < tolerance, f"differs by {got}"
    theirs = soap.jax.hlo_collectives(step.lower(*copied(args)).compile())
    lost = [str(one.message) for one in said if issubclass(one.category, soap.SoapWarning)]
    return found, lost, total(plan.collectives()), total(theirs)


def check(name, table):
    function, args, options = jax_programs.PROGRAMS[name]()
    options = dict(options)
    tolerance = options.pop("tolerance", 1e-4)
    try:
        model = soap.from_jax(function, *args, **options)
    except soap.SoapError as error:
        assert REFUSED.get(name, "no refusal") in str(error), error
        return "refused"
    assert name not in REFUSED, f"expected {REFUSED[name]!r}"
    expected = (function if hasattr(function, "trace") else jax.jit(function))(*copied(args))
    plans = {"zero": soap.apply_strategy(model, f"cpu-{DEVICES}", "zero"),
             "searched": soap.jax.find_strategy(model, f"cpu-{DEVICES}", proposals=40)}  # fmt: skip
    rows = []
    for kind, plan in plans.items():
        found, lost, ours, theirs = under(function, args, plan, tolerance, expected)
        count = len(found.specs) if found is not None else 0
        rows.append(f"{kind}: {count} of {found.exported if found else 0} constraints, {ours} bytes in the plan, "
                    f"{theirs} in XLA" + "".join(f"\n    {text[:300]}" for text in lost))
        if kind == "searched":
            assert found is not None and not lost, lost
            assert count >= 0.5 * found.exported, rows[-1]
    return "equal" + ("".join(f"\n  {row}" for row in rows) if table else "")


def main():
    logging.getLogger("soap").setLevel(logging.ERROR)
    if len(jax.devices()) != DEVICES:
        sys.exit(f"expected {DEVICES} devices of JAX, got {len(jax.devices())}")
    flags = [one for one in sys.argv[1:] if one.startswith("--")]
    names = [one for one in sys.argv[1:] if one not in flags] or (CORE if "--core" in flags else jax_programs.PROGRAMS)
    passed = failed = 0
    for name in names:
        try:
            print(f"{name}: {check(name, '--table' in flags)}", flush=True)
            passed += 1
        except Exception:
            failed += 1
            print(f"{name}: FAILED")
            traceback.print_exc(file=sys.stdout)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
