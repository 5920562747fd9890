// Loops of kernels become GPU kernels whose threads take the iterations in turn.
// RUN: soap-opt %s --soap-kernels-to-gpu | FileCheck %s
// RUN: soap-opt %s --soap-kernels-to-gpu=kernels=all | FileCheck %s --check-prefix=ALL
// RUN: not soap-opt %s --soap-kernels-to-gpu=kernels=some 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not soap-opt %s --soap-kernels-to-gpu --soap-kernels-to-gpu 2>&1 | FileCheck %s --check-prefix=TWICE

// UNKNOWN: error: unknown kernels 'some': expected elementwise, all or launches
// TWICE: error: 'gpu.module' op has the name of the module of GPU kernels, 'soap_kernels'

// CHECK-LABEL: func.func private @scale(
// CHECK: soap.parallel_call @scale_loop extent 512 grain 16(%arg0, %arg1) {soap.gpu_kernel = @soap_kernels::@scale_loop}
func.func private @scale(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  soap.parallel_call @scale_loop extent 512 grain 16(%x, %y) : memref<8x64xf32>, memref<8x64xf32>
  return
}
// The same loop: the same kernel.
// CHECK-LABEL: func.func private @scale_again(
// CHECK: soap.parallel_call @scale_again_loop extent 512 grain 16(%arg0, %arg1) {soap.gpu_kernel = @soap_kernels::@scale_loop}
func.func private @scale_again(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  soap.parallel_call @scale_again_loop extent 512 grain 16(%x, %y) : memref<8x64xf32>, memref<8x64xf32>
  return
}
// Not elementwise.
// CHECK-LABEL: func.func private @sum(
// CHECK: soap.parallel_call @sum_loop extent 64 grain 16(%arg0, %arg1) : memref<8x64xf32>
// ALL-LABEL: func.func private @sum(
// ALL: soap.parallel_call @sum_loop extent 64 grain 16(%arg0, %arg1) {soap.gpu_kernel = @soap_kernels::@sum_loop}
func.func private @sum(%x: memref<8x64xf32>, %y: memref<64xf32>) {
  soap.parallel_call @sum_loop extent 64 grain 16(%x, %y) : memref<8x64xf32>, memref<64xf32>
  return
}
// Calls a function, which no GPU has; strides, which no pointer has.
// CHECK-LABEL: func.func private @foreign(
// CHECK: soap.parallel_call @foreign_loop extent 64 grain 16(%arg0) : memref<64xf32>
// CHECK: soap.parallel_call @strided_loop extent 64 grain 16(%arg1) : memref<64xf32, strided<[2]>>
func.func private @foreign(%y: memref<64xf32>, %z: memref<64xf32, strided<[2]>>) {
  soap.parallel_call @foreign_loop extent 64 grain 16(%y) : memref<64xf32>
  soap.parallel_call @strided_loop extent 64 grain 16(%z) : memref<64xf32, strided<[2]>>
  return
}
// The loop for the CPU stays.
// CHECK-LABEL: func.func private @scale_loop(
func.func private @scale_loop(%x: memref<8x64xf32> {llvm.noalias}, %y: memref<8x64xf32> {llvm.noalias}, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %a = memref.collapse_shape %x [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  %b = memref.collapse_shape %y [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %a[%i] : memref<512xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %b[%i] : memref<512xf32>
  }
  return
}
func.func private @scale_again_loop(%x: memref<8x64xf32> {llvm.noalias}, %y: memref<8x64xf32> {llvm.noalias}, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  %a = memref.collapse_shape %x [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  %b = memref.collapse_shape %y [[0, 1]] : memref<8x64xf32> into memref<512xf32>
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %a[%i] : memref<512xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %b[%i] : memref<512xf32>
  }
  return
}
func.func private @sum_loop(%x: memref<8x64xf32>, %y: memref<64xf32>, %begin: index, %end: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %n = %c0 to %c8 step %c1 {
    scf.for %i = %begin to %end step %c1 {
      %v = memref.load %x[%n, %i] : memref<8x64xf32>
      %s = memref.load %y[%i] : memref<64xf32>
      %t = arith.addf %s, %v : f32
      memref.store %t, %y[%i] : memref<64xf32>
    }
  }
  return
}
func.func private @helper(f32) -> f32
func.func private @foreign_loop(%y: memref<64xf32>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %y[%i] : memref<64xf32>
    %w = func.call @helper(%v) : (f32) -> f32
    memref.store %w, %y[%i] : memref<64xf32>
  }
  return
}
func.func private @strided_loop(%y: memref<64xf32, strided<[2]>>, %begin: index, %end: index) {
  %c1 = arith.constant 1 : index
  scf.for %i = %begin to %end step %c1 {
    %v = memref.load %y[%i] : memref<64xf32, strided<[2]>>
    memref.store %v, %y[%i] : memref<64xf32, strided<[2]>>
  }
  return
}
func.func @f(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %s: memref<64xf32>, %t: memref<64xf32, strided<[2]>>) {
  soap.kernel_call @scale ins(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>) {elementwise}
  soap.kernel_call @scale_again ins(%y : memref<8x64xf32>) outs(%x : memref<8x64xf32>) {elementwise}
  soap.kernel_call @sum ins(%x : memref<8x64xf32>) outs(%s : memref<64xf32>)
  soap.kernel_call @foreign outs(%s, %t : memref<64xf32>, memref<64xf32, strided<[2]>>) {elementwise}
  return
}

// CHECK: gpu.module @soap_kernels {
// CHECK-NEXT: gpu.func @scale_loop(%[[X:.*]]: memref<8x64xf32> {llvm.noalias}, %[[Y:.*]]: memref<8x64xf32> {llvm.noalias}) kernel {
// CHECK-DAG: %[[THREAD:.*]] = gpu.thread_id  x
// CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id  x
// CHECK-DAG: %[[THREADS:.*]] = gpu.block_dim  x
// CHECK-DAG: %[[BLOCKS:.*]] = gpu.grid_dim  x
// CHECK: %[[BEFORE:.*]] = arith.muli %[[BLOCK]], %[[THREADS]]
// CHECK: %[[FIRST:.*]] = arith.addi %[[BEFORE]], %[[THREAD]]
// CHECK: %[[STEP:.*]] = arith.muli %[[BLOCKS]], %[[THREADS]]
// CHECK: %[[END:.*]] = arith.constant 512 : index
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: scf.for %[[I:.*]] = %[[FIRST]] to %[[END]] step %[[STEP]] {
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[ONE]] overflow<nsw, nuw>
// CHECK: memref.collapse_shape %[[X]]
// CHECK: memref.collapse_shape %[[Y]]
// CHECK: scf.for %[[J:.*]] = %[[I]] to %[[NEXT]] step
// CHECK: memref.load %{{.*}}[%[[J]]]
// CHECK: gpu.return
// CHECK-NOT: gpu.func
// ALL: gpu.module @soap_kernels {
// ALL: gpu.func @scale_loop
// ALL: gpu.func @sum_loop
