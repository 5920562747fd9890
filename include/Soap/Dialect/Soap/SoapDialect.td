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
  let summary = "Deep neural networks with parallelization strategies over samples, operators, attributes and parameters";
  let description = [{
    Ops on tensors of static shape, each exposing an iteration space (named loops and indexing maps, see
    `IterationSpaceOpInterface`). A parallelization strategy is one `soap.config` attribute per op: a degree per loop, a replica
    count, and a device per piece.

    Discardable attributes, all verified by the dialect: on ops `soap.config`, `soap.name`, `soap.grad_of`, `soap.update_of`, `soap.loop_map`, `soap.keep`,
    `soap.slot`; on function arguments and results `soap.kind`, `soap.name`, `soap.sample_dim`, `soap.init`, `soap.config`,
    `soap.updates`, `soap.fan_in`, `soap.fan_out`, `soap.classes`; on modules `soap.precision`, `soap.programs`, `soap.topology`, `soap.manifest`; while lowering also
    `soap.arena_bytes` on functions, `soap.fused_slots` on ops, and `soap.result`, `soap.updated` on arguments. Others are errors, so that a
    misspelt one is not silently ignored.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasConstantMaterializer = 0;
  let extraClassDeclaration = [{
    /// Names of the discardable attributes.
    static constexpr ::llvm::StringLiteral kConfig = "soap.config", kName = "soap.name", kGradOf = "soap.grad_of",
        kUpdateOf = "soap.update_of", kLoopMap = "soap.loop_map", kSlot = "soap.slot", kKind = "soap.kind",
        kSampleDim = "soap.sample_dim", kInit = "soap.init", kUpdates = "soap.updates", kFanIn = "soap.fan_in",
        kFanOut = "soap.fan_out", kClasses = "soap.classes", kResult = "soap.result", kUpdated = "soap.updated",
        kArenaBytes = "soap.arena_bytes", kFusedSlots = "soap.fused_slots", kPrograms = "soap.programs", kTopology = "soap.topology", kPipeline = "soap.pipeline", kManifest = "soap.manifest";
  }];
}

#endif // SOAP_DIALECT_SOAPDIALECT_TD
