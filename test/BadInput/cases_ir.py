# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IR: text that is none, ops and attributes that contradict themselves, and modules that a pass can not take."""

from case import Case
from cases_json import FORWARD

MATMUL = "soap.matmul %x, %w {{{attributes}}} : (tensor<8x4xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>"


def function(body, arguments="%x: tensor<8x4xf32>, %w: tensor<4x3xf32>", result="tensor<8x3xf32>", attributes=""):
    return "func.func @forward(%s) -> %s%s {\n  %%y = %s\n  return %%y : %s\n}\n" % (
        arguments, result, attributes, body, result)


def parse(name, text, *expect):
    return Case("ir: " + name, ["soap-opt", "{f.mlir}"], ["f.mlir:", *expect], {"f.mlir": text})


def config(name, text, *expect):
    return parse("config, " + name, function(MATMUL.format(attributes='soap.name = "fc", soap.config = ' + text)), *expect)


def run(name, text, passes, *expect):
    return Case("ir: " + name, ["soap-opt", "{f.mlir}", *passes], list(expect), {"f.mlir": text})


STEP = "--soap-build-training-step"
SINGLE = "--soap-apply-strategy=preset=single topology=cpu-2"

CASES = [
    parse("StableHLO", function("stablehlo.add %x, %w : tensor<4xf32>"),
          "note: the file has ops of stablehlo: 'soap-translate --import-stablehlo' reads it"),
    run("TOSA", "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = tosa.tanh %x : (tensor<4xf32>) -> "
        "tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n", ["--soap-auto-parallel=topology=cpu-2"],
        "found 1 tosa op", "passes of MLIR make linalg of it"),
    Case("ir: TOSA to run", ["soap-run", "train", "{f.mlir}", "--data", "synthetic"], ["the file has ops of tosa: passes of MLIR"],
         {"f.mlir": function("tosa.tanh %x : (tensor<8x4xf32>) -> tensor<8x3xf32>")}),
    parse("bytes", b"\x00\xff" * 64, "expected IR, got another binary file"),
    parse("an op that does not exist", function('"soap.teleport"(%x) : (tensor<8x4xf32>) -> tensor<8x3xf32>'),
          "soap.teleport"),
    parse("inner extents that differ",
          function("soap.matmul %x, %w : (tensor<8x5xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>",
                   "%x: tensor<8x5xf32>, %w: tensor<4x3xf32>"), "5", "4"),
    parse("a dynamic extent",
          function("soap.matmul %x, %w : (tensor<?x4xf32>, tensor<4x3xf32>) -> tensor<?x3xf32>",
                   "%x: tensor<?x4xf32>, %w: tensor<4x3xf32>", "tensor<?x3xf32>"), "--batch"),
    parse("integers in a matmul",
          function("soap.matmul %x, %w : (tensor<8x4xi8>, tensor<4x3xi8>) -> tensor<8x3xi8>",
                   "%x: tensor<8x4xi8>, %w: tensor<4x3xi8>", "tensor<8x3xi8>"), "floating-point"),
    config("a degree of zero", "#soap.config<{m = 0}, devices = []>", "degree of loop 'm' must be at least 1, got 0"),
    config("a loop twice", "#soap.config<{m = 2, m = 2}, devices = [0, 1, 0, 1]>", "loop 'm' appears twice"),
    config("an unknown loop", "#soap.config<{zz = 2}, devices = [0, 1]>", "'zz' is not a loop of the op"),
    config("too few devices", "#soap.config<{m = 2}, devices = [0]>", "expected 2 devices", "got 1"),
    config("a negative device", "#soap.config<{}, devices = [-1]>", "got -1"),
    config("no replicas", "#soap.config<{}, replicas = 0, devices = [0]>", "replicas must be at least 1, got 0"),
    config("absurd degrees", "#soap.config<{m = 4611686018427387904, n = 4611686018427387904}, devices = [0]>", "devices"),
    config("not a config", '"fast"', "'soap.config' must be a '#soap.config'"),
    parse("a region that runs backwards", 'module attributes {a = #soap.region<[4:2]>} {}', "must satisfy 0 <= lo < hi"),
    parse("a region that overlaps itself", 'module attributes {a = #soap.region<[0:4, 2:6]>} {}', "'2:6'"),
    parse("a name that is no string", function(MATMUL.format(attributes="soap.name = 3 : i64")),
          "'soap.name' must be a string"),
    parse("an unknown kind of argument",
          function(MATMUL.format(attributes=""), '%x: tensor<8x4xf32> {soap.kind = "weights"}, %w: tensor<4x3xf32>'),
          "'soap.kind' must be one of"),
    parse("a sample dim that is not there",
          function(MATMUL.format(attributes=""), "%x: tensor<8x4xf32> {soap.sample_dim = 7 : i64}, %w: tensor<4x3xf32>"),
          "'soap.sample_dim' must be in [0, 1], got 7"),
    run("no forward function", "func.func @other() {\n  return\n}\n", [STEP], "@forward"),
    run("logits that are no matrix",
        "func.func @forward(%x: tensor<8x4x2xf32> {soap.kind = #soap.kind<data>, soap.name = \"x\", soap.sample_dim = 0 : i64}) "
        "-> tensor<8x4x2xf32> {\n  return %x : tensor<8x4x2xf32>\n}\n", [STEP], "tensor<8x4x2xf32>"),
    run("probabilities for logits",
        function("soap.sigmoid %x : (tensor<8x3xf32>) -> tensor<8x3xf32>", '%x: tensor<8x3xf32> {soap.kind = #soap.kind<data>}'), [STEP],
        "is computed by a sigmoid (op 'sigmoid_0')", "or give 'loss=softmax-cross-entropy'"),
    run("one class",
        function("soap.relu %x : (tensor<8x1xf32>) -> tensor<8x1xf32>", '%x: tensor<8x1xf32> {soap.kind = #soap.kind<data>}',
                 "tensor<8x1xf32>"), [STEP + "=loss=softmax-cross-entropy"], "one class", "expected a logit for each"),
    run("a foreign op in the model",
        function("arith.addf %x, %w : tensor<8x3xf32>", '%x: tensor<8x3xf32> {soap.kind = #soap.kind<data>, soap.name = "x", '
                 'soap.sample_dim = 0 : i64}, %w: tensor<8x3xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w"}'), [STEP],
        "arith.addf"),
    run("a foreign op under a strategy",
        function("tensor.cast %x : tensor<8x3xf32> to tensor<8x3xf32>", "%x: tensor<8x3xf32>"), [SINGLE], "tensor.cast"),
    run("a device that the topology lacks",
        function(MATMUL.format(attributes='soap.name = "fc", soap.config = #soap.config<{m = 2}, devices = [0, 9]>')),
        ["--soap-simulate=topology=cpu-2"], "device 9 is not in the topology"),
    run("a damaged topology on the module",
        "module attributes {soap.topology = \"{\"} {\n" +
        function(MATMUL.format(attributes='soap.name = "fc", soap.config = #soap.config<{}, devices = [0]>')) + "}\n",
        ["--soap-simulate"], "soap.topology"),
    run("a damaged program table", 'module attributes {soap.programs = 5 : i64} {}', ["--soap-lower-to-cpu"],
        "soap.programs"),
]
