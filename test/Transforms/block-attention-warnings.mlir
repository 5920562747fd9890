// RUN: not soap-opt %s --soap-block-attention=blocks=2 --split-input-file 2>&1 | FileCheck %s

// A mask that hides other keys than those to come: the softmax stays whole.
// CHECK: warning: softmax 'softmax' stays whole: 'masked' is a mask that is not causal
// CHECK: error: '@forward' has no attention that is known
func.func @forward(%q: tensor<2x2x4x3xf32>, %k: tensor<2x2x4x3xf32>, %v: tensor<2x2x4x3xf32>, %mask: tensor<2x1x1x4xf32>) -> tensor<2x2x4x3xf32> {
  %s = soap.matmul %q, %k {soap.name = "products", transpose_b} : (tensor<2x2x4x3xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x4x4xf32>
  %never = soap.constant {soap.name = "never"} dense<0xFF800000> : tensor<f32>
  %m = soap.where %mask, %s, %never {soap.name = "masked"} : (tensor<2x1x1x4xf32>, tensor<2x2x4x4xf32>, tensor<f32>) -> tensor<2x2x4x4xf32>
  %p = soap.softmax %m {axis = 3 : i64, soap.name = "softmax"} : tensor<2x2x4x4xf32>
  %y = soap.matmul %p, %v {soap.name = "mixed"} : (tensor<2x2x4x4xf32>, tensor<2x2x4x3xf32>) -> tensor<2x2x4x3xf32>
  return %y : tensor<2x2x4x3xf32>
}

// -----

// Probabilities that are a result have to be computed.
// CHECK: warning: softmax 'softmax' stays whole: 'func.return' reads its probabilities
func.func @forward(%q: tensor<2x4x3xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x4xf32>) {
  %s = soap.matmul %q, %k {soap.name = "products", transpose_b} : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x4xf32>
  %p = soap.softmax %s {axis = 2 : i64, soap.name = "softmax"} : tensor<2x4x4xf32>
  %y = soap.matmul %p, %v {soap.name = "mixed"} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %y, %p : tensor<2x4x3xf32>, tensor<2x4x4xf32>
}

// -----

// Queries of one sequence, keys of another.
// CHECK: warning: softmax 'softmax' stays whole: its scores are not of one sequence: 4 queries and 6 keys
func.func @forward(%q: tensor<2x4x3xf32>, %k: tensor<2x6x3xf32>, %v: tensor<2x6x3xf32>) -> tensor<2x4x3xf32> {
  %s = soap.matmul %q, %k {soap.name = "products", transpose_b} : (tensor<2x4x3xf32>, tensor<2x6x3xf32>) -> tensor<2x4x6xf32>
  %p = soap.softmax %s {axis = 2 : i64, soap.name = "softmax"} : tensor<2x4x6xf32>
  %y = soap.matmul %p, %v {soap.name = "mixed"} : (tensor<2x4x6xf32>, tensor<2x6x3xf32>) -> tensor<2x4x3xf32>
  return %y : tensor<2x4x3xf32>
}

// -----

// Scores that something else reads have to be computed.
// CHECK: warning: softmax 'softmax' stays whole: 'products' has another reader
func.func @forward(%q: tensor<2x4x3xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x4xf32>) {
  %s = soap.matmul %q, %k {soap.name = "products", transpose_b} : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x4xf32>
  %p = soap.softmax %s {axis = 2 : i64, soap.name = "softmax"} : tensor<2x4x4xf32>
  %y = soap.matmul %p, %v {soap.name = "mixed"} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %y, %s : tensor<2x4x3xf32>, tensor<2x4x4xf32>
}

// -----

// The ops that look like its gradient are twice that.
// CHECK: warning: softmax 'softmax' stays whole: its gradient has another scale
func.func @forward(%q: tensor<2x4x3xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x4x3xf32>, %g: tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>) {
  %s = soap.matmul %q, %k {soap.name = "products", transpose_b} : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x4xf32>
  %p = soap.softmax %s {axis = 2 : i64, soap.name = "softmax"} : tensor<2x4x4xf32>
  %y = soap.matmul %p, %v {soap.name = "mixed"} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %dp = soap.matmul %g, %v {soap.name = "mixed.input_grad", transpose_b} : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x4xf32>
  %ds = soap.softmax_grad %dp, %p {axis = 2 : i64, soap.name = "softmax.input_grad"} : tensor<2x4x4xf32>
  %twice = soap.scale %ds {factor = 2.0 : f64, soap.name = "twice"} : tensor<2x4x4xf32>
  %dq = soap.matmul %twice, %k {soap.name = "products.input_grad"} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %y, %dq : tensor<2x4x3xf32>, tensor<2x4x3xf32>
}
