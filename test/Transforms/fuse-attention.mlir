// Chains of ops become attention; what is no chain stays, with a remark.
// RUN: soap-opt %s --soap-fuse-attention 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// A causal mask by positions, a scale.
// CHECK-LABEL: func.func @causal
// CHECK: [[OUT:%.*]], {{%.*}} = soap.attention %arg0, %arg1, %arg2 {{.*}}right = 0 : i64, scale = 5.000000e-01 : f64
// CHECK-NOT: soap.softmax
// CHECK: return [[OUT]]
func.func @causal(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x3x8xf32>, %v: tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32> {
  %rows = soap.constant dense<[[0.0], [1.0], [2.0]]> : tensor<3x1xf32>
  %columns = soap.constant dense<[[0.0, 1.0, 2.0]]> : tensor<1x3xf32>
  %mask = soap.greater_equal %rows, %columns : (tensor<3x1xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %hidden = soap.constant dense<0xFF800000> : tensor<f32>
  %p = soap.matmul %q, %k {transpose_b} : (tensor<2x4x3x8xf32>, tensor<2x4x3x8xf32>) -> tensor<2x4x3x3xf32>
  %s = soap.scale %p {factor = 0.5 : f64} : tensor<2x4x3x3xf32>
  %m = soap.where %mask, %s, %hidden : (tensor<3x3xf32>, tensor<2x4x3x3xf32>, tensor<f32>) -> tensor<2x4x3x3xf32>
  %w = soap.softmax %m {axis = 3 : i64} : tensor<2x4x3x3xf32>
  %o = soap.matmul %w, %v : (tensor<2x4x3x3xf32>, tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  return %o : tensor<2x4x3x5xf32>
}

// A sliding window of two as a constant, a softcap, heads of keys that are repeated.
// CHECK-LABEL: func.func @window
// CHECK: soap.attention %arg0, %arg1, %arg2 {left = 1 : i64, {{.*}}right = 0 : i64, scale = 1.000000e+00 : f64, softcap = 2.000000e+00 : f64} : (tensor<1x4x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>)
func.func @window(%q: tensor<1x4x3x2xf32>, %k: tensor<1x2x3x2xf32>, %v: tensor<1x2x3x2xf32>) -> tensor<1x4x3x2xf32> {
  %mask = soap.constant dense<[[0.0, -1.0e9, -1.0e9], [0.0, 0.0, -1.0e9], [-1.0e9, 0.0, 0.0]]> : tensor<3x3xf32>
  %kb = soap.broadcast %k {axes = array<i64: 2>} : (tensor<1x2x3x2xf32>) -> tensor<1x2x2x3x2xf32>
  %ka = soap.reshape %kb : (tensor<1x2x2x3x2xf32>) -> tensor<1x4x3x2xf32>
  %vb = soap.broadcast %v {axes = array<i64: 2>} : (tensor<1x2x3x2xf32>) -> tensor<1x2x2x3x2xf32>
  %va = soap.reshape %vb : (tensor<1x2x2x3x2xf32>) -> tensor<1x4x3x2xf32>
  %p = soap.matmul %q, %ka {transpose_b} : (tensor<1x4x3x2xf32>, tensor<1x4x3x2xf32>) -> tensor<1x4x3x3xf32>
  %inner = soap.scale %p {factor = 0.5 : f64} : tensor<1x4x3x3xf32>
  %t = soap.tanh %inner : tensor<1x4x3x3xf32>
  %c = soap.scale %t {factor = 2.0 : f64} : tensor<1x4x3x3xf32>
  %m = soap.add %c, %mask : (tensor<1x4x3x3xf32>, tensor<3x3xf32>) -> tensor<1x4x3x3xf32>
  %w = soap.softmax %m {axis = 3 : i64} : tensor<1x4x3x3xf32>
  %o = soap.matmul %w, %va : (tensor<1x4x3x3xf32>, tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  return %o : tensor<1x4x3x2xf32>
}

// Samples and heads in one dim; a bias, and a mask of padding.
// CHECK-LABEL: func.func @flat
// CHECK: [[MASK:%.*]] = soap.where %arg4
// CHECK: soap.attention {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}} {{.*}} : (tensor<6x1x3x2xf32>, tensor<6x1x4x2xf32>, tensor<6x1x4x2xf32>, tensor<1x1x3x4xf32>) -> (tensor<6x1x3x2xf32>, tensor<6x1x3xf32>)
func.func @flat(%q: tensor<6x3x2xf32>, %k: tensor<6x2x4xf32>, %v: tensor<6x4x2xf32>, %bias: tensor<3x4xf32>, %padding: tensor<1x4xf32>) -> tensor<6x3x2xf32> {
  %hidden = soap.constant dense<-3.4028234e+38> : tensor<f32>
  %p = soap.matmul %q, %k : (tensor<6x3x2xf32>, tensor<6x2x4xf32>) -> tensor<6x3x4xf32>
  %b = soap.add %p, %bias : (tensor<6x3x4xf32>, tensor<3x4xf32>) -> tensor<6x3x4xf32>
  %m = soap.where %padding, %b, %hidden : (tensor<1x4xf32>, tensor<6x3x4xf32>, tensor<f32>) -> tensor<6x3x4xf32>
  %w = soap.softmax %m {axis = 2 : i64} : tensor<6x3x4xf32>
  %o = soap.matmul %w, %v : (tensor<6x3x4xf32>, tensor<6x4x2xf32>) -> tensor<6x3x2xf32>
  return %o : tensor<6x3x2xf32>
}

// CHECK-LABEL: func.func @read
// CHECK: soap.softmax
// REMARK: remark: its attention stays several ops, with scores in memory: its probabilities have another reader than the product with the values
func.func @read(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x3x2xf32>) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32>) {
  %p = soap.matmul %q, %k {transpose_b} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x3xf32>
  %w = soap.softmax %p {axis = 3 : i64} : tensor<1x2x3x3xf32>
  %o = soap.matmul %w, %k : (tensor<1x2x3x3xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  return %o, %w : tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32>
}

// A mask in front of a scale is scaled, too.
// CHECK-LABEL: func.func @scaled_mask
// CHECK: soap.softmax
// REMARK: comes before a scale or a cap
func.func @scaled_mask(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x3x2xf32>, %bias: tensor<3x3xf32>) -> tensor<1x2x3x2xf32> {
  %p = soap.matmul %q, %k {transpose_b} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x3xf32>
  %b = soap.add %p, %bias : (tensor<1x2x3x3xf32>, tensor<3x3xf32>) -> tensor<1x2x3x3xf32>
  %s = soap.scale %b {factor = 0.5 : f64} : tensor<1x2x3x3xf32>
  %w = soap.softmax %s {axis = 3 : i64} : tensor<1x2x3x3xf32>
  %o = soap.matmul %w, %k : (tensor<1x2x3x3xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  return %o : tensor<1x2x3x2xf32>
}

// A number that hides gives a query without keys their mean.
// CHECK-LABEL: func.func @finite
// CHECK: soap.softmax
// REMARK: hides scores by a number that is not below -1e30
func.func @finite(%q: tensor<1x2x3x2xf32>, %k: tensor<1x2x3x2xf32>, %padding: tensor<1x3xf32>) -> tensor<1x2x3x2xf32> {
  %hidden = soap.constant dense<-1.0e9> : tensor<f32>
  %p = soap.matmul %q, %k {transpose_b} : (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x3xf32>
  %m = soap.where %padding, %p, %hidden : (tensor<1x3xf32>, tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %w = soap.softmax %m {axis = 3 : i64} : tensor<1x2x3x3xf32>
  %o = soap.matmul %w, %k : (tensor<1x2x3x3xf32>, tensor<1x2x3x2xf32>) -> tensor<1x2x3x2xf32>
  return %o : tensor<1x2x3x2xf32>
}
