#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile StableHLO has to be an error with the expected message; then valid programs with random damage.

    hostile.py BUILD [--only TEXT] [--damaged N] [--seed N]

The last line is "N passed, N failed".
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "BadInput"), os.path.join(HERE, "..", "..")]
from case import Case  # noqa: E402
import run  # noqa: E402
from tally import Tally  # noqa: E402

F, I, B = "tensor<4x6xf32>", "tensor<i32>", "tensor<i1>"
GENERIC = "get_asm(print_generic_op_form=True)"


def module(body, arguments=(F,), results=(F,), extra=""):
    """A module whose main returns %r, or what `body` ends with."""
    types = "(%s) -> (%s)" % (", ".join(arguments), ", ".join(results))
    names = ", ".join("%%a%d: %s" % pair for pair in enumerate(arguments))
    if "func.return" not in body:
        body += '\n    "func.return"(%%r) : (%s) -> ()' % results[0]
    return (
        '"builtin.module"() ({\n  "func.func"() <{function_type = %s, sym_name = "main"}> ({\n  ^bb0(%s):\n    %s\n'
        "  }) : () -> ()\n%s}) : () -> ()\n" % (types, names, body, extra)
    )


def case(name, expect, content, flags=(), status=1):
    command = ["soap-translate", "--import-stablehlo", "{model.mlir}", "-o", "{folder}/out.mlir", *flags]
    return Case(name, command, [expect] if isinstance(expect, str) else expect, {"model.mlir": content}, status)


def op(name, operands, types, result=F, attributes="", region=""):
    properties = " <{%s}>" % attributes if attributes else ""
    region = " ({\n%s\n})" % region if region else ""
    return '%%r = "%s"(%s)%s%s : (%s) -> %s' % (name, operands, properties, region, types, result)


def unary(name, result=F, attributes="", region=""):
    return module(op(name, "%a0", F, result, attributes, region), results=(result,))


def fold(inner, returned="%v", arguments="%x: tensor<f32>, %y: tensor<f32>", types="tensor<f32>"):
    return '^bb0(%s):\n%s\n"stablehlo.return"(%s) : (%s) -> ()' % (arguments, inner, returned, types)


def scalar(name, a="%x", b="%y"):
    return '%%v = "stablehlo.%s"(%s, %s) : (tensor<f32>, tensor<f32>) -> tensor<f32>' % (name, a, b)


def reduce(region, dims="1", result="tensor<4xf32>", init="tensor<f32>"):
    return module(
        op("stablehlo.reduce", "%a0, %a1", "%s, %s" % (F, init), result, "dimensions = array<i64: %s>" % dims, region),
        (F, init),
        (result,),
    )


def loop(condition, body='"stablehlo.return"(%j) : (tensor<i32>) -> ()', argument=I):
    return module(
        '%%r = "stablehlo.while"(%%a0) ({\n^bb0(%%i: %s):\n%s\n}, {\n^bb0(%%j: %s):\n%s\n}) : (%s) -> %s'
        % (argument, condition, argument, body, argument, argument),
        (argument,),
        (argument,),
    )


def dot(numbers, a=F, b="tensor<6x2xf32>", result="tensor<4x2xf32>"):
    return module(
        op("stablehlo.dot_general", "%a0, %a1", "%s, %s" % (a, b), result, "dot_dimension_numbers = " + numbers),
        (a, b),
        (result,),
    )


def conv(
    numbers="#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>",
    result="tensor<2x8x8x4xf32>",
    groups=1,
    batches=1,
    more="padding = dense<1> : tensor<2x2xi64>",
):
    a, b = "tensor<2x8x8x3xf32>", "tensor<3x3x3x4xf32>"
    return module(
        op(
            "stablehlo.convolution",
            "%a0, %a1",
            "%s, %s" % (a, b),
            result,
            "batch_group_count = %d : i64, dimension_numbers = %s, feature_group_count = %d : i64, %s"
            % (batches, numbers, groups, more),
        ),
        (a, b),
        (result,),
    )


CALL = '%%r = "func.call"(%%a0) <{callee = @%s}> : (' + F + ") -> " + F
FUNCTION = (
    '  "func.func"() <{function_type = (%s) -> %s, sym_name = "f", sym_visibility = "private"}> ({\n  ^bb0(%%a0: %s):\n'
    '    %s\n    "func.return"(%%r) : (%s) -> ()\n  }) : () -> ()\n'
)
STEP = module(
    '%r = "stablehlo.add"(%a0, %a0) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>\n'
    '    "func.return"(%r, %r) : (tensor<4x6xf32>, tensor<4x6xf32>) -> ()',
    (F, F, I),
    (F, F),
)

CASES = [
    # Other forms.
    case(
        "pretty form",
        ["StableHLO in pretty form", GENERIC],
        "module {\n  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n    %0 = stablehlo.add %x, %x : tensor<4xf32>\n"
        "    return %0 : tensor<4xf32>\n  }\n}\n",
    ),
    case("bytecode", ["bytecode", GENERIC], b"ML\xefR\x0dStableHLO_v1.0.0\0" + bytes(64)),
    case("text of XLA", "HLO text of XLA", "HloModule jit_f\nENTRY main { ROOT x = f32[4] parameter(0) }\n"),
    case("no IR", "'hello' is unknown", "hello\n"),
    case("another binary file", "another binary file", bytes(range(256))),
    case("no module", "error", ""),
    # Functions.
    case("no function", "0 public functions", '"builtin.module"() ({\n^bb0:\n}) : () -> ()\n'),
    case("no such function", "--import-function=f names no function", unary("stablehlo.tanh"), ["--import-function=f"]),
    case("call of nothing", "error", module(CALL % "g")),
    case(
        "recursion",
        ["model.mlir:", "from within itself"],
        module(CALL % "f", extra=FUNCTION % (F, F, F, CALL % "f", F)),
    ),
    # Ops and types.
    case("unknown op", ["model.mlir:4:", "'stablehlo.fft' is not supported"], unary("stablehlo.fft")),
    case("unknown dialect", "'my.op' is not supported", unary("my.op")),
    case(
        "custom call",
        ["calls 'cu_softmax'", "code of XLA"],
        unary("stablehlo.custom_call", attributes='call_target_name = "cu_softmax"'),
    ),
    case(
        "name of JAX",
        ["'jit(f)/sin'", "script.py:3:7", "'stablehlo.fft'"],
        unary("stablehlo.fft").replace("-> %s\n" % F, '-> %s loc("jit(f)/sin"("script.py":3:7))\n' % F, 1),
    ),
    case(
        "dynamic shape",
        ["tensor<?xf32>", "expected a static shape"],
        module('%r = "stablehlo.tanh"(%a0) : (tensor<?xf32>) -> tensor<?xf32>', ("tensor<?xf32>",), ("tensor<?xf32>",)),
    ),
    case(
        "complex elements",
        "complex<f32>",
        module(
            '%r = "stablehlo.tanh"(%a0) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>',
            ("tensor<4xcomplex<f32>>",),
            ("tensor<4xcomplex<f32>>",),
        ),
    ),
    case(
        "no elements",
        "at least one element",
        module('%r = "stablehlo.tanh"(%a0) : (tensor<0xf32>) -> tensor<0xf32>', ("tensor<0xf32>",), ("tensor<0xf32>",)),
    ),
    case(
        "elements of nothing",
        ["'stablehlo.gather'", "has an operand without elements"],
        module(
            '%e = "stablehlo.slice"(%a0) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 0, 6>, '
            "strides = array<i64: 1, 1>}> : (tensor<4x6xf32>) -> tensor<0x6xf32>\n"
            '    %r = "stablehlo.gather"(%e, %a1) : (tensor<0x6xf32>, tensor<4x1xi32>) -> tensor<4x6xf32>',
            (F, "tensor<4x1xi32>"),
        ),
    ),
    case(
        "token",
        "expected a ranked tensor",
        unary("stablehlo.custom_call", "!stablehlo.token", 'call_target_name = "Sharding"'),
    ),
    case("other shape", "expected one shape", unary("stablehlo.tanh", "tensor<6x4xf32>")),
    case("other element type", "not supported from 'f32' to 'i32'", unary("stablehlo.tanh", "tensor<4x6xi32>")),
    case("sine of integers", "not supported from 'i32'", module(op("stablehlo.sine", "%a0", I, I), (I,), (I,))),
    case("one operand", "has 1 operands", unary("stablehlo.add")),
    case(
        "comparison without direction",
        "comparison direction",
        module(op("stablehlo.compare", "%a0, %a0", "%s, %s" % (F, F), "tensor<4x6xi1>"), results=("tensor<4x6xi1>",)),
    ),
    case("bits of another width", "not supported", unary("stablehlo.bitcast_convert", "tensor<4x6xi64>")),
    # Constants.
    case(
        "constant left out",
        ["left out when the module was printed", "large_elements_limit"],
        module(op("stablehlo.constant", "", "", attributes="value = dense_resource<__elided__> : " + F)),
    ),
    case("constant without value", "no value", module(op("stablehlo.constant", "", ""))),
    case(
        "constant of another type",
        "expected its result's type",
        module(op("stablehlo.constant", "", "", attributes="value = dense<1> : tensor<4x6xi32>")),
    ),
    # Shapes.
    case(
        "broadcast",
        "broadcasts",
        unary("stablehlo.broadcast_in_dim", "tensor<5x6xf32>", "broadcast_dimensions = array<i64: 0, 1>"),
    ),
    case(
        "broadcast dims",
        "expected different dims below 2",
        unary("stablehlo.broadcast_in_dim", attributes="broadcast_dimensions = array<i64: 0, 7>"),
    ),
    case(
        "broadcast dims twice",
        "expected different dims",
        unary("stablehlo.broadcast_in_dim", attributes="broadcast_dimensions = array<i64: 1, 1>"),
    ),
    case("reshape", "expected as many elements", unary("stablehlo.reshape", "tensor<5xf32>")),
    case(
        "permutation", "permutation of 1 dims", unary("stablehlo.transpose", attributes="permutation = array<i64: 0>")
    ),
    case(
        "slice beyond",
        "which has extent 6",
        unary(
            "stablehlo.slice",
            "tensor<4x7xf32>",
            "start_indices = array<i64: 0, 0>, " "limit_indices = array<i64: 4, 7>, strides = array<i64: 1, 1>",
        ),
    ),
    case(
        "slice without strides",
        "no attribute 'strides'",
        unary("stablehlo.slice", attributes="start_indices = array<i64: 0, 0>, " "limit_indices = array<i64: 4, 6>"),
    ),
    case(
        "stride 0",
        "in steps of 0",
        unary(
            "stablehlo.slice",
            attributes="start_indices = array<i64: 0, 0>, "
            "limit_indices = array<i64: 4, 6>, strides = array<i64: 1, 0>",
        ),
    ),
    case(
        "huge numbers",
        "expected at most 2^31",
        unary("stablehlo.reverse", attributes="dimensions = array<i64: 9223372036854775807>"),
    ),
    case(
        "iota beyond",
        "expected different dims below 2",
        module(op("stablehlo.iota", "", "", attributes="iota_dimension = 2 : i64")),
    ),
    case(
        "concatenate",
        "joins",
        module(
            op("stablehlo.concatenate", "%a0, %a1", F + ", tensor<4x5xf32>", "tensor<8x6xf32>", "dimension = 0 : i64"),
            (F, "tensor<4x5xf32>"),
            ("tensor<8x6xf32>",),
        ),
    ),
    case(
        "pad",
        "not the shape",
        module(
            op(
                "stablehlo.pad",
                "%a0, %a1",
                F + ", tensor<f32>",
                F,
                "edge_padding_low = array<i64: 1, 0>, "
                "edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>",
            ),
            (F, "tensor<f32>"),
        ),
    ),
    case(
        "dynamic slice larger than all",
        "which has extent 4",
        module(
            op(
                "stablehlo.dynamic_slice",
                "%a0, %a1, %a1",
                "%s, %s, %s" % (F, I, I),
                "tensor<5x6xf32>",
                "slice_sizes = array<i64: 5, 6>",
            ),
            (F, I),
            ("tensor<5x6xf32>",),
        ),
    ),
    # Regions.
    case("subtraction", ["no reduction", "add, multiply"], reduce(fold(scalar("subtract")))),
    case("sum of one", "no reduction", reduce(fold(scalar("add", "%x", "%x")))),
    case("region that ignores", "no reduction", reduce(fold("", "%y"))),
    case(
        "region without end",
        "without 'stablehlo.return'",
        reduce("^bb0(%x: tensor<f32>, %y: tensor<f32>):\n" + scalar("add")),
    ),
    case(
        "region with one argument",
        "other arguments",
        reduce(fold(scalar("add", "%x", "%x"), arguments="%x: tensor<f32>")),
    ),
    case("region that reads outside", "from outside of the region", reduce(fold(scalar("add", "%x", "%a1")))),
    case(
        "region of tensors",
        "expected rank 0",
        reduce(fold('%v = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<3xf32>', "%x")),
    ),
    case(
        "region of products",
        "elementwise ops only",
        reduce(
            fold(
                '%v = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<>}> : (tensor<f32>, tensor<f32>) -> tensor<f32>'
            )
        ),
    ),
    case("initial value", "initial value", reduce(fold(scalar("add")), init="tensor<4xf32>")),
    case("reduced dim beyond", "expected different dims below 2", reduce(fold(scalar("add")), dims="3")),
    case(
        "window",
        "larger than dim 1",
        module(
            op(
                "stablehlo.reduce_window",
                "%a0, %a1",
                F + ", tensor<f32>",
                F,
                "window_dimensions = array<i64: 1, 9>",
                fold(scalar("maximum")),
            ),
            (F, "tensor<f32>"),
        ),
    ),
    # Control flow.
    case(
        "loop on data",
        "depends on data",
        loop(
            '%c = "stablehlo.compare"(%i, %i) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>\n'
            '"stablehlo.return"(%c) : (tensor<i1>) -> ()'
        ),
    ),
    case(
        "loop without end",
        "more than 10000 trips",
        loop(
            '%c = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>\n"stablehlo.return"(%c) : (tensor<i1>) -> ()'
        ),
    ),
    case("loop of another type", "expected", loop('"stablehlo.return"(%i) : (tensor<i32>) -> ()')),
    case(
        "case of nothing",
        "no branches",
        module('%r = "stablehlo.case"(%a0) : (tensor<i32>) -> tensor<i32>', (I,), (I,)),
    ),
    # Products.
    case("dot without numbers", "expected #stablehlo.dot<", dot("1 : i64")),
    case(
        "dot dims",
        "expected different dims below 2",
        dot("#stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>"),
    ),
    case(
        "dot extents",
        "different extents",
        dot("#stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>"),
    ),
    case(
        "dot result",
        "not the shape of their product",
        dot(
            "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
            result="tensor<2x4xf32>",
        ),
    ),
    case("dot text", "expected #stablehlo.dot<", dot("#stablehlo.dot<lhs_contracting_dimensions = [x]>")),
    case("conv layout", "dimension_numbers", conv("#stablehlo.conv<[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]>")),
    case("conv groups", "do not fit", conv(groups=2)),
    case("conv no groups", "expected 1 of one", conv(groups=0)),
    case("conv result", "not the shape of its windows", conv(result="tensor<2x7x8x4xf32>")),
    case("conv stride", "below 1", conv(more="window_strides = array<i64: 0, 1>")),
    # Options.
    case("updates", "names no pairs", STEP, ["--updates=0-9:0"]),
    case("updates of another type", "has type", STEP, ["--updates=0:2"]),
    case("updates twice", "two pairs", STEP, ["--updates=0:0,1:0"]),
    case(
        "updates in two ways",
        "more than one way",
        unary("stablehlo.tanh")
        .replace("(%s) -> (%s)" % (F, F), "(%s) -> (%s)" % (F, F))
        .replace("^bb0(%%a0: %s)" % F, "^bb0(%%a0: %s, %%a1: %s)" % (F, F))
        .replace("function_type = (%s)" % F, "function_type = (%s, %s)" % (F, F)),
        ["--updates=auto"],
    ),
    case("data beyond", "names no arguments", STEP, ["--data=3"]),
    case("data and labels", "expected one of them", STEP, ["--data=0", "--labels=0"]),
    case("sample dim", "no such dim", STEP, ["--data=0", "--data-sample-dim=2"]),
]


def damage(text, generator):
    """Numbers, names and lines of a program changed."""
    for _ in range(generator.choice([1, 1, 2, 4])):
        kind = generator.randrange(6)
        if kind == 0:
            numbers = list(re.finditer(r"\d+", text))
            place = generator.choice(numbers)
            value = generator.choice(["0", "1", "2", "7", "-1", "4294967296", "9223372036854775807"])
            text = text[: place.start()] + value + text[place.end() :]
        elif kind == 1:
            lines = text.split("\n")
            del lines[generator.randrange(len(lines))]
            text = "\n".join(lines)
        elif kind == 2:
            names = list(re.finditer(r'"stablehlo\.(\w+)"', text))
            a, b = generator.choice(names), generator.choice(names)
            text = text[: a.start()] + b.group(0) + text[a.end() :]
        elif kind == 3:
            types = list(re.finditer(r"tensor<[\w]*>", text))
            a, b = generator.choice(types), generator.choice(types)
            text = text[: a.start()] + b.group(0) + text[a.end() :]
        elif kind == 4:
            values = list(re.finditer(r"%\w+", text))
            a, b = generator.choice(values), generator.choice(values)
            text = text[: a.start()] + b.group(0) + text[a.end() :]
        else:
            place = generator.randrange(len(text))
            text = text[:place] + text[place + generator.randrange(1, 12) :]
    return text


def consistently_changed(text, generator):
    """One shape is another one everywhere, so that the parser accepts it."""
    types = sorted(set(re.findall(r"tensor<\w*>", text)))
    text = text.replace(generator.choice(types), generator.choice(types))
    return damage(text, generator) if generator.random() < 0.3 else text


def damaged_shardings(text, generator):
    """Shardings and meshes with other numbers, without some characters, or in each other's place."""
    for _ in range(generator.choice([1, 1, 2])):
        found = list(re.finditer(r'#sdy\.[^%\n]*?>(?=[},])|"\{[^"\n]*\}"', text))
        if not found:
            return text
        place, other = generator.choice(found), generator.choice(found)
        own = place.group(0)
        kind = generator.randrange(3)
        if kind == 0 and (numbers := list(re.finditer(r"\d+", own))):
            number = generator.choice(numbers)
            value = generator.choice(["0", "1", "3", "16", "-1", "1048577", "9223372036854775807"])
            own = own[: number.start()] + value + own[number.end() :]
        elif kind == 1:
            begin = generator.randrange(1, len(own) - 1)
            own = own[:begin] + own[begin + generator.randrange(1, 6) :]
        else:
            own = other.group(0)
        text = text[: place.start()] + own + text[place.end() :]
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--only", default="")
    parser.add_argument("--damaged", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    tally = Tally()
    for each in CASES:
        if options.only in each.name:
            tally.count(each.name, run.problem(each, build))
    if options.only:
        return tally.finish()
    generator = random.Random(options.seed)
    texts = []
    for name in ("conv", "resnet", "moe", "lstm", "ops", "placed", "gspmd"):
        with open(os.path.join(HERE, "Inputs", name + ".mlir")) as file:
            texts.append(file.read())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.mlir")
        for i in range(options.damaged):
            text = texts[i % len(texts)]
            change = consistently_changed if i % 2 else damage
            if "harding" in text and i % 3:
                change = damaged_shardings
            with open(path, "w") as file:
                file.write(change(text, generator))
            wrong = None
            try:
                result = subprocess.run(
                    [
                        os.path.join(build, "bin", "soap-translate"),
                        "--import-stablehlo",
                        path,
                        "--keep-shardings",
                        "-o",
                        os.path.join(folder, "out.mlir"),
                    ],
                    capture_output=True,
                    text=True,
                    timeout=120,
                )
                if result.returncode not in (0, 1) or any(crash in result.stderr for crash in run.CRASHES):
                    wrong = "status %d: %s" % (result.returncode, result.stderr[:300])
                elif result.returncode == 1 and "error: " not in result.stderr:
                    wrong = "failed without a message"
            except subprocess.TimeoutExpired:
                wrong = "still running after 120 s"
            if wrong:
                wrong += " (seed %d, file %d)" % (options.seed, i)
            tally.count("damaged", wrong)
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
