//===- SoapDialect.cpp - The soap dialect ---------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the dialect's ops, attributes and enums.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

#include "Soap/Dialect/Soap/SoapDialect.cpp.inc"
#include "Soap/Dialect/Soap/SoapEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Soap/Dialect/Soap/SoapAttributes.cpp.inc"

void SoapDialect::initialize() {
  registerSoapDialectOperations(this);
  registerCollectiveOps(this);
  registerAttentionTileOps(this);
  registerQuantizedOps(this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Soap/Dialect/Soap/SoapAttributes.cpp.inc"
      >();
  addAliases(this);
}
