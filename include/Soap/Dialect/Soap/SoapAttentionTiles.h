//===- SoapAttentionTiles.h - Between products of attention -----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op classes that SoapOps.h lacks of SoapAttentionOps.td: what programs of
// GPUs compute between the products of a tile of attention.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_SOAPATTENTIONTILES_H
#define SOAP_DIALECT_SOAP_SOAPATTENTIONTILES_H

#include "Soap/Dialect/Soap/SoapOps.h"

#define GET_OP_CLASSES
#include "Soap/Dialect/Soap/SoapAttentionTiles.h.inc"

#endif // SOAP_DIALECT_SOAP_SOAPATTENTIONTILES_H
