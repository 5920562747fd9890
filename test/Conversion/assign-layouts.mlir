// Images between convolutions of cuDNN have channels last; copies are at the borders only.
// RUN: soap-opt %s --soap-assign-layouts=layout=nhwc --split-input-file | FileCheck %s
// RUN: soap-opt %s --soap-assign-layouts=layout=nhwc --soap-outline-kernels='library=cuda precision=tf32' --split-input-file | FileCheck %s --check-prefix=CALLS
// RUN: soap-opt %s --soap-assign-layouts=precision=f32 --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: soap-opt %s --soap-assign-layouts='precision=tf32 chip=sm_75' --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: soap-opt %s --soap-assign-layouts='precision=tf32 chip=sm_80' --split-input-file | FileCheck %s
// RUN: soap-opt %s --soap-assign-layouts=layout=nchw --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: not soap-opt %s --soap-assign-layouts=layout=nchw8c 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not soap-opt %s --soap-assign-layouts=precision=fp8 2>&1 | FileCheck %s --check-prefix=PRECISION
// LAYOUT: error: unknown layout 'nchw8c': expected nchw, nhwc or auto
// PRECISION: error: unknown precision 'fp8': expected f32, tf32 or bf16
// PLAIN-NOT: soap.layouts

// What is between two convolutions stays as the first one writes it. The image and the weight of 3x3 are copied, that of 1x1 has the same order in both layouts.
// CHECK-LABEL: func.func @block
// CHECK: soap.conv2d %arg0, %arg1 {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.batch_norm {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nhwc>]
// CHECK: soap.relu {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.max_pool2d {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.conv2d {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CALLS-LABEL: func.func @block
// CALLS: soap.kernel_call @kernel_0_to_nhwc ins(%arg0 : tensor<2x4x8x8xf32>) outs({{.*}} : tensor<2x8x8x4xf32>)
// CALLS: soap.kernel_call @kernel_1_to_nhwc ins(%arg1 : tensor<8x4x3x3xf32>) outs({{.*}} : tensor<8x3x3x4xf32>)
// CALLS: soap.library_call "conv2d" [2, 1, 4, 8, 8, 8, 8, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0] ins({{.*}} : tensor<2x8x8x4xf32>, tensor<8x3x3x4xf32>) outs({{.*}} : tensor<2x8x8x8xf32>)
// CALLS-NOT: _to_n
// CALLS: soap.kernel_call @{{.*}}batch_norm ins({{.*}} : tensor<2x8x8x8xf32>,
// CALLS-NOT: _to_n
// CALLS: soap.library_call "conv2d" [2, 1, 8, 4, 4, 6, 4, 4, 1, 1, {{.*}}] ins({{.*}} : tensor<2x4x4x8xf32>, tensor<6x1x1x8xf32>) outs({{.*}} : tensor<2x4x4x6xf32>)
// CALLS: %[[Y:.*]] = soap.kernel_call @{{.*}}_to_nchw ins({{.*}} : tensor<2x4x4x6xf32>) outs({{.*}} : tensor<2x6x4x4xf32>)
// CALLS-NEXT: return %[[Y]]
func.func @block(%x: tensor<2x4x8x8xf32>, %w: tensor<8x4x3x3xf32>, %c: tensor<8xf32>, %v: tensor<6x8x1x1xf32>) -> tensor<2x6x4x4xf32> {
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x8x8xf32>
  %1 = soap.batch_norm %0, %c, %c, %c, %c {epsilon = 1.000000e-05 : f64} : (tensor<2x8x8x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8x8x8xf32>
  %2 = soap.relu %1 : tensor<2x8x8x8xf32>
  %3 = soap.max_pool2d %2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x8x8x8xf32>) -> tensor<2x8x4x4xf32>
  %4 = soap.conv2d %3, %v {strides = array<i64: 1, 1>} : (tensor<2x8x4x4xf32>, tensor<6x8x1x1xf32>) -> tensor<2x6x4x4xf32>
  return %4 : tensor<2x6x4x4xf32>
}

// -----

// A step: the gradient of a weight is read by its update as cuDNN writes it, and rows of statistics are no images. Elementwise ops at the border read the argument as it is.
// CHECK-LABEL: func.func @step
// CHECK: soap.relu %arg0 {soap.layouts = [#soap.layout<nchw>, #soap.layout<nhwc>]}
// CHECK: soap.conv2d {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.batch_norm_stats {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>]
// CHECK: soap.batch_norm_apply {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nhwc>]
// CHECK: soap.conv2d_weight_grad {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.sgd {{.*}}soap.layouts = [#soap.layout<nchw>, #soap.layout<nhwc>, #soap.layout<nchw>]
// CALLS-LABEL: func.func @step
// CALLS: soap.kernel_call @{{.*}}relu ins(%arg0 : tensor<2x4x8x8xf32>) outs({{.*}} : tensor<2x8x8x4xf32>)
// CALLS: soap.kernel_call @{{.*}}_to_nhwc ins(%arg1 : tensor<4x4x3x3xf32>)
// CALLS-NOT: _to_n
// CALLS: soap.library_call "conv2d"
// CALLS-NOT: _to_n
// CALLS: soap.library_call "conv2d" {{.*}} outs({{.*}} : tensor<4x3x3x4xf32>)
// CALLS-NOT: _to_n
// CALLS: soap.kernel_call @{{.*}}sgd ins({{.*}} : tensor<4x3x3x4xf32>) outs(%arg1 : tensor<4x4x3x3xf32>)
func.func @step(%x: tensor<2x4x8x8xf32>, %w: tensor<4x4x3x3xf32>, %c: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4x4x3x3xf32>) {
  %r = soap.relu %x : tensor<2x4x8x8xf32>
  %0 = soap.conv2d %r, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : (tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) -> tensor<2x4x8x8xf32>
  %s = soap.batch_norm_stats %0 : (tensor<2x4x8x8xf32>) -> tensor<3x4xf32>
  %1 = soap.batch_norm_apply %0, %s, %c, %c {epsilon = 1.000000e-05 : f64} : (tensor<2x4x8x8xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  %g = soap.conv2d_weight_grad %r, %1 {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : (tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<4x4x3x3xf32>
  %n = soap.sgd %w, %g {learning_rate = 1.000000e-01 : f64, momentum = 0.000000e+00 : f64, weight_decay = 0.000000e+00 : f64} : tensor<4x4x3x3xf32>
  return %s, %n : tensor<3x4xf32>, tensor<4x4x3x3xf32>
}

// -----

// One convolution is not worth two copies.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: soap.layouts
// CALLS-LABEL: func.func @alone
func.func @alone(%x: tensor<2x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32> {
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>} : (tensor<2x4x8x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x6x6xf32>
  return %0 : tensor<2x8x6x6xf32>
}

// -----

// Shards at a border of an image, whose padding is on one side, and what is cropped: convolutions of cuDNN as any other.
// CHECK-LABEL: func.func @border
// CHECK: soap.conv2d %arg0, %arg1 {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.conv2d {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CHECK: soap.conv2d_input_grad {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CALLS-LABEL: func.func @border
// CALLS: soap.library_call "conv2d" [2, 1, 4, 5, 8, 8, 4, 8, 3, 3, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 0, 0]
// CALLS: soap.library_call "conv2d" [2, 1, 8, 4, 8, 8, 2, 6, 3, 3, 1, 1, 1, 1, -1, 0, 1, 0, 1, 1, 0, 1, 0, 0]
// CALLS: soap.library_call "conv2d" [2, 1, 8, 4, 8, 8, 2, 6, 3, 3, 1, 1, 1, 1, -1, 0, 1, 0, 1, 1, 1, 1, 0, 0]
func.func @border(%x: tensor<2x4x5x8xf32>, %w: tensor<8x4x3x3xf32>, %v: tensor<8x8x3x3xf32>) -> tensor<2x8x4x8xf32> {
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 0, 1>} : (tensor<2x4x5x8xf32>, tensor<8x4x3x3xf32>) -> tensor<2x8x4x8xf32>
  %1 = soap.conv2d %0, %v {strides = array<i64: 1, 1>, padding = array<i64: -1, 0, 1, 0>} : (tensor<2x8x4x8xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x2x6xf32>
  %2 = soap.conv2d_input_grad %1, %v {strides = array<i64: 1, 1>, padding = array<i64: -1, 0, 1, 0>} : (tensor<2x8x2x6xf32>, tensor<8x8x3x3xf32>) -> tensor<2x8x4x8xf32>
  return %2 : tensor<2x8x4x8xf32>
}

// -----

// A broadcast of a vector per image, as the gradient of a mean over the image is, writes the layout of its readers.
// CHECK-LABEL: func.func @spread
// CHECK: soap.broadcast %arg2 {{.*}}soap.layouts = [#soap.layout<nchw>, #soap.layout<nhwc>]
// CHECK: soap.relu_grad {{.*}}soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]
// CALLS-LABEL: func.func @spread
// CALLS: soap.kernel_call @{{.*}}broadcast ins(%arg2 : tensor<2x8xf32>) outs({{.*}} : tensor<2x4x4x8xf32>)
func.func @spread(%x: tensor<2x4x4x4xf32>, %w: tensor<8x4x1x1xf32>, %d: tensor<2x8xf32>) -> (tensor<8x4x1x1xf32>, tensor<2x4x4x4xf32>) {
  %0 = soap.conv2d %x, %w {strides = array<i64: 1, 1>} : (tensor<2x4x4x4xf32>, tensor<8x4x1x1xf32>) -> tensor<2x8x4x4xf32>
  %1 = soap.relu %0 : tensor<2x8x4x4xf32>
  %2 = soap.broadcast %d {axes = array<i64: 2, 3>} : (tensor<2x8xf32>) -> tensor<2x8x4x4xf32>
  %3 = soap.relu_grad %2, %1 : tensor<2x8x4x4xf32>
  %4 = soap.conv2d_weight_grad %x, %3 {strides = array<i64: 1, 1>} : (tensor<2x4x4x4xf32>, tensor<2x8x4x4xf32>) -> tensor<8x4x1x1xf32>
  %5 = soap.conv2d_input_grad %3, %w {strides = array<i64: 1, 1>} : (tensor<2x8x4x4xf32>, tensor<8x4x1x1xf32>) -> tensor<2x4x4x4xf32>
  return %4, %5 : tensor<8x4x1x1xf32>, tensor<2x4x4x4xf32>
}
