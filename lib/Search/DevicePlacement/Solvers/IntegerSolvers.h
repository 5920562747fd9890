//===- IntegerSolvers.h - Others' solvers of integer programs ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of an integer solver that runs in a process of its own
// (IntegerProgram.h), and how that process reports solutions to its parent.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_INTEGERSOLVERS_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_INTEGERSOLVERS_H

#include "IntegerProgram.h"

#include <cstdint>

namespace soap::placement {

/// Of a message, which `count` values follow.
struct IntegerMessage {
  enum Kind : int64_t { Solution, Bound, Optimal, Infeasible, Stopped };
  Kind kind;
  int64_t count;
};

/// Messages to the other end of a pipe.
class IntegerReport {
public:
  explicit IntegerReport(int pipe) : pipe(pipe) {}

  void solution(const double *values, size_t count) {
    send(IntegerMessage::Solution, values, count);
  }
  /// Told if it is better than those before; no number is no bound.
  void bound(double value);
  /// The last message: with a proof, without solutions, or early.
  void end(IntegerMessage::Kind kind) { send(kind, nullptr, 0); }

private:
  int pipe;
  double best = -IntegerProgram::unbounded;

  void send(IntegerMessage::Kind kind, const double *values, size_t count);
};

/// Each solves as long as it may, and reports; without an end, it has failed.
/// Only of solvers that this library was built with.
void runHighs(const IntegerProgram &program, const std::vector<double> &start,
              double seconds, int threads, IntegerReport &report);
void runCbc(const IntegerProgram &program, const std::vector<double> &start,
            double seconds, int threads, IntegerReport &report);

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_INTEGERSOLVERS_H
