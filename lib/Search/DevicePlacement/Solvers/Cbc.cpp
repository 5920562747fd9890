//===- Cbc.cpp - Integer programs with CBC --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IntegerSolvers.h. CBC has no calls back with solutions, so what it finds
// is told at its end. Without CBC this file is empty.
//
//===----------------------------------------------------------------------===//

#include "IntegerSolvers.h"

#ifdef SOAP_HAVE_CBC

#include <Cbc_C_Interface.h>

#include <cmath>
#include <fcntl.h>
#include <unistd.h>

using namespace soap;
using namespace soap::placement;

namespace {

/// CBC takes such numbers for infinite.
constexpr double cbcInfinity = 1e50;

/// The matrix by columns, as CBC wants it.
struct Columns {
  std::vector<CoinBigIndex> first;
  std::vector<int> rows;
  std::vector<double> factors;

  explicit Columns(const IntegerProgram &program) {
    first.assign(program.variables.size() + 1, 0);
    for (const IntegerProgram::Row &row : program.rows)
      for (const auto &[variable, factor] : row.terms)
        ++first[variable + 1];
    for (size_t i = 1; i < first.size(); ++i)
      first[i] += first[i - 1];
    rows.resize(first.back());
    factors.resize(first.back());
    std::vector<CoinBigIndex> next(first.begin(), first.end() - 1);
    for (size_t row = 0; row < program.rows.size(); ++row)
      for (const auto &[variable, factor] : program.rows[row].terms) {
        rows[next[variable]] = static_cast<int>(row);
        factors[next[variable]++] = factor;
      }
  }
};

void load(Cbc_Model *model, const IntegerProgram &program) {
  Columns columns(program);
  std::vector<double> low, high, cost, rowLow, rowHigh;
  auto limited = [](double value) {
    return std::isinf(value) ? std::copysign(cbcInfinity, value) : value;
  };
  for (const IntegerProgram::Variable &variable : program.variables) {
    low.push_back(limited(variable.low));
    high.push_back(limited(variable.high));
    cost.push_back(variable.cost);
  }
  for (const IntegerProgram::Row &row : program.rows) {
    rowLow.push_back(limited(row.low));
    rowHigh.push_back(limited(row.high));
  }
  Cbc_loadProblem(model, static_cast<int>(low.size()),
                  static_cast<int>(rowLow.size()), columns.first.data(),
                  columns.rows.data(), columns.factors.data(), low.data(),
                  high.data(), cost.data(), rowLow.data(), rowHigh.data());
  for (size_t i = 0; i < program.variables.size(); ++i)
    if (program.variables[i].integer)
      Cbc_setInteger(model, static_cast<int>(i));
}

} // namespace

void placement::runCbc(const IntegerProgram &program,
                       const std::vector<double> &start, double seconds,
                       int threads, IntegerReport &report) {
  // It writes whatever its log level is.
  if (int nowhere = open("/dev/null", O_WRONLY); nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
  }
  Cbc_Model *model = Cbc_newModel();
  load(model, program);
  Cbc_setParameter(model, "log", "0");
  Cbc_setParameter(model, "timeMode", "elapsed");
  Cbc_setAllowableGap(model, 1e-10);
  if (threads > 1)
    Cbc_setParameter(model, "threads", std::to_string(threads).c_str());
  // Cbc's result is lost if it is not done at the deadline.
  constexpr double share = 0.9;
  Cbc_setMaximumSeconds(model, seconds * share);
  if (!start.empty()) {
    std::vector<int> all(start.size());
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = static_cast<int>(i);
    Cbc_setMIPStartI(model, static_cast<int>(all.size()), all.data(),
                     start.data());
  }
  Cbc_solve(model);
  if (Cbc_isAbandoned(model))
    return;
  if (Cbc_isProvenInfeasible(model))
    return report.end(IntegerMessage::Infeasible);
  if (const double *best = Cbc_bestSolution(model))
    report.solution(best, program.variables.size());
  if (double bound = Cbc_getBestPossibleObjValue(model);
      std::abs(bound) < cbcInfinity / 2)
    report.bound(bound);
  report.end(Cbc_isProvenOptimal(model) ? IntegerMessage::Optimal
                                        : IntegerMessage::Stopped);
}

#endif
