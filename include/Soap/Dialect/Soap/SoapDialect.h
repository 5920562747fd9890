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

#include "Soap/Dialect/Soap/SoapDialect.h.inc"
#include "Soap/Dialect/Soap/SoapEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Soap/Dialect/Soap/SoapAttributes.h.inc"

namespace mlir::soap {

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
