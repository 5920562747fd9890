//===- SoapPartitionOps.td - Ops of device programs --------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--soap-partition` adds to the local ops: the actions of the communication plan (Plan/Plan.h). They have no iteration space.
//
//===----------------------------------------------------------------------===//

def Soap_FillOp : Soap_Op<"fill"> {
  let summary = "a tile of one value";
  let arguments = (ins F64Attr:$value);
  let results = (outs Soap_Tile:$tile);
  let assemblyFormat = "$value attr-dict `:` type($tile)";
  let hasVerifier = 1;
}
def Soap_AssembleOp : Soap_Op<"assemble"> {
  let summary = "a tile from parts of tiles on the same device";
  let description = [{ For each input i, `sources[i]` (positions in the input tile) is written to `targets[i]` (positions in the result tile). Together the targets cover the result. }];
  let arguments = (ins Variadic<Soap_Tile>:$tiles, Soap_RegionArrayAttr:$sources, Soap_RegionArrayAttr:$targets);
  let results = (outs Soap_Tile:$tile);
  let hasVerifier = 1;
}
def Soap_CombineOp : Soap_Op<"combine"> {
  let summary = "folds partial tiles, in order";
  let description = [{ `sources[i]` is the part of input i (positions in its tile, all of the same shape as the result) that is folded with the combiner. }];
  let arguments = (ins Variadic<Soap_Tile>:$tiles, Soap_CombinerAttr:$combiner, Soap_RegionArrayAttr:$sources);
  let results = (outs Soap_Tile:$tile);
  let assemblyFormat = "$combiner operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Soap_SendOp : Op<Soap_Dialect, "send", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sends a part of a tile; peer and transfer number are in the rank table";
  let arguments = (ins Soap_Tile:$tile, Soap_RegionAttr:$source);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}
def Soap_RecvOp : Op<Soap_Dialect, "recv", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "receives a packed tile; peer and transfer number are in the rank table";
  let results = (outs Soap_Tile:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
  let hasVerifier = 1;
}
