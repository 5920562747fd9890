// Buffers that live at the same time get disjoint places, others share; 64-byte aligned.
// RUN: soap-opt %s --soap-plan-memory -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<192xi8>) attributes {soap.arena_bytes = 192 : i64}
func.func @chain(%x: memref<16xf32>, %y: memref<16xf32>) {
  // b, the largest, takes 128 bytes at 0; a and c, which never live together, the 64 behind it.
  // CHECK: %[[C128:.*]] = arith.constant 128 : index
  // CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[C128]]][] : memref<192xi8> to memref<16xf32>
  // CHECK: soap.kernel_call @k ins(%{{.*}}) outs(%[[A]] : memref<16xf32>)
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[C0]]][] : memref<192xi8> to memref<20xf32>
  // CHECK: soap.kernel_call @widen ins(%[[A]] : {{.*}}) outs(%[[B]] : memref<20xf32>)
  // CHECK: %[[C128_1:.*]] = arith.constant 128 : index
  // CHECK: %[[C:.*]] = memref.view %[[ARENA]][%[[C128_1]]][]
  // CHECK: soap.kernel_call @narrow ins(%[[B]] : {{.*}}) outs(%[[C]] : memref<16xf32>)
  %a = memref.alloc() : memref<16xf32>
  soap.kernel_call @k ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %b = memref.alloc() : memref<20xf32>
  soap.kernel_call @widen ins(%a : memref<16xf32>) outs(%b : memref<20xf32>)
  %c = memref.alloc() : memref<16xf32>
  soap.kernel_call @narrow ins(%b : memref<20xf32>) outs(%c : memref<16xf32>)
  soap.kernel_call @k ins(%c : memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
func.func private @k(memref<16xf32>, memref<16xf32>)
func.func private @widen(memref<16xf32>, memref<20xf32>)
func.func private @narrow(memref<20xf32>, memref<16xf32>)

// -----

// A view keeps its buffer alive: a and b do not share.
// CHECK-LABEL: func.func @view
// CHECK-SAME: memref<128xi8>) attributes {soap.arena_bytes = 128 : i64}
func.func @view(%x: memref<16xf32>, %y: memref<16xf32>) {
  %a = memref.alloc() : memref<16xf32>
  soap.kernel_call @k ins(%x : memref<16xf32>) outs(%a : memref<16xf32>)
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 4] : memref<16xf32> into memref<4x4xf32>
  %b = memref.alloc() : memref<16xf32>
  soap.kernel_call @k ins(%x : memref<16xf32>) outs(%b : memref<16xf32>)
  soap.kernel_call @square ins(%v, %b : memref<4x4xf32>, memref<16xf32>) outs(%y : memref<16xf32>)
  return
}
func.func private @k(memref<16xf32>, memref<16xf32>)
func.func private @square(memref<4x4xf32>, memref<16xf32>, memref<16xf32>)

// -----

// No temporaries, no arena; kernels are left alone.
// CHECK-LABEL: func.func @none
// CHECK-SAME: memref<0xi8>) attributes {soap.arena_bytes = 0 : i64}
// CHECK: func.func private @kernel(%{{.*}}: memref<4xf32>) {
func.func @none(%x: memref<4xf32>) {
  soap.kernel_call @kernel outs(%x : memref<4xf32>)
  return
}
func.func private @kernel(%x: memref<4xf32>) {
  return
}

// -----

// The workspace of a library call begins at a multiple of 256 bytes: cuBLASLt and cuDNN demand it.
// CHECK-LABEL: func.func @workspace
// CHECK-SAME: memref<576xi8>) attributes {soap.arena_bytes = 576 : i64}
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.view %{{.*}}[%[[C0]]][] : memref<576xi8> to memref<80xf32>
// CHECK: %[[C512:.*]] = arith.constant 512 : index
// CHECK: %[[W:.*]] = memref.view %{{.*}}[%[[C512]]][] : memref<576xi8> to memref<64xi8>
// CHECK: outs(%{{.*}}, %[[W]] :
func.func @workspace(%x: memref<80xf32>, %y: memref<4x3xf32>, %a: memref<4x5xf32>, %b: memref<3x5xf32>) {
  %t = memref.alloc() : memref<80xf32>
  soap.kernel_call @long ins(%x : memref<80xf32>) outs(%t : memref<80xf32>)
  %w = memref.alloc() : memref<64xi8>
  soap.library_call "matmul" [1, 4, 3, 5, 0, 1, 1, 0, 0, 64] ins(%a, %b : memref<4x5xf32>, memref<3x5xf32>) outs(%y, %w : memref<4x3xf32>, memref<64xi8>)
  soap.kernel_call @long ins(%t : memref<80xf32>) outs(%x : memref<80xf32>)
  return
}
func.func private @long(memref<80xf32>, memref<80xf32>)
