//===- KernelOpInterface.td - Lowering of other dialects ---*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an op that is not of the soap dialect becomes a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_KERNELOPINTERFACE_TD
#define SOAP_DIALECT_KERNELOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::mlir::soap";
  let description = [{
    The lowering of an op of another dialect. `--soap-outline-kernels` makes a
    function on buffers of every such op; `emitKernel` writes its body.

    A buffer is a row-major memref of static shape. The body may use linalg on
    buffers, affine, scf, arith, math, `memref.load`, `memref.store`,
    `memref.copy` and `memref.alloca`; what of these is not yet loops and
    arithmetic is lowered by upstream's patterns afterwards. Values from outside
    of the kernel (scalars that the op or its regions use) are copied into it.
  }];
  let methods = [
    InterfaceMethod<[{
        Writes the body at the insertion point of `builder`. `inputs` has a
        value per operand: the buffer of a tensor that is read, the operand
        itself if it is no tensor, null for a tensor that is not read; behind
        them the buffers of the tensors from outside that regions of the op read.
        `outputs` has a buffer per result. Where result r is tied to operand o,
        `outputs[r]` and `inputs[o]` are one buffer, which holds the operand.
      }], "::llvm::LogicalResult", "emitKernel",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$inputs,
           "::mlir::ValueRange":$outputs)>,
    InterfaceMethod<[{
        Whether the elements of a tensor operand are read. The op graph has no
        edge for one that is not: `localize` and `emitKernel` do without it. An
        init operand that is overwritten is not read, and neither is one whose
        elements are one constant that both write themselves.
      }], "bool", "readsOperand", (ins "unsigned":$operand), "",
      [{ return true; }]>,
    InterfaceMethod<[{
        The operand over which the kernel may write a result, if it may.
      }], "::std::optional<unsigned>", "tiedOperand", (ins "unsigned":$result),
      "", [{ return ::std::nullopt; }]>
  ];
}

#endif // SOAP_DIALECT_KERNELOPINTERFACE_TD
