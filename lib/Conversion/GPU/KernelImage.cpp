//===- KernelImage.cpp - PTX and cubins of GPU kernels --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels do not know each other, so the kernels of a large module are compiled
// in parts, on several threads. The parts do not depend on the machine, and
// their text is joined in the order of the module: the image is the same
// everywhere.
//
//===----------------------------------------------------------------------===//

#include "KernelImage.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Operations of the kernels that are compiled at once: enough that making a
/// compiler for each part does not count.
constexpr int64_t kPartSize = 4000;

/// Whether the module holds kernels alone: nothing that two of them share.
bool holdsKernelsOnly(gpu::GPUModuleOp module) {
  return llvm::all_of(*module.getBody(), [](Operation &op) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    return function && !function.isExternal() &&
           function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
  });
}

int64_t sizeOf(Operation &op) {
  int64_t size = 0;
  op.walk([&](Operation *) { ++size; });
  return size;
}

/// The kernels of a module, as modules of some kernels each, in order.
SmallVector<OwningOpRef<gpu::GPUModuleOp>>
splitModule(gpu::GPUModuleOp module) {
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
  int64_t size = kPartSize;
  for (Operation &kernel : *module.getBody()) {
    if (size >= kPartSize) {
      parts.push_back(cast<gpu::GPUModuleOp>(module->cloneWithoutRegions()));
      parts.back()->getBodyRegion().emplaceBlock();
      size = 0;
    }
    parts.back()->getBody()->push_back(kernel.clone());
    size += sizeOf(kernel);
  }
  return parts;
}

FailureOr<std::string> textOf(gpu::GPUModuleOp module,
                              gpu::TargetAttrInterface target,
                              const gpu::TargetOptions &options) {
  std::optional<SmallVector<char, 0>> text =
      target.serializeToObject(module, options);
  if (!text)
    return module.emitError("kernels have no PTX");
  StringRef line(text->data(), text->size());
  return line.rtrim('\0').str();
}

/// The text after the header of a file of PTX.
StringRef bodyOf(StringRef text) {
  return text.split(".address_size 64\n").second;
}

/// Whether a file has entries alone, so that it may stand behind another.
bool hasEntriesOnly(StringRef text) {
  StringRef rest = bodyOf(text);
  if (rest.empty())
    return false;
  while (!rest.empty()) {
    auto [line, behind] = rest.split('\n');
    if (line.starts_with(".") && !line.starts_with(".visible .entry ") &&
        !line.starts_with(".maxntid") && !line.starts_with(".reqntid") &&
        !line.starts_with(".minnctapersm"))
      return false;
    rest = behind;
  }
  return true;
}

/// The PTX of all kernels.
FailureOr<std::string> ptxOf(gpu::GPUModuleOp module,
                             gpu::TargetAttrInterface target,
                             const gpu::TargetOptions &options) {
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
  if (holdsKernelsOnly(module))
    parts = splitModule(module);
  if (parts.size() < 2)
    return textOf(module, target, options);
  SmallVector<std::string> texts(parts.size());
  if (failed(failableParallelForEachN(
          module.getContext(), 0, parts.size(), [&](size_t i) {
            FailureOr<std::string> text = textOf(*parts[i], target, options);
            if (succeeded(text))
              texts[i] = std::move(*text);
            return LogicalResult(text);
          })))
    return failure();
  // Tables and functions of two parts could have the same name.
  if (!llvm::all_of(texts, hasEntriesOnly))
    return textOf(module, target, options);
  std::string text = std::move(texts[0]);
  for (StringRef other : ArrayRef(texts).drop_front())
    text += bodyOf(other);
  return text;
}

/// Compiles PTX with ptxas. Returns the bytes of a cubin.
FailureOr<std::string> assemble(gpu::GPUModuleOp module,
                                NVVM::NVVMTargetAttr target, StringRef ptx,
                                StringRef ptxas) {
  std::array<SmallString<64>, 3> files; // PTX, cubin, what ptxas says
  std::array<StringRef, 3> endings{"ptx", "cubin", "log"};
  llvm::scope_exit remove([&] {
    for (StringRef file : files)
      if (!file.empty())
        (void)llvm::sys::fs::remove(file);
  });
  auto cannot = [&](StringRef what, std::error_code error) {
    return module.emitError("cannot ") << what << ": " << error.message();
  };
  for (auto [file, ending] : llvm::zip(files, endings))
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("soap-kernels", ending, file))
      return cannot("make a temporary file", error);
  std::error_code error;
  {
    llvm::raw_fd_ostream os(files[0], error);
    if (!error) {
      os << ptx;
      os.close();
      error = os.error();
      os.clear_error();
    }
  }
  if (error)
    return cannot("write the PTX", error);
  std::string level = std::to_string(target.getO());
  std::string problem;
  std::optional<StringRef> log(files[2].str());
  int code = llvm::sys::ExecuteAndWait(
      ptxas,
      {ptxas, "-arch", target.getChip(), files[0], "-o", files[1],
       "--opt-level", level},
      /*Env=*/std::nullopt, /*Redirects=*/{std::nullopt, log, log},
      /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  if (code != 0) {
    auto said = llvm::MemoryBuffer::getFile(files[2]);
    return module.emitError("'")
           << ptxas << "' ended with " << code << ": "
           << (problem.empty() && said ? (*said)->getBuffer().take_front(2000)
                                       : StringRef(problem));
  }
  auto cubin = llvm::MemoryBuffer::getFile(files[1]);
  if (!cubin)
    return cannot("read what ptxas wrote", cubin.getError());
  return (*cubin)->getBuffer().str();
}

} // namespace

LogicalResult mlir::soap::makeImage(gpu::GPUModuleOp module, StringRef toolkit,
                                    StringRef ptxas) {
  if (!module.getTargetsAttr())
    return module.emitError("has no target to be compiled for");
  SmallVector<Attribute> objects;
  gpu::TargetOptions asText(toolkit, {}, {}, {},
                            gpu::CompilationTarget::Assembly);
  gpu::TargetOptions asBinary(toolkit, {}, {}, {},
                              gpu::CompilationTarget::Binary);
  for (Attribute attribute : module.getTargetsAttr()) {
    auto target = cast<gpu::TargetAttrInterface>(attribute);
    FailureOr<std::string> image = ptxOf(module, target, asText);
    if (failed(image))
      return failure();
    auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(attribute);
    if (!ptxas.empty() && nvvm)
      image = assemble(module, nvvm, *image, ptxas);
    else
      image->push_back('\0'); // The driver reads PTX up to here.
    if (failed(image))
      return failure();
    objects.push_back(target.createObject(
        module, SmallVector<char, 0>(image->begin(), image->end()),
        ptxas.empty() ? asText : asBinary));
  }
  OpBuilder builder(module);
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr,
                        builder.getArrayAttr(objects));
  module->erase();
  return success();
}
