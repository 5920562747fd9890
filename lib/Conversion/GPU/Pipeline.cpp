//===- Pipeline.cpp - Pipelines to GPUs -----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPU kernels to NVVM, PTX and cubins by the passes of MLIR; and programs to
// host programs that launch them.
//
//===----------------------------------------------------------------------===//

#include "Soap/Conversion/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::buildLowerGpuKernelsPipeline(
    OpPassManager &pm, const LowerGpuKernelsOptions &options) {
  SoapPrepareGpuKernelsOptions prepare;
  prepare.chip = options.chip;
  prepare.approximate = options.approximate;
  pm.addPass(createSoapPrepareGpuKernels(prepare));
  GpuNVVMAttachTargetOptions target;
  target.chip = options.chip;
  target.optLevel = 3;
  pm.addPass(createGpuNVVMAttachTarget(target));
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  ConvertGpuOpsToNVVMOpsOptions toNVVM;
  toNVVM.useBarePtrCallConv = true;
  kernels.addPass(createConvertGpuOpsToNVVMOps(toNVVM));
  kernels.addPass(createReconcileUnrealizedCastsPass());
  SoapGpuBinaryOptions binary;
  binary.format = options.format;
  binary.toolkit = options.toolkit;
  binary.image = options.image;
  pm.addPass(createSoapGpuBinary(binary));
}

void mlir::soap::buildLowerToCudaPipeline(OpPassManager &pm,
                                          const LowerToCudaOptions &options) {
  // The passes from here on work in the module's precision.
  SoapSetPrecisionOptions precision;
  precision.precision = options.precision;
  pm.addPass(createSoapSetPrecision(precision));
  // Kernels on tensors, with loops of independent iterations.
  pm.addPass(createSoapSinglePrograms());
  SoapExpandAttentionOptions expand;
  expand.attention = options.attention;
  expand.chip = options.chip;
  expand.precision = "";
  expand.library = options.library;
  expand.tile = options.attentionTile;
  pm.addPass(createSoapExpandAttention(expand));
  SoapNarrowProductsOptions narrow;
  narrow.precision = "";
  narrow.recurrences = options.library == "cuda";
  narrow.scaledProducts = false;
  pm.addPass(createSoapNarrowProducts(narrow));
  SoapOutlineKernelsOptions outline;
  outline.library = options.library;
  outline.workspace = options.workspace;
  if (options.library == "cuda") {
    SoapAssignLayoutsOptions layouts;
    layouts.layout = options.layout;
    layouts.chip = options.chip;
    pm.addPass(createSoapAssignLayouts(layouts));
  }
  SoapCallAttentionOptions attention;
  attention.attention = options.attention;
  attention.chip = options.chip;
  attention.precision = "";
  attention.library = options.library;
  pm.addPass(createSoapCallAttention(attention));
  if (options.library == "cuda") {
    SoapCallProductsOptions products;
    products.workspace = options.workspace;
    products.convEpilogues = options.convEpilogues;
    pm.addPass(createSoapCallProducts(products));
    SoapCallImageOpsOptions images;
    images.pooling = options.libraryPooling;
    images.norms = options.libraryNorms;
    images.workspace = options.workspace;
    pm.addPass(createSoapCallImageOps(images));
  }
  pm.addPass(createSoapOutlineKernels(outline));
  pm.addPass(createSoapSplitSums());
  SoapParallelizeKernelsOptions parallelize;
  parallelize.minWork = 0;
  parallelize.flatten = true;
  pm.addPass(createSoapParallelizeKernels(parallelize));
  pm.addPass(createSoapFinishKernels());
  // Launches on buffers with places in memory and time.
  pm.addPass(createSoapBufferizePrograms());
  pm.addPass(createSoapInlineKernels());
  pm.addPass(createSoapFuseLaunches());
  SoapPadProductsOptions pad;
  pad.minWork = options.padProducts;
  pm.addPass(createSoapPadProducts(pad));
  SoapMergeUpdatesOptions merge;
  merge.neighbours = int64_t(8) << 20;
  pm.addPass(createSoapMergeUpdates(merge));
  pm.addPass(createSoapPlanMemory());
  pm.addPass(createSoapWidenKernels());
  SoapOrderStreamsOptions streams;
  streams.streams = options.streams;
  pm.addPass(createSoapOrderStreams(streams));
  pm.addPass(createSoapVerifyStreams());
  if (options.until == LoweringStage::Launches)
    return;
  // The image.
  SoapKernelsToGpuOptions toGpu;
  toGpu.kernels = "launches";
  pm.addPass(createSoapKernelsToGpu(toGpu));
  LowerGpuKernelsOptions kernels;
  kernels.chip = options.chip.getValue();
  kernels.format = options.format.getValue();
  kernels.toolkit = options.toolkit.getValue();
  buildLowerGpuKernelsPipeline(pm, kernels);
  SoapEmbedImageOptions embed;
  embed.chip = options.chip;
  embed.hostReferences = options.hostReferences;
  pm.addPass(createSoapEmbedImage(embed));
  // The host program.
  pm.addPass(createSoapEmitManifest());
  SoapProgramsToLLVMOptions toLLVM;
  toLLVM.outlineTasks = options.outlineTasks;
  pm.addPass(createSoapProgramsToLLVM(toLLVM));
}
