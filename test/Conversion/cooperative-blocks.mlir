// Sums over the positions of an image by thread blocks: one launch, and one that
// clears the counts of blocks.
// RUN: soap-opt %s --soap-lower-to-cuda=until=launches -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=HOST
// RUN: soap-opt %t.mlir --soap-kernels-to-gpu=kernels=launches | FileCheck %s --check-prefix=GPU
// Four channels an iteration, a quarter of the iterations of a block.
// RUN: soap-opt %t.mlir --soap-widen-kernels=min-extent=4 | FileCheck %s --check-prefix=WIDE
// RUN: soap-opt %t.mlir --soap-audit-launches='chip=h200 rows=0 report=%t.json' -o %t.audited
// RUN: FileCheck %s --input-file=%t.json --check-prefix=AUDIT
// RUN: soap-opt %s --soap-lower-to-cuda='chip=sm_90 format=isa' | FileCheck %s --check-prefix=PTX
// Blocks that are not whole.
// RUN: sed 's/soap.block = 1024/soap.block = 1000/' %t.mlir > %t.bad
// RUN: not soap-opt %t.bad --soap-kernels-to-gpu=kernels=launches 2>&1 | FileCheck %s --check-prefix=UNEVEN

// Two tiles of 32 channels, of three pieces of 32 rows by four positions.
// HOST-LABEL: func.func @stats(
// HOST: soap.parallel_call @{{.*}} extent 2 grain
// HOST: soap.parallel_call @[[SUM:[^ ]*]] extent 6144 grain 1024(
// HOST-NOT: soap.parallel_call
// HOST: return
// HOST: func.func private @[[SUM]]({{.*}}) attributes {{.*}}soap.block = 1024 : i64
// HOST: memref.alloca() {soap.together} : memref<2048xf32>
// HOST: scf.if
// HOST: scf.for
// HOST: scf.for
// HOST: %[[BEFORE:.*]] = memref.atomic_rmw addi
// HOST: %[[LAST:.*]] = arith.cmpi eq, %[[BEFORE]]
// HOST: scf.if %[[LAST]]
// HOST: } {soap.together}

// GPU: gpu.func @{{.*}}loop_0({{.*}}workgroup(
// GPU: scf.for
// GPU: gpu.barrier
// GPU: llvm.fence syncscope("device") acq_rel
// GPU: gpu.barrier
// GPU: llvm.fence syncscope("device") acq_rel
// GPU-NEXT: memref.atomic_rmw addi
// GPU-NEXT: llvm.fence syncscope("device") acq_rel
// GPU: gpu.barrier
// GPU: llvm.fence syncscope("device") acq_rel
// GPU: scf.if
// GPU: gpu.barrier

// WIDE: soap.parallel_call @{{.*}}_by_4 extent 1536 grain 256(
// WIDE: func.func private @{{.*}}_by_4({{.*}}) attributes {{.*}}soap.block = 256 : i64

// The last block folds behind all others.
// AUDIT: "threads_per_block": 256
// AUDIT: "tail": {{[0-9.e-]+}}

// PTX: fence.acq_rel.gpu
// PTX: atom.global.add
// PTX: fence.acq_rel.gpu

// UNEVEN: has blocks of 1000 iterations, of 6144: expected a loop over the range, at its end an scf.if with 'soap.together', and whole blocks

func.func @stats(%x: tensor<384x64xf32>) -> tensor<3x64xf32> {
  %stats = soap.batch_norm_stats %x : (tensor<384x64xf32>) -> tensor<3x64xf32>
  return %stats : tensor<3x64xf32>
}
