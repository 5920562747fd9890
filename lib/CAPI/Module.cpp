//===- Module.cpp - C API: passes and their reports -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Soap-c/Module.h.
//
//===----------------------------------------------------------------------===//

#include "Soap-c/Module.h"

#include "Internal.h"

#include "Compiler/MissingPasses.h"
#include "Soap/Artifact/Artifact.h"
#include "Soap/Compiler/EmitArtifact.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/ModuleDrawing.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace soap::capi;

namespace {

/// Runs a pass that writes a report to a file, and reads the report.
SoapResult runForReport(Module &module, const std::string &pass,
                        const char *options, std::string &report) {
  llvm::SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("soap-report", "json", path))
    return module.state->fail("cannot create a file for the report: " +
                              error.message());
  auto remove =
      llvm::make_scope_exit([&] { (void)llvm::sys::fs::remove(path); });
  std::string pipeline = pass + "{" + (options ? options : "") +
                         " summary=false report=" + path.str().str() + "}";
  if (runPasses(*module.state, *module.op, pipeline) != SOAP_SUCCESS)
    return SOAP_FAILURE;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return module.state->fail("cannot read the report of " + pass + ": " +
                              buffer.getError().message());
  report = (*buffer)->getBuffer().str();
  return SOAP_SUCCESS;
}

SoapResult giveReport(SoapIRModule module, const std::string &pass,
                      const char *options, SoapTextCallback callback,
                      void *user) {
  std::string report;
  if (runForReport(beginCall(module), pass, options, report) != SOAP_SUCCESS)
    return SOAP_FAILURE;
  give(report, callback, user);
  return SOAP_SUCCESS;
}

/// A value of a pass option; braces keep one with blanks together.
std::string optionValue(const std::string &text) {
  return text.find(' ') == std::string::npos ? text : "{" + text + "}";
}

/// Time and memory of one strategy, priced on a copy of the module.
SoapResult priceStrategy(Module &module, const char *function,
                         const char *topology, const std::string &strategy,
                         llvm::json::Array &rows) {
  ContextState &state = *module.state;
  Module copy{module.state, module.op->clone()};
  std::string common;
  if (function)
    common += std::string(" function=") + function;
  if (topology)
    common += " topology=" + optionValue(topology);
  bool isFile = llvm::StringRef(strategy).ends_with(".json");
  size_t before = state.diagnostics.size();
  if (runPasses(state, *copy.op,
                "soap-apply-strategy{" +
                    std::string(isFile ? "strategy=" : "preset=") +
                    optionValue(strategy) + common + "}") != SOAP_SUCCESS)
    return SOAP_FAILURE;
  // A preset that does not fit is a warning here and in the simulation.
  llvm::json::Array warnings;
  for (size_t i = before; i < state.diagnostics.size(); ++i)
    warnings.push_back(state.diagnostics[i].second);
  state.diagnostics.resize(before);
  std::string report;
  std::string options = "compare=none";
  if (function)
    options += std::string(" function=") + function;
  if (runForReport(copy, "soap-simulate", options.c_str(), report) !=
      SOAP_SUCCESS)
    return SOAP_FAILURE;
  state.diagnostics.resize(before);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(report);
  if (!parsed)
    return state.fail("the report of soap-simulate is no JSON: " +
                      llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  int64_t peak = 0, devices = 0;
  if (const llvm::json::Array *list =
          object ? object->getArray("devices") : nullptr)
    for (const llvm::json::Value &device : *list)
      if (const llvm::json::Object *row = device.getAsObject()) {
        peak = std::max(peak, row->getInteger("peak_bytes").value_or(0));
        ++devices;
      }
  std::optional<int64_t> time =
      object ? object->getInteger("makespan_ns") : std::nullopt;
  if (!time)
    return state.fail("the report of soap-simulate has no 'makespan_ns'");
  llvm::json::Object row{{"name", strategy},
                         {"makespan_ns", *time},
                         {"peak_bytes", peak},
                         {"warnings", std::move(warnings)}};
  // A folded simulation does not have all of these.
  row["devices"] = devices;
  for (const char *key : {"bytes_moved", "bytes_between_machines", "compute_ns",
                          "movement_ns", "exposed_communication_ns"})
    if (std::optional<int64_t> number = object->getInteger(key))
      row[key] = *number;
  rows.push_back(std::move(row));
  return SOAP_SUCCESS;
}

} // namespace

SoapIRModule soapIRModuleClone(SoapIRModule module) {
  Module &original = beginCall(module);
  return {new Module{original.state, original.op->clone()}};
}

void soapIRModuleDestroy(SoapIRModule module) {
  delete static_cast<Module *>(module.ptr);
}

SoapResult soapIRModulePrint(SoapIRModule module, SoapTextCallback callback,
                             void *user) {
  std::string text;
  llvm::raw_string_ostream os(text);
  beginCall(module).op->print(os);
  give(text + "\n", callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapIRModuleRunPasses(SoapIRModule module, const char *pipeline) {
  Module &target = beginCall(module);
  return runPasses(*target.state, *target.op, pipeline);
}

SoapResult soapIRModuleSearch(SoapIRModule module, const char *options,
                              SoapTextCallback callback, void *user) {
  return giveReport(module, "soap-auto-parallel", options, callback, user);
}

SoapResult soapIRModuleSimulate(SoapIRModule module, const char *options,
                                SoapTextCallback callback, void *user) {
  return giveReport(module, "soap-simulate", options, callback, user);
}

SoapResult soapIRModuleExplain(SoapIRModule module, const char *options,
                               SoapTextCallback callback, void *user) {
  return giveReport(module, "soap-explain", options, callback, user);
}

SoapResult soapIRModuleCompare(SoapIRModule module, const char *function,
                               const char *topology,
                               const char *const *strategies, size_t count,
                               SoapTextCallback callback, void *user) {
  Module &target = beginCall(module);
  llvm::json::Array rows;
  for (size_t i = 0; i < count; ++i)
    if (priceStrategy(target, function, topology, strategies[i], rows) !=
        SOAP_SUCCESS)
      return SOAP_FAILURE;
  give(llvm::json::Value(std::move(rows)), callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapIRModuleDraw(SoapIRModule module, const char *function,
                            SoapTextCallback callback, void *user) {
  Module &target = beginCall(module);
  mlir::FailureOr<std::string> drawing = mlir::soap::drawModuleStrategy(
      *target.op, "", "", function ? function : "");
  if (failed(drawing))
    return SOAP_FAILURE;
  give(*drawing, callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapIRModuleEmitArtifact(SoapIRModule module, const char *path,
                                    int level, const char *cpu) {
  Module &target = beginCall(module);
  ContextState &state = *target.state;
  if (level < 0 || level > 3)
    return state.fail("level of optimization: expected 0 to 3, got " +
                      std::to_string(level));
  auto features = soap::runtime::cpuLevel(cpu ? cpu : "host");
  if (!features)
    return state.fail(features.error());
  mlir::OwningOpRef<mlir::ModuleOp> copy = target.op->clone();
  SoapCompileOptions options{};
  if (std::string passes = mlir::soap::missingPasses(*copy, options);
      !passes.empty() && runPasses(state, *copy, passes) != SOAP_SUCCESS)
    return SOAP_FAILURE;
  mlir::soap::ArtifactOptions artifact;
  artifact.optLevel = level;
  artifact.features = *features;
  mlir::FailureOr<std::string> bytes =
      mlir::soap::emitArtifact(*copy, artifact);
  if (failed(bytes))
    return SOAP_FAILURE;
  if (auto error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
        os << *bytes;
        return llvm::Error::success();
      }))
    return state.fail(std::string(path) +
                      ": cannot write: " + llvm::toString(std::move(error)));
  return SOAP_SUCCESS;
}
