//===- EmbedImage.cpp - The image of the kernels as data of the module ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: what gpu-module-to-binary made becomes two constants that the
// runtime finds by name, in compiled code and in artifacts alike.
//
//===----------------------------------------------------------------------===//

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPEMBEDIMAGE
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct EmbedImagePass
    : public mlir::soap::impl::SoapEmbedImageBase<EmbedImagePass> {
  using SoapEmbedImageBase::SoapEmbedImageBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto binary = module.lookupSymbol<gpu::BinaryOp>(kGpuModuleName);
    StringRef bytes, format = "bin";
    if (binary) {
      if (binary.getObjects().size() != 1) {
        emitError(binary.getLoc()) << "expected an image for one chip, got "
                                   << binary.getObjects().size();
        return signalPassFailure();
      }
      auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
      bytes = object.getObject().getValue();
      if (object.getFormat() == gpu::CompilationTarget::Assembly)
        format = "isa";
    }
    for (StringRef name : {"soap_gpu_image", "soap_gpu_image_bytes"})
      if (Operation *other = module.lookupSymbol(name)) {
        other->emitOpError("has the name of the image of GPU kernels");
        return signalPassFailure();
      }
    // Where programs launch nothing the image is empty, but there.
    std::string image = bytes.empty() ? std::string(1, '\0') : bytes.str();
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), image.size());
    LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/true,
                           LLVM::Linkage::External, "soap_gpu_image",
                           builder.getStringAttr(image), /*alignment=*/64);
    LLVM::GlobalOp::create(
        builder, module.getLoc(), builder.getI64Type(), /*isConstant=*/true,
        LLVM::Linkage::External, "soap_gpu_image_bytes",
        builder.getI64IntegerAttr(static_cast<int64_t>(bytes.size())));
    if (binary)
      binary.erase();
    module->setAttr(
        kGpuTarget,
        builder.getDictionaryAttr(
            {builder.getNamedAttr("chip", builder.getStringAttr(chip)),
             builder.getNamedAttr("format", builder.getStringAttr(format)),
             builder.getNamedAttr("host_references",
                                  builder.getBoolAttr(hostReferences))}));
  }
};

} // namespace
