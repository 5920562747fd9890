//===- Compiler.cpp - C ABI of libSoapCompiler ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs what is missing of the pipeline on a file, and compiles the result.
//
//===----------------------------------------------------------------------===//

#include "Soap/ABI/Compiler.h"

#include "Compiler/MissingPasses.h"
#include "Compiler/ObjectCache.h"
#include "Soap/Compiler/JIT.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/InitAll.h"
#include "Soap/Transforms/SourceFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

#include <dlfcn.h>
#include <mutex>

using namespace mlir;
using namespace mlir::soap;

struct SoapModule {
  std::unique_ptr<JITModule> code;
  std::string manifest;
};

namespace {

std::string render(Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ":"
       << place.getColumn() << ": ";
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    os << "error: ";
    break;
  case DiagnosticSeverity::Warning:
    os << "warning: ";
    break;
  case DiagnosticSeverity::Remark:
    os << "remark: ";
    break;
  default:
    os << "note: ";
    break;
  }
  os << diagnostic;
  for (Diagnostic &note : diagnostic.getNotes())
    os << "\n" << render(note);
  return text;
}

void report(const SoapCompileOptions &options, const std::string &message) {
  if (options.diagnostic)
    options.diagnostic(options.diagnosticUser, message.c_str());
}

/// Plugins use functions of the dialect, which this library has: its symbols
/// become visible to what is loaded after it.
void exposeSymbols() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&soapCompileFile), &info) != 0)
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/// Registers the dialects of plugins; false, with a report, if one cannot be
/// loaded.
bool loadPlugins(const SoapCompileOptions &options, DialectRegistry &registry) {
  if (options.dialectPluginCount > 0)
    exposeSymbols();
  for (int i = 0; i < options.dialectPluginCount; ++i) {
    std::string path = options.dialectPlugins[i];
    // Symbols that it lacks are an error here, and no end of the process later.
    if (!dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) {
      const char *why = dlerror();
      report(options, "error: dialect plugin: " +
                          std::string(why ? why : path + ": cannot be loaded"));
      return false;
    }
    llvm::Expected<DialectPlugin> plugin = DialectPlugin::load(path);
    if (!plugin) {
      report(options,
             "error: dialect plugin: " + llvm::toString(plugin.takeError()));
      return false;
    }
    plugin->registerDialectRegistryCallbacks(registry);
  }
  return true;
}

} // namespace

SoapModule *soapCompileFile(const char *path,
                            const SoapCompileOptions *options) {
  static std::once_flag once;
  std::call_once(once, [] { mlir::soap::registerAllPasses(); });
  DialectRegistry registry;
  mlir::soap::registerAllDialects(registry);
  mlir::soap::registerAllExtensions(registry);
  registry.insert<func::FuncDialect, LLVM::LLVMDialect>();
  if (!loadPlugins(*options, registry))
    return nullptr;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false); // may be a whole model
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Note)
      report(*options, render(diagnostic));
    return success();
  });
  OwningOpRef<ModuleOp> module = parseModuleFile(path, &context);
  if (!module)
    return nullptr;
  bool isPartitioned = (*module)->hasAttr(SoapDialect::kManifest) ||
                       (*module)->hasAttr(SoapDialect::kPrograms);
  if (isPartitioned && (options->preset || options->strategy)) {
    report(*options, std::string("error: ") + path +
                         ": the module is partitioned already, for the "
                         "devices of its plan: a preset or a strategy needs "
                         "IR before --soap-partition");
    return nullptr;
  }
  if (std::string passes = missingPasses(*module, *options); !passes.empty()) {
    PassManager manager(&context, "builtin.module");
    std::string error;
    llvm::raw_string_ostream os(error);
    if (failed(parsePassPipeline(passes, manager, os))) {
      report(*options, "error: cannot run '" + passes + "': " + error);
      return nullptr;
    }
    if (failed(manager.run(*module)))
      return nullptr;
  }
  ObjectCache cache(ObjectCache::defaultFolder());
  bool cached = !options->noCache && !ObjectCache::defaultFolder().empty();
  FailureOr<std::unique_ptr<JITModule>> code = JITModule::create(
      *module, options->resolve, options->optLevel, cached ? &cache : nullptr);
  if (failed(code))
    return nullptr;
  auto result = std::make_unique<SoapModule>();
  result->code = std::move(*code);
  result->manifest = result->code->manifest().str();
  return result.release();
}

const char *soapModuleManifest(const SoapModule *module) {
  return module->manifest.c_str();
}
void *soapModuleSymbol(SoapModule *module, const char *name) {
  return module->code->lookup(name);
}
void soapModuleFree(SoapModule *module) { delete module; }
