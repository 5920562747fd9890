//===- SoapPartitionOps.td - Ops of device programs --------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that `--soap-partition` adds to the local ops: the actions of the
// communication plan (Plan/Plan.h). They have no iteration space.
//
//===----------------------------------------------------------------------===//

def Soap_FillOp : Soap_PureOp<"fill"> {
  let summary = "a tile of one value";
  let description = [{
    All elements are `value`: the shard of an op whose operand tile is empty,
    because all of its window lies in the padding.

    **Example**

    ```mlir
    %tile = soap.fill 0xFFF0000000000000 : tensor<2x6xf32>
    ```
  }];
  let arguments = (ins F64Attr:$value);
  let results = (outs Soap_Tile:$tile);
  let assemblyFormat = "$value attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Soap_AssembleOp : Soap_Op<"assemble"> {
  let summary = "a tile from parts of tiles on the same device";
  let description = [{
    For each input i, `sources[i]`, positions in the input tile, is written to
    `targets[i]`, positions in the result.

    **Constraints**

    - There is a source and a target for each tile; both have the same shape,
      and lie within their tiles.
    - Tiles have the element type of the result.
    - The targets together have at least as many elements as the result.

    **Example**

    ```mlir
    %tile = soap.assemble %a, %b {
          sources = [#soap.region<[0:2], [0:6]>, #soap.region<[0:2], [0:6]>],
          targets = [#soap.region<[0:2], [0:6]>, #soap.region<[2:4], [0:6]>]}
          : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Variadic<Soap_Tile>:$tiles,
                       Soap_RegionArrayAttr:$sources,
                       Soap_RegionArrayAttr:$targets);
  let results = (outs Soap_Tile:$tile);
  let hasVerifier = 1;
}

def Soap_CombineOp : Soap_PureOp<"combine"> {
  let summary = "folds partial tiles, in order";
  let description = [{
    `sources[i]` is the part of input i, positions in its tile, that is folded
    with the combiner, in the order of the inputs.

    **Constraints**

    - There is at least one tile, and a source of the shape of the result for
      each.
    - Tiles have the element type of the result.
    - The combiners `moments` and `softmax` need tiles [3, ...], and
      `log_sum_exp` tiles [2 or more, ...].

    **Example**

    ```mlir
    %tile = soap.combine sum %a, %b {
          sources = [#soap.region<[1:3], [0:3]>, #soap.region<[0:2], [0:3]>]}
          : (tensor<4x6xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Soap_Tile>:$tiles, Soap_CombinerAttr:$combiner,
                       Soap_RegionArrayAttr:$sources);
  let results = (outs Soap_Tile:$tile);
  let assemblyFormat = [{
    $combiner $tiles attr-dict `:`
    custom<AlikeTypes>(ref($tiles), type($tiles), type($tile))
  }];
  let hasVerifier = 1;
}

def Soap_SendOp
    : Op<Soap_Dialect, "send", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sends a part of a tile";
  let description = [{
    Sends the part `source` of a tile. The tables of `soap.programs` say to
    whom, by the slot of the op.

    **Constraints**

    - The source lies within the tile.

    **Example**

    ```mlir
    soap.send %tile {soap.slot = 3 : i64, source = #soap.region<[0:2], [1:2]>}
        : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$tile, Soap_RegionAttr:$source);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
  let hasVerifier = 1;
}

def Soap_RecvOp
    : Op<Soap_Dialect, "recv", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "receives a tile";
  let description = [{
    Receives a tile. The tables of `soap.programs` say from whom, by the slot of
    the op.

    **Example**

    ```mlir
    %tile = soap.recv {soap.slot = 4 : i64} : tensor<2x1xf32>
    ```
  }];
  let results = (outs Soap_Tile:$tile);
  let assemblyFormat = "attr-dict `:` type($tile)";
  let hasVerifier = 1;
}
