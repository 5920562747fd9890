//===- Pipeline.cpp - The pipeline soap-lower-gpu-kernels -----------------===//
//
// GPU kernels to NVVM, PTX and cubins by the passes of MLIR.
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
