//===- SoapOps.td - All ops of the soap dialect ------------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base classes, and one include per family of ops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAPOPS_TD
#define SOAP_DIALECT_SOAPOPS_TD

include "Soap/Dialect/Soap/SoapDialect.td"
include "Soap/Dialect/Soap/SoapAttributes.td"
include "Soap/Dialect/Soap/SoapInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Soap_Float : RankedTensorOf<[AnyFloat]>;
def Soap_Label : RankedTensorOf<[I32]>;
def Soap_Tile : RankedTensorOf<[AnyFloat, AnySignlessInteger]>;

/// A pure op on tensors of static shape, which says its own syntax.
class Soap_PureOp<string mnemonic, list<Trait> traits = []>
    : Op<Soap_Dialect, mnemonic, !listconcat([Pure], traits)>;

/// An op of the model: pure, on tensors of static shape, with an iteration
/// space. Its syntax is operands, attributes and types: one type if all are
/// alike. `usual` has attributes with an entry for each dim, `{"name", value}`:
/// where all entries are that value, the attribute is not printed.
class Soap_Op<string mnemonic, list<Trait> traits = [], string usual = "">
    : Soap_PureOp<mnemonic, traits> {
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser,
                                         ::mlir::OperationState &result) {
      return parseModelOp(parser, result, {}] # usual # [{});
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      printModelOp(printer, *this, defaultAttributes(*this), {}] # usual # [{});
    }
  }];
}

/// Default behaviour of shards: same attributes, packed types.
def SpaceInterface : DeclareOpInterfaceMethods<IterationSpaceOpInterface>;
def SpaceInterfaceLocal : DeclareOpInterfaceMethods<
    IterationSpaceOpInterface, ["localize"]>;
def SpaceInterfaceLocalNeutral : DeclareOpInterfaceMethods<
    IterationSpaceOpInterface, ["localize", "getNeutralValue"]>;
def SpaceInterfaceStages : DeclareOpInterfaceMethods<
    IterationSpaceOpInterface, ["decomposeStages"]>;
def SpaceInterfaceLocalStages : DeclareOpInterfaceMethods<
    IterationSpaceOpInterface, ["localize", "decomposeStages"]>;
def Differentiable : DeclareOpInterfaceMethods<DifferentiableOpInterface>;
def InferType : DeclareOpInterfaceMethods<InferTypeOpInterface>;

include "Soap/Dialect/Soap/SoapElementwiseOps.td"
include "Soap/Dialect/Soap/SoapLinearOps.td"
include "Soap/Dialect/Soap/SoapQuantizedOps.td"
include "Soap/Dialect/Soap/SoapPoolingOps.td"
include "Soap/Dialect/Soap/SoapNormalizationOps.td"
include "Soap/Dialect/Soap/SoapAttentionOps.td"
include "Soap/Dialect/Soap/SoapSequenceOps.td"
include "Soap/Dialect/Soap/SoapExpertOps.td"
include "Soap/Dialect/Soap/SoapShapeOps.td"
include "Soap/Dialect/Soap/SoapTrainingOps.td"
include "Soap/Dialect/Soap/SoapPartitionOps.td"
include "Soap/Dialect/Soap/SoapLoweringOps.td"
include "Soap/Dialect/Soap/SoapCollectiveOps.td"

#endif // SOAP_DIALECT_SOAPOPS_TD
