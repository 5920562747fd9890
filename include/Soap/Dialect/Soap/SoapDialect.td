//===- SoapDialect.td - The soap dialect -------------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect itself: what it is for, and its discardable attributes.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPDIALECT_TD
#define SOAP_DIALECT_SOAPDIALECT_TD

include "mlir/IR/DialectBase.td"

def Soap_Dialect : Dialect {
  let name = "soap";
  let cppNamespace = "::mlir::soap";
  let summary = "Deep neural networks and how they are parallelized";
  let description = [{
    Ops on tensors of static shape. Each has an iteration space: named loops,
    and an access map for each operand and result (`IterationSpaceOpInterface`).
    A strategy is a `soap.config` attribute on every op: a degree for each loop,
    a number of replicas, and a device for each shard.

    **Constraints**

    Every op with an iteration space checks, beside what its own page says:

    - Operands and results are ranked tensors of static shape, without dims of
      extent 0 or more than 2^40, of at most 2^44 elements.
    - All floats have one type, except in `soap.cast`.
    - A `soap.config` fits the loops of the op.

    **Syntax**

    An op whose page shows no other syntax is written as `operands attributes :
    types`. The types are one if the result and all operands have it, else a
    function type. Not printed are attributes with their default, `offsets`,
    `low` and `interior` of zeros, and `strides` of `soap.slice` of ones. All of
    it may be written. Configs of more than 32 devices, types of two or more
    dims with at least 2^22 elements, and constants of more than 1,024 have names
    at the top of the module.

    **Discardable attributes**

    The dialect verifies them. An attribute that it does not know is an error,
    so that a misspelled one is not ignored. Where the value is an enum, a
    pipeline or a topology, a plain string (or dictionary) with the same
    contents is read, too.

    | on | attribute | value |
    |---|---|---|
    | op | `soap.name` | a name that is unique in the function |
    | | `soap.config` | `#soap.config<...>` |
    | | `soap.fixed` | unit: searches and presets keep the `soap.config` |
    | | `soap.keep` | `#soap.keep<...>`: the form kept for the backward pass |
    | | `soap.grad_of` | the name of the op whose gradient this is |
    | | `soap.update_of` | the name of an op whose parameter this updates |
    | | `soap.recompute_of` | the name of the op that this computes again |
    | | `soap.loop_map` | own loops to the loops of that op, as strings |
    | | `soap.batch_norm_momentum` | on `soap.batch_norm`, an f64 in [0, 1] |
    | | `soap.slot` | the number of an action of a program |
    | argument | `soap.kind` | `#soap.kind<...>` |
    | | `soap.name` | the name of the tensor |
    | | `soap.sample_dim` | the dim that counts samples |
    | | `soap.init` | `#soap.init<...>`, or elements |
    | | `soap.fan_in`, `soap.fan_out` | for `he` and `glorot` |
    | | `soap.classes` | how many classes labels may name, or rows data; negative, of data: they count from the end, too |
    | | `soap.config` | where the tensor lies, loops d0, d1, ... |
    | | `soap.keep` | `#soap.keep<...>` |
    | | `soap.memory` | `"host"`: a state that is in the host's memory |
    | result | `soap.kind`, `soap.name`, `soap.config` | as of arguments |
    | | `soap.updates` | the number of the argument it is the new value of |
    | function | `soap.uncertain_roles` | what import does not know to be trained, or not: no step is built |
    | module | `soap.topology` | `#soap.topology<...>` |
    | | `soap.precision` | `#soap.precision<...>` |
    | | `soap.pipeline` | `#soap.pipeline<...>` |
    | | `soap.stages` | first op and devices of each pipeline stage |
    | | `soap.programs` | the tables of the programs of devices |
    | | `soap.manifest` | the manifest, as JSON text |
    | while lowering | `soap.layouts` | a list of `#soap.layout<...>` |
    | | `soap.arena_bytes` | on functions |
    | | `soap.fused_slots` | on ops |
    | | `soap.result`, `soap.updated` | on arguments |
    | | `soap.gpu_kernel`, `soap.streams`, `soap.stream` | of GPU programs |
    | | `soap.no_post`, `soap.update`, `soap.gpu_target` | of GPU programs |

    **Canonicalization**

    `--canonicalize` folds identities, merges ops that move elements, and
    computes small constants. It keeps every bit of a result. It replaces an op
    only if `soap.name` is its one discardable attribute and no gradient or
    update op refers to that name: an op with a config, a slot or an origin is
    part of a strategy or a program. Run it on a model, before
    `--soap-build-training-step`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasConstantMaterializer = 0;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes.
    static constexpr ::llvm::StringLiteral
        kConfig = "soap.config",
        kName = "soap.name",
        kGradOf = "soap.grad_of",
        kUpdateOf = "soap.update_of",
        kLoopMap = "soap.loop_map",
        kSlot = "soap.slot",
        kKind = "soap.kind",
        kSampleDim = "soap.sample_dim",
        kInit = "soap.init",
        kUpdates = "soap.updates",
        kFanIn = "soap.fan_in",
        kFanOut = "soap.fan_out",
        kClasses = "soap.classes",
        kResult = "soap.result",
        kUpdated = "soap.updated",
        kArenaBytes = "soap.arena_bytes",
        kFusedSlots = "soap.fused_slots",
        kPrograms = "soap.programs",
        kTopology = "soap.topology",
        kExecutor = "soap.executor",
        kPipeline = "soap.pipeline",
        kManifest = "soap.manifest";
  }];
}

#endif // SOAP_DIALECT_SOAPDIALECT_TD
