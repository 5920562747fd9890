//===- Internal.h - Objects behind the C API --------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ objects that the structs of Soap-c point to. Modules and sessions
// share the state of their context, so that it outlives them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CAPI_INTERNAL_H
#define SOAP_LIB_CAPI_INTERNAL_H

#include "Soap-c/Module.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace soap::capi {

/// A context, and the diagnostics of the latest call with it.
struct ContextState {
  ContextState();

  /// Forgets the diagnostics of the call before; every function of the API that
  /// may fail begins with it.
  void beginCall() { diagnostics.clear(); }
  /// Adds an error without a place.
  SoapResult fail(const std::string &message);

  mlir::MLIRContext context;
  std::vector<std::pair<SoapSeverity, std::string>> diagnostics;
};

using ContextRef = std::shared_ptr<ContextState>;

/// The object behind a SoapIRModule.
struct Module {
  ContextRef state;
  mlir::OwningOpRef<mlir::ModuleOp> op;
};

/// The state of a context; begins a call.
const ContextRef &beginCall(SoapContext context);
/// The object of a module; begins a call.
inline Module &beginCall(SoapIRModule module) {
  Module &result = *static_cast<Module *>(module.ptr);
  result.state->beginCall();
  return result;
}

/// Runs a pipeline in MLIR's syntax.
SoapResult runPasses(ContextState &state, mlir::ModuleOp module,
                     const std::string &pipeline);

/// Hands a text to a callback.
void give(const std::string &text, SoapTextCallback callback, void *user);
/// Hands out JSON, indented by two blanks.
void give(llvm::json::Value value, SoapTextCallback callback, void *user);

/// The name of an element type in descriptions: `f32`, `i64`; other types as
/// MLIR prints them.
std::string typeName(mlir::Type type);

} // namespace soap::capi

#endif // SOAP_LIB_CAPI_INTERNAL_H
