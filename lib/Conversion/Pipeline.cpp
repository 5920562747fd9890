//===- Pipeline.cpp - Pipelines and their registration --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the passes to the CPU, and the registration of all pipelines.
//
//===----------------------------------------------------------------------===//

#include "Soap/Conversion/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::soap;

void mlir::soap::buildLowerToCpuPipeline(OpPassManager &pm,
                                         const LowerToCpuOptions &options) {
  pm.addPass(createSoapSinglePrograms());
  SoapNarrowProductsOptions narrow;
  narrow.precision = ""; // the module's
  bool overMPI = options.comm == Communication::MPI;
  // The library's functions for bf16 compute in f32 where the processor does
  // not multiply bf16.
  narrow.keepNarrow = options.library == "onednn" && !overMPI;
  pm.addPass(createSoapNarrowProducts(narrow));
  // Sends of MPI may wait for their receivers, so they stay in the order of the
  // schedule.
  if (!overMPI)
    pm.addPass(createSoapHoistSends());
  SoapOutlineKernelsOptions outline;
  outline.library = overMPI ? std::string("none")
                    : options.library == "onednn-f32"
                        ? std::string("onednn")
                        : options.library.getValue();
  outline.fuse = options.fuse;
  outline.layout = options.layout;
  pm.addPass(createSoapOutlineKernels(outline));
  if (options.threads && options.fuse && !overMPI) {
    SoapParallelizeKernelsOptions parallelize;
    parallelize.minWork = options.minWork;
    pm.addPass(createSoapParallelizeKernels(parallelize));
  }
  pm.addPass(createSoapBufferizePrograms());
  pm.addPass(createSoapPlanMemory());
  if (overMPI) {
    SoapProgramsToMPIOptions toMPI;
    toMPI.implementation = options.mpi;
    pm.addPass(createSoapProgramsToMPI(toMPI));
    return;
  }
  pm.addPass(createSoapEmitManifest());
  SoapProgramsToLLVMOptions toLLVM;
  toLLVM.approximate = options.fuse;
  toLLVM.outlineTasks = options.outlineTasks;
  pm.addPass(createSoapProgramsToLLVM(toLLVM));
}

void mlir::soap::registerSoapConversionPasses() {
  registerSoapConversionTablePasses();
  PassPipelineRegistration<LowerToCpuOptions>(
      "soap-lower-to-cpu",
      "Programs to LLVM functions and a manifest: kernels, buffers, memory "
      "plan",
      buildLowerToCpuPipeline);
  PassPipelineRegistration<LowerGpuKernelsOptions>(
      "soap-lower-gpu-kernels",
      "GPU kernels of --soap-kernels-to-gpu to PTX or a cubin for one chip",
      buildLowerGpuKernelsPipeline);
  PassPipelineRegistration<LowerToCudaOptions>(
      "soap-lower-to-cuda",
      "Programs to host programs that launch GPU kernels, their image, and a "
      "manifest",
      buildLowerToCudaPipeline);
}
