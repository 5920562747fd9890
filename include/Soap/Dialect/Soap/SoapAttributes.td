//===- SoapAttributes.td - Attributes of the soap dialect --*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sharding attribute (a config of the SOAP paper), regions of tiles, and enums.
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
  let summary = "How an op is cut and where its pieces run";
  let description = [{
    A degree per named loop (loops that are absent are not cut), a replica count (printed when not 1) and one device per piece. Pieces are numbered
    row-major over the loops of the op in the order of its iteration space, replica outermost. Devices may repeat and come in
    any order.

    ```mlir
    #soap.config<{n = 2, o = 2}, devices = [0, 1, 4, 5]>
    #soap.config<{n = 2}, replicas = 2, devices = [0, 1, 2, 3]>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr", "loop names">:$loops,
    ArrayRefParameter<"int64_t", "degree of each named loop">:$degrees,
    "int64_t":$replicas,
    ArrayRefParameter<"int64_t", "device of each piece">:$devices);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Soap_RegionAttr : Soap_Attr<"Region", "region"> {
  let summary = "A product of index sets";
  let description = [{
    One set of half-open intervals per dimension, their product: what a tile holds, or a part of it.

    ```mlir
    #soap.region<[0:4], [0:2, 4:6]>
    #soap.region<>                     // the element of a rank-0 tensor
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "number of intervals of each dimension">:$counts,
    ArrayRefParameter<"int64_t", "lo, hi of all intervals">:$bounds);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static RegionAttr get(::mlir::MLIRContext *context, const ::soap::Region &region);
    ::soap::Region getRegion() const;
  }];
}
def Soap_RegionArrayAttr : TypedArrayAttrBase<Soap_RegionAttr, "array of regions">;

class Soap_I32Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::soap";
  let genSpecializedAttr = 0;
}

def Soap_CombinerKind : Soap_I32Enum<"CombinerKind", "how partial tensors fold into one", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
  I32EnumAttrCase<"Moments", 3, "moments">, I32EnumAttrCase<"Softmax", 4, "softmax">]>;
def Soap_CombinerAttr : EnumAttr<Soap_Dialect, Soap_CombinerKind, "combiner">;

def Soap_ReduceKind : Soap_I32Enum<"ReduceKind", "reduction", [
  I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;
def Soap_ReduceKindAttr : EnumAttr<Soap_Dialect, Soap_ReduceKind, "reduce_kind">;

#endif // SOAP_DIALECT_SOAPATTRIBUTES_TD
