//===- ObjectCode.cpp - Machine code of lowered modules -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translation to LLVM IR, optimization, code generation.
//
//===----------------------------------------------------------------------===//

#include "ObjectCode.h"

#include "CallableFunctions.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

#include <mutex>

using namespace mlir;
using namespace mlir::soap;
using llvm::CodeGenOptLevel;

namespace {

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

CodeGenOptLevel codeGenLevel(int optLevel) {
  switch (optLevel) {
  case 0:
    return CodeGenOptLevel::None;
  case 1:
    return CodeGenOptLevel::Less;
  case 2:
    return CodeGenOptLevel::Default;
  default:
    return CodeGenOptLevel::Aggressive;
  }
}

/// Vectorizes straight-line code, except long blocks: on kernels that were
/// unrolled altogether, LLVM's pass takes hours (a convolution of probe-4 of
/// ResNet-50 at 96x96).
struct BoundedSLPVectorizer : llvm::PassInfoMixin<BoundedSLPVectorizer> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses) {
    constexpr size_t maxInstructions = 100;
    for (const llvm::BasicBlock &block : function)
      if (block.size() > maxInstructions)
        return llvm::PreservedAnalyses::all();
    return llvm::SLPVectorizerPass().run(function, analyses);
  }
};

/// Level 1 is for programs that run a few times: loops are cleaned up, but
/// neither unrolled nor vectorized, which would be most of the compile time.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              int optLevel) {
  llvm::PipelineTuningOptions tuning;
  bool loops = optLevel > 1;
  tuning.LoopUnrolling = tuning.LoopInterleaving = tuning.LoopVectorization =
      loops;
  tuning.SLPVectorization = false; // BoundedSLPVectorizer instead
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::CGSCCAnalysisManager callGraphAnalyses;
  llvm::ModuleAnalysisManager moduleAnalyses;
  llvm::PassBuilder builder(&machine, tuning);
  if (loops)
    builder.registerVectorizerEndEPCallback(
        [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
          passes.addPass(BoundedSLPVectorizer());
        });
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(callGraphAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses,
                               callGraphAnalyses, moduleAnalyses);
  llvm::OptimizationLevel level = optLevel == 1   ? llvm::OptimizationLevel::O1
                                  : optLevel == 2 ? llvm::OptimizationLevel::O2
                                                  : llvm::OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(level).run(module, moduleAnalyses);
}

std::unique_ptr<llvm::TargetMachine>
makeMachine(ModuleOp module, const CodeTarget &target, int optLevel) {
  std::string error;
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) {
    module.emitError("cannot be compiled for '")
        << target.triple << "': " << error;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      triple, target.cpu, target.features, llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, codeGenLevel(optLevel)));
}

/// Copies between layouts of images read with strides. Gathers look cheap to
/// the vectorizer, and are slow where microcode guards them against leaks
/// (gather data sampling). Part of the target, so that the cache knows.
void avoidGathers(CodeTarget &target) {
  if (llvm::Triple(target.triple).isX86())
    target.features +=
        target.features.empty() ? "+prefer-no-gather" : ",+prefer-no-gather";
}

} // namespace

FailureOr<CodeTarget> mlir::soap::hostTarget(ModuleOp module) {
  initializeTargets();
  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return module.emitError("cannot be compiled for this machine: ")
           << llvm::toString(host.takeError());
  CodeTarget target{host->getTargetTriple().str(), host->getCPU(),
                    host->getFeatures().getString(), ""};
  avoidGathers(target);
  return target;
}

FailureOr<CodeTarget>
mlir::soap::restrictedTarget(ModuleOp module,
                             const std::vector<std::string> &features) {
  FailureOr<CodeTarget> target = hostTarget(module);
  if (failed(target))
    return failure();
  target->tuneCpu = target->cpu;
  target->cpu = llvm::Triple(target->triple).isX86_64() ? "x86-64" : "generic";
  target->features.clear();
  for (const std::string &feature : features)
    target->features += (target->features.empty() ? "+" : ",+") + feature;
  avoidGathers(*target);
  return target;
}

FailureOr<std::string> mlir::soap::manifestOf(ModuleOp module) {
  auto manifest = module->getAttrOfType<StringAttr>(SoapDialect::kManifest);
  if (!manifest)
    return module.emitError("has no '")
           << SoapDialect::kManifest
           << "': expected a module that '--soap-lower-to-cpu' made";
  return manifest.str();
}

FailureOr<SmallVector<char, 0>>
mlir::soap::compileToObject(ModuleOp module, const CodeTarget &target,
                            int optLevel) {
  initializeTargets();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::TargetMachine> machine =
      makeMachine(module, target, optLevel);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translateModuleToLLVMIR(module, context);
  if (!code)
    return module.emitError("cannot be translated to LLVM IR");
  if (failed(checkCode(module, *code)))
    return failure();
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  code->setPICLevel(llvm::PICLevel::BigPIC);
  if (!target.tuneCpu.empty())
    for (llvm::Function &function : *code)
      function.addFnAttr("tune-cpu", target.tuneCpu);
  if (optLevel > 0)
    optimize(*code, *machine, optLevel);
  SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return module.emitError("cannot be compiled: the target has no objects");
  passes.run(*code);
  return object;
}
