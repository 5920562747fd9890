//===- JIT.cpp - Runs lowered modules in this process ---------------------===//
//
// LLJIT without the wrappers of mlir::ExecutionEngine, which would compile
// every function twice.
//
//===----------------------------------------------------------------------===//

#include "Soap/Compiler/JIT.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace mlir::soap;
using llvm::CodeGenOptLevel;

JITModule::JITModule() = default;
JITModule::~JITModule() = default;

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

/// Level 1 is for programs that run a few times: loops are cleaned up, but
/// neither unrolled nor vectorized, which would be most of the compile time.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              int optLevel) {
  llvm::PipelineTuningOptions tuning;
  bool loops = optLevel > 1;
  tuning.LoopUnrolling = tuning.LoopInterleaving = tuning.LoopVectorization =
      tuning.SLPVectorization = loops;
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::CGSCCAnalysisManager callGraphAnalyses;
  llvm::ModuleAnalysisManager moduleAnalyses;
  llvm::PassBuilder builder(&machine, tuning);
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

/// Functions that the runtime provides; the rest (libm, memcpy) is found in the
/// process.
llvm::Error defineRuntime(llvm::orc::LLJIT &jit, const llvm::Module &module,
                          JITModule::Resolver resolver) {
  llvm::orc::SymbolMap symbols;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && resolver)
      if (void *address = resolver(function.getName().str().c_str()))
        symbols[jit.mangleAndIntern(function.getName())] = {
            llvm::orc::ExecutorAddr::fromPtr(address),
            llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      jit.getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  jit.getMainJITDylib().addGenerator(std::move(*process));
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

} // namespace

FailureOr<std::unique_ptr<JITModule>>
JITModule::create(ModuleOp module, Resolver resolver, int optLevel) {
  auto fail = [&](llvm::Error error) -> FailureOr<std::unique_ptr<JITModule>> {
    module.emitError("cannot be compiled for this machine: ")
        << llvm::toString(std::move(error));
    return failure();
  };
  auto manifest = module->getAttrOfType<StringAttr>(SoapDialect::kManifest);
  if (!manifest)
    return module.emitError("has no '")
           << SoapDialect::kManifest
           << "': expected a module that '--soap-lower-to-cpu' made";
  initializeTargets();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return fail(host.takeError());
  host->setCodeGenOptLevel(codeGenLevel(optLevel));
  auto machine = host->createTargetMachine();
  if (!machine)
    return fail(machine.takeError());

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, *context);
  if (!code)
    return module.emitError("cannot be translated to LLVM IR");
  code->setDataLayout((*machine)->createDataLayout());
  code->setTargetTriple((*machine)->getTargetTriple());
  if (optLevel > 0)
    optimize(*code, **machine, optLevel);

  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*host))
                 .create();
  if (!jit)
    return fail(jit.takeError());
  if (llvm::Error error = defineRuntime(**jit, *code, resolver))
    return fail(std::move(error));
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(code), std::move(context))))
    return fail(std::move(error));

  std::unique_ptr<JITModule> result(new JITModule);
  result->jit = std::move(*jit);
  result->manifestText = manifest.str();
  return result;
}

void *JITModule::lookup(StringRef name) {
  auto address = jit->lookup(name);
  if (!address) {
    llvm::consumeError(address.takeError());
    return nullptr;
  }
  return address->toPtr<void *>();
}
