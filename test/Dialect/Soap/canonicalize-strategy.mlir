// Ops that a strategy, a gradient or a task refers to stay, so that canonicalization may run anywhere.
// RUN: soap-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: @names
func.func @names(%x: tensor<4x6xf32>) -> (tensor<2x12xf32>, tensor<4x6xf32>) {
  // A name alone does not keep an op; the merged op has that of the last one.
  // CHECK: soap.reshape %arg0 {soap.name = "b"} : (tensor<4x6xf32>) -> tensor<2x12xf32>
  %0 = soap.reshape %x {soap.name = "a"} : (tensor<4x6xf32>) -> tensor<24xf32>
  %1 = soap.reshape %0 {soap.name = "b"} : (tensor<24xf32>) -> tensor<2x12xf32>
  // CHECK-NOT: soap.scale
  %2 = soap.scale %x {factor = 1.0 : f64, soap.name = "c"} : tensor<4x6xf32>
  return %1, %2 : tensor<2x12xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: @kept
func.func @kept(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x12xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  // CHECK: soap.scale {{.*}}soap.config
  %0 = soap.scale %x {factor = 1.0 : f64, soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>} : tensor<4x6xf32>
  // CHECK: soap.scale {{.*}}soap.keep
  %1 = soap.scale %x {factor = 1.0 : f64, soap.keep = #soap.keep<before>} : tensor<4x6xf32>
  // The first of two reshapes has a config.
  // CHECK: soap.reshape {{.*}}soap.config
  // CHECK: soap.reshape
  %2 = soap.reshape %x {soap.config = #soap.config<{f0 = 2}, devices = [0, 1]>} : (tensor<4x6xf32>) -> tensor<24xf32>
  %3 = soap.reshape %2 : (tensor<24xf32>) -> tensor<2x12xf32>
  // CHECK: soap.reshape {{.*}}soap.slot
  %4 = soap.reshape %x {soap.slot = 4 : i64} : tensor<4x6xf32>
  // CHECK: soap.scale {{.*}}soap.grad_of
  %5 = soap.scale %x {factor = 1.0 : f64, soap.grad_of = "other"} : tensor<4x6xf32>
  return %0, %1, %3, %4, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<2x12xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// The forward op whose config the gradient follows.
// CHECK-LABEL: @referred
func.func @referred(%x: tensor<4xf32>, %dy: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: soap.scale {{.*}}soap.name = "s"
  %y = soap.scale %x {factor = 1.0 : f64, soap.name = "s"} : tensor<4xf32>
  // CHECK: soap.scale {{.*}}soap.grad_of = "s"
  %dx = soap.scale %dy {factor = 1.0 : f64, soap.name = "ds", soap.grad_of = "s"} : tensor<4xf32>
  return %y, %dx : tensor<4xf32>, tensor<4xf32>
}
