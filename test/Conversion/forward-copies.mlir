// A slice that lies together is sent as a view, without packing; parts of an assembled tile are made in it, without copies.
// RUN: soap-opt %s --soap-outline-kernels --soap-bufferize-programs | FileCheck %s
// RUN: soap-opt %s --soap-outline-kernels --soap-bufferize-programs --soap-plan-memory | FileCheck %s --check-prefix=PLAN
// RUN: soap-opt %s --soap-outline-kernels --soap-bufferize-programs --soap-plan-memory --soap-programs-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @gather
// CHECK: %[[ROW:.*]] = memref.collapse_shape %arg0
// CHECK: %[[UPPER:.*]] = memref.subview %[[ROW]][256] [256] [1]
// CHECK: soap.send_buffer %[[UPPER]]
// CHECK: %[[BYTES:.*]] = memref.alloc() {{.*}}: memref<2048xi8>
// CHECK-DAG: %[[A:.*]] = memref.view %[[BYTES]][%c0{{.*}}][] : memref<2048xi8> to memref<8x32xf32>
// CHECK-DAG: %[[B:.*]] = memref.view %[[BYTES]][%c1024{{.*}}][] : memref<2048xi8> to memref<8x32xf32>
// CHECK: soap.kernel_call @kernel_0_relu ins({{.*}}) outs(%[[A]] : memref<8x32xf32>)
// CHECK: soap.recv_buffer outs(%[[B]] : memref<8x32xf32>)
// CHECK-NOT: memref.copy

// What peers read stays to the end: the last buffer, 1024 bytes, does not take the place of %y.
// PLAN-LABEL: func.func @gather
// PLAN-SAME: soap.arena_bytes = 5120 : i64

// LLVM-LABEL: llvm.func @gather
// LLVM: llvm.call @soap_rt_post
// LLVM: llvm.call @soap_rt_recv
// LLVM: llvm.call @soap_rt_post
func.func @gather(%x: tensor<16x32xf32>, %u: tensor<8x32xf32>) -> tensor<16x32xf32> {
  soap.send %x {source = #soap.region<[8:16], [0:32]>, soap.slot = 0 : i64} : tensor<16x32xf32>
  %a = soap.relu %u {soap.slot = 1 : i64} : tensor<8x32xf32>
  %b = soap.recv {soap.slot = 2 : i64} : tensor<8x32xf32>
  %y = soap.assemble %a, %b {sources = [#soap.region<[0:8], [0:32]>, #soap.region<[0:8], [0:32]>], targets = [#soap.region<[0:8], [0:32]>, #soap.region<[8:16], [0:32]>], soap.slot = 3 : i64} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  soap.send %y {source = #soap.region<[0:16], [0:32]>, soap.slot = 4 : i64} : tensor<16x32xf32>
  %z = soap.neg %y {soap.slot = 5 : i64} : tensor<16x32xf32>
  %e = soap.exp %z {soap.slot = 6 : i64} : tensor<16x32xf32>
  %r = soap.matmul %e, %e {transpose_b, soap.slot = 7 : i64} : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x16xf32>
  %s = soap.matmul %r, %e {soap.slot = 8 : i64} : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  return %s : tensor<16x32xf32>
}

// Operands of a concatenation that lie one behind the other are made in it; an argument is copied. Others are a kernel.
// CHECK-LABEL: func.func @concat
// CHECK: %[[BYTES:.*]] = memref.alloc() {{.*}}: memref<3072xi8>
// CHECK-DAG: %[[FIRST:.*]] = memref.view %[[BYTES]][%c0{{.*}}][] : memref<3072xi8> to memref<1x8x32xf32>
// CHECK-DAG: %[[SECOND:.*]] = memref.view %[[BYTES]][%c1024{{.*}}][] : memref<3072xi8> to memref<1x8x32xf32>
// CHECK: soap.kernel_call @{{.*}}exp{{.*}} outs(%[[FIRST]] : memref<1x8x32xf32>)
// CHECK: soap.kernel_call @{{.*}}neg{{.*}} ins(%[[FIRST]] : {{.*}}) outs(%[[SECOND]] : memref<1x8x32xf32>)
// CHECK: memref.copy
// CHECK-NOT: memref.copy
// CHECK: soap.kernel_call @{{.*}}concat
func.func @concat(%x: tensor<1x8x32xf32>, %u: tensor<1x8x32xf32>) -> (tensor<3x8x32xf32>, tensor<1x16x32xf32>) {
  %a = soap.exp %x {soap.slot = 0 : i64} : tensor<1x8x32xf32>
  %e = soap.relu %a {soap.slot = 1 : i64} : tensor<1x8x32xf32>
  %b = soap.neg %a {soap.slot = 2 : i64} : tensor<1x8x32xf32>
  %y = soap.concat %a, %b, %u {axis = 0 : i64, soap.slot = 3 : i64} : (tensor<1x8x32xf32>, tensor<1x8x32xf32>, tensor<1x8x32xf32>) -> tensor<3x8x32xf32>
  %n = soap.neg %y {soap.slot = 4 : i64} : tensor<3x8x32xf32>
  %f = soap.reshape %e {soap.slot = 5 : i64} : (tensor<1x8x32xf32>) -> tensor<8x1x32xf32>
  %g = soap.reshape %b {soap.slot = 6 : i64} : (tensor<1x8x32xf32>) -> tensor<8x1x32xf32>
  %c = soap.concat %f, %g {axis = 1 : i64, soap.slot = 7 : i64} : (tensor<8x1x32xf32>, tensor<8x1x32xf32>) -> tensor<8x2x32xf32>
  %r = soap.reshape %c {soap.slot = 8 : i64} : (tensor<8x2x32xf32>) -> tensor<1x16x32xf32>
  return %n, %r : tensor<3x8x32xf32>, tensor<1x16x32xf32>
}
