//===- GpuBinary.cpp - Images of GPU kernels ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: the image between checks of what it needs and of what it holds, and
// the files of image and table.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"
#include "KernelImage.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVM/NVVM/Target.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPGPUBINARY
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

std::string joined(StringRef folder, const Twine &a, const Twine &b) {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, a, b);
  return std::string(path);
}

/// As MLIR searches, and where the user's ptxas is. Empty: none.
std::string findToolkit() {
  for (const char *name : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const char *value = std::getenv(name); value && *value)
      return value;
  if (auto ptxas = llvm::sys::findProgramByName("ptxas")) {
    SmallString<128> real;
    if (!llvm::sys::fs::real_path(*ptxas, real))
      return llvm::sys::path::parent_path(llvm::sys::path::parent_path(real))
          .str();
  }
  return "";
}

bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

/// Functions that PTX declares and does not hold; for these a line is
/// `.extern .func (.param .b32 r) NAME`, the result being optional.
SmallVector<StringRef> unresolvedFunctions(StringRef ptx) {
  SmallVector<StringRef> names;
  constexpr StringLiteral word = ".extern .func";
  for (size_t at = ptx.find(word); at != StringRef::npos;
       at = ptx.find(word, at + 1)) {
    StringRef rest = ptx.substr(at + word.size()).ltrim();
    if (rest.consume_front("("))
      rest = rest.substr(rest.find(')')).drop_front().ltrim();
    StringRef name = rest.take_while(isNamePart);
    // LLVM declares it, and the driver has it.
    if (!name.empty() && name != "vprintf")
      names.push_back(name);
  }
  return names;
}

/// A kernel is a section of a cubin, `.text.NAME`, or an entry of PTX.
llvm::StringSet<> kernelsOf(gpu::ObjectAttr object) {
  llvm::StringSet<> names;
  StringRef image = object.getObject().getValue();
  bool isText = object.getFormat() == gpu::CompilationTarget::Assembly;
  StringRef before = isText ? ".entry " : ".text.";
  for (size_t at = image.find(before); at != StringRef::npos;
       at = image.find(before, at + 1))
    names.insert(image.substr(at + before.size()).take_while(isNamePart));
  return names;
}

struct GpuBinaryPass
    : public mlir::soap::impl::SoapGpuBinaryBase<GpuBinaryPass> {
  using SoapGpuBinaryBase::SoapGpuBinaryBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SoapGpuBinaryBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
    NVVM::registerNVVMTargetInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    if (failed(makeBinary()))
      return signalPassFailure();
    ModuleOp module = getOperation();
    for (auto binary : module.getOps<gpu::BinaryOp>())
      if (failed(checkFunctions(binary)))
        return signalPassFailure();
    calls.clear();
    module.walk([&](ParallelCallOp call) {
      if (call->hasAttr(kGpuKernel))
        calls.push_back(call);
    });
    auto binary = module.lookupSymbol<gpu::BinaryOp>(kGpuModuleName);
    if (failed(checkKernels(binary)) ||
        (!image.empty() && failed(write(binary))))
      return signalPassFailure();
  }

private:
  SmallVector<ParallelCallOp> calls;

  LogicalResult makeBinary() {
    ModuleOp module = getOperation();
    if (format != "isa" && format != "bin")
      return module.emitError()
             << "unknown format '" << format << "': expected isa or bin";
    if (module.getOps<gpu::GPUModuleOp>().empty())
      return success();
    std::string folder = toolkit.empty() ? findToolkit() : toolkit.getValue();
    std::string libdevice = joined(folder, "nvvm", "libdevice/libdevice.10.bc");
    bool hasLibdevice = llvm::sys::fs::is_regular_file(libdevice);
    if (!toolkit.empty() && !hasLibdevice)
      return module.emitError() << "no CUDA toolkit in '" << toolkit
                                << "': expected '" << libdevice << "'";
    if (format == "bin" &&
        !llvm::sys::fs::can_execute(joined(folder, "bin", "ptxas")))
      return module.emitError()
             << (folder.empty()
                     ? Twine("found no CUDA toolkit")
                     : "no ptxas in the CUDA toolkit '" + Twine(folder) + "'")
             << ": expected toolkit=PATH with bin/ptxas, or format=isa";
    for (auto gpuModule :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
      useInstructions(gpuModule);
      // Without libdevice MLIR would stop here, though few kernels need it.
      if (failed(
              makeImage(gpuModule, hasLibdevice ? folder : "",
                        format == "bin" ? joined(folder, "bin", "ptxas") : "")))
        return failure();
    }
    return success();
  }

  static LogicalResult checkFunctions(gpu::BinaryOp binary) {
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
      // ptxas has checked what it assembled.
      if (object.getFormat() != gpu::CompilationTarget::Assembly)
        continue;
      for (StringRef name :
           unresolvedFunctions(object.getObject().getValue())) {
        // The driver has it.
        if (name == "__assertfail")
          continue;
        // Not at the op, which would be printed with all of its PTX.
        return emitError(binary.getLoc())
               << "the image '" << binary.getSymName() << "' calls '" << name
               << "', which it does not hold"
               << (name.starts_with("__nv_")
                       ? ": expected toolkit=PATH of a CUDA toolkit, whose "
                         "libdevice defines it"
                       : "");
      }
    }
    return success();
  }

  LogicalResult checkKernels(gpu::BinaryOp binary) {
    SmallVector<llvm::StringSet<>> images;
    if (binary)
      for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
        images.push_back(kernelsOf(object));
    for (ParallelCallOp call : calls) {
      auto name = call->getAttrOfType<SymbolRefAttr>(kGpuKernel);
      StringRef kernel = name.getLeafReference();
      bool found = binary && name.getRootReference() == kGpuModuleName &&
                   llvm::all_of(images, [&](const llvm::StringSet<> &image) {
                     return image.contains(kernel);
                   });
      if (!found)
        return call.emitOpError()
               << "names the GPU kernel " << name << ", which no image holds";
    }
    return success();
  }

  LogicalResult write(gpu::BinaryOp binary) {
    ModuleOp module = getOperation();
    if (!binary)
      return module.emitError() << "no GPU kernels to write to '" << image
                                << "': expected --soap-kernels-to-gpu before";
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    return failure(
        failed(writeFile(image, object.getObject().getValue())) ||
        failed(writeFile(image + ".json", kernelTable(binary, object))));
  }

  LogicalResult writeFile(const std::string &path, StringRef contents) {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << contents;
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (!error)
      return success();
    return getOperation().emitError()
           << "cannot write '" << path << "': " << error.message();
  }

  std::string kernelTable(gpu::BinaryOp binary, gpu::ObjectAttr object) {
    llvm::StringSet<> written;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os, /*IndentSize=*/1);
    json.object([&] {
      bool isText = object.getFormat() == gpu::CompilationTarget::Assembly;
      json.attribute("format", isText ? "isa" : "bin");
      json.attributeArray("kernels", [&] {
        for (ParallelCallOp call : calls) {
          StringRef name =
              call->getAttrOfType<SymbolRefAttr>(kGpuKernel).getLeafReference();
          if (!written.insert(name).second)
            continue;
          json.object([&] {
            json.attribute("name", name);
            json.attribute("extent", call.getExtent());
            json.attributeArray("buffers", [&] {
              for (Type type : call.getBuffers().getTypes())
                writeBuffer(json, cast<MemRefType>(type));
            });
          });
        }
      });
    });
    return text;
  }

  static void writeBuffer(llvm::json::OStream &json, MemRefType type) {
    json.object([&] {
      json.attributeArray("shape", [&] {
        for (int64_t size : type.getShape())
          json.value(size);
      });
      std::string element;
      llvm::raw_string_ostream(element) << type.getElementType();
      json.attribute("element", element);
    });
  }
};

} // namespace
