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
    N, and upstream's canonicalization carries that through the function.

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
    Option<"batch", "batch", "int64_t", /*default=*/"0", "Extent of first dims that are dynamic; 0: they stay">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::soap::SoapDialect", "::mlir::tensor::TensorDialect"];
}

#endif // SOAP_EXTENSIONS_PASSES_TD
