//===- SoapCollectiveOps.td - Ops of several devices -------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of device programs, as `--soap-partition` writes them on tensors,
// and the op on buffers that they are lowered to; and what a program does with
// the place of its device's tiles. Their C++ is a header of its own
// (SoapCollectives.h): few files speak of them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPCOLLECTIVEOPS_TD
#define SOAP_DIALECT_SOAPCOLLECTIVEOPS_TD

/// All devices of a group run the same collective, each in its own program. The
/// row of a device in `soap.programs` says which group that is and which place
/// the device has in it (`collectives`, by slot), so that devices which do the
/// same share a program. A sum is folded in the order of the group, wherever
/// that happens.
class Soap_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Op<Soap_Dialect, mnemonic,
         !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Soap_SumTile : RankedTensorOf<[F32, F64, F16, BF16]>;

def Soap_AllReduceOp
    : Soap_CollectiveOp<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "the sum of a tile of every device, on every device";
  let description = [{
    The sum of a tile of every device, element by element in the order of the
    group, so that all devices get the same bits.

    **Constraints**

    - The result has the type of the tile: f32, f64, f16 or bf16.

    **Example**

    ```mlir
    %sum = soap.all_reduce %gradient {soap.slot = 7 : i64} : tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Soap_SumTile:$tile);
  let results = (outs Soap_SumTile:$sum);
  let assemblyFormat = "$tile attr-dict `:` type($tile)";
}

def Soap_ReduceToRootOp : Soap_CollectiveOp<"reduce_to_root"> {
  let summary = "the sum of a tile of every device, on one of them";
  let description = [{
    The sum of a tile of every device. The root has a result, the other devices
    have none.

    **Constraints**

    - A result has the type of the tile: f32, f64, f16 or bf16.

    **Example**

    ```mlir
    %sum = soap.reduce_to_root %part {soap.slot = 7 : i64}
         : tensor<8xf32> -> tensor<8xf32>
    soap.reduce_to_root %part {soap.slot = 7 : i64} : tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_SumTile:$tile);
  let results = (outs Optional<Soap_SumTile>:$sum);
  let assemblyFormat = "$tile attr-dict `:` type($tile) (`->` type($sum)^)?";
}

def Soap_ReduceScatterOp : Soap_CollectiveOp<"reduce_scatter"> {
  let summary = "the sum of a tile of every device, a part on each";
  let description = [{
    The sum of a tile of every device, a part on each. `sources[i]`, positions
    in the tile, is the part of which device i of the group gets the sum.

    **Constraints**

    - There are the parts of at least 2 devices, which lie within the tile.
    - One part has the shape of the result.
    - Tile and result have one element type: f32, f64, f16 or bf16.

    **Example**

    ```mlir
    %sum = soap.reduce_scatter %gradient
           [#soap.region<[0:2]>, #soap.region<[2:4]>] {soap.slot = 7 : i64}
         : tensor<4xf32> -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Soap_SumTile:$tile, Soap_RegionArrayAttr:$sources);
  let results = (outs Soap_SumTile:$sum);
  let assemblyFormat = [{
    $tile $sources attr-dict `:` type($tile) `->` type($sum)
  }];
}

def Soap_AllGatherOp : Soap_CollectiveOp<"all_gather"> {
  let summary = "the tiles of all devices, on every device";
  let description = [{
    The tiles of all devices. Result i is the tile of device i of the group.
    Tiles may have different shapes; `soap.assemble` makes one tile of them.

    **Constraints**

    - There are at least 2 results, of which one has the type of the tile.
    - All have one element type.

    **Example**

    ```mlir
    %a, %b = soap.all_gather %mine {soap.slot = 7 : i64}
           : tensor<8x4xf32> -> tensor<8x4xf32>, tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$tile);
  let results = (outs Variadic<Soap_Tile>:$pieces);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($pieces)";
}

def Soap_AllToAllOp : Soap_CollectiveOp<"all_to_all"> {
  let summary = "a part of the tile of every device, for every device";
  let description = [{
    A part of the tile of every device, for every device. `sources[i]`,
    positions in the tile, is the part that device i of the group gets, and
    result i is what that device gives. One of both is the device's own. The op
    does not say which, so that devices with tiles of one shape share a program.
    Parts may have different shapes.

    **Constraints**

    - There are as many parts as results, at least 2.
    - Parts lie within the tile; one has the shape of the result of the same
      number.
    - All have one element type.

    **Example**

    ```mlir
    %a, %b = soap.all_to_all %rows
             [#soap.region<[0:2], [0:8]>, #soap.region<[2:4], [0:8]>]
             {soap.slot = 7 : i64}
           : tensor<4x8xf32> -> tensor<2x8xf32>, tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$tile, Soap_RegionArrayAttr:$sources);
  let results = (outs Variadic<Soap_Tile>:$pieces);
  let assemblyFormat = [{
    $tile $sources attr-dict `:` type($tile) `->` type($pieces)
  }];
}

def Soap_GatherToRootOp : Soap_CollectiveOp<"gather_to_root"> {
  let summary = "the tiles of all devices, on one of them";
  let description = [{
    The tiles of all devices, on one of them. The root has a result for each
    device of the group, in its order; the other devices have none.
    `soap.combine` folds what libraries cannot sum.

    **Constraints**

    - There are no results, or at least 2, of which one has the type of the
      tile.
    - All have one element type.

    **Example**

    ```mlir
    %a, %b = soap.gather_to_root %mine {soap.slot = 7 : i64}
           : tensor<3x4xf32> -> tensor<3x4xf32>, tensor<3x4xf32>
    soap.gather_to_root %mine {soap.slot = 7 : i64} : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$tile);
  let results = (outs Variadic<Soap_Tile>:$pieces);
  let assemblyFormat = "$tile attr-dict `:` type($tile) (`->` type($pieces)^)?";
}

def Soap_BroadcastFromRootOp : Soap_CollectiveOp<"broadcast_from_root"> {
  let summary = "a part of a tile of one device, on all others";
  let description = [{
    A part of a tile of one device, on all others. The root has a tile and its
    `source`, positions in the tile; the others have a result.

    **Constraints**

    - There is a tile or a result, not both.
    - A tile comes with a source, which lies within it.

    **Example**

    ```mlir
    soap.broadcast_from_root %tile
        {soap.slot = 7 : i64, source = #soap.region<[0:8]>} : tensor<16xf32>
    %part = soap.broadcast_from_root {soap.slot = 7 : i64} -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Optional<Soap_Tile>:$tile,
                       OptionalAttr<Soap_RegionAttr>:$source);
  let results = (outs Optional<Soap_Tile>:$part);
  let assemblyFormat = [{
    ($tile^)? attr-dict (`:` type($tile)^)? (`->` type($part)^)?
  }];
}

def Soap_CollectiveBufferOp : Soap_LoweringOp<"collective_buffer", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a device's part in a collective, on whole tiles";
  let description = [{
    What a device does in a collective, on whole tiles. `kind` names the op that
    it was:

    | kind | inputs | outputs |
    |---|---|---|
    | `all_reduce` | none | one, which holds the own part before |
    | `reduce_to_root` | one; none on the root | none; one on the root |
    | `reduce_scatter` | one per device, or one | one |
    | `all_gather` | one | one per device, or one |
    | `all_to_all` | one per device, or one | one per device, or one |
    | `gather_to_root` | one | none; one per device on the root |
    | `broadcast_from_root` | none; one on the root | one; none on the root |

    The output of `reduce_to_root` holds the root's own part before. One buffer
    for all devices has equal pieces, one after the other.

    **Constraints**

    - Inputs and outputs are as many as the table says.
    - All have one element type.

    **Example**

    ```mlir
    %sum = soap.collective_buffer all_reduce outs(%part : tensor<8xf32>)
           {soap.slot = 7 : i64} -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_CollectiveKindAttr:$kind,
                       Variadic<AnyShaped>:$inputs,
                       Variadic<AnyShaped>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = [{
    $kind (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)? attr-dict
    (`->` type($values)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// Whether outputs are read before they are written.
    bool readsOutputs() {
      return getKind() == CollectiveKind::AllReduce ||
             getKind() == CollectiveKind::ReduceToRoot;
    }
  }];
  let hasVerifier = 1;
}

/// One number: where a tile begins in a dim of its tensor.
def Soap_Position
    : RankedTensorOf<[I32], [CPred<[{
        ::llvm::cast<::mlir::ShapedType>($_self).getShape() ==
            ::llvm::ArrayRef<int64_t>({1})
      }]>], "tensor of one position">;

def Soap_LocalIndexOp
    : Op<Soap_Dialect, "local_index", [Pure,
                                       AllTypesMatch<["indices", "local"]>]> {
  let summary = "indices of rows, counted from the first row of a tile";
  let description = [{
    Indices of rows, as a tile counts them that begins at `position`. Devices
    with different rows of a table share a program: each is given the position
    of its tile as an argument of the kind `positions`. `wrap` is added to
    negative indices first, as in `soap.gather`. A number that is then negative
    stays so. An index before the tile becomes the largest number, which is in
    no tile.

    **Constraints**

    - The result has the type of the indices.
    - The position has shape [1].
    - `wrap` is in [0, 2^31).

    **Example**

    ```mlir
    %local = soap.local_index %tokens, %position {soap.slot = 0 : i64}
           : tensor<8x4xi32>, tensor<1xi32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$indices, Soap_Position:$position,
                       DefaultValuedAttr<I64Attr, "0">:$wrap);
  let results = (outs RankedTensorOf<[I32]>:$local);
  let assemblyFormat = [{
    $indices `,` $position attr-dict `:` type($indices) `,` type($position)
  }];
  let hasVerifier = 1;
}

def Soap_PlacedStepOp : Op<Soap_Dialect, "placed_step", [Pure]> {
  let summary = "a step, and where a shard begins";
  let description = [{
    The step, and the row-major position, in the whole tensor, of the first
    element of a shard, as `soap.dropout` reads them. Devices with different
    shards share a program: each is given the position as an argument of the
    kind `positions`.

    **Constraints**

    - The step has rank 0, the position shape [1], the result shape [2].

    **Example**

    ```mlir
    %both = soap.placed_step %step, %position {soap.slot = 0 : i64}
          : (tensor<i32>, tensor<1xi32>) -> tensor<2xi32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$step, Soap_Position:$position);
  let results = (outs RankedTensorOf<[I32]>:$both);
  let assemblyFormat = [{
    $step `,` $position attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // SOAP_DIALECT_SOAPCOLLECTIVEOPS_TD
