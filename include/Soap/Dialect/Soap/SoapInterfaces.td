//===- SoapInterfaces.td - Interfaces of soap ops ----------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one interface that everything is derived from (iteration space), and reverse-mode differentiation.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPINTERFACES_TD
#define SOAP_DIALECT_SOAPINTERFACES_TD

include "mlir/IR/OpBase.td"

def IterationSpaceOpInterface : OpInterface<"IterationSpaceOpInterface"> {
  let cppNamespace = "::mlir::soap";
  let description = [{
    An op as an iteration space: named loops and one access map per operand and result (`Soap/Model/IterationSpace.h`). Dim roles, legal
    configs, shards, halos, partial results, communication and costs are derived from it.
  }];
  let methods = [
    InterfaceMethod<[{
        The loops and access maps, one per operand and result, in order.

        `soap.conv2d` of x: 64x3x32x32 with w: 16x3x5x5, padding 2: loops n=64, g=1, o=16, h=32, w=32 (parallel), i=3, kh=5, kw=5
        (reduction); x is accessed at [n, g*3 + i, window(h + kh - 2), window(w + kw - 2)], w at [g*16 + o, i, kh, kw], the result
        at [n, g*16 + o, h, w].
      }], "::soap::IterationSpace", "getIterationSpace">,
    InterfaceMethod<[{
        Creates the op of one shard: the same op on packed tiles, with its attributes adjusted to the box of loops. Regions are those of the
        global operands and results that the tiles hold; `operands[i]` is null where the operand's region is empty (only
        if the space allows empty operands). Result types are the packed shapes of `resultRegions`. Discardable attributes are not copied.

        `soap.conv2d` with padding 2 and rows [16, 32) of 32: the tile of x holds rows [14, 32), and padding becomes [0, 2, 2, 2].
      }], "::mlir::Operation *", "localize",
      (ins "::mlir::OpBuilder &":$builder, "const ::soap::LoopBox &":$box,
           "::llvm::ArrayRef<::soap::Region>":$operandRegions, "::llvm::ArrayRef<::soap::Region>":$resultRegions,
           "::mlir::ValueRange":$operands), "", [{
        return ::mlir::soap::localizeDefault($_op, builder, resultRegions, operands);
      }]>,
    InterfaceMethod<[{
        Value of a result whose operand tile is empty (all of its window lies in the padding): 0 for sums, -inf for a maximum, the pad value of `soap.pad`.
      }], "double", "getNeutralValue", (ins), "", [{ return 0.0; }]>,
    InterfaceMethod<[{
        Ops with inner reductions: creates the equivalent stage ops before this op and returns the values that replace its results. The stage ops use the
        same loop names. Fails for ops without stages.
      }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decomposeStages",
      (ins "::mlir::OpBuilder &":$builder), "", [{ return ::mlir::failure(); }]>
  ];
  let extraTraitClassDeclaration = [{}];
  // After the op's own verifier: iteration spaces are only asked of well-formed ops.
  let verifyWithRegions = 1;
  let verify = [{ return ::mlir::soap::verifyIterationSpaceOp($_op); }];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::soap";
  let description = [{ Reverse-mode differentiation of one op. }];
  let methods = [
    InterfaceMethod<[{
        Creates the ops that compute operand gradients from result gradients. `resultGrads[i]` is null where result i is not used by the
        loss; `operandGrads[i]` is wanted where `wanted[i]`, and left null otherwise (never compute what nobody uses). Gradient ops get
        `soap.grad_of` and, where loop names differ, `soap.loop_map` from the caller-visible helper `setGradientOf`.
      }], "::mlir::LogicalResult", "buildGradient",
      (ins "::mlir::OpBuilder &":$builder, "::llvm::ArrayRef<::mlir::Value>":$resultGrads, "::llvm::ArrayRef<bool>":$wanted,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGrads)>
  ];
}

#endif // SOAP_DIALECT_SOAPINTERFACES_TD
