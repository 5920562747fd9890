//===- Support.cpp - C API: contexts and diagnostics ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Soap-c/Support.h.
//
//===----------------------------------------------------------------------===//

#include "Soap-c/Support.h"

#include "Internal.h"

#include "Soap/InitAll.h"
#include "Soap/Support/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace soap::capi;

namespace {

mlir::DialectRegistry makeRegistry() {
  static std::once_flag once;
  std::call_once(once, [] {
    mlir::soap::registerAllPasses();
    mlir::registerTransformsPasses();
  });
  mlir::DialectRegistry registry;
  mlir::soap::registerAllDialects(registry);
  mlir::soap::registerAllExtensions(registry);
  registry.insert<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect>();
  return registry;
}

/// `FILE:LINE:COLUMN: 'node': error: MESSAGE`, with the notes behind it.
std::string render(mlir::Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::Location place = diagnostic.getLocation();
  std::string names;
  while (auto name = llvm::dyn_cast<mlir::NameLoc>(place)) {
    names += "'" + name.getName().str() + "': ";
    place = name.getChildLoc();
  }
  if (auto file = place->findInstanceOf<mlir::FileLineColLoc>()) {
    os << file.getFilename().getValue();
    // Lines and columns mean nothing in binary files.
    if (file.getLine() > 0)
      os << ":" << file.getLine() << ":" << file.getColumn();
    os << ": ";
  }
  const char *kinds[] = {"note", "warning", "error", "remark"};
  os << names << kinds[static_cast<int>(diagnostic.getSeverity())] << ": "
     << diagnostic;
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    os << "\n" << render(note);
  return text;
}

} // namespace

ContextState::ContextState()
    : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false); // may be a whole model
  context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
    diagnostics.emplace_back(
        static_cast<SoapSeverity>(diagnostic.getSeverity()),
        render(diagnostic));
    return mlir::success();
  });
}

SoapResult ContextState::fail(const std::string &message) {
  diagnostics.emplace_back(SOAP_ERROR, "error: " + message);
  return SOAP_FAILURE;
}

const ContextRef &soap::capi::beginCall(SoapContext context) {
  const ContextRef &state = *static_cast<const ContextRef *>(context.ptr);
  state->beginCall();
  return state;
}

SoapResult soap::capi::runPasses(ContextState &state, mlir::ModuleOp module,
                                 const std::string &pipeline) {
  mlir::PassManager manager(&state.context, "builtin.module");
  std::string error;
  llvm::raw_string_ostream os(error);
  if (failed(mlir::parsePassPipeline(pipeline, manager, os)))
    return state.fail("cannot run '" + pipeline + "': " + error);
  return succeeded(manager.run(module)) ? SOAP_SUCCESS : SOAP_FAILURE;
}

void soap::capi::give(const std::string &text, SoapTextCallback callback,
                      void *user) {
  if (callback)
    callback(text.data(), text.size(), user);
}

void soap::capi::give(llvm::json::Value value, SoapTextCallback callback,
                      void *user) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", value);
  give(text, callback, user);
}

std::string soap::capi::typeName(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

const char *soapVersion(void) { return soap::versionLine(); }

SoapContext soapContextCreate(void) {
  return {new ContextRef(std::make_shared<ContextState>())};
}

void soapContextDestroy(SoapContext context) {
  delete static_cast<ContextRef *>(context.ptr);
}

void soapContextDiagnostics(SoapContext context,
                            SoapDiagnosticCallback callback, void *user) {
  const ContextRef &state = *static_cast<const ContextRef *>(context.ptr);
  for (const auto &[severity, text] : state->diagnostics)
    callback(severity, text.data(), text.size(), user);
}
