//===- Passes.td - Passes from soap programs to LLVM -------*- tablegen -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps of `--soap-lower-to-cpu`, each a pass of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CONVERSION_PASSES_TD
#define SOAP_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def SoapOutlineKernels : Pass<"soap-outline-kernels", "::mlir::ModuleOp"> {
  let summary =
      "Replaces the ops of programs by calls of kernels and of library functions";
  let description = [{
    Every op that computes becomes a destination-style call: `soap.library_call`
    for convolution and matmul in f32, and in bf16 of oneDNN, where there is a
    library, else
    `soap.kernel_call` of a generated function on buffers. Ops of the same name,
    attributes and types share a kernel. A reshape becomes a view, a constant
    `arith.constant`, a send of a part of a tile a packing kernel and a send of
    its result.

    With `fuse`, elementwise ops whose only user is elementwise too are part of
    the user's kernel, loops that no operand tells apart are one loop, and sums
    may be reassociated. Without it (and with `library=none`) every op has its
    reference kernel: the formula of the op as a loop nest.

    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %y = soap.relu %x : tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```

    becomes

    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %e = tensor.empty() : tensor<4x8xf32>
      %y = soap.kernel_call @kernel_0_relu ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {elementwise} -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    func.func private @kernel_0_relu(%x: memref<4x8xf32>, %y: memref<4x8xf32>) { ... }
    ```
  }];
  let options = [
    Option<"library", "library", "std::string",
           /*default=*/"\"onednn\"", "Library for convolution and matmul: "
           "onednn, cuda (cuDNN and cuBLAS) or none">,
    Option<"fuse", "fuse", "bool",
           /*default=*/"true", "Fuse elementwise chains and write loops for "
           "speed">,
    Option<"precision", "precision", "std::string",
           /*default=*/"\"\"", "What cuDNN and cuBLAS read of f32: f32, or "
           "tf32 (10 bits of fraction); default: the module's soap.precision">,
    Option<"workspace", "workspace", "int64_t",
           /*default=*/"0", "MiB that a call of cuDNN or cuBLAS may use at "
           "most, as a buffer of the program">,
    Option<"layout", "layout", "std::string",
           /*default=*/"\"auto\"", "Images between library convolutions: "
           "nchw, nhwc (channels last), nchw8c, nchw16c (blocks of "
           "channels), or auto: blocks as wide as this machine's vectors">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SoapParallelizeKernels : Pass<"soap-parallelize-kernels", "::mlir::ModuleOp"> {
  let summary = "Loops of kernels run on all threads of a device";
  let description = [{
    A loop whose iterations write different elements, and read of these none
    that another iteration writes, becomes a function of a range of iterations,
    and `soap.parallel_call` takes its place. That is decided by the positions
    of all loads and stores: linear in the loops around them, so that a position
    says which iteration it belongs to. Every element is computed as before;
    results do not depend on the number of threads.

    Loops with fewer than `min-work` operations stay: threads take microseconds
    to meet.

    With `flatten`, all independent loops of a nest are one loop, whose
    iterations are counted with the innermost loop fastest: for GPUs, whose
    threads take one iteration each and read what lies side by side.

    ```mlir
    func.func private @kernel_0_relu(%x: memref<4096xf32>, %y: memref<4096xf32>) {
      scf.for %i = %c0 to %c4096 step %c1 { ... }
    ```

    becomes

    ```mlir
    func.func private @kernel_0_relu(%x: memref<4096xf32>, %y: memref<4096xf32>) {
      soap.parallel_call @kernel_0_relu_loop extent 4096 grain 16 (%x, %y) : memref<4096xf32>, memref<4096xf32>
    ```
  }];
  let options = [
    Option<"minWork", "min-work", "int64_t",
           /*default=*/"30000", "Operations from which a loop is worth "
           "several threads">,
    Option<"flatten", "flatten", "bool",
           /*default=*/"false", "All independent loops of a nest as one">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapSetPrecision : Pass<"soap-set-precision", "::mlir::ModuleOp"> {
  let summary = "Says in which precision products of f32 are computed";
  let description = [{
    Sets `soap.precision` on the module: what matmul, convolution, their
    gradients and recurrences read of operands of f32, on GPUs. `f32`, which
    holds without it; `tf32`, of which 10 bits of fraction are read; or `bf16`,
    to which operands are rounded. Weights, updates and sums are in f32 in all
    of them. The cost model prices it (docs/CostModel.md), and
    `--soap-lower-to-cuda` computes it, so it is set before a strategy is
    searched. Another precision than that which the module already has, or was
    partitioned with, is an error.

    ```mlir
    module {
    ```

    with `precision=tf32` becomes

    ```mlir
    module attributes {soap.precision = #soap.precision<tf32>} {
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string",
           /*default=*/"\"\"", "f32, tf32 or bf16; empty: what the module "
           "has">
  ];
}

def SoapSinglePrograms : Pass<"soap-single-programs", "::mlir::ModuleOp"> {
  let summary = "Turns unpartitioned functions into programs of one device";
  let description = [{
    Modules without `soap.programs` get one: every function of soap ops is the
    program of device 0, on whole tensors, in the order of its ops. So what
    follows need not tell partitioned modules from others. In modules with
    `soap.programs`, ops that `--soap-partition` has outlined come in place of
    their calls, and convolutions read images of which their tile is the
    beginning, where their windows are the same: a window of 1x1 with stride 2
    leaves out the last row of an even number, and needs no copy without it.

    ```mlir
    func.func @forward(%x: tensor<4xf32> {soap.name = "x"}) -> tensor<4xf32> {
      %y = soap.relu %x {soap.name = "relu"} : tensor<4xf32>
    ```

    gets

    ```mlir
    soap.programs = [{entry = "forward", ranks = [{device = 0 : i64, program = @forward, tasks = array<i64: 0>, ...} ], ...} ]
    ```
  }];
}

def SoapHoistSends : Pass<"soap-hoist-sends", "::mlir::ModuleOp"> {
  let summary = "Sends stand right behind the op that makes their tile";
  let description = [{
    The schedule has a copy between CPU devices in the queue of its receiver, at
    the time at which it is made. A send costs its device nothing and never
    waits, so programs may say where a message lies as soon as it exists: the
    receiver then finds it there, whatever else the sender does meanwhile. Sends
    of arguments go to the front.

    ```mlir
    %y = soap.relu %x {soap.slot = 0 : i64} : tensor<8xf32>
    %t = soap.recv {soap.slot = 1 : i64} : tensor<4xf32>
    soap.send %y {source = #soap.region<[0:4]>, soap.slot = 2 : i64} : tensor<8xf32>
    ```

    becomes

    ```mlir
    %y = soap.relu %x {soap.slot = 0 : i64} : tensor<8xf32>
    soap.send %y {source = #soap.region<[0:4]>, soap.slot = 2 : i64} : tensor<8xf32>
    %t = soap.recv {soap.slot = 1 : i64} : tensor<4xf32>
    ```
  }];
}

def SoapBufferizePrograms : Pass<"soap-bufferize-programs", "::mlir::ModuleOp"> {
  let summary = "Programs on tensors become programs on buffers";
  let description = [{
    One-shot bufferization of outlined programs. A result that replaces an
    argument (`soap.updates`) is written into that argument's buffer, in place
    wherever no op reads the old value later; every other result becomes an
    argument that the program writes, after all others. Afterwards programs have
    no results. Arguments carry `soap.result = i` (they hold result i of the
    program) or `soap.updated` (the program replaces their contents).

    ```mlir
    func.func @step(%w: tensor<8xf32>, %g: tensor<8xf32>) -> (tensor<8xf32> {soap.updates = 0 : i64})
    ```

    becomes

    ```mlir
    func.func @step(%w: memref<8xf32> {soap.updated}, %g: memref<8xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SoapPlanMemory : Pass<"soap-plan-memory", "::mlir::ModuleOp"> {
  let summary =
      "Gives every temporary buffer of a program its place in one arena";
  let description = [{
    Programs are straight-line code, so the life of a buffer is a range of ops.
    Buffers whose lives overlap get disjoint places: largest first, each at the
    lowest 64-byte aligned offset that is free during its life. `memref.alloc`
    becomes `memref.view` of a new last argument; its size is `soap.arena_bytes`
    of the function.

    ```mlir
    %t = memref.alloc() : memref<16xf32>
    ```

    becomes

    ```mlir
    %c64 = arith.constant 64 : index
    %t = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SoapEmitManifest : Pass<"soap-emit-manifest", "::mlir::ModuleOp"> {
  let summary = "Writes what the launcher must know into `soap.manifest`";
  let description = [{
    The JSON of docs/Runtime.md, from the rank tables of `soap.programs` and
    from arenas and arguments of planned programs. Modules without
    `soap.programs` get one entry with one rank, on device 0, per function.
  }];
}

def SoapProgramsToLLVM : Pass<"soap-programs-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Planned programs and their kernels become LLVM functions";
  let description = [{
    A program becomes `llvm.func @NAME(!llvm.ptr ctx, !llvm.ptr args, !llvm.ptr
    arena)`: calls with raw pointers, between `soap_rt_task_begin` and
    `soap_rt_task_end` for every slot. Tiles are static and row-major, so a
    buffer is a pointer and nothing else: there are no memref descriptors. With
    `approximate`, exp, log, tanh and the like are polynomials in f32, which
    vectorize; otherwise they are calls of libm.

    Runs of tasks that repeat with other buffers and slots, as microbatches of a
    pipeline do, are written once, as a function
    `@tasks_N(!llvm.ptr ctx, !llvm.ptr args, !llvm.ptr arena, !llvm.ptr row)`: a
    row is a constant with the numbers that are not the same at every call.
    Where the same calls come round after round, they are a loop over a table of
    rows. The calls of the runtime and of kernels, and their order, are the same
    as without. `outline-tasks` says when: each call, or loop of calls, must
    save more than so many tasks.
  }];
  let options = [
    Option<"approximate", "approximate", "bool",
           /*default=*/"true", "Polynomial approximations of functions in "
           "f32">,
    Option<"outlineTasks", "outline-tasks", "int64_t", /*default=*/"16",
           "Tasks that repeat become functions where each call saves more than "
           "N tasks; 0: all tasks are written out">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def SoapProgramsToMPI : Pass<"soap-programs-to-mpi", "::mlir::ModuleOp"> {
  let summary = "Programs on buffers to functions with messages of the mpi dialect";
  let description = [{
    The end of `--soap-lower-to-cpu=comm=mpi`, after `soap-plan-memory`. A
    function of the name of each entry takes whole tensors, arguments first,
    then results, and runs the program of its rank: device i is rank i of
    `MPI_COMM_WORLD`. A rank copies its tiles from the arguments, and its own
    tiles of results, and of arguments that the program updates, back to them;
    rank 0 gets the tiles of all others, too.

    Messages are `mpi.send` and `mpi.recv`, whose tag is the number of the
    transfer; an all-reduce is `mpi.allreduce` on a communicator of its devices.
    Other collectives are an error, as are element types that upstream's
    lowering does not send. So is an order of messages in which a send that
    waits for its receiver would wait for ever.

    What is left are ops of upstream: `func`, `memref`, `scf`, `arith`, `math`,
    `mpi`. The caller initializes MPI, and calls `_mlir_ciface_NAME`, which is
    the only symbol of an entry.
  }];
  let options = [
    Option<"implementation", "implementation", "std::string",
           /*default=*/"\"OpenMPI\"",
           "The library whose ABI upstream's lowering uses: OpenMPI or MPICH">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::DLTIDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::mpi::MPIDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapKernelsToGpu : Pass<"soap-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Loops of kernels as GPU kernels";
  let description = [{
    What `soap.parallel_call` calls for ranges of iterations becomes a kernel of
    `gpu.module @soap_kernels`: its arguments are the buffers of the call, and
    its threads take the iterations in turn, whatever grid it is launched with.
    Of a function with `soap.block`, thread blocks take blocks of iterations,
    and do together what ends one (CooperativeBlocks.h). `soap.gpu_kernel` of the call names it. Equal kernels are there once. The
    functions for the CPU stay. Run it after
    `--soap-parallelize-kernels=min-work=0`, which decides what is independent.
    Calls whose function does anything but load, store, loop and compute, or
    whose buffers are not static and row-major, get no kernel.

    ```mlir
    soap.parallel_call @kernel_0_relu_loop extent 4096 grain 16 (%x, %y) : memref<4096xf32>, memref<4096xf32>
    ```

    becomes

    ```mlir
    soap.parallel_call @kernel_0_relu_loop extent 4096 grain 16 (%x, %y) {soap.gpu_kernel = @soap_kernels::@kernel_0_relu_loop} : memref<4096xf32>, memref<4096xf32>
    gpu.module @soap_kernels {
      gpu.func @kernel_0_relu_loop(%x: memref<4096xf32>, %y: memref<4096xf32>) kernel {
        scf.for %i = %thread to %c4096 step %threads { ... }
    ```
  }];
  let options = [
    Option<"kernels", "kernels", "std::string",
           /*default=*/"\"elementwise\"",
           "Kernels to take: elementwise, all, or launches: what programs "
           "call after --soap-inline-kernels, all of which must become "
           "kernels">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapPrepareGpuKernels : Pass<"soap-prepare-gpu-kernels", "::mlir::ModuleOp"> {
  let summary =
      "Checks the chip of GPU kernels and approximates their functions";
  let description = [{
    The chip must be one that LLVM knows: MLIR's `nvvm-attach-target` takes any,
    and LLVM another one than was meant. With `approximate`, in f32, log, tanh
    and the like become polynomials, as on the CPU, and exp the instruction
    ex2.approx. `convert-gpu-to-nvvm` makes calls of CUDA's libdevice of the
    others.
  }];
  let options = [
    Option<"chip", "chip", "std::string",
           /*default=*/"\"sm_90\"", "Chip to compile for, as ptxas calls it">,
    Option<"approximate", "approximate", "bool",
           /*default=*/"true", "Polynomial approximations of functions in "
           "f32">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::math::MathDialect"];
}

def SoapGpuBinary : Pass<"soap-gpu-binary", "::mlir::ModuleOp"> {
  let summary =
      "Lowered GPU kernels become an image, checked and written to a file";
  let description = [{
    MLIR's `gpu-module-to-binary` with what it does not check. Calls of
    libdevice for what a GPU has as instructions (floor, sqrt, ...) become
    these. The CUDA toolkit is that of `toolkit`, of the environment (CUDA_ROOT,
    CUDA_HOME, CUDA_PATH) or of the `ptxas` in PATH; `bin` needs its ptxas. The
    image must hold every kernel that a `soap.gpu_kernel` names, and call no
    function that it does not hold: LLVM leaves calls of a libdevice that it did
    not find in the PTX without a word. With `image`, the image of
    `@soap_kernels` is written to that file, and to the file with `.json`
    appended a table of its kernels: name, extent, shape and element type of
    every buffer ([GPU.md](GPU.md)).
  }];
  let options = [
    Option<"format", "format", "std::string",
           /*default=*/"\"bin\"", "Image of the kernels: isa (PTX) or bin (a "
           "cubin)">,
    Option<"toolkit", "toolkit", "std::string",
           /*default=*/"\"\"", "CUDA toolkit with bin/ptxas and "
           "nvvm/libdevice; found in the environment if empty">,
    Option<"image", "image", "std::string",
           /*default=*/"\"\"", "File for the image; none if empty">
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def SoapNarrowProducts : Pass<"soap-narrow-products", "::mlir::ModuleOp"> {
  let summary = "Convolutions and matmuls of f32 read what is rounded to bf16";
  let description = [{
    In programs, operands of convolution, its gradients, matmul and attention
    are rounded to bf16 and back to f32, and so is the result of a convolution,
    as libraries do; all else stays f32: weights, what is sent, updates, and sums of
    products. A tensor is rounded once for all its readers. Reshapes, and
    transposes that only products read, move what is rounded. `relu_grad` reads
    the rounded result of relu, so that only that is kept.
    `--soap-call-products` makes calls of it that read bf16. In every precision,
    `soap.matmul_scaled` becomes a matmul of bf16, which holds 8-bit floats.

    ```mlir
    %y = soap.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```

    becomes

    ```mlir
    %xb = soap.cast %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %xr = soap.cast %xb : (tensor<4x8xbf16>) -> tensor<4x8xf32>
    %wb = soap.cast %w : (tensor<8x2xf32>) -> tensor<8x2xbf16>
    %wr = soap.cast %wb : (tensor<8x2xbf16>) -> tensor<8x2xf32>
    %y = soap.matmul %xr, %wr : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string",
           /*default=*/"\"bf16\"", "Precision of the program, the module's "
           "soap.precision if empty; nothing is done in others than bf16">,
    Option<"recurrences", "recurrences", "bool",
           /*default=*/"false", "Products of recurrences, too: each step becomes "
           "a product and a cell, as it does in bf16">,
    Option<"keepNarrow", "keep-narrow", "bool",
           /*default=*/"false", "Products of bf16 that oneDNN computes stay as "
           "they are">,
    Option<"scaledProducts", "scaled-products", "bool",
           /*default=*/"true", "Products of 8-bit floats become products of "
           "bf16 between conversions; else they are an error">
  ];
}

def SoapExpandAttention : Pass<"soap-expand-attention", "::mlir::ModuleOp"> {
  let summary = "Attention that cuDNN does not compute becomes products and kernels";
  let description = [{
    What `--soap-call-attention` makes no call of, becomes products and the
    kernels between them (`soap.attention_weights` and its gradient), which
    libraries and generated code compute on all of a GPU: attention of f32, with
    a bias, segments, a softcap, other bounds or widths, its partial form, its
    states, and gradients of its lse.

    Where scores are few, all are in memory at once. Else queries come in tiles,
    each with the keys that it sees: at most `tile` scores are in memory, and
    what bounds hide from all queries of a tile is not computed. Heads that
    share keys are rows of one product.

    ```mlir
    %out, %lse = soap.attention %q, %k, %v {scale = 0.5, ...}
        : (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>)
        -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
    ```

    becomes, with reshapes between [2, 2, 16, ..] and [2, 4, 8, ..],

    ```mlir
    %p = soap.matmul %q, %k {transpose_b} : (tensor<2x2x16x4xf32>, tensor<2x2x8x4xf32>) -> tensor<2x2x16x8xf32>
    %w, %lse = soap.attention_weights %p {scale = 0.5, ...} : (tensor<2x4x8x8xf32>) -> (tensor<2x4x8x8xf32>, tensor<2x4x8xf32>)
    %out = soap.matmul %w, %v : (tensor<2x2x16x8xf32>, tensor<2x2x8x6xf32>) -> tensor<2x2x16x6xf32>
    ```
  }];
  let options = [
    Option<"attention", "attention", "std::string",
           /*default=*/"\"auto\"", "cuda, none, or auto: cuda from sm_80 on">,
    Option<"chip", "chip", "std::string",
           /*default=*/"\"sm_90\"", "Chip, as ptxas calls it">,
    Option<"precision", "precision", "std::string",
           /*default=*/"\"bf16\"", "Precision of the program, the module's "
           "soap.precision if empty; cuDNN computes bf16 only">,
    Option<"library", "library", "std::string",
           /*default=*/"\"cuda\"", "Library of the program: cuDNN with cuda">,
    Option<"tile", "tile", "int64_t", /*default=*/"int64_t(1) << 26",
           "Scores of a tile at most; 256 MiB of f32 by default">
  ];
  let statistics = [
    Statistic<"expanded", "expanded", "Attentions, partial ones and gradients">
  ];
}

def SoapCallAttention : Pass<"soap-call-attention", "::mlir::ModuleOp"> {
  let summary = "Attention and its gradients become one call each of cuDNN";
  let description = [{
    In programs that `--soap-narrow-products` has rounded, `soap.attention` of
    bf16 becomes one call, and its gradient another: no matrix of queries by
    keys is kept. Between both, each row of scores has its lse, in f32. Operands
    and results of the calls are bf16; transposes that only bring heads to the
    front are part of them.

    Conditions: heads have a multiple of 8 numbers, at most 128; all keys are
    visible, or those up to the query's own, or a window of these, where there
    are as many keys as queries. There is no bias, no softcap, no segment and no
    gradient of lse. Others are left to `--soap-expand-attention`, which runs
    before. The op alone decides, so that replicas keep the same bits.

    ```mlir
    %out, %lse = soap.attention %q, %k, %v {scale = 0.25, ...}
        : (tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>)
        -> (tensor<4x2x32x16xbf16>, tensor<4x2x32xf32>)
    ```

    becomes

    ```mlir
    %out, %lse, %w = soap.library_call "attention" [...] ins(%q, %k, %v : ...) outs(...) -> tensor<4x2x32x16xbf16>, tensor<4x2x32xf32>, tensor<4096xi8>
    ```
  }];
  let options = [
    Option<"attention", "attention", "std::string",
           /*default=*/"\"auto\"", "cuda, none, or auto: cuda from sm_80 on">,
    Option<"chip", "chip", "std::string",
           /*default=*/"\"sm_90\"", "Chip, as ptxas calls it">,
    Option<"precision", "precision", "std::string",
           /*default=*/"\"bf16\"", "Precision of the program, the module's "
           "soap.precision if empty; cuDNN computes bf16 only">,
    Option<"library", "library", "std::string",
           /*default=*/"\"cuda\"", "Library of the program: cuDNN with cuda">
  ];
  let statistics = [
    Statistic<"forward", "attentions", "Attentions that are one call">,
    Statistic<"backward", "gradients", "Attentions whose gradients are one call">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def SoapCallProducts : Pass<"soap-call-products", "::mlir::ModuleOp"> {
  let summary =
      "Products with what comes before and after them become one call of cuBLASLt or cuDNN";
  let description = [{
    Products of operands that come from bf16 read these: convolutions that write
    bf16, and matmuls, which write bf16 if nothing else reads the result.

    A matmul becomes one call with a bias along the columns, relu, gelu
    (approximate), or the gradient of that gelu behind it; or with the gradient
    of a bias, which is the sum of one of its transposed operands. Of one
    product, so that rows of all batches are one matrix. What gelu is taken of
    stays, as a second result. If the result is bf16, so are the bias and what
    gelu is taken of.

    A convolution becomes one call with a bias per channel, relu, or both behind
    it, the gradient of its input with the gradient of relu, where nothing else
    reads what is between and all images lie alike. In bf16 the result is
    rounded behind that, once, and only roundings may read it.

    All programs of the module call the same for an op of the model: replicas
    keep the same bits. Nothing moves across a send or receive. Other products
    are left to `--soap-outline-kernels`.

    ```mlir
    %p = soap.matmul %x, %w {transpose_b} : (tensor<4x64xf32>, tensor<8x64xf32>) -> tensor<4x8xf32>
    %b = soap.bias_add %p, %bias {axis = 1 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %y = soap.relu %b : tensor<4x8xf32>
    ```

    becomes

    ```mlir
    %e = tensor.empty() : tensor<4x8xf32>
    %y = soap.library_call "matmul" [1, 4, 8, 64, 0, 1, 0, 0, 3, 0] ins(%x, %w, %bias : ...) outs(%e : ...) -> tensor<4x8xf32>
    ```
  }];
  let options = [
    Option<"precision", "precision", "std::string",
           /*default=*/"\"\"", "What the libraries read of f32: f32, or tf32 "
           "(10 bits of fraction); default: the module's soap.precision">,
    Option<"workspace", "workspace", "int64_t",
           /*default=*/"0", "MiB that a call may use at most, as a buffer of "
           "the program">,
    Option<"convEpilogues", "conv-epilogues", "bool",
           /*default=*/"true", "Convolutions have what follows them, too">
  ];
  let statistics = [
    Statistic<"fused", "products", "Products that do more than the product">,
    Statistic<"narrow", "narrow", "Products that read bf16">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def SoapCallImageOps : Pass<"soap-call-image-ops", "::mlir::ModuleOp"> {
  let summary = "Pooling and norms over batches become calls of cuDNN";
  let description = [{
    In f32, of images that all lie alike (`soap.layouts`).

    `pooling=exact`: what cuDNN says it computes as the op does: forward, and
    the gradient of averages. Windows are not dilated, the padding is what it is
    on both sides, and less than the kernel, and as many windows as fit are
    there. Of an average, either all elements of a window count or those inside
    of the image. `pooling=all`: also the gradient of a maximum. The op gives it
    to the first of equal maxima; cuDNN does not say to which.

    `norms`: `batch_norm_train`, and `batch_norm_grad` of statistics that such a
    call in the same program has made. cuDNN keeps mean and 1 / sqrt(variance +
    epsilon) for the gradient. Kernels of `running_stats_update` read them, too;
    where something else reads count, mean and M2, a kernel makes them. Norms
    that are split over the batch are stages, which stay.

    All programs of the module do the same for an op of the model: replicas keep
    the same bits. Everything else is left to `--soap-outline-kernels`.

    ```mlir
    %y, %stats = soap.batch_norm_train %x, %gamma, %beta {epsilon = 1.0e-05 : f64} : ...
    %dx, %dgamma, %dbeta = soap.batch_norm_grad %dy, %x, %stats, %gamma {epsilon = 1.0e-05 : f64} : ...
    ```

    becomes

    ```mlir
    %y, %mean, %inverse = soap.library_call "batch_norm" [8, 4, 6, 6, 0, 0, 4532020583610935537, 0] ins(%x, %gamma, %beta : ...) outs(...) -> ..., tensor<4xf32>, tensor<4xf32>
    %dx, %dgamma, %dbeta = soap.library_call "batch_norm" [8, 4, 6, 6, 0, 1, 4532020583610935537, 0] ins(%dy, %x, %mean, %inverse, %gamma : ...) outs(...) -> ...
    ```
  }];
  let options = [
    Option<"pooling", "pooling", "std::string",
           /*default=*/"\"none\"", "none, exact (all but the gradient of a "
           "maximum) or all">,
    Option<"norms", "norms", "std::string",
           /*default=*/"\"false\"", "Norms over batches, too: true, false, or "
           "auto: of images with channels first">,
    Option<"workspace", "workspace", "int64_t",
           /*default=*/"0", "MiB that a call may use at most, as a buffer of "
           "the program; norms have up to 4">
  ];
  let statistics = [
    Statistic<"poolings", "poolings", "Pooling, and gradients of it, by cuDNN">,
    Statistic<"normCalls", "norms", "Norms, and gradients of them, by cuDNN">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SoapMergeUpdates : Pass<"soap-merge-updates", "::mlir::ModuleOp"> {
  let summary =
      "Updates of parameters, and what is made of them alone, in few launches";
  let description = [{
    After `--soap-inline-kernels`: launches that update their buffers in place
    (`in_place` of their kernels: optimizers, running statistics) and have at
    most `max-extent` iterations become one launch, at the place of the last of
    them, if nothing between touches what they write or writes what they read. A
    launch takes at most `max-buffers` buffers. The iterations of the new kernel
    are the iterations of the old ones, one after the other.

    Launches that read nothing but arguments of the program, as roundings of
    weights and copies of them in another order, become one launch, too, at the
    place of the first of them, where nothing before them touches what they
    write or writes what they read.

    With `neighbours`, other launches of at most so many iterations become one
    where they do not need each other, at the place of the last of them, if no
    op between writes what they read or touches what they write: the parts of a
    concatenation, three matrices that are transposed. At most 16 launches and
    calls lie between the first and the last one, because what the first one
    reads is kept as long. Rows that warps share stay by themselves. Launches
    that `--soap-widen-kernels` makes wider are merged with each other only.

    ```mlir
    soap.parallel_call @sgd_150 extent 150 grain 1 (%w1, %g1) {soap.update}
    soap.parallel_call @sgd_6 extent 6 grain 1 (%w2, %g2) {soap.update}
    ```

    becomes

    ```mlir
    soap.parallel_call @updates extent 156 grain 1 (%w1, %g1, %w2, %g2) {soap.update}
    ```
  }];
  let options = [
    Option<"maxExtent", "max-extent", "int64_t",
           /*default=*/"4194304", "Iterations from which a launch stays by "
           "itself">,
    Option<"arguments", "arguments", "bool",
           /*default=*/"true", "Launches that read nothing but arguments, "
           "too">,
    Option<"neighbours", "neighbours", "int64_t",
           /*default=*/"0", "Iterations that other launches have at most which "
           "become one; 0: none does">,
    Option<"maxBuffers", "max-buffers", "int64_t",
           /*default=*/"128", "Buffers of one launch, at most 500: a kernel "
           "has 4 KB of parameters">
  ];
  let statistics = [
    Statistic<"merged", "updates", "Launches that are part of another one">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapWidenKernels : Pass<"soap-widen-kernels", "::mlir::ModuleOp"> {
  let summary = "Elementwise kernels of GPUs do four elements an iteration";
  let description = [{
    Launches of programs whose memory is planned: where a part is a loop whose
    iterations load, compute and store the element of their number, the buffers
    begin at multiples of 16 bytes, and there are at least `min-extent`
    iterations, a multiple of four, an iteration does four. Loads come first,
    then what is computed, then stores, each four in a row, and arguments say
    that they are aligned (`llvm.align`), so that LLVM makes one access of them:
    `ld.global.v4.b32`. What other elements an iteration reads, of a bias for
    one, is read as before. Results have the same bits, for each element is
    computed as before.

    Iterations that differ in the last digit of their number alone, with loops
    and branches that it does not decide, are joined likewise: what does not
    depend on the digit is done once. Transposes get tiles: eight threads along
    one dim, four along the other, and four iterations of each along that one.

    ```mlir
    soap.parallel_call @kernel_0_relu_loop extent 524288 grain 16 (%x, %y)
    ```

    becomes

    ```mlir
    soap.parallel_call @kernel_0_relu_loop_by_4 extent 131072 grain 4 (%x, %y)
    ```
  }];
  let options = [
    Option<"minExtent", "min-extent", "int64_t",
           /*default=*/"131072", "Iterations from which a part has enough "
           "for threads of four">
  ];
  let statistics = [
    Statistic<"widened", "widened", "Launches that do four elements an iteration">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapAssignLayouts : Pass<"soap-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Images between convolutions of cuDNN have channels last";
  let description = [{
    Decides which images of programs are NHWC, as cuDNN wants them for tensor
    cores, and writes it on the ops: `soap.layouts` names the layout in which an
    op reads each operand and holds each result. Types stay the model's.
    `--soap-outline-kernels=library=cuda` makes buffers, kernels and calls of
    it, and a copy where a value is read in another layout than it is held.

    Images are decided per connected set of convolutions that the library
    computes, norms over batches, pooling, elementwise ops, concatenation,
    slices and sums, if it has at least two convolutions; the ops of a set have
    one layout in all programs of the module. What is sent and received,
    arguments and results stay NCHW, also weights. Their borders: a weight and
    its gradient are in the layout of the images, [O, KH, KW, C]; elementwise
    kernels read any layout and write that of their readers, so a rounded
    weight, the first image and an update need no copy.

    ```mlir
    %x = soap.cast %arg0 : (tensor<8x16x32x32xf32>) -> tensor<8x16x32x32xbf16>
    %y = soap.cast %x : (tensor<8x16x32x32xbf16>) -> tensor<8x16x32x32xf32>
    %z = soap.conv2d %y, %w ...
    ```

    becomes

    ```mlir
    %x = soap.cast %arg0 {soap.layouts = [#soap.layout<nchw>, #soap.layout<nhwc>]} : (tensor<8x16x32x32xf32>) -> tensor<8x16x32x32xbf16>
    %y = soap.cast %x {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<8x16x32x32xbf16>) -> tensor<8x16x32x32xf32>
    %z = soap.conv2d %y, %w {..., soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]} ...
    ```
  }];
  let options = [
    Option<"layout", "layout", "std::string",
           /*default=*/"\"auto\"", "Images between convolutions of cuDNN: "
           "nchw, nhwc (channels last), or auto: nhwc in tf32 and bf16 from "
           "sm_80 on">,
    Option<"precision", "precision", "std::string",
           /*default=*/"\"\"", "Precision of products, for auto: f32, tf32 "
           "or bf16; default: the module's soap.precision">,
    Option<"chip", "chip", "std::string",
           /*default=*/"\"sm_90\"", "Chip, for auto">
  ];
  let statistics = [
    Statistic<"copied", "copied", "Images and weights that are copied to another layout">
  ];
}

def SoapSplitSums : Pass<"soap-split-sums", "::mlir::ModuleOp"> {
  let summary = "Long reductions of kernels in several threads";
  let description = [{
    Where fewer than `threads` iterations of a nest are independent, a sum,
    maximum or minimum of at least `min-work` elements in it is split into parts
    of equal length. The parts become a nest of their own, in memory of the
    kernel, and the reduction folds them. Results differ by rounding.

    ```mlir
    scf.for %c = %c0 to %c16 step %c1 {
      %s = scf.for %i = %c0 to %c4096 step %c1 iter_args(%a = %zero) -> f32 { ... }
      memref.store %s, %y[%c] : memref<16xf32>
    }
    ```

    becomes

    ```mlir
    %parts = memref.alloca() : memref<16x256xf32>
    scf.for %c = %c0 to %c16 step %c1 {
      scf.for %p = %c0 to %c256 step %c1 {
        %s = scf.for %i = %c0 to %c16 step %c1 iter_args(%a = %zero) -> f32 { ... }
        memref.store %s, %parts[%c, %p] : memref<16x256xf32>
      }
    }
    scf.for %c = %c0 to %c16 step %c1 {
      %s = scf.for %p = %c0 to %c256 step %c1 iter_args(%a = %zero) -> f32 { ... }
      memref.store %s, %y[%c] : memref<16xf32>
    }
    ```
  }];
  let options = [
    Option<"threads", "threads", "int64_t",
           /*default=*/"262144", "Independent iterations that are enough">,
    Option<"minWork", "min-work", "int64_t",
           /*default=*/"512", "Elements from which a reduction is split">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapFinishKernels : Pass<"soap-finish-kernels", "::mlir::ModuleOp"> {
  let summary = "Kernels become nothing but calls of parts";
  let description = [{
    What `--soap-parallelize-kernels` left of a kernel between its parallel
    loops becomes parts of one iteration, `soap.parallel_call` with extent 1. A
    number that one part computes and another one uses goes through memory of
    the kernel (`memref.alloca`).

    ```mlir
    func.func private @kernel_0_mean(%x: memref<8x64xf32>, %y: memref<f32>) {
      %sum = scf.for ... iter_args(%s = %zero) -> f32 { ... }
      memref.store %sum, %y[] : memref<f32>
    ```

    becomes

    ```mlir
    func.func private @kernel_0_mean(%x: memref<8x64xf32>, %y: memref<f32>) {
      soap.parallel_call @kernel_0_mean_rest extent 1 grain 1 (%x, %y) : memref<8x64xf32>, memref<f32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SoapInlineKernels : Pass<"soap-inline-kernels", "::mlir::ModuleOp"> {
  let summary = "Programs call the parts of kernels";
  let description = [{
    After `--soap-finish-kernels` and `--soap-bufferize-programs`: a call of a
    kernel becomes the calls of its parts, each a launch on a GPU. Memory of the
    kernel becomes memory of the program, for which `--soap-plan-memory` finds a
    place. Sends must not lend their buffers (`soap.no_post`), as memory is
    reused in the order of streams.

    ```mlir
    soap.kernel_call @kernel_0_mean ins(%x : memref<8x64xf32>) outs(%y : memref<f32>) {soap.slot = 3 : i64}
    ```

    becomes

    ```mlir
    soap.parallel_call @kernel_0_mean_rest extent 1 grain 1 (%x, %y) {soap.slot = 3 : i64} : memref<8x64xf32>, memref<f32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def SoapOrderStreams : Pass<"soap-order-streams", "::mlir::ModuleOp"> {
  let summary = "Gives the ops of programs streams, and orders these by events";
  let description = [{
    Of a planned program. Messages run on the last stream, all else on the
    others: where what an op needs was made last, or where least was done. An op
    that touches bytes which an op of another stream has written, or writes
    bytes which that one touches, waits for an event behind it, unless it does
    anyway; so memory that the plan uses again is safe, too. Messages that
    follow each other are one group. With one stream there are no events and no
    groups.

    ```mlir
    soap.parallel_call @kernel_0_relu_loop extent 64 grain 16 (%x, %y) : memref<64xf32>, memref<64xf32>
    soap.send_buffer %y {soap.slot = 1 : i64} : memref<64xf32>
    ```

    becomes

    ```mlir
    soap.parallel_call @kernel_0_relu_loop extent 64 grain 16 (%x, %y) : memref<64xf32>, memref<64xf32>
    soap.record_event 0 on 0
    soap.wait_event 0 on 1
    soap.send_buffer %y {soap.slot = 1 : i64, soap.stream = 1 : i64} : memref<64xf32>
    ```
  }];
  let options = [
    Option<"streams", "streams", "int64_t",
           /*default=*/"2", "Streams of a device, from 1 to 64">
  ];
}

def SoapVerifyStreams : Pass<"soap-verify-streams", "::mlir::ModuleOp"> {
  let summary = "Checks that no op of a program touches memory too early";
  let description = [{
    Replays each program on its streams. An op happens before another one if it
    comes earlier on the same stream, or if events lead from the one to the
    other; messages of a group come in no order. Of two ops that touch the same
    bytes, one of which writes them, the first in the program has to happen
    before the second. Else, or where an event is waited for that no op
    recorded, it is an error. Changes nothing.
  }];
}

def SoapAuditLaunches : Pass<"soap-audit-launches", "::mlir::ModuleOp"> {
  let summary = "Counts what every launch of a program moves, and estimates it";
  let description = [{
    For programs of `--soap-lower-to-cuda='until=launches'`. Of every launch of a
    kernel: threads, blocks, iterations that a thread does one after the other,
    bytes that must move (each region of a buffer once) and bytes that do move
    (sectors of 32 bytes that the warps touch), and an estimate of its time
    beside the time of the bytes that must move (docs/GPUChecks.md says how). Of
    library calls the time of the profile. Prints a table by share of the step.
    It is an error if a limit is passed. The IR stays as it is.

    ```
    soap-opt step.mlir --soap-partition \
             --soap-lower-to-cuda='until=launches precision=bf16' \
             --soap-audit-launches='chip=h200 max-ratio=2' -o /dev/null
    ```
  }];
  let options = [
    Option<"report", "report", "std::string", /*default=*/"\"\"",
           "Write the table to this file (JSON; '-': stdout)">,
    Option<"chip", "chip", "std::string", /*default=*/"\"h100\"",
           "The GPU: a100, h100 or h200">,
    Option<"bandwidth", "bandwidth", "double", /*default=*/"0",
           "Bytes per second that a copy on the GPU moves; 0: the chip's">,
    Option<"program", "program", "std::string", /*default=*/"\"\"",
           "Only programs whose names begin so (train_step); empty: all">,
    Option<"rows", "rows", "int64_t", /*default=*/"16",
           "Print at most this many rows of the table, at least 0">,
    Option<"maxShare", "max-share", "double", /*default=*/"0.01",
           "max-ratio is for kernels with at least this share of the step">,
    Option<"maxRatio", "max-ratio", "double", /*default=*/"0",
           "How many times as long as its bytes a kernel may take; 0: any">,
    Option<"maxTotalRatio", "max-total-ratio", "double", /*default=*/"0",
           "As max-ratio, for all kernels of a program together; 0: any">,
    Option<"maxLaunches", "max-launches", "int64_t", /*default=*/"0",
           "Launches and copies that a program may have beside its library "
           "calls; 0: any">,
    Option<"maxUncoalesced", "max-uncoalesced", "double", /*default=*/"0",
           "Share of a program's bytes that one uncoalesced access may move; "
           "0: any">
  ];
}

def SoapFuseLaunches : Pass<"soap-fuse-launches", "::mlir::ModuleOp"> {
  let summary = "Elementwise launches become part of what makes their operand";
  let description = [{
    After `--soap-inline-kernels`: where a launch of own elements (a rounding, a
    sum, a relu) is the only reader of a buffer that another launch writes, each
    element once, that one computes the results in place of storing the element.
    The buffer between them is gone. Beside its own element, such a launch may
    read elements of buffers that have at most half as many: a bias, a mask.

    The other way round, where a launch is the only reader of what an
    elementwise one writes, and loads each element once, or several times while
    a warp has the row in registers, it computes the element in place of loading
    it, if no library call or message stands between them: a scale and a mask
    are part of the softmax behind them.

    ```mlir
    soap.parallel_call @norm extent 262144 grain 1 (%x, %t)
    soap.parallel_call @cast extent 6291456 grain 16 (%t, %y)
    ```

    becomes

    ```mlir
    soap.parallel_call @norm_cast extent 262144 grain 1 (%x, %y)
    ```
  }];
  let statistics = [
    Statistic<"fused", "launches", "Launches that are part of another one">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapPadProducts : Pass<"soap-pad-products", "::mlir::ModuleOp"> {
  let summary = "Rows of products become multiples of 16 bytes";
  let description = [{
    After `--soap-fuse-launches`: libraries have slower kernels for matrices
    whose rows are no multiples of 16 bytes, as logits of a vocabulary of 50,257.
    Such an extent of a product becomes the next multiple, in all buffers and
    products that have it. Launches that load and store single elements of a
    buffer address it anew; an argument of the program is copied. Where a
    product sums over the extent, a launch stores zeros behind the rows, so that
    sums have the same bits.

    An extent stays where a buffer that has it is read otherwise (sent, a view of
    another shape), where more than an eighth would be added, and where another
    program cannot do the same for an op of the model.

    ```mlir
    soap.library_call "matmul" [1, 8192, 50257, 768, ...] ins(%x, %w : ...) outs(%y : memref<8192x50257xf32>)
    ```

    becomes

    ```mlir
    soap.library_call "matmul" [1, 8192, 50264, 768, ...] ins(%x, %w : ...) outs(%y : memref<8192x50264xf32>)
    ```
  }];
  let options = [
    Option<"minWork", "min-work", "int64_t",
           /*default=*/"1073741824", "Multiply-adds from which on a product of "
           "tf32 or bf16 is a reason; 0: all products are">
  ];
  let statistics = [
    Statistic<"padded", "buffers", "Buffers that have longer rows">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def SoapEmbedImage : Pass<"soap-embed-image", "::mlir::ModuleOp"> {
  let summary = "The image of GPU kernels becomes data of the module";
  let description = [{
    `gpu.binary @soap_kernels` becomes the constants `soap_gpu_image` and
    `soap_gpu_image_bytes`, by which the runtime finds it in compiled code and
    in artifacts. `soap.gpu_target` of the module says what the image is for,
    and with `host-references`, that the parts of kernels are compiled for the CPU, too.
  }];
  let options = [
    Option<"chip", "chip", "std::string",
           /*default=*/"\"sm_90\"", "Chip of the image">,
    Option<"hostReferences", "host-references", "bool",
           /*default=*/"true", "Compile kernels for the CPU, too">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::gpu::GPUDialect"];
}

#endif // SOAP_CONVERSION_PASSES_TD
