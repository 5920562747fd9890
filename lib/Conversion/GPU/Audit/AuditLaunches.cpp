//===- AuditLaunches.cpp - What launches of a program move ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: a table of the launches of each program, as text and as JSON, and
// limits for it.
//
//===----------------------------------------------------------------------===//

#include "AuditReport.h"
#include "LibraryTimes.h"

#include "../../PostedSends.h"
#include "Conversion/GPU/Kernels/Accesses.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPAUDITLAUNCHES
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

class Auditor {
public:
  Auditor(ModuleOp module, const GpuChip &chip, double bandwidth,
          const LibraryTimes &libraries)
      : symbols(module), chip(chip), bandwidth(bandwidth),
        libraries(libraries) {}

  FailureOr<ProgramAudit> audit(func::FuncOp program) {
    ProgramAudit audit;
    audit.program = program.getName().str();
    llvm::StringMap<size_t> places;
    auto rowOf = [&](AuditRow row) {
      // Calls of the same name may differ in what they read transposed or add.
      std::string key = row.name + " " + std::to_string(row.launch.extent) +
                        " " +
                        std::to_string((row.callS + row.launch.hostS) * 1e12);
      auto [place, isNew] = places.try_emplace(key, audit.rows.size());
      if (isNew)
        audit.rows.push_back(std::move(row));
      ++audit.rows[place->second].count;
    };
    for (Operation &op : program.getBody().front()) {
      if (auto call = dyn_cast<ParallelCallOp>(op)) {
        FailureOr<AuditRow> row = rowOfLaunch(call);
        if (failed(row))
          return failure();
        rowOf(std::move(*row));
      } else if (auto call = dyn_cast<LibraryCallOp>(op)) {
        rowOf(rowOfCall(call));
      } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        rowOf(rowOfCopy(copy));
      } else if (runsOnStream(&op)) {
        ++audit.totals.messages;
      }
    }
    audit.finish();
    return audit;
  }

private:
  SymbolTable symbols;
  const GpuChip &chip;
  double bandwidth;
  const LibraryTimes &libraries;
  llvm::DenseMap<std::pair<Operation *, int64_t>, LaunchCost> known;

  FailureOr<AuditRow> rowOfLaunch(ParallelCallOp call) {
    auto part = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!part || part.isExternal() || !part.getBody().hasOneBlock())
      return call.emitOpError("calls '")
             << call.getCallee()
             << "': expected a function of one block in this module";
    auto extent = static_cast<int64_t>(call.getExtent());
    auto [place, isNew] = known.try_emplace({part, extent});
    if (isNew)
      place->second = costOfLaunch(part, extent, chip, bandwidth);
    AuditRow row;
    row.name = call.getCallee().str();
    row.launch = place->second;
    SmallVector<unsigned> inHost;
    for (auto [i, buffer] : llvm::enumerate(call.getBuffers()))
      if (isInHost(buffer))
        inHost.push_back(static_cast<unsigned>(i));
    if (!inHost.empty())
      row.launch.moveToHost(inHost, chip, bandwidth);
    row.mustBytes = row.launch.mustBytes;
    return row;
  }

  /// An argument of the program that is in the memory of the host.
  static bool isInHost(Value buffer) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    auto argument = dyn_cast<BlockArgument>(buffer);
    auto program =
        argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
                 : func::FuncOp();
    return program && program.getArgAttr(argument.getArgNumber(), kMemory);
  }

  AuditRow rowOfCall(LibraryCallOp call) const {
    LibraryTime time = libraries.timeOf(call);
    AuditRow row;
    row.kind = AuditRow::Kind::Library;
    row.name = time.name;
    row.callS = time.seconds;
    row.isMeasured = time.isMeasured;
    for (Value operand : call->getOperands())
      row.mustBytes +=
          static_cast<double>(sizeInBytes(cast<MemRefType>(operand.getType())));
    return row;
  }

  AuditRow rowOfCopy(memref::CopyOp copy) const {
    AuditRow row;
    row.kind = AuditRow::Kind::Copy;
    row.mustBytes = 2.0 * static_cast<double>(sizeInBytes(
                              cast<MemRefType>(copy.getSource().getType())));
    row.callS = row.mustBytes / bandwidth + GpuChip::gapS;
    row.name = "copy of " +
               std::to_string(static_cast<int64_t>(row.mustBytes / 2)) +
               " bytes";
    return row;
  }
};

struct AuditLaunchesPass
    : public mlir::soap::impl::SoapAuditLaunchesBase<AuditLaunchesPass> {
  using SoapAuditLaunchesBase::SoapAuditLaunchesBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  LogicalResult checkOptions();
  LogicalResult run();
  LogicalResult checkLimits(func::FuncOp program, const ProgramAudit &audit);
  LogicalResult write(ArrayRef<ProgramAudit> audits, const GpuChip &found,
                      double bytesPerSecond);
};

} // namespace

LogicalResult AuditLaunchesPass::checkOptions() {
  ModuleOp module = getOperation();
  if (rows < 0)
    return module.emitError() << "option 'rows=" << rows.getValue()
                              << "': expected a number of at least 0";
  struct Number {
    const char *name;
    double value;
  };
  for (Number option :
       {Number{"bandwidth", bandwidth}, Number{"max-share", maxShare},
        Number{"max-ratio", maxRatio}, Number{"max-total-ratio", maxTotalRatio},
        Number{"max-launches", static_cast<double>(maxLaunches)},
        Number{"max-uncoalesced", maxUncoalesced}})
    if (!(option.value >= 0))
      return module.emitError()
             << "option '" << option.name << "=" << option.value
             << "': expected a number of at least 0";
  return success();
}

LogicalResult AuditLaunchesPass::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()))
    return failure();
  const GpuChip *found = findGpuChip(chip);
  if (!found)
    return module.emitError() << "option 'chip=" << chip.getValue()
                              << "': expected " << gpuChipNames();
  double bytesPerSecond = bandwidth > 0 ? bandwidth : found->bandwidth;
  auto profile = ::soap::loadProfileModel("h200");
  if (!profile)
    return module.emitError() << profile.error();
  LibraryTimes libraries(*profile, *found, bytesPerSecond);
  Auditor auditor(module, *found, bytesPerSecond, libraries);
  std::vector<ProgramAudit> audits;
  bool passes = true;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isProgram(function) ||
        !function.getName().starts_with(program.getValue()))
      continue;
    FailureOr<ProgramAudit> audit = auditor.audit(function);
    if (failed(audit))
      return failure();
    if (rows > 0)
      printAudit(*audit, *found, bytesPerSecond, rows, llvm::errs());
    passes &= succeeded(checkLimits(function, *audit));
    audits.push_back(std::move(*audit));
  }
  if (audits.empty())
    return module.emitError()
           << "the module has no program"
           << (program.empty() ? "" : " '" + program.getValue() + "...'")
           << ": expected the result of --soap-lower-to-cuda='until=launches'";
  if (!report.empty() && failed(write(audits, *found, bytesPerSecond)))
    return failure();
  return success(passes);
}

LogicalResult AuditLaunchesPass::checkLimits(func::FuncOp function,
                                             const ProgramAudit &audit) {
  bool passes = true;
  auto fail = [&] {
    passes = false;
    return function.emitError("program '") << function.getName() << "' ";
  };
  auto number = [](double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.4g", value);
    return text;
  };
  const AuditTotals &totals = audit.totals;
  int64_t launches = totals.launches + totals.copies;
  if (maxLaunches > 0 && launches > maxLaunches)
    fail() << "has " << launches << " launches and copies: expected at most "
           << maxLaunches.getValue();
  if (maxTotalRatio > 0 && totals.ratio() > maxTotalRatio)
    fail() << "has kernels that take " << number(totals.ratio())
           << " times as long as their bytes: expected at most "
           << number(maxTotalRatio);
  for (const AuditRow &row : audit.rows) {
    if (row.kind != AuditRow::Kind::Kernel)
      continue;
    if (maxRatio > 0 && row.ratio() > maxRatio &&
        audit.shareOf(row) >= maxShare)
      fail() << "spends " << number(100 * audit.shareOf(row)) << " % in '"
             << row.name << "', which takes " << number(row.ratio())
             << " times as long as its bytes, by " << row.launch.limit()
             << ": expected at most " << number(maxRatio);
    for (const LaunchAccess &access : row.launch.accesses)
      if (double share = audit.shareOf(row, access);
          maxUncoalesced > 0 && access.isUncoalesced && share > maxUncoalesced)
        fail() << "moves " << number(100 * share) << " % of its bytes in '"
               << row.name << "' by uncoalesced "
               << (access.writes ? "stores to" : "loads of") << " buffer #"
               << access.argument << ": expected at most "
               << number(100 * maxUncoalesced) << " %";
  }
  return success(passes);
}

LogicalResult AuditLaunchesPass::write(ArrayRef<ProgramAudit> audits,
                                       const GpuChip &found,
                                       double bytesPerSecond) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 1);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("chip", found.name);
    json.attribute("bandwidth_bytes_per_s", bytesPerSecond);
    json.attribute("is_estimate", true);
    json.attributeArray("programs", [&] {
      for (const ProgramAudit &audit : audits)
        printAudit(audit, json);
    });
  });
  stream << '\n';
  std::error_code error;
  llvm::raw_fd_ostream file(report, error, llvm::sys::fs::OF_Text);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    return getOperation()->emitError()
           << "option 'report=" << report.getValue()
           << "': cannot write: " << error.message();
  return success();
}
