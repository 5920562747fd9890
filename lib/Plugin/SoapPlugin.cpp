//===- SoapPlugin.cpp - The dialect and passes for a stock mlir-opt -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared object with MLIR's two plugin entry points, so that any MLIR tool
// can load Soap:
//
//   mlir-opt in.mlir --load-dialect-plugin=SoapPlugin.so
//   --pass-pipeline='builtin.module(soap-simulate)'
//
// Tools parse their flags before they load plugins, so passes are named through
// --pass-pipeline, not as flags. The dialect entry point registers the passes
// as well: one option loads all.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

/// Both options may name the plugin; passes must not be registered twice.
static void registerPassesOnce() {
  static const bool registered = (mlir::soap::registerAllPasses(), true);
  (void)registered;
}

namespace {
/// By default MLIR repeats the offending op behind a message. Where that is the
/// module, the message is lost in front of a whole model.
class ShortMessages
    : public mlir::DialectExtension<ShortMessages, mlir::soap::SoapDialect> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShortMessages)
  void apply(mlir::MLIRContext *context,
             mlir::soap::SoapDialect *) const final {
    context->printOpOnDiagnostic(false);
  }
};
} // namespace

static void registerDialects(mlir::DialectRegistry *registry) {
  registry->addExtensions<ShortMessages>();
  mlir::soap::registerAllDialects(*registry);
  mlir::soap::registerAllExtensions(*registry);
  registerPassesOnce();
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Soap", LLVM_VERSION_STRING,
          registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Soap", LLVM_VERSION_STRING,
          registerPassesOnce};
}
