//===- Passes.h - Passes on programs of other dialects ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the passes that prepare programs of other compilers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_EXTENSIONS_PASSES_H
#define SOAP_EXTENSIONS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace arith {
class ArithDialect;
} // namespace arith
namespace func {
class FuncDialect;
class FuncOp;
} // namespace func
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace scf {
class SCFDialect;
} // namespace scf
namespace shard {
class ShardDialect;
} // namespace shard
namespace tensor {
class TensorDialect;
} // namespace tensor
} // namespace mlir

namespace mlir::soap {

class SoapDialect;

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Soap/Extensions/Passes.h.inc"

} // namespace mlir::soap

#endif // SOAP_EXTENSIONS_PASSES_H
