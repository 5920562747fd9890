//===- CallableFunctions.cpp - What compiled code may call ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallableFunctions.h.
//
//===----------------------------------------------------------------------===//

#include "CallableFunctions.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"

using namespace mlir;
using namespace mlir::soap;

/// Functions of libm, without the `f` and `l` of their types.
static const llvm::StringSet<> mathFunctions = {
    "acos",         "acosh",     "asin",    "asinh",        "atan",
    "atan2",        "atanh",     "cbrt",    "ceil",         "copysign",
    "cos",          "cosh",      "erf",     "erfc",         "exp",
    "exp10",        "exp2",      "expm1",   "fabs",         "fdim",
    "floor",        "fma",       "fmax",    "fmaximum_num", "fmin",
    "fminimum_num", "fmod",      "frexp",   "hypot",        "ldexp",
    "lgamma",       "llrint",    "llround", "log",          "log10",
    "log1p",        "log2",      "logb",    "lrint",        "lround",
    "modf",         "nearbyint", "pow",     "remainder",    "rint",
    "round",        "roundeven", "sin",     "sincos",       "sinh",
    "sqrt",         "tan",       "tanh",    "tgamma",       "trunc"};

/// Memory, and arithmetic that processors lack: conversions of half precision,
/// wide integers. The linker has the table of addresses.
static const llvm::StringSet<> helpers = {
    "memcpy",         "memmove",
    "memset",         "memcmp",
    "bcmp",           "__extendhfsf2",
    "__extendhfdf2",  "__extendbfsf2",
    "__truncsfhf2",   "__truncdfhf2",
    "__truncsfbf2",   "__truncdfbf2",
    "__gnu_h2f_ieee", "__gnu_f2h_ieee",
    "__multi3",       "__divti3",
    "__modti3",       "__udivti3",
    "__umodti3",      "__ashlti3",
    "__ashrti3",      "__lshrti3",
    "__fixsfti",      "__fixdfti",
    "__fixunssfti",   "__fixunsdfti",
    "__floattisf",    "__floattidf",
    "__floatuntisf",  "__floatuntidf",
    "__popcountdi2",  "__powisf2",
    "__powidf2",      "_GLOBAL_OFFSET_TABLE_"};

bool mlir::soap::isCompilerFunction(StringRef name) {
  if (helpers.contains(name) || mathFunctions.contains(name))
    return true;
  return (name.ends_with("f") || name.ends_with("l")) &&
         mathFunctions.contains(name.drop_back());
}

LogicalResult mlir::soap::checkCode(ModuleOp module, const llvm::Module &code) {
  for (StringRef name : {"llvm.global_ctors", "llvm.global_dtors"})
    if (code.getNamedGlobal(name))
      return module.emitError("has '")
             << name
             << "': expected no functions that run when the code is loaded";
  bool hasAssembly = !code.getModuleInlineAsm().empty();
  for (const llvm::Function &function : code)
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        hasAssembly |= call->isInlineAsm();
  if (hasAssembly)
    return module.emitError("has inline assembly, which device programs may "
                            "not have");
  return success();
}

LogicalResult
mlir::soap::checkSymbols(ModuleOp module, ArrayRef<char> object,
                         llvm::function_ref<bool(StringRef)> isProvided) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(StringRef(object.data(), object.size()), "soap"));
  if (!file)
    return module.emitError("cannot be compiled: ")
           << llvm::toString(file.takeError());
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() ||
        isCompilerFunction(*name) || isProvided(*name))
      continue;
    Operation *declaration = SymbolTable::lookupSymbolIn(module, *name);
    return emitError(declaration ? declaration->getLoc() : module.getLoc())
           << "function '" << *name
           << "' is none that device programs may call: expected soap_rt_* of "
              "Soap/ABI/Runtime.h, soap_gpu_*, or a function of libm";
  }
  return success();
}
