// A convolution reads the image that its tile is the beginning of, where its windows are the same in both.
// RUN: soap-opt %s --soap-single-programs | FileCheck %s

module attributes {soap.programs = []} {
// Windows of 1x1 with stride 2 leave out the last row and column; the gradient of the weights reads the same.
// CHECK-LABEL: func.func @strided
// CHECK-NOT: soap.assemble
// CHECK: soap.conv2d %arg0, %arg1
// CHECK-SAME: (tensor<1x2x6x6xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x3x3xf32>
// CHECK: soap.conv2d_weight_grad %arg0, %arg2
// CHECK-SAME: (tensor<1x2x6x6xf32>, tensor<1x3x3x3xf32>) -> tensor<3x2x1x1xf32>
func.func @strided(%x: tensor<1x2x6x6xf32>, %w: tensor<3x2x1x1xf32>, %dy: tensor<1x3x3x3xf32>) -> (tensor<1x3x3x3xf32>, tensor<3x2x1x1xf32>) {
  %t = soap.assemble %x {sources = [#soap.region<[0:1], [0:2], [0:5], [0:5]>], targets = [#soap.region<[0:1], [0:2], [0:5], [0:5]>]} : (tensor<1x2x6x6xf32>) -> tensor<1x2x5x5xf32>
  %y = soap.conv2d %t, %w {strides = array<i64: 2, 2>}
     : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x3x3xf32>
  %dw = soap.conv2d_weight_grad %t, %dy {strides = array<i64: 2, 2>}
     : (tensor<1x2x5x5xf32>, tensor<1x3x3x3xf32>) -> tensor<3x2x1x1xf32>
  return %y, %dw : tensor<1x3x3x3xf32>, tensor<3x2x1x1xf32>
}

// Padding behind the tile would be a row of the image, and one more column would be a window more; the end of an image is no
// beginning; and another reader keeps the tile.
// CHECK-LABEL: func.func @others
// CHECK: %[[P:.*]] = soap.assemble
// CHECK: soap.conv2d %[[P]], %arg2
// CHECK: %[[T:.*]] = soap.assemble
// CHECK: soap.conv2d %[[T]], %arg1 {{.*}}strides = array<i64: 1, 1>
// CHECK: soap.conv2d %arg0, %arg1 {{.*}}strides = array<i64: 2, 2>
// CHECK: soap.relu %[[T]]
// CHECK: %[[E:.*]] = soap.assemble
// CHECK: soap.conv2d %[[E]], %arg1
func.func @others(%x: tensor<1x2x6x6xf32>, %w: tensor<3x2x1x1xf32>, %v: tensor<3x2x2x2xf32>)
    -> (tensor<1x3x2x2xf32>, tensor<1x3x5x5xf32>, tensor<1x3x3x3xf32>, tensor<1x2x5x5xf32>, tensor<1x3x3x3xf32>) {
  %p = soap.assemble %x {sources = [#soap.region<[0:1], [0:2], [0:4], [0:4]>], targets = [#soap.region<[0:1], [0:2], [0:4], [0:4]>]} : (tensor<1x2x6x6xf32>) -> tensor<1x2x4x4xf32>
  %a = soap.conv2d %p, %v {strides = array<i64: 4, 4>, padding = array<i64: 0, 0, 2, 2>}
     : (tensor<1x2x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<1x3x2x2xf32>
  %t = soap.assemble %x {sources = [#soap.region<[0:1], [0:2], [0:5], [0:5]>], targets = [#soap.region<[0:1], [0:2], [0:5], [0:5]>]} : (tensor<1x2x6x6xf32>) -> tensor<1x2x5x5xf32>
  %b = soap.conv2d %t, %w {strides = array<i64: 1, 1>}
     : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x5x5xf32>
  %c = soap.conv2d %t, %w {strides = array<i64: 2, 2>}
     : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x3x3xf32>
  %r = soap.relu %t : tensor<1x2x5x5xf32>
  %e = soap.assemble %x {sources = [#soap.region<[0:1], [0:2], [1:6], [1:6]>], targets = [#soap.region<[0:1], [0:2], [0:5], [0:5]>]} : (tensor<1x2x6x6xf32>) -> tensor<1x2x5x5xf32>
  %d = soap.conv2d %e, %w {strides = array<i64: 2, 2>}
     : (tensor<1x2x5x5xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x3x3xf32>
  return %a, %b, %c, %r, %d : tensor<1x3x2x2xf32>, tensor<1x3x5x5xf32>, tensor<1x3x3x3xf32>, tensor<1x2x5x5xf32>, tensor<1x3x3x3xf32>
}
}
