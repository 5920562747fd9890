// Calls of kernels become launches of their parts; their memory becomes the program's.
// RUN: soap-opt %s --soap-inline-kernels --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @program(
// CHECK-SAME: %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>
// CHECK-NEXT: %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: soap.parallel_call @first extent 8 grain 1(%[[X]], %[[T]]) {soap.fused_slots = array<i64: 1>, soap.slot = 2 : i64}
// CHECK-NEXT: soap.parallel_call @second extent 4 grain 1(%[[T]], %[[Y]]) {soap.slot = 2 : i64}
// CHECK-NEXT: soap.send_buffer %[[Y]] {soap.no_post, soap.slot = 3 : i64}
// CHECK-NOT: @kernel
func.func @program(%x: memref<8xf32>, %y: memref<8xf32>) {
  soap.kernel_call @kernel ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {soap.fused_slots = array<i64: 1>, soap.slot = 2 : i64}
  soap.send_buffer %y {soap.slot = 3 : i64} : memref<8xf32>
  return
}
func.func private @kernel(%x: memref<8xf32>, %y: memref<8xf32>) {
  %t = memref.alloca() : memref<4xf32>
  soap.parallel_call @first extent 8 grain 1 (%x, %t) : memref<8xf32>, memref<4xf32>
  soap.parallel_call @second extent 4 grain 1 (%t, %y) : memref<4xf32>, memref<8xf32>
  return
}
func.func private @first(%x: memref<8xf32>, %t: memref<4xf32>, %begin: index, %end: index) {
  return
}
func.func private @second(%t: memref<4xf32>, %y: memref<8xf32>, %begin: index, %end: index) {
  return
}

// -----

func.func @program(%y: memref<8xf32>) {
  // expected-error @+1 {{calls kernel 'kernel', which has a 'arith.constant': expected calls of parts only, as --soap-finish-kernels leaves them}}
  soap.kernel_call @kernel outs(%y : memref<8xf32>)
  return
}
func.func private @kernel(%y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %y[%i] : memref<8xf32>
  }
  return
}
