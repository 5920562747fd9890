//===- OpDefs1.cpp - Generated op definitions, shard 1 --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A third of what TableGen makes of SoapOps.td. A file of its own because all
// op definitions in one translation unit are the longest compile of the build.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"
#include "OpSyntax.h"

#define GET_OP_DEFS_1
#include "Soap/Dialect/Soap/SoapOps.cpp.inc"
