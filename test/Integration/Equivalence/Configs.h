//===- Configs.h - Random configs from the full product ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Degrees, replicas and device lists for every op, argument and result of a
// function.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_EQUIVALENCE_CONFIGS_H
#define SOAP_TEST_EQUIVALENCE_CONFIGS_H

#include "Cases.h"
#include "Soap/Model/Config.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace soap::equivalence {

/// Counts draws, and refused ones by reason.
struct DrawStatistics {
  int64_t draws = 0;
  std::map<std::string, int64_t> refused;
};

/// Draws until a config is accepted. Any degree for any loop (rarely for a
/// serial one too, which is refused), any replica count, any device list with
/// repetitions; at most `maxPieces` pieces. Every draw and refusal is counted.
Config drawConfig(Random &random, const IterationSpace &space, int devices,
                  int64_t maxPieces, DrawStatistics &statistics);

/// Writes `soap.config` on all ops of a function, and on some arguments and
/// results.
void drawStrategy(Random &random, mlir::func::FuncOp function, int devices,
                  int64_t maxPieces, DrawStatistics &statistics);

/// Writes `soap.keep` on some ops and arguments that can have it.
void drawKeeps(Random &random, mlir::func::FuncOp function);
/// Writes `soap.memory` on some states of the optimizer.
void drawHostMemory(Random &random, mlir::func::FuncOp function);

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_CONFIGS_H
