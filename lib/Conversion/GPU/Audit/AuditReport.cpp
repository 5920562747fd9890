//===- AuditReport.cpp - The table of the launches of a program -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See AuditReport.h.
//
//===----------------------------------------------------------------------===//

#include "AuditReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cassert>

using namespace mlir::soap;

void ProgramAudit::finish() {
  assert(totals.launches + totals.copies + totals.libraryCalls == 0 &&
         "rows are added up once");
  llvm::stable_sort(rows, [](const AuditRow &a, const AuditRow &b) {
    return a.seconds() > b.seconds();
  });
  for (const AuditRow &row : rows) {
    auto count = static_cast<double>(row.count);
    switch (row.kind) {
    case AuditRow::Kind::Kernel:
      totals.launches += row.count;
      totals.kernelS += row.seconds();
      totals.bodyS += count * row.launch.bodyS();
      totals.mustS += count * row.launch.mustS;
      totals.mustBytes += count * row.launch.mustBytes;
      totals.movedBytes += count * row.launch.movedBytes;
      break;
    case AuditRow::Kind::Copy:
      totals.copies += row.count;
      totals.kernelS += row.seconds();
      break;
    case AuditRow::Kind::Library:
      totals.libraryCalls += row.count;
      totals.libraryS += row.seconds();
      if (!row.isMeasured)
        totals.assumedS += row.seconds();
      break;
    }
  }
}

static const char *kindName(AuditRow::Kind kind) {
  switch (kind) {
  case AuditRow::Kind::Kernel:
    return "kernel";
  case AuditRow::Kind::Library:
    return "library";
  case AuditRow::Kind::Copy:
    return "copy";
  }
  return "";
}

/// Remarks on a row.
static std::string remarksOf(const ProgramAudit &audit, const AuditRow &row) {
  if (row.kind == AuditRow::Kind::Library)
    return row.isMeasured ? "profile" : "assumed";
  if (row.kind == AuditRow::Kind::Copy)
    return "";
  llvm::SmallVector<std::string> remarks{row.launch.limit()};
  for (const LaunchAccess &access : row.launch.accesses) {
    std::string text = (access.writes ? "store #" : "load #") +
                       std::to_string(access.argument);
    if (access.isUncoalesced) {
      text += " uncoalesced";
      if (access.stride)
        text += " by " + std::to_string(*access.stride);
    } else if (access.dependsOnData) {
      text += " by data";
    } else {
      continue;
    }
    if (audit.shareOf(row, access) >= 0.001)
      remarks.push_back(text);
  }
  for (const std::string &unknown : row.launch.unknown)
    remarks.push_back("not analyzed: " + unknown);
  return llvm::join(remarks, ", ");
}

void mlir::soap::printAudit(const ProgramAudit &audit, const GpuChip &chip,
                            double bandwidth, int64_t rows,
                            llvm::raw_ostream &stream) {
  const AuditTotals &totals = audit.totals;
  stream << "program '" << audit.program << "' on " << chip.name << ", "
         << llvm::format("%.2f TB/s", bandwidth * 1e-12)
         << ", estimated by counting:\n"
         << llvm::format("%7s %6s %5s %9s %9s %9s %9s %6s  ", "share", "ms",
                         "count", "threads", "serial", "must MB", "moved MB",
                         "ratio")
         << "kernel or call\n";
  for (const AuditRow &row :
       llvm::ArrayRef(audit.rows).take_front(static_cast<size_t>(rows))) {
    stream << llvm::format("%6.2f%% %6.3f %5lld ", 100 * audit.shareOf(row),
                           row.seconds() * 1e3,
                           static_cast<long long>(row.count));
    if (row.kind == AuditRow::Kind::Kernel)
      stream << llvm::format(
          "%9lld %9.0f %9.2f %9.2f %6.2f  ",
          static_cast<long long>(row.launch.threads * row.launch.blocks),
          row.launch.serial, row.launch.mustBytes * 1e-6,
          row.launch.movedBytes * 1e-6, row.ratio());
    else
      stream << llvm::format("%9s %9s %9.2f %9s %6s  ", "", "",
                             row.mustBytes * 1e-6, "", "");
    stream << row.name;
    std::string remarks = remarksOf(audit, row);
    if (!remarks.empty())
      stream << " (" << remarks << ")";
    stream << "\n";
  }
  if (static_cast<size_t>(rows) < audit.rows.size())
    stream << "  and " << audit.rows.size() - static_cast<size_t>(rows)
           << " more rows\n";
  stream << llvm::format(
      "step %.3f ms: %lld launches %.3f ms (without gaps %.3f, their bytes "
      "%.3f, ratio %.2f), %lld copies, %lld library calls %.3f ms (assumed "
      "%.3f)",
      totals.stepS() * 1e3, static_cast<long long>(totals.launches),
      totals.kernelS * 1e3, totals.bodyS * 1e3, totals.mustS * 1e3,
      totals.ratio(), static_cast<long long>(totals.copies),
      static_cast<long long>(totals.libraryCalls), totals.libraryS * 1e3,
      totals.assumedS * 1e3);
  if (totals.messages > 0)
    stream << ", " << totals.messages << " messages, without their time";
  stream << "\n";
}

static void printAccess(const LaunchAccess &access, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("buffer", static_cast<int64_t>(access.argument));
    json.attribute("access", access.writes ? "store" : "load");
    json.attribute("must_bytes", access.mustBytes);
    json.attribute("moved_bytes", access.movedBytes);
    json.attribute("memory_bytes", access.memoryBytes);
    json.attribute("l2_bytes", access.l2Bytes);
    if (access.stride)
      json.attribute("stride", *access.stride);
    json.attribute("depends_on_data", access.dependsOnData);
    json.attribute("uncoalesced", access.isUncoalesced);
  });
}

static void printRow(const ProgramAudit &audit, const AuditRow &row,
                     llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("kind", kindName(row.kind));
    json.attribute("name", row.name);
    json.attribute("count", row.count);
    json.attribute("share", audit.shareOf(row));
    json.attribute("seconds", row.seconds());
    if (row.kind != AuditRow::Kind::Kernel) {
      json.attribute("bytes", row.mustBytes);
      if (row.kind == AuditRow::Kind::Library)
        json.attribute("time", row.isMeasured ? "profile" : "assumed");
      return;
    }
    const LaunchCost &launch = row.launch;
    json.attribute("extent", launch.extent);
    json.attribute("blocks", launch.blocks);
    json.attribute("threads_per_block", launch.threads);
    json.attribute("serial_iterations", launch.serial);
    json.attribute("must_bytes", launch.mustBytes);
    json.attribute("moved_bytes", launch.movedBytes);
    json.attribute("ratio", row.ratio());
    json.attribute("limit", launch.limit());
    json.attributeObject("estimate_s", [&] {
      json.attribute("must", launch.mustS);
      json.attribute("memory", launch.memoryS);
      json.attribute("cache", launch.cacheS);
      json.attribute("chain", launch.chainS);
      json.attribute("instructions", launch.instructionsS);
      if (launch.hostS > 0)
        json.attribute("host", launch.hostS);
      if (launch.tailS > 0)
        json.attribute("tail", launch.tailS);
      json.attribute("gap", GpuChip::gapS);
    });
    json.attributeObject("chain", [&] {
      json.attribute("rounds", launch.rounds);
      json.attribute("longest_rounds", launch.longestRounds);
      json.attribute("latency_s", launch.latencyS);
      json.attribute("loads_at_once", launch.loadsAtOnce);
      json.attribute("load_bytes_at_once", launch.loadBytesAtOnce);
      json.attribute("resident_warps", launch.residentWarps);
      json.attribute("max_warps", launch.maxWarps);
    });
    json.attributeArray("accesses", [&] {
      for (const LaunchAccess &access : launch.accesses)
        printAccess(access, json);
    });
    json.attributeArray("not_analyzed", [&] {
      for (const std::string &unknown : launch.unknown)
        json.value(unknown);
    });
  });
}

void mlir::soap::printAudit(const ProgramAudit &audit,
                            llvm::json::OStream &json) {
  const AuditTotals &totals = audit.totals;
  json.object([&] {
    json.attribute("program", audit.program);
    json.attribute("estimated_step_s", totals.stepS());
    json.attribute("launches", totals.launches);
    json.attribute("copies", totals.copies);
    json.attribute("library_calls", totals.libraryCalls);
    json.attribute("messages", totals.messages);
    json.attribute("launches_s", totals.kernelS);
    json.attribute("launches_without_gaps_s", totals.bodyS);
    json.attribute("bytes_s", totals.mustS);
    json.attribute("ratio", totals.ratio());
    json.attribute("library_s", totals.libraryS);
    json.attribute("library_assumed_s", totals.assumedS);
    json.attribute("must_bytes", totals.mustBytes);
    json.attribute("moved_bytes", totals.movedBytes);
    json.attributeArray("rows", [&] {
      for (const AuditRow &row : audit.rows)
        printRow(audit, row, json);
    });
  });
}
