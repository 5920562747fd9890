//===- Report.h - Numbers of a run as JSON ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of --report, whose format docs/Runtime.md gives.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_REPORT_H
#define SOAP_TOOLS_SOAPRUN_REPORT_H

#include "Soap/Runtime/Training/Trainer.h"

namespace soap::run {

/// How far two runs are apart.
struct Comparison {
  /// |a - b| / |b| of the last iteration's loss.
  double loss = 0;
  /// The largest |a - b| / |b| over the parameters, and whose it is.
  double weights = 0;
  std::string worst;
};

/// The speed of the cores between iterations (SpeedGauge.h).
struct SpeedLog {
  /// Slowest device's ns before the first iteration that counts and after each.
  std::vector<int64_t> gauges;
  std::vector<double> milliseconds;

  /// Times of the iterations at full speed.
  std::vector<double> fullSpeed() const;
};

/// Median of the numbers; 0 if there are none.
double median(std::vector<double> values);

/// Collective; rank 0 writes.
MaybeError writeReport(const std::string &path, const runtime::Session &session,
                       size_t entry, const runtime::TrainResult &result,
                       const std::vector<double> &milliseconds,
                       const std::optional<Comparison> &comparison,
                       const std::optional<SpeedLog> &speed);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_REPORT_H
