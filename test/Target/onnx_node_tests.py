#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the node tests of the `onnx` package (onnx.backend.test) through soap-translate and soap-run.

    onnx_node_tests.py BUILD [--only TEXT] [--table] [--page FILE [--write]] [--jobs N] [--minimum SHARE]

A test is one op with given operands and results. Its graph inputs are data; where import wants to know an operand
(axes, shapes, bounds), the test runs again with those operands as constants. Operator sets above 23 are read as 23:
what they added are element types. Tests that are no valid models then, of ops that import does not know, and of element
types other than float32, int32, int64 and bool, are counted apart; of the others the share that passes is reported, and
why the rest can not be imported. `--table` prints the text of docs/ONNX.md: counts, ops of which all tests pass, and a
table of the others. `--page FILE` fails if that text is not in FILE, between two comments; `--write` puts it there. The
last line is "N passed, N failed": a test that is imported but gives another result, or an import that crashes, has
failed; an import that says what is not supported has not.
"""

import argparse
import collections
import concurrent.futures
import difflib
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import warnings

import numpy as np
import onnx
import onnx.checker
import onnx.helper
from onnx import numpy_helper

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from onnx_import import Wrong, sanitized  # noqa: E402

LAST_OPSET = 23
SECONDS = 120
PAGE_BEGIN, PAGE_END = "<!-- onnx_node_tests.py --table -->", "<!-- end of the table -->"


class Unsupported(Exception):
    pass


def import_model(build, folder, model, flags):
    path, module = os.path.join(folder, "model.onnx"), os.path.join(folder, "model.mlir")
    onnx.save(model, path)
    done = subprocess.run([os.path.join(build, "bin", "soap-translate"), "--import-onnx", path, "-o", module] + flags,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    text = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        return module
    error = re.search(r"error: (.*)", text)
    if done.returncode != 1 or not error:
        raise Wrong("soap-translate exited with status %d: %s" % (done.returncode, text[:500]))
    raise Unsupported(error.group(1))


def with_constants(model, values, keep):
    """The model with the inputs that `keep` does not name as initializers."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    inputs = list(result.graph.input)
    del result.graph.input[:]
    for info in inputs:
        if info.name in keep:
            result.graph.input.append(info)
        else:
            result.graph.initializer.append(numpy_helper.from_array(np.asarray(values[info.name]), info.name))
    return result


def candidates(model, inputs):
    """As it is; with integers and scalars known; with all but the first operand known; with all known."""
    names = [info.name for info in model.graph.input]
    floats = [name for name in names if np.asarray(inputs[name]).dtype == np.float32 and np.asarray(inputs[name]).ndim > 0]
    yield names
    if floats and floats != names:
        yield floats
    if names[:1] and names[:1] != names:
        yield names[:1]
    if names:
        yield []


def known_ops(build, ops):
    """Those that import has a handler for: it looks for one before it looks at operands."""
    known = set()
    for op in ops:
        info = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2]) for name in "xy"]
        graph = onnx.helper.make_graph([onnx.helper.make_node(op, ["x"], ["y"])], "probe", info[:1], info[1:])
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", LAST_OPSET)])
        with tempfile.TemporaryDirectory() as folder:
            try:
                import_model(build, folder, model, [])
                known.add(op)
            except Unsupported as unsupported:
                if "this op is not supported" not in str(unsupported):
                    known.add(op)
    return known


def has_other_types(model):
    kinds = (onnx.TensorProto.FLOAT, onnx.TensorProto.INT32, onnx.TensorProto.INT64, onnx.TensorProto.BOOL)
    return any(info.type.tensor_type.elem_type not in kinds for info in list(model.graph.input) + list(model.graph.output))


def at_last_opset(model):
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for opset in result.opset_import:
        if opset.domain in ("", "ai.onnx"):
            opset.version = max(7, min(opset.version, LAST_OPSET))
    return result


def needs_later_opset(model):
    """It uses attributes or operands that the last opset does not have."""
    try:
        onnx.checker.check_model(at_last_opset(model))
        return False
    except onnx.checker.ValidationError:
        return True


def to_text(message):
    """An error without what is particular to one test."""
    message = re.sub(r"^node '[^']*' \('?(\w+)'?, opset \d+\): ", "", message)
    message = re.sub(r"; fix it with .*|, the operand is [0-9x]+$", "", message)
    return re.sub(r"'[^']*_[^']*'", "'..'", message)


def compare(case, name, got, expected):
    if expected.dtype == np.bool_ or np.issubdtype(expected.dtype, np.integer):
        expected = expected.astype(np.float64)
    got = got.astype(np.float64)
    if got.shape != expected.shape:
        raise Wrong("result '%s' has shape %s, expected %s" % (name, got.shape, expected.shape))
    if not np.allclose(got, expected.astype(np.float64), rtol=max(case.rtol, 1e-4), atol=max(case.atol, 1e-5), equal_nan=True):
        raise Wrong("result '%s' differs by up to %.3g" % (name, np.nanmax(np.abs(got - expected))))


def is_random(node, inputs):
    """A dropout that drops: what it leaves depends on the generator of random numbers."""
    values = [inputs.get(name) for name in node.input]
    return (node.op_type == "Dropout" and len(values) > 2 and values[2] is not None and bool(values[2]) and
            (values[1] is None or float(values[1]) != 0))


def run(case, build):
    """None if the test passes; raises Unsupported or Wrong."""
    model = at_last_opset(case.model)
    sets = case.data_sets() if callable(case.data_sets) else case.data_sets
    for inputs, outputs in sets:
        inputs, outputs = ([numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value for value in values]
                           for values in (inputs, outputs))
        for value in inputs + outputs:
            if value is None or not isinstance(value, np.ndarray) and not np.isscalar(value):
                raise Unsupported("sequences, maps and optional values are not supported")
        inputs = {info.name: np.asarray(value) for info, value in zip(model.graph.input, inputs)}
        outputs = {info.name: np.asarray(value) for info, value in zip(model.graph.output, outputs)}
        if any(value.dtype.kind in "OUS" for value in list(inputs.values()) + list(outputs.values())):
            raise Unsupported("strings are not supported")
        if any(is_random(node, inputs) for node in model.graph.node):
            raise Unsupported("the test compares random numbers")
        with tempfile.TemporaryDirectory() as folder:
            reason = None
            for keep in candidates(model, inputs):
                try:
                    module = import_model(build, folder, with_constants(model, inputs, keep),
                                          ["--keep-final-softmax"] + (["--data-inputs=" + ",".join(keep)] if keep else []) +
                                          ["--input-shape=%s:%s" % (name, "x".join(map(str, inputs[name].shape)))
                                           for name in keep if inputs[name].size and inputs[name].ndim])
                    break
                except Unsupported as unsupported:
                    reason = reason or unsupported
            else:
                raise reason
            command = [os.path.join(build, "bin", "soap-run"), "entry", module, "forward", "--output", folder]
            for name in keep:
                value = inputs[name]
                kind = np.int32 if np.issubdtype(value.dtype, np.integer) else np.float32
                path = os.path.join(folder, "input-%s.npy" % sanitized(name))
                np.save(path, value.astype(kind))
                command += ["--input", "%s=%s" % (sanitized(name), path)]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
            if done.returncode != 0:
                raise Wrong("soap-run exited with status %d: %s" % (done.returncode, done.stdout.decode(errors="replace")[:500]))
            for name, expected in outputs.items():
                compare(case, name, np.load(os.path.join(folder, sanitized(name) + ".npy")), expected)


def outcome(case, build):
    try:
        run(case, build)
        return "passed", ""
    except Unsupported as unsupported:
        text = to_text(str(unsupported))
        return "unsupported", text
    except (Wrong, subprocess.TimeoutExpired, OSError) as wrong:
        return "failed", "%s: %s" % (type(wrong).__name__, wrong)


def report(rows, reasons, counts):
    """The lines of docs/ONNX.md: counts, ops of which all tests pass, and a table of the others."""
    done = [op for op in sorted(rows) if set(rows[op]) == {"passed"}]
    lines = textwrap.wrap(counts + " All tests pass of " + ", ".join(done) + ". The others:", 120,
                          break_on_hyphens=False)
    lines += ["", "| op | pass | why import refuses a test | tests |", "|---|---|---|---|"]
    for op in sorted(set(rows) - set(done)):
        name, share = op, "%d of %d" % (rows[op]["passed"], sum(rows[op].values()))
        for text, count in sorted(reasons[op].items(), key=lambda item: (-item[1], item[0])):
            text = text.replace("|", "\\|")
            text = text if len(text) <= 110 else text[:107] + "..."
            lines.append(("| %s | %s " % (name, share) if name else "| | ") + "| %s | %d |" % (text, count))
            name = ""
        if not reasons[op]:
            lines.append("| %s | %s | | |" % (name, share))
    return lines


def check_page(path, lines, write):
    """Whether the page has the lines between its two comments; None: they are of another version of onnx. `write` puts
    them there."""
    with open(path, encoding="utf-8") as file:
        page = file.read()
    before, begin, rest = page.partition(PAGE_BEGIN)
    old, end, after = rest.partition(PAGE_END)
    if not begin or not end:
        print("%s: expected the lines '%s' and '%s'" % (path, PAGE_BEGIN, PAGE_END))
        return False
    new = "\n\n" + "\n".join(lines) + "\n\n"
    version = re.search(r"With onnx ([0-9.]+),", old)
    if not write and version and version[1] != onnx.__version__:
        print("skipped: the text of the page is of onnx %s, this is %s" % (version[1], onnx.__version__))
        return None
    if write:
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + begin + new + end + after)
    elif old != new:
        print("%s: the text on node tests differs, expected (--write puts it there):" % path)
        print("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), "page", "tests", lineterm="", n=0)))
    return write or old == new


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="", help="tests whose name contains this text")
    parser.add_argument("--table", action="store_true", help="print the text of docs/ONNX.md")
    parser.add_argument("--page", help="fail if this page has another text")
    parser.add_argument("--write", action="store_true", help="put the text into the page")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minimum", type=float, default=0, help="fail if less than this share of the tests of known ops passes")
    parser.add_argument("--verbose", action="store_true", help="print every test that can not be imported")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case import node
        cases = [case for case in node.collect_testcases(None)
                 if case.model and not case.name.endswith("_expanded") and "_expanded_" not in case.name and options.only in case.name]
    build = os.path.abspath(options.build)
    known = known_ops(build, sorted({node.op_type for case in cases for node in case.model.graph.node}))
    others = [case for case in cases if not all(node.op_type in known and node.domain in ("", "ai.onnx") for node in case.model.graph.node)]
    types = [case for case in cases if case not in others and has_other_types(case.model)]
    later = [case for case in cases if case not in others and case not in types and needs_later_opset(case.model)]
    left = set(map(id, others + types + later))
    cases = [case for case in cases if id(case) not in left]
    rows = collections.defaultdict(lambda: collections.Counter())
    reasons = collections.defaultdict(lambda: collections.Counter())
    total = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (result, text) in zip(cases, pool.map(lambda case: outcome(case, build), cases)):
            op = case.model.graph.node[-1].op_type
            rows[op][result] += 1
            total[result] += 1
            if result == "failed":
                print("FAILED %s: %s" % (case.name, text), flush=True)
            elif result == "unsupported":
                reasons[op][text] += 1
                if options.verbose:
                    print("%s: %s" % (case.name, text), flush=True)
    known = total["passed"] + total["failed"] + total["unsupported"]
    share = total["passed"] / max(known, 1)
    counts = ("With onnx %s, %d tests are of ops and element types that import knows, and %.1f %% of them pass; %d are "
              "of other element types, %d of later opsets, %d of other ops." %
              (onnx.__version__, known, 100 * share, len(types), len(later), len(others)))
    lines = report(rows, reasons, counts)
    print("\n".join(lines) if options.table else counts)
    if options.page:
        same = check_page(options.page, lines, options.write)
        total["skipped" if same is None else "passed" if same else "failed"] += 1
    print("%d passed, %d failed" % (total["passed"], total["failed"]))
    return 1 if total["failed"] or not total["passed"] or share < options.minimum else 0


if __name__ == "__main__":
    sys.exit(main())
