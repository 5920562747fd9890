// RUN: soap-opt %s --soap-block-attention=blocks=2 | FileCheck %s

// The queries of an attention are the result of another one: it reads the new result.
// CHECK: %[[FIRST:.*]] = soap.reshape {{.*}}soap.name = "mixed"}
// CHECK: soap.reshape %[[FIRST]] {{.*}}soap.name = "mixed2.queries"}
// CHECK: soap.matmul {{.*}}mixed2.step0.scores"
// CHECK-NOT: soap.softmax
func.func @forward(%q: tensor<2x4x3xf32>, %k: tensor<2x4x3xf32>, %v: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %s = soap.matmul %q, %k {soap.name = "products", transpose_b} : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x4xf32>
  %p = soap.softmax %s {axis = 2 : i64, soap.name = "softmax"} : tensor<2x4x4xf32>
  %y = soap.matmul %p, %v {soap.name = "mixed"} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %s2 = soap.matmul %y, %k {soap.name = "products2", transpose_b} : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x4xf32>
  %p2 = soap.softmax %s2 {axis = 2 : i64, soap.name = "softmax2"} : tensor<2x4x4xf32>
  %y2 = soap.matmul %p2, %v {soap.name = "mixed2"} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %y2 : tensor<2x4x3xf32>
}
