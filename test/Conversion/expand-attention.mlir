// Attention that cuDNN does not compute becomes products, and kernels between them.
// RUN: soap-opt %s --soap-expand-attention=precision=f32 | FileCheck %s
// RUN: soap-opt %s --soap-expand-attention='precision=f32 tile=64' | FileCheck %s --check-prefix=TILES
// RUN: not soap-opt %s --soap-expand-attention='tile=0' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not soap-opt %s --soap-expand-attention='attention=flash' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// NONE: error: tile must be at least 1, got 0
// UNKNOWN: error: unknown attention 'flash': expected auto, cuda or none

// Two heads that share keys are rows of one product.
// CHECK-LABEL: func.func @forward
// CHECK: %[[Q:.*]] = soap.reshape %arg0 {{.*}} : (tensor<2x4x8x4xf32>) -> tensor<2x2x16x4xf32>
// CHECK: %[[S:.*]] = soap.matmul %[[Q]], %arg1 {soap.slot = 3 : i64, transpose_b} : (tensor<2x2x16x4xf32>, tensor<2x2x8x4xf32>) -> tensor<2x2x16x8xf32>
// CHECK: %[[P:.*]] = soap.reshape %[[S]] {{.*}} -> tensor<2x4x8x8xf32>
// CHECK: %[[W:.*]], %[[L:.*]] = soap.attention_weights %[[P]] {operandSegmentSizes = array<i32: 1, 0, 0, 0>, right = 0 : i64, scale = 5.000000e-01 : f64, soap.slot = 3 : i64} : (tensor<2x4x8x8xf32>) -> (tensor<2x4x8x8xf32>, tensor<2x4x8xf32>)
// CHECK: %[[R:.*]] = soap.reshape %[[W]]
// CHECK: %[[O:.*]] = soap.matmul %[[R]], %arg2
// CHECK: %[[Y:.*]] = soap.reshape %[[O]] {{.*}} -> tensor<2x4x8x6xf32>
// CHECK: return %[[Y]], %[[L]]
// In tiles of at most 64 scores, one sample, one head of keys and some queries, each with the keys that it sees.
// TILES-LABEL: func.func @forward
// TILES-NOT: tensor<2x4x8x8xf32>
// TILES-COUNT-8: soap.attention_weights
// TILES-NOT: soap.attention_weights
// TILES: %[[Y:.*]] = soap.assemble {{.*}} -> tensor<2x4x8x6xf32>
// TILES: %[[L:.*]] = soap.assemble {{.*}} -> tensor<2x4x8xf32>
// TILES: return %[[Y]], %[[L]]
func.func @forward(%q: tensor<2x4x8x4xf32>, %k: tensor<2x2x8x4xf32>, %v: tensor<2x2x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>) {
  %y, %l = soap.attention %q, %k, %v {scale = 0.5, right = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, soap.slot = 3 : i64} : (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  return %y, %l : tensor<2x4x8x6xf32>, tensor<2x4x8xf32>
}

// A window of 3 of 2048 keys: tiles of 512 queries read 514 keys, the first one 512.
// CHECK-LABEL: func.func @window
// CHECK: soap.attention_weights %{{.*}} {left = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>, right = 0 : i64, scale = 1.000000e+00 : f64} : (tensor<1x1x512x512xf32>)
// CHECK-COUNT-3: soap.attention_weights %{{.*}} {left = 2 : i64, offset = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>, right = 0 : i64, scale = 1.000000e+00 : f64} : (tensor<1x1x512x514xf32>)
// CHECK-NOT: soap.attention_weights
// CHECK: return
func.func @window(%q: tensor<1x1x2048x4xf32>) -> tensor<1x1x2048x4xf32> {
  %y, %l = soap.attention %q, %q, %q {scale = 1.0, left = 2 : i64, right = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x2048x4xf32>, tensor<1x1x2048x4xf32>, tensor<1x1x2048x4xf32>) -> (tensor<1x1x2048x4xf32>, tensor<1x1x2048xf32>)
  return %y : tensor<1x1x2048x4xf32>
}

// Keys that the bounds hide from all queries of a tile are not read: of 4 queries the first two see nothing.
// TILES-LABEL: func.func @hidden
// TILES: soap.matmul %{{.*}} -> tensor<1x1x32x2xf32>
// TILES: soap.attention_weights
// TILES-NOT: soap.attention_weights
// TILES: soap.fill 0.0{{.*}} : tensor<1x16x2x4xf32>
// TILES: return
func.func @hidden(%q: tensor<1x16x4x4xf32>, %k: tensor<1x1x6x4xf32>) -> tensor<1x16x4x4xf32> {
  %y, %l = soap.attention %q, %k, %k {scale = 1.0, right = 0 : i64, offset = -2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x16x4x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>) -> (tensor<1x16x4x4xf32>, tensor<1x16x4xf32>)
  return %y : tensor<1x16x4x4xf32>
}

// bf16: products read it, weights are rounded to it, all else is f32. What nothing reads is not written.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[Q:.*]] = soap.cast %arg0 : (tensor<1x1x4x12xbf16>) -> tensor<1x1x4x12xf32>
// CHECK: %[[K:.*]] = soap.cast %arg1
// CHECK: %[[S:.*]] = soap.matmul %[[Q]], %[[K]] {transpose_b}
// CHECK: %[[W:.*]], %[[L:.*]] = soap.attention_weights %[[S]], %arg2 {{.*}} -> (tensor<1x1x4x4xbf16>, tensor<1x1x4xf32>)
// CHECK: %[[C:.*]] = soap.cast %[[W]]
// CHECK: %[[V:.*]] = soap.cast %arg1
// CHECK: %[[O:.*]] = soap.matmul %[[C]], %[[V]]
// CHECK: %[[Y:.*]] = soap.cast %[[O]] : (tensor<1x1x4x12xf32>) -> tensor<1x1x4x12xbf16>
// CHECK: return %[[Y]]
func.func @narrow(%q: tensor<1x1x4x12xbf16>, %k: tensor<1x1x4x12xbf16>, %b: tensor<1x1x1x4xbf16>) -> tensor<1x1x4x12xbf16> {
  %y, %l = soap.attention %q, %k, %k, %b {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>} : (tensor<1x1x4x12xbf16>, tensor<1x1x4x12xbf16>, tensor<1x1x4x12xbf16>, tensor<1x1x1x4xbf16>) -> (tensor<1x1x4x12xbf16>, tensor<1x1x4xf32>)
  return %y : tensor<1x1x4x12xbf16>
}

// CHECK-LABEL: func.func @partial
// CHECK: %[[W:.*]], %[[L:.*]] = soap.attention_weights
// CHECK: %[[O:.*]] = soap.matmul %[[W]], %arg1
// CHECK: %[[T:.*]] = soap.transpose %[[O]] {permutation = array<i64: 3, 0, 1, 2>}
// CHECK: %[[R:.*]] = soap.reshape %[[L]] : (tensor<1x2x4xf32>) -> tensor<1x1x2x4xf32>
// CHECK: %[[S:.*]] = soap.assemble %[[R]], %[[T]]
// CHECK: %[[O2:.*]] = soap.assemble %[[S]]
// CHECK: %[[Y:.*]] = soap.transpose %[[O2]] {permutation = array<i64: 1, 2, 3, 0>}
// CHECK: %[[L2:.*]] = soap.assemble %[[S]]
// CHECK: %[[LSE:.*]] = soap.reshape %[[L2]]
// CHECK: return %[[Y]], %[[LSE]]
func.func @partial(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>) {
  %s = soap.attention_partial %q, %k, %k {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<9x1x2x4xf32>
  %y, %l = soap.attention_result %s : (tensor<9x1x2x4xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4xf32>)
  return %y, %l : tensor<1x2x4x8xf32>, tensor<1x2x4xf32>
}

// The gradient: five products. Of a bias for all samples and queries, the sum of gradients of scores.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[B:.*]] = soap.mul %arg0, %arg3
// CHECK: %[[X:.*]] = soap.reduce sum %[[B]] {axes = array<i64: 3>}
// CHECK: %[[E:.*]] = soap.sub %[[X]], %arg6
// CHECK: %[[DP:.*]] = soap.matmul %arg0, %arg2 {transpose_b}
// CHECK: %[[S:.*]] = soap.matmul %arg1, %arg2 {transpose_b}
// CHECK: %[[G0:.*]], %[[G1:.*]], %[[G2:.*]] = soap.attention_weights_grad %[[S]], %[[DP]], %arg4, %[[E]], %arg5
// CHECK: %[[DQ:.*]] = soap.matmul %[[G1]], %arg2
// CHECK: %[[DK:.*]] = soap.matmul %[[G1]], %arg1 {transpose_a}
// CHECK: %[[DV:.*]] = soap.matmul %[[G0]], %arg0 {transpose_a}
// CHECK: %[[R:.*]] = soap.reduce sum %[[G2]] {axes = array<i64: 0, 2>}
// CHECK: %[[DB:.*]] = soap.reshape %[[R]] : (tensor<2x4xf32>) -> tensor<1x2x1x4xf32>
// CHECK: return %[[DQ]], %[[DK]], %[[DV]], %[[DB]]
// In tiles of samples, the gradient of the bias is a sum over them.
// TILES-LABEL: func.func @gradient
// TILES-COUNT-3: soap.attention_weights_grad
// TILES: soap.add %{{.*}} : tensor<1x2x1x4xf32>
// TILES: return
func.func @gradient(%d: tensor<3x2x8x8xf32>, %q: tensor<3x2x8x8xf32>, %k: tensor<3x2x4x8xf32>, %o: tensor<3x2x8x8xf32>, %lse: tensor<3x2x8xf32>, %b: tensor<1x2x1x4xf32>, %dl: tensor<3x2x8xf32>) -> (tensor<3x2x8x8xf32>, tensor<3x2x4x8xf32>, tensor<3x2x4x8xf32>, tensor<1x2x1x4xf32>) {
  %dq, %dk, %dv, %db = soap.attention_grad %d, %q, %k, %k, %o, %lse, %b, %dl {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1>} : (tensor<3x2x8x8xf32>, tensor<3x2x8x8xf32>, tensor<3x2x4x8xf32>, tensor<3x2x4x8xf32>, tensor<3x2x8x8xf32>, tensor<3x2x8xf32>, tensor<1x2x1x4xf32>, tensor<3x2x8xf32>) -> (tensor<3x2x8x8xf32>, tensor<3x2x4x8xf32>, tensor<3x2x4x8xf32>, tensor<1x2x1x4xf32>)
  return %dq, %dk, %dv, %db : tensor<3x2x8x8xf32>, tensor<3x2x4x8xf32>, tensor<3x2x4x8xf32>, tensor<1x2x1x4xf32>
}

// Gradients of keys are sums over tiles of queries, each with the keys that it sees.
// TILES-LABEL: func.func @keys
// TILES: soap.attention_weights_grad %{{.*}} : (tensor<1x1x4x4xf32>
// TILES: soap.pad %{{.*}} : (tensor<1x1x4x8xf32>) -> tensor<1x1x16x8xf32>
// TILES: soap.attention_weights_grad %{{.*}} : (tensor<1x1x4x8xf32>
// TILES: soap.pad %{{.*}} : (tensor<1x1x8x8xf32>) -> tensor<1x1x16x8xf32>
// TILES: soap.add %{{.*}} : tensor<1x1x16x8xf32>
// TILES: soap.attention_weights_grad %{{.*}} : (tensor<1x1x4x12xf32>
// TILES: soap.attention_weights_grad %{{.*}} : (tensor<1x1x4x16xf32>
// TILES-NOT: soap.pad
// TILES: return
func.func @keys(%q: tensor<1x1x16x8xf32>, %lse: tensor<1x1x16xf32>) -> (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>) {
  %dq, %dk, %dv = soap.attention_grad %q, %q, %q, %q, %q, %lse {scale = 1.0, right = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16xf32>) -> (tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>)
  return %dq, %dk, %dv : tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>, tensor<1x1x16x8xf32>
}
