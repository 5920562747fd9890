//===- Highs.cpp - Integer programs with HiGHS ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IntegerSolvers.h. Without HiGHS this file is empty.
//
//===----------------------------------------------------------------------===//

#include "IntegerSolvers.h"

#ifdef SOAP_HAVE_HIGHS

// The C interface: packages of HiGHS are built with another ABI of std::string
// than ours.
#include <interfaces/highs_c_api.h>

using namespace soap;
using namespace soap::placement;

namespace {

class HighsRun {
public:
  HighsRun(const IntegerProgram &program, IntegerReport &report)
      : program(program), report(report), highs(Highs_create()) {}

  void run(const std::vector<double> &start, double seconds, int threads) {
    Highs_setBoolOptionValue(highs, "output_flag", 0);
    Highs_setIntOptionValue(highs, "threads", threads);
    Highs_setDoubleOptionValue(highs, "mip_rel_gap", 1e-9);
    Highs_setDoubleOptionValue(highs, "mip_abs_gap", 1e-12);
    Highs_setDoubleOptionValue(highs, "time_limit", seconds);
    if (!passProgram())
      return;
    if (!start.empty())
      Highs_setSolution(highs, start.data(), nullptr, nullptr, nullptr);
    Highs_setCallback(highs, &HighsRun::callback, this);
    for (HighsInt kind : {kHighsCallbackMipImprovingSolution,
                          kHighsCallbackMipLogging, kHighsCallbackMipInterrupt})
      Highs_startCallback(highs, kind);
    if (Highs_run(highs) != kHighsStatusError)
      reportEnd();
  }

private:
  const IntegerProgram &program;
  IntegerReport &report;
  void *highs;

  bool passProgram() {
    std::vector<double> cost, low, high, rowLow, rowHigh, factors;
    std::vector<HighsInt> integrality, first, indices;
    for (const IntegerProgram::Variable &variable : program.variables) {
      cost.push_back(variable.cost);
      low.push_back(variable.low);
      high.push_back(variable.high);
      integrality.push_back(variable.integer ? kHighsVarTypeInteger
                                             : kHighsVarTypeContinuous);
    }
    for (const IntegerProgram::Row &row : program.rows) {
      rowLow.push_back(row.low);
      rowHigh.push_back(row.high);
      first.push_back(static_cast<HighsInt>(indices.size()));
      for (const auto &[variable, factor] : row.terms) {
        indices.push_back(variable);
        factors.push_back(factor);
      }
    }
    return Highs_passMip(
               highs, static_cast<HighsInt>(cost.size()),
               static_cast<HighsInt>(rowLow.size()),
               static_cast<HighsInt>(indices.size()), kHighsMatrixFormatRowwise,
               kHighsObjSenseMinimize, 0, cost.data(), low.data(), high.data(),
               rowLow.data(), rowHigh.data(), first.data(), indices.data(),
               factors.data(), integrality.data()) != kHighsStatusError;
  }

  void reportEnd() {
    HighsInt status = Highs_getModelStatus(highs);
    if (status == kHighsModelStatusInfeasible)
      return report.end(IntegerMessage::Infeasible);
    HighsInt primal = kHighsSolutionStatusNone;
    Highs_getIntInfoValue(highs, "primal_solution_status", &primal);
    if (primal == kHighsSolutionStatusFeasible) {
      std::vector<double> values(program.variables.size());
      Highs_getSolution(highs, values.data(), nullptr, nullptr, nullptr);
      report.solution(values.data(), values.size());
    }
    double bound = -IntegerProgram::unbounded;
    Highs_getDoubleInfoValue(highs, "mip_dual_bound", &bound);
    report.bound(bound);
    report.end(status == kHighsModelStatusOptimal ? IntegerMessage::Optimal
                                                  : IntegerMessage::Stopped);
  }

  static void callback(int kind, const char *, const HighsCallbackDataOut *out,
                       HighsCallbackDataIn *, void *data) {
    HighsRun &run = *static_cast<HighsRun *>(data);
    if (kind == kHighsCallbackMipImprovingSolution)
      run.report.solution(out->mip_solution, run.program.variables.size());
    run.report.bound(out->mip_dual_bound);
  }
};

} // namespace

void placement::runHighs(const IntegerProgram &program,
                         const std::vector<double> &start, double seconds,
                         int threads, IntegerReport &report) {
  HighsRun(program, report).run(start, seconds, threads);
}

#endif
