// The ops outside of a kernel's parallel loops become parts of one iteration.
// RUN: soap-opt %s --soap-parallelize-kernels='min-work=0 flatten=true' --soap-finish-kernels | FileCheck %s

// A scale that is computed once, by a part of its own, and used by another one that cannot run in parallel.
// CHECK-LABEL: func.func private @mean(
// CHECK-SAME: %[[X:.*]]: memref<8x64xf32>, %[[Y:.*]]: memref<f32>, %[[Z:.*]]: memref<8x64xf32>
// CHECK-NEXT: %[[KEPT:.*]] = memref.alloca() : memref<f32>
// CHECK-NEXT: soap.parallel_call @mean_rest extent 1 grain 1(%[[X]], %[[KEPT]])
// CHECK-NEXT: soap.parallel_call @mean_loop extent 512 grain 16(%[[X]], %[[Z]])
// CHECK-NEXT: soap.parallel_call @mean_rest_0 extent 1 grain 1(%[[KEPT]], %[[Y]])
// CHECK-NEXT: return
func.func private @mean(%x: memref<8x64xf32>, %y: memref<f32>, %z: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %factor = arith.constant 0.125 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (f32) {
    %v = memref.load %x[%i, %c0] : memref<8x64xf32>
    %b = arith.addf %a, %v : f32
    scf.yield %b : f32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %x[%i, %j] : memref<8x64xf32>
      memref.store %v, %z[%i, %j] : memref<8x64xf32>
    }
  }
  %mean = arith.mulf %sum, %factor : f32
  memref.store %mean, %y[] : memref<f32>
  return
}
// CHECK-LABEL: func.func private @mean_loop(
// CHECK-SAME: %[[BEGIN:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index
// CHECK: scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]]
// CHECK: %[[J:.*]] = arith.remui %[[I]], %c64
// CHECK: %[[ROW:.*]] = arith.divui %[[I]], %c64
// CHECK-NOT: scf.for
// CHECK: memref.load %{{.*}}[%[[ROW]], %[[J]]]
// CHECK-LABEL: func.func private @mean_rest(
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %{{.*}}[] : memref<f32>
// CHECK-LABEL: func.func private @mean_rest_0(
// CHECK: %[[S:.*]] = memref.load %{{.*}}[] : memref<f32>
// CHECK: arith.mulf %[[S]]
func.func @program(%x: memref<8x64xf32>, %y: memref<f32>, %z: memref<8x64xf32>) {
  soap.kernel_call @mean ins(%x : memref<8x64xf32>) outs(%y, %z : memref<f32>, memref<8x64xf32>)
  return
}
