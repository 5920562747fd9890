//===- Schedule.h - The learning rate by iteration --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule is a factor of the learning rate, a function of the iteration,
// which is part of the program.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_SCHEDULE_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_SCHEDULE_H

#include "OpMaker.h"

#include <string>

namespace mlir::soap {

struct Schedule {
  /// "constant", "linear", "cosine" or "step".
  std::string kind = "constant";
  /// Iterations: of all of the schedule (linear, cosine), of the warm-up, and
  /// between two decays (step).
  int64_t total = 0, warmup = 0, decayEvery = 0;
  double finalFactor = 0, decayFactor = 0.1;

  /// The factor is 1 in every iteration.
  bool isConstant() const { return kind == "constant" && warmup == 0; }
  /// An error message about it, "" if it is fine.
  std::string check() const;
};

/// The factor in iteration `step` (i32, 1 in the first), of rank 0.
Value buildScheduleFactor(OpMaker &ops, Value step, Type element,
                          const Schedule &schedule);

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_SCHEDULE_H
