//===- Passes.td - Passes on programs of other dialects ----*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes that turn a program of another compiler into one that Soap searches.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_EXTENSIONS_PASSES_TD
#define SOAP_EXTENSIONS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SoapMarkArguments : Pass<"soap-mark-arguments", "::mlir::ModuleOp"> {
  let summary = "Says which arguments of a function are data, parameters, labels or states";
  let description = [{
    Writes `soap.kind` on the arguments that an option names, and
    `soap.sample_dim` on data and labels. Arguments are numbers and ranges:
    `data=0 parameters=1-8,10`. What no option names stays as it is; an argument
    without a kind is data without samples.

    With `batch=N`, dims of extent `?` that are the first of an argument become
    N; with `sizes=0.1:128,2.0:4`, dim 1 of argument 0 becomes 128, and dim 0 of
    argument 2 becomes 4. `sizes` goes before `batch`. Upstream's passes carry
    that through the function. A dim of an argument or a result that is still
    dynamic afterwards is an error, if one of the options is given.

    ```mlir
    func.func @main(%arg0: tensor<?x4xf32>, %arg1: tensor<4x3xf32>) -> tensor<?x3xf32>
    ```

    with `data=0 parameters=1 batch=8` is

    ```mlir
    func.func @main(%arg0: tensor<8x4xf32> {soap.kind = "data", soap.sample_dim = 0 : i64},
                    %arg1: tensor<4x3xf32> {soap.kind = "parameter"}) -> tensor<8x3xf32>
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function whose arguments are meant; default: the only one with a body">,
    Option<"data", "data", "std::string", /*default=*/"\"\"", "Arguments that are data">,
    Option<"labels", "labels", "std::string", /*default=*/"\"\"", "Arguments that are labels">,
    Option<"parameters", "parameters", "std::string", /*default=*/"\"\"", "Arguments that are parameters">,
    Option<"states", "states", "std::string", /*default=*/"\"\"", "Arguments that are states">,
    Option<"sampleDim", "sample-dim", "int64_t", /*default=*/"0",
           "Dim of data and labels that runs over samples; -1: none">,
    Option<"batch", "batch", "int64_t", /*default=*/"0", "Extent of first dims that are dynamic; 0: they stay">,
    ListOption<"sizes", "sizes", "std::string",
               "Extents of dynamic dims, as ARGUMENT.DIM:EXTENT: 0.1:128,2.0:4">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::soap::SoapDialect", "::mlir::tensor::TensorDialect"];
}

def SoapUnrollLoops : Pass<"soap-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "Writes out loops around tensors whose number of iterations is known";
  let description = [{
    Replaces each `scf.for` of a function by its iterations, and canonicalizes:
    slices at the loop variable become slices at constants, which have a model.
    A loop of a function whose number of iterations is not known is an error.
    Loops in regions of other ops stay.

    ```mlir
    %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %x) -> tensor<4xf32> {
      %next = math.exp %acc : tensor<4xf32>
      scf.yield %next : tensor<4xf32>
    }
    ```

    becomes

    ```mlir
    %0 = math.exp %x : tensor<4xf32>
    %y = math.exp %0 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"1024", "Iterations that a loop may have">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::scf::SCFDialect"];
}

def SoapRecognizeOps : Pass<"soap-recognize-ops", "::mlir::func::FuncOp"> {
  let summary = "Softmax, norms and gelu in linalg programs";
  let description = [{
    Programs write softmax, norms and gelu as reductions and elementwise ops. The
    pass replaces those by `soap.softmax`, `soap.layer_norm`, `soap.rms_norm`,
    `soap.gelu` and their gradients, which a search splits as one op, and which have kernels of
    their own. Import of StableHLO does it by default (docs/StableHLO.md).

    The pass compares what ops compute, not how: each value is brought into a
    normal form, a polynomial of the tensors, of sums along the dim, and of
    exponentials and roots. So any order and form of a formula is found, and no
    other formula is: an epsilon that is not positive, a maximum along another
    dim, or a mean over other elements stays as it is. Constants may differ by
    the rounding of single precision.

    Softmax is along any one dim, norms are along the last one, with factor and
    offset along it or without. A gradient is replaced together with its op.
    Nothing is replaced where another op needs a value in the middle. Ops on
    f32 and f64 with static shapes, in a function of one block. A remark says
    how many ops there are.

    Additions of sums over samples (`soap.sample_dim` of arguments) become one
    `soap.accumulate`: devices add up their contributions before these are
    reduced. Of 16-bit floats the sums are f32, and are rounded once.

    ```mlir
    %m = linalg.generic ... { arith.maximumf } : tensor<4xf32>
    %d = linalg.generic ... ins(%x, %m) { arith.subf } : tensor<4x6xf32>
    %e = linalg.generic ... ins(%d) { math.exp } : tensor<4x6xf32>
    %s = linalg.generic ... ins(%e) { arith.addf } : tensor<4xf32>
    %y = linalg.generic ... ins(%e, %s) { arith.divf } : tensor<4x6xf32>
    ```

    becomes

    ```mlir
    %y = soap.softmax %x {axis = 1 : i64} : tensor<4x6xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::soap::SoapDialect"];
}

def SoapExportShard : Pass<"soap-export-shard", "::mlir::ModuleOp"> {
  let summary = "A strategy as shardings of upstream's shard dialect";
  let description = [{
    Every tensor of a function whose ops have a `soap.config` gets
    `shard.shard` ops: one that says how the op that makes it holds it, and one
    for each user that says how the user needs it. Upstream's `shard-partition`
    makes programs of them, with collectives, for the ops that it knows:
    structured ops of linalg whose maps are projected permutations, and
    constants. `convert-elementwise-to-linalg` makes linalg of arith and math.

    A grid of devices cuts a dim into equal blocks along its axes. The pass
    finds the grid with the fewest axes that has all configs, device i at place
    i in row-major order. An error names the op that no grid has: one that does
    not use all devices, has them in another order, pieces of different sizes,
    or windows that overlap. With `partial` such ops are left without shardings,
    and a warning counts them.

    One resharding of upstream changes one axis of one dim; several changes are
    several ops. Init operands that an op overwrites, or that are filled with a
    number, are made again for each user. Attributes of the soap dialect are
    dropped, so that the result is a module of upstream dialects.

    ```mlir
    %y = math.exp %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4x6xf32>
    ```

    becomes

    ```mlir
    %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    %x0 = shard.shard %x to %s : tensor<4x6xf32>
    %x1 = shard.shard %x0 to %s annotate_for_users : tensor<4x6xf32>
    %y0 = math.exp %x1 : tensor<4x6xf32>
    %y = shard.shard %y0 to %s : tensor<4x6xf32>
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function to export; default: the only one with a body">,
    Option<"grid", "grid", "std::string", /*default=*/"\"grid\"", "Name of the grid of devices">,
    Option<"partial", "partial", "bool", /*default=*/"false",
           "Leave ops that no grid has without shardings; default: they are errors">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::shard::ShardDialect"];
}

def SoapSnapToGrid : Pass<"soap-snap-to-grid", "::mlir::ModuleOp"> {
  let summary = "The nearest strategy that shardings of one grid describe";
  let description = [{
    Shardings cut results into equal blocks along the axes of one grid of all
    devices. An op whose `soap.config` is none of these gets the nearest one: on
    the grid that most ops are on, each axis cuts the loop that lacks most of its
    degree, or makes replicas. Where that makes an iteration slower by more than
    `slowdown`, or takes more memory than a device has and than the strategy
    takes, nothing is changed, and a warning says both times.

    ```mlir
    %y = math.exp %x {soap.config = #soap.config<{}, devices = [0]>} : tensor<4x6xf32>
    ```

    becomes, on two devices,

    ```mlir
    %y = math.exp %x {soap.config = #soap.config<{}, replicas = 2, devices = [0, 1]>} : tensor<4x6xf32>
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "Function with the strategy; default: the only one with a body">,
    Option<"slowdown", "slowdown", "double", /*default=*/"0.01",
           "Share of the simulated time of an iteration that the change may add">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::soap::SoapDialect"];
}

#endif // SOAP_EXTENSIONS_PASSES_TD
