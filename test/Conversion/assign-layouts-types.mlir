// Convolutions of 16 bits have channels last from sm_80 on, whatever the precision of products of f32 is.
// RUN: soap-opt %s --soap-assign-layouts='precision=f32 chip=sm_80' | FileCheck %s
// RUN: soap-opt %s --soap-assign-layouts='precision=f32 chip=sm_75' | FileCheck %s --check-prefix=PLAIN
// RUN: soap-opt %s --soap-assign-layouts='precision=f32 chip=sm_80 layout=nchw' | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: soap.layouts

// CHECK-LABEL: func.func @convolutions
// CHECK-COUNT-2: soap.conv2d {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
func.func @convolutions(%x: tensor<2x4x8x8xbf16>, %w: tensor<8x4x3x3xbf16>, %v: tensor<6x8x1x1xbf16>) -> tensor<2x6x8x8xf32> {
  %xf = soap.cast %x : (tensor<2x4x8x8xbf16>) -> tensor<2x4x8x8xf32>
  %wf = soap.cast %w : (tensor<8x4x3x3xbf16>) -> tensor<8x4x3x3xf32>
  %vf = soap.cast %v : (tensor<6x8x1x1xbf16>) -> tensor<6x8x1x1xf32>
  %y = soap.conv2d %xf, %wf {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x8x8xf32>
  %z = soap.conv2d %y, %vf {strides = array<i64: 1, 1>} : (tensor<2x8x8x8xf32>, tensor<6x8x1x1xf32>) -> tensor<2x6x8x8xf32>
  return %z : tensor<2x6x8x8xf32>
}
