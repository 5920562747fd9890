//===- OpDefs1.cpp - Generated op definitions, shard 1 --------------------===//
//
// A third of what TableGen makes of SoapOps.td. A file of its own because all
// op definitions in one translation unit are the longest compile of the build.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#define GET_OP_DEFS_1
#include "Soap/Dialect/Soap/SoapOps.cpp.inc"
