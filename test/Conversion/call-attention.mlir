// Attention of bf16, or rounded to it, is one call, and its gradient another; there is no matrix of queries by keys.
// RUN: soap-opt %s --soap-call-attention | FileCheck %s
// RUN: soap-opt %s --soap-call-attention=attention=none | FileCheck %s --check-prefix=NONE
// RUN: soap-opt %s --soap-call-attention=chip=sm_75 | FileCheck %s --check-prefix=NONE
// RUN: soap-opt %s --soap-call-attention=library=none | FileCheck %s --check-prefix=NONE
// RUN: not soap-opt %s --soap-call-attention='chip=sm_75 attention=cuda' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not soap-opt %s --soap-call-attention=attention=flash 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not soap-opt %s --soap-lower-to-cuda='format=isa precision=bf16 library=none attention=cuda' 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: echo 'func.func @f(%%x: tensor<2xf32>) -> tensor<2xf32> { return %%x : tensor<2xf32> }' > %t.mlir
// RUN: not soap-opt %t.mlir --soap-call-attention='precision=f32 attention=cuda' 2>&1 | FileCheck %s --check-prefix=PRECISION
// CHIP: error: attention=cuda needs a chip from sm_80 on, got chip=sm_75 precision=bf16 library=cuda
// PRECISION: error: attention=cuda needs precision=bf16, got chip=sm_90 precision=f32 library=cuda
// LIBRARY: error: attention=cuda needs library=cuda, got chip=sm_90 precision=bf16 library=none
// UNKNOWN: error: unknown attention 'flash': expected auto, cuda or none
// NONE-NOT: library_call

// The scale 0.25 is 4598175219545276416 as f64. Heads come first only for the products: the call reads and writes tokens first.
// CHECK-LABEL: func.func @forward
// CHECK: %[[Y:.*]]:2 = soap.library_call "attention" [0, 4, 2, 2, 32, 32, 16, 16, 4598175219545276416, 9223372036854775807, 9223372036854775807, 4096, 1, 0, 0, 1, 0, 0, 0, 0] ins(%arg0, %arg1, %arg2 : {{.*}}) outs({{.*}} : tensor<4x32x2x16xbf16>, tensor<4096xi8>)
// CHECK-NOT: soap.transpose
// CHECK: %[[R:.*]] = soap.reshape %[[Y]]#0
// CHECK: return %[[R]]
func.func @forward(%q: tensor<4x32x2x16xbf16>, %k: tensor<4x2x32x16xbf16>, %v: tensor<4x2x32x16xbf16>) -> tensor<4x32x32xbf16> {
  %t = soap.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x32x2x16xbf16>) -> tensor<4x2x32x16xbf16>
  %y, %lse = soap.attention %t, %k, %v {scale = 0.25, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>) -> (tensor<4x2x32x16xbf16>, tensor<4x2x32xf32>)
  %j = soap.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x2x32x16xbf16>) -> tensor<4x32x2x16xbf16>
  %r = soap.reshape %j : (tensor<4x32x2x16xbf16>) -> tensor<4x32x32xbf16>
  return %r : tensor<4x32x32xbf16>
}

// Causal, of two heads that share keys, with its gradient, which reads what the first call writes as that writes it. Calls
// take the tasks of what is gone.
// CHECK-LABEL: func.func @training
// CHECK: %[[Y:.*]]:3 = soap.library_call "attention" [1, 2, 2, 1, 4, 4, 8, 8, {{.*}}, 9223372036854775807, 0, 4096, 1, 0, 0, 1, 0, 0, 0, 0] ins(%arg0, %arg1, %arg2 : {{.*}}) outs({{.*}} : tensor<2x4x2x8xbf16>, tensor<2x2x4xf32>, tensor<4096xi8>) {soap.fused_slots = array<i64: 2>, soap.slot = 1 : i64}
// CHECK-NOT: soap.transpose
// CHECK: %[[G:.*]]:4 = soap.library_call "attention" [2, 2, 2, 1, 4, 4, 8, 8, {{.*}}, 9223372036854775807, 0, 155648, 1, 0, 0, 1, 1, 1, 0, 0] ins(%arg0, %arg1, %arg2, %[[Y]]#0, %arg3, %[[Y]]#1 : {{.*}}) outs({{.*}} : tensor<2x4x2x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x1x4x8xbf16>, tensor<155648xi8>) {soap.fused_slots = array<i64: 0, 3, 5>, soap.slot = 4 : i64}
// CHECK: return %[[Y]]#0, %[[G]]#0, %[[G]]#1, %[[G]]#2
func.func @training(%q: tensor<2x4x2x8xbf16>, %k: tensor<2x1x4x8xbf16>, %v: tensor<2x1x4x8xbf16>, %d: tensor<2x4x2x8xbf16>) -> (tensor<2x4x2x8xbf16>, tensor<2x4x2x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x1x4x8xbf16>) {
  %t = soap.transpose %q {permutation = array<i64: 0, 2, 1, 3>, soap.slot = 0 : i64} : (tensor<2x4x2x8xbf16>) -> tensor<2x2x4x8xbf16>
  %y, %lse = soap.attention %t, %k, %v {scale = 0.5, right = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, soap.slot = 1 : i64} : (tensor<2x2x4x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x1x4x8xbf16>) -> (tensor<2x2x4x8xbf16>, tensor<2x2x4xf32>)
  %j = soap.transpose %y {permutation = array<i64: 0, 2, 1, 3>, soap.slot = 2 : i64} : (tensor<2x2x4x8xbf16>) -> tensor<2x4x2x8xbf16>
  %dt = soap.transpose %d {permutation = array<i64: 0, 2, 1, 3>, soap.slot = 3 : i64} : (tensor<2x4x2x8xbf16>) -> tensor<2x2x4x8xbf16>
  %dq, %dk, %dv = soap.attention_grad %dt, %t, %k, %v, %y, %lse {scale = 0.5, right = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>, soap.slot = 4 : i64} : (tensor<2x2x4x8xbf16>, tensor<2x2x4x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x2x4x8xbf16>, tensor<2x2x4xf32>) -> (tensor<2x2x4x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x1x4x8xbf16>)
  %dj = soap.transpose %dq {permutation = array<i64: 0, 2, 1, 3>, soap.slot = 5 : i64} : (tensor<2x2x4x8xbf16>) -> tensor<2x4x2x8xbf16>
  return %j, %dj, %dk, %dv : tensor<2x4x2x8xbf16>, tensor<2x4x2x8xbf16>, tensor<2x1x4x8xbf16>, tensor<2x1x4x8xbf16>
}

// Of f32 that was rounded: what reads the result in f32 gets it so, behind a reshape that moves bf16.
// CHECK-LABEL: func.func @rounded
// CHECK: %[[Y:.*]]:2 = soap.library_call "attention" [0, {{.*}}] ins(%arg0, %arg1, %arg2 :
// CHECK: %[[R:.*]] = soap.reshape %[[Y]]#0 : (tensor<4x2x32x16xbf16>) -> tensor<8x512xbf16>
// CHECK: %[[W:.*]] = soap.cast %[[R]]
// CHECK: %[[E:.*]] = soap.exp %[[W]]
// CHECK: return %[[R]], %[[E]]
func.func @rounded(%q: tensor<4x2x32x16xbf16>, %k: tensor<4x2x32x16xbf16>, %v: tensor<4x2x32x16xbf16>) -> (tensor<8x512xbf16>, tensor<8x512xf32>) {
  %qw = soap.cast %q : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %kw = soap.cast %k : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %vw = soap.cast %v : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %y, %lse = soap.attention %qw, %kw, %vw {scale = 0.25, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<4x2x32x16xf32>, tensor<4x2x32x16xf32>, tensor<4x2x32x16xf32>) -> (tensor<4x2x32x16xf32>, tensor<4x2x32xf32>)
  %r = soap.reshape %y : (tensor<4x2x32x16xf32>) -> tensor<8x512xf32>
  %rb = soap.cast %r : (tensor<8x512xf32>) -> tensor<8x512xbf16>
  %e = soap.exp %r : tensor<8x512xf32>
  return %rb, %e : tensor<8x512xbf16>, tensor<8x512xf32>
}

// A window of the last 3 keys. Bounds that hide nothing are none; queries behind the diagonal are not cuDNN's, nor a window
// that hides all keys from some, nor one without a causal bound.
// CHECK-LABEL: func.func @bounds
// CHECK: soap.library_call "attention" [0, 1, 1, 1, 4, 4, 8, 8, 4607182418800017408, 2, 0, 4096,
// CHECK: soap.library_call "attention" [0, 1, 1, 1, 4, 4, 8, 8, 4607182418800017408, 9223372036854775807, 9223372036854775807, 4096,
// CHECK: soap.library_call "attention" [0, 1, 1, 1, 4, 4, 8, 8, 4607182418800017408, 9223372036854775807, 0, 4096,
// CHECK: soap.attention %{{.*}} {offset = 1 : i64
// CHECK: soap.attention %{{.*}} {left = 2 : i64, operandSegment
// CHECK: soap.attention %{{.*}} right = 1 : i64
// CHECK: return
func.func @bounds(%q: tensor<1x1x4x8xbf16>, %k: tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) {
  %a, %la = soap.attention %q, %k, %k {scale = 1.0, left = 2 : i64, right = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %b, %lb = soap.attention %q, %k, %k {scale = 1.0, left = 9 : i64, right = 0 : i64, offset = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %c, %lc = soap.attention %q, %k, %k {scale = 1.0, right = -2 : i64, offset = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %d, %ld = soap.attention %q, %k, %k {scale = 1.0, right = 0 : i64, offset = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %e, %le = soap.attention %q, %k, %k {scale = 1.0, left = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %f, %lf = soap.attention %q, %k, %k {scale = 1.0, right = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  return %a, %b, %c, %d, %e, %f : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>
}

// Heads of 12 numbers, a cap, a bias, segments; of f16; the gradient of lse.
// CHECK-LABEL: func.func @others
// CHECK-NOT: library_call
// CHECK: return
func.func @others(%q: tensor<1x1x4x12xbf16>, %p: tensor<1x1x4x8xbf16>, %b: tensor<1x1x1x4xbf16>, %s: tensor<1x4xi32>, %h: tensor<1x1x4x8xf16>, %lse: tensor<1x1x4xf32>) -> (tensor<1x1x4x12xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xf16>, tensor<1x1x4x8xbf16>) {
  %a, %la = soap.attention %q, %q, %q {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x12xbf16>, tensor<1x1x4x12xbf16>, tensor<1x1x4x12xbf16>) -> (tensor<1x1x4x12xbf16>, tensor<1x1x4xf32>)
  %c, %lc = soap.attention %p, %p, %p {scale = 1.0, softcap = 2.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %d, %ld = soap.attention %p, %p, %p, %b {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x1x4xbf16>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %e, %le = soap.attention %p, %p, %p, %s, %s {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x4xi32>, tensor<1x4xi32>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>)
  %f, %lf = soap.attention %h, %h, %h {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x1x4x8xf16>, tensor<1x1x4x8xf16>, tensor<1x1x4x8xf16>) -> (tensor<1x1x4x8xf16>, tensor<1x1x4xf32>)
  %dq, %dk, %dv = soap.attention_grad %p, %p, %p, %p, %p, %lse, %lse {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0, 0, 1>} : (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>)
  return %a, %c, %d, %e, %f, %dq : tensor<1x1x4x12xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>, tensor<1x1x4x8xf16>, tensor<1x1x4x8xbf16>
}

// One attention reads what another one writes.
// CHECK-LABEL: func.func @chained
// CHECK: %[[Y:.*]]:2 = soap.library_call "attention" [0, {{.*}}] ins(%arg0, %arg1, %arg2 :
// CHECK: %[[Z:.*]]:2 = soap.library_call "attention" [0, {{.*}}] ins(%[[Y]]#0, %arg1, %arg2 :
// CHECK: return %[[Z]]#0
func.func @chained(%q: tensor<4x2x32x16xbf16>, %k: tensor<4x2x32x16xbf16>, %v: tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xbf16> {
  %y, %l = soap.attention %q, %k, %v {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>) -> (tensor<4x2x32x16xbf16>, tensor<4x2x32xf32>)
  %z, %m = soap.attention %y, %k, %v {scale = 1.0, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>, tensor<4x2x32x16xbf16>) -> (tensor<4x2x32x16xbf16>, tensor<4x2x32xf32>)
  return %z : tensor<4x2x32x16xbf16>
}
