//===- SoapInterfaces.td - Interfaces of soap ops ----------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that everything is derived from (iteration space), and
// reverse-mode differentiation.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPINTERFACES_TD
#define SOAP_DIALECT_SOAPINTERFACES_TD

include "mlir/IR/OpBase.td"

def IterationSpaceOpInterface : OpInterface<"IterationSpaceOpInterface"> {
  let cppNamespace = "::mlir::soap";
  let description = [{
    An op as an iteration space: named loops, and an access map for each operand
    and result (`Soap/Model/IterationSpace.h`). Roles of loops, legal configs,
    shards, halos, partial results, communication and costs follow from it.
  }];
  let methods = [
    InterfaceMethod<[{
        The loops, and the access maps of operands and results, in their order.

        `soap.conv2d` of x: 64x3x32x32 with w: 16x3x5x5, padding 2, has the
        loops n=64, g=1, o=16, h=32, w=32 (parallel), i=3, kh=5, kw=5
        (reduction). x is accessed at [n, g*3 + i, window(h + kh - 2), window(w
        + kw - 2)], w at [g*16 + o, i, kh, kw], the result at [n, g*16 + o, h,
        w].
      }], "::soap::IterationSpace", "getIterationSpace">,
    InterfaceMethod<[{
        Creates the op of one shard: the same op on packed tiles, with its
        attributes adjusted to the box of loops. Regions are parts of the whole
        operands and results that the tiles hold. `operands[i]` is null where
        the region of the operand is empty, if the space allows that. Result
        types are the packed shapes of `resultRegions`. Discardable attributes
        are not copied.

        `soap.conv2d` with padding 2 and rows [16, 32) of 32: the tile of x
        holds rows [14, 32), and padding becomes [0, 2, 2, 2].
      }], "::mlir::Operation *", "localize",
      (ins "::mlir::OpBuilder &":$builder, "const ::soap::LoopBox &":$box,
           "::llvm::ArrayRef<::soap::Region>":$operandRegions,
           "::llvm::ArrayRef<::soap::Region>":$resultRegions,
           "::mlir::ValueRange":$operands), "", [{
        return ::mlir::soap::localizeDefault($_op, builder, resultRegions,
                                             operands);
      }]>,
    InterfaceMethod<[{
        The value of a result whose operand tile is empty because all of its
        window lies in the padding: 0 for sums, -inf for a maximum, the value of
        `soap.pad`.
      }], "double", "getNeutralValue", (ins), "", [{ return 0.0; }]>,
    InterfaceMethod<[{
        For ops with inner reductions: creates the equivalent stage ops before
        this op and returns the values that replace its results. The stage ops
        have loops of the same names. Fails for ops without stages.
      }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>",
      "decomposeStages", (ins "::mlir::OpBuilder &":$builder), "",
      [{ return ::mlir::failure(); }]>
  ];
  let extraTraitClassDeclaration = [{}];
  // After the op's own verifier: only well-formed ops are asked for a space.
  let verifyWithRegions = 1;
  let verify = [{ return ::mlir::soap::verifyIterationSpaceOp($_op); }];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::soap";
  let description = [{ Reverse-mode differentiation of one op. }];
  let methods = [
    InterfaceMethod<[{
        Creates the ops that compute operand gradients from result gradients.
        `resultGrads[i]` is null where the loss does not use result i.
        `operandGrads[i]` is computed where `wanted[i]`, and left null
        elsewhere. `setGradientOf` gives gradient ops their `soap.grad_of` and,
        where loop names differ, their `soap.loop_map`.
      }], "::mlir::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultGrads,
           "::llvm::ArrayRef<bool>":$wanted,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGrads)>
  ];
}

#endif // SOAP_DIALECT_SOAPINTERFACES_TD
