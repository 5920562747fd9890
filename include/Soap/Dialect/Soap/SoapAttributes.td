//===- SoapAttributes.td - Attributes of the soap dialect --*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configs of ops, regions of tiles, enums, pipelines and topologies.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPATTRIBUTES_TD
#define SOAP_DIALECT_SOAPATTRIBUTES_TD

include "Soap/Dialect/Soap/SoapDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Soap_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Soap_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Soap_ConfigAttr : Soap_Attr<"Config", "config"> {
  let summary = "How an op is parallelized, and on which devices";
  let description = [{
    The value of `soap.config`: a degree for each named loop, a number of
    replicas, and one device for each shard. Loops that are not named have
    degree 1. `replicas` is printed if it is not 1. Shards are numbered
    row-major over the loops in the order of the op's iteration space, replicas
    outermost. Devices may repeat and come in any order; `1 to 9 step 4` stands
    for 1, 5, 9, and `0 to 1023` for as many. A list with ranges has at most
    2^20 devices.

    **Constraints**

    - No loop is named twice; degrees and replicas are at least 1.
    - A device is in [0, 2^31).
    - On an op: each loop is one of the op's, serial loops have degree 1, and
      there are as many devices as replicas times the product of the degrees.
      Where a degree exceeds its loop's extent, some shards are empty.

    **Example**

    ```mlir
    #soap.config<{n = 2, o = 2}, devices = [0, 1, 4, 5]>
    #soap.config<{n = 2}, replicas = 2, devices = [0, 1, 2, 3]>
    #soap.config<{n = 1024}, devices = [0 to 1023]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "loop names">:$loops,
    ArrayRefParameter<"int64_t", "degree of each named loop">:$degrees,
    "int64_t":$replicas,
    ArrayRefParameter<"int64_t", "device of each shard">:$devices);
  let builders = [
    AttrBuilder<(ins
        "::llvm::ArrayRef<std::pair<::llvm::StringRef, int64_t>>":$degrees,
        "::llvm::ArrayRef<int64_t>":$devices,
        CArg<"int64_t", "1">:$replicas)>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Soap_RegionAttr : Soap_Attr<"Region", "region"> {
  let summary = "A product of index sets";
  let description = [{
    For each dim a list of half-open intervals. The region is the product of
    these sets: what a tile holds, or a part of it.

    **Constraints**

    - The intervals of a dim are not empty, sorted, and apart from each other;
      none begins below 0.

    **Example**

    ```mlir
    #soap.region<[0:4], [0:2, 4:6]>
    #soap.region<> // the element of a tensor of rank 0
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "number of intervals of each dim">:$counts,
    ArrayRefParameter<"int64_t", "lo, hi of all intervals">:$bounds);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static RegionAttr get(::mlir::MLIRContext *context,
                          const ::soap::Region &region);
    ::soap::Region getRegion() const;
  }];
}
def Soap_RegionArrayAttr : TypedArrayAttrBase<Soap_RegionAttr,
                                              "array of regions">;

class Soap_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::soap";
  let genSpecializedAttr = 0;
}

/// An enum that stands alone, as `#soap.NAME<VALUE>`. One that is an attribute
/// of an op is written without the name.
class Soap_EnumAttr<EnumAttrInfo info, string name>
    : EnumAttr<Soap_Dialect, info, name> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Attributes of ops
//===----------------------------------------------------------------------===//

def Soap_CombinerKind : Soap_I32Enum<
    "CombinerKind", "how partial tensors fold into one", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Moments", 3, "moments">,
  I32EnumAttrCase<"Softmax", 4, "softmax">,
  I32EnumAttrCase<"LogSumExp", 5, "log_sum_exp">]>;
def Soap_CombinerAttr
    : EnumAttr<Soap_Dialect, Soap_CombinerKind, "combiner"> {
  let description = [{
    `sum`, `max` and `min` fold element by element. `moments` folds count, mean
    and sum of squared deviations, `softmax` folds maximum, sum of exponentials
    and a logit; these are the entries of dim 0. `log_sum_exp` folds logarithms
    of sums of exponentials, entry 0, and the means that these weigh, the rest.

    **Example**

    ```mlir
    %tile = soap.combine moments %a, %b {
          sources = [#soap.region<[0:3], [0:8]>, #soap.region<[0:3], [0:8]>]}
          : tensor<3x8xf32>
    ```
  }];
}

def Soap_ReduceKind : Soap_I32Enum<"ReduceKind", "reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">,
  I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"Min", 2, "min">]>;
def Soap_ReduceKindAttr
    : EnumAttr<Soap_Dialect, Soap_ReduceKind, "reduce_kind"> {
  let description = [{
    **Example**

    ```mlir
    %y = soap.reduce max %x {axes = array<i64: 1>}
       : (tensor<8x4xf32>) -> tensor<8xf32>
    ```
  }];
}

def Soap_CollectiveKind : Soap_I32Enum<"CollectiveKind", "collective", [
  I32EnumAttrCase<"AllReduce", 0, "all_reduce">,
  I32EnumAttrCase<"ReduceToRoot", 1, "reduce_to_root">,
  I32EnumAttrCase<"ReduceScatter", 2, "reduce_scatter">,
  I32EnumAttrCase<"AllGather", 3, "all_gather">,
  I32EnumAttrCase<"AllToAll", 4, "all_to_all">,
  I32EnumAttrCase<"GatherToRoot", 5, "gather_to_root">,
  I32EnumAttrCase<"BroadcastFromRoot", 6, "broadcast_from_root">]>;
def Soap_CollectiveKindAttr
    : EnumAttr<Soap_Dialect, Soap_CollectiveKind, "collective_kind"> {
  let description = [{
    The op on tensors that a `soap.collective_buffer` was.

    **Example**

    ```mlir
    soap.collective_buffer broadcast_from_root ins(%tile : memref<8xf32>)
        {soap.slot = 7 : i64}
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

def Soap_ValueKind : Soap_I32Enum<
    "ValueKind", "kind of an argument or result", [
  I32EnumAttrCase<"Data", 0, "data">,
  I32EnumAttrCase<"Label", 1, "label">,
  I32EnumAttrCase<"Parameter", 2, "parameter">,
  I32EnumAttrCase<"State", 3, "state">,
  I32EnumAttrCase<"Positions", 4, "positions">,
  I32EnumAttrCase<"Loss", 5, "loss">,
  I32EnumAttrCase<"Correct", 6, "correct">,
  I32EnumAttrCase<"Output", 7, "output">,
  I32EnumAttrCase<"Update", 8, "update">]>;
def Soap_KindAttr : Soap_EnumAttr<Soap_ValueKind, "kind"> {
  let summary = "What an argument or a result of a function is for";
  let description = [{
    The value of `soap.kind`.

    | on | value | meaning |
    |---|---|---|
    | argument | `data` | a batch of input data |
    | | `label` | the labels of a batch |
    | | `parameter` | a tensor that training updates by a gradient |
    | | `state` | a tensor that training replaces in another way |
    | | `positions` | where tiles begin, in programs of devices |
    | result | `output` | what the model computes |
    | | `loss` | the loss of a batch |
    | | `correct` | how many samples were classified correctly |
    | | `update` | the new value of the argument that `soap.updates` names |

    **Example**

    ```mlir
    %x: tensor<8x4xf32> {soap.kind = #soap.kind<data>}
    %w: tensor<4x2xf32> {soap.kind = #soap.kind<parameter>}
    ```
  }];
}

def Soap_InitRule : Soap_I32Enum<"InitRule", "rule of initialization", [
  I32EnumAttrCase<"He", 0, "he">,
  I32EnumAttrCase<"Glorot", 1, "glorot">,
  I32EnumAttrCase<"Zeros", 2, "zeros">,
  I32EnumAttrCase<"Ones", 3, "ones">,
  I32EnumAttrCase<"Default", 4, "default">]>;
def Soap_InitAttr : Soap_EnumAttr<Soap_InitRule, "init"> {
  let summary = "How a parameter or a state is initialized";
  let description = [{
    The value of `soap.init`, unless that is the elements themselves. `he` and
    `glorot` draw normal numbers by `soap.fan_in` and `soap.fan_out`. `default`
    leaves the choice to the launcher.

    **Example**

    ```mlir
    %w: tensor<4x2xf32> {soap.init = #soap.init<glorot>}
    ```
  }];
}

def Soap_KeptForm : Soap_I32Enum<"KeptForm", "form of a value that is kept", [
  I32EnumAttrCase<"Both", 0, "both">,
  I32EnumAttrCase<"Before", 1, "before">,
  I32EnumAttrCase<"After", 2, "after">]>;
def Soap_KeepAttr : Soap_EnumAttr<Soap_KeptForm, "keep"> {
  let summary = "Which form of a value is kept for the backward pass";
  let description = [{
    The value of `soap.keep`: `before` or `after` the value is resharded, or
    `both`.

    **Example**

    ```mlir
    %y = soap.relu %x {soap.keep = #soap.keep<before>} : tensor<8x4xf32>
    ```
  }];
}

def Soap_Precision : Soap_I32Enum<"Precision", "precision of products", [
  I32EnumAttrCase<"F32", 0, "f32">,
  I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"BF16", 2, "bf16">]>;
def Soap_PrecisionAttr : Soap_EnumAttr<Soap_Precision, "precision"> {
  let summary = "In which precision products of f32 tensors are computed";
  let description = [{
    The value of `soap.precision` on a module.

    **Example**

    ```mlir
    module attributes {soap.precision = #soap.precision<bf16>} {}
    ```
  }];
}

def Soap_TensorLayout : Soap_I32Enum<"TensorLayout", "layout of a tensor", [
  I32EnumAttrCase<"NCHW", 0, "nchw">,
  I32EnumAttrCase<"NHWC", 1, "nhwc">]>;
def Soap_LayoutAttr : Soap_EnumAttr<Soap_TensorLayout, "layout"> {
  let summary = "In which order a buffer holds the dims of a tensor";
  let description = [{
    An element of `soap.layouts`. `nchw` is row-major, and the only layout of
    tensors that do not have four dims. `nhwc` puts dim 1 last.

    **Example**

    ```mlir
    #soap.layout<nhwc>
    ```
  }];
}

def Soap_PipelineSchedule : Soap_I32Enum<
    "PipelineSchedule", "schedule of a pipeline", [
  I32EnumAttrCase<"OneForwardOneBackward", 0, "1f1b">,
  I32EnumAttrCase<"GPipe", 1, "gpipe">,
  I32EnumAttrCase<"Overlapped", 2, "1f1b-overlapped">]>;

def Soap_PipelineAttr : Soap_Attr<"Pipeline", "pipeline"> {
  let summary = "Microbatches over pipeline stages";
  let description = [{
    The value of `soap.pipeline` on a module. The batch is split into
    `microbatches`, which pass through the stages in the order of `schedule`:
    `"1f1b"`, `"1f1b-overlapped"` or `"gpipe"`. `replicas[d]` says how many devices, device d and
    those after it, share the stages of device d; without it each has its own.

    **Constraints**

    - `microbatches` and all replicas are at least 1; replicas fit in 31 bits.

    **Example**

    ```mlir
    #soap.pipeline<microbatches = 16, schedule = "1f1b">
    #soap.pipeline<microbatches = 8, schedule = "gpipe", replicas = [2, 1, 1]>
    ```
  }];
  let parameters = (ins
    "int64_t":$microbatches,
    EnumParameter<Soap_PipelineSchedule>:$schedule,
    OptionalArrayRefParameter<"int64_t", "devices that share stages">:$replicas
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Soap_TopologyAttr : Soap_Attr<"Topology", "topology"> {
  let summary = "Devices, switches and links";
  let description = [{
    The value of `soap.topology` on a module: the name of a built-in topology,
    or the contents of a topology file (docs/Topology.md), with the same keys.

    **Constraints**

    - A name is that of a built-in topology.
    - Otherwise the contents are a valid topology file. A profile that
      they name is not opened before it is used.

    **Example**

    ```mlir
    #soap.topology<"h100-1x8">
    #soap.topology<{
      version = 1, name = "pair",
      device_types = [{name = "gpu", memory_bytes = 80000000000,
                       memory_bandwidth_bytes_per_s = 2.0e+12,
                       flops_per_s = {f32 = 1.9e+13} } ],
      devices = [{name = "a", type = "gpu"}, {name = "b", type = "gpu"} ],
      links = [{from = "a", to = "b", bandwidth_bytes_per_s = 3.0e+11,
                latency_s = 1.0e-6, bidirectional = true} ]}>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"a built-in name, or the JSON text of a file">:$text);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// By name if it is a built-in topology, else in full.
    static TopologyAttr get(::mlir::MLIRContext *context,
                            const ::soap::Topology &topology);
    /// In full, so that the IR needs no list of built-in topologies.
    static TopologyAttr getInFull(::mlir::MLIRContext *context,
                                  const ::soap::Topology &topology);
  }];
}

#endif // SOAP_DIALECT_SOAPATTRIBUTES_TD
