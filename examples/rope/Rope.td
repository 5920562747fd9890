//===- Rope.td - A dialect of one op -----------------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op that docs/tutorials/CompilerEngineer.md brings into a search.
//
//===----------------------------------------------------------------------===//

#ifndef ROPE_TD
#define ROPE_TD

include "mlir/IR/DialectBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Soap/Dialect/Soap/SoapInterfaces.td"

def Rope_Dialect : Dialect {
  let name = "rope";
  let cppNamespace = "::rope";
  let summary = "Rotary position embeddings";
}

def Rope_RotateOp : Op<Rope_Dialect, "rotate", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<IterationSpaceOpInterface, ["localize"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface>]> {
  let summary = "Rotates pairs of channels by an angle that grows with the position";
  let description = [{
    `x` is [sample, position, head, channel], with an even number of channels.
    Channels c and c + D/2 are a pair. At position p the pair is rotated by
    p * 10000^(-2c/D). `first` is the position of the first row of the tensor.
    `inverse` rotates the other way.
  }];
  let arguments = (ins
    4DTensorOf<[F32]>:$x,
    DefaultValuedAttr<I64Attr, "0">:$first,
    UnitAttr:$inverse);
  let results = (outs 4DTensorOf<[F32]>:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

#endif // ROPE_TD
