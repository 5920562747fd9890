// Attention that was rounded to bf16 is one call, and its gradients another; there is no matrix of queries by keys.
// RUN: soap-opt %s --soap-call-attention | FileCheck %s
// RUN: soap-opt %s --soap-call-attention=attention=none | FileCheck %s --check-prefix=NONE
// RUN: soap-opt %s --soap-call-attention=chip=sm_75 | FileCheck %s --check-prefix=NONE
// RUN: not soap-opt %s --soap-call-attention='chip=sm_75 attention=cuda' 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not soap-opt %s --soap-call-attention=attention=flash 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not soap-opt %s --soap-call-attention='precision=f32 attention=cuda' 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not soap-opt %s --soap-lower-to-cuda='format=isa precision=bf16 library=none attention=cuda' 2>&1 | FileCheck %s --check-prefix=LIBRARY
// CHIP: error: attention=cuda needs a chip from sm_80 on, got chip=sm_75 precision=bf16 library=cuda
// PRECISION: error: attention=cuda needs precision=bf16, got chip=sm_90 precision=f32 library=cuda
// LIBRARY: error: attention=cuda needs library=cuda, got chip=sm_90 precision=bf16 library=none
// UNKNOWN: error: unknown attention 'flash': expected auto, cuda or none
// NONE-NOT: library_call

// The scale 0.25 is 4598175219545276416 as f64. Heads come first only for the products: the call reads and writes tokens first.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: soap.softmax
// CHECK: %[[Y:.*]]:2 = soap.library_call "attention" [0, 4, 2, 32, 32, 16, 16, 0, 4598175219545276416, 4096, 1, 0, 0, 1, 0, 0, 0, 0] ins(%arg0, %arg1, %arg2 : {{.*}}) outs({{.*}} : tensor<4x32x2x16xbf16>, tensor<4096xi8>)
// CHECK-NOT: soap.transpose
// CHECK: %[[R:.*]] = soap.reshape %[[Y]]#0
// CHECK: return %[[R]]
func.func @forward(%q: tensor<4x32x2x16xbf16>, %k: tensor<4x2x32x16xbf16>, %v: tensor<4x2x32x16xbf16>) -> tensor<4x32x32xbf16> {
  %t = soap.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x32x2x16xbf16>) -> tensor<4x2x32x16xbf16>
  %qw = soap.cast %t : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %kw = soap.cast %k : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %vw = soap.cast %v : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %s = soap.matmul %qw, %kw {transpose_b} : (tensor<4x2x32x16xf32>, tensor<4x2x32x16xf32>) -> tensor<4x2x32x32xf32>
  %c = soap.scale %s {factor = 0.25} : tensor<4x2x32x32xf32>
  %p = soap.softmax %c {axis = 3 : i64} : tensor<4x2x32x32xf32>
  %pb = soap.cast %p : (tensor<4x2x32x32xf32>) -> tensor<4x2x32x32xbf16>
  %pw = soap.cast %pb : (tensor<4x2x32x32xbf16>) -> tensor<4x2x32x32xf32>
  %y = soap.matmul %pw, %vw : (tensor<4x2x32x32xf32>, tensor<4x2x32x16xf32>) -> tensor<4x2x32x16xf32>
  %j = soap.transpose %y {permutation = array<i64: 0, 2, 1, 3>} : (tensor<4x2x32x16xf32>) -> tensor<4x32x2x16xf32>
  %r = soap.reshape %j : (tensor<4x32x2x16xf32>) -> tensor<4x32x32xf32>
  %rb = soap.cast %r : (tensor<4x32x32xf32>) -> tensor<4x32x32xbf16>
  return %rb : tensor<4x32x32xbf16>
}

// Causal, with its gradients; one head per batch, so three dims. The calls take the tasks of the ops that are gone. A row has a number in f32.
// CHECK-LABEL: func.func @training
// CHECK-NOT: tensor<2x4x4xf32>
// CHECK: %[[Y:.*]]:3 = soap.library_call "attention" [1, 2, 1, 4, 4, 8, 8, 1, {{.*}}] ins(%arg0, %arg1, %arg2 : {{.*}}) outs({{.*}} : tensor<2x4x8xbf16>, tensor<2x1x4xf32>, tensor<4096xi8>) {soap.fused_slots = array<i64: 0, 1, 2, 3>, soap.slot = 4 : i64}
// CHECK: %[[G:.*]]:4 = soap.library_call "attention" [2, 2, 1, 4, 4, 8, 8, 1, {{.*}}, 71680, 0, 0, 0, 0, 0, 0, 0, 0] ins(%arg0, %arg1, %arg2, %[[Y]]#0, %arg3, %[[Y]]#1 : {{.*}}) outs({{.*}} : tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<2x4x8xbf16>, tensor<71680xi8>) {soap.fused_slots = array<i64: 6, 7, 8, 9, 10, 11>, soap.slot = 5 : i64}
// CHECK-DAG: %[[DQ:.*]] = soap.cast %[[G]]#0
// CHECK-DAG: %[[DK:.*]] = soap.cast %[[G]]#1
// CHECK-DAG: %[[DV:.*]] = soap.cast %[[G]]#2
// CHECK: return {{.*}}, %[[DQ]], %[[DK]], %[[DV]]
func.func @training(%q: tensor<2x4x8xbf16>, %k: tensor<2x4x8xbf16>, %v: tensor<2x4x8xbf16>, %d: tensor<2x4x8xbf16>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %qw = soap.cast %q : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %kw = soap.cast %k : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %vw = soap.cast %v : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %dw = soap.cast %d : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %rows = soap.constant dense<[[0.0], [1.0], [2.0], [3.0]]> : tensor<4x1xf32>
  %columns = soap.constant dense<[[0.0, 1.0, 2.0, 3.0]]> : tensor<1x4xf32>
  %m = soap.greater_equal %rows, %columns {soap.slot = 0 : i64} : (tensor<4x1xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %never = soap.constant dense<0xFF800000> : tensor<f32>
  %zero = soap.constant dense<0.0> : tensor<f32>
  %s = soap.matmul %qw, %kw {transpose_b, soap.slot = 1 : i64} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  %c = soap.where %m, %s, %never {soap.slot = 2 : i64} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4x4xf32>
  %p = soap.softmax %c {axis = 2 : i64, soap.slot = 3 : i64} : tensor<2x4x4xf32>
  %pb = soap.cast %p {soap.slot = 3 : i64} : (tensor<2x4x4xf32>) -> tensor<2x4x4xbf16>
  %pw = soap.cast %pb {soap.slot = 4 : i64} : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>
  %y = soap.matmul %pw, %vw {soap.slot = 4 : i64} : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %dp = soap.matmul %dw, %vw {transpose_b, soap.slot = 5 : i64} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x4xf32>
  %pv = soap.cast %pb {soap.slot = 6 : i64} : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>
  %dv = soap.matmul %pv, %dw {transpose_a, soap.slot = 6 : i64} : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %ds = soap.softmax_grad %dp, %p {axis = 2 : i64, soap.slot = 7 : i64} : tensor<2x4x4xf32>
  %dc = soap.where %m, %ds, %zero {soap.slot = 8 : i64} : (tensor<4x4xf32>, tensor<2x4x4xf32>, tensor<f32>) -> tensor<2x4x4xf32>
  %db = soap.cast %dc {soap.slot = 9 : i64} : (tensor<2x4x4xf32>) -> tensor<2x4x4xbf16>
  %d1 = soap.cast %db {soap.slot = 10 : i64} : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>
  %dq = soap.matmul %d1, %kw {soap.slot = 10 : i64} : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %d2 = soap.cast %db {soap.slot = 11 : i64} : (tensor<2x4x4xbf16>) -> tensor<2x4x4xf32>
  %dk = soap.matmul %d2, %qw {transpose_a, soap.slot = 11 : i64} : (tensor<2x4x4xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y, %dq, %dk, %dv : tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>
}

// Another op reads the shares, or the scores.
// CHECK-LABEL: func.func @shares
// CHECK-NOT: library_call
// CHECK: soap.softmax
// CHECK: return
func.func @shares(%q: tensor<4x32x16xbf16>, %k: tensor<4x32x16xbf16>, %v: tensor<4x32x16xbf16>) -> (tensor<4x32x16xf32>, tensor<4x32x32xbf16>) {
  %qw = soap.cast %q : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %kw = soap.cast %k : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %vw = soap.cast %v : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %s = soap.matmul %qw, %kw {transpose_b} : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x32xf32>
  %p = soap.softmax %s {axis = 2 : i64} : tensor<4x32x32xf32>
  %pb = soap.cast %p : (tensor<4x32x32xf32>) -> tensor<4x32x32xbf16>
  %pw = soap.cast %pb : (tensor<4x32x32xbf16>) -> tensor<4x32x32xf32>
  %y = soap.matmul %pw, %vw : (tensor<4x32x32xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  return %y, %pb : tensor<4x32x16xf32>, tensor<4x32x32xbf16>
}
// CHECK-LABEL: func.func @scores
// CHECK-NOT: library_call
// CHECK: return
func.func @scores(%q: tensor<4x32x16xbf16>, %k: tensor<4x32x16xbf16>, %v: tensor<4x32x16xbf16>) -> (tensor<4x32x16xf32>, tensor<4x32x32xf32>) {
  %qw = soap.cast %q : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %kw = soap.cast %k : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %vw = soap.cast %v : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %s = soap.matmul %qw, %kw {transpose_b} : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x32xf32>
  %p = soap.softmax %s {axis = 2 : i64} : tensor<4x32x32xf32>
  %pb = soap.cast %p : (tensor<4x32x32xf32>) -> tensor<4x32x32xbf16>
  %pw = soap.cast %pb : (tensor<4x32x32xbf16>) -> tensor<4x32x32xf32>
  %y = soap.matmul %pw, %vw : (tensor<4x32x32xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  return %y, %s : tensor<4x32x16xf32>, tensor<4x32x32xf32>
}

// In f32.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: library_call
// CHECK: return
func.func @wide(%q: tensor<4x32x16xf32>, %k: tensor<4x32x16xf32>, %v: tensor<4x32x16xf32>) -> tensor<4x32x16xf32> {
  %s = soap.matmul %q, %k {transpose_b} : (tensor<4x32x16xf32>, tensor<4x32x16xf32>) -> tensor<4x32x32xf32>
  %p = soap.softmax %s {axis = 2 : i64} : tensor<4x32x32xf32>
  %y = soap.matmul %p, %v : (tensor<4x32x32xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  return %y : tensor<4x32x16xf32>
}

// Heads of 12 numbers; a mask whose rows begin at 1, as in a shard.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: library_call
// CHECK: return
func.func @narrow(%q: tensor<4x32x12xbf16>, %k: tensor<4x32x12xbf16>, %v: tensor<4x32x16xbf16>) -> tensor<4x32x16xf32> {
  %qw = soap.cast %q : (tensor<4x32x12xbf16>) -> tensor<4x32x12xf32>
  %kw = soap.cast %k : (tensor<4x32x12xbf16>) -> tensor<4x32x12xf32>
  %vw = soap.cast %v : (tensor<4x32x16xbf16>) -> tensor<4x32x16xf32>
  %s = soap.matmul %qw, %kw {transpose_b} : (tensor<4x32x12xf32>, tensor<4x32x12xf32>) -> tensor<4x32x32xf32>
  %p = soap.softmax %s {axis = 2 : i64} : tensor<4x32x32xf32>
  %pb = soap.cast %p : (tensor<4x32x32xf32>) -> tensor<4x32x32xbf16>
  %pw = soap.cast %pb : (tensor<4x32x32xbf16>) -> tensor<4x32x32xf32>
  %y = soap.matmul %pw, %vw : (tensor<4x32x32xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  return %y : tensor<4x32x16xf32>
}
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: library_call
// CHECK: return
func.func @shifted(%q: tensor<2x2x8xbf16>, %k: tensor<2x4x8xbf16>, %v: tensor<2x4x8xbf16>) -> tensor<2x2x8xf32> {
  %qw = soap.cast %q : (tensor<2x2x8xbf16>) -> tensor<2x2x8xf32>
  %kw = soap.cast %k : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %vw = soap.cast %v : (tensor<2x4x8xbf16>) -> tensor<2x4x8xf32>
  %rows = soap.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %columns = soap.constant dense<[[0.0, 1.0, 2.0, 3.0]]> : tensor<1x4xf32>
  %m = soap.greater_equal %rows, %columns : (tensor<2x1xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %never = soap.constant dense<0xFF800000> : tensor<f32>
  %s = soap.matmul %qw, %kw {transpose_b} : (tensor<2x2x8xf32>, tensor<2x4x8xf32>) -> tensor<2x2x4xf32>
  %c = soap.where %m, %s, %never : (tensor<2x4xf32>, tensor<2x2x4xf32>, tensor<f32>) -> tensor<2x2x4xf32>
  %p = soap.softmax %c {axis = 2 : i64} : tensor<2x2x4xf32>
  %pb = soap.cast %p : (tensor<2x2x4xf32>) -> tensor<2x2x4xbf16>
  %pw = soap.cast %pb : (tensor<2x2x4xbf16>) -> tensor<2x2x4xf32>
  %y = soap.matmul %pw, %vw : (tensor<2x2x4xf32>, tensor<2x4x8xf32>) -> tensor<2x2x8xf32>
  return %y : tensor<2x2x8xf32>
}

// One attention reads what another one makes.
// CHECK-LABEL: func.func @chained
// CHECK: %[[Y:.*]]:2 = soap.library_call "attention" [0, {{.*}}] ins(%arg0, %arg1, %arg2 :
// CHECK: %[[Z:.*]]:2 = soap.library_call "attention" [0, {{.*}}] ins(%[[Y]]#0, %arg1, %arg2 :
// CHECK: return %[[Z]]#0
func.func @chained(%q: tensor<4x2x32x16xbf16>, %k: tensor<4x2x32x16xbf16>, %v: tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xbf16> {
  %qw = soap.cast %q : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %kw = soap.cast %k : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %vw = soap.cast %v : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %s = soap.matmul %qw, %kw {transpose_b} : (tensor<4x2x32x16xf32>, tensor<4x2x32x16xf32>) -> tensor<4x2x32x32xf32>
  %p = soap.softmax %s {axis = 3 : i64} : tensor<4x2x32x32xf32>
  %pb = soap.cast %p : (tensor<4x2x32x32xf32>) -> tensor<4x2x32x32xbf16>
  %pw = soap.cast %pb : (tensor<4x2x32x32xbf16>) -> tensor<4x2x32x32xf32>
  %y = soap.matmul %pw, %vw : (tensor<4x2x32x32xf32>, tensor<4x2x32x16xf32>) -> tensor<4x2x32x16xf32>
  %yb = soap.cast %y : (tensor<4x2x32x16xf32>) -> tensor<4x2x32x16xbf16>
  %yw = soap.cast %yb : (tensor<4x2x32x16xbf16>) -> tensor<4x2x32x16xf32>
  %s2 = soap.matmul %yw, %kw {transpose_b} : (tensor<4x2x32x16xf32>, tensor<4x2x32x16xf32>) -> tensor<4x2x32x32xf32>
  %p2 = soap.softmax %s2 {axis = 3 : i64} : tensor<4x2x32x32xf32>
  %pb2 = soap.cast %p2 : (tensor<4x2x32x32xf32>) -> tensor<4x2x32x32xbf16>
  %pw2 = soap.cast %pb2 : (tensor<4x2x32x32xbf16>) -> tensor<4x2x32x32xf32>
  %y2 = soap.matmul %pw2, %vw : (tensor<4x2x32x32xf32>, tensor<4x2x32x16xf32>) -> tensor<4x2x32x16xf32>
  %yb2 = soap.cast %y2 : (tensor<4x2x32x16xf32>) -> tensor<4x2x32x16xbf16>
  return %yb2 : tensor<4x2x32x16xbf16>
}
