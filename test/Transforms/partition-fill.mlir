// RUN: soap-opt %s --soap-partition=topology=cpu-1 | FileCheck %s

// Shards that see nothing of the image hold the value of the padding, or what
// the maximum of nothing is.

// CHECK-LABEL: func.func @pad__0
// CHECK: soap.pad
// CHECK: soap.fill 3.000000e+00 {{.*}} : tensor<2xf32>
func.func @pad(%x: tensor<2xf32> {soap.kind = #soap.kind<data>, soap.name = "x"}) -> (tensor<4xf32> {soap.config = #soap.config<{}, devices = [0]>, soap.kind = #soap.kind<output>, soap.name = "y"}) {
  %0 = soap.pad %x {soap.config = #soap.config<{d0 = 2}, devices = [0, 0]>, value = 3.000000e+00 : f64} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @pool__0
// CHECK: soap.fill 0xFFF0000000000000 {{.*}} : tensor<1x1x1x1xf32>
// CHECK: soap.max_pool2d
func.func @pool(%x: tensor<1x1x2x2xf32> {soap.kind = #soap.kind<data>, soap.name = "x"}) -> (tensor<1x1x2x1xf32> {soap.config = #soap.config<{}, devices = [0]>, soap.kind = #soap.kind<output>, soap.name = "y"}) {
  %0 = soap.max_pool2d %x {kernel = array<i64: 2, 2>, padding = array<i64: 2, 0, 0, 0>, strides = array<i64: 2, 2>, soap.config = #soap.config<{h = 2}, devices = [0, 0]>} : (tensor<1x1x2x2xf32>) -> tensor<1x1x2x1xf32>
  return %0 : tensor<1x1x2x1xf32>
}
