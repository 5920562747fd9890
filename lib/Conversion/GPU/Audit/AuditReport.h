//===- AuditReport.h - The table of the launches of a program ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of the same kernel and extent are a row, as are equal library calls.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_AUDIT_AUDITREPORT_H
#define SOAP_LIB_CONVERSION_GPU_AUDIT_AUDITREPORT_H

#include "LaunchCost.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {

struct AuditRow {
  enum class Kind { Kernel, Library, Copy };
  Kind kind = Kind::Kernel;
  std::string name;
  int64_t count = 0;
  LaunchCost launch;       ///< of kernels
  bool isMeasured = false; ///< library calls: by the profile
  double callS = 0;        ///< of one: library calls and copies
  double mustBytes = 0;    ///< of one

  double oneS() const { return kind == Kind::Kernel ? launch.timeS() : callS; }
  double seconds() const { return static_cast<double>(count) * oneS(); }
  /// How many times as long as its bytes a kernel takes, without the gap.
  double ratio() const {
    return launch.mustS > 0 ? launch.bodyS() / launch.mustS : 1;
  }
};

struct AuditTotals {
  int64_t launches = 0, copies = 0, libraryCalls = 0, messages = 0;
  double kernelS = 0; ///< of kernels and copies, with their gaps
  double bodyS = 0;   ///< of kernels, without
  double mustS = 0;   ///< of kernels: their bytes
  double libraryS = 0;
  double assumedS = 0; ///< of `libraryS`: calls that the profile does not have
  double mustBytes = 0, movedBytes = 0;

  double stepS() const { return kernelS + libraryS; }
  double ratio() const { return mustS > 0 ? bodyS / mustS : 1; }
};

struct ProgramAudit {
  std::string program;
  std::vector<AuditRow> rows; ///< longest first
  AuditTotals totals;

  /// Sorts the rows and adds them up; `totals.messages` is the caller's.
  void finish();
  double shareOf(const AuditRow &row) const {
    return totals.stepS() > 0 ? row.seconds() / totals.stepS() : 0;
  }
  /// Share of all bytes that an access of a row moves, all launches together.
  double shareOf(const AuditRow &row, const LaunchAccess &access) const {
    return totals.movedBytes > 0 ? static_cast<double>(row.count) *
                                       access.movedBytes / totals.movedBytes
                                 : 0;
  }
};

void printAudit(const ProgramAudit &audit, const GpuChip &chip,
                double bandwidth, int64_t rows, llvm::raw_ostream &stream);
void printAudit(const ProgramAudit &audit, llvm::json::OStream &json);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_AUDIT_AUDITREPORT_H
