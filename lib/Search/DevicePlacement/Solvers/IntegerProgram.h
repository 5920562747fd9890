//===- IntegerProgram.h - Mixed-integer programs ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear program with integer variables, and its solution by HiGHS or CBC in
// a process of its own (ChildProcess.h), which tells what it finds.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_INTEGERPROGRAM_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_INTEGERPROGRAM_H

#include "Search/DevicePlacement/Deadline.h"

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace soap::placement {

/// Minimizes the sum of costs times variables.
struct IntegerProgram {
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  using Terms = std::vector<std::pair<int, double>>; ///< variable, factor

  struct Variable {
    double low = 0, high = unbounded, cost = 0;
    bool integer = false;
  };
  struct Row {
    double low, high;
    Terms terms;
  };
  std::vector<Variable> variables;
  std::vector<Row> rows;

  int addVariable(double low, double high, double cost = 0,
                  bool integer = false) {
    variables.push_back({low, high, cost, integer});
    return static_cast<int>(variables.size()) - 1;
  }
  int addBinary() { return addVariable(0, 1, 0, true); }
  /// `low <= terms <= high`; factors of a variable that is in it twice add up.
  void addRow(double low, double high, Terms terms) {
    std::sort(terms.begin(), terms.end());
    Terms merged;
    for (const auto &[variable, factor] : terms)
      if (!merged.empty() && merged.back().first == variable)
        merged.back().second += factor;
      else
        merged.emplace_back(variable, factor);
    rows.push_back({low, high, std::move(merged)});
  }
  void atMost(Terms terms, double high) {
    addRow(-unbounded, high, std::move(terms));
  }
  /// Constrains the sum of the sizes of chosen variables to `capacity`, written
  /// in shares of it, as bytes are large numbers. Fixes variables that are too
  /// large alone.
  void fit(const Terms &sizes, double capacity) {
    Terms shares;
    for (const auto &[variable, size] : sizes)
      if (size > capacity)
        variables[variable].high = 0;
      else if (size > 0)
        shares.emplace_back(variable, size / capacity);
    if (!shares.empty())
      atMost(std::move(shares), 1);
  }
};

struct IntegerResult {
  /// No solution has a smaller value, within the solver's tolerance.
  double bound = -IntegerProgram::unbounded;
  /// The solver ended with a proof: `bound` belongs to the best solution, or
  /// there is none.
  bool finished = false;
  bool infeasible = false;
  /// The solver ended before the deadline without any of these.
  bool failed = false;
};

/// Solves until the deadline. `start`, if not empty, has a value for each
/// variable. `report` gets solutions in this process, of HiGHS every improving
/// one. `threads` are the solver's. Without the solver it fails.
IntegerResult
solveInteger(IntegerSolver solver, const IntegerProgram &program,
             const std::vector<double> &start, const Deadline &deadline,
             int threads,
             const std::function<void(const std::vector<double> &)> &report);

/// Makes a problem's times such that solvers, whose tolerances are absolute,
/// can take them: multiplies them by a power of two, which is returned, if
/// `known`, the value of a placement, is far from 1; and times of more than a
/// million times that, which no better placement has anywhere, become so.
/// `known` may be infinite: none is known.
double scaleTimes(Problem &problem, double known);

/// The message for a solver that `haveMilp` lacks: how to get one.
std::string noIntegerSolver(IntegerSolver solver);

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_SOLVERS_INTEGERPROGRAM_H
