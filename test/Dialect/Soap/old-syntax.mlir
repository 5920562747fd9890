// Text of 0.1, which has all types and all attributes, is read: the same ops as
// in roundtrip.mlir, which has today's text.
// RUN: soap-opt %s -o %t.old.mlir
// RUN: soap-opt %S/roundtrip.mlir -o %t.new.mlir
// RUN: cmp %t.old.mlir %t.new.mlir
// RUN: soap-opt %s --mlir-print-op-generic -o %t.old.generic.mlir
// RUN: soap-opt %S/roundtrip.mlir --mlir-print-op-generic -o %t.new.generic.mlir
// RUN: cmp %t.old.generic.mlir %t.new.generic.mlir

func.func @elementwise(%x: tensor<2x3xf32>, %r: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = soap.relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = soap.neg %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = soap.abs %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = soap.exp %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = soap.log %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = soap.sqrt %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = soap.tanh %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = soap.sigmoid %6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = soap.sign %7 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %log1p = soap.log1p %8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %expm1 = soap.expm1 %log1p : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %softplus = soap.softplus %expm1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %asin = soap.asin %softplus : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %acos = soap.acos %asin : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %atan = soap.atan %acos : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %asinh = soap.asinh %atan : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %acosh = soap.acosh %asinh : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %atanh = soap.atanh %acosh : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %stop_gradient = soap.stop_gradient %atanh : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = soap.scale %stop_gradient {factor = 0.5 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = soap.add %9, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %11 = soap.sub %10, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %12 = soap.mul %11, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %13 = soap.div %12, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %14 = soap.maximum %13, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %15 = soap.minimum %14, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %16 = soap.greater_equal %15, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %17 = soap.equal %16, %r : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %18 = soap.bias_add %17, %r {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %19 = soap.relu_grad %18, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %20 = soap.tanh_grad %19, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %21 = soap.sigmoid_grad %20, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %22 = soap.sqrt_grad %21, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %23 = soap.accumulate %22, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %23 : tensor<2x3xf32>
}

func.func @convolution(%x: tensor<2x4x8x9xf64>, %w: tensor<6x2x3x2xf64>)
    -> (tensor<2x6x4x11xf64>, tensor<2x4x8x9xf64>, tensor<6x2x3x2xf64>) {
  %y = soap.conv2d %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 2, 1, 1, 2>, dilations = array<i64: 2, 1>, groups = 2 : i64}
    : (tensor<2x4x8x9xf64>, tensor<6x2x3x2xf64>) -> tensor<2x6x4x11xf64>
  %dx = soap.conv2d_input_grad %y, %w {strides = array<i64: 2, 1>, padding = array<i64: 2, 1, 1, 2>, dilations = array<i64: 2, 1>, groups = 2 : i64}
    : (tensor<2x6x4x11xf64>, tensor<6x2x3x2xf64>) -> tensor<2x4x8x9xf64>
  %dw = soap.conv2d_weight_grad %x, %y {strides = array<i64: 2, 1>, padding = array<i64: 2, 1, 1, 2>, dilations = array<i64: 2, 1>, groups = 2 : i64}
    : (tensor<2x4x8x9xf64>, tensor<2x6x4x11xf64>) -> tensor<6x2x3x2xf64>
  return %y, %dx, %dw : tensor<2x6x4x11xf64>, tensor<2x4x8x9xf64>, tensor<6x2x3x2xf64>
}

func.func @linear(%a: tensor<2x4x5xf32>, %b: tensor<3x5xf32>, %c: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  %0 = soap.matmul %a, %b {transpose_b} : (tensor<2x4x5xf32>, tensor<3x5xf32>) -> tensor<2x4x3xf32>
  %1 = soap.matmul %a, %c {transpose_a} : (tensor<2x4x5xf32>, tensor<2x4x3xf32>) -> tensor<2x5x3xf32>
  %2 = soap.reduce sum %1 {axes = array<i64: 0, 2>} : (tensor<2x5x3xf32>) -> tensor<5xf32>
  %3 = soap.reduce max %2 {axes = array<i64: 0>} : (tensor<5xf32>) -> tensor<f32>
  %4 = soap.reduce min %0 {axes = array<i64: 0>} : (tensor<2x4x3xf32>) -> tensor<4x3xf32>
  %5 = soap.broadcast %4 {axes = array<i64: 0>} : (tensor<4x3xf32>) -> tensor<2x4x3xf32>
  return %5 : tensor<2x4x3xf32>
}

func.func @pooling(%x: tensor<2x3x7x7xbf16>) -> (tensor<2x3x7x7xbf16>, tensor<2x3x7x7xbf16>) {
  %0 = soap.max_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<2x3x7x7xbf16>) -> tensor<2x3x4x4xbf16>
  %1 = soap.max_pool2d_grad %0, %x, %0 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>}
    : (tensor<2x3x4x4xbf16>, tensor<2x3x7x7xbf16>, tensor<2x3x4x4xbf16>) -> tensor<2x3x7x7xbf16>
  %2 = soap.slice %0 {offsets = array<i64: 0, 0, 1, 0>, sizes = array<i64: 2, 3, 2, 4>, strides = array<i64: 1, 1, 1, 1>}
    : (tensor<2x3x4x4xbf16>) -> tensor<2x3x2x4xbf16>
  %3 = soap.slice %x {offsets = array<i64: 0, 0, 1, 0>, sizes = array<i64: 2, 3, 5, 7>, strides = array<i64: 1, 1, 1, 1>}
    : (tensor<2x3x7x7xbf16>) -> tensor<2x3x5x7xbf16>
  // A shard of it: rows 2 and 3 of dx; the tile of x begins at row 1.
  %part = soap.max_pool2d_grad %2, %3, %2 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 0, 1, 0, 1>, dilations = array<i64: 1, 1>, x_offset = array<i64: 1, 0>}
    : (tensor<2x3x2x4xbf16>, tensor<2x3x5x7xbf16>, tensor<2x3x2x4xbf16>) -> tensor<2x3x2x7xbf16>
  %4 = soap.avg_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, count_include_pad}
    : (tensor<2x3x7x7xbf16>) -> tensor<2x3x4x4xbf16>
  %5 = soap.avg_pool2d_grad %4 {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, count_low = array<i64: -1, 0>, count_size = array<i64: 9, 7>}
    : (tensor<2x3x4x4xbf16>) -> tensor<2x3x7x7xbf16>
  return %1, %5 : tensor<2x3x7x7xbf16>, tensor<2x3x7x7xbf16>
}

func.func @batch_norm(%x: tensor<4x3x2x2xf32>, %c: tensor<3xf32>) -> (tensor<4x3x2x2xf32>, tensor<3xf32>) {
  %0 = soap.batch_norm %x, %c, %c, %c, %c {epsilon = 1.0e-5 : f64}
    : (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x2x2xf32>
  %1:2 = soap.batch_norm_train %0, %c, %c {epsilon = 1.0e-5 : f64}
    : (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x2x2xf32>, tensor<3x3xf32>)
  %2 = soap.batch_norm_stats %1#0 : (tensor<4x3x2x2xf32>) -> tensor<3x3xf32>
  %3 = soap.batch_norm_apply %x, %2, %c, %c {epsilon = 1.0e-5 : f64}
    : (tensor<4x3x2x2xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x2x2xf32>
  %4:3 = soap.batch_norm_grad %3, %x, %1#1, %c {epsilon = 1.0e-5 : f64}
    : (tensor<4x3x2x2xf32>, tensor<4x3x2x2xf32>, tensor<3x3xf32>, tensor<3xf32>) -> (tensor<4x3x2x2xf32>, tensor<3xf32>, tensor<3xf32>)
  %5:2 = soap.batch_norm_grad_reduce %4#0, %x, %1#1 {epsilon = 1.0e-5 : f64}
    : (tensor<4x3x2x2xf32>, tensor<4x3x2x2xf32>, tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %6 = soap.batch_norm_grad_apply %4#0, %x, %1#1, %c, %5#0, %5#1 {epsilon = 1.0e-5 : f64}
    : (tensor<4x3x2x2xf32>, tensor<4x3x2x2xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3x2x2xf32>
  %7:2 = soap.running_stats_update %c, %c, %1#1 {momentum = 0.1 : f64}
    : (tensor<3xf32>, tensor<3xf32>, tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %6, %7#0 : tensor<4x3x2x2xf32>, tensor<3xf32>
}

func.func @cross_entropy(%x: tensor<4x10xf32>, %l: tensor<4xi32>) -> tensor<4x10xf32> {
  %0:3 = soap.cross_entropy %x, %l {scale = 0.25 : f64}
    : (tensor<4x10xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x4xf32>)
  %1 = soap.softmax_stats %x, %l {class_offset = 5 : i64} : (tensor<4x10xf32>, tensor<4xi32>) -> tensor<3x4xf32>
  %2:2 = soap.cross_entropy_loss %1, %l {scale = 0.25 : f64} : (tensor<3x4xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<f32>)
  %3 = soap.cross_entropy_grad %2#0, %x, %l, %0#2 {scale = 0.25 : f64}
    : (tensor<f32>, tensor<4x10xf32>, tensor<4xi32>, tensor<3x4xf32>) -> tensor<4x10xf32>
  return %3 : tensor<4x10xf32>
}

// Every position of a sequence has a label.
func.func @cross_entropy_of_positions(%x: tensor<5x4x10xf32>, %l: tensor<5x4xi32>) -> tensor<5x4x10xf32> {
  %0:3 = soap.cross_entropy %x, %l {scale = 0.05 : f64}
    : (tensor<5x4x10xf32>, tensor<5x4xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x5x4xf32>)
  %1 = soap.cross_entropy_grad %0#0, %x, %l, %0#2 {scale = 0.05 : f64}
    : (tensor<f32>, tensor<5x4x10xf32>, tensor<5x4xi32>, tensor<3x5x4xf32>) -> tensor<5x4x10xf32>
  return %1 : tensor<5x4x10xf32>
}

func.func @shapes(%x: tensor<4x6xf32>) -> (tensor<2xi32>, tensor<f32>) {
  %0 = soap.reshape %x : (tensor<4x6xf32>) -> tensor<2x12x1xf32>
  %1 = soap.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x12x1xf32>) -> tensor<1x2x12xf32>
  %2 = soap.concat %1, %1 {axis = 0 : i64} : (tensor<1x2x12xf32>, tensor<1x2x12xf32>) -> tensor<2x2x12xf32>
  %3 = soap.slice %2 {offsets = array<i64: 0, 1, 3>, sizes = array<i64: 2, 1, 3>, strides = array<i64: 1, 1, 4>}
    : (tensor<2x2x12xf32>) -> tensor<2x1x3xf32>
  %4 = soap.pad %3 {low = array<i64: 0, -1, 3>, interior = array<i64: 0, 0, 3>, value = 1.0 : f64}
    : (tensor<2x1x3xf32>) -> tensor<2x2x12xf32>
  %5 = soap.constant dense<[1, 2]> : tensor<2xi32> : tensor<2xi32>
  %6 = soap.constant dense_resource<weights> : tensor<f32> : tensor<f32>
  %7 = soap.bucket %x, %3, %6 : (tensor<4x6xf32>, tensor<2x1x3xf32>, tensor<f32>) -> tensor<31xf32>
  %8:2 = soap.unbucket %7 : (tensor<31xf32>) -> (tensor<4x6xf32>, tensor<7xf32>)
  return %5, %6 : tensor<2xi32>, tensor<f32>
}

func.func @updates(%w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = soap.sgd %w, %w {learning_rate = 0.1 : f64, momentum = 0.0 : f64, weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1:2 = soap.sgd %0, %w, %w {learning_rate = 0.1 : f64, momentum = 0.9 : f64, weight_decay = 0.0 : f64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @device_program(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = soap.fill 0xFFF0000000000000 : tensor<2x6xf32>
  %1 = soap.assemble %x, %0 {sources = [#soap.region<[0:2], [0:6]>, #soap.region<[0:2], [0:6]>], targets = [#soap.region<[0:2], [0:6]>, #soap.region<[2:4], [0:6]>]}
    : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<4x6xf32>
  %2 = soap.combine max %1, %1 {sources = [#soap.region<[1:3], [0:1, 2:4]>, #soap.region<[0:1, 3:4], [0:3]>]}
    : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<2x3xf32>
  soap.send %2 {source = #soap.region<[0:2], [1:2]>, soap.slot = 3 : i64} : tensor<2x3xf32>
  %3 = soap.recv : tensor<4x6xf32>
  %4 = soap.recv : tensor<f32>
  soap.send %4 {source = #soap.region<>} : tensor<f32>
  return %3 : tensor<4x6xf32>
}

func.func @sequences(%x: tensor<4x6xf32>, %v: tensor<6xf32>, %m: tensor<4x1xf32>, %t: tensor<8x6xf32>, %i: tensor<4xi32>, %s: tensor<i32>,
                     %z: tensor<3x2x4x5xf32>, %r: tensor<4x5x5xf32>, %h: tensor<1x2x5xf32>, %p: tensor<2x4x5xf32>, %y: tensor<3x2x5xf32>, %q: tensor<2x5xf32>) {
  %0 = soap.erf %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = soap.gelu %x {approximate} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = soap.reciprocal %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = soap.rsqrt %x {epsilon = 1.0e-3 : f64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = soap.cast %i : (tensor<4xi32>) -> tensor<4xf32>
  %5 = soap.greater %x, %v : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %6 = soap.pow %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %7 = soap.where %5, %m, %v : (tensor<4x6xf32>, tensor<4x1xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %sine = soap.sin %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %cosine = soap.cos %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %8 = soap.erf_grad %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %9 = soap.gelu_grad %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %swiglu = soap.swiglu %x, %x : tensor<4x6xf32>
  %swiglu_grad = soap.swiglu_grad %x, %x, %x {beta = 1.702 : f64} : tensor<4x6xf32>
  %10 = soap.dropout %x, %s {rate = 0.5 : f64, seed = 1 : i64, offsets = array<i64: 2, 0>, extents = array<i64: 8, 6>} : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
  %11 = soap.softmax %x {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %12 = soap.softmax_grad %x, %11 {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %13:3 = soap.layer_norm %x, %v, %v {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>)
  %14:3 = soap.layer_norm_grad %x, %x, %13#1, %13#2, %v {axis = 1 : i64}
    : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>, tensor<6xf32>)
  %15:2 = soap.rms_norm %x, %v {axis = 1 : i64, epsilon = 1.0e-5 : f64} : (tensor<4x6xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<4xf32>)
  %16:2 = soap.rms_norm_grad %x, %x, %15#1, %v {axis = 1 : i64} : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4xf32>, tensor<6xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
  %17 = soap.gather %t, %i {offset = 2 : i64, wrap = 8 : i64} : (tensor<8x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  %18 = soap.gather_grad %x, %i : (tensor<4x6xf32>, tensor<4xi32>) -> tensor<8x6xf32>
  %19:3 = soap.lstm %z, %r, %h, %h : (tensor<3x2x4x5xf32>, tensor<4x5x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> (tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<3x2x4x5xf32>)
  %20:3 = soap.lstm_step %z, %r, %h, %h {t = 2 : i64} : (tensor<3x2x4x5xf32>, tensor<4x5x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>)
  %21:3 = soap.lstm_cell %z, %p, %h {t = 0 : i64} : (tensor<3x2x4x5xf32>, tensor<2x4x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>)
  %22:3 = soap.lstm_grad %y, %r, %z, %y, %h, %y : (tensor<3x2x5xf32>, tensor<4x5x5xf32>, tensor<3x2x4x5xf32>, tensor<3x2x5xf32>, tensor<1x2x5xf32>, tensor<3x2x5xf32>)
    -> (tensor<3x2x4x5xf32>, tensor<1x2x5xf32>, tensor<1x2x5xf32>)
  %23:2 = soap.lstm_step_grad %y, %r, %z, %y, %h, %20#2, %h {t = 0 : i64, previous_t = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 1>}
    : (tensor<3x2x5xf32>, tensor<4x5x5xf32>, tensor<3x2x4x5xf32>, tensor<3x2x5xf32>, tensor<1x2x5xf32>, tensor<1x2x4x5xf32>, tensor<1x2x5xf32>) -> (tensor<1x2x4x5xf32>, tensor<1x2x5xf32>)
  %24:2 = soap.lstm_cell_grad %y, %z, %y, %y, %q {t = 1 : i64, previous_t = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0>}
    : (tensor<3x2x5xf32>, tensor<3x2x4x5xf32>, tensor<3x2x5xf32>, tensor<3x2x5xf32>, tensor<2x5xf32>) -> (tensor<1x2x4x5xf32>, tensor<1x2x5xf32>)
  %25 = soap.counter %s : (tensor<i32>) -> tensor<i32>
  %26 = soap.bias_correction %25 {beta = 0.9 : f64} : (tensor<i32>) -> tensor<f32>
  %27:3 = soap.adam %x, %x, %x, %x, %26, %26 {learning_rate = 0.1 : f64, beta1 = 0.9 : f64, beta2 = 0.99 : f64, epsilon = 1.0e-8 : f64, weight_decay = 0.0 : f64, decoupled}
    : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<f32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
  %28 = soap.reshape %i : (tensor<4xi32>) -> tensor<2x2xi32>
  return
}

func.func @attributes(
    %x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x", soap.sample_dim = 0 : i64, soap.config = #soap.config<{d0 = 2}, devices = [0, 1]>},
    %w: tensor<4x4xf32> {soap.kind = #soap.kind<parameter>, soap.name = "w", soap.init = #soap.init<he>, soap.fan_in = 4 : i64, soap.fan_out = 4 : i64})
    -> (tensor<8x4xf32> {soap.kind = #soap.kind<output>, soap.name = "y"}, tensor<4x4xf32> {soap.kind = #soap.kind<update>, soap.name = "w", soap.updates = 1 : i64}) {
  %y = soap.matmul %x, %w {soap.name = "fc", soap.config = #soap.config<{m = 2, k = 2}, devices = [3, 1, 1, 0]>} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  // Replicas are printed unless there is one, degrees of 1 are kept as written.
  %z = soap.relu %y {soap.config = #soap.config<{}, replicas = 2, devices = [0, 1]>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %u = soap.relu %z {soap.config = #soap.config<{d0 = 1}, replicas = 1, devices = [5]>, soap.grad_of = "fc", soap.loop_map = {d0 = "m", d1 = "k"}} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %u, %w : tensor<8x4xf32>, tensor<4x4xf32>
}

// The scores of 8,192 sequences of 2,048 positions and 40 heads: 2^40.3.
func.func @many_elements(%x: tensor<8192x40x2048x2048xbf16>) -> tensor<8192x40x2048x2048xbf16> {
  %0 = soap.relu %x : (tensor<8192x40x2048x2048xbf16>) -> tensor<8192x40x2048x2048xbf16>
  return %0 : tensor<8192x40x2048x2048xbf16>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F"
    }
  }
#-}

func.func @attention(%q: tensor<2x4x8x4xf32>, %k: tensor<2x2x8x4xf32>, %v: tensor<2x2x8x6xf32>, %s: tensor<2x8xi32>, %b: tensor<1x4x1x8xf32>) -> tensor<2x4x8x4xf32> {
  %out, %lse = soap.attention %q, %k, %v, %b, %s, %s
      {scale = 0.5 : f64, softcap = 20.0 : f64, left = 3 : i64, right = 0 : i64, offset = 0 : i64,
       operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>}
      : (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>, tensor<1x4x1x8xf32>, tensor<2x8xi32>, tensor<2x8xi32>)
      -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  %state = soap.attention_partial %q, %k, %v
      {scale = 0.5 : f64, offset = -4 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}
      : (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>) -> tensor<7x2x4x8xf32>
  %o, %l = soap.attention_result %state {groups = 2 : i64}
      : (tensor<7x2x4x8xf32>) -> (tensor<2x4x8x6xf32>, tensor<2x4x8xf32>)
  %dq, %dk, %dv, %db = soap.attention_grad %o, %q, %k, %v, %out, %lse, %b, %l
      {scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1>}
      : (tensor<2x4x8x6xf32>, tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>, tensor<2x4x8x6xf32>, tensor<2x4x8xf32>, tensor<1x4x1x8xf32>, tensor<2x4x8xf32>)
      -> (tensor<2x4x8x4xf32>, tensor<2x2x8x4xf32>, tensor<2x2x8x6xf32>, tensor<1x4x1x8xf32>)
  return %dq : tensor<2x4x8x4xf32>
}
