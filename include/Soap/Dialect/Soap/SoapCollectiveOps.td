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

/// All devices of a group run the same collective, each in its own program. Which group, and which place in it a device has, says the row of the device in `soap.programs`
/// (`collectives`, by slot), so that devices which do the same share one program. A sum is folded in the order of the group, wherever that happens.
class Soap_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Op<Soap_Dialect, mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let hasVerifier = 1;
}

def Soap_SumTile : RankedTensorOf<[F32, F64]>;

def Soap_AllReduceOp : Soap_CollectiveOp<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "the sum of a tile of every device, on every device";
  let description = [{
    Element by element, in the order of the group, so all devices get the same bits.

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
    The root has a result, the other devices have none.

    ```mlir
    %sum = soap.reduce_to_root %part {soap.slot = 7 : i64} : tensor<f32> -> tensor<f32>
    soap.reduce_to_root %part {soap.slot = 7 : i64} : tensor<f32>
    ```
  }];
  let arguments = (ins Soap_SumTile:$tile);
  let results = (outs Optional<Soap_SumTile>:$sum);
  let assemblyFormat = "$tile attr-dict `:` type($tile) (`->` type($sum)^)?";
}
def Soap_ReduceScatterOp : Soap_CollectiveOp<"reduce_scatter"> {
  let summary = "the sum of a tile of every device, a part on each";
  let description = [{
    `sources[i]` is the part (positions in the tile) of which the device that is number i of the group gets the sum.

    ```mlir
    %sum = soap.reduce_scatter %gradient [#soap.region<[0:2]>, #soap.region<[2:4]>] {soap.slot = 7 : i64} : tensor<4xf32> -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Soap_SumTile:$tile, Soap_RegionArrayAttr:$sources);
  let results = (outs Soap_SumTile:$sum);
  let assemblyFormat = "$tile $sources attr-dict `:` type($tile) `->` type($sum)";
}
def Soap_AllGatherOp : Soap_CollectiveOp<"all_gather"> {
  let summary = "the tiles of all devices, on every device";
  let description = [{
    One result for each device of the group, in its order: what that device gives. Tiles may have different shapes; `soap.assemble` puts them together.

    ```mlir
    %a, %b = soap.all_gather %mine {soap.slot = 7 : i64} : tensor<8x4xf32> -> tensor<8x4xf32>, tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$tile);
  let results = (outs Variadic<Soap_Tile>:$pieces);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($pieces)";
}
def Soap_AllToAllOp : Soap_CollectiveOp<"all_to_all"> {
  let summary = "a part of the tile of every device, for every device";
  let description = [{
    `sources[i]` is the part (positions in the tile) that the device which is number i of the group gets, and result i is what that device gives. One of both is the device's own; which one, the op does not say, so that devices with tiles of the same shape share a program. Parts may have different shapes.

    ```mlir
    %a, %b = soap.all_to_all %rows [#soap.region<[0:2], [0:8]>, #soap.region<[2:4], [0:8]>] {soap.slot = 7 : i64} : tensor<4x8xf32> -> tensor<2x8xf32>, tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Soap_Tile:$tile, Soap_RegionArrayAttr:$sources);
  let results = (outs Variadic<Soap_Tile>:$pieces);
  let assemblyFormat = "$tile $sources attr-dict `:` type($tile) `->` type($pieces)";
}
def Soap_GatherToRootOp : Soap_CollectiveOp<"gather_to_root"> {
  let summary = "the tiles of all devices, on one of them";
  let description = [{
    The root has one result for each device of the group, in its order; the other devices have none. `soap.combine` folds what libraries cannot sum.

    ```mlir
    %a, %b = soap.gather_to_root %mine {soap.slot = 7 : i64} : tensor<3x4xf32> -> tensor<3x4xf32>, tensor<3x4xf32>
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
    The first device of the group has a tile and says which part of it (positions in the tile); the others have a result.

    ```mlir
    soap.broadcast_from_root %tile {soap.slot = 7 : i64, source = #soap.region<[0:8]>} : tensor<16xf32>
    %part = soap.broadcast_from_root {soap.slot = 7 : i64} -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Optional<Soap_Tile>:$tile, OptionalAttr<Soap_RegionAttr>:$source);
  let results = (outs Optional<Soap_Tile>:$part);
  let assemblyFormat = "($tile^)? attr-dict (`:` type($tile)^)? (`->` type($part)^)?";
}

def Soap_CollectiveBufferOp : Soap_LoweringOp<"collective_buffer", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "what a device does in a collective, on whole tiles";
  let description = [{
    `kind` is that of the op before: `all_reduce` (an output, which holds the device's own part before), `reduce_to_root` (the root's output as there; the input of another device), `reduce_scatter` (an input for each device, or one with equal pieces one after the other; an output),
    `all_gather` (an input; outputs as the inputs there), `all_to_all` (inputs and outputs for each device, as there), `gather_to_root` (as there; devices that are not the root have no output) or `broadcast_from_root` (the root's input, or an output).

    ```mlir
    %sum = soap.collective_buffer all_reduce outs(%part : tensor<8xf32>) {soap.slot = 7 : i64} -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Soap_CollectiveKindAttr:$kind, Variadic<AnyShaped>:$inputs, Variadic<AnyShaped>:$outputs);
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
def Soap_Position : RankedTensorOf<[I32], [CPred<"::llvm::cast<::mlir::ShapedType>($_self).getShape() == ::llvm::ArrayRef<int64_t>({1})">],
                                   "tensor of one position">;

def Soap_LocalIndexOp : Op<Soap_Dialect, "local_index", [Pure, AllTypesMatch<["indices", "local"]>]> {
  let summary = "indices of rows, as a tile counts them that begins at `position`";
  let description = [{
    Devices with different rows of a table, or different classes, share a program: where its tile begins, each is given as an argument (`soap.kind = "positions"`). `wrap` is added to negative indices first, as in `gather`. What is negative then stays so;
    an index in front of the tile becomes the largest number, which is in no tile.

    ```mlir
    %local = soap.local_index %tokens, %position {soap.slot = 0 : i64} : tensor<8x4xi32>, tensor<1xi32>
    %rows = soap.gather %table, %local {soap.slot = 0 : i64} : (tensor<12x5xf32>, tensor<8x4xi32>) -> tensor<8x4x5xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$indices, Soap_Position:$position, DefaultValuedAttr<I64Attr, "0">:$wrap);
  let results = (outs RankedTensorOf<[I32]>:$local);
  let assemblyFormat = "$indices `,` $position attr-dict `:` type($indices) `,` type($position)";
  let hasVerifier = 1;
}

def Soap_PlacedStepOp : Op<Soap_Dialect, "placed_step", [Pure]> {
  let summary = "the step, and the position of a shard's first element, as dropout reads them";
  let description = [{
    Devices with different shards of a tensor that `dropout` drops from share a program: the row-major position, in the whole tensor, of a shard's first element is given to each as an argument (`soap.kind = "positions"`).

    ```mlir
    %both = soap.placed_step %step, %position {soap.slot = 0 : i64} : (tensor<i32>, tensor<1xi32>) -> tensor<2xi32>
    %y = soap.dropout %x, %both {extents = array<i64: 8, 40>, offsets = array<i64>, rate = 5.000000e-01 : f64, seed = 1 : i64, soap.slot = 0 : i64} : (tensor<4x10xf32>, tensor<2xi32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$step, Soap_Position:$position);
  let results = (outs RankedTensorOf<[I32]>:$both);
  let assemblyFormat = "$step `,` $position attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // SOAP_DIALECT_SOAPCOLLECTIVEOPS_TD
