//===- Passes.h - Passes from soap programs to LLVM -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of the conversion passes and of the pipeline that runs them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CONVERSION_PASSES_H
#define SOAP_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class ModuleOp;
namespace arith {
class ArithDialect;
} // namespace arith
namespace bufferization {
class BufferizationDialect;
} // namespace bufferization
namespace cf {
class ControlFlowDialect;
} // namespace cf
class DLTIDialect;
namespace func {
class FuncDialect;
} // namespace func
namespace gpu {
class GPUDialect;
} // namespace gpu
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace math {
class MathDialect;
} // namespace math
namespace memref {
class MemRefDialect;
} // namespace memref
namespace mpi {
class MPIDialect;
} // namespace mpi
namespace scf {
class SCFDialect;
} // namespace scf
namespace tensor {
class TensorDialect;
} // namespace tensor
namespace vector {
class VectorDialect;
} // namespace vector
} // namespace mlir

namespace mlir::soap {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Soap/Conversion/Passes.h.inc"

/// The library that carries messages between devices.
enum class Communication { Runtime, MPI };

/// How far `--soap-lower-to-cuda` goes.
enum class LoweringStage { Launches, Image };

/// Options of `--soap-lower-to-cpu`.
struct LowerToCpuOptions : public PassPipelineOptions<LowerToCpuOptions> {
  PassOptions::Option<std::string> library{
      *this, "library",
      llvm::cl::desc("Library for convolution and matmul: onednn, onednn-f32 "
                     "(products of bf16 as products of f32) or none"),
      llvm::cl::init("onednn")};
  PassOptions::Option<bool> fuse{
      *this, "fuse",
      llvm::cl::desc("Fuse elementwise chains and write loops for speed"),
      llvm::cl::init(true)};
  PassOptions::Option<std::string> layout{
      *this, "layout",
      llvm::cl::desc("Images between library convolutions: nchw, nhwc "
                     "(channels last), nchw8c, nchw16c (blocks of channels), "
                     "or auto: blocks as wide as this machine's vectors"),
      llvm::cl::init("auto")};
  PassOptions::Option<bool> threads{
      *this, "threads",
      llvm::cl::desc("With fuse: run loops of kernels on all threads of a "
                     "device"),
      llvm::cl::init(true)};
  PassOptions::Option<int64_t> minWork{
      *this, "min-work",
      llvm::cl::desc("Operations from which a loop is worth several threads"),
      llvm::cl::init(30000)};
  PassOptions::Option<int64_t> outlineTasks{
      *this, "outline-tasks",
      llvm::cl::desc("Tasks that repeat become functions where each call saves "
                     "more than N tasks; 0: all tasks are written out"),
      llvm::cl::init(16)};
  PassOptions::Option<Communication> comm{
      *this, "comm", llvm::cl::desc("Calls for messages between devices"),
      llvm::cl::values(
          clEnumValN(Communication::Runtime, "runtime",
                     "soap_rt_*, for soap-run"),
          clEnumValN(
              Communication::MPI, "mpi",
              "mpi ops, no runtime of Soap; library=none threads=false")),
      llvm::cl::init(Communication::Runtime)};
  PassOptions::Option<std::string> mpi{
      *this, "mpi",
      llvm::cl::desc("With comm=mpi: the library, OpenMPI or MPICH"),
      llvm::cl::init("OpenMPI")};
};

/// Device programs, or whole functions of soap ops, to LLVM and a manifest.
/// With `library=none fuse=false` this is the reference lowering. With
/// `comm=mpi` to functions of upstream dialects.
void buildLowerToCpuPipeline(OpPassManager &pm,
                             const LowerToCpuOptions &options);

/// Options of the image of the kernels, for both pipelines for GPUs.
template <typename Pipeline>
struct KernelImageOptions : public PassPipelineOptions<Pipeline> {
  using PassOptions = ::mlir::detail::PassOptions;
  PassOptions::Option<std::string> chip{
      *this, "chip", llvm::cl::desc("Chip to compile for, as ptxas calls it"),
      llvm::cl::init("sm_90")};
  PassOptions::Option<std::string> format{
      *this, "format",
      llvm::cl::desc("Image of the kernels: isa (PTX, which the driver "
                     "compiles) or bin (a cubin, which needs ptxas here)"),
      llvm::cl::init("bin")};
  PassOptions::Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc("CUDA toolkit with bin/ptxas and nvvm/libdevice "
                     "(default: CUDA_ROOT, CUDA_HOME, CUDA_PATH, or where the "
                     "ptxas of PATH is)"),
      llvm::cl::init("")};
};

/// Options of `--soap-lower-gpu-kernels`.
struct LowerGpuKernelsOptions
    : public KernelImageOptions<LowerGpuKernelsOptions> {
  PassOptions::Option<bool> approximate{
      *this, "approximate",
      llvm::cl::desc("Polynomial approximations of functions in f32"),
      llvm::cl::init(true)};
  PassOptions::Option<std::string> image{
      *this, "image",
      llvm::cl::desc("File for the image, beside a table of its kernels, "
                     "FILE.json; none if empty"),
      llvm::cl::init("")};
};

/// Lowers the kernels of `--soap-kernels-to-gpu` to an image for a chip.
/// Buffers are pointers; no other part of the module changes.
void buildLowerGpuKernelsPipeline(OpPassManager &pm,
                                  const LowerGpuKernelsOptions &options);

/// Options of `--soap-lower-to-cuda`.
struct LowerToCudaOptions : public KernelImageOptions<LowerToCudaOptions> {
  PassOptions::Option<std::string> library{
      *this, "library",
      llvm::cl::desc("Library for convolution and matmul: cuda or none"),
      llvm::cl::init("cuda")};
  PassOptions::Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc("Operands of convolution and matmul: f32, tf32 (of "
                     "library=cuda) or bf16. Sums, weights and all else are "
                     "in f32. Default, and what it must agree with: the "
                     "module's soap.precision, else f32"),
      llvm::cl::init("")};
  PassOptions::Option<std::string> layout{
      *this, "layout",
      llvm::cl::desc("Images between convolutions of cuDNN: nchw, nhwc "
                     "(channels last), or auto: nhwc in tf32 and bf16 from "
                     "sm_80 on"),
      llvm::cl::init("auto")};
  PassOptions::Option<bool> convEpilogues{
      *this, "conv-epilogues",
      llvm::cl::desc("Bias and relu behind a convolution, and the gradient of "
                     "relu behind that of its input, are part of the call of "
                     "cuDNN (library=cuda)"),
      llvm::cl::init(true)};
  PassOptions::Option<std::string> libraryPooling{
      *this, "library-pooling",
      llvm::cl::desc("Pooling by cuDNN (library=cuda): none; exact: all but "
                     "the gradient of a maximum; or all: that too, though "
                     "cuDNN does not say which of equal maxima it goes to"),
      llvm::cl::init("none")};
  PassOptions::Option<std::string> libraryNorms{
      *this, "library-norms",
      llvm::cl::desc("Batch norm in training, and its gradient, by cuDNN "
                     "where one device has the whole batch (library=cuda): "
                     "true, false, or auto: of images with channels first"),
      llvm::cl::init("auto")};
  PassOptions::Option<int64_t> padProducts{
      *this, "pad-products",
      llvm::cl::desc("Multiply-adds from which on rows of a product of tf32 or "
                     "bf16 are padded to 16 bytes; 0: of all products"),
      llvm::cl::init(int64_t(1) << 30)};
  PassOptions::Option<std::string> attention{
      *this, "attention",
      llvm::cl::desc("Attention and its gradients as one call each of cuDNN, "
                     "without the matrix of queries by keys in memory "
                     "(library=cuda, precision=bf16): cuda, none, or auto: "
                     "cuda from sm_80 on"),
      llvm::cl::init("auto")};
  PassOptions::Option<int64_t> attentionTile{
      *this, "attention-tile",
      llvm::cl::desc("Scores of attention that are in memory at most, where "
                     "it is products and kernels"),
      llvm::cl::init(int64_t(1) << 26)};
  PassOptions::Option<int64_t> workspace{
      *this, "workspace",
      llvm::cl::desc("MiB that a call of cuDNN or cuBLAS may use at most; they "
                     "are part of the program's arena. 0: what the library "
                     "asks for is allocated beside it"),
      llvm::cl::init(64)};
  PassOptions::Option<bool> hostReferences{
      *this, "host-references",
      llvm::cl::desc("Compile kernels for the CPU, too, so that programs run "
                     "without a GPU"),
      llvm::cl::init(true)};
  PassOptions::Option<LoweringStage> until{
      *this, "until", llvm::cl::desc("Where to stop"),
      llvm::cl::values(
          clEnumValN(LoweringStage::Image, "image",
                     "host programs with the image of their kernels"),
          clEnumValN(LoweringStage::Launches, "launches",
                     "before the image, for --soap-audit-launches")),
      llvm::cl::init(LoweringStage::Image)};
  PassOptions::Option<int64_t> streams{
      *this, "streams",
      llvm::cl::desc("Streams of a device: the last one for messages, if "
                     "there are several"),
      llvm::cl::init(2)};
  PassOptions::Option<int64_t> outlineTasks{
      *this, "outline-tasks",
      llvm::cl::desc("Tasks that repeat become functions where each call saves "
                     "more than N tasks; 0: all tasks are written out"),
      llvm::cl::init(16)};
};

/// Device programs, or whole functions of soap ops, to a host program that
/// launches kernels, their image, and a manifest.
void buildLowerToCudaPipeline(OpPassManager &pm,
                              const LowerToCudaOptions &options);

/// All passes of this library, and the pipelines `soap-lower-to-cpu`,
/// `soap-lower-gpu-kernels` and `soap-lower-to-cuda`.
void registerSoapConversionPasses();

} // namespace mlir::soap

#endif // SOAP_CONVERSION_PASSES_H
