//===- JIT.cpp - Runs lowered modules in this process ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects, fresh or from the cache on disk, linked into this process by LLJIT.
//
//===----------------------------------------------------------------------===//

#include "Soap/Compiler/JIT.h"

#include "CallableFunctions.h"
#include "ObjectCache.h"
#include "ObjectCode.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace mlir;
using namespace mlir::soap;

JITModule::JITModule() = default;
JITModule::~JITModule() = default;

namespace {

/// Finds functions that the runtime provides when code names them.
class RuntimeGenerator : public llvm::orc::DefinitionGenerator {
public:
  RuntimeGenerator(JITModule::Resolver resolver, char prefix)
      : resolver(resolver), prefix(prefix) {}

  llvm::Error tryToGenerate(llvm::orc::LookupState &, llvm::orc::LookupKind,
                            llvm::orc::JITDylib &library,
                            llvm::orc::JITDylibLookupFlags,
                            const llvm::orc::SymbolLookupSet &names) override {
    llvm::orc::SymbolMap symbols;
    for (const auto &[name, flags] : names) {
      StringRef text = *name;
      if (prefix)
        text.consume_front(StringRef(&prefix, 1));
      if (void *address = resolver(text.str().c_str()))
        symbols[name] = {llvm::orc::ExecutorAddr::fromPtr(address),
                         llvm::JITSymbolFlags::Exported |
                             llvm::JITSymbolFlags::Callable};
    }
    if (symbols.empty())
      return llvm::Error::success();
    return library.define(llvm::orc::absoluteSymbols(std::move(symbols)));
  }

private:
  JITModule::Resolver resolver;
  char prefix;
};

/// Nothing but libm and helpers of the compiler is found in the process.
llvm::Error addGenerators(llvm::orc::LLJIT &jit, JITModule::Resolver resolver) {
  char prefix = jit.getDataLayout().getGlobalPrefix();
  llvm::orc::JITDylib &library = jit.getMainJITDylib();
  if (resolver)
    library.addGenerator(std::make_unique<RuntimeGenerator>(resolver, prefix));
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      prefix, [](const llvm::orc::SymbolStringPtr &name) {
        return isCompilerFunction(*name);
      });
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return llvm::Error::success();
}

} // namespace

FailureOr<std::unique_ptr<JITModule>>
JITModule::create(ModuleOp module, Resolver resolver, int optLevel,
                  const ObjectCache *cache) {
  auto fail = [&](llvm::Error error) -> FailureOr<std::unique_ptr<JITModule>> {
    module.emitError("cannot be compiled for this machine: ")
        << llvm::toString(std::move(error));
    return failure();
  };
  FailureOr<std::string> manifest = manifestOf(module);
  if (failed(manifest))
    return failure();
  FailureOr<CodeTarget> target = hostTarget(module);
  if (failed(target))
    return failure();
  FailureOr<SmallVector<char, 0>> object =
      cache ? cache->compile(module, *target, optLevel)
            : compileToObject(module, *target, optLevel);
  if (failed(object) ||
      failed(checkSymbols(module, *object, [&](StringRef name) {
        return resolver && resolver(name.str().c_str());
      })))
    return failure();

  auto host = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return fail(host.takeError());
  auto jit = llvm::orc::LLJITBuilder()
                 .setJITTargetMachineBuilder(std::move(*host))
                 .create();
  if (!jit)
    return fail(jit.takeError());
  if (llvm::Error error = addGenerators(**jit, resolver))
    return fail(std::move(error));
  if (llvm::Error error =
          (*jit)->addObjectFile(std::make_unique<llvm::SmallVectorMemoryBuffer>(
              std::move(*object), "soap", /*RequiresNullTerminator=*/false)))
    return fail(std::move(error));

  std::unique_ptr<JITModule> result(new JITModule);
  result->jit = std::move(*jit);
  result->manifestText = std::move(*manifest);
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
