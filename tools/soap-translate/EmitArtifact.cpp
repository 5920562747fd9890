//===- EmitArtifact.cpp - soap-translate --emit-artifact --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of artifacts.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Soap/Artifact/Artifact.h"
#include "Soap/Compiler/EmitArtifact.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/SourceFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

static cl::OptionCategory artifactCategory("Options of --emit-artifact");

static cl::opt<bool>
    emitFlag("emit-artifact",
             cl::desc("Compile a lowered module into one file that soap-run "
                      "runs without a compiler"),
             cl::cat(translateCategory()));
static cl::opt<int> optLevel("artifact-opt-level", cl::value_desc("N"),
                             cl::init(2), cl::cat(artifactCategory),
                             cl::desc("Level of LLVM's optimizer, 0 to 3 "
                                      "(default 2)"));
static cl::opt<std::string>
    cpu("artifact-cpu", cl::value_desc("NAME"), cl::init("host"),
        cl::cat(artifactCategory),
        cl::desc("What the code may use: all that this machine has (host, the "
                 "default), or a level that others have too: x86-64, "
                 "x86-64-v2, x86-64-v3, x86-64-v4"));
static cl::opt<std::string>
    linker("linker", cl::value_desc("PROGRAM"), cl::cat(artifactCategory),
           cl::desc("Linker (default: ld.lld, else ld)"));

static ArtifactOptions options;

static bool complain(const Twine &message) {
  llvm::errs() << "soap-translate: " << message << "\n";
  return false;
}

static bool checkOptions() {
  if (optLevel < 0 || optLevel > 3)
    return complain("--artifact-opt-level: expected 0 to 3, got '" +
                    Twine(optLevel.getValue()) + "'");
  auto features = ::soap::runtime::cpuLevel(cpu);
  if (!features)
    return complain("--artifact-cpu: " + features.error());
  options.optLevel = optLevel;
  options.features = *features;
  options.linker = linker;
  return true;
}

static LogicalResult run(StringRef input, llvm::raw_ostream &output,
                         MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<SoapDialect, LLVM::LLVMDialect, func::FuncDialect>();
  context.appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module = parseModuleFile(input, &context);
  if (!module)
    return failure();
  FailureOr<std::string> artifact = emitArtifact(*module, options);
  if (failed(artifact))
    return failure();
  output << *artifact;
  return success();
}

Translation mlir::soap::emitArtifactTranslation() {
  return {emitFlag, artifactCategory, checkOptions, run};
}
