//===- SoapDialect.h - The soap dialect -------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect class, its attributes and enums.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SOAPDIALECT_H
#define SOAP_DIALECT_SOAP_SOAPDIALECT_H

#include "Soap/Model/Config.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

namespace soap {
class Topology;
} // namespace soap

#include "Soap/Dialect/Soap/SoapDialect.h.inc"
#include "Soap/Dialect/Soap/SoapEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Soap/Dialect/Soap/SoapAttributes.h.inc"

namespace mlir::soap {

/// The value of an enum attribute, such as `#soap.kind<data>` (AttrT is
/// ValueKindAttr). A string that names the value is read, too. None: there is
/// no attribute, or it is another one.
template <typename AttrT>
auto enumValue(Attribute attribute)
    -> std::optional<decltype(std::declval<AttrT>().getValue())> {
  using Enum = decltype(std::declval<AttrT>().getValue());
  if (auto typed = dyn_cast_or_null<AttrT>(attribute))
    return typed.getValue();
  if (auto text = dyn_cast_or_null<StringAttr>(attribute))
    return symbolizeEnum<Enum>(text.getValue());
  return std::nullopt;
}

/// The value of `soap.pipeline`; a dictionary with the same entries is read,
/// too. Null: there is no attribute, or it is another one.
PipelineAttr readPipeline(Attribute attribute);

/// The value of `soap.topology`, as a built-in name or as the JSON text of a
/// file; a string of either is read, too. Empty: there is no attribute, or it
/// is another one.
StringRef topologyText(Attribute attribute);

/// Degrees by loop name to positions; loops that `space` lacks are reported in
/// `error` (then empty).
std::optional<::soap::Config> resolveConfig(ConfigAttr attr,
                                            const ::soap::IterationSpace &space,
                                            std::string &error);
/// The inverse: loops with degree 1 are left out.
ConfigAttr makeConfigAttr(MLIRContext *context, const ::soap::Config &config,
                          const ::soap::IterationSpace &space);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_SOAPDIALECT_H
