// Pooling and norms over batches that cuDNN computes as the op says become calls.
// RUN: soap-opt %s --soap-call-image-ops | FileCheck %s --check-prefix=NONE --implicit-check-not=library_call
// RUN: soap-opt %s --soap-call-image-ops='pooling=exact' | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: soap-opt %s --soap-call-image-ops='pooling=all norms=true' | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: soap-opt %s --soap-call-image-ops='norms=true workspace=64' | FileCheck %s --check-prefix=WORKSPACE
// RUN: not soap-opt %s --soap-call-image-ops=workspace=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: soap-opt %s --soap-call-image-ops='norms=auto' | FileCheck %s --check-prefix=AUTO
// RUN: not soap-opt %s --soap-call-image-ops=norms=some 2>&1 | FileCheck %s --check-prefix=NORMS
// NORMS: error: unknown norms 'some': expected true, false or auto
// RUN: not soap-opt %s --soap-call-image-ops=pooling=some 2>&1 | FileCheck %s --check-prefix=POOLING
// RUN: soap-opt %s --soap-call-image-ops='pooling=all norms=true' --soap-outline-kernels=library=cuda | FileCheck %s --check-prefix=OUTLINED
// NEGATIVE: error: expected a workspace of 0 to 1048576 MiB, got -1
// POOLING: error: unknown pooling 'some': expected none, exact or all
// NONE-LABEL: func.func @maximum

// cuDNN does not say which of equal maxima has the gradient.
// CHECK-LABEL: func.func @maximum
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x3x4x3xf32>
// CHECK: %[[Y:.*]] = soap.library_call "pool2d" [2, 3, 8, 9, 4, 3, 3, 3, 2, 3, 1, 0, 0, 0, 0] ins(%arg0 : tensor<2x3x8x9xf32>) outs(%[[E]] : tensor<2x3x4x3xf32>) {soap.slot = 4 : i64} -> tensor<2x3x4x3xf32>
// EXACT: soap.max_pool2d_grad
// ALL: %[[G:.*]] = soap.library_call "pool2d" [2, 3, 8, 9, 4, 3, 3, 3, 2, 3, 1, 0, 0, 0, 1] ins(%arg1, %arg0, %[[Y]] : {{.*}}) outs(%{{.*}} : tensor<2x3x8x9xf32>) {soap.slot = 5 : i64} -> tensor<2x3x8x9xf32>
// ALL: return %[[Y]], %[[G]]
func.func @maximum(%x: tensor<2x3x8x9xf32>, %d: tensor<2x3x4x3xf32>) -> (tensor<2x3x4x3xf32>, tensor<2x3x8x9xf32>) {
  %y = soap.max_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 3>, padding = array<i64: 1, 0, 0, 0>, soap.slot = 4 : i64} : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x3xf32>
  %g = soap.max_pool2d_grad %d, %x, %y {kernel = array<i64: 3, 3>, strides = array<i64: 2, 3>, padding = array<i64: 1, 0, 0, 0>, soap.slot = 5 : i64} : (tensor<2x3x4x3xf32>, tensor<2x3x8x9xf32>, tensor<2x3x4x3xf32>) -> tensor<2x3x8x9xf32>
  return %y, %g : tensor<2x3x4x3xf32>, tensor<2x3x8x9xf32>
}

// Two averages are calls: over all of the window, padding included (also where the window never leaves the image), and over the elements of the image alone. Anything else is no average of cuDNN: here the image that counts is a row larger, as in a shard.
// CHECK-LABEL: func.func @averages
// CHECK: soap.library_call "pool2d" [1, 2, 6, 6, 6, 6, 3, 3, 1, 1, 1, 1, 0, 1, 0] ins(%arg0
// CHECK: soap.library_call "pool2d" [1, 2, 6, 6, 6, 6, 3, 3, 1, 1, 1, 1, 0, 2, 0] ins(%arg0
// CHECK: soap.library_call "pool2d" [1, 2, 6, 6, 3, 3, 2, 2, 2, 2, 0, 0, 0, 1, 0] ins(%arg0
// CHECK: soap.library_call "pool2d" [1, 2, 6, 6, 6, 6, 3, 3, 1, 1, 1, 1, 0, 2, 0] ins(%arg0
// CHECK: soap.avg_pool2d %arg0
// CHECK: soap.library_call "pool2d" [1, 2, 6, 6, 6, 6, 3, 3, 1, 1, 1, 1, 0, 2, 1] ins(%arg1 : tensor<1x2x6x6xf32>)
func.func @averages(%x: tensor<1x2x6x6xf32>, %d: tensor<1x2x6x6xf32>)
    -> (tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>, tensor<1x2x3x3xf32>, tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>) {
  %a = soap.avg_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, count_include_pad} : tensor<1x2x6x6xf32>
  %b = soap.avg_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x6x6xf32>
  %c = soap.avg_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  %e = soap.avg_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, count_low = array<i64: 0, 0>, count_size = array<i64: 6, 6>} : tensor<1x2x6x6xf32>
  %f = soap.avg_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, count_low = array<i64: -1, 0>, count_size = array<i64: 7, 6>} : tensor<1x2x6x6xf32>
  %g = soap.avg_pool2d_grad %d {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x6x6xf32>
  return %a, %b, %c, %e, %f, %g : tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>, tensor<1x2x3x3xf32>, tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>, tensor<1x2x6x6xf32>
}

// Dilated windows, padding that differs between sides, windows in the padding alone, and other types are kernels; so is the gradient of a shard, which reads more of x.
// CHECK-LABEL: func.func @others
// CHECK-NOT: library_call
// CHECK: return
func.func @others(%x: tensor<1x1x6x6xf32>, %h: tensor<1x1x6x6xbf16>, %d: tensor<1x1x5x5xf32>, %y: tensor<1x1x5x5xf32>)
    -> (tensor<1x1x4x4xf32>, tensor<1x1x6x6xf32>, tensor<1x1x4x4xf32>, tensor<1x1x5x5xbf16>, tensor<1x1x4x6xf32>) {
  %a = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 2, 2>} : (tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  %b = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 1>} : tensor<1x1x6x6xf32>
  %c = soap.max_pool2d %x {kernel = array<i64: 1, 1>, strides = array<i64: 3, 3>, padding = array<i64: 2, 2, 2, 2>} : (tensor<1x1x6x6xf32>) -> tensor<1x1x4x4xf32>
  %e = soap.max_pool2d %h {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>} : (tensor<1x1x6x6xbf16>) -> tensor<1x1x5x5xbf16>
  %f = soap.max_pool2d_grad %d, %x, %y {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, x_offset = array<i64: 1, 0>} : (tensor<1x1x5x5xf32>, tensor<1x1x6x6xf32>, tensor<1x1x5x5xf32>) -> tensor<1x1x4x6xf32>
  return %a, %b, %c, %e, %f : tensor<1x1x4x4xf32>, tensor<1x1x6x6xf32>, tensor<1x1x4x4xf32>, tensor<1x1x5x5xbf16>, tensor<1x1x4x6xf32>
}

// The gradient and the moving averages read what the norm keeps; no op reads count, mean and M2.
// CHECK-LABEL: func.func @norm
// EXACT: soap.batch_norm_train
// ALL: %[[N:.*]]:3 = soap.library_call "batch_norm" [4, 3, 5, 5, 0, 0, 4532020583610935537, 0] ins(%arg0, %arg1, %arg2 : {{.*}}) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>) {soap.slot = 1 : i64}
// ALL: %[[G:.*]]:3 = soap.library_call "batch_norm" [4, 3, 5, 5, 0, 1, 4532020583610935537, 0] ins(%arg3, %arg0, %[[N]]#1, %[[N]]#2, %arg1 : {{.*}}) outs(%{{.*}} : tensor<4x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>)
// ALL: %[[A:.*]]:2 = soap.kernel_call @{{.*}}_running_stats ins(%[[N]]#1, %[[N]]#2 : tensor<3xf32>, tensor<3xf32>) outs(%arg4, %arg5 : tensor<3xf32>, tensor<3xf32>) {in_place}
// ALL: return %[[N]]#0, %[[G]]#0, %[[G]]#1, %[[G]]#2, %[[A]]#0, %[[A]]#1
func.func @norm(%x: tensor<4x3x5x5xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>, %d: tensor<4x3x5x5xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>)
    -> (tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %y, %stats = soap.batch_norm_train %x, %gamma, %beta {epsilon = 1.0e-05 : f64, soap.slot = 1 : i64} : (tensor<4x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x5x5xf32>, tensor<3x3xf32>)
  %dx, %dg, %db = soap.batch_norm_grad %d, %x, %stats, %gamma {epsilon = 1.0e-05 : f64} : (tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<4x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>)
  %nm, %nv = soap.running_stats_update %m, %v, %stats {momentum = 0.1 : f64} : (tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %y, %dx, %dg, %db, %nm, %nv : tensor<4x3x5x5xf32>, tensor<4x3x5x5xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Rows of features, without other readers of the statistics. A gradient of another epsilon, or of statistics that come from elsewhere, has a kernel.
// CHECK-LABEL: func.func @rows
// ALL: soap.library_call "batch_norm" [4, 3, 1, 1, 0, 0, 4532020583610935537, 0]
// ALL-NOT: moments
// ALL: return
// CHECK-LABEL: func.func @other_epsilon
// ALL: %[[N:.*]]:3 = soap.library_call "batch_norm" [4, 3, 1, 1, 0, 0, 4532020583610935537, 0]
// ALL: %[[S:.*]] = soap.kernel_call @{{.*}}_moments ins(%[[N]]#1, %[[N]]#2
// ALL: soap.batch_norm_grad %arg3, %arg0, %[[S]], %arg1
// CHECK-LABEL: func.func @other_statistics
// CHECK: soap.batch_norm_grad
func.func @rows(%x: tensor<4x3xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>) -> tensor<4x3xf32> {
  %y, %stats = soap.batch_norm_train %x, %gamma, %beta {epsilon = 1.0e-05 : f64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>)
  return %y : tensor<4x3xf32>
}
func.func @other_epsilon(%x: tensor<4x3xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>, %d: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %y, %stats = soap.batch_norm_train %x, %gamma, %beta {epsilon = 1.0e-05 : f64} : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3x3xf32>)
  %dx, %dg, %db = soap.batch_norm_grad %d, %x, %stats, %gamma {epsilon = 1.0e-03 : f64} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %y, %dx : tensor<4x3xf32>, tensor<4x3xf32>
}
func.func @other_statistics(%x: tensor<4x3xf32>, %gamma: tensor<3xf32>, %stats: tensor<3x3xf32>, %d: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %dx, %dg, %db = soap.batch_norm_grad %d, %x, %stats, %gamma {epsilon = 1.0e-05 : f64} : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %dx : tensor<4x3xf32>
}

// With norms=auto norms of images with channels first are calls, in any precision; of rows and with channels last they are kernels.
// AUTO-LABEL: func.func @norm
// AUTO-COUNT-2: soap.library_call "batch_norm" [4, 3, 5, 5, 0,
// AUTO-LABEL: func.func @rows
// AUTO: soap.batch_norm_train
// AUTO-LABEL: func.func @layouts
// AUTO: soap.batch_norm_train
// AUTO-LABEL: func.func @mixed
// AUTO: soap.library_call "batch_norm"

// A workspace is one more buffer.
// WORKSPACE-LABEL: func.func @rows
// WORKSPACE: soap.library_call "batch_norm" [4, 3, 1, 1, 0, 0, 4532020583610935537, 4194304] ins({{.*}}) outs({{.*}} : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4194304xi8>)

// Channels last: the descriptor says so, and the buffers are that. Images that lie differently are copied by a kernel's means, not by cuDNN's.
// CHECK-LABEL: func.func @layouts
// CHECK: soap.library_call "pool2d" [1, 3, 4, 4, 2, 2, 2, 2, 2, 2, 0, 0, 1, 0, 0] ins(%arg0 : {{.*}}) outs({{.*}}) {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>, #soap.layout<nhwc>]}
// ALL: soap.library_call "batch_norm" [1, 3, 2, 2, 1, 0, 4532020583610935537, 0] ins({{.*}}) outs({{.*}}) {soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nchw>]}
// CHECK: soap.max_pool2d
// OUTLINED-LABEL: func.func @layouts
// OUTLINED: soap.library_call "pool2d" [1, 3, 4, 4, 2, 2, 2, 2, 2, 2, 0, 0, 1, 0, 0] ins(%{{.*}} : tensor<1x4x4x3xf32>) outs(%{{.*}} : tensor<1x2x2x3xf32>)
// OUTLINED: soap.library_call "batch_norm" [1, 3, 2, 2, 1, 0, 4532020583610935537, 0] ins(%{{.*}} : tensor<1x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) outs(%{{.*}} : tensor<1x2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
func.func @layouts(%x: tensor<1x3x4x4xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>) -> tensor<1x3x1x1xf32> {
  %p = soap.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nhwc>]} : (tensor<1x3x4x4xf32>) -> tensor<1x3x2x2xf32>
  %y, %stats = soap.batch_norm_train %p, %gamma, %beta {epsilon = 1.0e-05 : f64, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>, #soap.layout<nchw>, #soap.layout<nhwc>, #soap.layout<nchw>]} : (tensor<1x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x2x2xf32>, tensor<3x3xf32>)
  %z = soap.max_pool2d %y {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, soap.layouts = [#soap.layout<nhwc>, #soap.layout<nchw>]} : (tensor<1x3x2x2xf32>) -> tensor<1x3x1x1xf32>
  return %z : tensor<1x3x1x1xf32>
}

// A call in NCHW of what lies in NHWC reads a copy.
// OUTLINED-LABEL: func.func @mixed
// OUTLINED: %[[R:.*]] = soap.kernel_call @{{.*}}_relu ins(%arg0 {{.*}} -> tensor<1x4x4x3xf32>
// OUTLINED: %[[C:.*]] = soap.kernel_call @{{.*}}_to_nchw ins(%[[R]] {{.*}} -> tensor<1x3x4x4xf32>
// OUTLINED: soap.library_call "batch_norm" [1, 3, 4, 4, 0, 0, 4532020583610935537, 0] ins(%[[C]],
func.func @mixed(%x: tensor<1x3x4x4xf32>, %gamma: tensor<3xf32>, %beta: tensor<3xf32>) -> tensor<1x3x4x4xf32> {
  %r = soap.relu %x {soap.layouts = [#soap.layout<nchw>, #soap.layout<nhwc>]} : tensor<1x3x4x4xf32>
  %y, %stats = soap.batch_norm_train %r, %gamma, %beta {epsilon = 1.0e-05 : f64} : (tensor<1x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3x4x4xf32>, tensor<3x3xf32>)
  return %y : tensor<1x3x4x4xf32>
}
