//===- OpDefs2.cpp - Generated op definitions, shard 2 --------------------===//
//
// A third of what TableGen makes of SoapOps.td. A file of its own because all
// op definitions in one translation unit are the longest compile of the build.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#define GET_OP_DEFS_2
#include "Soap/Dialect/Soap/SoapOps.cpp.inc"
